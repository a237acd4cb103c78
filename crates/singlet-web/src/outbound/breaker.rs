//! A circuit breaker.

use crate::random::Random;
use singlet::{Clock, Timestamp};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// When a breaker opens, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakerOptions {
    /// Opens after this many failures in a row.
    pub in_a_row: u32,
    /// Opens after this many failures among this many last requests.
    pub of_last: (usize, usize),
    /// How long it stays open at first. Doubles with every failed probe.
    pub open: Duration,
    /// The longest it stays open.
    pub open_max: Duration,
    /// Random variation of the open time: 20 is ± 20 %.
    pub jitter_percent: u32,
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self {
            in_a_row: 5,
            of_last: (10, 20),
            open: Duration::from_secs(30),
            open_max: Duration::from_secs(300),
            jitter_percent: 0,
        }
    }
}

/// A circuit breaker: after too many failures it blocks requests for a while, then lets one through
/// as a probe. If the probe succeeds, it closes. Clones share their state.
///
/// An [`OutboundRequest`](super::OutboundRequest) with a breaker reports its outcome: no response,
/// 429 and 5xx are failures. For other calls:
///
/// ```
/// use singlet_web::outbound::{Breaker, BreakerOptions};
///
/// let breaker = Breaker::new("feed", BreakerOptions::default());
/// if let Ok(permit) = breaker.admit() {
///     let answer: Result<u32, &str> = Err("no connection");
///     permit.report(answer.is_err());
/// }
/// assert_eq!(breaker.failures(), 1);
/// ```
#[derive(Clone)]
pub struct Breaker {
    name: &'static str,
    options: Arc<BreakerOptions>,
    clock: Clock,
    state: Arc<Mutex<State>>,
}

/// The state of a breaker.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BreakerState {
    /// Requests are allowed.
    Closed,
    /// Requests are blocked.
    Open {
        /// When a probe is allowed.
        until: Timestamp,
        /// Why it opened.
        reason: String,
    },
    /// A probe is in flight.
    Probing,
}

#[derive(Default)]
struct State {
    in_a_row: u32,
    /// Whether the last requests failed, oldest first.
    last: VecDeque<bool>,
    /// How often it opened since it was last closed.
    openings: u32,
    open: Option<Open>,
}

struct Open {
    until: Timestamp,
    reason: String,
    is_probing: bool,
}

/// Permission to send one request. If dropped without a report, it does not count, and the next
/// request is the probe.
#[must_use = "report the outcome of the request"]
pub struct Permit {
    breaker: Breaker,
    is_probe: bool,
    is_reported: bool,
}

impl Breaker {
    /// A closed breaker. The name is for the log.
    #[must_use]
    pub fn new(name: &'static str, options: BreakerOptions) -> Self {
        Self { name, options: Arc::new(options), clock: Clock::system(), state: Arc::default() }
    }

    /// Uses this clock instead of the system's.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The current state.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        match &self.lock().open {
            None => BreakerState::Closed,
            Some(open) if open.is_probing => BreakerState::Probing,
            Some(open) => BreakerState::Open { until: open.until, reason: open.reason.clone() },
        }
    }

    /// Consecutive failures.
    #[must_use]
    pub fn failures(&self) -> u32 {
        self.lock().in_a_row
    }

    /// Counts a failure and opens the breaker at once, for example on an exhausted quota or a
    /// nonsensical response.
    pub fn trip(&self, reason: &str) {
        let mut state = self.lock();
        state.in_a_row += 1;
        self.open(&mut state, reason);
    }

    /// Requests permission to send.
    ///
    /// # Errors
    ///
    /// When to try again, if the breaker is open.
    pub fn admit(&self) -> Result<Permit, Timestamp> {
        let now = self.now();
        let mut state = self.lock();
        let is_probe = match &mut state.open {
            None => false,
            Some(open) if open.is_probing || now < open.until => {
                return Err(open.until);
            }
            Some(open) => {
                open.is_probing = true;
                true
            }
        };
        drop(state);
        Ok(Permit { breaker: self.clone(), is_probe, is_reported: false })
    }

    fn report(&self, is_probe: bool, failed: bool) {
        let mut state = self.lock();
        if is_probe {
            if failed {
                state.in_a_row += 1;
                self.open(&mut state, "the probe failed");
            } else {
                tracing::info!(breaker = self.name, "the breaker is closed again");
                *state = State::default();
            }
            return;
        }
        // Requests in flight when it opened do not count.
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
            self.open(&mut state, "too many failures");
        }
    }

    fn open(&self, state: &mut State, reason: &str) {
        let duration = self.options.open.saturating_mul(1 << state.openings.min(16));
        let duration = self.with_jitter(duration.min(self.options.open_max));
        state.openings = state.openings.saturating_add(1);
        tracing::warn!(
            breaker = self.name,
            reason,
            seconds = duration.as_secs(),
            "the breaker is open"
        );
        let until = self.now().after(duration);
        state.open = Some(Open { until, reason: reason.to_owned(), is_probing: false });
    }

    fn with_jitter(&self, duration: Duration) -> Duration {
        let jitter = duration * self.options.jitter_percent.min(100) / 100;
        // Without randomness, no jitter.
        let [random] = Random::new().bytes().unwrap_or([128]);
        duration - jitter + jitter * 2 * u32::from(random) / 255
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.now().as_millis())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Reports the outcome of the request.
    pub fn report(mut self, failed: bool) {
        self.is_reported = true;
        self.breaker.report(self.is_probe, failed);
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

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(&self.breaker).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_MS: i64 = 1_000;

    fn breaker(options: BreakerOptions) -> (Breaker, Clock) {
        let clock = Clock::fixed(1_773_576_000_000);
        (Breaker::new("test", options).with_clock(clock.clone()), clock)
    }

    fn send(breaker: &Breaker, failed: bool) -> bool {
        breaker.admit().map(|permit| permit.report(failed)).is_ok()
    }

    #[test]
    fn a_breaker_opens_probes_and_closes() {
        let (breaker, clock) = breaker(BreakerOptions::default());
        for _ in 0..4 {
            assert!(send(&breaker, true));
        }
        assert!(send(&breaker, false), "a success in between counts");
        for _ in 0..5 {
            assert!(send(&breaker, true));
        }
        assert!(matches!(breaker.state(), BreakerState::Open { .. }));
        clock.advance(29 * SECOND_MS);
        assert!(!send(&breaker, false));
        // One probe, and no other request meanwhile.
        clock.advance(SECOND_MS);
        let probe = breaker.admit().ok().unwrap();
        assert_eq!(breaker.state(), BreakerState::Probing);
        clock.advance(SECOND_MS);
        assert!(!send(&breaker, false));
        probe.report(true);
        assert_eq!(breaker.failures(), 6);
        // The probe failed: the open time doubles.
        clock.advance(59 * SECOND_MS);
        assert!(!send(&breaker, false));
        // An abandoned probe passes to the next request.
        clock.advance(SECOND_MS);
        drop(breaker.admit());
        assert!(send(&breaker, false));
        assert_eq!((breaker.state(), breaker.failures()), (BreakerState::Closed, 0));
        assert!(send(&breaker, true));
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn every_second_failure_opens_it_as_well() {
        let (breaker, _) = breaker(BreakerOptions::default());
        let sent = (0..40).take_while(|number| send(&breaker, number % 2 == 0)).count();
        assert_eq!(sent, 19);
    }

    #[test]
    fn the_time_has_a_bound_and_a_caller_may_open_it() {
        let (breaker, clock) = breaker(BreakerOptions::default());
        breaker.trip("the quota is used up");
        let until = breaker.now().after(Duration::from_secs(30));
        let reason = "the quota is used up".to_owned();
        assert_eq!(breaker.state(), BreakerState::Open { until, reason });
        clock.advance(30 * SECOND_MS);
        for _ in 0..10 {
            assert!(send(&breaker, true));
            clock.advance(300 * SECOND_MS);
        }
        assert!(send(&breaker, false));
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn the_time_is_random_within_the_jitter() {
        for _ in 0..100 {
            let (breaker, _) = breaker(BreakerOptions { jitter_percent: 20, ..Default::default() });
            breaker.trip("a test");
            let BreakerState::Open { until, .. } = breaker.state() else { unreachable!() };
            let open_ms = until.as_millis() - breaker.now().as_millis();
            assert!((24_000..=36_000).contains(&open_ms), "{open_ms}");
        }
    }
}
