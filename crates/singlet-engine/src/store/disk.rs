//! The store on disk.
//!
//! A log-structured merge tree of three layers ([`lsm`]). A commit is appended to the [`log`],
//! which makes it durable with one fsync, and to the active [`memtable`]. A full memtable is frozen
//! and replaced, and a [`checkpoint`] writes its rows into the [`base`], a redb file, in the
//! background. Readers merge the layers ([`merge`]). The [`high_water_mark`] records how much of
//! the log must exist when the folder is opened. After a failed write or fsync the store rejects
//! writes ([`fail_stop`]).

mod backpressure;
mod base;
mod checkpoint;
mod fail_stop;
mod file;
mod filter;
mod folder;
mod high_water_mark;
mod log;
mod lsm;
mod memtable;
mod merge;
mod options;

pub use folder::FORMAT_VERSION;
pub(crate) use merge::Range;
pub use options::{Checkpoints, DiskOptions};

use super::batch::Batch;
use super::bytes::Bytes;
use super::error::Error;
use super::keyspace::Keyspace;
use super::memory;
use super::{Direction, Durability, Result};
use crate::statistics::{DISK_MICROS, Histogram};
use crate::sync::Mutex;
use arc_swap::Guard;
use base::{Base, DataFile, Missing};
use fail_stop::FailStop;
use file::StoreFile;
use filter::KeyHash;
use folder::{Folder, FolderWatch};
use high_water_mark::{HighWaterMark, MarkFile};
use lsm::{Layers, Lsm};
use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fmt;
use std::fs::File;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A key-value store in a folder.
pub struct DiskStore {
    lsm: Arc<Lsm>,
    /// The checkpoint thread, if there is one.
    checkpointer: Mutex<Option<JoinHandle<()>>>,
    /// Released after everything else is closed, or on drop.
    folder: Mutex<Option<Folder>>,
    sync_micros: Arc<Histogram>,
}

/// The files of a store.
#[derive(Debug)]
pub struct Files<B> {
    /// The base: a redb file.
    pub data: B,
    /// The log, which alternates between them.
    pub log: [B; 2],
    /// The high-water mark.
    pub reach: B,
}

impl Files<File> {
    fn backends(self) -> Result<Files<FileBackend>> {
        let [zero, one] = self.log;
        let log = [FileBackend::new(zero)?, FileBackend::new(one)?];
        let (data, reach) = (FileBackend::new(self.data)?, FileBackend::new(self.reach)?);
        Ok(Files { data, log, reach })
    }
}

impl<B: StorageBackend> Files<B> {
    fn are_empty(&self) -> Result<bool> {
        let [zero, one] = &self.log;
        let lengths = [self.data.len()?, zero.len()?, one.len()?, self.reach.len()?];
        Ok(lengths == [0; 4])
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// They hold no rows. Creating them may have been interrupted.
    New,
    /// They are complete.
    Existing,
}

impl DiskStore {
    /// Opens the store in this folder; see [`Store::open`](super::Store::open).
    ///
    /// # Errors
    ///
    /// As for [`Store::open`](super::Store::open).
    pub fn open(folder: &Path, options: DiskOptions) -> Result<Self> {
        let mut folder = Folder::lock(folder)?;
        let (files, age) = folder.files(|data| {
            // A new file gets its tables before its name, so a file with this name is always
            // complete.
            let untimed = Arc::new(Histogram::new(DISK_MICROS));
            let data = DataFile::new(StoreFile::new(FileBackend::new(data)?, &untimed), None);
            let base = Base::open(data, options.cache_bytes, FailStop::default(), Missing::IsMade)?;
            base.is_empty()
        })?;
        let watch = Some(folder.watch(&files)?);
        let store = Self::on(files.backends()?, options, age, watch)?;
        if age == Age::New {
            folder.write_format()?;
        }
        *store.folder.lock() = Some(folder);
        Ok(store)
    }

    /// Opens a store on other storage backends: in tests, a disk that fails. Files that are all
    /// empty become a new store.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`](super::Store::open), except errors about folders.
    pub fn with_files<B: StorageBackend>(files: Files<B>, options: DiskOptions) -> Result<Self> {
        let age = if files.are_empty()? { Age::New } else { Age::Existing };
        Self::on(files, options, age, None)
    }

    fn on<B: StorageBackend>(
        files: Files<B>,
        options: DiskOptions,
        age: Age,
        watch: Option<FolderWatch>,
    ) -> Result<Self> {
        let fail_stop = FailStop::default();
        let sync_micros = Arc::new(Histogram::new(DISK_MICROS));
        let file = |file| StoreFile::new(file, &sync_micros);
        let mark_file = Arc::new(MarkFile::new(file(files.reach)));
        let data = DataFile::new(file(files.data), Some(Arc::clone(&mark_file)));
        let missing = match age {
            Age::New => {
                data.ensure_len()?;
                Missing::IsMade
            }
            Age::Existing => {
                // redb would open and modify a truncated file.
                mark_file.read()?.check_data(data.disk_bytes()?)?;
                Missing::IsDamage
            }
        };
        let base = Base::open(data, options.cache_bytes, fail_stop.clone(), missing)?;
        let anchor = base.anchor()?;
        if age == Age::New {
            let mark = HighWaterMark { salt: anchor.salt, ..HighWaterMark::NONE };
            fail_stop.guard(|| Ok(mark_file.begin(mark)?))?;
            // Records the length of the data.
            base.write(&[], Some(anchor))?;
        }
        let log = files.log.map(file);
        let segment_bytes = options.segment_bytes(base.size_bytes());
        let recovered = fail_stop.guard(|| log::recover(log, anchor, &mark_file, segment_bytes))?;
        let lsm = Arc::new(Lsm::new(base, recovered, fail_stop, options, watch)?);
        let checkpointer = match options.checkpoints {
            Checkpoints::WithCommits => None,
            Checkpoints::InBackground => {
                let lsm = Arc::clone(&lsm);
                let thread = std::thread::Builder::new().name("singlet-checkpoint".to_owned());
                Some(thread.spawn(move || lsm.make_checkpoints())?)
            }
        };
        let (checkpointer, folder) = (Mutex::new(checkpointer), Mutex::new(None));
        Ok(Self { lsm, checkpointer, folder, sync_micros })
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let layers = self.lsm.layers()?;
        // Load the layers first: their active memtable may gain commits until it is frozen, but
        // none that depends on newer layers.
        let newest = layers.as_ref().ok_or(Error::Closed)?;
        let active = newest.active.snapshot()?;
        let frozen = newest.frozen.as_ref().map(|memtable| memtable.snapshot()).transpose()?;
        Ok(Snapshot { layers, active, frozen })
    }

    pub(super) fn commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.lsm.commit(batch, durability)
    }

    pub(super) fn sync(&self) -> Result<()> {
        self.lsm.sync()
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        self.lsm.check_writable()
    }

    pub(super) fn sync_micros(&self) -> &Histogram {
        &self.sync_micros
    }

    pub(super) fn size_bytes(&self) -> Result<u64> {
        self.lsm.size_bytes()
    }

    pub(super) fn verify(&self) -> Result<()> {
        self.lsm.verify()
    }

    pub(super) fn close(&self) -> Result<()> {
        self.stop();
        let closed = self.lsm.close();
        self.folder.lock().take();
        closed
    }

    fn stop(&self) {
        self.lsm.stop();
        // Held until the thread has ended, so that concurrent calls of `close` wait for it.
        let mut checkpointer = self.checkpointer.lock();
        if let Some(thread) = checkpointer.take() {
            // If it panicked, its checkpoint is incomplete and no other was started.
            let _ = thread.join();
        }
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for DiskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiskStore").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A snapshot of all layers.
pub(crate) struct Snapshot {
    active: memory::Snapshot,
    frozen: Option<memory::Snapshot>,
    /// For the base.
    layers: Guard<Option<Arc<Layers>>>,
}

impl Snapshot {
    fn memtables(&self) -> impl Iterator<Item = &memory::Snapshot> {
        std::iter::once(&self.active).chain(&self.frozen)
    }

    pub(super) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        let layers = self.layers.as_ref().ok_or(Error::Closed)?;
        let hash = KeyHash::new(keyspace, key);
        for (memtable, rows) in layers.memtables().zip(self.memtables()) {
            if memtable.may_hold(hash)
                && let Some(kept) = rows.get(keyspace, key)
            {
                return Ok(memtable::value(kept));
            }
        }
        layers.base.get(keyspace, key)
    }

    pub(super) fn range(
        &self,
        keyspace: Keyspace,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        direction: Direction,
    ) -> Result<Range<'_>> {
        let memtables =
            self.memtables().map(|memtable| memtable.range(keyspace, lower, upper, direction));
        let layers = self.layers.as_ref().ok_or(Error::Closed)?;
        let base = layers.base.range(keyspace, lower, upper, direction)?;
        Ok(Range::new(direction, memtables, base))
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}
