//! Fields stored together as one JSON text.
//!
//! Numbers are JSON numbers, lists and sets arrays, maps objects, and bytes Base64 text, so that
//! any JSON library can read the payload. Numbers are converted digit by digit, because a payload
//! must not round what an attribute would not.

use crate::attribute::{Members, Mismatch};
use serde_json::value::RawValue;
use singlet_dynamo::binary::{self, ItemRef, ValueRef};
use singlet_dynamo::limits::NESTING_MAX;
use singlet_dynamo::{Map, Value, base64};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The fields of a payload.
pub struct Payload {
    bytes: Vec<u8>,
}

impl Payload {
    /// The text of these fields, in declaration order.
    pub(crate) fn write(fields: &[(String, Value)]) -> Value {
        let mut text = String::with_capacity(256);
        push_object(fields.iter().map(|(name, value)| (name.as_str(), value)), &mut text);
        Value::S(text)
    }

    /// Reads the text of a payload.
    pub(crate) fn read(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let Some(ValueRef::S(text)) = value else { return Err(Mismatch::of("S", value)) };
        let raw: &RawValue =
            serde_json::from_str(text).map_err(|error| Mismatch::new("JSON", error.to_string()))?;
        match read_json(raw.get(), 0) {
            Some(Value::M(fields)) => Ok(Self { bytes: binary::encode(&fields) }),
            Some(_) => Err(Mismatch::new("a JSON object", "other JSON")),
            None => Err(Mismatch::new("JSON", "lists and objects that are nested too deep")),
        }
    }

    /// One field.
    pub(crate) fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        ItemRef::trusted(&self.bytes).get(name)
    }

    /// The fields, to be read in name order.
    pub fn members(&self) -> Result<Members<'_>, Mismatch> {
        Members::of(Some(ValueRef::M(ItemRef::trusted(&self.bytes))))
    }
}

/// Recurses once per level of the value.
fn push_json(value: &Value, text: &mut String) {
    match value {
        Value::S(one) => push_text(one, text),
        Value::N(number) => push(number, text),
        Value::B(bytes) => push_text(&base64::encode(bytes), text),
        Value::Bool(truth) => push(truth, text),
        Value::Null => text.push_str("null"),
        Value::M(map) => push_object(map.iter(), text),
        Value::L(list) => push_array(list, push_json, text),
        Value::Ss(set) => push_array(set, |one, text| push_text(one, text), text),
        Value::Ns(set) => push_array(set, push, text),
        Value::Bs(set) => {
            push_array(set, |bytes, text| push_text(&base64::encode(bytes), text), text);
        }
    }
}

fn push(value: impl std::fmt::Display, text: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(text, "{value}");
}

fn push_text(one: &str, text: &mut String) {
    // Serializing a string to JSON does not fail either.
    text.push_str(&serde_json::to_string(one).unwrap_or_default());
}

fn push_array<T>(
    elements: impl IntoIterator<Item = T>,
    push_element: impl Fn(T, &mut String),
    text: &mut String,
) {
    text.push('[');
    for (place, element) in elements.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        push_element(element, text);
    }
    text.push(']');
}

fn push_object<'v>(members: impl Iterator<Item = (&'v str, &'v Value)>, text: &mut String) {
    text.push('{');
    for (place, (name, value)) in members.enumerate() {
        if place > 0 {
            text.push(',');
        }
        push_text(name, text);
        text.push(':');
        push_json(value, text);
    }
    text.push('}');
}

/// Reads well-formed JSON; `None` if it is nested deeper than an item can be.
fn read_json(text: &str, depth: usize) -> Option<Value> {
    if depth > NESTING_MAX {
        return None;
    }
    Some(match text.bytes().next()? {
        b'"' => Value::S(serde_json::from_str(text).ok()?),
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            let members = members.into_iter();
            let members = members.map(|(name, raw)| Some((name, read_json(raw.get(), depth + 1)?)));
            Value::M(members.collect::<Option<Map>>()?)
        }
        b'[' => {
            let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            let elements = elements.into_iter().map(|raw| read_json(raw.get(), depth + 1));
            Value::L(elements.collect::<Option<Vec<Value>>>()?)
        }
        b't' => Value::Bool(true),
        b'f' => Value::Bool(false),
        b'n' => Value::Null,
        // A number out of DynamoDB's range stays text, so that reading the field reports it.
        _ => text.parse().map_or_else(|_| Value::from(text), Value::N),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_dynamo::Number;

    #[test]
    fn numbers_keep_all_their_digits() {
        for digits in ["12345678901234567890123456789012345678", "0.1", "-1E-130", "1e125"] {
            let number: Number = digits.parse().unwrap();
            let text = Payload::write(&[("n".to_owned(), Value::N(number))]);
            let Value::S(text) = &text else { unreachable!() };
            let payload = Payload::read(Some(ValueRef::S(text))).unwrap();
            assert_eq!(payload.get("n"), Some(ValueRef::N(number)), "{text}");
        }
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Payload::read(Some(ValueRef::S(&deep))).is_err());
    }
}
