//! Keys: extracted from items, checked against a schema, and encoded so that bytes sort as in
//! DynamoDB.

use crate::binary::{ItemRef, ValueRef};
use crate::error::{Error, Result};
use crate::json::value::KEY_MISMATCH;
use crate::limits::{PARTITION_KEY_SIZE_MAX, SORT_KEY_SIZE_MAX};
use crate::schema::{
    Index, KEY_ATTRIBUTES_MAX, KeyAttribute, KeyRole, KeySchema, KeyType, TableSchema,
};
use crate::{Map, Number, Type, Value};

/// The key of an item or index row: values of type S, N or B that match the schema, encoded so that
/// the bytes sort like the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    bytes: Vec<u8>,
    partition_len: usize,
}

impl Key {
    /// The whole key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The values of the partition attributes.
    #[must_use]
    pub fn partition_bytes(&self) -> &[u8] {
        self.bytes.get(..self.partition_len).unwrap_or_default()
    }

    /// The values of the sort attributes.
    #[must_use]
    pub fn sort_bytes(&self) -> &[u8] {
        self.bytes.get(self.partition_len..).unwrap_or_default()
    }
}

/// The key of a stored item in an index.
pub struct StoredKey<'i> {
    values: [ValueRef<'i>; KEY_ATTRIBUTES_MAX],
    len: usize,
    partition_len: usize,
}

impl<'i> StoredKey<'i> {
    /// The values of the partition attributes.
    #[must_use]
    pub fn partition(&self) -> &[ValueRef<'i>] {
        self.values.get(..self.partition_len).unwrap_or_default()
    }

    /// The values of the sort attributes.
    #[must_use]
    pub fn sort(&self) -> &[ValueRef<'i>] {
        self.values.get(self.partition_len..self.len).unwrap_or_default()
    }
}

impl KeyRole {
    /// The maximum total size of the values of all attributes with this role.
    fn size_max(self) -> usize {
        match self {
            Self::Hash => PARTITION_KEY_SIZE_MAX,
            Self::Range => SORT_KEY_SIZE_MAX,
        }
    }
}

impl KeySchema {
    /// The key in a request's `Key`: exactly the key attributes.
    pub fn key_of_request(&self, key: &Map) -> Result<Key> {
        if key.len() != self.attribute_count() {
            return Err(mismatch());
        }
        self.key_within(key)
    }

    /// The key in a start key, which may have other attributes.
    pub fn key_within(&self, attributes: &Map) -> Result<Key> {
        self.key(|attribute, role| {
            let value = attributes.get(&attribute.name).ok_or_else(mismatch)?;
            if value.kind() != attribute.kind.into() {
                return Err(mismatch());
            }
            check_content(attribute, role, value).map_err(Fault::into_error)?;
            Ok(value)
        })
    }

    /// The key of an item to be stored.
    pub fn key_of_item(&self, item: &Map) -> Result<Key> {
        self.key(|attribute, role| {
            let KeyAttribute { name, kind } = attribute;
            let Some(value) = item.get(name) else {
                return Err(Error::invalid_parameter(format_args!(
                    "Missing the key {name} in the item"
                )));
            };
            if value.kind() != (*kind).into() {
                return Err(Error::invalid_parameter(format_args!(
                    "Type mismatch for key {name} expected: {kind} actual: {}",
                    value.kind()
                )));
            }
            check_content(attribute, role, value).map_err(Fault::into_error)?;
            Ok(value)
        })
    }

    /// Refuses empty values of key attributes. Missing attributes and wrong types are left to other
    /// checks: transactions report those differently.
    pub(crate) fn check_not_empty(&self, attributes: &Map) -> Result<()> {
        match self.empty_value(attributes) {
            Some(fault) => Err(fault.into_error()),
            None => Ok(()),
        }
    }

    fn empty_value(&self, attributes: &Map) -> Option<Fault<'_>> {
        self.elements().find_map(|(attribute, role)| {
            let value = attributes.get(&attribute.name)?;
            let has_type = value.kind() == attribute.kind.into();
            match check_content(attribute, role, value).err().filter(|_| has_type)? {
                fault @ Fault::Empty(..) => Some(fault),
                Fault::TooLong(_) => None,
            }
        })
    }

    /// The key of a stored item in an index, or `None` if the item is not in the index because a
    /// value is missing or invalid. Items may be older than the index.
    #[must_use]
    pub fn key_of_stored<'i>(&self, item: ItemRef<'i>) -> Option<StoredKey<'i>> {
        let mut key =
            StoredKey { values: [ValueRef::Null; KEY_ATTRIBUTES_MAX], len: 0, partition_len: 0 };
        let mut role_size = 0;
        for ((attribute, role), slot) in self.elements().zip(&mut key.values) {
            let value = item.get(&attribute.name)?;
            if key.len == key.partition_len && role == KeyRole::Range {
                role_size = 0;
            }
            let size = match value {
                ValueRef::S(text) => text.len(),
                ValueRef::B(bytes) => bytes.len(),
                ValueRef::N(number) => number.size(),
                _ => 0,
            };
            role_size += size;
            if size == 0 || role_size > role.size_max() || value.kind() != attribute.kind.into() {
                return None;
            }
            *slot = value;
            key.len += 1;
            if role == KeyRole::Hash {
                key.partition_len += 1;
            }
        }
        Some(key)
    }

    /// Decodes the attributes of a key.
    #[must_use]
    pub fn attributes_of(&self, key: &Key) -> Option<Map> {
        let mut rest = key.as_bytes();
        let mut attributes = Map::new();
        for attribute in self.attributes() {
            let (value, following) = split_encoded(attribute.kind, rest)?;
            attributes.insert(attribute.name.as_str(), value);
            rest = following;
        }
        Some(attributes)
    }

    /// Checks a value, of the right type, in a query's key condition.
    pub(crate) fn check_compared(
        attribute: &KeyAttribute,
        role: KeyRole,
        value: &Value,
        index: Option<&Index>,
    ) -> Result<()> {
        check_content(attribute, role, value).map_err(|fault| match index {
            Some(index) => fault.into_index_error(index),
            None => fault.into_error(),
        })
    }

    /// The key, with a function that returns the value of each attribute.
    fn key<'v>(&self, value: impl Fn(&KeyAttribute, KeyRole) -> Result<&'v Value>) -> Result<Key> {
        let mut key = Key { bytes: Vec::new(), partition_len: 0 };
        for (attribute, role) in self.elements() {
            push_encoded(value(attribute, role)?, &mut key.bytes);
            if role == KeyRole::Hash {
                key.partition_len = key.bytes.len();
            }
        }
        Ok(key)
    }
}

impl TableSchema {
    /// Checks an item to be stored against the keys of the table and all indexes, and returns its
    /// primary key.
    pub fn check_item(&self, item: &Map) -> Result<Key> {
        let key = self.key.key_of_item(item)?;
        self.check_indexes(|index| index.check_item(item))?;
        Ok(key)
    }

    /// Runs a check for all indexes. If several fail, the service reports the one whose name comes
    /// first.
    pub(crate) fn check_indexes(&self, check: impl Fn(&Index) -> Result<()>) -> Result<()> {
        let refused = self.indexes.iter().filter_map(|index| Some((index, check(index).err()?)));
        match refused.min_by(|(one, _), (other, _)| one.name.cmp(&other.name)) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}

impl Index {
    /// Refuses empty values of index key attributes.
    pub(crate) fn check_not_empty(&self, item: &Map) -> Result<()> {
        match self.key.empty_value(item) {
            Some(fault) => Err(fault.into_index_error(self)),
            None => Ok(()),
        }
    }

    /// An index key attribute may be missing, but must not have another type, be empty or be too
    /// long. Several attributes also have a total limit.
    pub fn check_item(&self, item: &Map) -> Result<()> {
        for (attribute, role) in self.key.elements() {
            let KeyAttribute { name, kind } = attribute;
            let Some(value) = item.get(name) else { continue };
            if value.kind() != (*kind).into() {
                return Err(Error::invalid_parameter(format_args!(
                    "Type mismatch for Index Key {name} Expected: {kind} Actual: {} IndexName: {}",
                    value.kind(),
                    self.name
                )));
            }
            check_content(attribute, role, value).map_err(|fault| fault.into_index_error(self))?;
        }
        if self.key.is_composite() {
            self.check_size(item, KeyRole::Hash)?;
            self.check_size(item, KeyRole::Range)?;
        }
        Ok(())
    }

    /// Refuses an item whose values for one role are too long in total.
    fn check_size(&self, item: &Map, role: KeyRole) -> Result<()> {
        let attributes = || self.key.elements().filter(|(_, own)| *own == role);
        let sizes = attributes().filter_map(|(attribute, _)| item.get(&attribute.name));
        let size: usize = sizes.map(Value::size).sum();
        let size_max = role.size_max();
        if size <= size_max {
            return Ok(());
        }
        let names: Vec<&str> = attributes().map(|(attribute, _)| attribute.name.as_str()).collect();
        Err(Error::validation(format!(
            "Aggregate size for {role} key attributes {} of index {} has exceeded limit {size_max} bytes, with actual size {size} bytes",
            names.join(", "),
            self.name
        )))
    }
}

fn mismatch() -> Error {
    Error::validation(KEY_MISMATCH)
}

/// A fault in a value of the right type.
enum Fault<'a> {
    Empty(&'static str, &'a str),
    TooLong(KeyRole),
}

impl Fault<'_> {
    fn into_index_error(self, index: &Index) -> Error {
        match self {
            Self::Empty(what, name) => Error::validation(format!(
                "One or more parameter values are not valid. A value specified for a secondary index key is not supported. \
                 The AttributeValue for a key attribute cannot contain an empty {what} value. IndexName: {}, IndexKey: {name}",
                index.name
            )),
            Self::TooLong(_) => self.into_error(),
        }
    }

    fn into_error(self) -> Error {
        match self {
            Self::Empty(what, name) => Error::validation(format!(
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty {what} value. Key: {name}"
            )),
            // The missing space is the service's.
            Self::TooLong(KeyRole::Hash) => Error::invalid_parameter(format_args!(
                "Size of hashkey has exceeded the maximum size limit of{PARTITION_KEY_SIZE_MAX} bytes"
            )),
            Self::TooLong(KeyRole::Range) => Error::invalid_parameter(format_args!(
                "Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_SIZE_MAX} bytes"
            )),
        }
    }
}

fn check_content<'a>(
    attribute: &'a KeyAttribute,
    role: KeyRole,
    value: &Value,
) -> Result<(), Fault<'a>> {
    let len = match value {
        Value::S(text) => text.len(),
        Value::B(bytes) => bytes.len(),
        _ => return Ok(()),
    };
    if len == 0 {
        let what = if attribute.kind == KeyType::S { "string" } else { "binary" };
        return Err(Fault::Empty(what, &attribute.name));
    }
    if len > role.size_max() { Err(Fault::TooLong(role)) } else { Ok(()) }
}

/// Appends a key value so that the bytes sort as the values do, regardless of what follows.
///
/// A number is its sortable bytes. In strings and binaries, zero becomes `00 FF` and the end is `00
/// 00`, so that a value sorts before all values it is a prefix of. Nothing is appended for values
/// of other types, which cannot be keys.
///
/// ```
/// use singlet_dynamo::{key, Value};
///
/// let encoded = |text: &str| {
///     let mut out = Vec::new();
///     key::push_encoded(&Value::from(text), &mut out);
///     out
/// };
/// assert!(encoded("SITE#1") < encoded("SITE#10"));
/// assert!(encoded("a") < encoded("a\0"));
/// assert!(encoded("a\0") < encoded("a\u{1}"));
/// ```
pub fn push_encoded(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::N(number) => push_stored(ValueRef::N(*number), out),
        Value::S(text) => push_stored(ValueRef::S(text), out),
        Value::B(bytes) => push_stored(ValueRef::B(bytes), out),
        _ => {}
    }
}

/// Like [`push_encoded`], for a stored value.
pub fn push_stored(value: ValueRef<'_>, out: &mut Vec<u8>) {
    match value {
        ValueRef::N(number) => out.extend_from_slice(number.as_bytes()),
        ValueRef::S(text) => {
            push_escaped(text.as_bytes(), out);
            out.extend_from_slice(&[0, 0]);
        }
        ValueRef::B(bytes) => {
            push_escaped(bytes, out);
            out.extend_from_slice(&[0, 0]);
        }
        _ => {}
    }
}

/// Appends the common prefix of the encodings of all strings or binaries that begin with `prefix`.
pub fn push_encoded_prefix(prefix: &[u8], out: &mut Vec<u8>) {
    push_escaped(prefix, out);
}

fn push_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    let mut rest = bytes;
    while let Some(zero) = rest.iter().position(|&b| b == 0) {
        let (before, after) = rest.split_at(zero);
        out.extend_from_slice(before);
        out.extend_from_slice(&[0, 0xff]);
        rest = after.get(1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// Decodes a key value from the front of `bytes` and returns the rest: the inverse of
/// [`push_encoded`]. Rejects bytes that it would not have produced.
#[must_use]
pub fn split_encoded(kind: KeyType, bytes: &[u8]) -> Option<(Value, &[u8])> {
    if kind == KeyType::N {
        let (number, rest) = Number::split_first(bytes)?;
        return Some((Value::N(number), rest));
    }
    let mut content = Vec::new();
    let mut rest = bytes;
    loop {
        let zero = rest.iter().position(|&b| b == 0)?;
        let (before, after) = rest.split_at(zero);
        content.extend_from_slice(before);
        match after {
            [0, 0xff, after @ ..] => {
                content.push(0);
                rest = after;
            }
            [0, 0, after @ ..] => {
                let value = match kind {
                    KeyType::S => Value::S(String::from_utf8(content).ok()?),
                    _ => Value::B(content),
                };
                return Some((value, after));
            }
            _ => return None,
        }
    }
}

/// The length of the encoded key value at the front of `bytes`.
#[must_use]
pub fn encoded_len(kind: KeyType, bytes: &[u8]) -> Option<usize> {
    if kind == KeyType::N {
        return Number::encoded_len(bytes);
    }
    // A zero followed by FF is content; the first other one ends the value.
    let mut from = 0;
    loop {
        let zero = from + bytes.get(from..)?.iter().position(|&b| b == 0)?;
        match bytes.get(zero + 1)? {
            0xff => from = zero + 2,
            0 => return Some(zero + 2),
            _ => return None,
        }
    }
}

impl Value {
    /// Whether values of this type can be part of a key.
    #[must_use]
    pub fn is_key_type(&self) -> bool {
        matches!(self.kind(), Type::S | Type::N | Type::B)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> KeySchema {
        let sort = KeyAttribute::new("sk", KeyType::N);
        KeySchema::simple(KeyAttribute::new("pk", KeyType::S), Some(sort))
    }

    fn text(result: Result<Key>) -> String {
        result.unwrap_err().message().to_owned()
    }

    #[test]
    fn a_requests_key_has_exactly_the_keys_attributes() {
        let key = |json: &str| schema().key_of_request(&Map::from_json(json.as_bytes()).unwrap());
        let mismatch = "The provided key element does not match the schema";
        assert_eq!(text(key("{}")), mismatch);
        assert_eq!(text(key(r#"{"pk":{"S":"a"}}"#)), mismatch);
        assert_eq!(text(key(r#"{"pk":{"S":"a"},"sk":{"S":"b"}}"#)), mismatch);
        assert_eq!(text(key(r#"{"pk":{"S":"a"},"sk":{"N":"1"},"x":{"N":"1"}}"#)), mismatch);
        let found = key(r#"{"pk":{"S":"a"},"sk":{"N":"1"}}"#).unwrap();
        assert_eq!(found.partition_bytes(), b"a\0\0");
        let attributes = schema().attributes_of(&found).unwrap();
        assert_eq!(attributes, Map::from([("pk", Value::from("a")), ("sk", Value::from(1))]));
    }

    #[test]
    fn key_sizes_are_limited_as_in_the_service() {
        let key = |len: usize| {
            let item = Map::from([("pk", Value::from("x".repeat(len))), ("sk", Value::from(1))]);
            schema().key_of_item(&item)
        };
        assert!(key(2048).is_ok());
        assert_eq!(
            text(key(2049)),
            "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
        );
        assert_eq!(
            text(key(0)),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"
        );
    }

    #[test]
    fn encoded_values_are_read_again() {
        for value in [
            Value::from(""),
            Value::from("a\0b\0\0"),
            Value::from("é"),
            Value::B(vec![0, 0xff, 0, 0]),
            Value::from(-17),
        ] {
            let kind = KeyType::from_name(value.kind().as_str()).unwrap();
            let mut bytes = Vec::new();
            push_encoded(&value, &mut bytes);
            bytes.extend_from_slice(b"rest");
            assert_eq!(split_encoded(kind, &bytes), Some((value, b"rest".as_slice())));
            let cut = &bytes[..bytes.len() - 5];
            assert_eq!(split_encoded(kind, cut), None);
        }
    }
}
