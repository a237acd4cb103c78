//! The base: all rows but the most recent ones, in a redb file.
//!
//! redb is a copy-on-write tree of pages with atomic commits. What this adds: checksums of pages
//! and rows that are looked at whenever one is read, and the rule that after a failure nothing is
//! written any more, while readers go on.

mod pages;
mod row;
mod sticky;

use super::health::Health;
use super::log::Anchor;
use crate::store::batch::EditsOf;
use crate::store::bytes::{Bytes, Row};
use crate::store::error::Error;
use crate::store::keyspace::{Keyspace, PerKeyspace};
use crate::store::{Direction, Result, is_empty_range};
use pages::Pages;
use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTableMetadata,
    StorageBackend, TableDefinition, TableError,
};
use std::fmt;
use std::ops::Bound;
use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard};
use sticky::{FailureFlag, Retry, Sticky};

/// A page of checksums and redb's header: no base has fewer.
pub(super) const BYTES_MIN: u64 = 2 * 4096;

type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;
type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

fn definition(keyspace: Keyspace) -> Definition {
    TableDefinition::new(keyspace.name())
}

/// Where the anchor of the log is.
const LOG: Definition = TableDefinition::new("log");
const ANCHOR: &[u8] = b"anchor";

/// What to do with a file that is not a complete base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// What is missing is made: the tables of a new file, the anchor of one without a log.
    IsMade,
    /// The file is damaged.
    IsDamage,
}

/// Sorted bytes in a redb file.
pub(super) struct Base {
    /// None when it is closed. Readers and writers share it; who verifies or closes it has it
    /// alone.
    opened: RwLock<Option<Opened>>,
    health: Health,
    watch: FailureFlag,
}

struct Opened {
    database: Database,
    retry: Retry,
}

impl Base {
    pub(super) fn open(
        backend: impl StorageBackend,
        cache_bytes: usize,
        health: Health,
        missing: Missing,
    ) -> Result<Self> {
        // redb would take a file that has lost all of its bytes for a new one.
        if missing == Missing::IsDamage && backend.len()? < BYTES_MIN {
            return Err(Error::Corrupt("the file of data is cut off".to_owned()));
        }
        let (backend, watch, retry) = Sticky::new(Pages::new(backend));
        let database = health.guard(|| {
            let mut builder = redb::Builder::new();
            let database = builder.set_cache_size(cache_bytes).create_with_backend(backend)?;
            watch.check()?;
            Ok(database)
        })?;
        let opened = RwLock::new(Some(Opened { database, retry }));
        let base = Self { opened, health, watch };
        if missing == Missing::IsMade && base.view()?.anchor()?.is_none() {
            // All tables at once: a file that has an anchor has all of them, or is damaged.
            let none = Keyspace::ALL.map(|keyspace| (keyspace, Vec::new()));
            base.write(&none, Some(Anchor::new()))?;
        }
        Ok(base)
    }

    fn opened(&self) -> RwLockReadGuard<'_, Option<Opened>> {
        // Nothing is left half done in the guarded option, whoever panicked.
        self.opened.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was committed so far, to read from.
    pub(super) fn view(&self) -> Result<View> {
        View::new(&self.opened().as_ref().ok_or(Error::Closed)?.database, &self.health)
    }

    /// Where the log goes on.
    pub(super) fn anchor(&self) -> Result<Anchor> {
        let anchor = self.view()?.anchor()?;
        anchor.ok_or_else(|| Error::Corrupt("the start of the log is not known".to_owned()))
    }

    /// Whether no keyspace has any rows.
    pub(super) fn is_empty(&self) -> Result<bool> {
        let view = self.view()?;
        for keyspace in Keyspace::ALL {
            if !view.table(keyspace)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes some rows, and with the last ones of a checkpoint where the log goes on. It is on
    /// the disk when this returns.
    ///
    /// If the disk is full, the rows may come to be there later, when something is written again.
    /// That does no harm: until their checkpoint is complete, readers find them above.
    pub(super) fn write(&self, changes: &[EditsOf<'_>], anchor: Option<Anchor>) -> Result<()> {
        let opened = self.opened();
        let opened = opened.as_ref().ok_or(Error::Closed)?;
        self.health.check()?;
        self.health.guard(|| {
            (opened.retry)()?;
            let mut transaction = opened.database.begin_write()?;
            // Without this, opening after a crash reads the whole file.
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
            self.watch.check()
        })
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.watch.bytes()
    }

    /// Reads everything, for which nobody else may hold a view.
    pub(super) fn verify(&self) -> Result<()> {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        let Opened { database, retry } = opened.as_mut().ok_or(Error::Closed)?;
        let sound = self.health.guard(|| {
            retry()?;
            let sound = database.check_integrity()?;
            self.watch.check()?;
            Ok(sound)
        })?;
        let view = View::new(database, &self.health)?;
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

    /// Lets go of the file. redb says goodbye to it in a last commit, which reads it.
    pub(super) fn close(&self) {
        let opened = self.opened.write().unwrap_or_else(PoisonError::into_inner).take();
        // Whatever was to be durable is so already.
        let _ = self.health.guard(|| {
            drop(opened);
            Ok(())
        });
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        self.close();
    }
}

/// The state after one commit, with the tables that have been asked for.
pub(super) struct View {
    transaction: ReadTransaction,
    tables: PerKeyspace<OnceLock<Table>>,
    health: Health,
}

impl View {
    fn new(database: &Database, health: &Health) -> Result<Self> {
        let transaction = health.guard(|| Ok(database.begin_read()?))?;
        let tables = PerKeyspace::from_fn(|_| OnceLock::new());
        Ok(Self { transaction, tables, health: health.clone() })
    }

    fn table(&self, keyspace: Keyspace) -> Result<&Table> {
        let cell = self.tables.get(keyspace);
        if let Some(table) = cell.get() {
            return Ok(table);
        }
        let table =
            self.health.guard(|| Ok(self.transaction.open_table(definition(keyspace))?))?;
        Ok(cell.get_or_init(|| table))
    }

    /// Where the log goes on, if that is known.
    fn anchor(&self) -> Result<Option<Anchor>> {
        self.health.guard(|| {
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
        self.health.guard(|| match table.get(key)? {
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
            Some(self.health.guard(|| Ok(table.range::<&[u8]>((lower, upper))?))?)
        };
        Ok(Range { keyspace, direction, rows, scratch: Vec::new(), health: self.health.clone() })
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").finish_non_exhaustive()
    }
}

/// Rows from the file, each checked as it is read.
pub(super) struct Range {
    keyspace: Keyspace,
    direction: Direction,
    /// None when there is nothing more to read.
    rows: Option<redb::Range<'static, &'static [u8], &'static [u8]>>,
    /// As long as the longest row so far.
    scratch: Vec<u8>,
    health: Health,
}

impl Iterator for Range {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        let rows = self.rows.as_mut()?;
        let row = self.health.guard(|| {
            let row = match self.direction {
                Direction::Forward => rows.next(),
                Direction::Backward => rows.next_back(),
            };
            let Some((key, sealed)) = row.transpose()? else { return Ok(None) };
            row::open(self.keyspace, key.value(), sealed.value(), &mut self.scratch).map(Some)
        });
        let row = row.transpose()?;
        if row.is_err() {
            // Whatever is behind a damaged row, nobody should rely on it.
            self.rows = None;
        }
        Some(row)
    }
}
