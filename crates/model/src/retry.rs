//! Waiting before something is tried again.

use crate::backend::{Backend, BackendError};
use crate::error::{Error, Result};
use singlet_dynamo::error::CancellationReason;
use singlet_dynamo::{self as dynamo, ErrorKind};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How long to wait at first.
const FIRST_MS: u64 = 25;
/// How long to wait at most.
const LONGEST_MS: u64 = 2_000;
/// How often something is tried again before it counts as failed: with the pauses above, for about
/// ten seconds.
const ATTEMPTS_MAX: u32 = 10;

/// What stood in the way of a request that was answered, and may be gone at another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// A transaction was at one of the items.
    Conflict,
    /// The store had too much to do for a part of a transaction.
    Throttling,
    /// The same transaction, sent before, is still at work.
    InProgress,
}

impl Obstacle {
    /// What stood in the way, if it was something that passes. Throttling of a request as a whole
    /// is not among it: whoever sends requests over a network waits for that already.
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

/// Pauses that grow, each of a random length, so that those who were refused together do not come
/// back together.
pub(crate) struct Backoff {
    attempt: u32,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { attempt: 0 }
    }

    /// How long to wait before the next attempt; `None` when enough were made.
    pub(crate) fn next(&mut self) -> Option<Duration> {
        if self.attempt >= ATTEMPTS_MAX {
            return None;
        }
        let longest = (FIRST_MS << self.attempt).min(LONGEST_MS);
        self.attempt += 1;
        // The keys of a new hasher are the standard library's only source of randomness.
        let random = RandomState::new().hash_one(self.attempt);
        Some(Duration::from_millis(longest / 2 + random % (longest / 2 + 1)))
    }

    /// Waits for the next attempt; when enough were made, tells what stood in the way.
    pub(crate) async fn wait(&mut self, backend: &dyn Backend, obstacle: Obstacle) -> Result<()> {
        match (self.next(), obstacle) {
            (Some(pause), _) => {
                backend.sleep(pause).await;
                Ok(())
            }
            (None, Obstacle::Conflict) => Err(Error::Conflict),
            (None, Obstacle::Throttling) => Err(Error::Throttled),
            // Nobody can say that nothing was done, as the others do.
            (None, Obstacle::InProgress) => Err(Error::Backend(BackendError::Failed(
                "the transaction was sent before, and it is not known what becomes of it".into(),
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever repeats something because nothing was done must not do it twice.
    #[test]
    fn a_transaction_that_is_still_at_work_is_no_conflict() {
        let of = |kind| Obstacle::of(&dynamo::Error::new(kind));
        assert_eq!(of(ErrorKind::TransactionInProgress), Some(Obstacle::InProgress));
        assert_eq!(of(ErrorKind::TransactionConflict), Some(Obstacle::Conflict));
        assert_eq!(of(ErrorKind::Validation), None);
    }

    #[test]
    fn pauses_grow_and_end() {
        let mut backoff = Backoff::new();
        let pauses: Vec<Duration> = std::iter::from_fn(|| backoff.next()).collect();
        assert_eq!(pauses.len(), ATTEMPTS_MAX as usize);
        for (attempt, pause) in pauses.iter().enumerate() {
            let longest = (FIRST_MS << attempt).min(LONGEST_MS);
            assert!((longest / 2..=longest).contains(&(pause.as_millis() as u64)), "{pause:?}");
        }
    }
}
