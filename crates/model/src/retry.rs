//! Waiting before something is tried again.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How long to wait at first.
const FIRST_MS: u64 = 25;
/// How long to wait at most.
const LONGEST_MS: u64 = 2_000;
/// How often something is tried again before it counts as failed: with the pauses above, for about
/// ten seconds.
const ATTEMPTS_MAX: u32 = 10;

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
