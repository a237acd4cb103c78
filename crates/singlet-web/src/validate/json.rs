//! Parses JSON from clients.

use super::{FIELD_ERRORS_MAX, FieldError, FieldLocation, check};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Error, Map, Number, Value};
use std::fmt::{self, Write as _};

/// Parses JSON. Duplicate members are errors, because parsers disagree on which one counts.
pub(crate) fn parse(json: &[u8], place: FieldLocation) -> Result<(Value, Vec<FieldError>), Error> {
    let (mut pointer, mut repeated) = (String::new(), Vec::new());
    let mut read = serde_json::Deserializer::from_slice(json);
    let value = Place { pointer: &mut pointer, repeated: &mut repeated }.deserialize(&mut read)?;
    read.end()?;
    let twice = |pointer: String| FieldError::at(place, &pointer, "is given twice");
    Ok((value, repeated.into_iter().map(twice).collect()))
}

/// A position in the JSON being parsed.
struct Place<'p> {
    pointer: &'p mut String,
    /// Pointers of duplicate members.
    repeated: &'p mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($method:ident($value:ident: $type:ty) => $json:expr;)+) => {
        $(
            fn $method<E>(self, $value: $type) -> Result<Value, E> {
                Ok($json)
            }
        )+
    };
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    scalars! {
        visit_bool(value: bool) => Value::Bool(value);
        visit_i64(value: i64) => Value::from(value);
        visit_u64(value: u64) => Value::from(value);
        visit_f64(value: f64) => Number::from_f64(value).map_or(Value::Null, Value::Number);
        visit_str(value: &str) => Value::from(value);
        visit_string(value: String) => Value::String(value);
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let Self { pointer, repeated } = self;
        let (len, mut list) = (pointer.len(), Vec::new());
        loop {
            let _ = write!(pointer, "/{}", list.len());
            let below = Place { pointer: &mut *pointer, repeated: &mut *repeated };
            let element = elements.next_element_seed(below)?;
            pointer.truncate(len);
            match element {
                Some(element) => list.push(element),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let Self { pointer, repeated } = self;
        let (len, mut map) = (pointer.len(), Map::new());
        while let Some(name) = members.next_key::<String>()? {
            check::step_shortened(pointer, &name);
            if map.contains_key(&name) && repeated.len() < FIELD_ERRORS_MAX {
                repeated.push(pointer.clone());
            }
            let below = Place { pointer: &mut *pointer, repeated: &mut *repeated };
            map.insert(name, members.next_value_seed(below)?);
            pointer.truncate(len);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;

    #[test]
    fn json_is_read_as_serde_json_reads_it() {
        for json in [
            r#"{"a":[1,-2,3.5,18446744073709551615,1e400],"b":{"c":null,"d":true},"e":"\u00e9"}"#,
            "[]",
            r#" "text" "#,
            "{",
            "[1,]",
            "1 2",
            "",
            "\u{0}",
        ] {
            let expected = serde_json::from_str::<Value>(json).ok();
            let read = parse(json.as_bytes(), FieldLocation::Body).ok();
            assert_eq!(read.map(|(value, _)| value), expected, "{json}");
        }
        assert!(parse("[".repeat(100_000).as_bytes(), FieldLocation::Body).is_err());
    }

    #[test]
    fn members_that_are_given_twice_are_named() {
        let json = r#"{"a":{"b":[0,{"c/d":1,"c/d":2}]},"a":1,"a":2,"e":1}"#;
        let (_, errors) = parse(json.as_bytes(), FieldLocation::Message).unwrap();
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["/a/b/1/c~1d", "/a", "/a"]);
        assert_eq!(errors[0].place, FieldLocation::Message);
        let long = format!(r#"{{"{0}":1,"{0}":2}}"#, "x".repeat(1000));
        let (_, errors) = parse(long.as_bytes(), FieldLocation::Body).unwrap();
        assert!(errors[0].field.len() < 60);
    }
}
