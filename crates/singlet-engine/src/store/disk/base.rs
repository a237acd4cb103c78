//! The base: all rows except the recent ones, in a redb file.
//!
//! redb is a copy-on-write tree of pages with atomic commits. This module adds checksums of pages
//! and rows, verified by every read, and fail-stop: after a failure nothing is written, but reads
//! continue.

mod checksums;
mod data_file;
mod row;

pub(super) use data_file::DataFile;

use super::fail_stop::FailStop;
use super::log::Anchor;
use crate::store::batch::EditsOf;
use crate::store::bytes::{Bytes, Row};
use crate::store::error::Error;
use crate::store::keyspace::{Keyspace, PerKeyspace};
use crate::store::{Direction, Result, is_empty_range};
use crate::sync::RwLock;
use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTableMetadata,
    TableDefinition, TableError,
};
use std::fmt;
use std::ops::Bound;
use std::sync::OnceLock;

/// A page of checksums and redb's header: the minimum size of a base.
pub(super) const BYTES_MIN: u64 = 2 * 4096;

type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;
type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

fn definition(keyspace: Keyspace) -> Definition {
    TableDefinition::new(keyspace.name())
}

/// Holds the anchor of the log.
const LOG: Definition = TableDefinition::new("log");
const ANCHOR: &[u8] = b"anchor";

/// How to treat an incomplete file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Create the tables and the anchor.
    IsMade,
    /// Report it as corrupt.
    IsDamage,
}

/// A redb file with the rows of all keyspaces.
pub(super) struct Base {
    /// `None` when closed. Verifying and closing take the write lock.
    database: RwLock<Option<Database>>,
    fail_stop: FailStop,
    file: DataFile,
}

impl Base {
    pub(super) fn open(
        file: DataFile,
        cache_bytes: usize,
        fail_stop: FailStop,
        missing: Missing,
    ) -> Result<Self> {
        // redb would treat a truncated file as new.
        if missing == Missing::IsDamage && file.disk_bytes()? < BYTES_MIN {
            return Err(Error::Corrupt("the file of data is cut off".to_owned()));
        }
        let database = fail_stop.guard(|| {
            let mut builder = redb::Builder::new();
            let database = builder.set_cache_size(cache_bytes).create_with_backend(file.clone())?;
            file.check()?;
            Ok(database)
        })?;
        let base = Self { database: RwLock::new(Some(database)), fail_stop, file };
        if missing == Missing::IsMade && base.view()?.anchor()?.is_none() {
            // All tables in one commit: a file with an anchor has all of them, or is damaged.
            let none = Keyspace::ALL.map(|keyspace| (keyspace, Vec::new()));
            base.write(&none, Some(Anchor::new()))?;
        }
        Ok(base)
    }

    /// A view of the last commit.
    pub(super) fn view(&self) -> Result<View> {
        View::new(self.database.read().as_ref().ok_or(Error::Closed)?, &self.fail_stop)
    }

    /// Where the log continues.
    pub(super) fn anchor(&self) -> Result<Anchor> {
        let anchor = self.view()?.anchor()?;
        anchor.ok_or_else(|| Error::Corrupt("the start of the log is not known".to_owned()))
    }

    pub(super) fn is_empty(&self) -> Result<bool> {
        let view = self.view()?;
        for keyspace in Keyspace::ALL {
            if !view.table(keyspace)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes rows durably; the last chunk of a checkpoint includes the new anchor.
    ///
    /// If the disk is full, the rows may still be written by a later call. That is harmless: until
    /// their checkpoint is complete, readers find the same rows in the memtable.
    pub(super) fn write(&self, changes: &[EditsOf<'_>], anchor: Option<Anchor>) -> Result<()> {
        let database = self.database.read();
        let database = database.as_ref().ok_or(Error::Closed)?;
        self.fail_stop.check()?;
        self.fail_stop.guard(|| {
            self.file.retry()?;
            let mut transaction = database.begin_write()?;
            // Without this, recovery after a crash reads the whole file.
            transaction.set_quick_repair(true);
            for (keyspace, edits) in changes {
                let mut table = transaction.open_table(definition(*keyspace))?;
                let mut sealed = Vec::new();
                for edit in edits {
                    if let Some(value) = edit.value {
                        row::seal(*keyspace, edit.key, value, &mut sealed);
                        table.insert(edit.key, sealed.as_slice())?;
                    } else {
                        table.remove(edit.key)?;
                    }
                }
            }
            if let Some(anchor) = anchor {
                let mut table = transaction.open_table(LOG)?;
                table.insert(ANCHOR, anchor.to_bytes().as_slice())?;
            }
            transaction.commit()?;
            self.file.check()
        })
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.file.redb_bytes()
    }

    /// Reads and verifies everything. No view may be held.
    pub(super) fn verify(&self) -> Result<()> {
        let mut database = self.database.write();
        let database = database.as_mut().ok_or(Error::Closed)?;
        let sound = self.fail_stop.guard(|| {
            self.file.retry()?;
            let sound = database.check_integrity()?;
            self.file.check()?;
            Ok(sound)
        })?;
        let view = View::new(database, &self.fail_stop)?;
        for keyspace in Keyspace::ALL {
            let all = Bound::Unbounded;
            for row in view.range(keyspace, all, all, Direction::Forward)? {
                row?;
            }
        }
        if sound {
            Ok(())
        } else {
            Err(Error::Corrupt("the tree of pages had to be repaired".to_owned()))
        }
    }

    /// Closes the file. redb's clean shutdown is a last commit, which reads it.
    pub(super) fn close(&self) {
        let database = self.database.write().take();
        // Nothing to flush: every commit was synced.
        let _ = self.fail_stop.guard(|| {
            drop(database);
            Ok(())
        });
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        self.close();
    }
}

/// A view of one commit. Tables are opened on first use.
pub(super) struct View {
    transaction: ReadTransaction,
    tables: PerKeyspace<OnceLock<Table>>,
    fail_stop: FailStop,
}

impl View {
    fn new(database: &Database, fail_stop: &FailStop) -> Result<Self> {
        let transaction = fail_stop.guard(|| Ok(database.begin_read()?))?;
        let tables = PerKeyspace::from_fn(|_| OnceLock::new());
        Ok(Self { transaction, tables, fail_stop: fail_stop.clone() })
    }

    fn table(&self, keyspace: Keyspace) -> Result<&Table> {
        let cell = self.tables.get(keyspace);
        if let Some(table) = cell.get() {
            return Ok(table);
        }
        let table =
            self.fail_stop.guard(|| Ok(self.transaction.open_table(definition(keyspace))?))?;
        Ok(cell.get_or_init(|| table))
    }

    fn anchor(&self) -> Result<Option<Anchor>> {
        self.fail_stop.guard(|| {
            let table = match self.transaction.open_table(LOG) {
                Err(TableError::TableDoesNotExist(_)) => return Ok(None),
                opened => opened?,
            };
            let Some(stored) = table.get(ANCHOR)? else { return Ok(None) };
            let anchor = Anchor::from_bytes(stored.value());
            anchor.map(Some).ok_or_else(|| Error::Corrupt("the log's anchor is damaged".to_owned()))
        })
    }

    pub(super) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        let table = self.table(keyspace)?;
        self.fail_stop.guard(|| match table.get(key)? {
            Some(sealed) => row::open_value(keyspace, key, sealed.value()).map(Some),
            None => Ok(None),
        })
    }

    pub(super) fn range(
        &self,
        keyspace: Keyspace,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Direction,
    ) -> Result<Range> {
        let rows = if is_empty_range(lower, upper) {
            None
        } else {
            let table = self.table(keyspace)?;
            Some(self.fail_stop.guard(|| Ok(table.range::<&[u8]>((lower, upper))?))?)
        };
        Ok(Range {
            keyspace,
            direction,
            rows,
            scratch: Vec::new(),
            fail_stop: self.fail_stop.clone(),
        })
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").finish_non_exhaustive()
    }
}

/// Rows from the file, each verified when it is read.
pub(super) struct Range {
    keyspace: Keyspace,
    direction: Direction,
    /// `None` at the end.
    rows: Option<redb::Range<'static, &'static [u8], &'static [u8]>>,
    /// Reused buffer, as long as the longest row so far.
    scratch: Vec<u8>,
    fail_stop: FailStop,
}

impl Iterator for Range {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        let rows = self.rows.as_mut()?;
        let row = self.fail_stop.guard(|| {
            let row = match self.direction {
                Direction::Forward => rows.next(),
                Direction::Backward => rows.next_back(),
            };
            let Some((key, sealed)) = row.transpose()? else { return Ok(None) };
            row::open(self.keyspace, key.value(), sealed.value(), &mut self.scratch).map(Some)
        });
        let row = row.transpose()?;
        if row.is_err() {
            // Do not continue after a damaged row.
            self.rows = None;
        }
        Some(row)
    }
}
