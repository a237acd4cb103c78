//! Deserializes a stored value in place.

use super::CALLS_MAX;
use crate::attribute::Mismatch;
use serde::de::value::{BorrowedStrDeserializer, SeqDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, EnumAccess, Error as _, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Deserializer, forward_to_deserialize_any};
use singlet_dynamo::binary::{Entries, ValueRef};
use singlet_dynamo::{Number, base64};
use std::fmt;

pub(super) fn from_value<T: DeserializeOwned>(value: ValueRef<'_>) -> Result<T, Mismatch> {
    T::deserialize(Reader { value, calls: 0 })
}

/// The value for a missing attribute: `None`, for types that have it.
pub(super) fn from_nothing<T: DeserializeOwned>() -> Result<T, Mismatch> {
    T::deserialize(Nothing)
}

impl de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new("a value that its type accepts", format!("one that it refuses: {message}"))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(expected.to_string(), unexpected.to_string())
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(expected.to_string(), unexpected.to_string())
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> Self {
        Self::new(expected.to_string(), format!("{len} elements"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(one_of(expected), format!("`{variant}`"))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(one_of(expected), format!("the member `{field}`"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new("a value", "nothing").within(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new("one value", "two").within(field)
    }
}

fn one_of(names: &[&str]) -> String {
    match names.len() {
        0 => "nothing".to_owned(),
        _ => format!("one of `{}`", names.join("`, `")),
    }
}

fn too_deep() -> Mismatch {
    Mismatch::new("a value", "options and newtypes inside each other without end")
}

#[derive(Clone, Copy)]
struct Reader<'de> {
    value: ValueRef<'de>,
    /// Calls around this one.
    calls: usize,
}

impl<'de> Reader<'de> {
    /// The same value, inside an option or a newtype.
    fn inside(self) -> Result<Self, Mismatch> {
        self.of(self.value)
    }

    /// A value inside this one.
    fn of(self, value: ValueRef<'de>) -> Result<Self, Mismatch> {
        if self.calls >= CALLS_MAX {
            return Err(too_deep());
        }
        Ok(Self { value, calls: self.calls + 1 })
    }

    fn visit_elements<V: Visitor<'de>>(
        self,
        elements: impl Iterator<Item = ValueRef<'de>>,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        let mut list = List { reader: self, elements, place: 0, len };
        let visited = visitor.visit_seq(&mut list)?;
        if list.elements.next().is_some() {
            return Err(Mismatch::new(
                format!("{} elements", list.place),
                format!("{len} elements"),
            ));
        }
        Ok(visited)
    }
}

fn visit_number<'de, V: Visitor<'de>>(number: Number, visitor: V) -> Result<V::Value, Mismatch> {
    if let Some(integer) = number.to_i64() {
        return match u64::try_from(integer) {
            Ok(integer) => visitor.visit_u64(integer),
            Err(_) => visitor.visit_i64(integer),
        };
    }
    let text = number.to_string();
    if let Ok(integer) = text.parse() {
        return visitor.visit_u64(integer);
    }
    match text.parse() {
        Ok(float) => visitor.visit_f64(float),
        Err(_) => Err(Mismatch::new("a number", text)),
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            ValueRef::S(text) => visitor.visit_borrowed_str(text),
            ValueRef::N(number) => visit_number(number, visitor),
            ValueRef::B(bytes) => visitor.visit_borrowed_bytes(bytes),
            ValueRef::Bool(truth) => visitor.visit_bool(truth),
            ValueRef::Null => visitor.visit_unit(),
            ValueRef::M(map) => {
                visitor.visit_map(Members { reader: self, entries: map.iter(), next: None })
            }
            ValueRef::L(list) => self.visit_elements(list.iter(), list.len(), visitor),
            ValueRef::Ss(set) | ValueRef::Ns(set) | ValueRef::Bs(set) => {
                self.visit_elements(set.iter(), set.len(), visitor)
            }
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            ValueRef::N(number) => match number.to_string().parse() {
                Ok(integer) => visitor.visit_i128(integer),
                Err(_) => visit_number(number, visitor),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            ValueRef::N(number) => match number.to_string().parse() {
                Ok(integer) => visitor.visit_u128(integer),
                Err(_) => visit_number(number, visitor),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        // Not through f64: rounding twice may give another number.
        match self.value {
            ValueRef::N(number) => match number.to_string().parse() {
                Ok(float) => visitor.visit_f32(float),
                Err(_) => visit_number(number, visitor),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        // A payload is JSON, which has no bytes, so they are Base64 there.
        match self.value {
            ValueRef::S(text) => match base64::decode(text) {
                Ok(bytes) => visitor.visit_byte_buf(bytes),
                Err(_) => visitor.visit_borrowed_str(text),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            // For a `Vec<u8>`, which serde reads as a sequence of numbers.
            ValueRef::B(bytes) => {
                let mut bytes = SeqDeserializer::new(bytes.iter().copied());
                let visited = visitor.visit_seq(&mut bytes)?;
                bytes.end()?;
                Ok(visited)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.value {
            ValueRef::Null => visitor.visit_none(),
            _ => visitor.visit_some(self.inside()?),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self.inside()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self.value {
            ValueRef::S(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            ValueRef::M(map) => {
                let mut entries = map.iter();
                match (entries.next(), entries.next()) {
                    (Some((name, content)), None) => {
                        visitor.visit_enum(Variant { name, content: self.of(content)? })
                    }
                    _ => Err(Mismatch::new(
                        "a map with one member, the name of a variant",
                        format!("{} members", map.len()),
                    )),
                }
            }
            other => Err(Mismatch::of("the name of a variant, or a map of it", Some(other))),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f64 char str string unit unit_struct tuple
        tuple_struct map struct identifier
    }
}

struct List<'de, I> {
    reader: Reader<'de>,
    elements: I,
    place: usize,
    len: usize,
}

impl<'de, I: Iterator<Item = ValueRef<'de>>> SeqAccess<'de> for List<'de, I> {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mismatch> {
        let Some(value) = self.elements.next() else { return Ok(None) };
        let place = self.place;
        self.place += 1;
        let read = self.reader.of(value).and_then(|reader| seed.deserialize(reader));
        read.map(Some).map_err(|mismatch| mismatch.at(place))
    }

    fn size_hint(&self) -> Option<usize> {
        self.len.checked_sub(self.place)
    }
}

struct Members<'de> {
    reader: Reader<'de>,
    entries: Entries<'de>,
    /// The entry whose name was read, and whose value is next.
    next: Option<(&'de str, ValueRef<'de>)>,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mismatch> {
        self.next = self.entries.next();
        let Some((name, _)) = self.next else { return Ok(None) };
        seed.deserialize(Name { name, calls: self.reader.calls }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mismatch> {
        match self.next.take() {
            Some((name, value)) => {
                let read = self.reader.of(value).and_then(|reader| seed.deserialize(reader));
                read.map_err(|mismatch| mismatch.within(name))
            }
            None => Err(Mismatch::custom("a type reads a map's value before its key")),
        }
    }
}

/// The key of a map, which is text.
#[derive(Clone, Copy)]
struct Name<'de> {
    name: &'de str,
    calls: usize,
}

macro_rules! from_names {
    ($($function:ident $visit:ident),+ $(,)?) => {
        $(
            fn $function<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
                match self.name.parse() {
                    Ok(own) => visitor.$visit(own),
                    Err(_) => visitor.visit_borrowed_str(self.name),
                }
            }
        )+
    };
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_borrowed_str(self.name)
    }

    from_names! {
        deserialize_bool visit_bool,
        deserialize_i8 visit_i8,
        deserialize_i16 visit_i16,
        deserialize_i32 visit_i32,
        deserialize_i64 visit_i64,
        deserialize_i128 visit_i128,
        deserialize_u8 visit_u8,
        deserialize_u16 visit_u16,
        deserialize_u32 visit_u32,
        deserialize_u64 visit_u64,
        deserialize_u128 visit_u128,
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        if self.calls >= CALLS_MAX {
            return Err(too_deep());
        }
        visitor.visit_newtype_struct(Self { calls: self.calls + 1, ..self })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.name))
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct map
        struct identifier ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    content: Reader<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Mismatch;
    type Variant = Content<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content<'de>), Mismatch> {
        let name = seed.deserialize(BorrowedStrDeserializer::<Mismatch>::new(self.name))?;
        Ok((name, Content { name: self.name, reader: self.content }))
    }
}

/// The content of a variant.
struct Content<'de> {
    name: &'de str,
    reader: Reader<'de>,
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Mismatch;

    fn unit_variant(self) -> Result<(), Mismatch> {
        match self.reader.value {
            ValueRef::Null => Ok(()),
            other => Err(Mismatch::of("NULL", Some(other)).within(self.name)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mismatch> {
        seed.deserialize(self.reader).map_err(|mismatch| mismatch.within(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.reader.deserialize_seq(visitor).map_err(|mismatch| mismatch.within(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.reader.deserialize_any(visitor).map_err(|mismatch| mismatch.within(self.name))
    }
}

/// A missing attribute.
struct Nothing;

impl<'de> Deserializer<'de> for Nothing {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Mismatch> {
        Err(Mismatch::of("a value", None))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
