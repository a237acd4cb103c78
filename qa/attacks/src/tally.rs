//! What the victims saw.

use std::time::Duration;

/// The victim's latencies, and what went wrong for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    latencies: Vec<Duration>,
    /// Requests that were refused, failed, or got no answer.
    pub(crate) refused: usize,
    /// What the first of them was told.
    pub(crate) first_refusal: Option<String>,
}

impl Tally {
    /// Counts a request that was answered. A victim asks again only after an answer: for those
    /// requests that it would have sent meanwhile, one each `interval`, it counts what they would
    /// have waited.
    pub(crate) fn add(&mut self, latency: Duration, interval: Duration) {
        self.latencies.push(latency);
        let mut rest = latency.saturating_sub(interval);
        while rest > interval {
            self.latencies.push(rest);
            rest -= interval;
        }
    }

    pub(crate) fn refuse(&mut self, reason: String) {
        self.refused += 1;
        self.first_refusal.get_or_insert(reason);
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.latencies.extend(other.latencies);
        self.refused += other.refused;
        if let Some(refusal) = other.first_refusal {
            self.first_refusal.get_or_insert(refusal);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.latencies.len()
    }

    /// The latency that so many of a thousand requests did not exceed; `None` without requests.
    pub(crate) fn quantile(&self, per_mille: usize) -> Option<Duration> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1)?;
        sorted.get((last * per_mille).div_ceil(1000)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn quantiles_are_of_what_was_added() {
        let mut tally = Tally::default();
        assert_eq!(tally.quantile(990), None);
        for latency in 1..=101 {
            tally.add(latency * MS, 1000 * MS);
        }
        let quantiles = [500, 990, 1000].map(|part| tally.quantile(part));
        assert_eq!(quantiles, [Some(51 * MS), Some(100 * MS), Some(101 * MS)]);
    }

    #[test]
    fn a_long_wait_counts_for_all_who_would_have_waited() {
        let mut tally = Tally::default();
        for _ in 0..1000 {
            tally.add(MS, 10 * MS);
        }
        tally.add(1000 * MS, 10 * MS);
        assert_eq!(tally.count(), 1000 + 99);
        assert!(tally.quantile(990) > Some(800 * MS));
    }
}
