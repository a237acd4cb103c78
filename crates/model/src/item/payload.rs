//! Fields kept together as one JSON text.
//!
//! Numbers are JSON numbers, lists and sets arrays, maps objects, and bytes Base64 text, so that
//! programs in other languages read the payload with any JSON library.

use crate::attribute::{Members, Mismatch};
use serde_json::Value as Json;
use singlet_dynamo::binary::{self, ItemRef, ValueRef};
use singlet_dynamo::{Map, Number, Value, base64};

/// The fields of a payload.
pub struct Payload {
    bytes: Vec<u8>,
}

impl Payload {
    /// The text of these fields.
    pub(crate) fn write(fields: Vec<(String, Value)>) -> Value {
        // In the order of the declaration, for people who read it.
        let fields = fields.into_iter().map(|(name, value)| (name, to_json(&value)));
        Value::S(Json::Object(fields.collect()).to_string())
    }

    /// Reads the text of a payload.
    pub(crate) fn read(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let Some(ValueRef::S(text)) = value else { return Err(Mismatch::of("S", value)) };
        match serde_json::from_str(text) {
            Ok(Json::Object(fields)) => {
                let fields: Map =
                    fields.into_iter().map(|(name, json)| (name, from_json(json))).collect();
                Ok(Self { bytes: binary::encode(&fields) })
            }
            Ok(_) => Err(Mismatch::new("a JSON object", "other JSON")),
            Err(error) => Err(Mismatch::new("JSON", error.to_string())),
        }
    }

    /// One field.
    pub(crate) fn get(&self, name: &str) -> Option<ValueRef<'_>> {
        ItemRef::trusted(&self.bytes).get(name)
    }

    /// The fields, to be read in the order of their names.
    pub fn members(&self) -> Result<Members<'_>, Mismatch> {
        Members::of(Some(ValueRef::M(ItemRef::trusted(&self.bytes))))
    }
}

/// Values nest no deeper than their Rust types do.
fn to_json(value: &Value) -> Json {
    let number = |number: &Number| match serde_json::from_str(&number.to_string()) {
        Ok(Json::Number(number)) => Json::Number(number),
        _ => Json::String(number.to_string()),
    };
    match value {
        Value::S(text) => Json::String(text.clone()),
        Value::N(one) => number(one),
        Value::B(bytes) => Json::String(base64::encode(bytes)),
        Value::Bool(truth) => Json::Bool(*truth),
        Value::Null => Json::Null,
        Value::M(map) => Json::Object(
            map.iter().map(|(name, value)| (name.to_owned(), to_json(value))).collect(),
        ),
        Value::L(list) => Json::Array(list.iter().map(to_json).collect()),
        Value::Ss(set) => Json::Array(set.iter().cloned().map(Json::String).collect()),
        Value::Ns(set) => Json::Array(set.iter().map(number).collect()),
        Value::Bs(set) => {
            Json::Array(set.iter().map(|bytes| Json::String(base64::encode(bytes))).collect())
        }
    }
}

/// The reader of JSON refuses what is nested deeper than it can bear.
fn from_json(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(truth),
        Json::String(text) => Value::S(text),
        // A number that DynamoDB does not have stays text, and is refused where it is read.
        Json::Number(number) => match number.to_string().parse() {
            Ok(number) => Value::N(number),
            Err(_) => Value::S(number.to_string()),
        },
        Json::Array(list) => Value::L(list.into_iter().map(from_json).collect()),
        Json::Object(map) => {
            Value::M(map.into_iter().map(|(name, json)| (name, from_json(json))).collect())
        }
    }
}
