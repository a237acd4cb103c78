//! Branches: inner nodes of the tree.
//!
//! A branch covers the keys between two separators of its parent. All of them share the common
//! prefix of these two, so a search skips that prefix and compares the next eight bytes, the
//! *head*, as one number. Only equal heads require a comparison of whole keys.

use super::draft::Draft;
use super::key::{common_prefix, head};
use super::leaf::Leaf;
use crate::store::batch::Edit;
use std::sync::Arc;

/// Maximum number of children. A commit increments the reference count of each child of each branch
/// on its path; more children make shallower trees. Small in tests, for deep trees.
pub(super) const CHILDREN_MAX: usize = if cfg!(test) { 8 } else { 16 };

/// After a deletion, a smaller branch is merged with a neighbour.
const CHILDREN_MIN: usize = CHILDREN_MAX / 4;

/// Heads and children are stored inline, because following pointers dominates the cost of a search.
#[repr(C)]
pub(super) struct Branch {
    /// Length of the prefix shared by all keys below.
    prefix: usize,
    children_count: usize,
    /// The heads of the separators; the first separates the first two children. Padded with the
    /// maximum.
    heads: [u64; CHILDREN_MAX - 1],
    children: Children,
    /// Keys greater than or equal to a separator belong to the child after it. Shared, because most
    /// commits change children but not separators.
    separators: Arc<[Box<[u8]>]>,
    size_bytes: u64,
}

/// All leaves, or all branches: every leaf has the same depth.
#[derive(Clone)]
enum Children {
    Leaves([Option<Arc<Leaf>>; CHILDREN_MAX]),
    Branches([Option<Arc<Branch>>; CHILDREN_MAX]),
}

#[derive(Clone)]
pub(super) enum Node {
    Leaf(Arc<Leaf>),
    Branch(Arc<Branch>),
}

/// A node, and the lower bound of its keys.
pub(super) struct Piece {
    pub(super) from: Vec<u8>,
    pub(super) node: Node,
}

/// The result of applying edits to a node.
pub(super) enum Applied {
    /// One node replaces it: the common case.
    One(Node),
    /// Any number of nodes; none if no row is left.
    Several(Vec<Piece>),
}

impl Node {
    pub(super) fn size_bytes(&self) -> u64 {
        match self {
            Self::Leaf(leaf) => leaf.size_bytes(),
            Self::Branch(branch) => branch.size_bytes,
        }
    }

    fn is_small(&self) -> bool {
        match self {
            Self::Leaf(leaf) => leaf.is_small(),
            Self::Branch(branch) => branch.children_count < CHILDREN_MIN,
        }
    }

    pub(super) fn only_child(&self) -> Option<Self> {
        match self {
            Self::Branch(branch) if branch.children_count == 1 => branch.node(0),
            _ => None,
        }
    }

    /// Merges two adjacent nodes, if they fit into one.
    fn join(
        &self,
        next: &Piece,
        from: &[u8],
        to: Option<&[u8]>,
        draft: &mut Draft,
    ) -> Option<Self> {
        match (self, &next.node) {
            (Self::Leaf(left), Self::Leaf(right)) => left.join(right, draft),
            (Self::Branch(left), Self::Branch(right)) => {
                if left.children_count + right.children_count > CHILDREN_MAX {
                    return None;
                }
                let mut pieces = left.pieces(0..left.children_count, from);
                pieces.extend(right.pieces(0..right.children_count, &next.from));
                Branch::build(pieces, to).map(|branch| Self::Branch(Arc::new(branch)))
            }
            _ => None,
        }
    }
}

impl Branch {
    pub(super) fn children_count(&self) -> usize {
        self.children_count
    }

    /// The child that this key belongs to.
    pub(super) fn position(&self, key: &[u8]) -> usize {
        let wanted = head(key.get(self.prefix..).unwrap_or_default());
        // Count all: a loop of fixed length has no mispredicted branches.
        let mut position = self.heads.iter().filter(|head| **head < wanted).count();
        if self.heads.get(position) == Some(&wanted) {
            position = self.position_by_separators(key, position);
        }
        position
    }

    /// Resolves equal heads. The child is at or after `position`.
    #[cold]
    fn position_by_separators(&self, key: &[u8], position: usize) -> usize {
        let separators = self.separators.get(position..).unwrap_or_default();
        position + separators.partition_point(|separator| **separator <= *key)
    }

    pub(super) fn child(&self, position: usize) -> Option<NodeRef<'_>> {
        match &self.children {
            Children::Leaves(leaves) => leaves.get(position)?.as_deref().map(NodeRef::Leaf),
            Children::Branches(branches) => branches.get(position)?.as_deref().map(NodeRef::Branch),
        }
    }

    fn node(&self, position: usize) -> Option<Node> {
        match &self.children {
            Children::Leaves(leaves) => leaves.get(position)?.clone().map(Node::Leaf),
            Children::Branches(branches) => branches.get(position)?.clone().map(Node::Branch),
        }
    }

    /// The lower bound of a child, given that of this branch.
    fn from<'a>(&'a self, position: usize, from: &'a [u8]) -> &'a [u8] {
        match position.checked_sub(1).and_then(|before| self.separators.get(before)) {
            Some(separator) => separator,
            None => from,
        }
    }

    /// The upper bound of a child, given that of this branch.
    fn to<'a>(&'a self, position: usize, to: Option<&'a [u8]>) -> Option<&'a [u8]> {
        self.separators.get(position).map_or(to, |separator| Some(separator))
    }

    fn pieces(&self, positions: std::ops::Range<usize>, from: &[u8]) -> Vec<Piece> {
        positions
            .filter_map(|position| {
                let node = self.node(position)?;
                Some(Piece { from: self.from(position, from).to_vec(), node })
            })
            .collect()
    }

    /// See [`NodeRef::apply`].
    fn apply(
        &self,
        edits: &[Edit<'_>],
        from: &[u8],
        to: Option<&[u8]>,
        draft: &mut Draft,
    ) -> Applied {
        self.touch_children();
        let mut changes: Vec<(usize, Applied)> = Vec::with_capacity(1);
        let mut same_shape = true;
        let mut rest = edits;
        while let Some(first) = rest.first() {
            let position = self.position(first.key);
            let (child_from, child_to) = (self.from(position, from), self.to(position, to));
            let count = match child_to {
                Some(to) => rest.partition_point(|edit| edit.key < to),
                None => rest.len(),
            };
            // Always take at least one edit, so that this terminates.
            let (now, later) = rest.split_at_checked(count.max(1)).unwrap_or((rest, &[]));
            rest = later;
            let Some(child) = self.child(position) else { continue };
            let applied = child.apply(now, child_from, child_to, draft);
            same_shape &= match &applied {
                Applied::One(node) => !node.is_small() || node.size_bytes() >= child.size_bytes(),
                Applied::Several(_) => false,
            };
            changes.push((position, applied));
        }
        if same_shape {
            return Applied::One(Node::Branch(Arc::new(self.replace(changes))));
        }

        let mut pieces = Vec::with_capacity(self.children_count + 1);
        let mut vanished = false;
        let mut next = 0;
        for (position, applied) in changes {
            pieces.extend(self.pieces(next..position, from));
            match applied {
                Applied::One(node) => {
                    pieces.push(Piece { from: self.from(position, from).to_vec(), node });
                }
                Applied::Several(changed) => {
                    vanished |= changed.is_empty();
                    pieces.extend(changed);
                }
            }
            next = position + 1;
        }
        pieces.extend(self.pieces(next..self.children_count, from));
        // The lower bound of this branch stays the same.
        if let Some(first) = pieces.first_mut() {
            first.from = from.to_vec();
        }
        if vanished {
            refit(&mut pieces, to);
        }
        Applied::Several(Self::grow(join_small(pieces, to, draft), to))
    }

    /// Prefetches all children before any of them is cloned.
    ///
    /// Cloning an `Arc` is an atomic write, and these do not overlap: with a million items in
    /// memory, sixteen children are sixteen cache misses in a row. Plain reads overlap.
    fn touch_children(&self) {
        let owners: usize = match &self.children {
            Children::Leaves(leaves) => leaves.iter().flatten().map(Arc::strong_count).sum(),
            Children::Branches(branches) => branches.iter().flatten().map(Arc::strong_count).sum(),
        };
        std::hint::black_box(owners);
    }

    /// Replaces children one by one; their number stays the same.
    fn replace(&self, changes: Vec<(usize, Applied)>) -> Self {
        let mut children = self.children.clone();
        let mut size_bytes = self.size_bytes;
        for (position, applied) in changes {
            let Applied::One(node) = applied else { continue };
            let before = self.child(position).map_or(0, NodeRef::size_bytes);
            size_bytes = size_bytes.saturating_sub(before) + node.size_bytes();
            children.set(position, node);
        }
        Self {
            prefix: self.prefix,
            children_count: self.children_count,
            heads: self.heads,
            children,
            separators: Arc::clone(&self.separators),
            size_bytes,
        }
    }

    /// Adds one level of branches above these nodes, which cover the keys up to `to`.
    pub(super) fn grow(pieces: Vec<Piece>, to: Option<&[u8]>) -> Vec<Piece> {
        let branches = pieces.len().div_ceil(CHILDREN_MAX).max(1);
        let children = pieces.len().div_ceil(branches).max(1);
        let mut grown = Vec::with_capacity(branches);
        let mut rest = pieces.into_iter().peekable();
        while let Some(first) = rest.peek() {
            let from = first.from.clone();
            let group: Vec<_> = rest.by_ref().take(children).collect();
            let to = rest.peek().map(|next| next.from.as_slice()).or(to);
            if let Some(branch) = Self::build(group, to) {
                grown.push(Piece { from, node: Node::Branch(Arc::new(branch)) });
            }
        }
        grown
    }

    /// A branch with these children, at most [`CHILDREN_MAX`], covering the keys up to `to`.
    fn build(pieces: Vec<Piece>, to: Option<&[u8]>) -> Option<Self> {
        let first = pieces.first()?;
        let prefix = to.map_or(0, |to| common_prefix(&first.from, to));
        let mut children = match &first.node {
            Node::Leaf(_) => Children::Leaves([const { None }; CHILDREN_MAX]),
            Node::Branch(_) => Children::Branches([const { None }; CHILDREN_MAX]),
        };
        let children_count = pieces.len();
        let mut size_bytes = size_of::<Self>() as u64;
        let mut separators = Vec::with_capacity(children_count);
        for (position, piece) in pieces.into_iter().enumerate() {
            size_bytes += piece.node.size_bytes();
            if position > 0 {
                size_bytes += piece.from.len() as u64;
                separators.push(piece.from.into_boxed_slice());
            }
            children.set(position, piece.node);
        }
        let mut heads = [u64::MAX; CHILDREN_MAX - 1];
        for (slot, separator) in heads.iter_mut().zip(&separators) {
            *slot = head(separator.get(prefix..).unwrap_or_default());
        }
        let separators = separators.into();
        Some(Self { prefix, children_count, heads, children, separators, size_bytes })
    }

    /// Checks this branch, without its children.
    pub(super) fn verify(&self, from: &[u8], to: Option<&[u8]>) -> Result<(), String> {
        if self.separators.len() + 1 != self.children_count || self.children_count > CHILDREN_MAX {
            return Err(format!("a branch has {} children", self.children_count));
        }
        let bounds = (0..self.children_count).map(|at| (self.from(at, from), self.to(at, to)));
        if bounds.clone().any(|(from, to)| to.is_some_and(|to| from >= to)) {
            return Err("the separators of a branch are out of order".to_owned());
        }
        if self.prefix > to.map_or(0, |to| common_prefix(from, to)) {
            return Err("a branch skips more than its keys have in common".to_owned());
        }
        if bounds.enumerate().any(|(at, (from, _))| self.position(from) != at) {
            return Err("a separator does not lead to its child".to_owned());
        }
        Ok(())
    }

    /// The bounds of a child, given those of this branch.
    pub(super) fn bounds<'a>(
        &'a self,
        position: usize,
        from: &'a [u8],
        to: Option<&'a [u8]>,
    ) -> (&'a [u8], Option<&'a [u8]>) {
        (self.from(position, from), self.to(position, to))
    }
}

impl Children {
    /// All nodes of one level are of the same kind.
    fn set(&mut self, position: usize, node: Node) {
        match (self, node) {
            (Self::Leaves(leaves), Node::Leaf(leaf)) => {
                if let Some(slot) = leaves.get_mut(position) {
                    *slot = Some(leaf);
                }
            }
            (Self::Branches(branches), Node::Branch(branch)) => {
                if let Some(slot) = branches.get_mut(position) {
                    *slot = Some(branch);
                }
            }
            _ => debug_assert!(false, "leaves and branches at one level"),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum NodeRef<'a> {
    Leaf(&'a Leaf),
    Branch(&'a Branch),
}

impl NodeRef<'_> {
    /// Applies edits to this node, which covers the keys from `from` up to `to`.
    ///
    /// The recursion is as deep as the tree: ten levels hold more rows than fit in memory.
    pub(super) fn apply(
        self,
        edits: &[Edit<'_>],
        from: &[u8],
        to: Option<&[u8]>,
        draft: &mut Draft,
    ) -> Applied {
        match self {
            Self::Leaf(leaf) => leaf.apply(edits, from, draft),
            Self::Branch(branch) => branch.apply(edits, from, to, draft),
        }
    }

    fn size_bytes(self) -> u64 {
        match self {
            Self::Leaf(leaf) => leaf.size_bytes(),
            Self::Branch(branch) => branch.size_bytes,
        }
    }
}

impl Node {
    pub(super) fn as_ref(&self) -> NodeRef<'_> {
        match self {
            Self::Leaf(leaf) => NodeRef::Leaf(leaf),
            Self::Branch(branch) => NodeRef::Branch(branch),
        }
    }
}

/// Extends nodes over the key ranges of neighbours that vanished.
///
/// A branch depends on the common prefix of its bounds, and so do its first and last child,
/// recursively. When bounds move apart, these are rebuilt. Leaves do not depend on bounds.
fn refit(pieces: &mut [Piece], to: Option<&[u8]>) {
    let mut to = to.map(<[u8]>::to_vec);
    for piece in pieces.iter_mut().rev() {
        if let Node::Branch(branch) = &piece.node {
            let mut children = branch.pieces(0..branch.children_count, &piece.from);
            if let Some((last, others)) = children.split_last_mut() {
                refit(std::slice::from_mut(last), to.as_deref());
                if let Some(first) = others.first_mut() {
                    let to = branch.separators.first().map(|separator| &**separator);
                    refit(std::slice::from_mut(first), to);
                }
            }
            if let Some(branch) = Branch::build(children, to.as_deref()) {
                piece.node = Node::Branch(Arc::new(branch));
            }
        }
        to = Some(piece.from.clone());
    }
}

/// Merges small nodes with their neighbours, where they fit.
fn join_small(pieces: Vec<Piece>, to: Option<&[u8]>, draft: &mut Draft) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut rest = pieces.into_iter().peekable();
    while let Some(piece) = rest.next() {
        let to = rest.peek().map(|next| next.from.as_slice()).or(to);
        if let Some(last) = joined.last_mut()
            && (last.node.is_small() || piece.node.is_small())
            && let Some(node) = last.node.join(&piece, &last.from, to, draft)
        {
            last.node = node;
        } else {
            joined.push(piece);
        }
    }
    joined
}
