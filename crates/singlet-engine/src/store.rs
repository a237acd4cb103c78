//! The seam between what DynamoDB means and where bytes are kept.
//!
//! A store is a few sorted maps from bytes to bytes, the [`Keyspace`]s. Readers take a
//! [`Snapshot`], which never changes and which no writer waits for. A writer gathers a [`Batch`]
//! and commits it, over all keyspaces at once. Nothing above this module knows whether the bytes
//! are in memory ([`MemoryStore`]) or on disk ([`DiskStore`]).
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

/// What this module's functions return.
pub type Result<T> = std::result::Result<T, Error>;

/// When a commit is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When it returns, whatever happens to the machine afterwards.
    Full,
    /// When [`Store::sync`] has returned after it. Until then a crash may undo it, and with it
    /// every later commit, but no part of it alone.
    Relaxed,
}

/// The order in which a range is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From small keys to large ones.
    Forward,
    /// From large keys to small ones.
    Backward,
}

/// Sorted bytes, in memory or on disk.
///
/// An enum, and not a trait behind a pointer or a parameter of everything above: there are two
/// stores, they are known here, and a branch that always goes the same way costs less than a
/// nanosecond beside the hundreds that a read takes. A parameter would cost the same and spread
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
    /// An empty store that lives as long as this value.
    #[must_use]
    pub fn memory() -> Self {
        Self::Memory(MemoryStore::new())
    }

    /// Opens the store in this folder, and makes one if the folder is empty or missing.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`] when another process has the folder, [`Error::NewerFormat`] and
    /// [`Error::NotAStore`] when it holds something else, [`Error::Corrupt`] when it is damaged.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        DiskStore::open(folder.as_ref(), DiskOptions::default()).map(Self::Disk)
    }

    /// The newest state, to read from. Neither waits for writers nor holds them up.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`], or what the disk says.
    pub fn snapshot(&self) -> Result<Snapshot> {
        Ok(Snapshot(match self {
            Self::Memory(store) => View::Memory(store.snapshot()?),
            Self::Disk(store) => View::Disk(store.snapshot()?),
        }))
    }

    /// Makes all writes of the batch visible at once, and durable as it is asked to.
    ///
    /// # Errors
    ///
    /// Whatever the error, no snapshot ever shows a part of the batch. When the disk failed, it
    /// may or may not hold the batch when the store is opened again, and until then this store
    /// refuses all writes with [`Error::Poisoned`].
    pub fn commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        batch.check()?;
        match self {
            Self::Memory(store) => store.commit(batch),
            Self::Disk(store) => store.commit(batch, durability),
        }
    }

    /// Makes every commit before this call durable.
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

    /// Whether the store still takes writes, as far as anybody knows.
    ///
    /// # Errors
    ///
    /// [`Error::Poisoned`] once the disk has failed, whoever met it.
    pub fn check_writable(&self) -> Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Disk(store) => store.check_writable(),
        }
    }

    /// About how many bytes the store takes, on disk or in memory.
    ///
    /// # Errors
    ///
    /// [`Error::Closed`], or what the disk says.
    pub fn size_bytes(&self) -> Result<u64> {
        match self {
            Self::Memory(store) => store.size_bytes(),
            Self::Disk(store) => store.size_bytes(),
        }
    }

    /// How many microseconds each fsync took; none in memory.
    #[must_use]
    pub fn sync_micros(&self) -> Option<&Histogram> {
        match self {
            Self::Memory(_) => None,
            Self::Disk(store) => Some(store.sync_micros()),
        }
    }

    /// Reads everything, and checks that it fits together. Meant for quiet hours: on disk it
    /// holds up readers and writers while it runs.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] says what is damaged; [`Error::Busy`] that a snapshot is still held.
    pub fn verify(&self) -> Result<()> {
        match self {
            Self::Memory(store) => store.verify(),
            Self::Disk(store) => store.verify(),
        }
    }

    /// Makes everything durable and lets go of the folder. Every later call on the store fails with
    /// [`Error::Closed`], and so does reading from a snapshot what was not in memory.
    ///
    /// # Errors
    ///
    /// What the disk says to the last fsync. The store is closed nevertheless.
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

/// The state that a store had at one moment. See [`Store::snapshot`].
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
    /// [`Error::Corrupt`] when the disk gave back something else than was written.
    pub fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        match &self.0 {
            View::Memory(view) => Ok(view.get(keyspace, key)),
            View::Disk(view) => view.get(keyspace, key),
        }
    }

    /// The rows between two bounds, in the order of the bytes of their keys or against it.
    ///
    /// Rows are read as they are asked for. Bounds that leave nothing between them give an
    /// empty range.
    ///
    /// # Errors
    ///
    /// As for [`Snapshot::get`], here and at every row. A range ends with its first error.
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

/// Whether nothing can lie between two bounds.
fn is_empty_range(lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
    match (lower, upper) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(lower), Bound::Included(upper)) => lower > upper,
        (Bound::Included(lower) | Bound::Excluded(lower), Bound::Excluded(upper))
        | (Bound::Excluded(lower), Bound::Included(upper)) => lower >= upper,
    }
}
