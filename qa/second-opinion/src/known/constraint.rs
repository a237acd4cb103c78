//! Constraints on single members. The service reports them first and together; Local knows few of
//! them.
//!
//! Our message is verified: the named member must really violate the constraint.

use crate::difference::{Difference, Exchange};
use serde_json::Value;

pub(super) fn violated_constraints(exchange: &Exchange, difference: &Difference) -> bool {
    let Some(ours) = exchange.ours.refusal() else {
        return false;
    };
    *difference == Difference::Verdict
        && ours.code == "ValidationException"
        && claims(&ours.message)
            .is_some_and(|claims| claims.iter().all(|claim| claim.holds(&exchange.request)))
}

/// A claim that a member violates a constraint.
#[derive(Debug, PartialEq)]
struct Claim<'a> {
    /// The member's value as shown, if any.
    shown: Option<&'a str>,
    path: &'a str,
    constraint: &'a str,
}

/// The claims of a message; `None` if it is not about constraints.
fn claims(message: &str) -> Option<Vec<Claim<'_>>> {
    let (count, list) = message.split_once(" detected: ")?;
    let count: usize =
        count.strip_suffix("s").unwrap_or(count).strip_suffix(" validation error")?.parse().ok()?;
    let mut claims = Vec::new();
    let mut rest = list;
    loop {
        // A shown value may contain semicolons, so the list cannot be split at them.
        let end = rest.find("; Value ").filter(|_| claims.len() + 1 < count);
        let (one, others) = match end {
            Some(end) => (rest.get(..end)?, rest.get(end + 2..)?),
            None => (rest, ""),
        };
        let (shown, constraint) =
            one.strip_prefix("Value ")?.split_once(" failed to satisfy constraint: ")?;
        let (shown, path) = match shown.strip_prefix("at ") {
            Some(path) => (None, path),
            None => {
                let (shown, path) = shown.rsplit_once(" at ")?;
                (Some(shown), path)
            }
        };
        claims.push(Claim { shown, path: path.trim_matches('\''), constraint });
        if others.is_empty() {
            return (claims.len() == count).then_some(claims);
        }
        rest = others;
    }
}

impl Claim<'_> {
    /// Whether the request has such a member.
    fn holds(&self, request: &Value) -> bool {
        let parts: Vec<&str> = self.path.split('.').collect();
        let found = resolve(request, &parts);
        let is_shown = match (self.shown, found) {
            (None, _) => true,
            (Some("null"), None | Some(Value::Null)) => true,
            // Structures are shown in Java syntax.
            (Some(_), Some(Value::Array(elements))) if elements.iter().any(Value::is_object) => {
                true
            }
            (Some(shown), Some(value)) => shown.trim_matches('\'') == plain(value),
            _ => false,
        };
        is_shown && is_violated(self.constraint, found.unwrap_or(&Value::Null))
    }
}

/// The member at a path, which may be in lower case and counts from one.
fn resolve<'a>(value: &'a Value, parts: &[&str]) -> Option<&'a Value> {
    let Some((first, rest)) = parts.split_first() else {
        return Some(value);
    };
    if *first == "member" {
        return resolve(value, rest);
    }
    if let (Value::Array(elements), Ok(number)) = (value, first.parse::<usize>()) {
        return resolve(elements.get(number.checked_sub(1)?)?, rest);
    }
    // Attribute names may contain dots.
    (1..=parts.len()).find_map(|len| {
        let (name, rest) = (parts[..len].join("."), &parts[len..]);
        // A map key is followed by this word and keeps its case. Members are capitalised.
        let is_key = rest.first() == Some(&"member");
        let member = match is_key {
            true => value.get(&name),
            false => value.get(name.get(..1)?.to_uppercase() + name.get(1..)?),
        };
        resolve(member?, rest)
    })
}

/// The value as shown in messages.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        // Most integers have 32 bits; larger values are clamped.
        Value::Number(number) => {
            number.as_i64().unwrap_or_default().min(i64::from(i32::MAX)).to_string()
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(plain).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn is_violated(constraint: &str, value: &Value) -> bool {
    let bound = || constraint.rsplit(' ').next()?.parse::<f64>().ok();
    let length = match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(elements) => Some(elements.len()),
        Value::Object(members) => Some(members.len()),
        _ => None,
    }
    .map(|length| length as f64);
    if constraint == "Member must not be null" {
        return value.is_null();
    }
    if let Some(rest) = constraint.strip_prefix("Member must have length ") {
        return match rest.starts_with("greater") {
            true => length < bound(),
            false => length > bound(),
        };
    }
    if let Some(rest) = constraint.strip_prefix("Member must have value ") {
        return match rest.starts_with("greater") {
            true => value.as_f64() < bound(),
            false => value.as_f64() > bound(),
        };
    }
    if let Some(set) = constraint.strip_prefix("Member must satisfy enum value set: [") {
        let Value::String(text) = value else {
            return false;
        };
        return !set.trim_end_matches(']').split(", ").any(|choice| choice == text);
    }
    if constraint == "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+" {
        return value
            .as_str()
            .is_some_and(|text| text.is_empty() || !text.chars().all(is_name_character));
    }
    constraint.starts_with("Map keys must satisfy constraint: ")
        && value.as_object().is_some_and(|members| {
            members.keys().any(|name| {
                !(3..=255).contains(&name.len()) || !name.chars().all(is_name_character)
            })
        })
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hold(message: &str, request: Value) -> bool {
        claims(message).is_some_and(|claims| claims.iter().all(|claim| claim.holds(&request)))
    }

    #[test]
    fn a_claim_that_is_true_holds_and_one_that_is_not_does_not() {
        let message = "2 validation errors detected: Value 'a;' at 'tableName' failed to satisfy constraint: \
            Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value '-1' at 'limit' failed to \
            satisfy constraint: Member must have value greater than or equal to 1";
        assert!(hold(message, json!({"TableName": "a;", "Limit": -1})));
        assert!(!hold(message, json!({"TableName": "a;", "Limit": 1})));
        assert!(!hold(message, json!({"TableName": "abc", "Limit": -1})));
    }

    #[test]
    fn paths_lead_through_lists_and_maps() {
        let message = "1 validation error detected: Value null at \
            'requestItems.a.b.member.2.member.putRequest.item' failed to satisfy constraint: \
            Member must not be null";
        assert!(hold(message, json!({"RequestItems": {"a.b": [{}, {"PutRequest": {}}]}})));
        let item = json!({"RequestItems": {"a.b": [{}, {"PutRequest": {"Item": {}}}]}});
        assert!(!hold(message, item));
    }
}
