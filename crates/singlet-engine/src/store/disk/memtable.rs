//! Memtables: recent rows, not yet in the base.
//!
//! Deletions are stored as tombstones. Each value is followed by a tag: one for a row, zero for a
//! tombstone, which has no value. Log records have the same form.

use super::filter::{Filter, KeyHash};
use crate::store::batch::EditsOf;
use crate::store::bytes::{Bytes, Row};
use crate::store::error::Error;
use crate::store::keyspace::Keyspace;
use crate::store::memory::{MemoryStore, Snapshot};
use crate::store::{Direction, Result};
use std::ops::Bound;

const TOMBSTONE: u8 = 0;
const LIVE: u8 = 1;

/// Rows in memory, which shadow the base.
#[derive(Debug)]
pub(super) struct Memtable {
    rows: MemoryStore,
    keys: Filter,
}

impl Memtable {
    /// An empty memtable, sized for this many bytes.
    pub(super) fn new(row_bytes: u64) -> Self {
        Self { rows: MemoryStore::new(), keys: Filter::new(row_bytes) }
    }

    /// Applies these edits atomically. Their values are tagged.
    pub(super) fn apply(&self, edits: Vec<EditsOf<'_>>) -> Result<()> {
        for (keyspace, edits) in &edits {
            edits.iter().for_each(|edit| self.keys.add(KeyHash::new(*keyspace, edit.key)));
        }
        self.rows.apply(edits)
    }

    /// Whether it may have a row or a tombstone with this key.
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

pub(super) fn tag(value: Option<&[u8]>) -> u8 {
    if value.is_some() { LIVE } else { TOMBSTONE }
}

/// The value without its tag; `None` for a tombstone.
pub(super) fn value(tagged: Bytes) -> Option<Bytes> {
    let (value, tag) = tagged.split_last()?;
    (tag == LIVE).then_some(value)
}

/// The row without its tag; `None` for a tombstone.
pub(super) fn row(tagged: Row) -> Option<Row> {
    let (row, tag) = tagged.split_last()?;
    (tag == LIVE).then_some(row)
}

/// The value in tagged bytes; `None` for a tombstone.
pub(super) fn value_in(tagged: &[u8]) -> Option<&[u8]> {
    match tagged.split_last() {
        Some((&LIVE, value)) => Some(value),
        _ => None,
    }
}

pub(super) fn are_tagged(edits: &[EditsOf<'_>]) -> bool {
    let mut edits = edits.iter().flat_map(|(_, edits)| edits);
    edits.all(|edit| matches!(edit.value, Some([TOMBSTONE] | [.., LIVE])))
}
