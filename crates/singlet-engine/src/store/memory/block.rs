//! Blocks: a few rows, one behind the other, in one piece of memory.
//!
//! ```text
//! (length of the key u32, little-endian | key | value) for each row
//! ```
//!
//! Why rows lie together and not each by itself: a commit gives another owner to all that it
//! leaves as it is, and writes to each for that. With a million items in memory each such write
//! is a wait for memory, while copying a few kilobytes that lie together is what memory is best
//! at. And a value that was read is a pointer into its block, so that nothing is copied for it.

use super::key::head;
use std::ops::Range;
use std::sync::Arc;

/// How many bytes of rows a block holds, unless it holds a single row. Less makes more blocks to
/// write to, more makes a commit copy more.
pub(super) const BLOCK_BYTES_MAX: usize = if cfg!(test) { 256 } else { 4096 };

/// A block with fewer bytes than this is joined with a neighbour where both fit into one.
const BLOCK_BYTES_MIN: usize = BLOCK_BYTES_MAX / 4;

const KEY_LENGTH: usize = size_of::<u32>();

/// At least one row, sorted by key. Where each begins, its leaf knows.
#[derive(Clone)]
pub(super) struct Block(Arc<[u8]>);

impl Block {
    /// A block of these rows, which [`push_row`] has written.
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

    /// The row that lies here.
    pub(super) fn row(&self, range: Range<usize>) -> RowRef<'_> {
        RowRef { block: self, start: range.start, end: range.end }
    }

    /// One block with the rows of this one and of the one behind it, if one of them is small and
    /// both fit.
    pub(super) fn join(&self, next: &Self) -> Option<Self> {
        let (left, right) = (self.0.len(), next.0.len());
        let is_any_small = Self::is_small(self.bytes()) || Self::is_small(next.bytes());
        let joins = is_any_small && left + right <= BLOCK_BYTES_MAX;
        joins.then(|| Self::new(&[self.bytes(), next.bytes()].concat()))
    }

    /// Whether a block of these rows should be joined with a neighbour.
    pub(super) fn is_small(rows: &[u8]) -> bool {
        rows.len() < BLOCK_BYTES_MIN
    }

    /// Asks for the memory that cloning this block will write to. See `Branch::touch_children`.
    pub(super) fn touch(&self) -> usize {
        Arc::strong_count(&self.0)
    }
}

/// A row, read where it lies.
#[derive(Clone, Copy)]
pub(super) struct RowRef<'a> {
    pub(super) block: &'a Block,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'a> RowRef<'a> {
    /// Where the key ends and the value begins.
    fn middle(self) -> usize {
        let row = self.block.0.get(self.start..).unwrap_or_default();
        let length = row.first_chunk().map_or(0, |length| u32::from_le_bytes(*length));
        self.start + KEY_LENGTH + length as usize
    }

    pub(super) fn key(self) -> &'a [u8] {
        self.block.0.get(self.start + KEY_LENGTH..self.middle()).unwrap_or_default()
    }

    /// The bytes that this row shares with others, and where its key begins, its value begins,
    /// and its value ends.
    pub(super) fn share(self) -> (Arc<[u8]>, u32, u32, u32) {
        let (start, middle) = (self.start + KEY_LENGTH, self.middle());
        (Arc::clone(&self.block.0), offset(start), offset(middle), offset(self.end))
    }
}

/// Writes a row behind others.
pub(super) fn push_row(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&offset(key.len()).to_le_bytes());
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

/// Rows are bounded by [`ROW_BYTES_MAX`](crate::store::ROW_BYTES_MAX), and so are blocks, so that
/// nothing is ever cut off here.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
