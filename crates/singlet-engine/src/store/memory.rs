//! The store in memory.

mod block;
mod branch;
mod draft;
mod key;
mod leaf;
mod range;
mod tree;

#[cfg(test)]
mod tests;

pub(crate) use range::Range;

use super::batch::{Batch, EditsOf};
use super::bytes::Bytes;
use super::error::Error;
use super::keyspace::{Keyspace, PerKeyspace};
use super::{Direction, Result, is_empty_range};
use crate::sync::Mutex;
use arc_swap::{ArcSwapOption, Guard};
use draft::Draft;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use tree::Tree;

/// A key-value store in memory.
///
/// Each keyspace is an immutable tree. A commit copies the nodes on the path to its changes, shares
/// all others with the previous state, and then swaps one pointer. So a snapshot is that pointer,
/// and readers take no lock and never wait for a writer.
///
/// The pointer is swapped by `arc-swap`: readers would contend for a mutex, even one held only to
/// clone the pointer.
pub struct MemoryStore {
    /// `None` when closed.
    newest: ArcSwapOption<State>,
    /// Locked by the committing thread. Holds reusable buffers.
    writer: Mutex<Draft>,
}

type State = PerKeyspace<Tree>;

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { newest: ArcSwapOption::from_pointee(State::default()), writer: Mutex::default() }
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let state = self.newest.load();
        if state.is_none() { Err(Error::Closed) } else { Ok(Snapshot { state }) }
    }

    pub(super) fn commit(&self, batch: &Batch) -> Result<()> {
        self.apply(batch.edits())
    }

    /// Applies edits atomically. The edits of each keyspace are sorted by key.
    pub(super) fn apply<'a>(&self, edits: impl IntoIterator<Item = EditsOf<'a>>) -> Result<()> {
        // A panicked writer has published nothing, so poisoning is ignored.
        let mut draft = self.writer.lock();
        let newest = self.newest.load_full().ok_or(Error::Closed)?;
        let mut state = State::clone(&newest);
        for (keyspace, edits) in edits {
            let tree = state.get_mut(keyspace);
            *tree = tree.apply(&edits, &mut draft);
        }
        // A single large row may have made it grow.
        draft.shrink();
        self.newest.store(Some(Arc::new(state)));
        Ok(())
    }

    pub(super) fn size_bytes(&self) -> Result<u64> {
        let snapshot = self.snapshot()?;
        Ok(snapshot.trees().map(|(_, tree)| tree.size_bytes()).sum())
    }

    pub(super) fn verify(&self) -> Result<()> {
        let snapshot = self.snapshot()?;
        for (keyspace, tree) in snapshot.trees() {
            tree.verify().map_err(|what| Error::Corrupt(format!("{}: {what}", keyspace.name())))?;
        }
        Ok(())
    }

    pub(super) fn close(&self) {
        let _writer = self.writer.lock();
        self.newest.store(None);
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

pub(crate) struct Snapshot {
    /// Unlike cloning an `Arc`, a guard does not write to memory shared with other readers.
    state: Guard<Option<Arc<State>>>,
}

impl Snapshot {
    fn trees(&self) -> impl Iterator<Item = (Keyspace, &Tree)> {
        self.state.as_ref().into_iter().flat_map(|state| state.iter())
    }

    pub(super) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Option<Bytes> {
        self.state.as_ref()?.get(keyspace).get(key)
    }

    pub(super) fn range(
        &self,
        keyspace: Keyspace,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Direction,
    ) -> Range<'_> {
        match self.state.as_ref() {
            Some(state) if !is_empty_range(lower, upper) => {
                state.get(keyspace).range(lower, upper, direction)
            }
            _ => Range::empty(direction),
        }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}
