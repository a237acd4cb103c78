//! What can be chosen when a folder is opened.

/// The size of a log file above a small base. An idle server with demo data writes 2 MB a minute, so
/// a checkpoint comes every 8 minutes.
const SMALL_SEGMENT_BYTES: u64 = 16 << 20;

/// What can be chosen when a store on disk is opened. The defaults are meant for everybody; tests
/// choose less, to see more happen.
///
/// Two of them are memory, and [`DiskOptions::memory_bytes`] is their sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskOptions {
    /// How much of the base's file is kept in memory, pages that a checkpoint has changed among
    /// them. redb's own default is 1 GiB, which is more than a small machine has to spare.
    pub cache_bytes: usize,
    /// How many bytes of recent commits are kept in memory, and in the log, at most. Half of it may
    /// be full while the other half is on its way into the base.
    ///
    /// The more there are, the more neighbours meet in a page of the base before it is written;
    /// the fewer, the sooner a folder is open after a crash. In a small base all rows are
    /// neighbours, so there the log is shorter: each half is half as long as the base, and 16 MiB
    /// at least.
    pub recent_bytes: u64,
    /// How many bytes of rows go into one transaction of the base. Large, because neighbours share
    /// pages; not larger, because whoever commits meanwhile shares the disk with it.
    pub chunk_bytes: usize,
    /// Who makes checkpoints.
    pub checkpoints: Checkpoints,
}

/// Who brings recent rows into the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoints {
    /// A thread of the store's own, while others read and write.
    InBackground,
    /// Whoever commits, a chunk with each commit: so that a test has the same every time.
    WithCommits,
}

impl DiskOptions {
    /// About how much memory the store takes at most, besides what its readers hold.
    ///
    /// When a folder is opened, the log is in memory twice, as it lies in its files and as rows. A
    /// cache that is no smaller than the log makes room for that, since it is empty then.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        (self.cache_bytes as u64).saturating_add(self.recent_bytes)
    }
}

impl DiskOptions {
    /// How many bytes of commits a file of the log takes, and a top, above a base of this size: both
    /// files together no more than the base.
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
