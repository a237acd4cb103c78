//! Keys: taken out of items, checked against a schema, and encoded so that bytes sort as
//! DynamoDB sorts.

use crate::binary::{ItemRef, ValueRef};
use crate::error::{Error, Result};
use crate::json::value::KEY_MISMATCH;
use crate::limits::{PARTITION_KEY_SIZE_MAX, SORT_KEY_SIZE_MAX};
use crate::schema::{Index, KeyAttribute, KeySchema, KeyType, TableSchema};
use crate::{Map, Number, Type, Value};

/// The key of an item: values of type S, N or B that fit their schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The value of the partition key.
    pub partition: Value,
    /// The value of the sort key, if the schema has one.
    pub sort: Option<Value>,
}

impl Key {
    /// The key as bytes, which sort as keys of one table do.
    #[must_use]
    pub fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        push_encoded(&self.partition, &mut out);
        if let Some(sort) = &self.sort {
            push_encoded(sort, &mut out);
        }
        out
    }
}

/// Which part of a key: the service has limits and words for each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Partition,
    Sort,
}

impl KeySchema {
    /// The key that a request names in its `Key`: exactly the key's attributes, no others.
    pub fn key_of_request(&self, key: &Map) -> Result<Key> {
        if key.len() != self.attributes().count() {
            return Err(mismatch());
        }
        self.key_within(key)
    }

    /// The key among other attributes that a request names: those of an index's start key.
    pub fn key_within(&self, attributes: &Map) -> Result<Key> {
        self.key(|attribute, part| {
            let value = attributes.get(&attribute.name).ok_or_else(mismatch)?;
            if value.kind() != attribute.kind.into() {
                return Err(mismatch());
            }
            check_content(attribute, part, value).map_err(Fault::into_error)?;
            Ok(value.clone())
        })
    }

    /// The key of an item that is to be stored.
    pub fn key_of_item(&self, item: &Map) -> Result<Key> {
        self.key(|attribute, part| {
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
            check_content(attribute, part, value).map_err(Fault::into_error)?;
            Ok(value.clone())
        })
    }

    /// Refuses empty values of key attributes. Attributes that are missing, or of another type,
    /// are somebody else's to refuse: a transaction tells of those in another way.
    pub(crate) fn check_not_empty(&self, attributes: &Map) -> Result<()> {
        match self.empty_value(attributes) {
            Some(fault) => Err(fault.into_error()),
            None => Ok(()),
        }
    }

    fn empty_value(&self, attributes: &Map) -> Option<Fault<'_>> {
        self.attributes().find_map(|attribute| {
            let value = attributes.get(&attribute.name)?;
            let has_type = value.kind() == attribute.kind.into();
            // The part makes no difference to what is empty.
            match check_content(attribute, Part::Partition, value).err().filter(|_| has_type)? {
                fault @ Fault::Empty(..) => Some(fault),
                Fault::TooLong(_) => None,
            }
        })
    }

    /// The key of a stored item in an index: its values, or `None` if the item is not in the
    /// index. That is so if one of them is missing; and also if one could not be put there now,
    /// since items may have been stored before there was the index.
    #[must_use]
    pub fn key_of_stored<'i>(
        &self,
        item: ItemRef<'i>,
    ) -> Option<(ValueRef<'i>, Option<ValueRef<'i>>)> {
        let value = |attribute: &KeyAttribute, len_max: usize| {
            let value = item.get(&attribute.name)?;
            let fits = match value {
                ValueRef::S(text) => (1..=len_max).contains(&text.len()),
                ValueRef::B(bytes) => (1..=len_max).contains(&bytes.len()),
                _ => true,
            };
            (fits && value.kind() == attribute.kind.into()).then_some(value)
        };
        let partition = value(&self.partition, PARTITION_KEY_SIZE_MAX)?;
        let sort = match &self.sort {
            None => None,
            Some(sort) => Some(value(sort, SORT_KEY_SIZE_MAX)?),
        };
        Some((partition, sort))
    }

    /// Checks a value of the right type that a query compares an attribute of the key to.
    pub(crate) fn check_compared(
        &self,
        attribute: &KeyAttribute,
        value: &Value,
        index: Option<&Index>,
    ) -> Result<()> {
        let part = match attribute.name == self.partition.name {
            true => Part::Partition,
            false => Part::Sort,
        };
        check_content(attribute, part, value).map_err(|fault| match index {
            Some(index) => fault.into_index_error(index),
            None => fault.into_error(),
        })
    }

    /// The key, by a function that gives the value of each attribute.
    fn key(&self, value: impl Fn(&KeyAttribute, Part) -> Result<Value>) -> Result<Key> {
        Ok(Key {
            partition: value(&self.partition, Part::Partition)?,
            sort: self.sort.as_ref().map(|sort| value(sort, Part::Sort)).transpose()?,
        })
    }
}

impl TableSchema {
    /// Checks an item that is to be stored against the table's key and all of its indexes', and
    /// gives its primary key.
    pub fn check_item(&self, item: &Map) -> Result<Key> {
        let key = self.key.key_of_item(item)?;
        self.check_indexes(|index| index.check_item(item))?;
        Ok(key)
    }

    /// Checks something of all indexes. Of several that refuse it, the service tells of the one
    /// whose name comes first.
    pub(crate) fn check_indexes(&self, check: impl Fn(&Index) -> Result<()>) -> Result<()> {
        let refused = self.indexes.iter().filter_map(|index| Some((index, check(index).err()?)));
        match refused.min_by(|(one, _), (other, _)| one.name.cmp(&other.name)) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }
}

impl Index {
    /// Refuses empty values of attributes of the index's key, and nothing else.
    pub(crate) fn check_not_empty(&self, item: &Map) -> Result<()> {
        match self.key.empty_value(item) {
            Some(fault) => Err(fault.into_index_error(self)),
            None => Ok(()),
        }
    }

    /// An attribute that is part of the index's key may be missing, but not of another type,
    /// empty or too long.
    pub fn check_item(&self, item: &Map) -> Result<()> {
        let parts = std::iter::once((&self.key.partition, Part::Partition))
            .chain(self.key.sort.as_ref().map(|sort| (sort, Part::Sort)));
        for (attribute, part) in parts {
            let KeyAttribute { name, kind } = attribute;
            let Some(value) = item.get(name) else { continue };
            if value.kind() != (*kind).into() {
                return Err(Error::invalid_parameter(format_args!(
                    "Type mismatch for Index Key {name} Expected: {kind} Actual: {} IndexName: {}",
                    value.kind(),
                    self.name
                )));
            }
            check_content(attribute, part, value).map_err(|fault| fault.into_index_error(self))?;
        }
        Ok(())
    }
}

fn mismatch() -> Error {
    Error::validation(KEY_MISMATCH)
}

/// What is wrong with a value of the right type.
enum Fault<'a> {
    Empty(&'static str, &'a str),
    TooLong(Part),
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
            Self::TooLong(Part::Partition) => Error::invalid_parameter(format_args!(
                "Size of hashkey has exceeded the maximum size limit of{PARTITION_KEY_SIZE_MAX} bytes"
            )),
            Self::TooLong(Part::Sort) => Error::invalid_parameter(format_args!(
                "Aggregated size of all range keys has exceeded the size limit of {SORT_KEY_SIZE_MAX} bytes"
            )),
        }
    }
}

fn check_content<'a>(
    attribute: &'a KeyAttribute,
    part: Part,
    value: &Value,
) -> Result<(), Fault<'a>> {
    let len = match value {
        Value::S(text) => text.len(),
        Value::B(bytes) => bytes.len(),
        _ => return Ok(()),
    };
    let max = match part {
        Part::Partition => PARTITION_KEY_SIZE_MAX,
        Part::Sort => SORT_KEY_SIZE_MAX,
    };
    if len == 0 {
        let what = if attribute.kind == KeyType::S { "string" } else { "binary" };
        return Err(Fault::Empty(what, &attribute.name));
    }
    if len > max { Err(Fault::TooLong(part)) } else { Ok(()) }
}

/// Appends a key value so that the bytes sort as the values do, whatever follows them.
///
/// Numbers are their sortable bytes. In texts and bytes, zero becomes `00 FF` and the end is
/// `00 00`, so that a value sorts before all that it is a prefix of. Values of other types
/// cannot be keys; nothing is appended for them.
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

/// Appends a key value of a stored item: [`push_encoded`] without a tree.
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

/// Appends what the encodings of all texts and bytes that begin with `prefix` begin with.
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

/// Reads a key value of a type off the front of `bytes`, with what follows it: the inverse of
/// [`push_encoded`]. Bytes that it would not have given are refused.
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

/// How many bytes the encoded key value at the front of `bytes` takes.
#[must_use]
pub fn encoded_len(kind: KeyType, bytes: &[u8]) -> Option<usize> {
    if kind == KeyType::N {
        return Number::encoded_len(bytes);
    }
    // A zero that is followed by FF is content; the first that is not ends the value.
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
        KeySchema {
            partition: KeyAttribute::new("pk", KeyType::S),
            sort: Some(KeyAttribute::new("sk", KeyType::N)),
        }
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
        assert_eq!(found, Key { partition: "a".into(), sort: Some(1.into()) });
    }

    #[test]
    fn key_sizes_end_where_the_service_says() {
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
