//! JSON as a value of a type, with the place of what the type refuses.
//!
//! `serde_path_to_error` does the same by wrapping every visitor of every type, which compiles all
//! derived code twice. Here the deserialiser itself notes the path while an error passes through it.

use super::check;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected,
    IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
    value::StringDeserializer,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value, map};
use std::cell::RefCell;
use std::vec;

/// Reads a value; on failure, the JSON pointer of what was refused, and why.
pub(super) fn from_value<T: DeserializeOwned>(json: Value) -> Result<T, (String, Error)> {
    let path = ErrorPath::default();
    T::deserialize(PathDeserializer { value: json, path: &path })
        .map_err(|error| (path.pointer(), error))
}

/// The steps to what was refused, the innermost first.
#[derive(Default)]
struct ErrorPath(RefCell<Vec<String>>);

impl ErrorPath {
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in self.0.borrow().iter().rev() {
            check::step(&mut pointer, step);
        }
        pointer
    }

    fn note(&self, step: String) {
        self.0.borrow_mut().push(step);
    }
}

/// Numbers are read as numbers alone: a visitor's other arms are not compiled for them.
macro_rules! numbers {
    ($($method:ident)+) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.value {
                    Value::Number(number) => number.deserialize_any(visitor),
                    other => Err(wrong_type(&other, &visitor)),
                }
            }
        )+
    };
}

struct PathDeserializer<'p> {
    value: Value,
    path: &'p ErrorPath,
}

impl<'de> Deserializer<'de> for PathDeserializer<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(value),
            other => Err(wrong_type(&other, &visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::String(text) => visitor.visit_string(text),
            other => Err(wrong_type(&other, &visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Array(values) = self.value else {
            return Err(wrong_type(&self.value, &visitor));
        };
        let count = values.len();
        let mut elements = Elements { values: values.into_iter(), index: 0, path: self.path };
        let value = visitor.visit_seq(&mut elements)?;
        match elements.values.len() {
            0 => Ok(value),
            _ => Err(Error::invalid_length(count, &"fewer elements in array")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Object(members) => visitor.visit_map(Members::new(members, self.path)),
            other => Err(wrong_type(&other, &visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! { bytes byte_buf unit unit_struct }
}

struct Elements<'p> {
    values: vec::IntoIter<Value>,
    index: usize,
    path: &'p ErrorPath,
}

impl<'de> SeqAccess<'de> for Elements<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.values.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        let element = seed.deserialize(PathDeserializer { value, path: self.path });
        element.map(Some).inspect_err(|_| self.path.note(index.to_string()))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

struct Members<'p> {
    members: map::IntoIter,
    /// The member whose key was read last.
    open: Option<(String, Value)>,
    path: &'p ErrorPath,
}

impl<'p> Members<'p> {
    fn new(members: Map<String, Value>, path: &'p ErrorPath) -> Self {
        Self { members: members.into_iter(), open: None, path }
    }
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.members.next() else { return Ok(None) };
        let read = PathDeserializer { value: Value::String(key.clone()), path: self.path };
        self.open = Some((key, value));
        seed.deserialize(read).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some((key, value)) = self.open.take() else {
            return Err(Error::custom("a value was read before its key"));
        };
        let member = seed.deserialize(PathDeserializer { value, path: self.path });
        member.inspect_err(|_| self.path.note(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// `"Variant"`, or `{"Variant": content}`.
impl<'de> EnumAccess<'de> for PathDeserializer<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let path = self.path;
        let (name, content) = match self.value {
            Value::String(name) => (name, Value::Null),
            Value::Object(members) if members.len() == 1 => {
                members.into_iter().next().unwrap_or_default()
            }
            other => return Err(Error::invalid_type(unexpected(&other), &"a variant")),
        };
        let name: StringDeserializer<Error> = name.into_deserializer();
        Ok((seed.deserialize(name)?, Self { value: content, path }))
    }
}

impl<'de> VariantAccess<'de> for PathDeserializer<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.value {
            Value::Null => Ok(()),
            other => Err(Error::invalid_type(unexpected(&other), &"a variant without content")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }
}

#[inline(never)]
fn wrong_type(value: &Value, expected: &dyn Expected) -> Error {
    Error::invalid_type(unexpected(value), expected)
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Other("number"),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Order {
        lines: Vec<Line>,
        #[serde(default)]
        note: Option<String>,
        #[serde(default)]
        state: State,
        #[serde(default)]
        tags: BTreeMap<String, u8>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Line {
        count: Even,
        at: (u8, u8),
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    enum State {
        #[default]
        Open,
        Sent {
            day: Even,
        },
        Paid(Even),
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(try_from = "i32")]
    struct Even(i32);

    impl TryFrom<i32> for Even {
        type Error = &'static str;

        fn try_from(number: i32) -> Result<Self, Self::Error> {
            if number % 2 == 0 { Ok(Self(number)) } else { Err("must be even") }
        }
    }

    fn refused(json: Value) -> (String, String) {
        let (pointer, error) = from_value::<Order>(json).unwrap_err();
        (pointer, error.to_string())
    }

    #[test]
    fn what_serde_json_reads_is_read_alike() {
        let texts = [
            json!({"lines": []}),
            json!({"lines": [{"count": 2, "at": [1, 2]}], "note": null, "state": "Open"}),
            json!({"lines": [], "note": "now", "state": {"Sent": {"day": 4}}, "tags": {"a/b": 1}}),
            json!({"lines": [], "state": {"Paid": 6}, "unknown": [1, {"a": 2}]}),
        ];
        for json in texts {
            let ours = from_value::<Order>(json.clone()).unwrap();
            assert_eq!(ours, serde_json::from_value::<Order>(json).unwrap());
        }
    }

    #[test]
    fn an_error_has_its_place() {
        let line = |count: i32| json!({"count": count, "at": [1, 2]});
        let odd = refused(json!({"lines": [line(2), line(3)]}));
        assert_eq!(odd, ("/lines/1/count".to_owned(), "must be even".to_owned()));
        let nested = refused(json!({"lines": [], "state": {"Sent": {"day": 1}}}));
        assert_eq!(nested, ("/state/day".to_owned(), "must be even".to_owned()));
        assert_eq!(refused(json!({"lines": [], "state": {"Paid": 1}})).0, "/state");
        assert_eq!(refused(json!({"lines": [], "tags": {"a/b": -1}})).0, "/tags/a~1b");
        assert_eq!(refused(json!({})).0, "");
    }

    #[test]
    fn what_serde_json_refuses_is_refused() {
        let texts = [
            json!([]),
            json!({"lines": {}}),
            json!({"lines": [{"count": 2, "at": [1, 2, 3]}]}),
            json!({"lines": [{"count": 2, "at": [1]}]}),
            json!({"lines": [], "state": "Lost"}),
            json!({"lines": [], "state": {"Open": 1}}),
            json!({"lines": [], "state": {"Open": null, "Paid": 2}}),
            json!({"lines": [], "state": 1}),
        ];
        for json in texts {
            assert!(serde_json::from_value::<Order>(json.clone()).is_err(), "{json}");
            refused(json);
        }
    }
}
