//! A persistent sorted map from bytes to bytes.

use super::branch::{Applied, Branch, Node, NodeRef};
use super::draft::Draft;
use super::range::Range;
use crate::store::Direction;
use crate::store::batch::Edit;
use crate::store::bytes::Bytes;
use std::ops::Bound;

/// One version of the map. Cloning it copies a pointer; changing it makes a new version.
///
/// Existing persistent maps (`imbl::OrdMap`, `rpds`) keep each row behind a separate pointer; with
/// a million items, cache misses dominate the cost of commits and scans.
#[derive(Clone, Default)]
pub(super) struct Tree {
    root: Option<Node>,
}

impl Tree {
    /// Applies edits, sorted by key. The contents of `draft` do not matter.
    pub(super) fn apply(&self, edits: &[Edit<'_>], draft: &mut Draft) -> Self {
        let applied = match &self.root {
            Some(root) => root.as_ref().apply(edits, &[], None, draft),
            None => Applied::Several(draft.leaves(edits)),
        };
        let mut root = match applied {
            Applied::One(node) => Some(node),
            Applied::Several(mut pieces) => {
                while pieces.len() > 1 {
                    pieces = Branch::grow(pieces, None);
                }
                pieces.pop().map(|piece| piece.node)
            }
        };
        // Collapse roots with a single child.
        while let Some(child) = root.as_ref().and_then(Node::only_child) {
            root = Some(child);
        }
        Self { root }
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<Bytes> {
        let mut node = self.root.as_ref()?.as_ref();
        loop {
            match node {
                NodeRef::Leaf(leaf) => return leaf.get(key),
                NodeRef::Branch(branch) => node = branch.child(branch.position(key))?,
            }
        }
    }

    pub(super) fn range(
        &self,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Direction,
    ) -> Range<'_> {
        match &self.root {
            Some(root) => Range::new(root.as_ref(), lower, upper, direction),
            None => Range::empty(direction),
        }
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.root.as_ref().map_or(0, Node::size_bytes)
    }

    /// Describes the first inconsistency, if any.
    pub(super) fn verify(&self) -> Result<(), String> {
        let Some(root) = &self.root else { return Ok(()) };
        let mut leaf_depth = None;
        let mut rest = vec![(root.as_ref(), &[][..], None, 0)];
        while let Some((node, from, to, depth)) = rest.pop() {
            match node {
                NodeRef::Leaf(leaf) => {
                    leaf.verify(from, to)?;
                    if *leaf_depth.get_or_insert(depth) != depth {
                        return Err("leaves at different depths".to_owned());
                    }
                }
                NodeRef::Branch(branch) => {
                    branch.verify(from, to)?;
                    for position in 0..branch.children_count() {
                        let child = branch.child(position).ok_or("a branch misses a child")?;
                        let (from, to) = branch.bounds(position, from, to);
                        rest.push((child, from, to, depth + 1));
                    }
                }
            }
        }
        Ok(())
    }
}
