//! Options of a store on disk.

/// Minimum size of a log file. An idle server with demo data writes 2 MB a minute, so it makes a
/// checkpoint every 8 minutes.
const SMALL_SEGMENT_BYTES: u64 = 16 << 20;

/// Options of a store on disk. The defaults suit most uses; tests choose small values, to see more
/// happen.
///
/// Two of them are memory, and [`DiskOptions::memory_bytes`] is their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskOptions {
    /// Cache for pages of the base, including pages that a checkpoint has changed. redb's default
    /// of 1 GiB is more than a small machine can spare.
    pub cache_bytes: usize,
    /// Maximum size of recent commits, in memory and in the log. One half may be full while the
    /// other half is being checkpointed.
    ///
    /// A larger value writes each page of the base less often; a smaller one speeds up recovery
    /// after a crash. With a small base the log is shorter: each half is half as long as the base,
    /// and at least 16 MiB.
    pub recent_bytes: u64,
    /// Bytes of rows per transaction of the base. Large, because neighbouring rows share pages; but
    /// commits share the disk with the transaction.
    pub chunk_bytes: usize,
    /// The thread that runs checkpoints.
    pub checkpoints: Checkpoints,
}

/// Where checkpoints run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoints {
    /// On a background thread.
    InBackground,
    /// On the committing thread, a chunk with each commit: deterministic, for tests.
    WithCommits,
}

impl DiskOptions {
    /// Approximate memory limit of the store, without data held by readers.
    ///
    /// During recovery the log is in memory twice, as bytes and as rows. The cache is empty then,
    /// so if it is at least as large as the log, the limit still holds.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        (self.cache_bytes as u64).saturating_add(self.recent_bytes)
    }
}

impl DiskOptions {
    /// The size of a log file and of a memtable, for a base of this size: both files together are
    /// no longer than the base.
    pub(super) fn segment_bytes(&self, base_bytes: u64) -> u64 {
        (base_bytes / 2).max(SMALL_SEGMENT_BYTES).min(self.recent_bytes / 2)
    }
}

impl Default for DiskOptions {
    fn default() -> Self {
        Self {
            cache_bytes: 256 << 20,
            recent_bytes: 128 << 20,
            chunk_bytes: 8 << 20,
            checkpoints: Checkpoints::InBackground,
        }
    }
}
