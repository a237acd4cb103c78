//! The heavy lane: runs requests that take long to compute, without delaying others.
//!
//! A request starts on the thread that it arrives on, with a budget ([`INLINE_FUEL`]). If it
//! exceeds that, it starts again here on a separate thread. At most half as many jobs run at a time
//! as there are cores, and each passes its turn on after a slice of work. Turns rotate between
//! clients. When the lane is full, a client with at least two jobs fewer than another displaces one
//! of them.
//!
//! The budget decides where a request runs, never its answer.

use crate::client::ClientAccount;
use crate::error::{Error, Result};
use crate::sync::{Condvar, Mutex};
use singlet_dynamo::fuel::{FUEL_PER_MS, Supply};
use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

/// Budget of a read on the thread that it arrives on: enough for a page of a megabyte without a
/// filter. Clients whose recent reads exceeded it get less.
pub(crate) const INLINE_FUEL: u64 = FUEL_PER_MS;
/// Budget for planning a write on the thread that it arrives on, and again on the committing
/// thread, where all other writes wait for it. Most writes take a few microseconds.
pub(crate) const PLAN_FUEL: u64 = FUEL_PER_MS / 4;
/// Work of a job per turn.
pub(crate) const SLICE_FUEL: u64 = FUEL_PER_MS;
/// Maximum number of jobs. Each has a thread, which mostly waits for its turn. See
/// `State::displace_for` for the case that the lane is full.
pub(crate) const JOBS_MAX: usize = 32;
/// Memory limit for all jobs: items read or made, and trees of items. A single job may exceed it if
/// it is the only one holding memory: the old and new items of a hundred updates can take 160 MB in
/// stored form.
const KEPT_MAX: usize = 96 << 20;
/// Turns a job is guaranteed before another may displace it.
const TURNS_MIN: u32 = 25;
/// Maximum number of displaced jobs that are still running, on top of [`JOBS_MAX`].
const ENDING_MAX: usize = 32;

/// Heavy requests and their turns.
pub(crate) struct HeavyLane {
    state: Mutex<State>,
    /// Notified when the last job ends.
    is_empty: Condvar,
    turns_max: usize,
}

#[derive(Default)]
struct State {
    next_id: u64,
    /// Jobs that have a turn.
    running: Vec<u64>,
    /// Jobs that wait for a turn, in order.
    waiting: VecDeque<(u64, Arc<Condvar>)>,
    jobs: HashMap<u64, JobState>,
    /// Turns given so far.
    turns: u64,
    /// `turns` when a job without a client last had a turn.
    last_unnamed_turn: u64,
    /// Jobs that lost their place and must end.
    displaced: HashSet<u64>,
    /// Memory held by all jobs.
    kept: usize,
    is_closed: bool,
}

struct JobState {
    client: Option<ClientAccount>,
    turns: u32,
}

impl HeavyLane {
    pub(crate) fn new() -> Arc<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_turns((cores / 2).max(1))
    }

    fn with_turns(turns_max: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), is_empty: Condvar::new(), turns_max })
    }

    /// Runs the work on a new thread. The work must call [`Turn::pass`] regularly, and end soon
    /// once it returns false.
    ///
    /// # Errors
    ///
    /// [`Error::Overloaded`] if the lane is full, [`Error::Closed`] if it was closed.
    pub(crate) fn start<A: Send + 'static>(
        self: &Arc<Self>,
        client: Option<&ClientAccount>,
        work: impl FnOnce(&Turn) -> Result<A> + Send + 'static,
    ) -> Result<Job<A>> {
        let id = self.enter(client)?;
        let shared = Arc::new(Shared {
            progress: Mutex::new(Progress::Waiting(None)),
            is_cancelled: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let seat = JobSlot { lane: Arc::clone(self), id };
        let run = move || {
            let seat = seat;
            let is_cancelled = Arc::clone(&own);
            let turn = Turn {
                lane: Arc::clone(&seat.lane),
                id,
                has_turn: Cell::new(false),
                kept: Cell::new(0),
                lacks_room: Cell::new(false),
                is_cancelled: Box::new(move || is_cancelled.is_cancelled.load(Ordering::Acquire)),
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&turn)));
            let outcome = outcome.unwrap_or(Err(Error::Panicked));
            if outcome.as_ref().is_err_and(|error| error.refusal().is_none()) {
                // The job's memory is free already: release it before the next turn.
                turn.start_over();
            }
            turn.give_back();
            own.finish(outcome, turn.hand_over());
        };
        // If no thread can be started, dropping the closure frees the slot.
        std::thread::Builder::new()
            .name("singlet-lane".to_owned())
            .spawn(run)
            .map_err(|_| Error::Overloaded)?;
        Ok(Job { shared })
    }

    fn enter(&self, client: Option<&ClientAccount>) -> Result<u64> {
        let mut state = self.state.lock();
        if state.is_closed {
            return Err(Error::Closed);
        }
        if state.jobs.len() - state.displaced.len() >= JOBS_MAX && !state.displace_for(client) {
            return Err(Error::Overloaded);
        }
        state.next_id += 1;
        let id = state.next_id;
        // A client without jobs queues behind the waiting ones.
        if let Some(client) = client
            && state.jobs.values().all(|job| !is_same(job.client.as_ref(), Some(client)))
        {
            client.note_job_turn(state.turns);
        }
        state.jobs.insert(id, JobState { client: client.cloned(), turns: 0 });
        Ok(id)
    }

    /// Cancels all jobs, accepts no more, and waits until the last has ended.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        for (_, granted) in &state.waiting {
            granted.notify_all();
        }
        while !state.jobs.is_empty() {
            state = self.is_empty.wait(state);
        }
    }
}

impl State {
    /// Displaces a job: one of the client with the most jobs if this client has at least two fewer;
    /// otherwise one that has had its share of turns, of a client with at least as many jobs as
    /// this one. Returns false if there is none.
    ///
    /// Without this, a few endless requests could block the lane.
    fn displace_for(&mut self, client: Option<&ClientAccount>) -> bool {
        if self.displaced.len() >= ENDING_MAX {
            return false;
        }
        let places_of = |client: Option<&ClientAccount>| {
            self.placed().filter(|(_, job)| is_same(job.client.as_ref(), client)).count()
        };
        let crowds = |job: &JobState| places_of(job.client.as_ref()) > places_of(client) + 1;
        let crowding = self.placed().filter(|(_, job)| crowds(job));
        // Turns rotate by client, so a client's only job gets more of them than each of many jobs.
        let patient = self.placed().filter(|(_, job)| {
            job.turns >= TURNS_MIN && places_of(job.client.as_ref()) >= places_of(client)
        });
        let weight = |(_, job): &(u64, &JobState)| (places_of(job.client.as_ref()), job.turns);
        let heaviest = crowding.max_by_key(weight).or_else(|| patient.max_by_key(weight));
        let Some((heaviest, _)) = heaviest else { return false };
        self.displaced.insert(heaviest);
        if let Some((_, granted)) = self.waiting.iter().find(|(id, _)| *id == heaviest) {
            granted.notify_all();
        }
        true
    }

    /// Jobs that are not displaced.
    fn placed(&self) -> impl Iterator<Item = (u64, &JobState)> {
        let all = self.jobs.iter().map(|(id, job)| (*id, job));
        all.filter(|(id, _)| !self.displaced.contains(id))
    }

    fn note_turn(&mut self, id: u64) {
        self.turns += 1;
        let Some(job) = self.jobs.get_mut(&id) else { return };
        job.turns += 1;
        match &job.client {
            Some(client) => client.note_job_turn(self.turns),
            None => self.last_unnamed_turn = self.turns,
        }
    }

    /// Removes the next job: the first of the client whose last turn was longest ago.
    fn pop_next(&mut self) -> Option<(u64, Arc<Condvar>)> {
        let last_turn = |id: &u64| match self.jobs.get(id).and_then(|job| job.client.as_ref()) {
            Some(client) => client.last_job_turn(),
            None => self.last_unnamed_turn,
        };
        let turns = self.waiting.iter().enumerate().map(|(place, (id, _))| (last_turn(id), place));
        let (_, place) = turns.min()?;
        self.waiting.remove(place)
    }
}

fn is_same(one: Option<&ClientAccount>, other: Option<&ClientAccount>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_same_as(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// A job's place in the lane.
struct JobSlot {
    lane: Arc<HeavyLane>,
    id: u64,
}

impl Drop for JobSlot {
    fn drop(&mut self) {
        let mut state = self.lane.state.lock();
        state.jobs.remove(&self.id);
        state.displaced.remove(&self.id);
        if state.jobs.is_empty() {
            self.lane.is_empty.notify_all();
        }
    }
}

/// A job's right to compute.
pub(crate) struct Turn {
    lane: Arc<HeavyLane>,
    id: u64,
    has_turn: Cell<bool>,
    /// Memory held by the job.
    kept: Cell<usize>,
    /// Whether memory was refused.
    lacks_room: Cell<bool>,
    is_cancelled: Box<dyn Fn() -> bool + Send>,
}

impl Turn {
    /// Passes the turn on and waits for the next. Returns false if the job was cancelled or
    /// displaced, or the lane was closed.
    pub(crate) fn pass(&self) -> bool {
        let mut state = self.lane.state.lock();
        if self.has_turn.get() && !state.waiting.is_empty() {
            self.has_turn.set(false);
            give_to_next(&mut state, self.id);
        }
        if !self.has_turn.get() {
            if state.running.len() < self.lane.turns_max && state.waiting.is_empty() {
                state.running.push(self.id);
            } else {
                let granted = Arc::new(Condvar::new());
                state.waiting.push_back((self.id, Arc::clone(&granted)));
                while !state.running.contains(&self.id)
                    && !state.is_closed
                    && !state.displaced.contains(&self.id)
                {
                    state = granted.wait(state);
                }
                state.waiting.retain(|(id, _)| *id != self.id);
            }
            self.has_turn.set(state.running.contains(&self.id));
        }
        state.note_turn(self.id);
        let is_displaced = state.displaced.contains(&self.id);
        !state.is_closed && !is_displaced && !(self.is_cancelled)()
    }

    /// Replaces [`Error::Closed`] with [`Error::Overloaded`] if the job was displaced or memory was
    /// short.
    pub(crate) fn explain<A>(&self, outcome: Result<A>) -> Result<A> {
        let is_displaced = || self.lane.state.lock().displaced.contains(&self.id);
        match outcome {
            Err(Error::Closed) if self.lacks_room.get() || is_displaced() => Err(Error::Overloaded),
            outcome => outcome,
        }
    }

    /// Reserves memory for the job.
    fn grant(&self, bytes: usize) -> bool {
        let mut state = self.lane.state.lock();
        let is_alone = state.kept == self.kept.get();
        let has_room = is_alone || state.kept + bytes <= KEPT_MAX;
        if has_room {
            state.kept += bytes;
            self.kept.set(self.kept.get() + bytes);
        }
        drop(state);
        self.lacks_room.set(!has_room);
        has_room
    }

    fn release(&self, bytes: usize) {
        let bytes = bytes.min(self.kept.get());
        self.kept.set(self.kept.get() - bytes);
        self.lane.state.lock().kept -= bytes;
    }

    /// Releases all memory of the job.
    pub(crate) fn start_over(&self) {
        self.release(self.kept.get());
    }

    /// The job's memory, which stays reserved until the answer is taken.
    fn hand_over(&self) -> Kept {
        Kept { lane: Arc::clone(&self.lane), bytes: self.kept.take() }
    }

    /// Passes the turn on while this job waits for something else, or is done.
    pub(crate) fn give_back(&self) {
        if self.has_turn.take() {
            give_to_next(&mut self.lane.state.lock(), self.id);
        }
    }
}

/// A memory reservation, released on drop.
struct Kept {
    lane: Arc<HeavyLane>,
    bytes: usize,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.lane.state.lock().kept -= self.bytes;
    }
}

impl Supply for &Turn {
    fn pause(&mut self) -> bool {
        self.pass()
    }

    fn grant(&mut self, bytes: usize) -> bool {
        (**self).grant(bytes)
    }

    fn release(&mut self, bytes: usize) {
        (**self).release(bytes);
    }
}

fn give_to_next(state: &mut State, id: u64) {
    state.running.retain(|own| *own != id);
    if let Some((next, granted)) = state.pop_next() {
        state.running.push(next);
        granted.notify_one();
    }
}

/// The answer of a job. Dropping it cancels the job at the end of its slice.
pub(crate) struct Job<A> {
    shared: Arc<Shared<A>>,
}

struct Shared<A> {
    progress: Mutex<Progress<A>>,
    is_cancelled: AtomicBool,
}

enum Progress<A> {
    Waiting(Option<Waker>),
    /// The memory stays reserved until the answer is taken.
    Done(Result<A>, Kept),
    Taken,
}

impl<A> Shared<A> {
    fn finish(&self, outcome: Result<A>, kept: Kept) {
        let done = Progress::Done(outcome, kept);
        let before = std::mem::replace(&mut *self.progress.lock(), done);
        if let Progress::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<A> Future for Job<A> {
    type Output = Result<A>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<A>> {
        let mut progress = self.shared.progress.lock();
        match std::mem::replace(&mut *progress, Progress::Taken) {
            Progress::Done(outcome, kept) => {
                drop(kept);
                Poll::Ready(outcome)
            }
            // Polling again after completion stays pending.
            Progress::Taken => Poll::Pending,
            Progress::Waiting(_) => {
                *progress = Progress::Waiting(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl<A> Drop for Job<A> {
    fn drop(&mut self) {
        self.shared.is_cancelled.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    /// Far longer than anything here takes.
    const FOR_EVER: Duration = Duration::from_secs(120);

    fn wait_for<A>(job: Job<A>) -> Result<A> {
        let mut job = job;
        let deadline = Instant::now() + FOR_EVER;
        loop {
            match Pin::new(&mut job).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => assert!(Instant::now() < deadline, "no answer"),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_jobs_keep_has_a_bound_and_ends_with_the_answer() {
        let lane = HeavyLane::with_turns(1);
        let kept = |lane: &HeavyLane| lane.state.lock().kept;
        let keep = |bytes: usize| {
            let job = lane.start(None, move |turn: &Turn| {
                let mut supply = turn;
                let is_granted = Supply::grant(&mut supply, bytes);
                turn.explain(if is_granted { Ok(()) } else { Err(Error::Closed) })
            });
            let job = job.unwrap();
            let deadline = Instant::now() + FOR_EVER;
            while matches!(&*job.shared.progress.lock(), Progress::Waiting(_)) {
                assert!(Instant::now() < deadline, "no answer");
                std::thread::sleep(Duration::from_millis(1));
            }
            job
        };
        let first = keep(KEPT_MAX - 10);
        assert!(matches!(wait_for(keep(11)), Err(Error::Overloaded)));
        let second = keep(10);
        assert_eq!(kept(&lane), KEPT_MAX);
        wait_for(first).unwrap();
        assert_eq!(kept(&lane), 10);
        drop(second);
        assert_eq!(kept(&lane), 0);
        // A job that is alone may exceed the limit; otherwise it could never run.
        drop(keep(2 * KEPT_MAX));
        assert_eq!(kept(&lane), 0);
        // Released memory no longer counts.
        let job = lane.start(None, |turn: &Turn| {
            let mut supply = turn;
            assert!(Supply::grant(&mut supply, KEPT_MAX));
            Supply::release(&mut supply, 100);
            assert!(Supply::grant(&mut supply, 100));
            supply.start_over();
            assert!(Supply::grant(&mut supply, KEPT_MAX));
            Ok(())
        });
        wait_for(job.unwrap()).unwrap();
    }

    #[test]
    fn jobs_take_turns() {
        const JOBS: u64 = 3;
        const SLICES: usize = 50;
        let lane = HeavyLane::with_turns(1);
        let (sender, turns) = mpsc::channel();
        // All jobs start together.
        let barrier = Arc::new(std::sync::Barrier::new(JOBS as usize));
        let jobs: Vec<_> = (0..JOBS)
            .map(|number| {
                let (sender, barrier) = (sender.clone(), Arc::clone(&barrier));
                lane.start(None, move |turn| {
                    barrier.wait();
                    for _ in 0..SLICES {
                        assert!(turn.pass());
                        std::thread::sleep(Duration::from_millis(1));
                        sender.send(number).unwrap();
                    }
                    Ok(number)
                })
                .unwrap()
            })
            .collect();
        for (number, job) in jobs.into_iter().enumerate() {
            assert_eq!(wait_for(job).unwrap(), number as u64);
        }
        drop(sender);
        let turns: Vec<u64> = turns.iter().collect();
        assert_eq!(turns.len(), JOBS as usize * SLICES);
        // At the start some jobs may be missing, and at the end some are done.
        let middle = &turns[turns.len() / 4..turns.len() * 3 / 4];
        for three in middle.windows(JOBS as usize) {
            let mut three = three.to_vec();
            three.sort_unstable();
            assert_eq!(three, [0, 1, 2], "{turns:?}");
        }
    }

    /// Regression: turns went by job, so a client with many jobs crowded out one with a single job.
    #[test]
    fn turns_go_from_client_to_client() {
        const SLICES: usize = 50;
        let lane = HeavyLane::with_turns(1);
        let (greedy, modest) = (ClientAccount::default(), ClientAccount::default());
        let (sender, turns) = mpsc::channel();
        let clients = [&greedy, &greedy, &greedy, &modest];
        let barrier = Arc::new(std::sync::Barrier::new(clients.len()));
        let jobs = clients.map(|client| {
            let (sender, barrier) = (sender.clone(), Arc::clone(&barrier));
            let is_modest = client.is_same_as(&modest);
            let work = move |turn: &Turn| {
                barrier.wait();
                for _ in 0..SLICES {
                    assert!(turn.pass());
                    std::thread::sleep(Duration::from_millis(1));
                    sender.send(is_modest).unwrap();
                }
                Ok(())
            };
            lane.start(Some(client), work).unwrap()
        });
        jobs.into_iter().for_each(|job| wait_for(job).unwrap());
        drop(sender);
        let turns: Vec<bool> = turns.iter().collect();
        // Once all have started, every second turn goes to the modest client.
        let modest: Vec<usize> =
            turns.iter().enumerate().filter(|(_, is_modest)| **is_modest).map(|it| it.0).collect();
        let greedy_between = modest.windows(2).map(|two| two[1] - two[0] - 1);
        assert!(greedy_between.clone().all(|count| count <= 1), "{turns:?}");
        assert!(greedy_between.sum::<usize>() >= SLICES / 2, "{turns:?}");
    }

    /// Regression: a client without jobs went first, so new connections starved all others.
    #[test]
    fn new_clients_do_not_come_before_those_who_wait() {
        let lane = HeavyLane::with_turns(1);
        let old = ClientAccount::default();
        let (sender, turns) = mpsc::channel();
        let count = |name: char| {
            let sender = sender.clone();
            move |turn: &Turn| {
                while turn.pass() && sender.send(name).is_ok() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                turn.explain(Err::<(), _>(Error::Closed))
            }
        };
        let job = lane.start(Some(&old), count('o')).unwrap();
        // Each turn brings a new client, which gets one turn.
        let (mut others, mut order) = (Vec::new(), String::new());
        while order.len() < 60 {
            order.push(turns.recv_timeout(FOR_EVER).unwrap());
            let sender = sender.clone();
            others.push(lane.start(Some(&ClientAccount::default()), move |turn| {
                let has_turn = turn.pass();
                let _ = sender.send('n');
                std::thread::sleep(Duration::from_millis(1));
                Ok(has_turn)
            }));
        }
        drop(job);
        drop(others);
        lane.close();
        assert!(order.matches('o').count() >= 10, "{order}");
    }

    /// Regression: clients that filled the lane kept it until each of their jobs had had 25 turns.
    #[test]
    fn a_client_without_a_place_gets_one_of_the_client_with_most() {
        let lane = HeavyLane::with_turns(1);
        let clients =
            [ClientAccount::default(), ClientAccount::default(), ClientAccount::default()];
        // No job gets a turn, so none has had enough to be displaced for that.
        let (begin, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let endless = |client: &ClientAccount| {
            let wait = Arc::clone(&wait);
            lane.start(Some(client), move |turn| {
                let _ = wait.lock().recv();
                while turn.pass() {}
                turn.explain(Err::<(), _>(Error::Closed))
            })
        };
        let few: Vec<_> = (0..2).map(|_| endless(&clients[1]).unwrap()).collect();
        let many: Vec<_> = (2..JOBS_MAX).map(|_| endless(&clients[0]).unwrap()).collect();
        assert!(matches!(endless(&clients[0]), Err(Error::Overloaded)));
        let late = endless(&clients[2]).unwrap();
        drop(begin);
        lane.close();
        let displaced =
            |jobs: Vec<Job<()>>| jobs.into_iter().map(wait_for).filter(is_displaced).count();
        assert_eq!([displaced(many), displaced(few), displaced(vec![late])], [1, 0, 0]);
    }

    /// Regression: turns rotate by client, so a client's only job had the most turns and was
    /// displaced by the client that held all other places.
    #[test]
    fn whoever_has_one_place_keeps_it() {
        let mut state = State::default();
        let (greedy, modest) = (ClientAccount::default(), ClientAccount::default());
        let mut add = |id: u64, client: &ClientAccount, turns: u32| {
            state.jobs.insert(id, JobState { client: Some(client.clone()), turns });
        };
        add(0, &modest, 1000);
        (1..JOBS_MAX as u64).for_each(|id| add(id, &greedy, 30 + id as u32));
        assert!(state.displace_for(Some(&greedy)));
        assert!(!state.displaced.contains(&0));
        assert!(state.displaced.contains(&(JOBS_MAX as u64 - 1)));
    }

    fn is_displaced(outcome: &Result<()>) -> bool {
        matches!(outcome, Err(Error::Overloaded))
    }

    #[test]
    fn a_job_that_nobody_waits_for_ends() {
        let lane = HeavyLane::with_turns(1);
        let (sender, ended) = mpsc::channel();
        let job = lane.start(None, move |turn| {
            while turn.pass() {}
            sender.send(()).unwrap();
            Ok(())
        });
        drop(job.unwrap());
        ended.recv_timeout(FOR_EVER).unwrap();
    }

    /// Regression: 64 endless requests blocked the lane for all others.
    #[test]
    fn the_heaviest_job_makes_room_for_a_new_one() {
        let lane = HeavyLane::with_turns(1);
        let endless = || {
            lane.start(None, |turn| {
                while turn.pass() {}
                turn.explain(Err::<(), _>(Error::Closed))
            })
        };
        let jobs: Vec<_> = (0..JOBS_MAX).map(|_| endless().unwrap()).collect();
        for _ in 0..20 {
            let deadline = Instant::now() + FOR_EVER;
            let light = loop {
                // At the very beginning no job has had enough turns.
                match lane.start(None, |turn| Ok(turn.pass())) {
                    Ok(job) => break job,
                    Err(_) => assert!(Instant::now() < deadline, "no place"),
                }
            };
            assert!(wait_for(light).unwrap());
            drop(endless());
        }
        let mut displaced = 0;
        lane.close();
        for job in jobs {
            displaced += usize::from(matches!(wait_for(job), Err(Error::Overloaded)));
        }
        assert!(displaced >= 1);
    }

    #[test]
    fn a_full_lane_refuses_and_closing_ends_all_jobs() {
        let lane = HeavyLane::with_turns(1);
        // No job gets a turn, so none has had enough to be displaced.
        let (begin, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        let endless = || {
            let wait = Arc::clone(&wait);
            lane.start(None, move |turn| {
                let _ = wait.lock().recv();
                while turn.pass() {}
                Err::<(), _>(Error::Closed)
            })
        };
        let jobs: Vec<_> = (0..JOBS_MAX).map(|_| endless().unwrap()).collect();
        assert!(matches!(endless(), Err(Error::Overloaded)));
        drop(begin);
        lane.close();
        for job in jobs {
            assert!(matches!(wait_for(job), Err(Error::Closed)));
        }
        assert!(matches!(endless(), Err(Error::Closed)));
    }

    #[test]
    fn a_panic_is_an_error_and_its_turn_is_free_again() {
        let lane = HeavyLane::with_turns(1);
        let job = lane.start(None, |turn| -> Result<()> {
            turn.pass();
            panic!("a planted mistake");
        });
        assert!(matches!(wait_for(job.unwrap()), Err(Error::Panicked)));
        let job = lane.start(None, |turn| Ok(turn.pass()));
        assert!(wait_for(job.unwrap()).unwrap());
        lane.close();
    }
}
