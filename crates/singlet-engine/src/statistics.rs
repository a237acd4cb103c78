//! Counters and histograms.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sizes of commit groups, up to the maximum.
const GROUP_SIZES: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// From the page cache to a disk that is about to fail.
pub(crate) const DISK_MICROS: &[u64] = &[
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    10_000_000,
];

/// Statistics since the engine was opened. See [`Engine::statistics`](crate::Engine::statistics).
#[derive(Debug)]
pub struct Statistics {
    /// Writes per commit, including maintenance.
    pub group_sizes: Histogram,
    /// Microseconds per store commit, including the fsync that the durability requires. Not
    /// measured in memory, where reading the clock would cost more.
    pub commit_micros: Histogram,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            group_sizes: Histogram::new(GROUP_SIZES),
            commit_micros: Histogram::new(DISK_MICROS),
        }
    }
}

/// A lock-free histogram.
///
/// ```
/// use singlet_engine::Histogram;
///
/// let micros = Histogram::new(&[10, 100]);
/// for value in [7, 10, 30, 5000] {
///     micros.record(value);
/// }
/// let buckets: Vec<_> = micros.buckets().collect();
/// assert_eq!(buckets, [(Some(10), 2), (Some(100), 3), (None, 4)]);
/// assert_eq!(micros.sum(), 5047);
/// ```
pub struct Histogram {
    bounds: &'static [u64],
    /// One per bound, and one for larger values.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

impl Histogram {
    /// A histogram with these ascending, inclusive upper bounds.
    #[must_use]
    pub fn new(bounds: &'static [u64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, counts, sum: AtomicU64::new(0) }
    }

    /// Records a value.
    pub fn record(&self, value: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// Cumulative counts per upper bound; the last bound is `None`.
    pub fn buckets(&self) -> impl Iterator<Item = (Option<u64>, u64)> + '_ {
        let bounds = self.bounds.iter().copied().map(Some).chain([None]);
        bounds.zip(&self.counts).scan(0, |total, (bound, count)| {
            *total += count.load(Ordering::Relaxed);
            Some((bound, *total))
        })
    }

    /// The sum of all recorded values.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.sum.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.buckets()).finish()
    }
}
