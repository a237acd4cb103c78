//! Retries with backoff.

use crate::backend::{Backend, BackendError};
use crate::error::{Error, Result};
use singlet_dynamo::error::CancellationReason;
use singlet_dynamo::{self as dynamo, ErrorKind};
use std::time::Duration;

/// Pauses before retrying a request that was refused for a transient reason: 25 ms to 2 s, about
/// ten seconds in all.
const AFTER_REFUSAL: Pauses = Pauses { first_ms: 25, longest_ms: 2_000, count: 10 };
/// Pauses before resending the unprocessed part of a batch: 50 ms to 5 s, eight attempts in all.
const AFTER_PART: Pauses = Pauses { first_ms: 50, longest_ms: 5_000, count: 7 };
/// Pauses before an optimistic attempt is repeated after losing a race. The winner has already
/// finished, so the first pause is short.
const BETWEEN_ATTEMPTS: Pauses = Pauses { first_ms: 5, longest_ms: 500, count: 0 };

/// Parameters of a backoff.
#[derive(Clone, Copy, Debug)]
struct Pauses {
    /// Upper bound of the first pause. It doubles for each one after.
    first_ms: u64,
    /// Upper bound of all pauses.
    longest_ms: u64,
    /// Number of pauses before giving up.
    count: u32,
}

/// A transient reason for which a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Another transaction was using one of the items.
    Conflict,
    /// Part of a transaction was throttled.
    Throttling,
    /// The same transaction, sent before, is still in progress.
    InProgress,
}

impl Obstacle {
    /// The transient reason for the refusal, if there is one. Throttling of a whole request is not
    /// included: the network client retries it already.
    pub(crate) fn of(refused: &dynamo::Error) -> Option<Self> {
        let reasons = refused.cancellation_reasons();
        let is = |code: &str| reasons.iter().map(CancellationReason::code).any(|own| own == code);
        if refused.kind() == ErrorKind::TransactionInProgress {
            Some(Self::InProgress)
        } else if refused.kind() == ErrorKind::TransactionConflict || is("TransactionConflict") {
            Some(Self::Conflict)
        } else if is("ThrottlingError") || is("ProvisionedThroughputExceeded") {
            Some(Self::Throttling)
        } else {
            None
        }
    }
}

/// Exponential backoff with jitter, so that clients that were refused together do not retry
/// together.
#[derive(Debug)]
pub(crate) struct Backoff {
    pauses: Pauses,
    made: u32,
}

impl Backoff {
    /// For retrying a refused request.
    pub(crate) fn new() -> Self {
        Self { pauses: AFTER_REFUSAL, made: 0 }
    }

    /// For the unprocessed part of a batch.
    pub(crate) fn after_part() -> Self {
        Self { pauses: AFTER_PART, made: 0 }
    }

    /// For work with at most this many attempts.
    pub(crate) fn between_attempts(attempts: u32) -> Self {
        let pauses = Pauses { count: attempts.saturating_sub(1), ..BETWEEN_ATTEMPTS };
        Self { pauses, made: 0 }
    }

    /// The pause before the next attempt; `None` when no attempts are left.
    pub(crate) fn next(&mut self) -> Option<Duration> {
        if self.made >= self.pauses.count {
            return None;
        }
        let longest = self.pauses.longest(self.made);
        self.made += 1;
        let half = longest / 2;
        // Without random numbers, wait for the maximum.
        let random = getrandom::u64().map_or(half, |random| random % (half + 1));
        Some(Duration::from_millis(half + random))
    }

    /// Waits for the next attempt; when none are left, returns the obstacle as an error.
    pub(crate) async fn wait(&mut self, backend: &dyn Backend, obstacle: Obstacle) -> Result<()> {
        match (self.next(), obstacle) {
            (Some(pause), _) => {
                backend.sleep(pause).await;
                Ok(())
            }
            (None, Obstacle::Conflict) => Err(Error::Conflict { subject: None }),
            (None, Obstacle::Throttling) => Err(Error::Throttled { subject: None }),
            // Unlike the other two, the outcome is unknown here: the write may have happened.
            (None, Obstacle::InProgress) => Err(Error::Backend(BackendError::Failed(
                "the transaction was sent before, and it is not known what becomes of it".into(),
            ))),
        }
    }
}

impl Pauses {
    /// The upper bound of the pause after this many others.
    fn longest(self, made: u32) -> u64 {
        let factor = 1_u64.checked_shl(made).unwrap_or(u64::MAX);
        self.first_ms.saturating_mul(factor).min(self.longest_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An in-progress transaction may still commit, so it must not be retried as a conflict.
    #[test]
    fn a_transaction_that_is_still_at_work_is_no_conflict() {
        let of = |kind| Obstacle::of(&dynamo::Error::new(kind));
        assert_eq!(of(ErrorKind::TransactionInProgress), Some(Obstacle::InProgress));
        assert_eq!(of(ErrorKind::TransactionConflict), Some(Obstacle::Conflict));
        assert_eq!(of(ErrorKind::Validation), None);
    }

    #[test]
    fn pauses_grow_and_end() {
        for (mut backoff, count) in [(Backoff::new(), 10), (Backoff::between_attempts(100), 99)] {
            let pauses = backoff.pauses;
            let made: Vec<Duration> = std::iter::from_fn(|| backoff.next()).collect();
            assert_eq!(made.len(), count);
            for (place, pause) in made.iter().enumerate() {
                let longest = pauses.longest(place as u32);
                assert!((longest / 2..=longest).contains(&(pause.as_millis() as u64)), "{pause:?}");
            }
        }
        assert_eq!(Backoff::between_attempts(1).next(), None);
        assert_eq!(Backoff::between_attempts(0).next(), None);
    }

    #[test]
    fn pauses_of_the_same_place_differ() {
        let tenth = || {
            let mut backoff = Backoff::new();
            std::iter::from_fn(|| backoff.next()).nth(9)
        };
        let first = tenth();
        // One pair in a thousand is equal.
        assert!((0..20).any(|_| tenth() != first));
    }
}
