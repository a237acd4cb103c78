//! The layers on top of each other, and those who change them.

use super::base::{Base, View};
use super::checkpoint::{Checkpoint, Progress};
use super::folder::FolderWatch;
use super::health::Health;
use super::log::{Log, Recovered};
use super::options::{Checkpoints, DiskOptions};
use super::pace::Pace;
use super::top::Top;
use crate::store::batch::Batch;
use crate::store::error::Error;
use crate::store::{Durability, Result};
use arc_swap::{ArcSwapOption, Guard};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the thread that makes checkpoints looks after the rest: brings to the disk how far the
/// log reaches, of which a power loss takes no more than this, and looks whether a full disk has
/// room again.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(1);

/// What readers see.
pub(super) struct Layers {
    /// What was committed since the last checkpoint began.
    pub(super) active: Arc<Top>,
    /// What a checkpoint is bringing into the base.
    pub(super) frozen: Option<Arc<Top>>,
    /// All that was there before.
    pub(super) base: Arc<View>,
}

impl Layers {
    /// The newest first.
    pub(super) fn tops(&self) -> impl Iterator<Item = &Top> {
        std::iter::once(self.active.as_ref()).chain(self.frozen.as_deref())
    }
}

pub(super) struct Stack {
    /// Replaced as a whole. None when the store is closed, and while it is being verified, when
    /// `writer` is locked.
    layers: ArcSwapOption<Layers>,
    writer: Mutex<Writer>,
    /// Told, together with `writer`, when a checkpoint is due, when it is done or has failed, and
    /// when the store is to be closed.
    changed: Condvar,
    base: Base,
    health: Health,
    /// Whether the last commit was refused because the disk is full, and nobody has found room
    /// since.
    is_full: AtomicBool,
    /// None if there is no folder to watch.
    watch: Option<FolderWatch>,
    options: DiskOptions,
}

/// What only the one who commits may touch.
struct Writer {
    log: Log,
    /// The checkpoint that is to be gone on with.
    due: Option<Checkpoint>,
    /// Whether its last step did not fit onto the disk.
    is_base_full: bool,
    pace: Pace,
    is_closing: bool,
    is_closed: bool,
}

impl Stack {
    pub(super) fn new(
        base: Base,
        recovered: Recovered,
        health: Health,
        options: DiskOptions,
        watch: Option<FolderWatch>,
    ) -> Result<Self> {
        let Recovered { log, frozen, active } = recovered;
        let mut layers =
            Layers { active: Arc::new(active), frozen: None, base: Arc::new(base.view()?) };
        let (pace, due) = (Pace::new(), None);
        let mut writer =
            Writer { log, due, is_base_full: false, pace, is_closing: false, is_closed: false };
        if let Some((rows, anchor)) = frozen {
            // The checkpoint that a crash has cut off begins again.
            let rows = Arc::new(rows);
            layers.frozen = Some(Arc::clone(&rows));
            writer.due = Some(Checkpoint::new(rows, anchor, options.chunk_bytes));
            writer.pace.begin(Instant::now());
        }
        Ok(Self {
            layers: ArcSwapOption::from_pointee(layers),
            writer: Mutex::new(writer),
            changed: Condvar::new(),
            base,
            health,
            is_full: AtomicBool::new(false),
            watch,
            options,
        })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        // Whoever panicked has either changed nothing or is stopped by the health of the store.
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'w>(&self, writer: MutexGuard<'w, Writer>) -> MutexGuard<'w, Writer> {
        self.changed.wait(writer).unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn layers(&self) -> Result<Guard<Option<Arc<Layers>>>> {
        let layers = self.layers.load();
        if layers.is_some() {
            return Ok(layers);
        }
        // Perhaps the store is being verified, which ends when its writer is free again.
        let writer = self.writer();
        let layers = self.layers.load();
        if layers.is_none() && !writer.is_closed {
            self.health.check()?;
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

    /// Commits, or is refused. If the disk is full, nothing has happened: a record that could not
    /// be written is written over by the next one. Whatever else goes wrong, nothing is written
    /// any more.
    fn try_commit(&self, batch: &Batch, durability: Durability) -> Result<()> {
        let mut writer = self.make_room(self.writer(), batch.size_bytes())?;
        if !batch.is_empty() {
            self.health.guard(|| writer.log.append(batch))?;
        }
        if durability == Durability::Full {
            self.health.guard(|| writer.log.sync())?;
        }
        // What was written into files that nobody finds again must not be acknowledged.
        self.check_folder()?;
        if !batch.is_empty() {
            // The log has it already, so whatever goes wrong here, nothing may follow it.
            self.health.guard(|| self.newest()?.active.apply(writer.log.last_edits()?))?;
        }
        if self.options.checkpoints == Checkpoints::WithCommits {
            // This commit is done, whatever becomes of others. Who comes next is told.
            let _ = self.step(&mut writer);
        }
        Ok(())
    }

    fn check_folder(&self) -> Result<()> {
        match &self.watch {
            Some(watch) => self.health.guard(|| watch.check()),
            None => Ok(()),
        }
    }

    pub(super) fn check_writable(&self) -> Result<()> {
        self.health.check()?;
        self.check_folder()?;
        if self.is_full.load(Ordering::Relaxed) { Err(Error::Full) } else { Ok(()) }
    }

    pub(super) fn sync(&self) -> Result<()> {
        let mut writer = self.writer();
        self.health.check()?;
        self.newest()?;
        self.health.guard(|| writer.log.sync())
    }

    /// Returns when the log has room for a commit, and not sooner than it is due.
    fn make_room<'w>(
        &self,
        mut writer: MutexGuard<'w, Writer>,
        bytes: u64,
    ) -> Result<MutexGuard<'w, Writer>> {
        self.health.check()?;
        if let Some(delay) = self.delay(&writer, bytes)? {
            let waited = self.changed.wait_timeout(writer, delay);
            writer = waited.unwrap_or_else(PoisonError::into_inner).0;
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
        self.health.check()?;
        self.newest()?;
        writer.pace.pass(Instant::now());
        Ok(writer)
    }

    /// How long a commit has to wait so that those after it need not stop.
    fn delay(&self, writer: &Writer, bytes: u64) -> Result<Option<Duration>> {
        if self.options.checkpoints == Checkpoints::WithCommits || self.newest()?.frozen.is_none() {
            return Ok(None);
        }
        let delay = writer.pace.delay(Instant::now(), bytes, writer.log.room_bytes());
        Ok((!delay.is_zero()).then_some(delay))
    }

    /// Makes the active top a frozen one, with a checkpoint to bring it into the base.
    fn freeze(&self, writer: &mut Writer) -> Result<()> {
        let layers = self.newest()?;
        if layers.frozen.is_some() {
            // The log goes on in the file that holds the rows of the last checkpoint, which never
            // was completed.
            return Err(Error::Busy);
        }
        let segment_bytes = self.options.segment_bytes(self.base.size_bytes());
        let anchor = self.health.guard(|| writer.log.switch(segment_bytes))?;
        let frozen = Arc::clone(&layers.active);
        writer.due = Some(Checkpoint::new(Arc::clone(&frozen), anchor, self.options.chunk_bytes));
        writer.pace.begin(Instant::now());
        let base = Arc::clone(&layers.base);
        self.publish(Layers {
            active: Arc::new(Top::new(segment_bytes)),
            frozen: Some(frozen),
            base,
        });
        self.changed.notify_all();
        Ok(())
    }

    fn publish(&self, layers: Layers) {
        self.layers.store(Some(Arc::new(layers)));
    }

    /// Does a step of the checkpoint, or waits for whoever does.
    fn go_on<'w>(&self, mut writer: MutexGuard<'w, Writer>) -> Result<MutexGuard<'w, Writer>> {
        // Whoever makes checkpoints tells when it ends, but not twice.
        self.health.check()?;
        match self.options.checkpoints {
            Checkpoints::WithCommits => self.step(&mut writer)?,
            // It waits for room itself, and nobody should wait for that.
            Checkpoints::InBackground if writer.is_base_full => return Err(Error::Full),
            Checkpoints::InBackground => writer = self.wait(writer),
        }
        self.health.check()?;
        Ok(writer)
    }

    /// Does a step of the checkpoint that is due.
    fn step(&self, writer: &mut Writer) -> Result<()> {
        let Some(mut checkpoint) = writer.due.take() else { return Ok(()) };
        let progress = self.health.guard(|| checkpoint.step(&self.base));
        self.after_step(writer, checkpoint, progress)
    }

    /// Lets readers see the base with the rows of a step. As long as there are more steps to do,
    /// they find the same rows above it; but a view of the base as it was would keep the pages from
    /// being used again that the steps give up.
    fn after_step(
        &self,
        writer: &mut Writer,
        checkpoint: Checkpoint,
        progress: Result<Progress>,
    ) -> Result<()> {
        writer.is_base_full = matches!(progress, Err(Error::Full));
        if writer.is_base_full {
            // The same step is tried again.
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
                writer.pace.end(Instant::now());
                self.changed.notify_all();
            }
        }
        Ok(())
    }

    /// Makes checkpoints as they become due, until the store is to be closed or has failed.
    pub(super) fn make_checkpoints(&self) {
        let mut writer = self.writer();
        let mut upkept = Instant::now();
        while !writer.is_closing && self.health.check().is_ok() {
            let is_upkeep_due = upkept.elapsed() >= UPKEEP_INTERVAL;
            if is_upkeep_due {
                upkept = Instant::now();
                writer = self.run_upkeep(writer);
            }
            let is_tried = !writer.is_base_full || is_upkeep_due;
            let Some(mut checkpoint) = writer.due.take_if(|_| is_tried) else {
                let waited = self.changed.wait_timeout(writer, UPKEEP_INTERVAL);
                writer = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            };
            // Others commit while this goes on.
            drop(writer);
            let progress = self.health.guard(|| checkpoint.step(&self.base));
            writer = self.writer();
            match self.after_step(&mut writer, checkpoint, progress) {
                Ok(()) | Err(Error::Full) => {}
                Err(error) => self.health.fail(&error),
            }
        }
        // Nobody goes on with a checkpoint from here on, so nobody may wait for one: perhaps a
        // reader has found the damage, or a sync has failed.
        self.changed.notify_all();
    }

    /// What is done now and then. Whatever fails is remembered, and told to those who write.
    fn run_upkeep<'w>(&'w self, mut writer: MutexGuard<'w, Writer>) -> MutexGuard<'w, Writer> {
        if self.is_full.load(Ordering::Relaxed)
            && !(writer.log.is_full() && writer.is_base_full)
            && self.health.guard(|| Ok(writer.log.probe()?)).is_ok()
        {
            self.is_full.store(false, Ordering::Relaxed);
        }
        let reach = writer.log.reach();
        // Others commit while the disk works.
        drop(writer);
        let _ = self.health.guard(|| Ok(reach.sync()?));
        let _ = self.check_folder();
        self.writer()
    }

    /// Ends [`Stack::make_checkpoints`], and refuses to commit.
    pub(super) fn stop(&self) {
        self.writer().is_closing = true;
        self.changed.notify_all();
    }

    /// Brings everything into the base and lets go of the files. Nobody makes checkpoints any more.
    pub(super) fn close(&self) -> Result<()> {
        let mut writer = self.writer();
        if std::mem::replace(&mut writer.is_closed, true) {
            return Ok(());
        }
        let closed = self.health.check().and_then(|()| self.drain(&mut writer));
        self.layers.store(None);
        self.base.close();
        writer.log.close();
        closed
    }

    /// Brings everything into the base.
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
        self.health.guard(|| Ok(writer.log.reach().sync()?))
    }

    pub(super) fn size_bytes(&self) -> Result<u64> {
        self.layers()?;
        Ok(self.base.size_bytes() + self.writer().log.size_bytes())
    }

    pub(super) fn verify(&self) -> Result<()> {
        let mut writer = self.writer();
        self.health.check()?;
        while self.newest()?.frozen.is_some() {
            if writer.is_closing {
                return Err(Error::Closed);
            }
            writer = self.go_on(writer)?;
        }
        // redb verifies a file only while nobody reads it.
        let Some(layers) = self.layers.swap(None) else { return Err(Error::Closed) };
        let active = Arc::clone(&layers.active);
        drop(layers);
        let verified = self.base.verify().and_then(|()| {
            self.health.guard(|| writer.log.verify())?;
            active.verify()
        });
        let base = Arc::new(self.base.view()?);
        self.publish(Layers { active, frozen: None, base });
        verified
    }
}
