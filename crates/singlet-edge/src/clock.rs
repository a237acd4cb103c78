//! A clock that advances only when the sweep moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Milliseconds as of the last sweep. Reading it is one atomic load, much cheaper than the system
/// clock. Clones share the value.
#[derive(Clone, Debug)]
pub(crate) struct CoarseClock {
    start: Instant,
    /// Since start, at least 1; 0 means never.
    millis: Arc<AtomicU64>,
}

impl CoarseClock {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), millis: Arc::new(AtomicU64::new(1)) }
    }

    pub(crate) fn advance(&self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.millis.store(millis.max(1), Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> u64 {
        self.millis.load(Ordering::Relaxed)
    }

    pub(crate) fn since(&self, then: u64) -> Duration {
        Duration::from_millis(self.now().saturating_sub(then))
    }

    #[cfg(test)]
    pub(crate) fn pass(&self, seconds: u64) {
        self.millis.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}
