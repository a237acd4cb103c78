//! Stops asking a feed that fails.
//!
//! Not the breaker of the kit's outbound client: this one has the clock of the store, opens for a
//! random time within 20 %, and does not count a rate limit as a failure.

use std::collections::VecDeque;

const IN_A_ROW: u32 = 5;
const OF_LAST: (usize, usize) = (10, 20);
const OPEN_MS: i64 = 30_000;
const OPEN_MS_MAX: i64 = 300_000;

/// A circuit breaker. All times are in epoch milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    in_a_row: u32,
    last: VecDeque<bool>,
    openings: u32,
    open_until: Option<i64>,
    is_probing: bool,
    reason: String,
}

/// What a breaker does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls are made.
    Closed,
    /// No call is made before this time.
    Open {
        /// In epoch milliseconds.
        until: i64,
    },
    /// One call is made to find out whether the feed is back.
    Probing,
}

impl Breaker {
    /// What it does at the moment.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        match self.open_until {
            None => BreakerState::Closed,
            Some(_) if self.is_probing => BreakerState::Probing,
            Some(until) => BreakerState::Open { until },
        }
    }

    /// Failures in a row.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.in_a_row
    }

    /// Why it opened.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Whether a call may be made now.
    pub fn admit(&mut self, now: i64) -> bool {
        match self.open_until {
            None => true,
            Some(until) if now < until => false,
            // A probe that never reported must not close the feed for good.
            Some(_) => {
                self.is_probing = true;
                true
            }
        }
    }

    /// A call was answered.
    pub fn succeed(&mut self) {
        if self.open_until.is_some() {
            *self = Self::default();
            return;
        }
        self.in_a_row = 0;
        self.note(false);
    }

    /// A call failed. `jitter` is from 0 to 1.
    pub fn fail(&mut self, now: i64, jitter: f64) {
        self.in_a_row += 1;
        if self.open_until.is_some() {
            return self.open(now, jitter, "the probe failed");
        }
        self.note(true);
        let failures = self.last.iter().filter(|failed| **failed).count();
        if self.in_a_row >= IN_A_ROW || failures >= OF_LAST.0 {
            self.open(now, jitter, "too many failures");
        }
    }

    /// Opens it at once.
    pub fn trip(&mut self, now: i64, jitter: f64, reason: &str) {
        self.in_a_row += 1;
        self.open(now, jitter, reason);
    }

    fn note(&mut self, failed: bool) {
        self.last.push_back(failed);
        if self.last.len() > OF_LAST.1 {
            self.last.pop_front();
        }
    }

    fn open(&mut self, now: i64, jitter: f64, reason: &str) {
        let doubled = OPEN_MS << self.openings.min(8);
        let length = doubled.min(OPEN_MS_MAX) as f64 * (0.8 + 0.4 * jitter.clamp(0.0, 1.0));
        self.openings = self.openings.saturating_add(1);
        self.open_until = Some(now + length as i64);
        self.is_probing = false;
        self.reason = reason.to_owned();
        tracing::warn!(reason, seconds = length as i64 / 1000, "the breaker of the feed is open");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_of_the_last_twenty_open_it() {
        let mut breaker = Breaker::default();
        for number in 0..18 {
            assert_eq!(breaker.state(), BreakerState::Closed);
            if number % 2 == 0 { breaker.fail(0, 0.5) } else { breaker.succeed() }
        }
        breaker.fail(0, 0.5);
        assert_eq!(breaker.state(), BreakerState::Open { until: 30_000 });
    }

    #[test]
    fn it_opens_for_twice_as_long_after_each_probe_that_fails() {
        let mut breaker = Breaker::default();
        (0..5).for_each(|_| breaker.fail(0, 0.5));
        let mut now = 30_000;
        for length in [60_000, 120_000, 240_000, 300_000, 300_000] {
            assert!(!breaker.admit(now - 1) && breaker.admit(now));
            assert_eq!(breaker.state(), BreakerState::Probing);
            breaker.fail(now, 0.5);
            now += length;
            assert_eq!(breaker.state(), BreakerState::Open { until: now });
        }
        assert!(breaker.admit(now));
        breaker.succeed();
        assert_eq!((breaker.state(), breaker.failures()), (BreakerState::Closed, 0));
    }
}
