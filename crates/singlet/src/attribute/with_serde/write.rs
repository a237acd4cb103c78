//! Serializes a value.

use super::CALLS_MAX;
use crate::attribute::NotStorable;
use serde::ser::{self, Impossible, Serialize};
use singlet_dynamo::limits::NESTING_MAX;
use singlet_dynamo::{Map, Number, Value};
use std::fmt;

/// Upper bound of the capacity reserved for a list or map: a type's length hint is not trustworthy.
const PLACES_AHEAD_MAX: usize = 256;

pub(super) fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, NotStorable> {
    value.serialize(Writer { levels: 0, calls: 0 })
}

impl ser::Error for NotStorable {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }
}

#[derive(Clone, Copy)]
struct Writer {
    /// Lists and maps around the value.
    levels: usize,
    /// Calls around this one.
    calls: usize,
}

impl Writer {
    /// For the value inside an option or a newtype.
    fn inside(self) -> Result<Self, NotStorable> {
        if self.calls >= CALLS_MAX {
            return Err(too_deep());
        }
        Ok(Self { calls: self.calls + 1, ..self })
    }

    /// For the values inside a list or a map.
    fn below(self) -> Result<Self, NotStorable> {
        if self.levels >= NESTING_MAX {
            return Err(too_deep());
        }
        Ok(Self { levels: self.levels + 1, ..self.inside()? })
    }

    /// For the values inside a variant, which is a map with one entry.
    fn list(
        self,
        variant: Option<&'static str>,
        len: Option<usize>,
    ) -> Result<ListWriter, NotStorable> {
        let outer = if variant.is_some() { self.below()? } else { self };
        let values = Vec::with_capacity(len.unwrap_or(0).min(PLACES_AHEAD_MAX));
        Ok(ListWriter { element: outer.below()?, values, variant })
    }

    fn map(
        self,
        variant: Option<&'static str>,
        len: Option<usize>,
    ) -> Result<MapWriter, NotStorable> {
        let outer = if variant.is_some() { self.below()? } else { self };
        let entries = Vec::with_capacity(len.unwrap_or(0).min(PLACES_AHEAD_MAX));
        Ok(MapWriter { value: outer.below()?, entries, name: None, variant })
    }
}

fn too_deep() -> NotStorable {
    NotStorable::new(
        "lists and maps are nested deeper than an attribute can be, which is 32 levels",
    )
}

fn number(text: &str) -> Result<Value, NotStorable> {
    text.parse().map(Value::N).map_err(|error: singlet_dynamo::NumberError| {
        NotStorable::new(format!("{text} is not a number that DynamoDB has: {error}"))
    })
}

fn integer(integer: i64) -> Result<Value, NotStorable> {
    Ok(Value::N(Number::from(integer)))
}

/// The value, as the content of a variant if there is one.
fn in_variant(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(name) => Value::M(Map::from([(name, value)])),
        None => value,
    }
}

impl ser::Serializer for Writer {
    type Ok = Value;
    type Error = NotStorable;
    type SerializeSeq = ListWriter;
    type SerializeTuple = ListWriter;
    type SerializeTupleStruct = ListWriter;
    type SerializeTupleVariant = ListWriter;
    type SerializeMap = MapWriter;
    type SerializeStruct = MapWriter;
    type SerializeStructVariant = MapWriter;

    fn serialize_bool(self, truth: bool) -> Result<Value, NotStorable> {
        Ok(Value::Bool(truth))
    }

    fn serialize_i8(self, own: i8) -> Result<Value, NotStorable> {
        integer(own.into())
    }

    fn serialize_i16(self, own: i16) -> Result<Value, NotStorable> {
        integer(own.into())
    }

    fn serialize_i32(self, own: i32) -> Result<Value, NotStorable> {
        integer(own.into())
    }

    fn serialize_i64(self, own: i64) -> Result<Value, NotStorable> {
        integer(own)
    }

    fn serialize_i128(self, own: i128) -> Result<Value, NotStorable> {
        number(&own.to_string())
    }

    fn serialize_u8(self, own: u8) -> Result<Value, NotStorable> {
        integer(own.into())
    }

    fn serialize_u16(self, own: u16) -> Result<Value, NotStorable> {
        integer(own.into())
    }

    fn serialize_u32(self, own: u32) -> Result<Value, NotStorable> {
        integer(own.into())
    }

    fn serialize_u64(self, own: u64) -> Result<Value, NotStorable> {
        number(&own.to_string())
    }

    fn serialize_u128(self, own: u128) -> Result<Value, NotStorable> {
        number(&own.to_string())
    }

    fn serialize_f32(self, own: f32) -> Result<Value, NotStorable> {
        number(&format!("{own:e}"))
    }

    fn serialize_f64(self, own: f64) -> Result<Value, NotStorable> {
        number(&format!("{own:e}"))
    }

    fn serialize_char(self, own: char) -> Result<Value, NotStorable> {
        Ok(Value::S(own.to_string()))
    }

    fn serialize_str(self, text: &str) -> Result<Value, NotStorable> {
        Ok(Value::S(text.to_owned()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Value, NotStorable> {
        Ok(Value::B(bytes.to_vec()))
    }

    fn serialize_none(self) -> Result<Value, NotStorable> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, NotStorable> {
        value.serialize(self.inside()?)
    }

    fn serialize_unit(self) -> Result<Value, NotStorable> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, NotStorable> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _place: u32,
        variant: &'static str,
    ) -> Result<Value, NotStorable> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Value, NotStorable> {
        value.serialize(self.inside()?)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _place: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, NotStorable> {
        Ok(in_variant(Some(variant), value.serialize(self.below()?)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<ListWriter, NotStorable> {
        self.list(None, len)
    }

    fn serialize_tuple(self, len: usize) -> Result<ListWriter, NotStorable> {
        self.list(None, Some(len))
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        len: usize,
    ) -> Result<ListWriter, NotStorable> {
        self.list(None, Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _place: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ListWriter, NotStorable> {
        self.list(Some(variant), Some(len))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<MapWriter, NotStorable> {
        self.map(None, len)
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<MapWriter, NotStorable> {
        self.map(None, Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _place: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<MapWriter, NotStorable> {
        self.map(Some(variant), Some(len))
    }
}

struct ListWriter {
    element: Writer,
    values: Vec<Value>,
    variant: Option<&'static str>,
}

impl ListWriter {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotStorable> {
        self.values.push(value.serialize(self.element)?);
        Ok(())
    }

    fn finish(self) -> Value {
        in_variant(self.variant, Value::L(self.values))
    }
}

/// The sequence traits differ only in the name of one function.
macro_rules! list_writer {
    ($($kind:ident $push:ident)+) => {
        $(
            impl ser::$kind for ListWriter {
                type Ok = Value;
                type Error = NotStorable;

                fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotStorable> {
                    self.push(value)
                }

                fn end(self) -> Result<Value, NotStorable> {
                    Ok(self.finish())
                }
            }
        )+
    };
}

list_writer! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

struct MapWriter {
    value: Writer,
    entries: Vec<(String, Value)>,
    /// The name of the next value.
    name: Option<String>,
    variant: Option<&'static str>,
}

impl MapWriter {
    fn push<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), NotStorable> {
        self.entries.push((name, value.serialize(self.value)?));
        Ok(())
    }

    fn finish(self) -> Value {
        in_variant(self.variant, Value::M(Map::from_entries(self.entries)))
    }
}

impl ser::SerializeMap for MapWriter {
    type Ok = Value;
    type Error = NotStorable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotStorable> {
        self.name = Some(key.serialize(NameWriter { calls: self.value.calls })?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotStorable> {
        match self.name.take() {
            Some(name) => self.push(name, value),
            None => Err(NotStorable::new("a type writes a map's value before its key")),
        }
    }

    fn end(self) -> Result<Value, NotStorable> {
        Ok(self.finish())
    }
}

/// The struct traits differ only in their names.
macro_rules! struct_writer {
    ($($kind:ident)+) => {
        $(
            impl ser::$kind for MapWriter {
                type Ok = Value;
                type Error = NotStorable;

                fn serialize_field<T: Serialize + ?Sized>(
                    &mut self,
                    name: &'static str,
                    value: &T,
                ) -> Result<(), NotStorable> {
                    self.push(name.to_owned(), value)
                }

                fn end(self) -> Result<Value, NotStorable> {
                    Ok(self.finish())
                }
            }
        )+
    };
}

struct_writer! { SerializeStruct SerializeStructVariant }

/// Writes the key of a map, which is text.
struct NameWriter {
    calls: usize,
}

fn no_name() -> NotStorable {
    NotStorable::new("the keys of a map are text, whole numbers, truth values or unit variants")
}

macro_rules! names {
    ($($function:ident $own:ty),+ $(,)?) => {
        $(
            fn $function(self, own: $own) -> Result<String, NotStorable> {
                Ok(own.to_string())
            }
        )+
    };
}

impl ser::Serializer for NameWriter {
    type Ok = String;
    type Error = NotStorable;
    type SerializeSeq = Impossible<String, NotStorable>;
    type SerializeTuple = Impossible<String, NotStorable>;
    type SerializeTupleStruct = Impossible<String, NotStorable>;
    type SerializeTupleVariant = Impossible<String, NotStorable>;
    type SerializeMap = Impossible<String, NotStorable>;
    type SerializeStruct = Impossible<String, NotStorable>;
    type SerializeStructVariant = Impossible<String, NotStorable>;

    names! {
        serialize_bool bool,
        serialize_i8 i8,
        serialize_i16 i16,
        serialize_i32 i32,
        serialize_i64 i64,
        serialize_i128 i128,
        serialize_u8 u8,
        serialize_u16 u16,
        serialize_u32 u32,
        serialize_u64 u64,
        serialize_u128 u128,
        serialize_char char,
        serialize_str &str,
    }

    fn serialize_f32(self, _own: f32) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_f64(self, _own: f64) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_bytes(self, _bytes: &[u8]) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_none(self) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _value: &T) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_unit(self) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _place: u32,
        variant: &'static str,
    ) -> Result<String, NotStorable> {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<String, NotStorable> {
        if self.calls >= CALLS_MAX {
            return Err(too_deep());
        }
        value.serialize(Self { calls: self.calls + 1 })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _place: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<String, NotStorable> {
        Err(no_name())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, NotStorable> {
        Err(no_name())
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, NotStorable> {
        Err(no_name())
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleStruct, NotStorable> {
        Err(no_name())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _place: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, NotStorable> {
        Err(no_name())
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, NotStorable> {
        Err(no_name())
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStruct, NotStorable> {
        Err(no_name())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _place: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, NotStorable> {
        Err(no_name())
    }
}
