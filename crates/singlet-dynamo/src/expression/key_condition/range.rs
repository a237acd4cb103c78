//! Key conditions to ranges of encoded keys.

use super::{KeyCondition, KeyTest};
use crate::Value;
use crate::error::{Error, Result};
use crate::expression::Comparator;
use crate::key::{push_encoded, push_encoded_prefix};
use crate::schema::{Index, KeyAttribute, KeySchema};

/// A partition, and the part of it that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    partition: Value,
    sort: Option<KeyTest>,
}

/// Bytes from one place on and before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first bytes that are in the range, if they occur.
    pub start: Vec<u8>,
    /// The first bytes that are past it, or `None` if nothing is.
    pub end: Option<Vec<u8>>,
}

impl ByteRange {
    /// Whether the bytes are in the range.
    #[must_use]
    pub fn contains(&self, bytes: &[u8]) -> bool {
        self.start.as_slice() <= bytes && self.end.as_deref().is_none_or(|end| bytes < end)
    }
}

impl KeyCondition {
    /// The range that is asked for in a table or an index with this key, if the condition fits
    /// it. `index` is the index, for errors to name.
    pub fn range(&self, key: &KeySchema, index: Option<&Index>) -> Result<KeyRange> {
        let KeySchema { partition, sort } = key;
        let unsupported = || Error::validation("Query key condition not supported");
        if sort.is_none() && self.tests.len() > 1 {
            return Err(unsupported());
        }
        let missed = |attribute: &KeyAttribute| {
            Error::validation(format!(
                "Query condition missed key schema element: {}",
                attribute.name
            ))
        };
        let test = self.test_of(partition)?.ok_or_else(|| missed(partition))?;
        let KeyTest::Compare(Comparator::Equal, value) = test else {
            return Err(unsupported());
        };
        key.check_compared(partition, value, index)?;
        let sort = match sort {
            None => None,
            Some(attribute) => {
                let test = self.test_of(attribute)?;
                if test.is_none() && self.tests.len() > 1 {
                    return Err(missed(attribute));
                }
                for value in test.into_iter().flat_map(KeyTest::values) {
                    key.check_compared(attribute, value, index)?;
                }
                test
            }
        };
        Ok(KeyRange { partition: value.clone(), sort: sort.cloned() })
    }

    /// What is asked of an attribute, if its values are of the attribute's type.
    fn test_of(&self, attribute: &KeyAttribute) -> Result<Option<&KeyTest>> {
        let Some((_, test)) = self.tests.iter().find(|(name, _)| *name == attribute.name) else {
            return Ok(None);
        };
        if test.values().any(|value| value.kind() != attribute.kind.into()) {
            return Err(Error::invalid_parameter(
                "Condition parameter type does not match schema type",
            ));
        }
        Ok(Some(test))
    }
}

impl KeyRange {
    /// The value of the partition key.
    #[must_use]
    pub fn partition(&self) -> &Value {
        &self.partition
    }

    /// What is asked of the sort key.
    #[must_use]
    pub fn sort(&self) -> Option<&KeyTest> {
        self.sort.as_ref()
    }

    /// Whether a sort key is in the range.
    #[must_use]
    pub fn contains(&self, sort: &Value) -> bool {
        let mut bytes = Vec::new();
        push_encoded(sort, &mut bytes);
        self.sort_bytes().contains(&bytes)
    }

    /// The range of encoded sort keys, whatever follows them: all bytes that begin with the
    /// encoding of a sort key that is asked for are in it, and no bytes that begin with that of
    /// another one.
    #[must_use]
    pub fn sort_bytes(&self) -> ByteRange {
        let encoded = |value: &Value| {
            let mut bytes = Vec::new();
            push_encoded(value, &mut bytes);
            bytes
        };
        let (start, end) = match &self.sort {
            None => (Vec::new(), None),
            Some(KeyTest::Compare(comparator, value)) => {
                let here = encoded(value);
                match comparator {
                    Comparator::Equal => (here.clone(), after(here)),
                    Comparator::Less => (Vec::new(), Some(here)),
                    Comparator::LessOrEqual => (Vec::new(), after(here)),
                    Comparator::Greater => match after(here) {
                        Some(start) => (start, None),
                        // Nothing sorts after these bytes. No encoding is like that.
                        None => (Vec::new(), Some(Vec::new())),
                    },
                    Comparator::GreaterOrEqual => (here, None),
                    // No key condition has it.
                    Comparator::NotEqual => (Vec::new(), None),
                }
            }
            Some(KeyTest::Between(lower, upper)) => (encoded(lower), after(encoded(upper))),
            Some(KeyTest::BeginsWith(prefix)) => {
                let mut start = Vec::new();
                match prefix {
                    Value::S(text) => push_encoded_prefix(text.as_bytes(), &mut start),
                    Value::B(bytes) => push_encoded_prefix(bytes, &mut start),
                    _ => {}
                }
                (start.clone(), after(start))
            }
        };
        ByteRange { start, end }
    }
}

/// The first bytes after all that begin with these, if there are any.
fn after(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = bytes.pop() {
        if let Some(next) = last.checked_add(1) {
            bytes.push(next);
            return Some(bytes);
        }
    }
    None
}
