//! Enums whose variants hold something: how a stored value says which variant it is.
//!
//! `#[derive(Attribute)]` is made with these functions.

use super::{Attribute, Mismatch, NotStorable, text};
use singlet_dynamo::binary::{self, ItemRef, ValueRef};
use singlet_dynamo::{Map, Value};

/// The name of the variant, from a map that holds it as a member.
pub fn variant<'a>(
    value: Option<ValueRef<'a>>,
    tag: &str,
    expected: &'static str,
) -> Result<&'a str, Mismatch> {
    match value {
        Some(ValueRef::M(map)) => {
            text(map.get(tag), expected).map_err(|mismatch| mismatch.within(tag))
        }
        other => Err(Mismatch::of("M", other)),
    }
}

/// No variant has this name.
#[must_use]
pub fn unknown(found: &str, tag: Option<&str>, expected: &'static str) -> Mismatch {
    let mismatch = Mismatch::new(expected, format!("`{found}`"));
    match tag {
        Some(tag) => mismatch.within(tag),
        None => mismatch,
    }
}

/// Members with the tag beside them.
#[must_use]
pub fn internally(tag: &str, variant: &str, mut members: Vec<(String, Value)>) -> Value {
    members.push((tag.to_owned(), Value::from(variant)));
    Value::M(Map::from_entries(members))
}

/// A value that is a map, with the tag among its members.
pub fn write_inside<T: Attribute>(
    tag: &str,
    variant: &str,
    content: &T,
) -> Result<Value, NotStorable> {
    match content.to_value()? {
        Some(Value::M(mut map)) => match map.insert(tag, Value::from(variant)) {
            None => Ok(Value::M(map)),
            Some(_) => Err(NotStorable::new(format!(
                "the variant `{variant}` holds a member `{tag}`, and so is its tag called"
            ))),
        },
        _ => Err(NotStorable::new(format!(
            "the variant `{variant}` is stored with its tag `{tag}` inside, and must be a map"
        ))),
    }
}

/// Reads a value that is a map, with the tag among its members.
pub fn read_inside<T: Attribute>(value: Option<ValueRef<'_>>, tag: &str) -> Result<T, Mismatch> {
    match value {
        // To a map of any names the tag would be an entry.
        Some(ValueRef::M(map)) if T::MEMBERS.is_empty() => {
            let mut own = map.to_item();
            own.remove(tag);
            let bytes = binary::encode(&own);
            T::from_value(Some(ValueRef::M(ItemRef::trusted(&bytes))))
        }
        _ => T::from_value(value),
    }
}

/// The tag and, under a name of its own, the content.
#[must_use]
pub fn adjacently(tag: &str, variant: &str, content: Option<(&str, Value)>) -> Value {
    let mut members = vec![(tag.to_owned(), Value::from(variant))];
    members.extend(content.map(|(name, value)| (name.to_owned(), value)));
    Value::M(Map::from_entries(members))
}

/// The content that is stored beside a tag.
#[must_use]
pub fn content<'a>(value: Option<ValueRef<'a>>, name: &str) -> Option<ValueRef<'a>> {
    match value {
        Some(ValueRef::M(map)) => map.get(name),
        _ => None,
    }
}

/// The content, under the name of the variant.
#[must_use]
pub fn externally(variant: &str, content: Option<Value>) -> Value {
    Value::M(Map::from([(variant, content.unwrap_or(Value::Null))]))
}

/// The name of the variant and its content: text is a variant without one.
pub fn split<'a>(
    value: Option<ValueRef<'a>>,
    expected: &'static str,
) -> Result<(&'a str, Option<ValueRef<'a>>), Mismatch> {
    match value {
        Some(ValueRef::S(name)) => Ok((name, None)),
        Some(ValueRef::M(map)) => {
            let mut entries = map.iter();
            match (entries.next(), entries.next()) {
                (Some((name, content)), None) => Ok((name, Some(content))),
                _ => Err(Mismatch::new(
                    format!("a map with one member, {expected}"),
                    format!("{} members", map.len()),
                )),
            }
        }
        other => Err(Mismatch::of(expected, other)),
    }
}
