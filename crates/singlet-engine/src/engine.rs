//! The engine: one writer at a time, and readers that never block.

use crate::catalogue::Catalogue;
use crate::client::ClientAccount;
use crate::commit::{
    self, Command, Done, Group, Outcome, Queue, Refused, Staged, Versions, View, Write,
};
use crate::error::{Error, Result};
use crate::feed::{Feed, Subscription};
use crate::lane::HeavyLane;
use crate::layout::SpaceId;
use crate::maintenance::{self, Progress, Task};
use crate::options::Options;
use crate::state::State;
use crate::statistics::{Histogram, Statistics};
use crate::store::{self, Batch, Direction, Durability, Keyspace, Snapshot, Store};
use crate::sync::{Condvar, Mutex};
use arc_swap::ArcSwap;
use singlet_dynamo::arn::Home;
use singlet_dynamo::fuel::FUEL_PER_MS;
use singlet_dynamo::operation::Answer;
use std::iter::{once, repeat_with};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::vec::IntoIter;

/// A commit that reaches this size takes no more commands: its data is in memory several times
/// over, and recovery reads it whole. A small update of a large item in a table with a stream
/// writes more than a megabyte.
const COMMIT_BYTES_MAX: u64 = 1 << 20;
/// Fuel limit of a commit, about 4 ms, because later commands wait for it. Every byte put counts as
/// half a unit, even if a later command of the commit replaces it.
const COMMIT_FUEL_MAX: u64 = 4 * FUEL_PER_MS;
/// The same on a socket thread, which has other work to do.
const TASK_COMMIT_FUEL_MAX: u64 = FUEL_PER_MS;
/// Bytes and fuel that each count as much as one small write.
const COST_BYTES: u64 = 1 << 10;
const COST_FUEL: u64 = FUEL_PER_MS / 1000;
/// Interval of the maintenance thread. Relaxed durability promises an fsync every 100 ms; this
/// leaves half of that for the fsync.
const MAINTENANCE_INTERVAL: Duration = Duration::from_millis(50);
/// How long a check waits until no snapshot is held.
const VERIFY_PATIENCE: Duration = Duration::from_secs(5);
/// Sequence numbers start from the clock, so that they ascend across restarts: this many per
/// millisecond.
const SEQUENCES_PER_MS: u64 = 1 << 20;

/// Unwraps an operation's answer of the given kind.
macro_rules! answer {
    ($kind:ident of $outcome:expr) => {
        match $crate::engine::answer_of($outcome?)? {
            ::singlet_dynamo::operation::Answer::$kind(answer) => Ok(answer),
            _ => Err($crate::error::Error::Panicked),
        }
    };
}

pub(crate) use answer;

pub(crate) fn answer_of(outcome: Outcome) -> Result<Answer> {
    match outcome {
        Outcome::Answer(answer) => Ok(answer),
        // Only tasks report progress.
        Outcome::Progress(_) => Err(Error::Panicked),
    }
}

/// DynamoDB in process.
///
/// Cheap to clone; the engine closes when the last clone is dropped. Reads run on a snapshot in the
/// caller's thread. Writes go through one queue, in groups.
///
/// ```
/// use singlet_dynamo::operation::{CreateTable, GetItem, PutItem};
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::{Item, Value};
/// use singlet_engine::Engine;
///
/// let engine = Engine::memory()?;
/// let key = KeySchema::simple(KeyAttribute::new("PK", KeyType::S), None);
/// engine.create_table(CreateTable::new(TableSchema { name: "games".into(), key, indexes: vec![] }))?;
/// engine.wait_until_active("games")?;
///
/// let game = Item::from([("PK", Value::from("GAME#1")), ("round", Value::from(7))]);
/// engine.put_item(PutItem::new("games", game.clone()))?;
/// let found = engine.get_item(&GetItem::new("games", Item::from([("PK", Value::from("GAME#1"))])))?;
/// assert_eq!(found.item.map(|item| item.to_item()), Some(game));
/// # Ok::<(), singlet_engine::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    handle: Arc<Handle>,
}

/// Shared by all clones. The engine's threads hold only the core, so dropping the last clone can
/// stop them.
struct Handle {
    core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

pub(crate) struct Core {
    store: Store,
    options: Options,
    /// The catalogue as of the last commit.
    catalogue: ArcSwap<Catalogue>,
    queue: Queue<Box<Command>, Result<Box<Command>>>,
    /// Memory held by the plans of waiting commands.
    pub(crate) waiting_plan_bytes: Arc<AtomicUsize>,
    versions: Versions,
    /// The version of the last commit.
    version: AtomicU64,
    /// The empty batch that plans see outside the committing thread.
    unstaged: Batch,
    feed: Feed,
    statistics: Statistics,
    pub(crate) lane: Arc<HeavyLane>,
    /// The next sequence number; only the leader changes it.
    next_sequence: AtomicU64,
    /// The last stream trimmed; the next round continues after it.
    trimmed: AtomicU32,
    is_poisoned: AtomicBool,
    /// Whether a commit is not on disk yet.
    is_unsynced: AtomicBool,
    is_closed: AtomicBool,
    /// Whether there may be maintenance work.
    is_work_due: Mutex<bool>,
    work_due: Condvar,
}

impl Engine {
    /// An engine in memory. Its data is lost when it is dropped.
    pub fn memory() -> Result<Self> {
        Self::on(Store::memory(), Options::default())
    }

    /// Like [`Engine::memory`], with options.
    pub fn memory_with(options: Options) -> Result<Self> {
        Self::on(Store::memory(), options)
    }

    /// Opens the engine in this folder. Creates it if the folder is empty or missing.
    ///
    /// # Errors
    ///
    /// Only one process at a time can open a folder; the error names the process that holds it. A
    /// folder with a newer format or with foreign files is left untouched.
    pub fn open(folder: impl AsRef<Path>, options: Options) -> Result<Self> {
        Self::on(Store::open(folder)?, options)
    }

    /// An engine on an open store, for tests that bring their own disk.
    pub fn on(store: Store, options: Options) -> Result<Self> {
        let snapshot = store.snapshot()?;
        let catalogue = read_catalogue(&snapshot)?;
        let next_sequence = first_sequence(&snapshot, &catalogue, &options)?;
        let core = Arc::new(Core {
            store,
            catalogue: ArcSwap::from_pointee(catalogue),
            queue: Queue::new(),
            waiting_plan_bytes: Arc::default(),
            versions: Versions::new(),
            version: AtomicU64::new(0),
            unstaged: Batch::new(),
            feed: Feed::default(),
            statistics: Statistics::default(),
            lane: HeavyLane::new(),
            next_sequence: AtomicU64::new(next_sequence),
            trimmed: AtomicU32::new(0),
            is_poisoned: AtomicBool::new(false),
            is_unsynced: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            is_work_due: Mutex::new(true),
            work_due: Condvar::new(),
            options,
        });
        let handle = Handle { core, threads: Mutex::default() };
        handle.start_threads()?;
        Ok(Self { handle: Arc::new(handle) })
    }

    /// Verifies the store's structure, which requires that no snapshot is held.
    pub(crate) fn verify_store(&self) -> Result<()> {
        let deadline = Instant::now() + VERIFY_PATIENCE;
        loop {
            match self.handle.core.store.verify() {
                // Maintenance also reads, for a moment at a time.
                Err(store::Error::Busy) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                verified => return Ok(verified?),
            }
        }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.handle.core
    }

    /// The current catalogue and rows.
    pub(crate) fn state(&self) -> Result<State> {
        self.handle.core.state()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.handle.core.options
    }

    /// Subscribes to future changes of a table, or of all tables.
    #[must_use]
    pub fn subscribe(&self, table_name: Option<&str>) -> Subscription {
        self.handle.core.feed.subscribe(table_name)
    }

    /// Counters since the engine was opened.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.handle.core.statistics
    }

    /// Duration of each fsync in microseconds, since the engine was opened; `None` in memory.
    #[must_use]
    pub fn sync_micros(&self) -> Option<&Histogram> {
        self.handle.core.store.sync_micros()
    }

    /// A health check: fails if the engine cannot accept writes.
    ///
    /// # Errors
    ///
    /// [`Error::Poisoned`] after a failed commit, [`Error::Closed`] after [`Engine::close`]. The
    /// store's error while the disk is full, or if the folder was removed or replaced.
    pub fn check_writable(&self) -> Result<()> {
        self.handle.core.check_writable()?;
        // A reader or a checkpoint may have hit a disk failure that no write has seen yet.
        self.handle.core.store.check_writable().map_err(|error| match error {
            store::Error::Poisoned(_) => Error::Poisoned,
            error => Error::Store(error),
        })
    }

    /// Approximate size of the engine's data, on disk or in memory.
    pub fn size_bytes(&self) -> Result<u64> {
        Ok(self.handle.core.store.size_bytes()?)
    }

    /// The region and account used in ARNs.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.handle.core.options.home
    }

    /// Runs one round of maintenance: completes table and index changes, deletes expired items,
    /// trims stream records and tokens. With [`Options::background`] a thread does this
    /// continuously.
    pub fn maintain(&self) -> Result<()> {
        self.handle.core.sync()?;
        self.handle.core.maintain()
    }

    /// Stops the engine's threads and closes the store. Waiting writes complete or fail with
    /// [`Error::Closed`]; later ones fail. Dropping the last clone does the same.
    pub fn close(&self) -> Result<()> {
        self.handle.close()
    }
}

impl Handle {
    fn start_threads(&self) -> Result<()> {
        let mut threads = self.threads.lock();
        let leader = Arc::clone(&self.core);
        threads.push(spawn("singlet-commit", move || {
            leader.queue.lead_when_wanted(|group| leader.commit(group, COMMIT_FUEL_MAX));
        })?);
        if self.core.options.background {
            let core = Arc::clone(&self.core);
            threads.push(spawn("singlet-maintain", move || core.maintain_until_closed())?);
        }
        Ok(())
    }

    fn close(&self) -> Result<()> {
        let core = &self.core;
        if core.is_closed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        // Lane jobs may be about to write, so the queue closes after they have ended.
        core.lane.close();
        core.queue.close();
        core.wake_maintenance();
        for thread in self.threads.lock().drain(..) {
            // A panicked thread has no work left either.
            let _ = thread.join();
        }
        core.feed.close();
        Ok(core.store.close()?)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Call `close` to see errors.
        let _ = self.close();
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map_err(|error| Error::Store(store::Error::from(error)))
}

impl Core {
    /// A consistent catalogue and snapshot.
    ///
    /// The snapshot may be newer than the catalogue, never older. Tables change rarely, so this
    /// hardly ever loops.
    pub(crate) fn state(&self) -> Result<State> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        loop {
            let version = self.version.load(Ordering::Acquire);
            let catalogue = self.catalogue.load();
            let snapshot = self.store.snapshot()?;
            if Arc::ptr_eq(&catalogue, &self.catalogue.load()) {
                return Ok(State { version, catalogue, snapshot });
            }
        }
    }

    pub(crate) fn view<'s>(&'s self, state: &'s State) -> View<'s> {
        View {
            catalogue: &state.catalogue,
            snapshot: &state.snapshot,
            staged: &self.unstaged,
            version: state.version,
            versions: &self.versions,
            next_sequence: 0,
            options: &self.options,
            now: self.options.clock.now(),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        if self.is_poisoned.load(Ordering::Acquire) {
            return Err(Error::Poisoned);
        }
        Ok(())
    }

    /// Commits a write on this thread, or waits until another thread has.
    pub(crate) fn commit_one(
        &self,
        client: Option<&ClientAccount>,
        command: Box<Command>,
    ) -> Result<Box<Command>> {
        let commit = |group: &mut IntoIter<Box<Command>>| self.commit(group, COMMIT_FUEL_MAX);
        self.queue.submit(command, client, commit).map_err(refusal)?
    }

    /// Like [`Core::commit_one`], without blocking the thread.
    pub(crate) fn enqueue(
        &self,
        client: Option<&ClientAccount>,
        command: Box<Command>,
    ) -> Result<Pending> {
        // In memory a group usually takes microseconds, less than waking the thread that leads for
        // tasks. A disk would block the task's thread.
        let commit = |group: &mut IntoIter<Box<Command>>| self.commit(group, TASK_COMMIT_FUEL_MAX);
        let answer = match self.store {
            Store::Memory(_) => self.queue.submit_prompt(command, client, commit),
            Store::Disk(_) => self.queue.submit_async(command, client),
        };
        answer.map_err(refusal)
    }

    /// Commits the first commands of a group, within the size limit and `fuel_max`. A command is
    /// answered only when everything it saw is durable.
    fn commit(
        &self,
        commands: &mut IntoIter<Box<Command>>,
        fuel_max: u64,
    ) -> Vec<Done<Result<Box<Command>>>> {
        let len = commands.len();
        let mut done = Vec::with_capacity(len);
        if let Err(error) = self.commit_some(commands, fuel_max, &mut done) {
            // The commit failed: discard the staged replies. The first command gets the error, the
            // others a copy; if none was started, the whole group fails.
            let taken = match len - commands.len() {
                0 => commands.by_ref().count(),
                taken => taken,
            };
            done.resize_with(taken, || Done { answer: Err(Error::Closed), cost: 1 });
            let other = error.again();
            let answers = once(error).chain(repeat_with(|| other.again()));
            for (done, error) in done.iter_mut().zip(answers) {
                done.answer = Err(error);
            }
        }
        done
    }

    fn commit_some(
        &self,
        commands: &mut IntoIter<Box<Command>>,
        fuel_max: u64,
        done: &mut Vec<Done<Result<Box<Command>>>>,
    ) -> Result<()> {
        self.check_writable()?;
        // A panic in one command must not take the engine down. Nothing has changed until the store
        // commits.
        let catalogue = self.catalogue.load_full();
        let stage = AssertUnwindSafe(|| self.stage(commands, fuel_max, &catalogue, done));
        let staged = catch_unwind(stage).unwrap_or(Err(Error::Panicked))?;
        // If anything fails from here on, the state on disk is unknown.
        let publish = AssertUnwindSafe(|| self.publish(done.len(), staged, &catalogue));
        let published = catch_unwind(publish).unwrap_or(Err(Error::Poisoned));
        published.inspect_err(|error| {
            // A full disk has written nothing, and may have room again.
            if !matches!(error, Error::Store(store::Error::Full)) {
                self.is_poisoned.store(true, Ordering::Release);
            }
        })
    }

    /// Stages commands in order, each on top of its predecessors, until none is left or a limit is
    /// reached.
    fn stage(
        &self,
        commands: &mut IntoIter<Box<Command>>,
        fuel_max: u64,
        catalogue: &Arc<Catalogue>,
        done: &mut Vec<Done<Result<Box<Command>>>>,
    ) -> Result<Staged> {
        let version = self.version.load(Ordering::Relaxed) + 1;
        let next_sequence = self.next_sequence.load(Ordering::Relaxed);
        let numbers = (version, next_sequence);
        let catalogue = Arc::clone(catalogue);
        let mut group = Group::new(&self.store, &self.options, &self.versions, catalogue, numbers);
        let mut spent = 0;
        for mut command in commands {
            let bytes_before = group.batch().put_bytes();
            let fuel = group.add(&mut command);
            let bytes = group.batch().put_bytes() - bytes_before;
            spent += fuel + bytes / 2;
            let cost = 1 + bytes / COST_BYTES + fuel / COST_FUEL;
            done.push(Done { answer: Ok(command), cost });
            if group.batch().size_bytes() >= COMMIT_BYTES_MAX || spent >= fuel_max {
                break;
            }
        }
        Ok(group.finish())
    }

    /// Commits a group, then makes it visible to readers and notifies the feed.
    fn publish(&self, len: usize, staged: Staged, before: &Arc<Catalogue>) -> Result<()> {
        if staged.batch.is_empty() {
            return Ok(());
        }
        self.statistics.group_sizes.record(len as u64);
        self.commit_to_store(&staged)?;
        // A reader that sees the version sees the commit.
        self.version.store(staged.version, Ordering::Release);
        self.next_sequence.store(staged.next_sequence, Ordering::Relaxed);
        if self.options.durability == Durability::Relaxed {
            self.is_unsynced.store(true, Ordering::Release);
        }
        for counted in staged.counted {
            counted.counts.add(counted.items, counted.bytes);
        }
        if !Arc::ptr_eq(&staged.catalogue, before) {
            self.catalogue.store(staged.catalogue);
            self.wake_maintenance();
        }
        self.feed.publish(staged.changes);
        Ok(())
    }

    fn commit_to_store(&self, staged: &Staged) -> Result<()> {
        let start = matches!(self.store, Store::Disk(_)).then(Instant::now);
        self.store.commit(&staged.batch, self.options.durability)?;
        if let Some(start) = start {
            let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.statistics.commit_micros.record(micros);
        }
        Ok(())
    }

    fn maintain(&self) -> Result<()> {
        let catalogue = self.state()?.catalogue;
        let tasks = maintenance::due(&catalogue);
        let behind = SpaceId(self.trimmed.load(Ordering::Relaxed));
        let next = maintenance::next_streams(&catalogue, behind);
        self.trimmed.store(next.0, Ordering::Relaxed);
        let always = [Task::Expire, Task::TrimStreams { behind }, Task::ForgetTokens];
        for task in tasks.into_iter().chain(always) {
            let mut next = Outcome::Progress(Progress::Left(task));
            while let Outcome::Progress(Progress::Left(task)) = next {
                next = self.write(None, Command::new(Write::Task(task), None), None)?;
                // A large table takes minutes, and other writes must be synced sooner.
                self.sync()?;
            }
        }
        Ok(())
    }

    fn maintain_until_closed(&self) {
        while !self.is_closed.load(Ordering::Acquire) {
            // A failed step is retried in the next round. A broken store fails all writes anyway.
            let _ = self.sync();
            let _ = self.maintain();
            let mut is_due = self.is_work_due.lock();
            if !*is_due {
                is_due = self.work_due.wait_timeout(is_due, MAINTENANCE_INTERVAL);
            }
            *is_due = false;
        }
    }

    /// Syncs commits made with relaxed durability.
    fn sync(&self) -> Result<()> {
        if self.is_unsynced.swap(false, Ordering::AcqRel)
            && let Err(error) = self.store.sync()
        {
            // A sync never fails with a full disk, so every failure poisons.
            self.is_poisoned.store(true, Ordering::Release);
            return Err(error.into());
        }
        Ok(())
    }

    fn wake_maintenance(&self) {
        *self.is_work_due.lock() = true;
        self.work_due.notify_all();
    }
}

fn refusal(refused: Refused) -> Error {
    match refused {
        Refused::Overloaded => Error::Overloaded,
        Refused::Closed => Error::Closed,
    }
}

/// A submitted write.
pub(crate) type Pending = commit::Answer<Result<Box<Command>>>;

fn read_catalogue(snapshot: &Snapshot) -> Result<Catalogue> {
    let all = (Bound::Unbounded, Bound::Unbounded);
    let mut rows = Vec::new();
    for row in snapshot.range(Keyspace::Catalogue, all.0, all.1, Direction::Forward)? {
        let row = row?;
        rows.push((row.key().to_vec(), row.value().to_vec()));
    }
    Catalogue::from_rows(rows).ok_or_else(|| {
        Error::Store(store::Error::Corrupt("the catalogue cannot be read".to_owned()))
    })
}

/// Above all numbers ever used, even if the clock was set back.
fn first_sequence(snapshot: &Snapshot, catalogue: &Catalogue, options: &Options) -> Result<u64> {
    let millis = u64::try_from(options.clock.now().as_millis()).unwrap_or(0);
    let mut first = millis.saturating_mul(SEQUENCES_PER_MS).max(1);
    for stream in catalogue.streams() {
        let rows = stream.rows_from(0);
        let (lower, upper) = (Bound::Included(&*rows.start), Bound::Excluded(&*rows.end));
        if let Some(row) =
            snapshot.range(Keyspace::Streams, lower, upper, Direction::Backward)?.next()
        {
            let last = crate::stream::sequence_of_row(row?.key()).unwrap_or(0);
            first = first.max(last + 1);
        }
        first = first.max(stream.end.map_or(stream.first_sequence, |(_, end)| end));
    }
    Ok(first)
}

#[cfg(test)]
mod tests;
