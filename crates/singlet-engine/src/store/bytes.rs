//! What reads hand out: bytes that are shared with the store, not copied from it.

use singlet_dynamo::stored::StoredItem;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A value, as it is stored.
///
/// In memory this points into the store and keeps alive the few kilobytes around the value,
/// whatever happens to the row afterwards; from disk it is a copy of its own. Whoever keeps
/// many values for long should copy them.
#[derive(Clone)]
pub struct Bytes {
    shared: Arc<[u8]>,
    /// Where the value lies. Rows are at most [`ROW_BYTES_MAX`](super::ROW_BYTES_MAX) long.
    start: u32,
    end: u32,
}

impl Bytes {
    pub(crate) fn new(shared: Arc<[u8]>, range: Range<u32>) -> Self {
        Self { shared, start: range.start, end: range.end }
    }

    /// All but the last byte, and that byte; nothing if there is none.
    pub(crate) fn split_last(mut self) -> Option<(Self, u8)> {
        let last = *self.last()?;
        self.end -= 1;
        Some((self, last))
    }

    fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.shared.get(self.range()).unwrap_or_default()
    }
}

/// The value as an item, without a copy. Whoever does this knows that it is one.
impl From<Bytes> for StoredItem {
    fn from(bytes: Bytes) -> Self {
        let range = bytes.range();
        Self::new(bytes.shared, range)
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
    }
}

/// A key and its value, as a range finds them. See [`Bytes`] for what it keeps alive.
#[derive(Clone)]
pub struct Row {
    shared: Arc<[u8]>,
    start: u32,
    /// Where the key ends and the value begins.
    middle: u32,
    end: u32,
}

impl Row {
    /// The row whose key and value lie one behind the other.
    pub(crate) fn new(shared: Arc<[u8]>, start: u32, middle: u32, end: u32) -> Self {
        Self { shared, start, middle, end }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.shared.get(self.start as usize..self.middle as usize).unwrap_or_default()
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.shared.get(self.middle as usize..self.end as usize).unwrap_or_default()
    }

    /// The row with all but the last byte of its value, and that byte; nothing if there is none.
    pub(crate) fn split_last(mut self) -> Option<(Self, u8)> {
        let last = *self.value().last()?;
        self.end -= 1;
        Some((self, last))
    }

    /// The value, to be kept without its key.
    #[must_use]
    pub fn into_value(self) -> Bytes {
        Bytes::new(self.shared, self.middle..self.end)
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\": b\"{}\"", self.key().escape_ascii(), self.value().escape_ascii())
    }
}
