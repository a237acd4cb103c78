//! Storage, in memory or on disk.
//!
//! A store is a fixed set of sorted maps from bytes to bytes, the [`Keyspace`]s. Readers take an
//! immutable [`Snapshot`], which blocks no writer. A writer commits a [`Batch`], atomically over
//! all keyspaces. Code above this module does not depend on the kind of store ([`MemoryStore`] or
//! [`DiskStore`]).
//!
//! ```
//! use singlet_engine::store::{Batch, Direction, Durability, Keyspace, Store};
//! use std::ops::Bound;
//!
//! # fn main() -> Result<(), singlet_engine::store::Error> {
//! let store = Store::memory();
//! let before = store.snapshot()?;
//!
//! let mut batch = Batch::new();
//! batch.put(Keyspace::Items, b"a".to_vec(), b"first".to_vec());
//! batch.put(Keyspace::Items, b"b".to_vec(), b"second".to_vec());
//! store.commit(&batch, Durability::Full)?;
//!
//! let after = store.snapshot()?;
//! assert_eq!(after.get(Keyspace::Items, b"a")?.as_deref(), Some(&b"first"[..]));
//! assert_eq!(before.get(Keyspace::Items, b"a")?, None);
//!
//! let mut backwards =
//!     after.range(Keyspace::Items, Bound::Unbounded, Bound::Excluded(b"b"), Direction::Backward)?;
//! assert_eq!(backwards.next().transpose()?.map(|row| row.key().to_vec()), Some(b"a".to_vec()));
//! assert!(backwards.next().is_none());
//! # Ok(())
//! # }
//! ```

mod batch;
mod bytes;
mod disk;
mod error;
mod keyspace;
mod memory;

pub use batch::{Batch, ROW_BYTES_MAX};
pub use bytes::{Bytes, Row};
pub use disk::{Checkpoints, DiskOptions, DiskStore, FORMAT_VERSION, Files};
pub use error::Error;
pub use keyspace::Keyspace;
pub use memory::MemoryStore;

use crate::statistics::Histogram;
use std::ops::Bound;
use std::path::Path;

/// A result with the store's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// When a commit is durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When the commit returns.
    Full,
    /// After the next [`Store::sync`]. Until then a crash may undo it together with all later
    /// commits, but never partially.
    Relaxed,
}

/// The direction of a range scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// A key-value store, in memory or on disk.
///
/// An enum rather than a trait: there are only two stores, and a predictable branch costs less than
/// a nanosecond of the hundreds that a read takes. A type parameter would save nothing and spread
/// over every signature of the engine.
#[derive(Debug)]
#[non_exhaustive]
pub enum Store {
    /// See [`MemoryStore`].
    Memory(MemoryStore),
    /// See [`DiskStore`].
    Disk(DiskStore),
}

impl Store {
    /// An empty store in memory.
    #[must_use]
    pub fn memory() -> Self {
        Self::Memory(MemoryStore::new())
    }

    /// Opens the store in this folder. Creates it if the folder is empty or missing.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] if another process has the folder open, [`Error::NewerFormat`] or
    /// [`Error::NotAStore`] for foreign contents, [`Error::Corrupt`] for damage.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        DiskStore::open(folder.as_ref(), DiskOptions::default()).map(Self::Disk)
    }

    /// A snapshot of the latest state. Neither waits for writers nor blocks them.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`], or a failed read.
    pub fn snapshot(&self) -> Result<Snapshot> {
        Ok(Snapshot(match self {
            Self::Memory(store) => View::Memory(store.snapshot()?),
            Self::Disk(store) => View::Disk(store.snapshot()?),
        }))
    }

    /// Commits a batch atomically, with the given durability.
    ///
    /// # Errors
    ///
    /// No snapshot ever shows part of a batch. After a disk failure, the batch may or may not be
    /// there when the store is reopened, and until then all writes fail with [`Error::Poisoned`].
    pub fn commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        batch.check()?;
        match self {
            Self::Memory(store) => store.commit(batch),
            Self::Disk(store) => store.commit(batch, durability),
        }
    }

    /// Makes all previous commits durable.
    ///
    /// # Errors
    ///
    /// As for [`Store::commit`].
    pub fn sync(&self) -> Result<()> {
        match self {
            Self::Memory(store) => store.snapshot().map(drop),
            Self::Disk(store) => store.sync(),
        }
    }

    /// Checks whether the store accepts writes.
    ///
    /// # Errors
    ///
    /// [`Error::Poisoned`] after any disk failure, including one seen by a reader. [`Error::Full`]
    /// or [`Error::FolderReplaced`] if the store is known to be in that state.
    pub fn check_writable(&self) -> Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Disk(store) => store.check_writable(),
        }
    }

    /// Approximate size of the store, on disk or in memory.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`], or a failed read.
    pub fn size_bytes(&self) -> Result<u64> {
        match self {
            Self::Memory(store) => store.size_bytes(),
            Self::Disk(store) => store.size_bytes(),
        }
    }

    /// Duration of each fsync in microseconds; `None` in memory.
    #[must_use]
    pub fn sync_micros(&self) -> Option<&Histogram> {
        match self {
            Self::Memory(_) => None,
            Self::Disk(store) => Some(store.sync_micros()),
        }
    }

    /// Reads and verifies everything. On disk this blocks readers and writers.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] describes the damage; [`Error::Busy`] means that a snapshot is still
    /// held.
    pub fn verify(&self) -> Result<()> {
        match self {
            Self::Memory(store) => store.verify(),
            Self::Disk(store) => store.verify(),
        }
    }

    /// Makes everything durable and releases the folder. Later calls fail with [`Error::Closed`],
    /// and so do snapshot reads that need the disk.
    ///
    /// # Errors
    ///
    /// The error of the last fsync. The store is closed nevertheless.
    pub fn close(&self) -> Result<()> {
        match self {
            Self::Memory(store) => {
                store.close();
                Ok(())
            }
            Self::Disk(store) => store.close(),
        }
    }
}

/// The state of a store at one moment. See [`Store::snapshot`].
#[derive(Debug)]
pub struct Snapshot(View);

#[derive(Debug)]
enum View {
    Memory(memory::Snapshot),
    Disk(disk::Snapshot),
}

impl Snapshot {
    /// The value of a key.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the stored data fails its checksum.
    pub fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        match &self.0 {
            View::Memory(view) => Ok(view.get(keyspace, key)),
            View::Disk(view) => view.get(keyspace, key),
        }
    }

    /// The rows between two bounds, in ascending or descending order of their keys.
    ///
    /// Rows are read lazily. Empty or inverted bounds give an empty range.
    ///
    /// # Errors
    ///
    /// As for [`Snapshot::get`], here and for every row. A range ends with its first error.
    pub fn range(
        &self,
        keyspace: Keyspace,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Direction,
    ) -> Result<Range<'_>> {
        Ok(Range(match &self.0 {
            View::Memory(view) => Walk::Memory(view.range(keyspace, lower, upper, direction)),
            View::Disk(view) => Walk::Disk(view.range(keyspace, lower, upper, direction)?),
        }))
    }
}

/// Rows between two bounds. See [`Snapshot::range`].
#[derive(Debug)]
pub struct Range<'s>(Walk<'s>);

#[derive(Debug)]
enum Walk<'s> {
    Memory(memory::Range<'s>),
    Disk(disk::Range<'s>),
}

impl Iterator for Range<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        match &mut self.0 {
            Walk::Memory(range) => range.next().map(Ok),
            Walk::Disk(range) => range.next(),
        }
    }
}

/// Whether no key can lie between the bounds.
fn is_empty_range(lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
    match (lower, upper) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Excluded(upper))
        | (Bound::Excluded(lower), Bound::Included(upper)) => lower >= upper,
    }
}
