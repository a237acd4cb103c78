//! What the engine has done, in figures.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sizes of commit groups, up to the most that one may hold.
const GROUP_SIZES: &[u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// From what stays in the machine's caches to a disk that is about to fail.
pub(crate) const DISK_MICROS: &[u64] = &[
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
    10_000_000,
];

/// Figures that only ever grow. See [`Engine::statistics`](crate::Engine::statistics).
#[derive(Debug)]
pub struct Statistics {
    /// How many writes each commit carried out, the engine's own among them.
    pub group_sizes: Histogram,
    /// How many microseconds it took the store to commit a group, with whatever the chosen
    /// durability asks of the disk. Not measured in memory, where the clock would cost more.
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

/// Counts values by their size, without a lock.
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
    /// One for each bound, and one for what is beyond the last.
    counts: Box<[AtomicU64]>,
    sum: AtomicU64,
}

impl Histogram {
    /// A histogram with these upper bounds, which ascend. A value that is a bound counts to it.
    #[must_use]
    pub fn new(bounds: &'static [u64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Self { bounds, counts, sum: AtomicU64::new(0) }
    }

    /// Counts a value.
    pub fn record(&self, value: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// For each bound how many values were no larger; the last bound is none at all.
    pub fn buckets(&self) -> impl Iterator<Item = (Option<u64>, u64)> + '_ {
        let bounds = self.bounds.iter().copied().map(Some).chain([None]);
        bounds.zip(&self.counts).scan(0, |total, (bound, count)| {
            *total += count.load(Ordering::Relaxed);
            Some((bound, *total))
        })
    }

    /// The sum of all values.
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
