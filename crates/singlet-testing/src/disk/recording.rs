//! A log of all changes to a disk, for crashing it at any point.

use super::sectors::Sectors;
use super::{FaultDisk, Files};
use crate::random::Random;
use std::sync::Arc;

/// A change to a file.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Write(u64, Arc<[u8]>),
    SetLen(u64),
    Sync,
    FailedSync,
}

impl Change {
    pub(super) fn apply(&self, sectors: &mut Sectors) {
        match self {
            Self::Write(offset, data) => sectors.write(*offset, data),
            Self::SetLen(len) => sectors.set_len(*len),
            Self::Sync => sectors.sync(),
            Self::FailedSync => sectors.fail_sync(),
        }
    }
}

/// The changes to a disk, in order. See [`FaultDisk::record`].
///
/// A workload runs once and notes [`FaultDisk::recorded`] after each acknowledged operation. A
/// replay then stops between any two changes and shows what a crash there may leave.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(super) base: Files,
    /// Each with its file number.
    pub(super) changes: Vec<(usize, Change)>,
}

impl Recording {
    pub(super) fn new(base: Files) -> Self {
        Self { base, changes: Vec::new() }
    }

    /// The number of changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// True if nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// A replay, positioned before the first change.
    #[must_use]
    pub fn replay(&self) -> Replay<'_> {
        Replay { changes: &self.changes, done: 0, files: self.base.clone() }
    }
}

/// A disk at one point of a recording.
#[derive(Debug)]
pub struct Replay<'r> {
    changes: &'r [(usize, Change)],
    done: usize,
    files: Files,
}

impl Replay<'_> {
    /// Advances to the point after this many changes. It cannot rewind.
    pub fn advance(&mut self, changes: usize) {
        let until = changes.min(self.changes.len());
        for (file, change) in self.changes.get(self.done..until).unwrap_or_default() {
            self.files.apply(*file, change);
        }
        self.done = self.done.max(until);
    }

    /// The disk after the process is killed: every write survives.
    #[must_use]
    pub fn copy(&self) -> FaultDisk {
        FaultDisk::of(self.files.synced())
    }

    /// A possible state of the disk after a power failure.
    #[must_use]
    pub fn crash(&self, random: &mut Random) -> FaultDisk {
        FaultDisk::of(self.files.crash(random))
    }
}
