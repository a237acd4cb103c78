//! The changes of one commit.

use super::error::Error;
use super::keyspace::{Keyspace, PerKeyspace};
use std::collections::BTreeMap;

/// Maximum size of a row, key and value. Far above what the engine writes (items have 400 KB,
/// stream records hold two of them); it keeps every offset in 32 bits.
pub const ROW_BYTES_MAX: usize = 64 << 20;

/// An atomic set of writes.
///
/// Later writes to a key replace earlier ones. A batch can be read, so that each command of a group
/// sees the writes of those before it.
///
/// ```
/// use singlet_engine::store::{Batch, Keyspace};
///
/// let mut batch = Batch::new();
/// batch.put(Keyspace::Items, b"k".to_vec(), b"first".to_vec());
/// batch.put(Keyspace::Items, b"k".to_vec(), b"second".to_vec());
/// batch.delete(Keyspace::Items, b"gone".to_vec());
///
/// assert_eq!(batch.get(Keyspace::Items, b"k"), Some(Some(&b"second"[..])));
/// assert_eq!(batch.get(Keyspace::Items, b"gone"), Some(None));
/// assert_eq!(batch.get(Keyspace::Items, b"untouched"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Sorted, because both stores apply sorted writes faster.
    edits: PerKeyspace<BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
    /// Total size of the current keys and values.
    size_bytes: u64,
    /// Total bytes of all keys and values put, including replaced ones.
    put_bytes: u64,
}

impl Batch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Inserts or replaces a row.
    pub fn put(&mut self, keyspace: Keyspace, key: Vec<u8>, value: Vec<u8>) {
        self.insert(keyspace, key, Some(value));
    }

    /// Deletes a row, if it exists.
    pub fn delete(&mut self, keyspace: Keyspace, key: Vec<u8>) {
        self.insert(keyspace, key, None);
    }

    fn insert(&mut self, keyspace: Keyspace, key: Vec<u8>, value: Option<Vec<u8>>) {
        let length = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len) as u64;
        let (key_length, value_length) = (key.len() as u64, length(&value));
        self.put_bytes += key_length + value_length;
        let before = self.edits.get_mut(keyspace).insert(key, value);
        self.size_bytes += value_length;
        match before {
            Some(before) => self.size_bytes -= length(&before),
            None => self.size_bytes += key_length,
        }
    }

    /// The effect on a key: `None` if untouched, `Some(None)` if deleted, otherwise the new value.
    #[must_use]
    pub fn get(&self, keyspace: Keyspace, key: &[u8]) -> Option<Option<&[u8]>> {
        self.edits.get(keyspace).get(key).map(|value| value.as_deref())
    }

    /// Number of rows written or deleted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edits.iter().map(|(_, edits)| edits.len()).sum()
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Total bytes of all keys and values put, including replaced ones.
    pub(crate) fn put_bytes(&self) -> u64 {
        self.put_bytes
    }

    /// Whether this batch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.iter().all(|(_, edits)| edits.is_empty())
    }

    pub(crate) fn edits(&self) -> impl Iterator<Item = EditsOf<'_>> {
        self.edits.iter().filter(|(_, edits)| !edits.is_empty()).map(|(keyspace, edits)| {
            let edits = edits.iter().map(|(key, value)| Edit { key, value: value.as_deref() });
            (keyspace, edits.collect())
        })
    }

    /// Rejects rows longer than [`ROW_BYTES_MAX`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let longest = self
            .edits
            .iter()
            .flat_map(|(_, edits)| edits)
            .map(|(key, value)| key.len().saturating_add(value.as_ref().map_or(0, Vec::len)))
            .max();
        match longest {
            Some(bytes) if bytes > ROW_BYTES_MAX => Err(Error::RowTooLong { bytes }),
            _ => Ok(()),
        }
    }
}

/// The edits of one keyspace, sorted by key.
pub(crate) type EditsOf<'a> = (Keyspace, Vec<Edit<'a>>);

/// A key and its new value; `None` deletes the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) value: Option<&'a [u8]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_does_not_count() {
        let mut batch = Batch::new();
        let mut sizes = Vec::new();
        for value in [Some(5), Some(2), None, None, Some(9)] {
            let key = b"key".to_vec();
            match value {
                Some(length) => batch.put(Keyspace::Items, key, vec![0; length]),
                None => batch.delete(Keyspace::Items, key),
            }
            sizes.push(batch.size_bytes());
        }
        batch.put(Keyspace::Indexes, b"key".to_vec(), Vec::new());
        sizes.push(batch.size_bytes());
        assert_eq!(sizes, [8, 5, 3, 3, 12, 15]);
        assert_eq!(batch.put_bytes(), 8 + 5 + 3 + 3 + 12 + 3);
    }
}
