//! Requests whose JSON has the wrong shape: the service refuses them before it looks at anything
//! else, Local fails, or takes what it can.

use super::{Explains, Rule};
use crate::difference::{Difference, Exchange};
use serde_json::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "JSON of the wrong shape makes Local fail",
        is_rare: false,
        explains: Explains::When(fails),
    },
    Rule {
        name: "Local takes numbers and truth values for text, and the other way round",
        is_rare: false,
        explains: Explains::When(converts),
    },
    Rule {
        name: "Of a member given twice, both are looked at",
        is_rare: false,
        explains: Explains::When(is_given_twice),
    },
    Rule { name: "Names that are too long", is_rare: true, explains: Explains::When(is_long_name) },
    Rule {
        name: "Local fails at what it should refuse",
        is_rare: true,
        explains: Explains::When(fails_at_reason),
    },
    Rule {
        name: "Nothing follows the request",
        is_rare: true,
        explains: Explains::When(|exchange, difference| {
            is_serialization(exchange, difference) && exchange.body.ends_with("}x")
        }),
    },
    Rule { name: "Base64 must be exact", is_rare: true, explains: Explains::When(is_base64) },
    Rule {
        name: "Truth values may be words",
        is_rare: true,
        explains: Explains::When(is_word_for_truth),
    },
];

/// Whether a member stands twice in one object, of which the parsed request has lost one.
fn is_given_twice(exchange: &Exchange, difference: &Difference) -> bool {
    let refused = exchange.ours.refusal().is_some_and(|ours| {
        ours.code == "SerializationException" || ours.code == "ValidationException"
    });
    // Requests are written without spaces, so the length tells.
    *difference == Difference::Verdict
        && refused
        && exchange.request.is_object()
        && exchange.request.to_string().len() < exchange.body.len()
}

fn is_base64(exchange: &Exchange, difference: &Difference) -> bool {
    let ours = exchange.ours.refusal();
    *difference == Difference::Verdict
        && ours.is_some_and(|ours| {
            ours.code == "SerializationException"
                && ours.message == "Invalid last non-pad Base64 character dectected"
        })
}

/// A name of 65,536 bytes.
fn is_long_name(exchange: &Exchange, difference: &Difference) -> bool {
    *difference == Difference::Verdict
        && exchange.local.is_accepted()
        && exchange.ours.refusal().is_some_and(|ours| {
            ours.message == "Attribute name is too large, must be less than 65536 bytes"
        })
}

/// What we refuse for a reason, or take because a limit of more than 32 bits is the largest of
/// 32 bits, or `null` an empty request, at which Local fails.
fn fails_at_reason(exchange: &Exchange, difference: &Difference) -> bool {
    let is_refused = exchange.ours.refusal().is_some_and(|ours| ours.code == "ValidationException");
    let limit = exchange.request["Limit"].as_i64().unwrap_or_default();
    *difference == Difference::Verdict
        && (is_refused || limit > i64::from(i32::MAX) || exchange.request.is_null())
        && exchange.local.refusal().is_some_and(|local| local.code == "InternalFailure")
}

fn is_serialization(exchange: &Exchange, difference: &Difference) -> bool {
    let ours = exchange.ours.refusal();
    *difference == Difference::Verdict
        && ours.is_some_and(|ours| ours.code == "SerializationException")
}

fn fails(exchange: &Exchange, difference: &Difference) -> bool {
    let local = exchange.local.refusal();
    is_serialization(exchange, difference)
        && local.is_some_and(|local| local.status == 500 && local.code == "InternalFailure")
}

fn converts(exchange: &Exchange, difference: &Difference) -> bool {
    is_serialization(exchange, difference) && has_stray_scalar("", &exchange.request)
}

/// The members that are numbers and truth values; all other scalars are text.
const NUMBERS: &[&str] =
    &["Limit", "Segment", "TotalSegments", "ReadCapacityUnits", "WriteCapacityUnits"];
const TRUTHS: &[&str] = &[
    "ConsistentRead",
    "ScanIndexForward",
    "BOOL",
    "NULL",
    "Exists",
    "Enabled",
    "StreamEnabled",
    "DeletionProtectionEnabled",
];

/// Whether a scalar stands where one of another type belongs.
fn has_stray_scalar(name: &str, value: &Value) -> bool {
    let (is_number, is_truth) = (NUMBERS.contains(&name), TRUTHS.contains(&name));
    match value {
        Value::Null => false,
        Value::String(_) => is_number || is_truth,
        Value::Number(number) => !is_number || number.as_i64().is_none(),
        Value::Bool(_) => !is_truth,
        Value::Array(elements) => elements.iter().any(|element| has_stray_scalar("", element)),
        Value::Object(members) => members.iter().any(|(name, value)| has_stray_scalar(name, value)),
    }
}

/// The service takes these for truth values, and Local fails at some of them.
fn is_word_for_truth(exchange: &Exchange, difference: &Difference) -> bool {
    fn has_word(name: &str, value: &Value) -> bool {
        match value {
            Value::String(text) => {
                let words = ["true", "false", "yes", "no", "1", "0"];
                TRUTHS.contains(&name) && words.contains(&text.to_lowercase().as_str())
            }
            Value::Array(elements) => elements.iter().any(|element| has_word("", element)),
            Value::Object(members) => members.iter().any(|(name, value)| has_word(name, value)),
            _ => false,
        }
    }
    let local = exchange.local.refusal();
    *difference == Difference::Verdict
        && local.is_some_and(|local| local.code == "InternalFailure")
        && has_word("", &exchange.request)
}
