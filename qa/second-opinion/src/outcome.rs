//! Normalized answers.

use crate::connection::Response;
use serde_json::{Map, Value, json};
use singlet_dynamo::Number;
pub(crate) use singlet_testing::generator::sort_key;
use std::fmt;

/// An answer without values that are specific to an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Accepted(Value),
    Refused(Refusal),
}

/// An error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    /// Such as `ValidationException`.
    pub(crate) code: String,
    pub(crate) message: String,
    /// The other members.
    pub(crate) details: Value,
}

impl Outcome {
    pub(crate) fn of(operation: &str, response: &Response) -> Self {
        let body: Value = match serde_json::from_str(&response.body) {
            Ok(body) => body,
            Err(error) => json!({"not JSON": response.body, "because": error.to_string()}),
        };
        if response.status == 200 {
            return Self::Accepted(canonical_answer(operation, body));
        }
        let mut members = match body {
            Value::Object(members) => members,
            other => Map::from_iter([("body".to_owned(), other)]),
        };
        let code = members.remove("__type").unwrap_or_default();
        let code = code.as_str().unwrap_or_default();
        let message = members.remove("message").or_else(|| members.remove("Message"));
        Self::Refused(Refusal {
            status: response.status,
            code: code.rsplit('#').next().unwrap_or_default().to_owned(),
            message: neutral(&uncut(message.unwrap_or_default().as_str().unwrap_or_default())),
            details: canonical(Value::Object(members)),
        })
    }

    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Accepted(_) => None,
            Self::Refused(refusal) => Some(refusal),
        }
    }

    pub(crate) fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted(body) => write!(f, "ok {body}"),
            Self::Refused(refusal) => {
                write!(f, "{} {}: {}", refusal.status, refusal.code, refusal.message)?;
                match refusal.details.as_object() {
                    Some(details) if details.is_empty() => Ok(()),
                    _ => write!(f, " {}", refusal.details),
                }
            }
        }
    }
}

/// Lists without a meaningful order.
const UNORDERED: &[&str] = &[
    "SS",
    "NS",
    "BS",
    "AttributeDefinitions",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "NonKeyAttributes",
];

fn canonical_answer(operation: &str, body: Value) -> Value {
    let mut body = canonical(body);
    if matches!(
        operation,
        "BatchGetItem" | "BatchWriteItem" | "TransactGetItems" | "TransactWriteItems"
    ) {
        // The items and tables of a batch have no documented order.
        if let Some(Value::Array(tables)) = body.get_mut("ConsumedCapacity") {
            tables.sort_by_key(|table| table["TableName"].to_string());
        }
        for member in ["Responses", "ItemCollectionMetrics"] {
            if let Some(Value::Object(tables)) = body.get_mut(member) {
                tables.values_mut().for_each(|list| sort(Some(list)));
            }
        }
    }
    body
}

/// JSON without values that are specific to an endpoint: accounts, times, random ids, and the order
/// of unordered lists.
pub(crate) fn canonical(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().map(canonical).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let mut value = canonical_member(&name, value);
                if UNORDERED.contains(&name.as_str()) {
                    sort(Some(&mut value));
                }
                (name, value)
            });
            Value::Object(members.collect())
        }
        Value::String(text) => Value::String(neutral(&text)),
        scalar => scalar,
    }
}

fn canonical_member(name: &str, value: Value) -> Value {
    match (name, &value) {
        ("TableId", Value::String(_)) => json!("an identifier"),
        ("LatestStreamLabel", Value::String(_)) => json!("a label"),
        (_, Value::Number(time)) if name.ends_with("DateTime") => match time.as_f64() {
            Some(time) if time > 0.0 => json!("a time"),
            _ => json!("never"),
        },
        _ => canonical(value),
    }
}

fn sort(list: Option<&mut Value>) {
    if let Some(Value::Array(elements)) = list {
        elements.sort_by_cached_key(sort_key);
    }
}

/// The canonical form of a number.
pub(crate) fn number(text: &str) -> Option<String> {
    Some(text.parse::<Number>().ok()?.to_string())
}

/// Expands values that our endpoint shortens in messages and Local does not. Long texts in our
/// requests always repeat one letter.
fn uncut(message: &str) -> String {
    let mut parts = message.split("...(");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(" more bytes)").map(|(count, rest)| (count.parse::<usize>(), rest)) {
            Some((Ok(count), rest)) => {
                let letter = whole.chars().next_back().unwrap_or('x');
                whole.extend(std::iter::repeat_n(letter, count));
                whole.push_str(rest);
            }
            _ => {
                whole.push_str("...(");
                whole.push_str(part);
            }
        }
    }
    whole
}

/// Removes region, account and time from ARNs.
fn neutral(text: &str) -> String {
    const START: &str = "arn:aws:dynamodb:";
    let Some((before, after)) = text.split_once(START) else {
        return text.to_owned();
    };
    let mut parts = after.splitn(3, ':');
    let (Some(_), Some(_), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return text.to_owned();
    };
    let rest = match rest.split_once("/stream/") {
        Some((table, _)) => format!("{table}/stream/a label"),
        None => rest.to_owned(),
    };
    format!("{before}{START}region:account:{rest}")
}
