//! The store that lives in a folder.

mod folder;
mod health;
mod pages;
mod row;
mod sticky;

pub use folder::FORMAT_VERSION;

use super::batch::Batch;
use super::bytes::{Bytes, Row};
use super::error::Error;
use super::keyspace::{Keyspace, PerKeyspace};
use super::{Direction, Durability, Result, is_empty_range};
use crate::statistics::Histogram;
use arc_swap::ArcSwapOption;
use folder::Folder;
use health::Health;
use pages::Pages;
use redb::backends::FileBackend;
use redb::{
    Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTableMetadata,
    StorageBackend, TableDefinition,
};
use std::fmt;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use sticky::{Sticky, Watch};

/// How much of the file is kept in memory unless the caller says otherwise. redb's own default
/// is 1 GiB, which is more than a small machine has to spare.
pub const CACHE_BYTES_DEFAULT: usize = 256 << 20;

/// A page of checksums and redb's header: no store has fewer.
const BYTES_MIN: u64 = 2 * 4096;

/// Sorted bytes in a redb file.
///
/// redb is a copy-on-write tree of pages with atomic commits. What this adds: the folder with its
/// lock and its format, checksums of pages and rows that are looked at whenever one is read, and
/// the rule that after a failure nothing is written any more.
pub struct DiskStore {
    /// None when the store is closed. Readers and writers share it; who verifies or closes the
    /// store has it alone.
    database: RwLock<Option<Database>>,
    /// A view of the newest commit for readers to share: beginning a read and opening its tables
    /// costs several times as much as getting a row. After a commit that failed it stays the one
    /// before, which redb still has although it takes the failed one for the newest.
    newest: ArcSwapOption<View>,
    /// Held by the one who commits, so that `newest` never goes back.
    writer: Mutex<()>,
    health: Health,
    watch: Watch,
    /// Given up after the database is closed, or when the store is dropped, which closes it too.
    folder: Mutex<Option<Folder>>,
}

type Table = ReadOnlyTable<&'static [u8], &'static [u8]>;

fn definition(keyspace: Keyspace) -> TableDefinition<'static, &'static [u8], &'static [u8]> {
    TableDefinition::new(keyspace.name())
}

impl DiskStore {
    /// Opens the store in this folder; see [`Store::open`](super::Store::open). At most
    /// `cache_bytes` of the file are kept in memory.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`](super::Store::open).
    pub fn open(folder: &Path, cache_bytes: usize) -> Result<Self> {
        let folder = Folder::lock(folder)?;
        let file = folder.data_file(|file| {
            // A new file gets its tables before it gets its name, so that a file with this name
            // is always a complete one.
            let store = Self::with_backend(FileBackend::new(file)?, cache_bytes)?;
            store.require_no_rows()?;
            store.close()
        })?;
        // redb would take a file that has lost all of its bytes for a new one.
        let backend = FileBackend::new(file)?;
        if StorageBackend::len(&backend)? < BYTES_MIN {
            return Err(Error::Corrupt("the file of data is cut off".to_owned()));
        }
        let store = Self::with_backend(backend, cache_bytes)?;
        *store.folder.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
        Ok(store)
    }

    /// Opens a store on something that behaves like a file: in tests, a disk that fails.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`](super::Store::open), but for what concerns folders.
    pub fn with_backend(backend: impl StorageBackend, cache_bytes: usize) -> Result<Self> {
        let (backend, watch) = Sticky::new(Pages::new(backend));
        let health = Health::default();
        let database = health.guard(|| {
            let mut builder = redb::Builder::new();
            let database = builder.set_cache_size(cache_bytes).create_with_backend(backend)?;
            watch.check()?;
            Ok(database)
        })?;
        let store = Self {
            database: RwLock::new(Some(database)),
            newest: ArcSwapOption::empty(),
            writer: Mutex::new(()),
            health,
            watch,
            folder: Mutex::new(None),
        };
        store.create_tables()?;
        Ok(store)
    }

    /// Makes the tables of a new file, all at once: a file that has some has all of them, or is
    /// damaged.
    fn create_tables(&self) -> Result<()> {
        let Snapshot(view) = self.snapshot()?;
        if self.health.guard(|| Ok(view.transaction.list_tables()?.next().is_none()))? {
            self.commit_inner(&Batch::new(), Durability::Full, true)
        } else {
            self.newest.store(Some(view));
            Ok(())
        }
    }

    fn require_no_rows(&self) -> Result<()> {
        let Snapshot(view) = self.snapshot()?;
        for keyspace in Keyspace::ALL {
            if !view.table(keyspace)?.is_empty()? {
                return Err(Error::Corrupt("the file that names the format is missing".to_owned()));
            }
        }
        Ok(())
    }

    fn database(&self) -> RwLockReadGuard<'_, Option<Database>> {
        // Nothing is left half done in the guarded option, whoever panicked.
        self.database.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        if let Some(view) = self.newest.load_full() {
            return Ok(Snapshot(view));
        }
        // Not published from here: a commit may have been published meanwhile.
        let database = self.database();
        let database = database.as_ref().ok_or(Error::Closed)?;
        Ok(Snapshot(Arc::new(View::new(database, &self.health)?)))
    }

    pub(super) fn commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.commit_inner(batch, durability, false)
    }

    pub(super) fn sync(&self) -> Result<()> {
        // redb makes earlier commits durable with the next durable one.
        self.commit_inner(&Batch::new(), Durability::Full, false)
    }

    fn commit_inner(&self, batch: &Batch, durability: Durability, create: bool) -> Result<()> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.health.check()?;
        let database = self.database();
        let database = database.as_ref().ok_or(Error::Closed)?;
        self.health.guard(|| {
            write(database, batch, durability, create)?;
            self.watch.check()
        })?;
        self.newest.store(Some(Arc::new(View::new(database, &self.health)?)));
        Ok(())
    }

    pub(super) fn sync_micros(&self) -> &Histogram {
        self.watch.sync_micros()
    }

    pub(super) fn size_bytes(&self) -> Result<u64> {
        match self.database().as_ref() {
            Some(_) => Ok(self.watch.bytes()),
            None => Err(Error::Closed),
        }
    }

    pub(super) fn verify(&self) -> Result<()> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.health.check()?;
        let mut database = self.database.write().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_mut().ok_or(Error::Closed)?;
        self.newest.store(None);
        let sound = self.health.guard(|| {
            let sound = database.check_integrity()?;
            self.watch.check()?;
            Ok(sound)
        })?;
        let view = View::new(database, &self.health)?;
        for keyspace in Keyspace::ALL {
            let bounds = (Bound::Unbounded, Bound::Unbounded);
            for row in view.range(keyspace, bounds, Direction::Forward)? {
                row?;
            }
        }
        self.newest.store(Some(Arc::new(view)));
        if sound {
            Ok(())
        } else {
            Err(Error::Corrupt("the tree of pages had to be repaired".to_owned()))
        }
    }

    pub(super) fn close(&self) -> Result<()> {
        // Relaxed commits become durable here, where a failure can still be told.
        let synced = match self.sync() {
            Err(Error::Closed) => return Ok(()),
            synced => synced,
        };
        let mut database = self.database.write().unwrap_or_else(PoisonError::into_inner);
        self.newest.store(None);
        close(database.take(), &self.health);
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).take();
        synced
    }
}

/// Lets go of the file. redb says goodbye to it in a last commit, which reads it.
fn close(database: Option<Database>, health: &Health) {
    // Whoever wants to know whether everything is durable has called `sync` before.
    let _ = health.guard(|| {
        drop(database);
        Ok(())
    });
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        self.newest.store(None);
        let database = self.database.get_mut().unwrap_or_else(PoisonError::into_inner);
        close(database.take(), &self.health);
    }
}

impl fmt::Debug for DiskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiskStore").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Writes a batch in one transaction.
fn write(
    database: &Database,
    batch: &Batch,
    durability: Durability,
    create_tables: bool,
) -> Result<()> {
    let mut transaction = database.begin_write()?;
    match durability {
        Durability::Full => {
            // Without this, opening after a crash reads the whole file.
            transaction.set_quick_repair(true);
        }
        Durability::Relaxed => transaction.set_durability(redb::Durability::None)?,
    }
    if create_tables {
        for keyspace in Keyspace::ALL {
            transaction.open_table(definition(keyspace))?;
        }
    }
    for (keyspace, edits) in batch.edits() {
        let mut table = transaction.open_table(definition(keyspace))?;
        let mut sealed = Vec::new();
        for edit in edits {
            match edit.value {
                Some(value) => {
                    row::seal(keyspace, edit.key, value, &mut sealed);
                    table.insert(edit.key, sealed.as_slice())?;
                }
                None => {
                    table.remove(edit.key)?;
                }
            }
        }
    }
    transaction.commit()?;
    Ok(())
}

/// The state after one commit, with the tables that have been asked for.
struct View {
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

    fn range(
        &self,
        keyspace: Keyspace,
        bounds: (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
    ) -> Result<Range> {
        let rows = if is_empty_range(bounds.0, bounds.1) {
            None
        } else {
            let table = self.table(keyspace)?;
            Some(self.health.guard(|| Ok(table.range::<&[u8]>(bounds)?))?)
        };
        Ok(Range { keyspace, direction, rows, health: self.health.clone() })
    }
}

/// A view, shared with other readers of the same commit.
#[derive(Clone)]
pub(crate) struct Snapshot(Arc<View>);

impl Snapshot {
    pub(super) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        let table = self.0.table(keyspace)?;
        self.0.health.guard(|| match table.get(key)? {
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
        self.0.range(keyspace, (lower, upper), direction)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

/// Rows from the file, each checked as it is read.
pub(crate) struct Range {
    keyspace: Keyspace,
    direction: Direction,
    /// None when there is nothing more to read.
    rows: Option<redb::Range<'static, &'static [u8], &'static [u8]>>,
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
            row::open(self.keyspace, key.value(), sealed.value()).map(Some)
        });
        let row = row.transpose()?;
        if row.is_err() {
            // Whatever is behind a damaged row, nobody should rely on it.
            self.rows = None;
        }
        Some(row)
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").field("direction", &self.direction).finish_non_exhaustive()
    }
}
