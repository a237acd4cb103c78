//! The engine: one writer at a time, readers that wait for nobody.

use crate::catalogue::Catalogue;
use crate::client::ClientAccount;
use crate::commit::{Answer, Done, Queue, Refused, Stage, Staged};
use crate::error::{Error, Result};
use crate::feed::{Feed, Subscription};
use crate::lane::{HeavyLane, STAGE_FUEL};
use crate::layout::SpaceId;
use crate::maintenance::{self, Progress, Task};
use crate::options::Options;
use crate::state::State;
use crate::statistics::{Histogram, Statistics};
use crate::store::{self, Direction, Durability, Keyspace, Snapshot, Store};
use arc_swap::ArcSwap;
use singlet_dynamo::arn::Home;
use singlet_dynamo::fuel::FUEL_PER_MS;
use std::any::Any;
use std::iter::{once, repeat_with};
use std::marker::PhantomData;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::vec::IntoIter;

/// How many bytes are enough for one commit, however many commands wait: what it holds is in memory
/// several times over, and opening after a crash reads it whole. A small update of a large item in
/// a table with a stream writes more than a megabyte.
const COMMIT_BYTES_MAX: u64 = 1 << 20;
/// How much work is enough for one commit, about 4 ms: whoever comes meanwhile waits for it. Every
/// byte put counts as half a unit of fuel, also if a later command of the commit replaces it.
const COMMIT_FUEL_MAX: u64 = 4 * FUEL_PER_MS;
/// The same on a thread that serves sockets, which has other things to do.
const TASK_COMMIT_FUEL_MAX: u64 = FUEL_PER_MS;
/// What counts as much as a small write, in bytes that are written and in fuel that is spent.
const COST_BYTES: u64 = 1 << 10;
const COST_FUEL: u64 = FUEL_PER_MS / 1000;
/// How often the engine looks for work of its own when nobody wakes it.
/// Relaxed durability promises an fsync every 100 ms, and this leaves half of that for it.
const MAINTENANCE_INTERVAL: Duration = Duration::from_millis(50);
/// How long a check waits for a moment at which nobody reads.
const VERIFY_PATIENCE: Duration = Duration::from_secs(5);
/// Changes are numbered from the clock on, so that numbers ascend over restarts: so many for each
/// millisecond.
const SEQUENCES_PER_MS: u64 = 1 << 20;

/// A write on its way: evaluated by whoever leads the queue.
type Command = Box<dyn FnOnce(&mut Stage<'_>) -> Result<Reply> + Send>;
/// The answer of the operation that the command carries out.
type Reply = Box<dyn Any + Send>;

/// DynamoDB in process.
///
/// Cheap to clone; all clones are one engine, which is closed when the last one goes. Reads
/// run on a snapshot in the caller's thread. Writes go through one queue, in groups.
///
/// ```
/// use singlet_dynamo::operation::{CreateTable, GetItem, PutItem};
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::{Item, Value};
/// use singlet_engine::Engine;
///
/// let engine = Engine::memory()?;
/// let key = KeySchema { partition: KeyAttribute::new("PK", KeyType::S), sort: None };
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

/// What all clones share. The engine's own threads hold the core alone, so that the last clone
/// that goes can end them.
struct Handle {
    core: Arc<Core>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

pub(crate) struct Core {
    store: Store,
    options: Options,
    /// The tables as of the last commit.
    catalogue: ArcSwap<Catalogue>,
    queue: Queue<Command, Result<Reply>>,
    feed: Feed,
    statistics: Statistics,
    /// Requests that take long to compute.
    pub(crate) lane: Arc<HeavyLane>,
    /// The number of the next change; only the leader changes it.
    next_sequence: AtomicU64,
    /// Behind which stream the next ones are trimmed.
    trimmed: AtomicU32,
    is_poisoned: AtomicBool,
    /// Whether something was committed that is not on the disk yet.
    is_unsynced: AtomicBool,
    is_closed: AtomicBool,
    /// Whether there may be work for the engine itself.
    is_work_due: Mutex<bool>,
    work_due: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// An engine that keeps everything in memory, and forgets it when it is dropped.
    pub fn memory() -> Result<Self> {
        Self::on(Store::memory(), Options::default())
    }

    /// Like [`Engine::memory`], with choices.
    pub fn memory_with(options: Options) -> Result<Self> {
        Self::on(Store::memory(), options)
    }

    /// Opens the engine that keeps its data in this folder, and makes one if the folder is empty
    /// or missing.
    ///
    /// # Errors
    ///
    /// One process at a time may have a folder open; a second one is told who has it. A folder
    /// that was written by a newer version, or that holds something else, is left alone.
    pub fn open(folder: impl AsRef<Path>, options: Options) -> Result<Self> {
        Self::on(Store::open(folder)?, options)
    }

    /// An engine on a store that is open: for tests that bring their own disk.
    pub fn on(store: Store, options: Options) -> Result<Self> {
        let snapshot = store.snapshot()?;
        let catalogue = read_catalogue(&snapshot)?;
        let next_sequence = first_sequence(&snapshot, &catalogue, &options)?;
        let core = Arc::new(Core {
            store,
            catalogue: ArcSwap::from_pointee(catalogue),
            queue: Queue::new(),
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

    /// Asks the store to check its own structure, for which nobody else may be reading.
    pub(crate) fn verify_store(&self) -> Result<()> {
        let deadline = Instant::now() + VERIFY_PATIENCE;
        loop {
            match self.handle.core.store.verify() {
                // The engine's own upkeep reads too, for a moment at a time.
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

    /// What readers see at this moment.
    pub(crate) fn state(&self) -> Result<State> {
        self.handle.core.state()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.handle.core.options
    }

    /// Carries out a write, and returns once it is as durable as the options ask for.
    pub(crate) fn write<A: Send + 'static>(
        &self,
        operation: impl FnOnce(&mut Stage<'_>) -> Result<A> + Send + 'static,
    ) -> Result<A> {
        self.handle.core.write(operation)
    }

    /// Like [`Engine::write`], without blocking the thread.
    pub(crate) fn write_async<A: Send + 'static>(
        &self,
        client: Option<&ClientAccount>,
        operation: impl FnOnce(&mut Stage<'_>) -> Result<A> + Send + 'static,
    ) -> Result<Pending<A>> {
        let answer = self.handle.core.enqueue(client, operation)?;
        Ok(Pending { answer, operation: PhantomData })
    }

    /// Listens to the changes of a table, or of all tables, from now on.
    #[must_use]
    pub fn subscribe(&self, table_name: Option<&str>) -> Subscription {
        self.handle.core.feed.subscribe(table_name)
    }

    /// What the engine has done since it was opened, in figures.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.handle.core.statistics
    }

    /// How many microseconds each fsync took since the engine was opened; none in memory.
    #[must_use]
    pub fn sync_micros(&self) -> Option<&Histogram> {
        self.handle.core.store.sync_micros()
    }

    /// Whether the engine takes writes, for those who watch over it.
    ///
    /// # Errors
    ///
    /// [`Error::Poisoned`] once a commit has failed, [`Error::Closed`] once it was closed. The store's
    /// own error if the disk is full, until there is room again, or if the folder was removed or
    /// replaced.
    pub fn check_writable(&self) -> Result<()> {
        self.handle.core.check_writable()?;
        // Who reads, or brings rows to their place in the background, may have met a failure of
        // the disk that no write has met yet.
        self.handle.core.store.check_writable().map_err(|error| match error {
            store::Error::Poisoned(_) => Error::Poisoned,
            error => Error::Store(error),
        })
    }

    /// About how many bytes the engine's data takes, on disk or in memory.
    pub fn size_bytes(&self) -> Result<u64> {
        Ok(self.handle.core.store.size_bytes()?)
    }

    /// The region and account that the engine's ARNs name.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.handle.core.options.home
    }

    /// Does what is due of the engine's own work: finishes tables and indexes that are being made
    /// or deleted, deletes what has expired, forgets old stream records. With
    /// [`Options::background`] a thread does this all the time.
    pub fn maintain(&self) -> Result<()> {
        self.handle.core.sync()?;
        self.handle.core.maintain()
    }

    /// Ends the engine's own threads and closes the store. Writes that wait meanwhile are either
    /// done or refused with [`Error::Closed`]; later ones are refused. Dropping the last clone does
    /// the same.
    pub fn close(&self) -> Result<()> {
        self.handle.close()
    }
}

impl Handle {
    fn start_threads(&self) -> Result<()> {
        let mut threads = lock(&self.threads);
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
        // Jobs of the lane may be about to write, so the queue is closed after they have ended.
        core.lane.close();
        core.queue.close();
        core.wake_maintenance();
        for thread in lock(&self.threads).drain(..) {
            // A thread that panicked has nothing more to do either.
            let _ = thread.join();
        }
        core.feed.close();
        Ok(core.store.close()?)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Whoever wants to know of an error calls `close`.
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
    /// The tables and the rows of one moment.
    ///
    /// The rows may be those of a commit whose tables are not told yet, which does no harm; but
    /// not the other way round. Tables change rarely, so asking twice is all it takes.
    pub(crate) fn state(&self) -> Result<State> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        loop {
            let catalogue = self.catalogue.load();
            let snapshot = self.store.snapshot()?;
            if Arc::ptr_eq(&catalogue, &self.catalogue.load()) {
                return Ok(State { catalogue, snapshot });
            }
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    fn check_writable(&self) -> Result<()> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::Closed);
        }
        if self.is_poisoned.load(Ordering::Acquire) {
            return Err(Error::Poisoned);
        }
        Ok(())
    }

    pub(crate) fn write<A: Send + 'static>(
        &self,
        operation: impl FnOnce(&mut Stage<'_>) -> Result<A> + Send + 'static,
    ) -> Result<A> {
        self.write_for(None, operation)
    }

    /// Like [`Core::write`], for one of several clients.
    pub(crate) fn write_for<A: Send + 'static>(
        &self,
        client: Option<&ClientAccount>,
        operation: impl FnOnce(&mut Stage<'_>) -> Result<A> + Send + 'static,
    ) -> Result<A> {
        self.check_writable()?;
        let commit = |group: &mut IntoIter<Command>| self.commit(group, COMMIT_FUEL_MAX);
        let reply = self.queue.submit(boxed(operation), client, commit);
        reply_of(reply.map_err(refusal)?)
    }

    fn enqueue<A: Send + 'static>(
        &self,
        client: Option<&ClientAccount>,
        operation: impl FnOnce(&mut Stage<'_>) -> Result<A> + Send + 'static,
    ) -> Result<Answer<Result<Reply>>> {
        self.check_writable()?;
        let command = boxed(operation);
        // In memory a group usually takes microseconds, less than waking the thread that leads for
        // tasks. A disk would hold up the task's thread, and whoever else runs on it.
        let commit = |group: &mut IntoIter<Command>| self.commit(group, TASK_COMMIT_FUEL_MAX);
        let answer = match self.store {
            Store::Memory(_) => self.queue.submit_prompt(command, client, commit),
            Store::Disk(_) => self.queue.submit_async(command, client),
        };
        answer.map_err(refusal)
    }

    /// Carries out the first commands of a group, as many as one commit may hold and until so much
    /// work is done. None is answered before all that it saw is durable.
    fn commit(&self, commands: &mut IntoIter<Command>, fuel_max: u64) -> Vec<Done<Result<Reply>>> {
        let len = commands.len();
        let mut done = Vec::with_capacity(len);
        if let Err(error) = self.commit_some(commands, fuel_max, &mut done) {
            // The commit failed: discard the staged replies. The first command gets the error, the
            // others its copy; if none was begun, that is the whole group.
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
        commands: &mut IntoIter<Command>,
        fuel_max: u64,
        done: &mut Vec<Done<Result<Reply>>>,
    ) -> Result<()> {
        self.check_writable()?;
        // A panic in one command must not take the engine down: as long as the store was not asked
        // to commit, nothing has happened.
        let catalogue = self.catalogue.load_full();
        let evaluate = AssertUnwindSafe(|| self.evaluate(commands, fuel_max, &catalogue, done));
        let staged = catch_unwind(evaluate).unwrap_or(Err(Error::Panicked))?;
        // From here on nobody knows what the disk holds if anything goes wrong.
        let publish = AssertUnwindSafe(|| self.publish(done.len(), staged, &catalogue));
        let published = catch_unwind(publish).unwrap_or(Err(Error::Poisoned));
        published.inspect_err(|error| {
            // A disk that is full has taken nothing, and may have room again.
            if !matches!(error, Error::Store(store::Error::Full)) {
                self.is_poisoned.store(true, Ordering::Release);
            }
        })
    }

    /// Evaluates commands one after the other, each against what those before it leave, until
    /// there are no more, or enough is to be written, or it has taken long enough.
    fn evaluate(
        &self,
        commands: &mut IntoIter<Command>,
        fuel_max: u64,
        catalogue: &Arc<Catalogue>,
        done: &mut Vec<Done<Result<Reply>>>,
    ) -> Result<Staged> {
        let snapshot = self.store.snapshot()?;
        let mut stage = Stage::new(
            &snapshot,
            Arc::clone(catalogue),
            self.options.clock.now(),
            self.next_sequence.load(Ordering::Relaxed),
            self.feed.has_listeners(),
        );
        let mut spent = 0;
        for command in commands {
            stage.begin_command();
            let bytes_before = stage.batch.put_bytes();
            let answer = command(&mut stage);
            let bytes = stage.batch.put_bytes() - bytes_before;
            let fuel = STAGE_FUEL - stage.fuel.left() + stage.checking_fuel;
            spent += fuel + bytes / 2;
            done.push(Done { answer, cost: 1 + bytes / COST_BYTES + fuel / COST_FUEL });
            if stage.batch.size_bytes() >= COMMIT_BYTES_MAX || spent >= fuel_max {
                break;
            }
        }
        Ok(stage.finish(matches!(self.store, Store::Disk(_))))
    }

    /// Commits what a group leaves, then lets readers see it and tells those who listen.
    fn publish(&self, len: usize, staged: Staged, before: &Arc<Catalogue>) -> Result<()> {
        if staged.batch.is_empty() {
            return Ok(());
        }
        self.statistics.group_sizes.record(len as u64);
        self.commit_to_store(&staged)?;
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
        self.feed.publish(&staged.changes);
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
            let mut next = Progress::Left(task);
            while let Progress::Left(task) = next {
                next = self.write(move |stage| stage.carry_out(task))?;
                // Large tables take minutes, and what others have written meanwhile was promised
                // to be on the disk sooner.
                self.sync()?;
            }
        }
        Ok(())
    }

    fn maintain_until_closed(&self) {
        while !self.is_closed.load(Ordering::Acquire) {
            // What failed is tried again at the next round; a broken store refuses writes anyway,
            // and tells those who write.
            let _ = self.sync();
            let _ = self.maintain();
            let mut is_due = lock(&self.is_work_due);
            if !*is_due {
                let waited = self.work_due.wait_timeout(is_due, MAINTENANCE_INTERVAL);
                is_due = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
            *is_due = false;
        }
    }

    /// Brings to the disk what relaxed durability has left for later.
    fn sync(&self) -> Result<()> {
        if self.is_unsynced.swap(false, Ordering::AcqRel)
            && let Err(error) = self.store.sync()
        {
            // To sync writes nothing, so that it is never the full disk that can be waited for.
            self.is_poisoned.store(true, Ordering::Release);
            return Err(error.into());
        }
        Ok(())
    }

    fn wake_maintenance(&self) {
        *lock(&self.is_work_due) = true;
        self.work_due.notify_all();
    }
}

fn refusal(refused: Refused) -> Error {
    match refused {
        Refused::Overloaded => Error::Overloaded,
        Refused::Closed => Error::Closed,
    }
}

fn boxed<A: Send + 'static>(
    operation: impl FnOnce(&mut Stage<'_>) -> Result<A> + Send + 'static,
) -> Command {
    Box::new(move |stage| operation(stage).map(|answer| Box::new(answer) as Reply))
}

/// A write that is in the queue, or was.
pub(crate) struct Pending<A> {
    answer: Answer<Result<Reply>>,
    operation: PhantomData<fn() -> A>,
}

impl<A: 'static> Future for Pending<A> {
    type Output = Result<A>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<A>> {
        Pin::new(&mut self.answer).poll(context).map(reply_of)
    }
}

fn reply_of<A: 'static>(reply: Result<Reply>) -> Result<A> {
    // The reply is of the command that was sent, so it is of its type.
    reply?.downcast::<A>().map(|answer| *answer).map_err(|_| Error::Panicked)
}

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

/// A number above all that were ever given, also if the clock was set back.
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
mod tests {
    use super::*;
    use crate::client::RequestContext;
    use crate::feed::Event;
    use singlet_dynamo::Value;
    use singlet_dynamo::operation::Request;
    use std::sync::mpsc;

    #[test]
    fn a_mistake_in_one_command_takes_nothing_else_down() {
        let engine = Engine::memory().unwrap();
        let panicked =
            engine.write(|_: &mut Stage<'_>| -> Result<()> { panic!("a planted mistake") });
        assert!(matches!(panicked, Err(Error::Panicked)));
        assert_eq!(engine.write(|_: &mut Stage<'_>| Ok(7)).unwrap(), 7);
    }

    #[test]
    fn one_commit_holds_no_more_than_is_enough() {
        const COMMANDS: u8 = 10;
        const BYTES: usize = COMMIT_BYTES_MAX as usize / 4 + 1;
        let engine = Engine::memory().unwrap();
        let core = &engine.handle.core;
        let put = |number: u8| {
            boxed(move |stage: &mut Stage<'_>| {
                // Each sees what those before it have left, in whichever commit they are.
                let before = number.checked_sub(1).map(|before| stage.item(&[before]));
                assert!(before.is_none_or(|before| before.is_ok_and(|item| item.is_some())));
                stage.batch.put(Keyspace::Items, vec![number], vec![0; BYTES]);
                Ok(number)
            })
        };
        let commits = || core.statistics.group_sizes.buckets().last().map_or(0, |(_, count)| count);
        let commits_before = commits();
        let mut commands = (0..COMMANDS).map(put).collect::<Vec<_>>().into_iter();
        let mut answers = Vec::new();
        while commands.len() > 0 {
            let done = core.commit(&mut commands, COMMIT_FUEL_MAX).into_iter();
            answers.extend(done.map(|done| reply_of::<u8>(done.answer).unwrap()));
        }
        assert_eq!(answers, (0..COMMANDS).collect::<Vec<_>>());
        assert_eq!(commits() - commits_before, 3);
    }

    #[test]
    fn one_commit_takes_no_longer_than_is_enough() {
        let engine = Engine::memory().unwrap();
        let core = &engine.handle.core;
        let spend = || {
            boxed(|stage: &mut Stage<'_>| {
                stage.fuel.spend(STAGE_FUEL as usize).map_err(|_| Error::Closed)
            })
        };
        // A heavy write spends no fuel of its own on the stage, but its items are compared there.
        let check = || {
            boxed(|stage: &mut Stage<'_>| {
                stage.checking_fuel += STAGE_FUEL;
                Ok(())
            })
        };
        for fuel_max in [COMMIT_FUEL_MAX, TASK_COMMIT_FUEL_MAX] {
            for of_kind in [spend as fn() -> Command, check] {
                let mut commands = (0..40).map(|_| of_kind()).collect::<Vec<_>>().into_iter();
                let done = core.commit(&mut commands, fuel_max);
                assert_eq!(done.len() as u64, fuel_max / STAGE_FUEL);
                assert!(done.iter().all(|done| done.answer.is_ok() && done.cost > 200));
            }
        }
    }

    /// The client of a request is known in the queue, also if its write comes there from the lane.
    #[test]
    fn writes_of_clients_share_the_queue() {
        const LARGE_WRITES: usize = 60;
        let heavy = format!(r#"{{"L":[{}]}}"#, vec![r#"{"S":"a"}"#; 20_000].join(","));
        for own in [r#"{"S":"small"}"#, heavy.as_str()] {
            let engine = Engine::memory().unwrap();
            let create = br#"{"TableName":"table","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"N"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#;
            engine.execute(Request::from_json("CreateTable", create).unwrap()).unwrap();
            engine.wait_until_active("table").unwrap();
            let changes = engine.subscribe(Some("table"));
            let put = |client: &ClientAccount, id: usize, value: &str| {
                let body = format!(
                    r#"{{"TableName":"table","Item":{{"pk":{{"N":"{id}"}},"v":{value}}}}}"#
                );
                let context = RequestContext { client: Some(client.clone()), room: None };
                engine.start_for(&context, Request::from_json("PutItem", body.as_bytes()).unwrap())
            };
            let (greedy, modest) = (ClientAccount::default(), ClientAccount::default());
            let large = format!(r#"{{"S":"{}"}}"#, "a".repeat(60_000));
            let (begin, wait) = mpsc::channel::<()>();
            std::thread::scope(|scope| {
                let (leads, is_led) = mpsc::channel();
                let core = &engine.handle.core;
                scope.spawn(move || {
                    core.write(move |_: &mut Stage<'_>| {
                        leads.send(()).unwrap();
                        let _ = wait.recv();
                        Ok(())
                    })
                });
                is_led.recv().unwrap();
                let mut waiting: Vec<_> =
                    (1..=LARGE_WRITES).map(|id| put(&greedy, id, &large)).collect();
                waiting.push(put(&modest, 0, own));
                while core.queue.waiting() <= LARGE_WRITES {
                    std::thread::yield_now();
                }
                begin.send(()).unwrap();
                let mut order = Vec::new();
                while order.len() <= LARGE_WRITES {
                    let event = changes.next_within(Duration::from_secs(30));
                    let Some(Event::Change(change)) = event else { panic!("a change is missing") };
                    order
                        .push(change.new.as_ref().unwrap().as_item().get("pk").unwrap().to_value());
                }
                let place = order.iter().position(|id| *id == Value::from(0));
                // The first commit takes a megabyte, and shows that it is crowded.
                assert!(place.is_some_and(|place| place < LARGE_WRITES / 2), "{place:?}");
            });
        }
    }

    /// Those who were in the commit are told; the others go on, because nothing has happened to them.
    #[test]
    fn a_mistake_is_told_to_those_of_its_commit() {
        let engine = Engine::memory().unwrap();
        let core = &engine.handle.core;
        let large = || {
            boxed(|stage: &mut Stage<'_>| {
                stage.batch.put(Keyspace::Items, vec![1], vec![0; COMMIT_BYTES_MAX as usize]);
                Ok(())
            })
        };
        let small = || boxed(|_: &mut Stage<'_>| Ok(()));
        let mistake = || boxed(|_: &mut Stage<'_>| -> Result<()> { panic!("a planted mistake") });
        let mut commands = vec![large(), small(), mistake(), small()].into_iter();
        let mut told = Vec::new();
        while commands.len() > 0 {
            let done = core.commit(&mut commands, COMMIT_FUEL_MAX);
            told.push(done.into_iter().map(|done| done.answer.is_ok()).collect::<Vec<bool>>());
        }
        assert_eq!(told, [vec![true], vec![false, false], vec![true]]);
        // If no command can be begun, all are told.
        core.is_poisoned.store(true, Ordering::Release);
        let mut commands = vec![small(), small(), small()].into_iter();
        let done = core.commit(&mut commands, COMMIT_FUEL_MAX);
        assert_eq!((done.len(), commands.len()), (3, 0));
        assert!(done.iter().all(|done| matches!(done.answer, Err(Error::Poisoned))));
    }

    #[test]
    fn a_closed_engine_says_so() {
        let engine = Engine::memory().unwrap();
        assert!(engine.check_writable().is_ok());
        engine.close().unwrap();
        assert!(matches!(engine.check_writable(), Err(Error::Closed)));
        assert!(matches!(engine.write(|_: &mut Stage<'_>| Ok(())), Err(Error::Closed)));
        assert!(matches!(engine.state(), Err(Error::Closed)));
        engine.close().unwrap();
    }
}
