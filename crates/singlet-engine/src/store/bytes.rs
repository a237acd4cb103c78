//! Values and rows, shared with the store instead of copied.

use singlet_dynamo::stored::StoredItem;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A stored value.
///
/// In memory this points into the store and keeps the surrounding block of a few kilobytes alive;
/// from disk it is a copy. Copy values that are kept for long.
#[derive(Clone)]
pub struct Bytes {
    shared: Arc<[u8]>,
    /// The range of the value. Rows are at most [`ROW_BYTES_MAX`](super::ROW_BYTES_MAX) long.
    start: u32,
    end: u32,
}

impl Bytes {
    pub(crate) fn new(shared: Arc<[u8]>, range: Range<u32>) -> Self {
        Self { shared, start: range.start, end: range.end }
    }

    pub(crate) fn copy_of(value: &[u8]) -> Self {
        // A batch rejects values that are too long for this.
        Self::new(value.into(), 0..value.len() as u32)
    }

    /// Splits off the last byte; `None` if empty.
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

/// Converts without copying. The value must be an encoded item.
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

/// A key and its value. See [`Bytes`] for the memory it keeps alive.
#[derive(Clone)]
pub struct Row {
    shared: Arc<[u8]>,
    start: u32,
    /// End of the key and start of the value.
    middle: u32,
    end: u32,
}

impl Row {
    /// A row whose value directly follows its key.
    pub(crate) fn new(shared: Arc<[u8]>, start: u32, middle: u32, end: u32) -> Self {
        Self { shared, start, middle, end }
    }

    /// The row's key.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.shared.get(self.start as usize..self.middle as usize).unwrap_or_default()
    }

    /// The row's value.
    #[must_use]
    pub fn value(&self) -> &[u8] {
        self.shared.get(self.middle as usize..self.end as usize).unwrap_or_default()
    }

    /// Splits off the last byte of the value; `None` if empty.
    pub(crate) fn split_last(mut self) -> Option<(Self, u8)> {
        let last = *self.value().last()?;
        self.end -= 1;
        Some((self, last))
    }

    /// The value, without copying.
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
