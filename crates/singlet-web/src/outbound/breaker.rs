//! Stops asking a service that fails.

use singlet::Timestamp;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// When a breaker opens, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakerOptions {
    /// So many failures in a row open it.
    pub in_a_row: u32,
    /// So many failures of so many last requests open it.
    pub of_last: (usize, usize),
    /// For how long it opens first. The time doubles with every probe that fails.
    pub open: Duration,
    /// For how long it opens at most.
    pub open_max: Duration,
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self {
            in_a_row: 5,
            of_last: (10, 20),
            open: Duration::from_secs(30),
            open_max: Duration::from_secs(300),
        }
    }
}

/// A circuit breaker: after too many failures a service is left alone for a while, and then asked
/// once. If that succeeds, everything is as before. Clones are one.
///
/// Failures are requests without an answer, and the statuses 429 and 500 and above.
#[derive(Clone)]
pub struct Breaker {
    name: &'static str,
    options: Arc<BreakerOptions>,
    state: Arc<Mutex<State>>,
}

/// What a breaker does at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakerState {
    /// Requests are sent.
    Closed,
    /// No request is sent before this time.
    Open {
        /// When the service is asked again.
        until: Timestamp,
        /// Why it opened.
        reason: String,
    },
    /// One request is under way to find out whether the service is back.
    Probing,
}

#[derive(Default)]
struct State {
    in_a_row: u32,
    /// Whether the last requests failed, oldest first.
    last: VecDeque<bool>,
    /// How often it opened without being closed in between.
    openings: u32,
    open: Option<Open>,
}

struct Open {
    until: Instant,
    reason: String,
    is_probing: bool,
}

/// The right to send one request. If it is dropped without an outcome (the caller gave up), a
/// probe is left to the next one.
pub(super) struct Permit {
    breaker: Breaker,
    is_probe: bool,
    is_reported: bool,
}

impl Breaker {
    /// A breaker that lets requests through. The name is for the log.
    #[must_use]
    pub fn new(name: &'static str, options: BreakerOptions) -> Self {
        Self { name, options: Arc::new(options), state: Arc::default() }
    }

    /// What it does at the moment.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        match &self.lock().open {
            None => BreakerState::Closed,
            Some(open) if open.is_probing => BreakerState::Probing,
            Some(open) => BreakerState::Open {
                until: timestamp(open.until, Instant::now()),
                reason: open.reason.clone(),
            },
        }
    }

    /// Opens it, for a reason that only the caller knows: a quota is used up, an answer is
    /// nonsense.
    pub fn trip(&self, reason: &str, duration: Duration) {
        let until = Instant::now() + duration;
        tracing::warn!(breaker = self.name, reason, "the breaker was tripped");
        self.lock().open = Some(Open { until, reason: reason.to_owned(), is_probing: false });
    }

    /// Asks to send a request.
    ///
    /// # Errors
    ///
    /// When it may be tried again.
    pub(super) fn admit(&self, now: Instant) -> Result<Permit, Timestamp> {
        let mut state = self.lock();
        let is_probe = match &mut state.open {
            None => false,
            Some(open) if open.is_probing || now < open.until => {
                return Err(timestamp(open.until, now));
            }
            Some(open) => {
                open.is_probing = true;
                true
            }
        };
        drop(state);
        Ok(Permit { breaker: self.clone(), is_probe, is_reported: false })
    }

    fn report(&self, is_probe: bool, failed: bool, now: Instant) {
        let mut state = self.lock();
        if is_probe {
            if failed {
                self.open(&mut state, "the probe failed", now);
            } else {
                tracing::info!(breaker = self.name, "the breaker is closed again");
                *state = State::default();
            }
            return;
        }
        // Requests that were under way when it opened change nothing.
        if state.open.is_some() {
            return;
        }
        let (of_last, last_max) = self.options.of_last;
        state.in_a_row = if failed { state.in_a_row + 1 } else { 0 };
        state.last.push_back(failed);
        if state.last.len() > last_max {
            state.last.pop_front();
        }
        let failures = state.last.iter().filter(|failed| **failed).count();
        if failed && (state.in_a_row >= self.options.in_a_row || failures >= of_last) {
            self.open(&mut state, "too many failures", now);
        }
    }

    fn open(&self, state: &mut State, reason: &str, now: Instant) {
        let duration = self.options.open.saturating_mul(1 << state.openings.min(16));
        let duration = duration.min(self.options.open_max);
        state.openings = state.openings.saturating_add(1);
        tracing::warn!(
            breaker = self.name,
            reason,
            seconds = duration.as_secs(),
            "the breaker is open"
        );
        let until = now + duration;
        state.open = Some(Open { until, reason: reason.to_owned(), is_probing: false });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Says how the request went.
    pub(super) fn report(mut self, failed: bool, now: Instant) {
        self.is_reported = true;
        self.breaker.report(self.is_probe, failed, now);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.is_probe
            && !self.is_reported
            && let Some(open) = &mut self.breaker.lock().open
        {
            open.is_probing = false;
        }
    }
}

impl fmt::Debug for Breaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Breaker").field(&self.name).field(&self.state()).finish()
    }
}

fn timestamp(at: Instant, now: Instant) -> Timestamp {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let wall = Timestamp::from_millis(i64::try_from(wall.as_millis()).unwrap_or(i64::MAX));
    wall.after(at.saturating_duration_since(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn send(breaker: &Breaker, failed: bool, now: Instant) -> bool {
        breaker.admit(now).map(|permit| permit.report(failed, now)).is_ok()
    }

    #[test]
    fn a_breaker_opens_probes_and_closes() {
        let breaker = Breaker::new("test", BreakerOptions::default());
        let start = Instant::now();
        for _ in 0..4 {
            assert!(send(&breaker, true, start));
        }
        assert!(send(&breaker, false, start), "a success in between counts");
        for _ in 0..5 {
            assert!(send(&breaker, true, start));
        }
        assert!(matches!(breaker.state(), BreakerState::Open { .. }));
        assert!(!send(&breaker, false, start + 29 * SECOND));
        // One probe, and nobody else meanwhile.
        let probe = breaker.admit(start + 30 * SECOND).ok().unwrap();
        assert_eq!(breaker.state(), BreakerState::Probing);
        assert!(!send(&breaker, false, start + 31 * SECOND));
        probe.report(true, start + 31 * SECOND);
        // It failed: twice as long.
        assert!(!send(&breaker, false, start + 90 * SECOND));
        // Who gives up a probe leaves it to the next.
        drop(breaker.admit(start + 92 * SECOND));
        assert!(send(&breaker, false, start + 92 * SECOND));
        assert_eq!(breaker.state(), BreakerState::Closed);
        assert!(send(&breaker, true, start + 92 * SECOND));
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn every_second_failure_opens_it_as_well() {
        let breaker = Breaker::new("test", BreakerOptions::default());
        let now = Instant::now();
        let sent = (0..40).take_while(|number| send(&breaker, number % 2 == 0, now)).count();
        assert_eq!(sent, 19);
    }

    #[test]
    fn the_time_has_a_bound_and_a_caller_may_open_it() {
        let breaker = Breaker::new("test", BreakerOptions::default());
        let mut now = Instant::now();
        breaker.trip("the quota is used up", SECOND);
        assert!(
            matches!(breaker.state(), BreakerState::Open { reason, .. } if reason == "the quota is used up")
        );
        now += 2 * SECOND;
        for _ in 0..10 {
            assert!(send(&breaker, true, now));
            now += 300 * SECOND;
        }
        assert!(send(&breaker, false, now));
        assert_eq!(breaker.state(), BreakerState::Closed);
    }
}
