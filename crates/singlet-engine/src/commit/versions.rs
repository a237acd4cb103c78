//! Row versions, to detect whether a plan's reads are still current.

use crate::store::Keyspace;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows that share a slot count as changed together. A collision costs a replan, never a wrong
/// answer.
const SLOTS: usize = 1 << 16;

/// The last commit that wrote each row, by the hash of its key. In memory only: plans do not
/// outlive the process. Only the committing thread reads and writes the numbers.
pub(crate) struct Versions {
    /// Randomly keyed, so that clients cannot provoke collisions.
    hasher: RandomState,
    slots: Box<[AtomicU64]>,
}

/// The slot of a row. Rows may share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

impl Versions {
    pub(crate) fn new() -> Self {
        Self { hasher: RandomState::new(), slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(crate) fn slot(&self, keyspace: Keyspace, key: &[u8]) -> Slot {
        Slot(self.hasher.hash_one((keyspace.number(), key)) as usize % SLOTS)
    }

    /// Whether a commit later than this one may have written the row.
    pub(crate) fn is_newer(&self, slot: Slot, version: u64) -> bool {
        self.slots.get(slot.0).is_none_or(|slot| slot.load(Ordering::Relaxed) > version)
    }

    /// Records that a commit writes the row.
    pub(crate) fn raise(&self, slot: Slot, version: u64) {
        if let Some(slot) = self.slots.get(slot.0) {
            slot.store(version, Ordering::Relaxed);
        }
    }
}
