//! Tokens of transactions, so that one that is sent twice is carried out once.
//!
//! ```text
//! t token           → when it is forgotten, and the fingerprint of its request
//! e moment · token  → nothing; what is to be forgotten, in order
//! ```

use super::Stage;
use crate::error::{Error, Result};
use crate::maintenance::{Progress, Task};
use crate::store::{self, Direction, Keyspace};
use singlet_dynamo::Timestamp;
use std::ops::Bound;

/// How long a token is remembered.
const REMEMBERED_MS: i64 = 10 * 60 * 1000;
/// How many tokens are forgotten at a time.
const FORGOTTEN_MAX: usize = 500;

/// What identifies a request: two that differ have different ones, as far as anyone will see.
pub(crate) type Fingerprint = [u8; 16];

impl Stage<'_> {
    /// The fingerprint of the request that had this token, if it is remembered.
    pub(crate) fn recall_token(&self, token: &str) -> Result<Option<Fingerprint>> {
        let key = token_key(token);
        let row = match self.batch.get(Keyspace::Tokens, &key) {
            Some(pending) => pending.map(<[u8]>::to_vec),
            None => self.snapshot.get(Keyspace::Tokens, &key)?.map(|row| row.to_vec()),
        };
        let Some(row) = row else { return Ok(None) };
        let (until, fingerprint) = split(&row).ok_or_else(|| {
            Error::Store(store::Error::Corrupt("a token cannot be read".to_owned()))
        })?;
        Ok((self.now.as_millis() < until.as_millis()).then_some(fingerprint))
    }

    /// Remembers the token of a request that was carried out.
    pub(crate) fn remember_token(&mut self, token: &str, fingerprint: Fingerprint) {
        let until = self.now.as_millis() + REMEMBERED_MS;
        let row = [until.to_be_bytes().as_slice(), &fingerprint].concat();
        self.batch.put(Keyspace::Tokens, token_key(token), row);
        self.batch.put(Keyspace::Tokens, moment_key(until, token.as_bytes()), Vec::new());
    }

    pub(crate) fn forget_tokens(&mut self) -> Result<Progress> {
        let (start, end) = (moment_key(0, b""), moment_key(self.now.as_millis(), b""));
        let (lower, upper) = (Bound::Included(&*start), Bound::Excluded(&*end));
        let mut forgotten = Vec::new();
        for row in self.snapshot.range(Keyspace::Tokens, lower, upper, Direction::Forward)? {
            if forgotten.len() == FORGOTTEN_MAX {
                break;
            }
            forgotten.push(row?.key().to_vec());
        }
        let has_more = forgotten.len() == FORGOTTEN_MAX;
        for key in forgotten {
            if let Some((until, token)) =
                key.get(1..).and_then(|rest| rest.split_first_chunk::<8>())
            {
                let token_key = [b"t", token].concat();
                // A token that was used again since is remembered for longer.
                let row = self.snapshot.get(Keyspace::Tokens, &token_key)?;
                if row.is_some_and(|row| row.starts_with(until)) {
                    self.batch.delete(Keyspace::Tokens, token_key);
                }
            }
            self.batch.delete(Keyspace::Tokens, key);
        }
        Ok(if has_more { Progress::Left(Task::ForgetTokens) } else { Progress::Done })
    }
}

fn token_key(token: &str) -> Vec<u8> {
    [b"t", token.as_bytes()].concat()
}

fn moment_key(millis: i64, token: &[u8]) -> Vec<u8> {
    [b"e".as_slice(), &millis.max(0).to_be_bytes(), token].concat()
}

fn split(row: &[u8]) -> Option<(Timestamp, Fingerprint)> {
    let (until, fingerprint) = row.split_first_chunk::<8>()?;
    let until = Timestamp::from_millis(i64::from_be_bytes(*until));
    Some((until, fingerprint.try_into().ok()?))
}
