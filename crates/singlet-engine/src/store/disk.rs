//! The store that lives in a folder.
//!
//! It has three layers. A commit is written to the [`log`], which makes it durable with one fsync,
//! and to a store in memory, the [`top`], where readers find it. When the top has grown to its
//! bound it is frozen, another one takes its place, and a [`checkpoint`] brings its rows into the
//! [`base`], a redb file, in the background. Readers see the rows of all layers as one
//! ([`merge`]).

mod base;
mod checkpoint;
mod filter;
mod folder;
mod health;
mod log;
mod merge;
mod options;
mod pace;
mod reach;
mod stack;
mod steady;
mod timed;
mod top;

pub use folder::FORMAT_VERSION;
pub(crate) use merge::Range;
pub use options::{Checkpoints, DiskOptions};

use super::batch::Batch;
use super::bytes::Bytes;
use super::error::Error;
use super::keyspace::Keyspace;
use super::memory;
use super::{Direction, Durability, Result};
use crate::statistics::Histogram;
use arc_swap::Guard;
use base::{Base, Missing};
use checkpoint::Checkpoint;
use filter::KeyHash;
use folder::{Folder, FolderWatch};
use health::Health;
use log::{Recovered, Rules};
use reach::{LengthRecorder, Reach};
use redb::StorageBackend;
use redb::backends::FileBackend;
use stack::{Layers, Stack};
use std::fmt;
use std::fs::File;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use steady::Steady;
use timed::{SyncMicros, Timed};
use top::Top;

/// Sorted bytes in a folder.
pub struct DiskStore {
    stack: Arc<Stack>,
    /// The thread that makes checkpoints, if there is one.
    checkpointer: Mutex<Option<JoinHandle<()>>>,
    /// Given up after everything else is closed, or when the store is dropped.
    folder: Mutex<Option<Folder>>,
    sync_micros: SyncMicros,
}

/// The files of a store.
#[derive(Debug)]
pub struct Files<B> {
    /// The base: a redb file.
    pub data: B,
    /// The log, which uses them in turn.
    pub log: [B; 2],
    /// How far the others are known to reach.
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

/// What the files of a store are before it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// They are empty.
    New,
    /// They may be of an earlier format, or have been left while they were made.
    Older,
    /// They are complete, and of the format of today.
    Current,
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
            // A new file gets its tables before it gets its name, so that a file with this name is
            // always a complete one.
            let backend = FileBackend::new(data)?;
            let base =
                Base::open(backend, options.cache_bytes, Health::default(), Missing::IsMade)?;
            base.is_empty()
        })?;
        let watch = Some(folder.watch(&files)?);
        let store = Self::on(files.backends()?, options, age, watch)?;
        if age != Age::Current {
            folder.write_format()?;
        }
        *store.folder.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
        Ok(store)
    }

    /// Opens a store on something that behaves like files: in tests, a disk that fails. Files that
    /// are all empty become a new store.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`](super::Store::open), but for what concerns folders.
    pub fn with_files<B: StorageBackend>(files: Files<B>, options: DiskOptions) -> Result<Self> {
        let age = if files.are_empty()? { Age::New } else { Age::Current };
        Self::on(files, options, age, None)
    }

    fn on<B: StorageBackend>(
        files: Files<B>,
        options: DiskOptions,
        age: Age,
        watch: Option<FolderWatch>,
    ) -> Result<Self> {
        let (health, sync_micros) = (Health::default(), SyncMicros::new());
        let boxed = |file| Box::new(Timed::new(file, &sync_micros)) as Box<dyn StorageBackend>;
        let reach = Arc::new(Reach::new(boxed(files.reach)));
        if age == Age::Current {
            // redb would take a file that was cut off for what it is now, and change it.
            reach.read()?.check_data(files.data.len()?)?;
        }
        let data = Steady::new(Timed::new(files.data, &sync_micros));
        let missing = if age == Age::New { Missing::IsMade } else { Missing::IsDamage };
        let data = LengthRecorder::new(data, &reach);
        if age == Age::Older {
            data.ensure_len()?;
        }
        let base = Base::open(data, options.cache_bytes, health.clone(), missing)?;
        let anchor = base.anchor()?;
        let log = files.log.map(boxed);
        let segment_bytes = options.segment_bytes(base.size_bytes());
        let recover = || log::recover(log, anchor, &reach, segment_bytes);
        let mut recovered = health.guard(recover)?;
        match (anchor.rules, age) {
            (Rules::WithReach, _) => {}
            (Rules::WithoutReach, Age::Current) => {
                return Err(Error::Corrupt("the file data is of an earlier format".to_owned()));
            }
            (Rules::WithoutReach, Age::New | Age::Older) => {
                recovered = health.guard(|| begin_reach(recovered, &base, options))?;
            }
        }
        let stack = Arc::new(Stack::new(base, recovered, health, options, watch)?);
        let checkpointer = match options.checkpoints {
            Checkpoints::WithCommits => None,
            Checkpoints::InBackground => {
                let stack = Arc::clone(&stack);
                let thread = std::thread::Builder::new().name("singlet-checkpoint".to_owned());
                Some(thread.spawn(move || stack.make_checkpoints())?)
            }
        };
        let (checkpointer, folder) = (Mutex::new(checkpointer), Mutex::new(None));
        Ok(Self { stack, checkpointer, folder, sync_micros })
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let layers = self.stack.layers()?;
        // In this order: what the newest top holds may have been committed since, but never on a
        // newer one.
        let newest = layers.as_ref().ok_or(Error::Closed)?;
        let active = newest.active.snapshot()?;
        let frozen = newest.frozen.as_ref().map(|top| top.snapshot()).transpose()?;
        Ok(Snapshot { layers, active, frozen })
    }

    pub(super) fn commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        self.stack.commit(batch, durability)
    }

    pub(super) fn sync(&self) -> Result<()> {
        self.stack.sync()
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        self.stack.check_writable()
    }

    pub(super) fn sync_micros(&self) -> &Histogram {
        self.sync_micros.histogram()
    }

    pub(super) fn size_bytes(&self) -> Result<u64> {
        self.stack.size_bytes()
    }

    pub(super) fn verify(&self) -> Result<()> {
        self.stack.verify()
    }

    pub(super) fn close(&self) -> Result<()> {
        self.stop();
        let closed = self.stack.close();
        self.folder.lock().unwrap_or_else(PoisonError::into_inner).take();
        closed
    }

    fn stop(&self) {
        self.stack.stop();
        // Held until the thread has ended: whoever else closes the store must not go on before.
        let mut checkpointer = self.checkpointer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = checkpointer.take() {
            // If it has panicked, its checkpoint is not done, and nothing else is begun.
            let _ = thread.join();
        }
    }
}

/// Brings a log from before the file `reach`, or a new one, to the format of today: all that it holds
/// goes into the base, and with the last of it the start of a log that has the file.
fn begin_reach(recovered: Recovered, base: &Base, options: DiskOptions) -> Result<Recovered> {
    let Recovered { mut log, frozen, active } = recovered;
    if let Some((rows, anchor)) = frozen {
        Checkpoint::new(Arc::new(rows), anchor, options.chunk_bytes).complete(base)?;
    }
    let anchor = log.begin_reach()?;
    Checkpoint::new(Arc::new(active), anchor, options.chunk_bytes).complete(base)?;
    let active = Top::new(options.segment_bytes(base.size_bytes()));
    Ok(Recovered { log, frozen: None, active })
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

/// All layers at one moment.
pub(crate) struct Snapshot {
    /// What was committed since the last checkpoint began.
    active: memory::Snapshot,
    /// What a checkpoint is bringing into the base.
    frozen: Option<memory::Snapshot>,
    /// For the base.
    layers: Guard<Option<Arc<Layers>>>,
}

impl Snapshot {
    fn tops(&self) -> impl Iterator<Item = &memory::Snapshot> {
        std::iter::once(&self.active).chain(&self.frozen)
    }

    pub(super) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        let layers = self.layers.as_ref().ok_or(Error::Closed)?;
        let hash = KeyHash::new(keyspace, key);
        for (top, rows) in layers.tops().zip(self.tops()) {
            if top.may_hold(hash)
                && let Some(kept) = rows.get(keyspace, key)
            {
                return Ok(top::value(kept));
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
        let tops = self.tops().map(|top| top.range(keyspace, lower, upper, direction));
        let layers = self.layers.as_ref().ok_or(Error::Closed)?;
        let base = layers.base.range(keyspace, lower, upper, direction)?;
        Ok(Range::new(direction, tops, base))
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}
