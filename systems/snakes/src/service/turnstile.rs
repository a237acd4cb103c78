//! Trying again when somebody else was faster.

use crate::refusal::Refusal;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

/// How often a change is tried before the caller is told that there is too much going on. Within
/// one process the turnstile leaves nothing to try again; between processes a few attempts do.
const ATTEMPTS_MAX: u32 = 12;
/// How long to wait at most before the next attempt.
const PAUSE_MAX: Duration = Duration::from_millis(100);
/// How many queues there are. Games that share one only wait for each other.
const QUEUES: usize = 256;

/// What an attempt ends with, if not well.
pub(super) enum Attempt {
    /// Somebody else has changed the game since it was read.
    Stale,
    /// It would be refused however often it is tried.
    Refused(Refusal),
}

impl From<Refusal> for Attempt {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<singlet::Error> for Attempt {
    fn from(error: singlet::Error) -> Self {
        match error {
            singlet::Error::Conflict => Self::Stale,
            other => Self::Refused(other.into()),
        }
    }
}

/// Counts attempts.
#[derive(Default)]
pub(super) struct Attempts(u32);

impl Attempts {
    /// Looks at how an attempt ended: `Ok` after a pause if it is worth another one.
    pub(super) async fn after(&mut self, ended: Attempt) -> Result<(), Refusal> {
        match ended {
            Attempt::Refused(refusal) => Err(refusal),
            Attempt::Stale if self.0 >= ATTEMPTS_MAX => Err(Refusal::Crowded),
            Attempt::Stale => {
                self.0 += 1;
                // The keys of a new hasher are the standard library's only source of randomness.
                let random = RandomState::new().hash_one(self.0) % (1 << self.0);
                tokio::time::sleep(Duration::from_millis(random).min(PAUSE_MAX)).await;
                Ok(())
            }
        }
    }
}

/// Lets callers of one process through one by one, where they would otherwise all try at once and
/// all but one would try again.
pub(super) struct Turnstile {
    queues: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl Default for Turnstile {
    fn default() -> Self {
        let queues = (0..QUEUES).map(|_| Mutex::new(())).collect();
        Self { queues, hasher: RandomState::new() }
    }
}

impl Turnstile {
    /// Waits until nobody else with this name is inside. Leave by dropping what is returned.
    pub(super) async fn enter(&self, name: &str) -> Option<MutexGuard<'_, ()>> {
        let number = self.hasher.hash_one(name) as usize % QUEUES;
        match self.queues.get(number) {
            Some(queue) => Some(queue.lock().await),
            None => None,
        }
    }
}
