//! Differences between two answers.

use crate::outcome::Outcome;
use serde_json::Value;
use std::fmt;

/// A request and both answers.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub(crate) operation: String,
    /// The body as sent.
    pub(crate) body: String,
    /// The body as JSON; null if it is invalid.
    pub(crate) request: Value,
    pub(crate) ours: Outcome,
    pub(crate) local: Outcome,
}

/// One difference between two answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Difference {
    /// Only one accepted the request, or the errors differ.
    Verdict,
    /// The answers differ in this member, which may be missing on one side.
    Member { path: String, ours: Option<Value>, local: Option<Value> },
}

impl Exchange {
    pub(crate) fn differences(&self) -> Vec<Difference> {
        let mut found = Vec::new();
        match (&self.ours, &self.local) {
            (Outcome::Accepted(ours), Outcome::Accepted(local)) => {
                compare(String::new(), Some(ours), Some(local), &mut found);
            }
            (Outcome::Refused(ours), Outcome::Refused(local)) => {
                if (ours.status, &ours.code, &ours.message)
                    != (local.status, &local.code, &local.message)
                {
                    return vec![Difference::Verdict];
                }
                compare(String::new(), Some(&ours.details), Some(&local.details), &mut found);
            }
            _ => found.push(Difference::Verdict),
        }
        found
    }

    /// Whether only one of them may have changed its data.
    pub(crate) fn has_parted(&self) -> bool {
        self.ours.is_accepted() != self.local.is_accepted() && !is_read(&self.operation)
    }
}

impl Exchange {
    /// Whether the request is about items rather than tables.
    pub(crate) fn is_about_items(&self) -> bool {
        let operation = self.operation.as_str();
        is_read(operation) || operation.contains("Item")
    }
}

fn is_read(operation: &str) -> bool {
    matches!(operation, "GetItem" | "Query" | "Scan" | "BatchGetItem" | "TransactGetItems")
        || operation.starts_with("List")
        || operation.starts_with("Describe")
}

fn compare(path: String, ours: Option<&Value>, local: Option<&Value>, found: &mut Vec<Difference>) {
    match (ours, local) {
        (Some(Value::Object(own)), Some(Value::Object(other))) => {
            for (name, value) in own {
                compare(format!("{path}/{name}"), Some(value), other.get(name), found);
            }
            for (name, value) in other.iter().filter(|(name, _)| !own.contains_key(*name)) {
                compare(format!("{path}/{name}"), None, Some(value), found);
            }
        }
        (Some(Value::Array(own)), Some(Value::Array(other))) if own.len() == other.len() => {
            for (at, (own, other)) in own.iter().zip(other).enumerate() {
                compare(format!("{path}/{at}"), Some(own), Some(other), found);
            }
        }
        (Some(Value::Number(own)), Some(Value::Number(other)))
            if own.as_f64() == other.as_f64() => {}
        _ if ours == local => {}
        _ => found.push(Difference::Member { path, ours: ours.cloned(), local: local.cloned() }),
    }
}

impl Difference {
    /// The kind of difference. Differences with the same cause likely share it.
    pub(crate) fn kind(&self, exchange: &Exchange) -> String {
        match self {
            Self::Verdict => {
                let outline = |outcome: &Outcome| match outcome {
                    Outcome::Accepted(_) => "ok".to_owned(),
                    Outcome::Refused(refusal) => {
                        format!("{}: {}", refusal.code, outline(&refusal.message))
                    }
                };
                format!(
                    "\n  ours  {}\n  Local {}",
                    outline(&exchange.ours),
                    outline(&exchange.local)
                )
            }
            Self::Member { path, ours, local } => {
                let told = |value: &Option<Value>| value.as_ref().map_or("missing", |_| "there");
                let parts: Vec<&str> = path
                    .split('/')
                    .map(|part| {
                        if part.parse::<usize>().is_ok() || part.contains('#') { "#" } else { part }
                    })
                    .take(7)
                    .collect();
                format!(
                    "{} {} (ours {}, Local {})",
                    exchange.operation,
                    parts.join("/"),
                    told(ours),
                    told(local)
                )
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verdict => f.write_str("the verdict"),
            Self::Member { path, ours, local } => {
                let told =
                    |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_string);
                write!(f, "{path}: ours {}, Local {}", told(ours), told(local))
            }
        }
    }
}

/// A message without the parts that depend on the request.
fn outline(message: &str) -> String {
    let mut outline = String::new();
    let mut quote = None;
    for c in message.chars() {
        match (quote, c) {
            (None, '\'' | '[' | '{') => {
                quote = Some(match c {
                    '[' => ']',
                    '{' => '}',
                    c => c,
                });
                outline.push(c);
            }
            (Some(end), c) if c == end => {
                quote = None;
                outline.push(c);
            }
            (Some(_), _) => {}
            (None, '0'..='9') => outline.push('0'),
            (None, c) => outline.push(c),
        }
    }
    outline.chars().take(160).collect()
}
