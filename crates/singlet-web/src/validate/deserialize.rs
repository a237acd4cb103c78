//! Deserializes JSON and reports where each error is.
//!
//! `serde_path_to_error` wraps every visitor of every type, which compiles derived code twice. This
//! deserializer records the path itself while an error propagates.
//!
//! Serde stops at the first error. To find the others, the value is read again without the rejected
//! fields: derived code reads all fields before it reports missing ones.

use super::{FIELD_ERRORS_MAX, check};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected,
    IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
    value::StrDeserializer,
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value, map};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::slice;

/// Maximum number of reads. Some only find that a parent requires a rejected field.
const READS_MAX: usize = 3 * FIELD_ERRORS_MAX;

/// The JSON pointer of a rejected field, and why.
pub(super) type Refusal = (String, String);

/// Reads a value, or returns all rejected fields. `faulty` has the pointers of fields rejected by
/// the schema; if it is not empty, reading fails.
pub(super) fn from_value<T: DeserializeOwned>(
    json: &Value,
    faulty: BTreeSet<String>,
) -> Result<T, Vec<Refusal>> {
    if faulty.is_empty()
        && let Ok(value) = read(json, &faulty)
    {
        return Ok(value);
    }
    Err(refusals(faulty, &|left_out| read::<T>(json, left_out).err()))
}

fn read<T: DeserializeOwned>(
    json: &Value,
    left_out: &BTreeSet<String>,
) -> Result<T, (String, Error)> {
    let pass = Pass { path: RefCell::default(), left_out };
    let root = PathDeserializer { value: json, at: String::new(), pass: &pass };
    T::deserialize(root).map_err(|error| (pass.pointer(), error))
}

/// Reads a value without some fields and returns the first error.
type ErrorWithout<'f> = &'f dyn Fn(&BTreeSet<String>) -> Option<(String, Error)>;

/// All rejected fields except those left out.
fn refusals(mut left_out: BTreeSet<String>, error: ErrorWithout<'_>) -> Vec<Refusal> {
    let mut found = Vec::new();
    for _ in 0..READS_MAX {
        let Some((pointer, error)) = error(&left_out) else { break };
        // A parent may be rejected because a field in it is left out.
        let is_parent = |field: &String| {
            field
                .strip_prefix(&pointer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if !left_out.iter().any(is_parent) {
            found.push((pointer.clone(), error.to_string()));
        }
        let mut pointer = pointer.as_str();
        // The content of a variant cannot be skipped, but its parent can.
        while !pointer.is_empty() && left_out.contains(pointer) {
            pointer = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        if pointer.is_empty() || found.len() >= FIELD_ERRORS_MAX {
            break;
        }
        left_out.insert(pointer.to_owned());
    }
    found
}

/// One read of a value.
struct Pass<'p> {
    /// The path to the rejected field, innermost first.
    path: RefCell<Vec<String>>,
    /// Pointers of skipped fields.
    left_out: &'p BTreeSet<String>,
}

impl Pass<'_> {
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in self.path.borrow().iter().rev() {
            check::step(&mut pointer, step);
        }
        pointer
    }

    fn note(&self, step: &str) {
        self.path.borrow_mut().push(step.to_owned());
    }

    /// The pointer of a member; empty while nothing is left out.
    fn below(&self, at: &str, step: &str) -> String {
        let mut pointer = String::new();
        if !self.left_out.is_empty() {
            pointer.push_str(at);
            check::step(&mut pointer, step);
        }
        pointer
    }

    fn leaves_out(&self, pointer: &str) -> bool {
        self.left_out.contains(pointer)
    }
}

/// Numbers have their own methods, so that a visitor's other arms are not compiled for them.
macro_rules! numbers {
    ($($method:ident)+) => {
        $(
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
                match self.value {
                    Value::Number(number) => number.deserialize_any(visitor),
                    other => Err(wrong_type(other, &visitor)),
                }
            }
        )+
    };
}

struct PathDeserializer<'v, 'p> {
    value: &'v Value,
    /// Its pointer, while fields are left out.
    at: String,
    pass: &'p Pass<'p>,
}

impl<'de> Deserializer<'de> for PathDeserializer<'_, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_str(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::String(text) => visitor.visit_str(text),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Value::Array(values) = self.value else {
            return Err(wrong_type(self.value, &visitor));
        };
        let count = values.len();
        let mut elements =
            Elements { values: values.iter(), index: 0, at: self.at, pass: self.pass };
        let value = visitor.visit_seq(&mut elements)?;
        match elements.values.len() {
            0 => Ok(value),
            _ => Err(Error::invalid_length(count, &"fewer elements in array")),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Object(members) => visitor.visit_map(Members::new(members, self.at, self.pass)),
            other => Err(wrong_type(other, &visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! { bytes byte_buf unit unit_struct }
}

struct Elements<'v, 'p> {
    values: slice::Iter<'v, Value>,
    index: usize,
    at: String,
    pass: &'p Pass<'p>,
}

impl<'de> SeqAccess<'de> for Elements<'_, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let pass = self.pass;
        for value in self.values.by_ref() {
            let index = self.index.to_string();
            self.index += 1;
            let at = pass.below(&self.at, &index);
            if pass.leaves_out(&at) {
                continue;
            }
            let element = seed.deserialize(PathDeserializer { value, at, pass });
            return element.map(Some).inspect_err(|_| pass.note(&index));
        }
        Ok(None)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

struct Members<'v, 'p> {
    members: map::Iter<'v>,
    /// The member whose key was read last, and its pointer.
    open: Option<(&'v str, &'v Value, String)>,
    at: String,
    pass: &'p Pass<'p>,
}

impl<'v, 'p> Members<'v, 'p> {
    fn new(members: &'v Map<String, Value>, at: String, pass: &'p Pass<'p>) -> Self {
        Self { members: members.iter(), open: None, at, pass }
    }
}

impl<'de> MapAccess<'de> for Members<'_, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let pass = self.pass;
        for (key, value) in self.members.by_ref() {
            let at = pass.below(&self.at, key);
            if pass.leaves_out(&at) {
                continue;
            }
            self.open = Some((key, value, at));
            let name = Value::String(key.clone());
            let read = PathDeserializer { value: &name, at: String::new(), pass };
            return seed.deserialize(read).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some((key, value, at)) = self.open.take() else {
            return Err(Error::custom("a value was read before its key"));
        };
        let member = seed.deserialize(PathDeserializer { value, at, pass: self.pass });
        member.inspect_err(|_| self.pass.note(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

/// The content of a unit variant.
static NO_CONTENT: Value = Value::Null;

/// `"Variant"`, or `{"Variant": content}`.
impl<'de, 'v, 'p> EnumAccess<'de> for PathDeserializer<'v, 'p> {
    type Error = Error;
    type Variant = Variant<'v, 'p>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Variant<'v, 'p>), Error> {
        let Self { value, at, pass } = self;
        let (name, content) = match value {
            Value::String(name) => Some((name, &NO_CONTENT)),
            Value::Object(members) if members.len() == 1 => members.iter().next(),
            _ => None,
        }
        .ok_or_else(|| Error::invalid_type(unexpected(value), &"a variant"))?;
        let variant: StrDeserializer<'_, Error> = name.as_str().into_deserializer();
        let variant = seed.deserialize(variant)?;
        let content = PathDeserializer { value: content, at: pass.below(&at, name), pass };
        Ok((variant, Variant { name, content }))
    }
}

/// A variant whose name was read.
struct Variant<'v, 'p> {
    name: &'v str,
    content: PathDeserializer<'v, 'p>,
}

impl<'v, 'p> Variant<'v, 'p> {
    /// Reads the content and records its path on failure.
    fn read<T>(
        self,
        read: impl FnOnce(PathDeserializer<'v, 'p>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let pass = self.content.pass;
        read(self.content).inspect_err(|_| pass.note(self.name))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.content.value {
            Value::Null => Ok(()),
            other => Err(Error::invalid_type(unexpected(other), &"a variant without content")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.read(|content| seed.deserialize(content))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.read(|content| content.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.read(|content| content.deserialize_map(visitor))
    }
}

#[inline(never)]
fn wrong_type(value: &Value, expected: &dyn Expected) -> Error {
    Error::invalid_type(unexpected(value), expected)
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(_) => Unexpected::Other("number"),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use serde::Deserialize;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Order {
        lines: Vec<Line>,
        #[serde(default)]
        note: Option<String>,
        #[serde(default)]
        state: State,
        #[serde(default)]
        tags: BTreeMap<String, u8>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Line {
        count: Even,
        at: (u8, u8),
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    enum State {
        #[default]
        Open,
        Sent {
            day: Even,
        },
        Paid(Even),
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(try_from = "i32")]
    struct Even(i32);

    impl TryFrom<i32> for Even {
        type Error = &'static str;

        fn try_from(number: i32) -> Result<Self, Self::Error> {
            if number % 2 == 0 { Ok(Self(number)) } else { Err("must be even") }
        }
    }

    /// All rejected fields, given these faulty ones.
    fn all_refused(json: &Value, faulty: &[&str]) -> Vec<Refusal> {
        let faulty = faulty.iter().map(|field| (*field).to_owned()).collect();
        from_value::<Order>(json, faulty).unwrap_err()
    }

    fn refused(json: Value) -> Refusal {
        all_refused(&json, &[]).remove(0)
    }

    /// Regression: only the first field rejected by a type's own rule was reported.
    #[test]
    fn everything_that_is_refused_is_found() {
        let line = |count: i32| json!({"count": count, "at": [1, 2]});
        let json = json!({
            "lines": [line(1), line(2), line(3), {"count": 4, "at": [1, 256]}],
            "state": {"Sent": {"day": 5}},
            "note": 7,
            "tags": {"a/b": -1, "c": 2},
        });
        let pointers = |refused: Vec<Refusal>| -> Vec<String> {
            refused.into_iter().map(|(pointer, _)| pointer).collect()
        };
        let mut all = pointers(all_refused(&json, &[]));
        all.sort();
        let expected = [
            "/lines/0/count",
            "/lines/2/count",
            "/lines/3/at/1",
            "/note",
            "/state/Sent/day",
            "/tags/a~1b",
        ];
        assert_eq!(all, expected);
        let mut others = pointers(all_refused(&json, &["/note", "/lines/2/count"]));
        others.sort();
        let expected = ["/lines/0/count", "/lines/3/at/1", "/state/Sent/day", "/tags/a~1b"];
        assert_eq!(others, expected);
        // The root is faulty.
        assert_eq!(all_refused(&json!([]), &[""]), []);
        // A value that can be read without a faulty field is still an error.
        assert_eq!(all_refused(&json!({"lines": [], "note": 7}), &["/note"]), []);
        let many: Vec<Value> = (0..1000).map(|_| line(1)).collect();
        assert_eq!(all_refused(&json!({"lines": many}), &[]).len(), FIELD_ERRORS_MAX);
    }

    #[test]
    fn what_serde_json_reads_is_read_alike() {
        let texts = [
            json!({"lines": []}),
            json!({"lines": [{"count": 2, "at": [1, 2]}], "note": null, "state": "Open"}),
            json!({"lines": [], "note": "now", "state": {"Sent": {"day": 4}}, "tags": {"a/b": 1}}),
            json!({"lines": [], "state": {"Paid": 6}, "unknown": [1, {"a": 2}]}),
        ];
        for json in texts {
            let ours = from_value::<Order>(&json, BTreeSet::new()).unwrap();
            assert_eq!(ours, serde_json::from_value::<Order>(json).unwrap());
        }
    }

    #[test]
    fn an_error_has_its_place() {
        let line = |count: i32| json!({"count": count, "at": [1, 2]});
        let odd = refused(json!({"lines": [line(2), line(3)]}));
        assert_eq!(odd, ("/lines/1/count".to_owned(), "must be even".to_owned()));
        let nested = refused(json!({"lines": [], "state": {"Sent": {"day": 1}}}));
        assert_eq!(nested, ("/state/Sent/day".to_owned(), "must be even".to_owned()));
        assert_eq!(refused(json!({"lines": [], "state": {"Paid": 1}})).0, "/state/Paid");
        assert_eq!(refused(json!({"lines": [], "tags": {"a/b": -1}})).0, "/tags/a~1b");
        assert_eq!(refused(json!({})).0, "");
    }

    #[test]
    fn what_serde_json_refuses_is_refused() {
        let texts = [
            json!([]),
            json!({"lines": {}}),
            json!({"lines": [{"count": 2, "at": [1, 2, 3]}]}),
            json!({"lines": [{"count": 2, "at": [1]}]}),
            json!({"lines": [], "state": "Lost"}),
            json!({"lines": [], "state": {"Open": 1}}),
            json!({"lines": [], "state": {"Open": null, "Paid": 2}}),
            json!({"lines": [], "state": 1}),
        ];
        for json in texts {
            assert!(serde_json::from_value::<Order>(json.clone()).is_err(), "{json}");
            refused(json);
        }
    }
}
