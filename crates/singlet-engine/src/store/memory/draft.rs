//! Building leaves: which blocks to keep, which to rewrite, and where to split.

use super::block::{BLOCK_BYTES_MAX, Block, RowRef, push_row};
use super::branch::{Applied, Node, Piece};
use super::key::{common_prefix, fingerprint, separator};
use super::leaf::{BLOCKS_MAX, Leaf, ROWS_MAX};
use crate::store::batch::Edit;
use std::ops::Range;
use std::sync::Arc;

/// Buffer memory kept between commits: enough for any leaf without large rows.
const BYTES_KEPT_MAX: usize = 4 * BLOCK_BYTES_MAX;

/// How to distribute rows over blocks and leaves.
#[derive(Clone, Copy, PartialEq)]
enum Fill {
    /// As full as possible.
    Full,
    /// Evenly.
    Even,
}

/// Builder for leaves, with reusable buffers.
#[derive(Default)]
pub(super) struct Draft {
    fingerprints: Vec<u16>,
    /// Offset of each row: in its block, or in `bytes` if it has none yet.
    starts: Vec<usize>,
    blocks: Vec<BlockDraft>,
    /// The last rows, which have no block yet.
    bytes: Vec<u8>,
}

struct BlockDraft {
    block: Block,
    /// The head of its first key.
    head: u64,
    /// Number of rows up to its end.
    end: usize,
}

/// The position of an edit.
struct Spot {
    block: usize,
    /// The row with its key, or an empty range at the insertion point.
    rows: Range<usize>,
}

impl Leaf {
    /// Applies edits to this leaf, whose keys start at `from`.
    pub(super) fn apply(&self, edits: &[Edit<'_>], from: &[u8], draft: &mut Draft) -> Applied {
        self.touch_blocks();
        if let [edit] = edits
            && let Some(leaf) = self.splice(*edit, draft)
        {
            return Applied::One(Node::Leaf(Arc::new(leaf)));
        }
        draft.clear();
        // The rows before this one are in the draft.
        let mut next = 0;
        // The block being rewritten.
        let mut rewritten = None;
        for edit in edits {
            let spot = self.spot(edit.key);
            if rewritten != Some(spot.block) {
                if let Some(rewritten) = rewritten {
                    next = draft.finish_block(self, rewritten, next, Fill::Even);
                }
                next = draft.keep_blocks(self, self.block_of(next)..spot.block);
                rewritten = Some(spot.block);
            }
            draft.copy_rows(self, next..spot.rows.start);
            draft.push_edit(*edit);
            next = spot.rows.end;
        }
        // Rows appended in key order, like stream records, leave full leaves behind; otherwise
        // leave room on both sides of a split.
        let fill = if next == self.rows() { Fill::Full } else { Fill::Even };
        if let Some(rewritten) = rewritten {
            next = draft.finish_block(self, rewritten, next, fill);
        }
        draft.keep_blocks(self, self.block_of(next)..self.blocks());
        let mut pieces = draft.cut_leaves(fill, from);
        match pieces.pop() {
            Some(only) if pieces.is_empty() => Applied::One(only.node),
            last => {
                pieces.extend(last);
                Applied::Several(pieces)
            }
        }
    }

    fn spot(&self, key: &[u8]) -> Spot {
        match self.find_or_search(key) {
            Ok(row) => Spot { block: self.block_of(row), rows: row..row + 1 },
            // A new row joins the row before it, so that rows that arrive in order fill blocks.
            Err(row) => Spot { block: self.block_of(row.saturating_sub(1)), rows: row..row },
        }
    }

    /// Fast path for one edit: touches one block only, if the others can stay.
    fn splice(&self, edit: Edit<'_>, draft: &mut Draft) -> Option<Self> {
        let spot = self.spot(edit.key);
        let (old, _) = self.block(spot.block)?;
        let rows = self.rows_of(spot.block);
        draft.clear();
        draft.copy_rows(self, rows.start..spot.rows.start);
        draft.push_edit(edit);
        draft.copy_rows(self, spot.rows.end..rows.end);
        let fits = match draft.rows() {
            0 => false,
            1 => true,
            _ => draft.bytes.len() <= BLOCK_BYTES_MAX,
        };
        let shrinks = draft.bytes.len() < old.bytes().len() && Block::is_small(&draft.bytes);
        if !fits || shrinks || self.rows() - rows.len() + draft.rows() > ROWS_MAX {
            return None;
        }
        let block = Block::new(&draft.bytes);
        let head = block.head();
        let mut leaf = self.clone();
        let starts = draft.starts.iter().copied();
        leaf.put_block(spot.block, block, head, &draft.fingerprints, starts);
        Some(leaf)
    }

    /// Merges two adjacent leaves, if they fit.
    pub(super) fn join(&self, next: &Self, draft: &mut Draft) -> Option<Node> {
        if self.rows() + next.rows() > ROWS_MAX || self.blocks() + next.blocks() > BLOCKS_MAX {
            return None;
        }
        draft.clear();
        draft.keep_blocks(self, 0..self.blocks());
        draft.keep_blocks(next, 0..next.blocks());
        draft.cut_leaves(Fill::Full, &[]).pop().map(|piece| piece.node)
    }
}

impl Draft {
    /// The first leaves of an empty map.
    pub(super) fn leaves(&mut self, edits: &[Edit<'_>]) -> Vec<Piece> {
        self.clear();
        for edit in edits {
            self.push_edit(*edit);
        }
        self.cut_blocks(Fill::Full);
        self.cut_leaves(Fill::Full, &[])
    }

    /// Clears the draft, and releases memory that only a large commit needs.
    pub(super) fn shrink(&mut self) {
        self.clear();
        self.bytes.shrink_to(BYTES_KEPT_MAX);
        self.fingerprints.shrink_to(2 * ROWS_MAX);
        self.starts.shrink_to(2 * ROWS_MAX);
        self.blocks.shrink_to(2 * BLOCKS_MAX);
    }

    fn clear(&mut self) {
        self.fingerprints.clear();
        self.starts.clear();
        self.blocks.clear();
        self.bytes.clear();
    }

    fn rows(&self) -> usize {
        self.fingerprints.len()
    }

    /// Adds blocks of a leaf unchanged. Returns the row after them.
    fn keep_blocks(&mut self, leaf: &Leaf, blocks: Range<usize>) -> usize {
        let first_row = leaf.rows_of(blocks.start).start;
        let mut next = first_row;
        for position in blocks {
            let Some((block, head)) = leaf.block(position) else { continue };
            let rows = leaf.rows_of(position);
            next = rows.end;
            self.fingerprints.extend_from_slice(leaf.fingerprints(rows.clone()));
            self.starts.extend(leaf.starts(rows).iter().map(|start| usize::from(*start)));
            self.push_block(block.clone(), head, self.fingerprints.len());
        }
        next
    }

    /// Copies rows of one block of a leaf.
    fn copy_rows(&mut self, leaf: &Leaf, rows: Range<usize>) {
        let last = rows.clone().next_back().and_then(|row| leaf.row(row));
        let Some((first, last)) = leaf.row(rows.start).zip(last) else { return };
        self.fingerprints.extend_from_slice(leaf.fingerprints(rows.clone()));
        let begin = self.bytes.len();
        let starts = leaf.starts(rows).iter().map(|start| usize::from(*start));
        self.starts.extend(starts.map(|start| begin + start.saturating_sub(first.start)));
        let copied = first.block.bytes().get(first.start..last.end);
        self.bytes.extend_from_slice(copied.unwrap_or_default());
    }

    /// Adds the row that an edit writes, if any.
    fn push_edit(&mut self, edit: Edit<'_>) {
        if let Some(value) = edit.value {
            self.fingerprints.push(fingerprint(edit.key));
            self.starts.push(self.bytes.len());
            push_row(edit.key, value, &mut self.bytes);
        }
    }

    /// Copies the rest of a block being rewritten. Returns the row after it.
    fn finish_block(&mut self, leaf: &Leaf, block: usize, next: usize, fill: Fill) -> usize {
        let end = leaf.rows_of(block).end;
        self.copy_rows(leaf, next..end);
        self.cut_blocks(fill);
        end
    }

    /// Splits the rows without a block into blocks.
    fn cut_blocks(&mut self, fill: Fill) {
        let bytes_target = match fill {
            Fill::Full => BLOCK_BYTES_MAX,
            Fill::Even => {
                let blocks = self.bytes.len().div_ceil(BLOCK_BYTES_MAX).max(1);
                self.bytes.len().div_ceil(blocks)
            }
        };
        let mut first = self.blocks.last().map_or(0, |block| block.end);
        while first < self.rows() {
            let begin = self.start(first);
            // A row belongs to this block if at least half of it fits the target and all of it the
            // maximum.
            let fits = |row: &usize| {
                let (start, end) = (self.start(*row) - begin, self.start(row + 1) - begin);
                usize::midpoint(start, end) <= bytes_target && end <= BLOCK_BYTES_MAX
            };
            let end = first + 1 + (first + 1..self.rows()).take_while(fits).count();
            let rows = self.bytes.get(begin..self.start(end)).unwrap_or_default();
            let block = Block::new(rows);
            for start in self.starts.get_mut(first..end).unwrap_or_default() {
                *start -= begin;
            }
            let head = block.head();
            self.push_block(block, head, end);
            first = end;
        }
        self.bytes.clear();
    }

    /// The offset of a row without a block, or the end of the last one.
    fn start(&self, row: usize) -> usize {
        self.starts.get(row).copied().unwrap_or(self.bytes.len())
    }

    /// Adds a block up to row `end`, or merges it with the previous one.
    fn push_block(&mut self, block: Block, head: u64, end: usize) {
        if let Some(last) = self.blocks.last_mut()
            && let Some(joined) = last.block.join(&block)
        {
            for start in self.starts.get_mut(last.end..end).unwrap_or_default() {
                *start += last.block.bytes().len();
            }
            (last.block, last.end) = (joined, end);
        } else {
            self.blocks.push(BlockDraft { block, head, end });
        }
    }

    fn block_of(&self, row: usize) -> usize {
        self.blocks.partition_point(|block| block.end <= row)
    }

    fn row(&self, row: usize) -> Option<RowRef<'_>> {
        let BlockDraft { block, end, .. } = self.blocks.get(self.block_of(row))?;
        let start = *self.starts.get(row)?;
        let next = self.starts.get(row + 1).filter(|_| row + 1 < *end);
        Some(block.row(start..next.map_or(block.bytes().len(), |next| *next)))
    }

    fn cut_leaves(&mut self, fill: Fill, from: &[u8]) -> Vec<Piece> {
        let mut leaves = Vec::with_capacity(1);
        let mut from = from.to_vec();
        let mut first = 0;
        while first < self.rows() {
            let end = self.cut_behind(first, fill);
            let leaf = Arc::new(self.leaf(first..end));
            leaves.push(Piece { from: std::mem::take(&mut from), node: Node::Leaf(leaf) });
            if let Some((last, next)) = self.row(end - 1).zip(self.row(end)) {
                from = separator(last.key(), next.key()).to_vec();
            }
            first = end;
        }
        leaves
    }

    /// The end of a leaf that starts with this row.
    fn cut_behind(&self, first: usize, fill: Fill) -> usize {
        let first_block = self.block_of(first);
        let end_max = match self.blocks.get(first_block + BLOCKS_MAX - 1) {
            Some(last) => last.end.min(first + ROWS_MAX),
            None => self.rows().min(first + ROWS_MAX),
        };
        if end_max == self.rows() {
            return end_max;
        }
        let rows = self.rows() - first;
        let (target, room) = match fill {
            Fill::Full => (end_max, ROWS_MAX / 16),
            Fill::Even => {
                let blocks = self.blocks.len() - first_block;
                let leaves = rows.div_ceil(ROWS_MAX).max(blocks.div_ceil(BLOCKS_MAX));
                let target = rows / leaves;
                ((first + target).min(end_max), target / 3)
            }
        };
        // Split between keys with a short common prefix: separators stay short, and the rows of a
        // partition stay together.
        let from = target.saturating_sub(room).max(first + 1);
        let in_common = |row: &usize| {
            let keys = self.row(row - 1).zip(self.row(*row));
            let bytes = keys.map_or(0, |(left, right)| common_prefix(left.key(), right.key()));
            (bytes, row.abs_diff(target))
        };
        (from..=(target + room).min(end_max)).min_by_key(in_common).unwrap_or(end_max)
    }

    fn leaf(&self, rows: Range<usize>) -> Leaf {
        let mut leaf = Leaf::new();
        let mut first = rows.start;
        for BlockDraft { block, head, end } in self.blocks.iter().skip(self.block_of(first)) {
            if first == rows.end {
                break;
            }
            let end_here = (*end).min(rows.end);
            let starts = self.starts.get(first..end_here).unwrap_or_default();
            let fingerprints = self.fingerprints.get(first..end_here).unwrap_or_default();
            let (begin, stop) = match (self.row(first), self.row(end_here - 1)) {
                (Some(first), Some(last)) => (first.start, last.end),
                _ => break,
            };
            let starts = starts.iter().map(|start| start - begin);
            let (own, head) = if begin == 0 && end_here == *end {
                (block.clone(), *head)
            } else {
                // Split a block that two leaves would share.
                let own = Block::new(block.bytes().get(begin..stop).unwrap_or_default());
                let head = own.head();
                (own, head)
            };
            leaf.put_block(leaf.blocks(), own, head, fingerprints, starts);
            first = end_here;
        }
        leaf
    }
}
