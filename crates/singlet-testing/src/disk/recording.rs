//! Everything that happened to a disk, so that it can be made to crash at any moment of it.

use super::sectors::Sectors;
use super::{FaultDisk, Files};
use crate::random::Random;
use std::sync::Arc;

/// A change of a file.
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

/// The changes of a disk, in their order. See [`FaultDisk::record`].
///
/// A workload runs once, and notes [`FaultDisk::recorded`] whenever it has been promised something.
/// A replay then stops between any two changes, and shows what a crash there may leave.
#[derive(Clone, Debug)]
pub struct Recording {
    pub(super) base: Files,
    /// Each with the number of its file.
    pub(super) changes: Vec<(usize, Change)>,
}

impl Recording {
    pub(super) fn new(base: Files) -> Self {
        Self { base, changes: Vec::new() }
    }

    /// How many changes have been recorded.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether nothing has happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The disk as it was when the recording began.
    #[must_use]
    pub fn replay(&self) -> Replay<'_> {
        Replay { changes: &self.changes, done: 0, files: self.base.clone() }
    }
}

/// A disk at one moment of a recording.
#[derive(Debug)]
pub struct Replay<'r> {
    changes: &'r [(usize, Change)],
    done: usize,
    files: Files,
}

impl Replay<'_> {
    /// Goes on to the moment after this many changes. There is no way back.
    pub fn advance(&mut self, changes: usize) {
        let until = changes.min(self.changes.len());
        for (file, change) in self.changes.get(self.done..until).unwrap_or_default() {
            self.files.apply(*file, change);
        }
        self.done = self.done.max(until);
    }

    /// What is left when the process that works on it is killed now: all that was written.
    #[must_use]
    pub fn copy(&self) -> FaultDisk {
        FaultDisk::of(self.files.synced())
    }

    /// What may be left when the power goes now.
    #[must_use]
    pub fn crash(&self, random: &mut Random) -> FaultDisk {
        FaultDisk::of(self.files.crash(random))
    }
}
