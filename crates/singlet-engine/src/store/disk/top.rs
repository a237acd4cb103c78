//! The rows that are not in the base yet.
//!
//! They are in a store in memory of their own, which has to remember deletions as well. So what it
//! keeps for a key is the value with a byte behind it: one for a row, zero for a row that was
//! deleted, which has no value. A record of the log has rows in the same form.

use super::filter::{Filter, KeyHash};
use crate::store::batch::EditsOf;
use crate::store::bytes::{Bytes, Row};
use crate::store::error::Error;
use crate::store::keyspace::Keyspace;
use crate::store::memory::{MemoryStore, Snapshot};
use crate::store::{Direction, Result};
use std::ops::Bound;

const DELETED: u8 = 0;
const THERE: u8 = 1;

/// Rows in memory that hide those of the base.
#[derive(Debug)]
pub(super) struct Top {
    rows: MemoryStore,
    keys: Filter,
}

impl Top {
    /// One without rows, that will get about so many bytes of them.
    pub(super) fn new(row_bytes: u64) -> Self {
        Self { rows: MemoryStore::new(), keys: Filter::new(row_bytes) }
    }

    /// Makes all of these edits visible at once. Their values are as they are kept.
    pub(super) fn apply(&self, edits: Vec<EditsOf<'_>>) -> Result<()> {
        for (keyspace, edits) in &edits {
            edits.iter().for_each(|edit| self.keys.add(KeyHash::new(*keyspace, edit.key)));
        }
        self.rows.apply(edits)
    }

    /// Whether any state of it may have a row with this key.
    pub(super) fn may_hold(&self, key: KeyHash) -> bool {
        self.keys.may_hold(key)
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        self.rows.snapshot()
    }

    pub(super) fn verify(&self) -> Result<()> {
        self.rows.verify()?;
        let (snapshot, all) = (self.snapshot()?, Bound::Unbounded);
        for keyspace in Keyspace::ALL {
            let mut rows = snapshot.range(keyspace, all, all, Direction::Forward);
            if !rows.all(|row| self.may_hold(KeyHash::new(keyspace, row.key()))) {
                return Err(Error::Corrupt("a recent row would not be found".to_owned()));
            }
        }
        Ok(())
    }
}

/// The byte behind what is kept for a value, or for none.
pub(super) fn mark(value: Option<&[u8]>) -> u8 {
    if value.is_some() { THERE } else { DELETED }
}

/// The value that is kept so; none if it was deleted.
pub(super) fn value(kept: Bytes) -> Option<Bytes> {
    let (value, mark) = kept.split_last()?;
    (mark == THERE).then_some(value)
}

/// The row that is kept so; none if it was deleted.
pub(super) fn row(kept: Row) -> Option<Row> {
    let (row, mark) = kept.split_last()?;
    (mark == THERE).then_some(row)
}

/// The value in these bytes that are kept; none if it was deleted.
pub(super) fn value_in(kept: &[u8]) -> Option<&[u8]> {
    match kept.split_last() {
        Some((&THERE, value)) => Some(value),
        _ => None,
    }
}

/// Whether all of these are values that are kept so.
pub(super) fn are_kept(edits: &[EditsOf<'_>]) -> bool {
    let mut edits = edits.iter().flat_map(|(_, edits)| edits);
    edits.all(|edit| matches!(edit.value, Some([DELETED] | [.., THERE])))
}
