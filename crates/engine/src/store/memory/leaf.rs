//! Leaves: a few rows, one behind the other, in one piece of memory.
//!
//! ```text
//! rows u16 | fingerprint u16 for each row | (middle u32, end u32) for each row | key value key value …
//! ```
//!
//! Middles and ends count from where the first key begins. All numbers are little-endian.
//!
//! Why one piece of bytes and not a vector of rows: a commit copies the leaf it changes. Copying
//! rows that are counted pointers writes to each of them, and with a million items in memory
//! each is a miss of the cache; copying a few kilobytes that lie together is what memory is best
//! at. And a value that was read is a pointer into the leaf, so that nothing is copied for it.
//!
//! Why fingerprints: a lookup reads them, which takes one line of the cache, and then the one
//! row that it wants. A binary search would read four other keys on its way.

use super::key::{fingerprint, separator};
use crate::store::batch::Edit;
use crate::store::bytes::{Bytes, Row};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// How many bytes of rows a leaf holds, unless it holds a single row. Less makes deeper trees
/// and slower reads, more makes a commit copy more.
pub(super) const LEAF_BYTES_MAX: usize = 4096;

/// How many rows a leaf holds. Rows of indexes are some sixty bytes long, so that this and
/// [`LEAF_BYTES_MAX`] bound their leaves at about the same size.
pub(super) const LEAF_ROWS_MAX: usize = 64;

/// A leaf with fewer bytes than this is joined with a neighbour when a row goes.
const LEAF_BYTES_MIN: usize = LEAF_BYTES_MAX / 4;

const COUNT: usize = size_of::<u16>();
const FINGERPRINT: usize = size_of::<u16>();
const ENDS: usize = 2 * size_of::<u32>();

/// At least one row, sorted by key.
#[derive(Clone)]
pub(super) struct Leaf(Arc<[u8]>);

/// Where a row lies in its leaf.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    middle: usize,
    end: usize,
}

/// A row that is about to become part of a leaf.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
}

impl Entry<'_> {
    fn len(self) -> usize {
        self.key.len() + self.value.len()
    }
}

impl Leaf {
    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.0.first_chunk().map_or(0, |count| usize::from(u16::from_le_bytes(*count)))
    }

    /// How many bytes of memory this leaf takes.
    pub(super) fn size_bytes(&self) -> usize {
        self.0.len()
    }

    /// Asks for the memory that cloning this leaf will write to. See `Branch::apply`.
    pub(super) fn touch(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    fn slice(&self, range: Range<usize>) -> &[u8] {
        self.0.get(range).unwrap_or_default()
    }

    fn fingerprints(&self, rows: Range<usize>) -> &[u8] {
        self.slice(COUNT + rows.start * FINGERPRINT..COUNT + rows.end * FINGERPRINT)
    }

    fn ends(&self, rows: Range<usize>) -> &[u8] {
        let start = COUNT + self.rows() * FINGERPRINT;
        self.slice(start + rows.start * ENDS..start + rows.end * ENDS)
    }

    /// Where the first key begins.
    fn body(&self) -> usize {
        COUNT + self.rows() * (FINGERPRINT + ENDS)
    }

    fn span(&self, row: usize) -> Span {
        let body = self.body();
        let number = |at: Option<&[u8; 4]>| at.map_or(0, |at| u32::from_le_bytes(*at) as usize);
        // The end of the row before is the start of this one.
        let (ends, _) = self.ends(row.saturating_sub(1)..row + 1).as_chunks::<4>();
        match ends {
            [_, start, middle, end] => Span {
                start: body + number(Some(start)),
                middle: body + number(Some(middle)),
                end: body + number(Some(end)),
            },
            _ => Span {
                start: body,
                middle: body + number(ends.first()),
                end: body + number(ends.last()),
            },
        }
    }

    pub(super) fn key(&self, row: usize) -> &[u8] {
        let span = self.span(row);
        self.slice(span.start..span.middle)
    }

    fn entry(&self, row: usize) -> Entry<'_> {
        let span = self.span(row);
        Entry { key: self.slice(span.start..span.middle), value: self.slice(span.middle..span.end) }
    }

    /// The row, shared with this leaf.
    pub(super) fn row(&self, row: usize) -> Row {
        let span = self.span(row);
        Row::new(Arc::clone(&self.0), offset(span.start), offset(span.middle), offset(span.end))
    }

    /// The value of a key, shared with this leaf.
    pub(super) fn get(&self, key: &[u8]) -> Option<Bytes> {
        let span = self.span(self.find(key)?);
        Some(Bytes::new(Arc::clone(&self.0), offset(span.middle)..offset(span.end)))
    }

    /// Which row has this key.
    fn find(&self, key: &[u8]) -> Option<usize> {
        let wanted = fingerprint(key).to_le_bytes();
        let (fingerprints, _) = self.fingerprints(0..self.rows()).as_chunks::<FINGERPRINT>();
        let mut candidates =
            fingerprints.iter().enumerate().filter(|(_, fingerprint)| **fingerprint == wanted);
        candidates.find(|(row, _)| self.key(*row) == key).map(|(row, _)| row)
    }

    /// Which row has this key, or before which row it belongs.
    pub(super) fn search(&self, key: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.rows());
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

    fn find_or_search(&self, key: &[u8]) -> Result<usize, usize> {
        self.find(key).map_or_else(|| self.search(key), Ok)
    }

    /// Whether this leaf should be joined with a neighbour.
    pub(super) fn is_small(&self) -> bool {
        self.0.len() < LEAF_BYTES_MIN
    }

    /// Makes this leaf's rows, with the edits done, into as many leaves as they need. Each
    /// comes with the separator between it and the leaf before it; the first comes with
    /// `from`.
    pub(super) fn apply(
        &self,
        edits: &[Edit<'_>],
        from: &[u8],
        scratch: &mut Vec<u8>,
    ) -> Vec<(Vec<u8>, Self)> {
        if let [edit] = edits
            && let Some(leaf) = self.splice(*edit, scratch)
        {
            return vec![(from.to_vec(), leaf)];
        }
        let mut entries = Vec::with_capacity(self.rows() + edits.len());
        let mut next = 0;
        for edit in edits {
            let (before, after) = match self.search(edit.key) {
                Ok(row) => (row, row + 1),
                Err(row) => (row, row),
            };
            entries.extend((next..before).map(|row| self.entry(row)));
            entries.extend(edit.value.map(|value| Entry { key: edit.key, value }));
            next = after;
        }
        // Rows that arrive in the order of their keys, as stream records do, leave full leaves
        // behind; any others leave room on both sides of a split.
        let fill = if next == self.rows() { Fill::Full } else { Fill::Even };
        entries.extend((next..self.rows()).map(|row| self.entry(row)));
        pack(&entries, fill, from, scratch)
    }

    /// One edit, done without looking at the other rows, where the result still is one leaf.
    fn splice(&self, edit: Edit<'_>, scratch: &mut Vec<u8>) -> Option<Self> {
        let rows = self.rows();
        let (before, after) = match self.find_or_search(edit.key) {
            Ok(row) => (row, row + 1),
            Err(row) => (row, row),
        };
        let added = edit.value.map(|value| Entry { key: edit.key, value });
        let rows_new = rows - (after - before) + usize::from(added.is_some());
        let body = self.body();
        let cut_start = if before == 0 { body } else { self.span(before - 1).end };
        let cut_end = if after == before { cut_start } else { self.span(before).end };
        let added_bytes = added.map_or(0, Entry::len);
        let bytes_new = self.0.len() - body - (cut_end - cut_start) + added_bytes;
        if rows_new == 0 || rows_new > LEAF_ROWS_MAX {
            return None;
        }
        if bytes_new > LEAF_BYTES_MAX && rows_new > 1 {
            return None;
        }

        scratch.clear();
        scratch.extend_from_slice(&count(rows_new));
        scratch.extend_from_slice(self.fingerprints(0..before));
        scratch.extend(added.into_iter().flat_map(|entry| fingerprint(entry.key).to_le_bytes()));
        scratch.extend_from_slice(self.fingerprints(after..rows));
        scratch.extend_from_slice(self.ends(0..before));
        let start = cut_start - body;
        if let Some(entry) = added {
            scratch.extend_from_slice(&offset(start + entry.key.len()).to_le_bytes());
            scratch.extend_from_slice(&offset(start + entry.len()).to_le_bytes());
        }
        // Rows behind the edit move by the same distance, which wraps around when they move
        // towards the front.
        let distance = offset(cut_start + added_bytes).wrapping_sub(offset(cut_end));
        let (ends, _) = self.ends(after..rows).as_chunks::<4>();
        for end in ends {
            let moved = u32::from_le_bytes(*end).wrapping_add(distance);
            scratch.extend_from_slice(&moved.to_le_bytes());
        }
        scratch.extend_from_slice(self.slice(body..cut_start));
        if let Some(entry) = added {
            scratch.extend_from_slice(entry.key);
            scratch.extend_from_slice(entry.value);
        }
        scratch.extend_from_slice(self.slice(cut_end..self.0.len()));
        Some(Self(Arc::from(scratch.as_slice())))
    }

    fn build(entries: &[Entry<'_>], scratch: &mut Vec<u8>) -> Self {
        scratch.clear();
        scratch.extend_from_slice(&count(entries.len()));
        for entry in entries {
            scratch.extend_from_slice(&fingerprint(entry.key).to_le_bytes());
        }
        let mut start = 0;
        for entry in entries {
            scratch.extend_from_slice(&offset(start + entry.key.len()).to_le_bytes());
            start += entry.len();
            scratch.extend_from_slice(&offset(start).to_le_bytes());
        }
        for entry in entries {
            scratch.extend_from_slice(entry.key);
            scratch.extend_from_slice(entry.value);
        }
        Self(Arc::from(scratch.as_slice()))
    }

    /// One leaf with the rows of this one and of the one behind it, if they fit.
    pub(super) fn join(&self, next: &Self, scratch: &mut Vec<u8>) -> Option<Self> {
        let bytes = self.0.len() - self.body() + next.0.len() - next.body();
        if bytes > LEAF_BYTES_MAX || self.rows() + next.rows() > LEAF_ROWS_MAX {
            return None;
        }
        let entries: Vec<_> = self.entries().chain(next.entries()).collect();
        Some(Self::build(&entries, scratch))
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        (0..self.rows()).map(|row| self.entry(row))
    }

    /// Says what is wrong with this leaf, if anything is.
    pub(super) fn verify(&self, from: &[u8], to: Option<&[u8]>) -> Result<(), String> {
        let rows = self.rows();
        if rows == 0 || rows > LEAF_ROWS_MAX {
            return Err(format!("a leaf has {rows} rows"));
        }
        let sorted = (1..rows).all(|row| self.key(row - 1) < self.key(row));
        let between =
            self.key(0) >= from && to.is_none_or(|to| self.key(rows.saturating_sub(1)) < to);
        if !sorted || !between {
            return Err("the keys of a leaf are out of order".to_owned());
        }
        if (0..rows).any(|row| self.find(self.key(row)) != Some(row)) {
            return Err("a key is not found by its fingerprint".to_owned());
        }
        if self.span(rows - 1).end != self.0.len() {
            return Err("a leaf ends before or behind its last row".to_owned());
        }
        Ok(())
    }
}

/// How rows are laid out over leaves.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fill {
    /// Every leaf but the last is full.
    Full,
    /// All leaves hold about the same.
    Even,
}

/// Makes leaves of sorted rows. See [`Leaf::apply`] for what they come with.
pub(super) fn pack(
    entries: &[Entry<'_>],
    fill: Fill,
    from: &[u8],
    scratch: &mut Vec<u8>,
) -> Vec<(Vec<u8>, Leaf)> {
    let total: usize = entries.iter().map(|entry| entry.len()).sum();
    let leaves = total.div_ceil(LEAF_BYTES_MAX).max(entries.len().div_ceil(LEAF_ROWS_MAX)).max(1);
    let bytes_target = match fill {
        Fill::Full => LEAF_BYTES_MAX,
        Fill::Even => total.div_ceil(leaves),
    };
    let rows_target = match fill {
        Fill::Full => LEAF_ROWS_MAX,
        Fill::Even => entries.len().div_ceil(leaves).max(LEAF_ROWS_MAX / 2),
    };

    let mut packed = Vec::with_capacity(leaves);
    let mut separator_next = from.to_vec();
    let mut rest = entries;
    while !rest.is_empty() {
        let mut bytes = 0;
        let rows = rest
            .iter()
            .take(rows_target)
            .take_while(|entry| {
                // A row belongs to this leaf when at least half of it does, but never beyond
                // what a leaf may hold.
                let fits = bytes == 0
                    || bytes + entry.len() / 2 <= bytes_target
                        && bytes + entry.len() <= LEAF_BYTES_MAX;
                bytes += entry.len();
                fits
            })
            .count();
        // At least one row, for a row of no bytes at all has a place too.
        let (now, later) = rest.split_at_checked(rows.max(1)).unwrap_or((rest, &[]));
        packed.push((std::mem::take(&mut separator_next), Leaf::build(now, scratch)));
        if let (Some(last), Some(first)) = (now.last(), later.first()) {
            separator_next = separator(last.key, first.key).to_vec();
        }
        rest = later;
    }
    packed
}

/// Leaves hold at most [`LEAF_BYTES_MAX`] or one row, and rows are bounded by
/// [`ROW_BYTES_MAX`](crate::store::ROW_BYTES_MAX), so that nothing is ever cut off here.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Leaves hold at most [`LEAF_ROWS_MAX`] rows.
fn count(rows: usize) -> [u8; COUNT] {
    u16::try_from(rows).unwrap_or(u16::MAX).to_le_bytes()
}
