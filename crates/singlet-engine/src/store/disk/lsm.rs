//! The layers of the store: commits, freezing and checkpoints.

use super::backpressure::Backpressure;
use super::base::{Base, View};
use super::checkpoint::{Checkpoint, Progress};
use super::fail_stop::FailStop;
use super::folder::FolderWatch;
use super::log::{Log, Recovered};
use super::memtable::Memtable;
use super::options::{Checkpoints, DiskOptions};
use crate::store::batch::Batch;
use crate::store::error::Error;
use crate::store::{Durability, Result};
use crate::sync::{Condvar, Mutex, MutexGuard};
use arc_swap::{ArcSwapOption, Guard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the checkpoint thread syncs the high-water mark, which bounds its loss on power
/// failure, and checks whether a full disk has space again.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(1);

/// The layers that readers see.
pub(super) struct Layers {
    /// Commits since the last freeze.
    pub(super) active: Arc<Memtable>,
    /// The memtable being checkpointed.
    pub(super) frozen: Option<Arc<Memtable>>,
    /// All older rows.
    pub(super) base: Arc<View>,
}

impl Layers {
    /// Newest first.
    pub(super) fn memtables(&self) -> impl Iterator<Item = &Memtable> {
        std::iter::once(self.active.as_ref()).chain(self.frozen.as_deref())
    }
}

pub(super) struct Lsm {
    /// Replaced as a whole. `None` when the store is closed, and while it is being verified with
    /// `writer` locked.
    layers: ArcSwapOption<Layers>,
    writer: Mutex<Writer>,
    /// Used with `writer`. Notified when a checkpoint is due, done or failed, and when the store
    /// closes.
    changed: Condvar,
    base: Base,
    fail_stop: FailStop,
    /// Whether the last commit failed because the disk is full, and no room was found since.
    is_full: AtomicBool,
    /// `None` without a folder to watch.
    watch: Option<FolderWatch>,
    options: DiskOptions,
}

/// State that only the committing thread may touch.
struct Writer {
    log: Log,
    /// The checkpoint in progress.
    due: Option<Checkpoint>,
    /// Whether its last step failed because the disk is full.
    is_base_full: bool,
    backpressure: Backpressure,
    is_closing: bool,
    is_closed: bool,
}

impl Lsm {
    pub(super) fn new(
        base: Base,
        recovered: Recovered,
        fail_stop: FailStop,
        options: DiskOptions,
        watch: Option<FolderWatch>,
    ) -> Result<Self> {
        let Recovered { log, frozen, active } = recovered;
        let mut layers =
            Layers { active: Arc::new(active), frozen: None, base: Arc::new(base.view()?) };
        let (backpressure, due) = (Backpressure::new(), None);
        let mut writer = Writer {
            log,
            due,
            is_base_full: false,
            backpressure,
            is_closing: false,
            is_closed: false,
        };
        if let Some((rows, anchor)) = frozen {
            // Restart the checkpoint that a crash interrupted.
            let rows = Arc::new(rows);
            layers.frozen = Some(Arc::clone(&rows));
            writer.due = Some(Checkpoint::new(rows, anchor, options.chunk_bytes));
            writer.backpressure.begin(Instant::now());
        }
        Ok(Self {
            layers: ArcSwapOption::from_pointee(layers),
            writer: Mutex::new(writer),
            changed: Condvar::new(),
            base,
            fail_stop,
            is_full: AtomicBool::new(false),
            watch,
            options,
        })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock()
    }

    pub(super) fn layers(&self) -> Result<Guard<Option<Arc<Layers>>>> {
        let layers = self.layers.load();
        if layers.is_some() {
            return Ok(layers);
        }
        // The store may be being verified, with the writer locked.
        let writer = self.writer();
        let layers = self.layers.load();
        if layers.is_none() && !writer.is_closed {
            self.fail_stop.check()?;
        }
        if layers.is_none() { Err(Error::Closed) } else { Ok(layers) }
    }

    fn newest(&self) -> Result<Arc<Layers>> {
        self.layers.load_full().ok_or(Error::Closed)
    }

    pub(super) fn commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        let committed = self.try_commit(batch, durability);
        self.is_full.store(matches!(committed, Err(Error::Full)), Ordering::Relaxed);
        committed
    }

    /// Commits a batch. A full disk has no effect: the next record overwrites one that could not be
    /// written. After any other failure nothing is written.
    fn try_commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        let mut writer = self.make_room(self.writer(), batch.size_bytes())?;
        if !batch.is_empty() {
            self.fail_stop.guard(|| writer.log.append(batch))?;
        }
        if durability == Durability::Full {
            self.fail_stop.guard(|| writer.log.sync())?;
        }
        // Do not acknowledge writes to files that were unlinked.
        self.check_folder()?;
        if !batch.is_empty() {
            // The record is in the log already, so if this fails nothing may follow it.
            self.fail_stop.guard(|| self.newest()?.active.apply(writer.log.last_edits()?))?;
        }
        if self.options.checkpoints == Checkpoints::WithCommits {
            // The commit succeeded regardless; the next one sees the failure.
            let _ = self.step(&mut writer);
        }
        Ok(())
    }

    fn check_folder(&self) -> Result<()> {
        match &self.watch {
            Some(watch) => self.fail_stop.guard(|| watch.check()),
            None => Ok(()),
        }
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        self.fail_stop.check()?;
        self.check_folder()?;
        if self.is_full.load(Ordering::Relaxed) { Err(Error::Full) } else { Ok(()) }
    }

    pub(super) fn sync(&self) -> Result<()> {
        let mut writer = self.writer();
        self.fail_stop.check()?;
        self.newest()?;
        self.fail_stop.guard(|| writer.log.sync())
    }

    /// Waits until the log has room for a commit, and for the backpressure delay.
    fn make_room<'w>(
        &self,
        mut writer: MutexGuard<'w, Writer>,
        bytes: u64,
    ) -> Result<MutexGuard<'w, Writer>> {
        self.fail_stop.check()?;
        if let Some(delay) = self.delay(&writer, bytes)? {
            writer = self.changed.wait_timeout(writer, delay);
        }
        while writer.log.is_full() {
            if writer.is_closing {
                return Err(Error::Closed);
            }
            if self.newest()?.frozen.is_none() {
                self.freeze(&mut writer)?;
            } else {
                writer = self.go_on(writer)?;
            }
        }
        self.fail_stop.check()?;
        self.newest()?;
        writer.backpressure.pass(Instant::now());
        Ok(writer)
    }

    /// The backpressure delay of a commit.
    fn delay(&self, writer: &Writer, bytes: u64) -> Result<Option<Duration>> {
        if self.options.checkpoints == Checkpoints::WithCommits || self.newest()?.frozen.is_none() {
            return Ok(None);
        }
        let delay = writer.backpressure.delay(Instant::now(), bytes, writer.log.room_bytes());
        Ok((!delay.is_zero()).then_some(delay))
    }

    /// Freezes the active memtable and schedules its checkpoint.
    fn freeze(&self, writer: &mut Writer) -> Result<()> {
        let layers = self.newest()?;
        if layers.frozen.is_some() {
            // The other log file still holds the rows of an incomplete checkpoint.
            return Err(Error::Busy);
        }
        let segment_bytes = self.options.segment_bytes(self.base.size_bytes());
        let anchor = self.fail_stop.guard(|| writer.log.switch(segment_bytes))?;
        let frozen = Arc::clone(&layers.active);
        writer.due = Some(Checkpoint::new(Arc::clone(&frozen), anchor, self.options.chunk_bytes));
        writer.backpressure.begin(Instant::now());
        let base = Arc::clone(&layers.base);
        self.publish(Layers {
            active: Arc::new(Memtable::new(segment_bytes)),
            frozen: Some(frozen),
            base,
        });
        self.changed.notify_all();
        Ok(())
    }

    fn publish(&self, layers: Layers) {
        self.layers.store(Some(Arc::new(layers)));
    }

    /// Does a step of the checkpoint, or waits for the thread that does.
    fn go_on<'w>(&self, mut writer: MutexGuard<'w, Writer>) -> Result<MutexGuard<'w, Writer>> {
        // The checkpoint thread notifies once when it ends, so check first.
        self.fail_stop.check()?;
        match self.options.checkpoints {
            Checkpoints::WithCommits => self.step(&mut writer)?,
            // The checkpoint thread retries by itself; do not wait for it.
            Checkpoints::InBackground if writer.is_base_full => return Err(Error::Full),
            Checkpoints::InBackground => writer = self.changed.wait(writer),
        }
        self.fail_stop.check()?;
        Ok(writer)
    }

    /// Does a step of the due checkpoint.
    fn step(&self, writer: &mut Writer) -> Result<()> {
        let Some(mut checkpoint) = writer.due.take() else { return Ok(()) };
        let progress = self.fail_stop.guard(|| checkpoint.step(&self.base));
        self.after_step(writer, checkpoint, progress)
    }

    /// Publishes the base including a step's rows. Until the last step readers find the same rows
    /// in the memtable, but keeping the old view would prevent redb from reusing its pages.
    fn after_step(
        &self,
        writer: &mut Writer,
        checkpoint: Checkpoint,
        progress: Result<Progress>,
    ) -> Result<()> {
        writer.is_base_full = matches!(progress, Err(Error::Full));
        if writer.is_base_full {
            // The same step is retried.
            writer.due = Some(checkpoint);
            self.changed.notify_all();
            return Err(Error::Full);
        }
        let progress = progress?;
        let before = self.newest()?;
        let (active, base) = (Arc::clone(&before.active), Arc::new(self.base.view()?));
        let frozen = before.frozen.clone().filter(|_| progress == Progress::Left);
        self.publish(Layers { active, frozen, base });
        match progress {
            Progress::Left => writer.due = Some(checkpoint),
            Progress::Done => {
                writer.backpressure.end(Instant::now());
                self.changed.notify_all();
            }
        }
        Ok(())
    }

    /// Runs checkpoints as they become due, until the store closes or fails.
    pub(super) fn make_checkpoints(&self) {
        let mut writer = self.writer();
        let mut upkept = Instant::now();
        while !writer.is_closing && self.fail_stop.check().is_ok() {
            let is_upkeep_due = upkept.elapsed() >= UPKEEP_INTERVAL;
            if is_upkeep_due {
                upkept = Instant::now();
                writer = self.run_upkeep(writer);
            }
            let is_tried = !writer.is_base_full || is_upkeep_due;
            let Some(mut checkpoint) = writer.due.take_if(|_| is_tried) else {
                writer = self.changed.wait_timeout(writer, UPKEEP_INTERVAL);
                continue;
            };
            // Commits continue meanwhile.
            drop(writer);
            let progress = self.fail_stop.guard(|| checkpoint.step(&self.base));
            writer = self.writer();
            match self.after_step(&mut writer, checkpoint, progress) {
                Ok(()) | Err(Error::Full) => {}
                Err(error) => self.fail_stop.fail(&error),
            }
        }
        // Wake all waiters, because no checkpoint will follow: a reader may have found damage, or a
        // sync may have failed.
        self.changed.notify_all();
    }

    /// Periodic upkeep. Failures are recorded, and later writes report them.
    fn run_upkeep<'w>(&'w self, mut writer: MutexGuard<'w, Writer>) -> MutexGuard<'w, Writer> {
        if self.is_full.load(Ordering::Relaxed)
            && !(writer.log.is_full() && writer.is_base_full)
            && self.fail_stop.guard(|| Ok(writer.log.probe()?)).is_ok()
        {
            self.is_full.store(false, Ordering::Relaxed);
        }
        let mark_file = writer.log.mark_file();
        // Commits continue during the fsync.
        drop(writer);
        let _ = self.fail_stop.guard(|| Ok(mark_file.sync()?));
        let _ = self.check_folder();
        self.writer()
    }

    /// Ends [`Lsm::make_checkpoints`], and rejects commits that would need a checkpoint.
    pub(super) fn stop(&self) {
        self.writer().is_closing = true;
        self.changed.notify_all();
    }

    /// Writes everything into the base and closes the files. The checkpoint thread must have ended.
    pub(super) fn close(&self) -> Result<()> {
        let mut writer = self.writer();
        if std::mem::replace(&mut writer.is_closed, true) {
            return Ok(());
        }
        let closed = self.fail_stop.check().and_then(|()| self.drain(&mut writer));
        self.layers.store(None);
        self.base.close();
        writer.log.close();
        closed
    }

    fn drain(&self, writer: &mut Writer) -> Result<()> {
        while writer.due.is_some() {
            self.step(writer)?;
        }
        if !writer.log.is_empty() {
            self.freeze(writer)?;
        }
        while writer.due.is_some() {
            self.step(writer)?;
        }
        self.fail_stop.guard(|| Ok(writer.log.mark_file().sync()?))
    }

    pub(super) fn size_bytes(&self) -> Result<u64> {
        self.layers()?;
        Ok(self.base.size_bytes() + self.writer().log.size_bytes())
    }

    pub(super) fn verify(&self) -> Result<()> {
        let mut writer = self.writer();
        self.fail_stop.check()?;
        while self.newest()?.frozen.is_some() {
            if writer.is_closing {
                return Err(Error::Closed);
            }
            writer = self.go_on(writer)?;
        }
        // redb can only verify a file that has no readers.
        let Some(layers) = self.layers.swap(None) else { return Err(Error::Closed) };
        let active = Arc::clone(&layers.active);
        drop(layers);
        let verified = self.base.verify().and_then(|()| {
            self.fail_stop.guard(|| writer.log.verify())?;
            active.verify()
        });
        let base = Arc::new(self.base.view()?);
        self.publish(Layers { active, frozen: None, base });
        verified
    }
}
