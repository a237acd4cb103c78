//! The store that lives in memory.

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
use arc_swap::{ArcSwapOption, Guard};
use draft::Draft;
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};
use tree::Tree;

/// Sorted bytes in memory.
///
/// Each keyspace is a tree whose nodes never change once they can be seen. A commit copies the
/// nodes on the way to what it changes, shares all others with the state before it, and then
/// swaps one pointer. So a snapshot is that pointer, readers take no lock, and no reader ever
/// waits for the work of a writer.
///
/// The pointer is swapped by `arc-swap`: at a mutex, even one that is held only to clone the
/// pointer, two readers would wait for each other.
pub struct MemoryStore {
    /// None when the store is closed.
    newest: ArcSwapOption<State>,
    /// Held by the one who commits, with memory in which leaves are put together.
    writer: Mutex<Draft>,
}

/// What all readers that begin now will see.
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

    /// Makes all of these edits visible at once: for each keyspace, in the order of their keys.
    pub(super) fn apply<'a>(&self, edits: impl IntoIterator<Item = EditsOf<'a>>) -> Result<()> {
        // A writer that panicked has published nothing, so that its lock means nothing.
        let mut draft = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
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
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
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

/// A pointer to a state that never changes.
pub(crate) struct Snapshot {
    /// A guard costs no write to memory that other readers use, as a counted pointer would.
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
