//! Reading JSON whose types vary.

use serde_json::Value;
use singlet::Timestamp;

/// No count in cricket is greater, so sums of them cannot overflow.
const COUNT_MAX: i64 = 100_000;
const TEXT_CHARS_MAX: usize = 300;

/// A text. A number becomes one; an empty text is absent.
pub(crate) fn text(value: &Value, name: &str) -> Option<String> {
    match value.get(name)? {
        Value::String(text) => {
            let text: String = text.trim().chars().take(TEXT_CHARS_MAX).collect();
            (!text.is_empty()).then_some(text)
        }
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A count: a number, or a text of one. Booleans count 0 and 1. Below zero is zero.
pub(crate) fn number(value: &Value, name: &str) -> Option<u32> {
    let number = match value.get(name)? {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|n| n as i64))?,
        Value::String(text) => text.trim().parse::<f64>().ok()? as i64,
        Value::Bool(flag) => i64::from(*flag),
        _ => return None,
    };
    u32::try_from(number.clamp(0, COUNT_MAX)).ok()
}

/// A boolean: `true`, a number other than 0, or a text of one of these.
pub(crate) fn boolean(value: &Value, name: &str) -> bool {
    match value.get(name) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::String(text)) => matches!(text.trim(), "1" | "true" | "True"),
        _ => false,
    }
}

/// Overs and balls, rounded to one decimal: 12.299999999999999 is `12.3`, 20.0 is `20`.
pub(crate) fn decimal(value: &Value, name: &str) -> Option<String> {
    let number = match value.get(name)? {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    if !(0.0..100_000.0).contains(&number) {
        return None;
    }
    let rounded = format!("{number:.1}");
    Some(rounded.strip_suffix(".0").unwrap_or(&rounded).to_owned())
}

/// An object, also within `data`.
pub(crate) fn object<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let found = value.get(name)?;
    let found = found.get("data").filter(|data| data.is_object()).unwrap_or(found);
    found.is_object().then_some(found)
}

/// The members of a list: `[]`, `{"data": []}`, or an object with index keys.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    value.get(name).map(members).unwrap_or_default()
}

pub(crate) fn members(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(members) => members.iter().collect(),
        Value::Object(fields) => match fields.get("data") {
            Some(data @ (Value::Array(_) | Value::Object(_))) => members(data),
            _ => {
                let mut found: Vec<(u64, &Value)> = fields
                    .iter()
                    .filter_map(|(index, member)| Some((index.parse().ok()?, member)))
                    .collect();
                found.sort_by_key(|(index, _)| *index);
                found.into_iter().map(|(_, member)| member).collect()
            }
        },
        _ => Vec::new(),
    }
}

/// A time in milliseconds since 1970.
pub(crate) fn time(value: &Value, name: &str) -> Option<i64> {
    match value.get(name)? {
        Value::String(text) => parse_time(text),
        // What we wrote ourselves.
        Value::Number(millis) => millis.as_i64(),
        _ => None,
    }
}

/// `2026-11-15T14:30:00.000000Z`, `2026-11-15 14:30:00`, in UTC.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches('Z').trim_end_matches("+00:00").replace(' ', "T");
    let (moment, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction: String = fraction.chars().take(3).collect();
    let moment: Timestamp = format!("{moment}.{fraction:0<3}Z").parse().ok()?;
    Some(moment.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_several_forms() {
        for text in [
            "2026-11-15T14:30:00.000000Z",
            "2026-11-15 14:30:00",
            "2026-11-15T14:30:00Z",
            "2026-11-15T14:30:00.000Z",
        ] {
            assert_eq!(parse_time(text), Some(1_794_753_000_000), "{text}");
        }
        assert_eq!(parse_time("2024-02-29 00:00:00.5"), Some(1_709_164_800_500));
        for text in ["", "soon", "2026-13-01 00:00:00", "2026-11-15"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
