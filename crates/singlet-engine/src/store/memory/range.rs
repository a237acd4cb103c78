//! Range scans.

use super::branch::{Branch, NodeRef};
use super::leaf::Leaf;
use crate::store::Direction;
use crate::store::bytes::Row;
use std::fmt;
use std::ops::Bound;

/// The rows of a tree between two bounds, in either direction.
///
/// Keeps the path from the root to its position, and its end bound.
pub(crate) struct Range<'s> {
    direction: Direction,
    /// The branches above the leaf, with the position of the child taken.
    way: Vec<(&'s Branch, usize)>,
    /// The leaf, and its rows not yet returned.
    leaf: Option<&'s Leaf>,
    rows: std::ops::Range<usize>,
    end: Bound<Vec<u8>>,
}

impl<'s> Range<'s> {
    pub(super) fn empty(direction: Direction) -> Self {
        Self { direction, way: Vec::new(), leaf: None, rows: 0..0, end: Bound::Unbounded }
    }

    /// The bounds must not exclude each other.
    pub(super) fn new(
        root: NodeRef<'s>,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Direction,
    ) -> Self {
        let (start, end) = match direction {
            Direction::Forward => (lower, upper),
            Direction::Backward => (upper, lower),
        };
        let mut range = Self { end: end.map(<[u8]>::to_vec), ..Self::empty(direction) };
        let edge = match start {
            Bound::Unbounded => Edge::First,
            Bound::Included(key) | Bound::Excluded(key) => Edge::At(key),
        };
        range.descend(root, edge);
        if let Some(leaf) = range.leaf {
            // The first row that is not before the bound, in ascending order.
            let row = match start {
                Bound::Unbounded => return range,
                Bound::Included(key) | Bound::Excluded(key) => match leaf.search(key) {
                    Err(row) => row,
                    Ok(row) => {
                        let beyond = matches!(start, Bound::Excluded(_));
                        // Forward, an excluded row is skipped; backward, an included one is not.
                        row + usize::from(beyond == (direction == Direction::Forward))
                    }
                },
            };
            match direction {
                Direction::Forward => range.rows.start = row,
                Direction::Backward => range.rows.end = row,
            }
        }
        range
    }

    /// Descends to a leaf, in front of all of its rows.
    fn descend(&mut self, from: NodeRef<'s>, edge: Edge<'_>) {
        let mut node = Some(from);
        while let Some(NodeRef::Branch(branch)) = node {
            let position = match (edge, self.direction) {
                (Edge::At(key), _) => branch.position(key),
                (Edge::First, Direction::Forward) => 0,
                (Edge::First, Direction::Backward) => branch.children_count().saturating_sub(1),
            };
            self.way.push((branch, position));
            node = branch.child(position);
        }
        if let Some(NodeRef::Leaf(leaf)) = node {
            self.leaf = Some(leaf);
            self.rows = 0..leaf.rows();
        }
    }

    /// Advances to the next leaf. Returns false if there is none.
    fn advance(&mut self) -> bool {
        self.leaf = None;
        while let Some((branch, position)) = self.way.pop() {
            let next = match self.direction {
                Direction::Forward => position.checked_add(1),
                Direction::Backward => position.checked_sub(1),
            };
            if let Some(next) = next
                && let Some(child) = branch.child(next)
            {
                self.way.push((branch, next));
                self.descend(child, Edge::First);
                return true;
            }
        }
        false
    }

    fn is_beyond_end(&self, key: &[u8]) -> bool {
        match (&self.end, self.direction) {
            (Bound::Unbounded, _) => false,
            (Bound::Included(end), Direction::Forward) => key > end.as_slice(),
            (Bound::Excluded(end), Direction::Forward) => key >= end.as_slice(),
            (Bound::Included(end), Direction::Backward) => key < end.as_slice(),
            (Bound::Excluded(end), Direction::Backward) => key <= end.as_slice(),
        }
    }
}

impl Iterator for Range<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            let leaf = self.leaf?;
            let row = match self.direction {
                Direction::Forward => self.rows.next(),
                Direction::Backward => self.rows.next_back(),
            };
            if let Some(row) = row {
                let row = leaf.share(row)?;
                if self.is_beyond_end(row.key()) {
                    self.leaf = None;
                    return None;
                }
                return Some(row);
            }
            if !self.advance() {
                return None;
            }
        }
    }
}

impl fmt::Debug for Range<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").field("direction", &self.direction).finish_non_exhaustive()
    }
}

/// Where a range starts in a subtree.
#[derive(Clone, Copy)]
enum Edge<'k> {
    /// The first child in the direction of the range.
    First,
    At(&'k [u8]),
}
