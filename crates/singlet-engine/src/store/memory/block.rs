//! Blocks: a few rows in one allocation.
//!
//! ```text
//! (length of the key u32, little-endian | key | value) for each row
//! ```
//!
//! Rows share allocations because a commit increments the reference count of everything that it
//! keeps. With a million items in memory each of these writes is a cache miss, while copying a few
//! kilobytes of contiguous memory is cheap. A value that was read points into its block, without a
//! copy.

use super::key::head;
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of a block with more than one row. Smaller blocks mean more reference counts,
/// larger ones more copying per commit.
pub(super) const BLOCK_BYTES_MAX: usize = if cfg!(test) { 256 } else { 4096 };

/// Smaller blocks are merged with a neighbour if both fit into one.
const BLOCK_BYTES_MIN: usize = BLOCK_BYTES_MAX / 4;

const KEY_LENGTH: usize = size_of::<u32>();

/// At least one row, sorted by key. Its leaf stores the row offsets.
#[derive(Clone)]
pub(super) struct Block(Arc<[u8]>);

impl Block {
    /// A block of rows written by [`push_row`].
    pub(super) fn new(rows: &[u8]) -> Self {
        Self(rows.into())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The head of the first key.
    pub(super) fn head(&self) -> u64 {
        head(self.row(0..0).key())
    }

    pub(super) fn row(&self, range: Range<usize>) -> RowRef<'_> {
        RowRef { block: self, start: range.start, end: range.end }
    }

    /// Merges two adjacent blocks, if one of them is small and both fit.
    pub(super) fn join(&self, next: &Self) -> Option<Self> {
        let (left, right) = (self.0.len(), next.0.len());
        let is_any_small = Self::is_small(self.bytes()) || Self::is_small(next.bytes());
        let joins = is_any_small && left + right <= BLOCK_BYTES_MAX;
        joins.then(|| Self::new(&[self.bytes(), next.bytes()].concat()))
    }

    /// Whether a block of these rows should be merged with a neighbour.
    pub(super) fn is_small(rows: &[u8]) -> bool {
        rows.len() < BLOCK_BYTES_MIN
    }

    /// Prefetches the memory that cloning this block will write to. See `Branch::touch_children`.
    pub(super) fn touch(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

#[derive(Clone, Copy)]
pub(super) struct RowRef<'a> {
    pub(super) block: &'a Block,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'a> RowRef<'a> {
    /// End of the key and start of the value.
    fn middle(self) -> usize {
        let row = self.block.0.get(self.start..).unwrap_or_default();
        let length = row.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        self.start + KEY_LENGTH + length as usize
    }

    pub(super) fn key(self) -> &'a [u8] {
        self.block.0.get(self.start + KEY_LENGTH..self.middle()).unwrap_or_default()
    }

    /// The shared bytes, and the offsets of key start, value start and value end.
    pub(super) fn share(self) -> (Arc<[u8]>, u32, u32, u32) {
        let (start, middle) = (self.start + KEY_LENGTH, self.middle());
        (Arc::clone(&self.block.0), offset(start), offset(middle), offset(self.end))
    }
}

/// Appends a row.
pub(super) fn push_row(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&offset(key.len()).to_le_bytes());
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

/// Rows are at most [`ROW_BYTES_MAX`](crate::store::ROW_BYTES_MAX) long, and so are blocks, so this
/// never truncates.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
