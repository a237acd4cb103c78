//! Leaves: the offsets of rows in their blocks.
//!
//! With a million items in memory, cache misses dominate a lookup; one costs about as much as all
//! the computation in between. So lookups minimize them: the branches are few enough to stay in the
//! cache, a leaf is prefetched as a whole, and fingerprints find the row, where a binary search
//! would read seven keys.

use super::block::{Block, RowRef};
use super::key::{fingerprint, head};
use crate::store::bytes::{Bytes, Row};
use std::cmp::Ordering;
use std::ops::Range;

/// Maximum number of rows. Index rows are some sixty bytes long, so theirs fill two or three
/// blocks. Fits into a byte.
pub(super) const ROWS_MAX: usize = if cfg!(test) { 16 } else { 128 };

/// Maximum number of blocks. A commit increments the reference count of each block of each leaf
/// that it changes; more blocks mean fewer leaves.
pub(super) const BLOCKS_MAX: usize = if cfg!(test) { 4 } else { 16 };

/// Size of a cache line.
const LINE_BYTES: usize = 64;

/// Fingerprints compared at once.
const CHUNK: usize = 16;
const _: () = assert!(ROWS_MAX.is_multiple_of(CHUNK) && ROWS_MAX < u8::MAX as usize);

/// At least one row, sorted by key.
///
/// Everything is stored inline, and the fields that a lookup reads come first.
#[derive(Clone)]
#[repr(C)]
pub(super) struct Leaf {
    rows: u8,
    /// Per block, the number of rows up to its end. Padded with the maximum.
    ends: [u8; BLOCKS_MAX],
    /// Per row, a hash of its key.
    fingerprints: [u16; ROWS_MAX],
    /// Per row, its offset in its block, which is below [`BLOCK_BYTES_MAX`].
    ///
    /// [`BLOCK_BYTES_MAX`]: super::block::BLOCK_BYTES_MAX
    starts: [u16; ROWS_MAX],
    blocks: [Option<Block>; BLOCKS_MAX],
    /// Per block, the head of its first key. Padded with the maximum.
    heads: [u64; BLOCKS_MAX],
    size_bytes: u64,
}

impl Leaf {
    /// An empty leaf.
    pub(super) fn new() -> Self {
        Self {
            rows: 0,
            ends: [u8::MAX; BLOCKS_MAX],
            fingerprints: [0; ROWS_MAX],
            starts: [0; ROWS_MAX],
            blocks: [const { None }; BLOCKS_MAX],
            heads: [u64::MAX; BLOCKS_MAX],
            size_bytes: size_of::<Self>() as u64,
        }
    }

    /// Replaces a block or appends one, given the head of its first key and the fingerprints and
    /// offsets of its rows. The caller ensures that there is room.
    pub(super) fn put_block(
        &mut self,
        position: usize,
        block: Block,
        head: u64,
        fingerprints: &[u16],
        starts: impl Iterator<Item = usize>,
    ) {
        let (rows, old) = (self.rows(), self.rows_of(position));
        let end = old.start + fingerprints.len();
        let rows_new = end + rows - old.end;
        debug_assert!(rows_new <= ROWS_MAX, "a leaf of {rows_new} rows");
        if end != old.end && rows_new <= ROWS_MAX {
            self.fingerprints.copy_within(old.end..rows, end);
            self.starts.copy_within(old.end..rows, end);
            for own in self.ends.iter_mut().take_while(|own| **own != u8::MAX).skip(position + 1) {
                *own = number(usize::from(*own) + end - old.end);
            }
            self.rows = number(rows_new);
        }
        let slots = self.fingerprints.iter_mut().zip(&mut self.starts).skip(old.start);
        for ((own_fingerprint, own_start), (fingerprint, start)) in
            slots.zip(fingerprints.iter().zip(starts))
        {
            // In a block of several rows, all offsets are below the maximum.
            (*own_fingerprint, *own_start) = (*fingerprint, u16::try_from(start).unwrap_or(0));
        }
        let mut slots = self.ends.iter_mut().zip(&mut self.heads).zip(&mut self.blocks);
        if let Some(((own_end, own_head), own)) = slots.nth(position) {
            (*own_end, *own_head) = (number(end), head);
            self.size_bytes += block.bytes().len() as u64;
            self.size_bytes -= own.as_ref().map_or(0, |old| old.bytes().len() as u64);
            *own = Some(block);
        }
    }

    pub(super) fn rows(&self) -> usize {
        usize::from(self.rows)
    }

    /// Memory used by this leaf and its blocks.
    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    pub(super) fn blocks(&self) -> usize {
        self.ends.iter().filter(|end| **end != u8::MAX).count()
    }

    pub(super) fn block_of(&self, row: usize) -> usize {
        // Count all, as bytes: vectorized, that takes a few instructions.
        let row = u8::try_from(row).unwrap_or(u8::MAX - 1);
        let before: u8 = self.ends.iter().map(|end| u8::from(*end <= row)).sum();
        usize::from(before)
    }

    /// The rows of a block; an empty range past the last block.
    pub(super) fn rows_of(&self, block: usize) -> Range<usize> {
        let end = |block: usize| {
            self.ends.get(block).map_or(self.rows(), |end| usize::from(*end).min(self.rows()))
        };
        block.checked_sub(1).map_or(0, end)..end(block)
    }

    pub(super) fn block(&self, block: usize) -> Option<(&Block, u64)> {
        Some((self.blocks.get(block)?.as_ref()?, *self.heads.get(block)?))
    }

    pub(super) fn fingerprints(&self, rows: Range<usize>) -> &[u16] {
        self.fingerprints.get(rows).unwrap_or_default()
    }

    pub(super) fn starts(&self, rows: Range<usize>) -> &[u16] {
        self.starts.get(rows).unwrap_or_default()
    }

    pub(super) fn row(&self, row: usize) -> Option<RowRef<'_>> {
        let block = self.block_of(row);
        let is_last = self.ends.get(block).is_some_and(|end| usize::from(*end) == row + 1);
        let block = self.blocks.get(block)?.as_ref()?;
        let start = usize::from(*self.starts.get(row)?);
        let end = match self.starts.get(row + 1) {
            Some(next) if !is_last => usize::from(*next),
            _ => block.bytes().len(),
        };
        Some(block.row(start..end))
    }

    pub(super) fn key(&self, row: usize) -> &[u8] {
        self.row(row).map_or(&[], RowRef::key)
    }

    pub(super) fn share(&self, row: usize) -> Option<Row> {
        let (shared, start, middle, end) = self.row(row)?.share();
        Some(Row::new(shared, start, middle, end))
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<Bytes> {
        let (_, row) = self.find(key)?;
        let (shared, _, middle, end) = row.share();
        Some(Bytes::new(shared, middle..end))
    }

    /// Prefetches all memory that a lookup may read: one cache miss instead of four.
    fn touch(&self) {
        let numbers = LINE_BYTES / size_of::<u16>();
        let fingerprints = self.fingerprints.iter().step_by(numbers);
        let starts = self.starts.iter().step_by(numbers);
        let blocks = self.blocks.iter().step_by(LINE_BYTES / size_of::<Option<Block>>());
        let sum: usize = fingerprints.chain(starts).map(|number| usize::from(*number)).sum();
        std::hint::black_box(sum + blocks.flatten().count());
    }

    /// Prefetches the reference counts of the blocks. See `Branch::touch_children`.
    pub(super) fn touch_blocks(&self) {
        std::hint::black_box(self.blocks.iter().flatten().map(Block::touch).sum::<usize>());
    }

    fn find(&self, key: &[u8]) -> Option<(usize, RowRef<'_>)> {
        self.touch();
        let wanted = fingerprint(key);
        let (chunks, _) = self.fingerprints.as_chunks::<CHUNK>();
        for (number, chunk) in chunks.iter().enumerate() {
            // Branchless, so that all are compared at once.
            if !chunk.iter().fold(false, |any, own| any | (*own == wanted)) {
                continue;
            }
            for (row, own) in (number * CHUNK..self.rows()).zip(chunk) {
                if *own == wanted
                    && let Some(found) = self.row(row)
                {
                    // The reference count is at the start of the block: prefetched together with
                    // the row, both are one cache miss.
                    std::hint::black_box(found.block.touch());
                    if found.key() == key {
                        return Some((row, found));
                    }
                }
            }
        }
        None
    }

    /// The row with this key, or its insertion point.
    pub(super) fn search(&self, key: &[u8]) -> Result<usize, usize> {
        // The key belongs to the last block whose first key is not greater. Heads decide, unless
        // several blocks start in the same partition.
        let wanted = head(key);
        let mut block = self.heads.iter().filter(|head| **head < wanted).count();
        while self.heads.get(block) == Some(&wanted)
            && self.row(self.rows_of(block).start).is_some_and(|first| first.key() <= key)
        {
            block += 1;
        }
        let Range { start: mut low, end: mut high } = self.rows_of(block.saturating_sub(1));
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.key(middle).cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    pub(super) fn find_or_search(&self, key: &[u8]) -> Result<usize, usize> {
        self.find(key).map_or_else(|| self.search(key), |(row, _)| Ok(row))
    }

    /// Whether this leaf should be merged with a neighbour.
    pub(super) fn is_small(&self) -> bool {
        self.rows() < ROWS_MAX / 4 && self.blocks() < BLOCKS_MAX / 4
    }

    /// Describes the first inconsistency, if any.
    pub(super) fn verify(&self, from: &[u8], to: Option<&[u8]>) -> Result<(), String> {
        let rows = self.rows();
        if rows == 0 || rows > ROWS_MAX {
            return Err(format!("a leaf has {rows} rows"));
        }
        let sorted = (1..rows).all(|row| self.key(row - 1) < self.key(row));
        let between =
            self.key(0) >= from && to.is_none_or(|to| self.key(rows.saturating_sub(1)) < to);
        if !sorted || !between {
            return Err("the keys of a leaf are out of order".to_owned());
        }
        if (0..rows).any(|row| self.find(self.key(row)).is_none_or(|(found, _)| found != row)) {
            return Err("a key is not found by its fingerprint".to_owned());
        }
        if (0..rows).any(|row| self.search(self.key(row)) != Ok(row)) {
            return Err("a key is not found by the head of its block".to_owned());
        }
        Ok(())
    }
}

/// A leaf has at most [`ROWS_MAX`] rows, so this never truncates.
fn number(rows: usize) -> u8 {
    u8::try_from(rows).unwrap_or(u8::MAX)
}
