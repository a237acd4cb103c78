//! Idempotency tokens of transactions.
//!
//! ```text
//! t token           → when it expires, and the fingerprint of its request
//! e moment · token  → empty; the tokens by expiry
//! ```

use super::Planner;
use crate::error::{Error, Result};
use crate::maintenance::{Progress, Task};
use crate::store::{self, Direction, Keyspace};
use singlet_dynamo::Timestamp;
use std::ops::Bound;

const REMEMBERED_MS: i64 = 10 * 60 * 1000;
/// Maximum number of expired tokens deleted at a time.
const FORGOTTEN_MAX: usize = 500;

/// Hash of a request, to detect a token reused with different parameters.
pub(crate) type Fingerprint = [u8; 16];

impl Planner<'_, '_> {
    /// The fingerprint of the request that used this token, unless it has expired.
    pub(crate) fn recall_token(&mut self, token: &str) -> Result<Option<Fingerprint>> {
        let Some(row) = self.read(Keyspace::Tokens, &token_key(token))? else { return Ok(None) };
        let (until, fingerprint) = split(&row).ok_or_else(|| {
            Error::Store(store::Error::Corrupt("a token cannot be read".to_owned()))
        })?;
        Ok((self.view.now.as_millis() < until.as_millis()).then_some(fingerprint))
    }

    pub(crate) fn remember_token(&mut self, token: &str, fingerprint: Fingerprint) {
        let until = self.view.now.as_millis() + REMEMBERED_MS;
        let row = [until.to_be_bytes().as_slice(), &fingerprint].concat();
        self.note_written(Keyspace::Tokens, &token_key(token));
        self.put(Keyspace::Tokens, token_key(token), row);
        self.put(Keyspace::Tokens, moment_key(until, token.as_bytes()), Vec::new());
    }

    pub(crate) fn forget_tokens(&mut self) -> Result<Progress> {
        let (start, end) = (moment_key(0, b""), moment_key(self.view.now.as_millis(), b""));
        let (lower, upper) = (Bound::Included(&*start), Bound::Excluded(&*end));
        let mut forgotten = Vec::new();
        for row in self.view.snapshot.range(Keyspace::Tokens, lower, upper, Direction::Forward)? {
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
                // A token used again since then expires later.
                let row = self.read(Keyspace::Tokens, &token_key)?;
                if row.is_some_and(|row| row.starts_with(until)) {
                    self.note_written(Keyspace::Tokens, &token_key);
                    self.delete(Keyspace::Tokens, token_key);
                }
            }
            self.delete(Keyspace::Tokens, key);
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
