//! Cleans up schemas derived from Rust types for the document.

use crate::validate::integer_bounds;
use serde_json::{Map, Value, json};

/// The largest integer that JavaScript represents exactly.
const SAFE_INTEGER_MAX: i128 = (1 << 53) - 1;

/// Keywords whose values are not schemas.
const VALUES: &[&str] = &["default", "examples", "example", "enum", "const"];

/// Cleans descriptions and adds the bounds of integer types.
pub(super) fn finish(value: &mut Value) {
    match value {
        Value::Object(map) => {
            add_bounds(map);
            for (name, value) in map {
                match value {
                    Value::String(text) if name == "description" => *text = readable(text),
                    _ if VALUES.contains(&name.as_str()) => {}
                    _ => finish(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(finish),
        _ => {}
    }
}

fn add_bounds(schema: &mut Map<String, Value>) {
    let format = schema.get("format").and_then(Value::as_str);
    let Some((min, max)) = format.and_then(integer_bounds) else { return };
    if max <= SAFE_INTEGER_MAX {
        schema.entry("minimum").or_insert_with(|| json!(min as i64));
        schema.entry("maximum").or_insert_with(|| json!(max as i64));
    }
}

/// The part of a doc comment before the first example or heading, without intra-doc links.
fn readable(text: &str) -> String {
    let is_prose = |line: &&str| !line.starts_with("```") && !line.starts_with("# ");
    let lines: Vec<&str> = text.lines().take_while(is_prose).collect();
    let mut rest = lines.join("\n");
    rest.truncate(rest.trim_end().len());
    let mut cleaned = String::with_capacity(rest.len());
    let mut rest = rest.as_str();
    while let Some((before, behind)) = rest.split_once('[') {
        cleaned.push_str(before);
        let Some((inner, after)) = behind.split_once(']') else {
            cleaned.push('[');
            rest = behind;
            break;
        };
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        match target {
            Some((target, after)) if !target.contains("://") => {
                cleaned.push_str(inner);
                rest = after;
            }
            None if inner.starts_with('`') => {
                cleaned.push_str(inner);
                rest = after;
            }
            _ => {
                cleaned.push('[');
                rest = behind;
            }
        }
    }
    cleaned.push_str(rest);
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_rust_is_left_out() {
        for (text, expected) in [
            ("A game.", "A game."),
            ("A game.\n\nOf two.\n\n```\nlet x = 1;\n```\n\nMore.", "A game.\n\nOf two."),
            ("A game.\n\n# Errors\n\nNone.", "A game."),
            ("See [`Game`], [the rules](crate::rules).", "See `Game`, the rules."),
            (
                "See [`Game`](crate::Game) [1] [a](https://b.c) [d",
                "See `Game` [1] [a](https://b.c) [d",
            ),
            ("#1 of all", "#1 of all"),
            ("```\nlet x = 1;\n```", ""),
        ] {
            assert_eq!(readable(text), expected);
        }
    }
}
