//! When transaction tokens were first sent.
//!
//! DynamoDB compares a retried transaction with the first one sent under its token. Maintained
//! timestamps would make a retry differ, so it is planned as of the first attempt.

use crate::timestamp::Timestamp;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long DynamoDB remembers a token.
const WINDOW: Duration = Duration::from_secs(10 * 60);
const TOKEN_BYTES_MAX: usize = 36;
/// The number of remembered tokens, about 2 MB. Forgetting one early makes a retry fail, but never
/// runs a transaction twice.
const TOKENS_MAX: usize = 10_000;

/// The tokens that this database has sent in the last ten minutes.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    moments: HashMap<String, Timestamp>,
    /// In order of arrival. A token that was forgotten and sent again appears twice.
    order: VecDeque<(Timestamp, String)>,
}

impl Tokens {
    /// When the token was first sent, and whether that is now.
    pub(crate) fn moment(&self, token: &str, now: Timestamp) -> (Timestamp, bool) {
        // DynamoDB rejects longer tokens, so do not store them.
        if token.len() > TOKEN_BYTES_MAX {
            return (now, true);
        }
        let mut remembered = self.lock();
        remembered.drop_old(now);
        if let Some(moment) = remembered.moments.get(token) {
            return (*moment, false);
        }
        remembered.moments.insert(token.to_owned(), now);
        remembered.order.push_back((now, token.to_owned()));
        (now, true)
    }

    /// When the token was first sent, if remembered.
    pub(crate) fn peek(&self, token: &str, now: Timestamp) -> Option<Timestamp> {
        let mut remembered = self.lock();
        remembered.drop_old(now);
        remembered.moments.get(token).copied()
    }

    pub(crate) fn forget(&self, token: &str) {
        self.lock().moments.remove(token);
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remembered {
    fn drop_old(&mut self, now: Timestamp) {
        let oldest = now.before(WINDOW);
        while let Some((moment, token)) = self.order.front()
            && (*moment <= oldest || self.order.len() >= TOKENS_MAX)
        {
            if self.moments.get(token) == Some(moment) {
                self.moments.remove(token);
            }
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_remembered_for_ten_minutes() {
        let tokens = Tokens::default();
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        assert_eq!(tokens.moment("a", at(1000)), (at(1000), true));
        assert_eq!(tokens.moment("a", at(1599)), (at(1000), false));
        assert_eq!(tokens.moment("b", at(1599)), (at(1599), true));
        assert_eq!(tokens.moment("a", at(1600)), (at(1600), true));
        tokens.forget("a");
        assert_eq!(tokens.moment("a", at(1601)), (at(1601), true));
    }

    #[test]
    fn only_so_many_are_remembered() {
        let tokens = Tokens::default();
        let now = Timestamp::from_millis(0);
        for number in 0..3 * TOKENS_MAX {
            tokens.moment(&number.to_string(), now);
        }
        let remembered = tokens.lock();
        assert!(remembered.order.len() <= TOKENS_MAX && remembered.moments.len() <= TOKENS_MAX);
        assert!(remembered.moments.contains_key(&(3 * TOKENS_MAX - 1).to_string()));
    }
}
