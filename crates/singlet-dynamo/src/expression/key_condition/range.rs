//! Turns key conditions into ranges of encoded keys.

use super::{KeyCondition, KeyTest, unindexable};
use crate::Value;
use crate::error::{Error, Result};
use crate::expression::Comparator;
use crate::key::{Key, push_encoded, push_encoded_prefix};
use crate::schema::{Index, KeyAttribute, KeyRole, KeySchema};

/// A partition, and a range of sort keys in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    partition: Vec<u8>,
    sort: ByteRange,
    has_sort_test: bool,
}

/// A half-open range of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The inclusive start.
    pub start: Vec<u8>,
    /// The exclusive end; `None` if unbounded.
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
    /// The range in a table or index with this key, if the condition fits it. `index` is for error
    /// messages.
    pub fn range(&self, key: &KeySchema, index: Option<&Index>) -> Result<KeyRange> {
        let count = self.tests.len() + self.unindexable;
        if !key.is_composite() && count > 2 {
            return Err(Error::validation("Conditions can be of length 1 or 2 only"));
        }
        if count > key.attribute_count() {
            return Err(unsupported());
        }
        if self.unindexable > 0 {
            return Err(unindexable());
        }
        if key.is_composite() {
            self.check_composite(key, index)?;
        } else {
            self.check_simple(key, index)?;
        }
        let mut partition = Vec::new();
        for attribute in key.partition() {
            if let Some(KeyTest::Compare(_, value)) = self.test_of(attribute) {
                push_encoded(value, &mut partition);
            }
        }
        // All tests of sort attributes but the last one are equalities.
        let mut tests = key.sort().iter().map_while(|attribute| self.test_of(attribute));
        let mut equal = Vec::new();
        let mut last = tests.next();
        for next in tests {
            if let Some(KeyTest::Compare(_, value)) = last {
                push_encoded(value, &mut equal);
            }
            last = Some(next);
        }
        let sort = match last {
            None => ByteRange { start: Vec::new(), end: None },
            Some(test) => test.range_behind(equal),
        };
        Ok(KeyRange { partition, sort, has_sort_test: last.is_some() })
    }

    /// Checks the condition against a key of one partition attribute and at most one sort
    /// attribute.
    fn check_simple(&self, key: &KeySchema, index: Option<&Index>) -> Result<()> {
        let partition = key.first();
        let test = self.test_of(partition);
        test.map_or(Ok(()), |test| test.check_type(partition))?;
        match test {
            None => return Err(missed(partition)),
            Some(KeyTest::Compare(Comparator::Equal, value)) => {
                KeySchema::check_compared(partition, KeyRole::Hash, value, index)?;
            }
            Some(_) => return Err(unsupported()),
        }
        match key.sort().first().map(|attribute| (attribute, self.test_of(attribute))) {
            Some((attribute, Some(test))) => {
                test.check_type(attribute)?;
                test.check_content(attribute, KeyRole::Range, index)
            }
            Some((attribute, None)) if self.tests.len() > 1 => Err(missed(attribute)),
            _ => Ok(()),
        }
    }

    /// Checks the condition against a key of several partition or sort attributes: an equality of
    /// every partition attribute, and tests of sort attributes from the left on, all of them
    /// equalities but the last one.
    fn check_composite(&self, key: &KeySchema, index: Option<&Index>) -> Result<()> {
        let is_equal = |attribute: &&KeyAttribute| {
            matches!(self.test_of(attribute), Some(KeyTest::Compare(Comparator::Equal, _)))
        };
        let unequal: Vec<&KeyAttribute> =
            key.partition().filter(|attribute| !is_equal(attribute)).collect();
        if !unequal.is_empty() {
            return Err(Error::validation(format!(
                "HASH key attributes {} must have equality conditions specified in the query",
                names(&unequal)
            )));
        }
        self.check_values(key.partition(), KeyRole::Hash, index)?;

        let is_tested = |attribute: &&KeyAttribute| self.test_of(attribute).is_some();
        let tested: Vec<&KeyAttribute> = key.sort().iter().take_while(is_tested).collect();
        // Attributes without a condition, perhaps followed by one with a condition.
        let gap: Vec<&KeyAttribute> =
            key.sort().iter().skip(tested.len()).take_while(|own| !is_tested(own)).collect();
        let behind_gap = key.sort().get(tested.len() + gap.len());
        let unequal: Vec<&KeyAttribute> = match tested.split_last() {
            Some((_, before)) => {
                before.iter().copied().filter(|attribute| !is_equal(attribute)).collect()
            }
            None => Vec::new(),
        };
        let (unequal, because) = match behind_gap {
            Some(behind_gap) => (gap.clone(), Some(behind_gap)),
            None => (unequal, tested.last().copied()),
        };
        if let Some(because) = because.filter(|_| !unequal.is_empty()) {
            return Err(Error::validation(format!(
                "RANGE key attributes {} must have equality conditions specified in the query \
                 because a condition is present on key attribute {}",
                names(&unequal),
                because.name
            )));
        }
        self.check_values(tested.iter().copied(), KeyRole::Range, index)?;
        match gap.first() {
            Some(first) if self.tests.len() > key.partition().count() + tested.len() => {
                Err(missed(first))
            }
            _ => Ok(()),
        }
    }

    /// Checks the values in the tests of these attributes.
    fn check_values<'k>(
        &self,
        attributes: impl Iterator<Item = &'k KeyAttribute>,
        role: KeyRole,
        index: Option<&Index>,
    ) -> Result<()> {
        for attribute in attributes {
            if let Some(test) = self.test_of(attribute) {
                test.check_type(attribute)?;
                test.check_content(attribute, role, index)?;
            }
        }
        Ok(())
    }

    /// The condition on an attribute.
    fn test_of(&self, attribute: &KeyAttribute) -> Option<&KeyTest> {
        let mut tests = self.tests.iter();
        tests.find(|(name, _)| *name == attribute.name).map(|(_, test)| test)
    }
}

fn unsupported() -> Error {
    Error::validation("Query key condition not supported")
}

fn missed(attribute: &KeyAttribute) -> Error {
    Error::validation(format!("Query condition missed key schema element: {}", attribute.name))
}

fn names(attributes: &[&KeyAttribute]) -> String {
    let names: Vec<&str> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    names.join(", ")
}

impl KeyTest {
    /// Refuses values of the wrong type for the attribute.
    fn check_type(&self, attribute: &KeyAttribute) -> Result<()> {
        if self.values().any(|value| value.kind() != attribute.kind.into()) {
            return Err(Error::invalid_parameter(
                "Condition parameter type does not match schema type",
            ));
        }
        Ok(())
    }

    fn check_content(
        &self,
        attribute: &KeyAttribute,
        role: KeyRole,
        index: Option<&Index>,
    ) -> Result<()> {
        self.values().try_for_each(|value| KeySchema::check_compared(attribute, role, value, index))
    }

    /// The range of matching encoded values after a common prefix.
    fn range_behind(&self, before: Vec<u8>) -> ByteRange {
        let encoded = |value: &Value| {
            let mut bytes = before.clone();
            push_encoded(value, &mut bytes);
            bytes
        };
        let end = || after(before.clone());
        let (start, end) = match self {
            Self::Compare(comparator, value) => {
                let here = encoded(value);
                match comparator {
                    Comparator::Equal => (here.clone(), after(here)),
                    Comparator::Less => (before, Some(here)),
                    Comparator::LessOrEqual => (before, after(here)),
                    Comparator::Greater => match after(here) {
                        Some(start) => (start, end()),
                        // Nothing sorts after these bytes. No encoding looks like this.
                        None => (before, Some(Vec::new())),
                    },
                    Comparator::GreaterOrEqual => (here, end()),
                    // Not possible in a key condition.
                    Comparator::NotEqual => (before.clone(), end()),
                }
            }
            Self::Between(lower, upper) => (encoded(lower), after(encoded(upper))),
            Self::BeginsWith(prefix) => {
                let mut start = before;
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

impl KeyRange {
    /// The encoded values of the partition attributes.
    #[must_use]
    pub fn partition_bytes(&self) -> &[u8] {
        &self.partition
    }

    /// The range of encoded sort keys. It contains exactly the bytes that begin with the encoding
    /// of a matching sort key.
    #[must_use]
    pub fn sort_bytes(&self) -> &ByteRange {
        &self.sort
    }

    /// Whether there is a condition on the sort key.
    pub(crate) fn has_sort_test(&self) -> bool {
        self.has_sort_test
    }

    /// Whether an item with this key matches.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        self.partition == key.partition_bytes() && self.sort.contains(key.sort_bytes())
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
