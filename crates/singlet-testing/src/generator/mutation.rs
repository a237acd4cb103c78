//! One mistake in the JSON of a valid request.

use crate::random::Random;
use serde_json::{Map, Value, json};

/// Stands for a duplicate member name until the JSON is text.
const TWICE: &str = "\u{1}twice";

/// The request as text, with one mistake.
pub(super) fn mutate(request: Value, random: &mut Random) -> String {
    if random.below(40) == 0 {
        return broken_text(&request.to_string(), random);
    }
    let mut request = request;
    let mut places = Vec::new();
    list(&request, String::new(), &mut places);
    let Some(place) = random.one_of(&places).cloned() else {
        return request.to_string();
    };
    let (parent, last) = place.rsplit_once('/').unwrap_or(("", &place));
    match request.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            return in_object(members, &unescaped(last), random).finish(&request);
        }
        Some(Value::Array(elements)) => {
            let at = last.parse().unwrap_or(0);
            in_array(elements, at, random);
        }
        _ => {}
    }
    request.to_string()
}

/// Work left until the tree is text.
enum Rest {
    Nothing,
    /// Gives the duplicate member its name.
    Rename(String),
}

impl Rest {
    fn finish(self, request: &Value) -> String {
        let text = request.to_string();
        match self {
            Self::Nothing => text,
            Self::Rename(name) => {
                let mark = Value::from(TWICE).to_string();
                text.replace(&mark, &Value::from(name).to_string())
            }
        }
    }
}

fn in_object(members: &mut Map<String, Value>, name: &str, random: &mut Random) -> Rest {
    let Some(value) = members.get(name).cloned() else {
        return Rest::Nothing;
    };
    match random.below(12) {
        0..3 => {
            members.remove(name);
        }
        3 => {
            // Members are written in name order, so this one comes first.
            members.insert(TWICE.to_owned(), other(&value, random));
            return Rest::Rename(name.to_owned());
        }
        4 => {
            members.remove(name);
            let misnamed = match random.below(4) {
                0 => name.to_lowercase(),
                1 => name.to_uppercase(),
                2 => format!("{name}x"),
                _ => String::new(),
            };
            members.insert(misnamed, value);
        }
        5 => {
            let unknown = random.one_of(&["Unknown", "unknown", "", "TableNames", "Key"]);
            members.insert((*unknown.unwrap_or(&"Unknown")).to_owned(), json!("x"));
        }
        _ => {
            members.insert(name.to_owned(), other(&value, random));
        }
    }
    Rest::Nothing
}

fn in_array(elements: &mut Vec<Value>, at: usize, random: &mut Random) {
    let Some(value) = elements.get(at).cloned() else {
        return;
    };
    match random.below(5) {
        0 => {
            elements.remove(at);
        }
        1 => elements.insert(at, value),
        2 => elements.clear(),
        _ => elements[at] = other(&value, random),
    }
}

/// A replacement value: of another type, or out of bounds.
fn other(value: &Value, random: &mut Random) -> Value {
    let strange = [
        json!(null),
        json!("x"),
        json!(1),
        json!(true),
        json!([]),
        json!({}),
        json!(1.5),
        json!(-1),
        json!(""),
    ];
    if random.percent(50) {
        return random.one_of(&strange).cloned().unwrap_or_default();
    }
    match value {
        Value::String(text) => match random.below(7) {
            0 => json!(""),
            1 => json!(format!("{text}x")),
            2 => json!(text.to_lowercase()),
            3 => json!("x".repeat(300)),
            4 => json!("x".repeat(70_000)),
            5 => json!([text]),
            _ => json!("INVALID"),
        },
        Value::Number(number) => match random.below(6) {
            0 => json!(0),
            1 => json!(-5),
            2 => json!(1_000_000_000_000_i64),
            3 => json!(number.to_string()),
            4 => json!(2.7),
            _ => json!([number]),
        },
        Value::Bool(is) => match random.below(4) {
            0 => json!(is.to_string()),
            1 => json!(u8::from(*is)),
            2 => json!("yes"),
            _ => json!([is]),
        },
        Value::Array(elements) => match random.below(4) {
            0 => json!([]),
            1 => elements.first().cloned().unwrap_or_default(),
            2 => json!(elements.iter().cycle().take(elements.len() * 40).collect::<Vec<_>>()),
            _ => json!({"a": elements}),
        },
        Value::Object(members) => match random.below(3) {
            0 => json!({}),
            1 => json!([members]),
            _ => members.values().next().cloned().unwrap_or_default(),
        },
        Value::Null => json!("x"),
    }
}

/// Invalid or truncated JSON.
fn broken_text(text: &str, random: &mut Random) -> String {
    match random.below(8) {
        0 => String::new(),
        1 => format!("{text}x"),
        2 => format!("[{text}]"),
        3 => text.replacen(':', ",", 1),
        4 => text.replacen('"', "'", 2),
        5 => text.replacen('}', ",}", 1),
        6 => "null".to_owned(),
        _ => {
            let end = (0..=random.below(text.len())).rev().find(|&end| text.is_char_boundary(end));
            text[..end.unwrap_or(0)].to_owned()
        }
    }
}

/// The JSON pointers of all members and elements.
fn list(value: &Value, place: String, places: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value))
            .collect(),
        Value::Array(elements) => {
            elements.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (name, child) in children {
        let place = format!("{place}/{name}");
        places.push(place.clone());
        list(child, place, places);
    }
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}
