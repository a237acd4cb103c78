//! The commit queue: whoever finds it free leads, and answers all who came meanwhile.
//!
//! A command that finds nobody leading is carried out by its own thread, at once, together
//! with whatever waits already. Commands that come while a group is being committed wait, and
//! become the next group, so that a thousand waiting writers cost one fsync. The order of the
//! queue is the order of the writes.
//!
//! While the queue holds more than one commit takes, clients share it by weighted fair queuing with
//! equal weights: commands run in the order of their finish tags, which are their start tags and what
//! they are estimated to cost. Commands of one client stay in their order.

use crate::client::ClientAccount;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::vec::IntoIter;

/// How many commands may wait. A bound, so that a disk that has become slow shows as refused
/// requests and not as memory; large, because a waiting command costs little.
pub(crate) const WAITING_MAX: usize = 16_384;
/// How many commands one group may hold: beyond this an fsync is no longer what costs.
pub(crate) const GROUP_MAX: usize = 1_024;
/// How often a waiter looks before it sleeps. In memory mode a group takes a few microseconds,
/// less than going to sleep and being woken.
const SPIN_MAX: u32 = 200;
/// How many groups a leader commits for others before it hands over, so that its own caller,
/// whose answer has long been known, does not wait for ever.
const GROUPS_LED_MAX: u32 = 16;
/// How many groups a task's thread leads: it has other tasks to run.
const GROUPS_LED_BY_TASK_MAX: u32 = 2;
/// How many commands of disconnected clients are dropped in one go. Each may hold a large request.
const ABANDONED_MAX: usize = 8;

/// Why the queue does not take a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Too many commands wait already: the caller should try again later.
    Overloaded,
    /// The queue was closed, so that nobody may ever lead again.
    Closed,
}

/// Commands that wait, and who leads.
pub(crate) struct Queue<C, R> {
    state: Mutex<State<C, R>>,
    /// Told when an asynchronous command waits and nobody leads.
    wanted: Condvar,
}

struct State<C, R> {
    waiting: VecDeque<Waiting<C, R>>,
    /// Whether the last commit left commands in the queue.
    is_crowded: bool,
    /// The virtual time: what a client with its fair share has been charged by now. No start tag is
    /// below it, so an idle client saves up no credit.
    virtual_time: u64,
    /// The latest virtual time up to which a client is charged.
    charged_max: u64,
    /// What first commands of clients cost lately. Without it, a thousand new connections with a
    /// large write each would come before a client that is known for small ones.
    first_cost: u64,
    is_led: bool,
    is_closed: bool,
}

/// A command that waits.
struct Waiting<C, R> {
    command: C,
    ticket: Ticket<R>,
}

/// Whose command it is, and where the answer goes.
struct Ticket<R> {
    client: Option<ClientAccount>,
    slot: Arc<Slot<R>>,
    /// The virtual time when the queue was first seen to be crowded with this in it.
    entered: Option<u64>,
    /// The start and finish tags, while the queue is crowded.
    start_tag: u64,
    finish_tag: u64,
}

impl<R> Ticket<R> {
    /// Whether the command is of a client, and nobody waits for its answer any more.
    fn is_abandoned(&self) -> bool {
        self.client.is_some() && Arc::strong_count(&self.slot) == 1
    }
}

/// The commands of the next commit.
struct Group<C, R> {
    commands: Vec<C>,
    tickets: Vec<Ticket<R>>,
    /// Commands that are not carried out, to be dropped where nobody waits for the lock.
    abandoned: Vec<Waiting<C, R>>,
    /// How many clients wait, if the queue is crowded.
    clients: u64,
}

/// A command that was carried out.
pub(crate) struct Done<R> {
    pub(crate) answer: R,
    /// What it took: 1 for a small write.
    pub(crate) cost: u64,
}

/// Carries out the first of a group's commands, at least one. Returns one result for each command
/// taken, in order; the others wait for the next commit.
pub(crate) trait Lead<C, R>: Fn(&mut IntoIter<C>) -> Vec<Done<R>> {}

impl<C, R, F: Fn(&mut IntoIter<C>) -> Vec<Done<R>>> Lead<C, R> for F {}

/// Where a waiting command finds its answer.
pub(crate) struct Slot<R> {
    /// Whether a thread waits here, which can lead, rather than a task, which cannot.
    is_thread: bool,
    progress: Mutex<Progress<R>>,
    changed: Condvar,
}

enum Progress<R> {
    Waiting(Option<Waker>),
    /// The thread that waits here is to lead now; its command is still in the queue.
    Lead,
    Answered(R),
    /// The answer was taken.
    Taken,
}

/// Locks are held only for moves of values, which do not panic; so a poisoned lock is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R> Slot<R> {
    fn new(is_thread: bool) -> Arc<Self> {
        let progress = Mutex::new(Progress::Waiting(None));
        Arc::new(Self { is_thread, progress, changed: Condvar::new() })
    }

    fn set(&self, progress: Progress<R>) {
        let before = std::mem::replace(&mut *lock(&self.progress), progress);
        self.changed.notify_one();
        if let Progress::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    /// Waits until there is an answer, or `None` when this thread is to lead.
    fn wait(&self) -> Option<R> {
        for _ in 0..SPIN_MAX {
            if let Ok(mut progress) = self.progress.try_lock()
                && !matches!(*progress, Progress::Waiting(_))
            {
                return Self::take(&mut progress);
            }
            std::hint::spin_loop();
        }
        let mut progress = lock(&self.progress);
        while matches!(*progress, Progress::Waiting(_)) {
            progress = self.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        Self::take(&mut progress)
    }

    fn take(progress: &mut Progress<R>) -> Option<R> {
        match std::mem::replace(progress, Progress::Taken) {
            Progress::Answered(answer) => Some(answer),
            Progress::Lead => {
                *progress = Progress::Waiting(None);
                None
            }
            Progress::Waiting(_) | Progress::Taken => None,
        }
    }
}

impl<C, R> State<C, R> {
    fn push(
        &mut self,
        command: C,
        client: Option<&ClientAccount>,
        is_thread: bool,
    ) -> Result<Arc<Slot<R>>, Refused> {
        if self.is_closed {
            return Err(Refused::Closed);
        }
        if self.waiting.len() >= WAITING_MAX {
            return Err(Refused::Overloaded);
        }
        let slot = Slot::new(is_thread);
        let ticket = Ticket {
            client: client.cloned(),
            slot: Arc::clone(&slot),
            entered: None,
            start_tag: 0,
            finish_tag: 0,
        };
        self.waiting.push_back(Waiting { command, ticket });
        Ok(slot)
    }

    /// Takes the commands of the next commit.
    fn take_group(&mut self) -> Group<C, R> {
        self.is_crowded |= self.waiting.len() > GROUP_MAX;
        let (abandoned, clients) = match self.is_crowded {
            true => (self.take_abandoned(), self.order_by_client()),
            false => (Vec::new(), 0),
        };
        let len = self.waiting.len().min(GROUP_MAX);
        let next = self.waiting.drain(..len).map(|waiting| (waiting.command, waiting.ticket));
        let (commands, tickets) = next.unzip();
        Group { commands, tickets, abandoned, clients }
    }

    /// Removes some commands of disconnected clients; they are not carried out.
    #[cold]
    fn take_abandoned(&mut self) -> Vec<Waiting<C, R>> {
        let mut abandoned = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            match abandoned.len() < ABANDONED_MAX && waiting.ticket.is_abandoned() {
                true => abandoned.push(waiting),
                false => self.waiting.push_back(waiting),
            }
        }
        abandoned
    }

    /// Sorts the queue by finish tag. A client's first command starts where the client is charged up
    /// to, each further one after the estimated cost of the one before. Returns the number of
    /// clients that wait.
    #[cold]
    fn order_by_client(&mut self) -> u64 {
        for waiting in &self.waiting {
            if let Some(client) = &waiting.ticket.client {
                client.reset_tags();
            }
        }
        let mut clients = 0;
        for Waiting { ticket, .. } in &mut self.waiting {
            // Who waits already keeps its start, however far the virtual time advances meanwhile.
            let entered = *ticket.entered.get_or_insert(self.virtual_time);
            // Commands of the process itself have no client.
            let tag =
                ticket.client.as_ref().map(|client| client.next_tag(entered, self.first_cost));
            clients += u64::from(tag.is_some_and(|tag| tag.is_first));
            let (start, cost) = tag.map_or((entered, self.first_cost), |tag| (tag.start, tag.cost));
            (ticket.start_tag, ticket.finish_tag) = (start, start.saturating_add(cost));
        }
        self.waiting.make_contiguous().sort_by_key(|waiting| waiting.ticket.finish_tag);
        if let Some(first) = self.waiting.front() {
            self.virtual_time = self.virtual_time.max(first.ticket.start_tag);
        }
        clients
    }

    /// Whether a thread waits, which can lead. At a server these are heavy writes and maintenance.
    fn has_waiting_thread(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.ticket.slot.is_thread)
    }

    /// Charges the commands that were carried out, and puts the others back.
    fn settle(
        &mut self,
        done: Vec<(ClientAccount, u64)>,
        left: impl DoubleEndedIterator<Item = (C, Ticket<R>)>,
    ) {
        let mut is_left = false;
        for (client, cost) in done {
            self.charged_max = self.charged_max.max(client.charge(self.virtual_time, cost));
        }
        for (command, ticket) in left.rev() {
            self.waiting.push_front(Waiting { command, ticket });
            is_left = true;
        }
        let was_crowded = std::mem::replace(&mut self.is_crowded, is_left);
        self.is_crowded |= self.waiting.len() > GROUP_MAX;
        if was_crowded && !self.is_crowded {
            // The queue is no longer crowded: nobody is ahead of the virtual time.
            self.virtual_time = self.charged_max;
        }
    }
}

impl<C, R> Queue<C, R> {
    pub(crate) fn new() -> Self {
        let state = State {
            waiting: VecDeque::new(),
            is_crowded: false,
            virtual_time: 0,
            charged_max: 0,
            first_cost: 1,
            is_led: false,
            is_closed: false,
        };
        Self { state: Mutex::new(state), wanted: Condvar::new() }
    }

    /// Carries out a command, or waits until another thread has.
    pub(crate) fn submit(
        &self,
        command: C,
        client: Option<&ClientAccount>,
        lead: impl Lead<C, R>,
    ) -> Result<R, Refused> {
        match self.begin(command, client, &lead, true)? {
            Answer::Ready(answer) => answer.ok_or(Refused::Closed),
            Answer::Waiting(slot) => Ok(loop {
                match slot.wait() {
                    Some(answer) => break answer,
                    None => self.lead(&lead, true),
                }
            }),
        }
    }

    /// Like [`Queue::submit`] for a task: its thread leads if nobody does, but never waits for
    /// another leader. For groups that take no longer than a task may run between two rests.
    pub(crate) fn submit_prompt(
        &self,
        command: C,
        client: Option<&ClientAccount>,
        lead: impl Lead<C, R>,
    ) -> Result<Answer<R>, Refused> {
        self.begin(command, client, &lead, false)
    }

    /// Leads if nobody does. What comes out is the answer, if this thread has carried the command
    /// out, or where the answer will be.
    fn begin(
        &self,
        command: C,
        client: Option<&ClientAccount>,
        lead: &impl Lead<C, R>,
        is_thread: bool,
    ) -> Result<Answer<R>, Refused> {
        let mut state = lock(&self.state);
        if state.is_led || !state.waiting.is_empty() {
            // Someone leads already, or asynchronous commands wait for somebody to.
            let slot = state.push(command, client, is_thread)?;
            let must_lead = !std::mem::replace(&mut state.is_led, true);
            drop(state);
            if must_lead {
                self.lead(lead, is_thread);
            }
            return Ok(Answer::Waiting(slot));
        }
        // The quiet case, and the fast one: nobody leads and nobody waits.
        state.is_led = true;
        drop(state);
        let done = lead(&mut vec![command].into_iter()).pop();
        if let (Some(done), Some(client)) = (&done, client) {
            client.note_cost(done.cost);
        }
        self.lead(lead, is_thread);
        Ok(Answer::Ready(done.map(|done| done.answer)))
    }

    /// Puts a command into the queue; the future is its answer. Somebody must call
    /// [`Queue::lead_when_wanted`] in a thread of its own.
    pub(crate) fn submit_async(
        &self,
        command: C,
        client: Option<&ClientAccount>,
    ) -> Result<Answer<R>, Refused> {
        let mut state = lock(&self.state);
        let slot = state.push(command, client, false)?;
        if !state.is_led {
            self.wanted.notify_one();
        }
        Ok(Answer::Waiting(slot))
    }

    /// Commits groups until nobody waits, or until enough were led and the first of those who wait
    /// can take over. The caller has set `is_led`.
    fn lead(&self, lead: &impl Lead<C, R>, is_thread: bool) {
        let mut groups_led = 0;
        let mut state = lock(&self.state);
        loop {
            let Some(first) = state.waiting.front() else {
                state.is_led = false;
                if state.is_closed {
                    // The thread that leads for tasks may wait for this, and for nothing else.
                    self.wanted.notify_all();
                }
                return;
            };
            // A task's thread also serves other connections, so it leaves large and heavy writes to
            // other threads.
            let led_max = match is_thread {
                true => GROUPS_LED_MAX,
                false if state.is_crowded || state.has_waiting_thread() => 0,
                false => GROUPS_LED_BY_TASK_MAX,
            };
            if groups_led >= led_max {
                let heir = Arc::clone(&first.ticket.slot);
                if heir.is_thread {
                    // Leadership passes on: `is_led` stays set.
                    drop(state);
                    heir.set(Progress::Lead);
                } else {
                    state.is_led = false;
                    self.wanted.notify_one();
                }
                return;
            }
            let Group { commands, tickets, abandoned, clients } = state.take_group();
            let was_crowded = state.is_crowded;
            drop(state);
            drop(abandoned);
            if commands.is_empty() {
                // All who waited are gone.
                state = lock(&self.state);
                continue;
            }
            let mut commands = commands.into_iter();
            let mut tickets = tickets.into_iter();
            let answered = lead(&mut commands);
            let counts = was_crowded || commands.len() > 0;
            let mut total = 0;
            let mut first_cost = None;
            let mut done = Vec::new();
            for (Done { answer, cost }, Ticket { client, slot, .. }) in
                answered.into_iter().zip(&mut tickets)
            {
                slot.set(Progress::Answered(answer));
                total += cost;
                let Some(client) = client else { continue };
                if client.note_cost(cost) {
                    first_cost = first_cost.max(Some(cost));
                }
                if counts {
                    done.push((client, cost));
                }
            }
            state = lock(&self.state);
            if let Some(cost) = first_cost {
                // Halfway to the newest, so that what was long ago is soon forgotten.
                state.first_cost = (state.first_cost + cost).div_ceil(2);
            }
            if was_crowded {
                state.virtual_time += total / (1 + clients);
                state.charged_max = state.charged_max.max(state.virtual_time);
            }
            state.settle(done, commands.zip(tickets));
            groups_led += 1;
        }
    }

    /// Leads for asynchronous commands whenever nobody else does, until the queue is closed.
    pub(crate) fn lead_when_wanted(&self, lead: impl Lead<C, R>) {
        loop {
            let mut state = lock(&self.state);
            while state.is_led || state.waiting.is_empty() {
                if state.is_closed && state.waiting.is_empty() {
                    return;
                }
                state = self.wanted.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.is_led = true;
            drop(state);
            self.lead(&lead, true);
        }
    }

    /// How many commands wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.state).waiting.len()
    }

    /// Lets [`Queue::lead_when_wanted`] return once nobody waits.
    pub(crate) fn close(&self) {
        lock(&self.state).is_closed = true;
        self.wanted.notify_all();
    }
}

/// The answer to a command that was put into the queue.
pub(crate) enum Answer<R> {
    /// Known at once.
    Ready(Option<R>),
    /// Still to come.
    Waiting(Arc<Slot<R>>),
}

/// Nothing in an answer is ever borrowed from itself.
impl<R> Unpin for Answer<R> {}

impl<R> Future for Answer<R> {
    type Output = R;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        let slot = match self.get_mut() {
            // Whoever asks again after having been told waits for ever, as with every future.
            Self::Ready(answer) => return answer.take().map_or(Poll::Pending, Poll::Ready),
            Self::Waiting(slot) => slot,
        };
        let mut progress = lock(&slot.progress);
        match std::mem::replace(&mut *progress, Progress::Taken) {
            Progress::Answered(answer) => Poll::Ready(answer),
            _ => {
                *progress = Progress::Waiting(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// Commands are numbers; the answer to each is the sum of all before it and itself.
    #[derive(Default)]
    struct Sums {
        /// How many one commit takes, if that has a bound.
        most: Option<usize>,
        total: Mutex<u64>,
        groups: AtomicUsize,
        is_leading: Mutex<()>,
    }

    impl Sums {
        fn lead(&self, group: &mut IntoIter<u64>) -> Vec<Done<u64>> {
            let _only_one = self.is_leading.try_lock().expect("two lead at once");
            self.groups.fetch_add(1, Ordering::Relaxed);
            let mut total = lock(&self.total);
            group
                .take(self.most.unwrap_or(usize::MAX))
                .map(|number| {
                    *total += number;
                    Done { answer: *total, cost: 1 }
                })
                .collect()
        }
    }

    #[test]
    fn every_command_is_carried_out_once_and_answered() {
        let queue = Queue::new();
        let sums = Sums::default();
        let mut answers: Vec<u64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        (0..5_000)
                            .map(|_| queue.submit(1, None, |group| sums.lead(group)).unwrap())
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        answers.sort_unstable();
        assert_eq!(answers, (1..=40_000).collect::<Vec<_>>());
    }

    #[test]
    fn those_who_wait_share_a_group() {
        let queue = Queue::new();
        let sums = Sums::default();
        let gate = Mutex::new(());
        thread::scope(|scope| {
            let (queue, sums, gate) = (&queue, &sums, &gate);
            let closed = lock(gate);
            let first = scope.spawn(move || {
                queue.submit(1, None, |group| {
                    drop(lock(gate));
                    sums.lead(group)
                })
            });
            while !lock(&queue.state).is_led {
                thread::yield_now();
            }
            let rest: Vec<_> = (0..100)
                .map(|_| scope.spawn(|| queue.submit(1, None, |group| sums.lead(group))))
                .collect();
            while lock(&queue.state).waiting.len() < 100 {
                thread::yield_now();
            }
            drop(closed);
            assert_eq!(first.join().unwrap(), Ok(1));
            for thread in rest {
                assert!(thread.join().unwrap().is_ok());
            }
        });
        assert_eq!(sums.groups.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn tasks_and_threads_share_the_queue() {
        share_the_queue(Sums::default());
    }

    #[test]
    fn tasks_and_threads_share_a_queue_that_is_crowded() {
        share_the_queue(Sums { most: Some(2), ..Sums::default() });
    }

    fn share_the_queue(sums: Sums) {
        struct Unpark(thread::Thread);
        impl std::task::Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
            let waker = Waker::from(Arc::new(Unpark(thread::current())));
            loop {
                match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
                    Poll::Ready(output) => return output,
                    Poll::Pending => thread::park(),
                }
            }
        }
        let queue = Queue::new();
        let clients = [ClientAccount::default(), ClientAccount::default()];
        thread::scope(|scope| {
            let (queue, sums, clients) = (&queue, &sums, &clients);
            let leader = scope.spawn(|| queue.lead_when_wanted(|group| sums.lead(group)));
            let workers: Vec<_> = (0..6)
                .map(|worker| {
                    scope.spawn(move || {
                        let client = clients.get(worker % 4);
                        for _ in 0..3_000 {
                            match worker % 3 {
                                0 => _ = queue.submit(1, client, |group| sums.lead(group)).unwrap(),
                                1 => _ = block_on(queue.submit_async(1, client).unwrap()),
                                _ => {
                                    let prompt =
                                        queue.submit_prompt(1, client, |group| sums.lead(group));
                                    block_on(prompt.unwrap());
                                }
                            }
                        }
                    })
                })
                .collect();
            for worker in workers {
                worker.join().unwrap();
            }
            queue.close();
            leader.join().unwrap();
        });
        assert_eq!(*lock(&sums.total), 18_000);
    }

    /// Carries out commands, which are names and costs, until they cost enough; notes the names.
    fn lead_some(order: &Mutex<Vec<char>>, group: &mut IntoIter<(char, u64)>) -> Vec<Done<()>> {
        let mut done = Vec::new();
        for (name, cost) in group {
            lock(order).push(name);
            done.push(Done { answer: (), cost });
            if done.iter().map(|done| done.cost).sum::<u64>() >= 10 {
                break;
            }
        }
        done
    }

    /// Before: a thousand large writes of one client delayed everybody's.
    #[test]
    fn clients_take_turns_when_more_waits_than_one_commit_takes() {
        let queue = Queue::new();
        let order = Mutex::default();
        let (greedy, large, small) =
            (ClientAccount::default(), ClientAccount::default(), ClientAccount::default());
        let mut waiting = Vec::new();
        let mut push = |name, cost, client: &ClientAccount| {
            waiting.push(queue.submit_async((name, cost), Some(client)).unwrap());
        };
        (0..6).for_each(|_| push('g', 10, &greedy));
        (0..2).for_each(|_| push('l', 10, &large));
        (0..3).for_each(|_| push('s', 1, &small));
        lock(&queue.state).is_led = true;
        queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
        // The first commit shows that it is crowded. From then on those who have cost less come
        // first, and nobody knows yet what they cost.
        let order = lock(&order).iter().collect::<String>();
        assert_eq!(order, "glsssglgggg");
        assert!(!lock(&queue.state).is_crowded);
    }

    /// Before: a thousand connections that were new had a large write each carried out before a small
    /// one of a client that was there already.
    #[test]
    fn whoever_is_known_for_small_writes_comes_before_new_clients_with_large_ones() {
        let queue = Queue::new();
        let order = Mutex::default();
        let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
        let known = ClientAccount::default();
        assert!(matches!(queue.submit_prompt(('k', 1), Some(&known), lead), Ok(Answer::Ready(_))));
        let strangers: Vec<_> = (0..20).map(|_| ClientAccount::default()).collect();
        let mut waiting: Vec<_> = strangers
            .iter()
            .map(|stranger| queue.submit_async(('n', 10), Some(stranger)).unwrap())
            .collect();
        waiting.push(queue.submit_async(('k', 1), Some(&known)).unwrap());
        while !lock(&queue.state).waiting.is_empty() {
            lock(&queue.state).is_led = true;
            queue.lead(&lead, true);
        }
        // The first commit shows that it is crowded.
        let order: String = lock(&order).iter().collect();
        assert!(order.starts_with("knk"), "{order}");
        assert_eq!(order.len(), 22);
    }

    /// Whoever is known for small writes comes first until it had as much as the large one costs, and
    /// not for ever.
    #[test]
    fn large_writes_of_new_clients_have_their_turn_beside_small_ones() {
        let queue = Queue::new();
        let order: Mutex<Vec<char>> = Mutex::default();
        let small: Vec<_> = (0..12).map(|_| ClientAccount::default()).collect();
        small.iter().for_each(|client| _ = client.note_cost(1));
        let large = ClientAccount::default();
        let waiting = Mutex::new(Vec::new());
        let push = |name, cost, client: &ClientAccount| {
            lock(&waiting).push(queue.submit_async((name, cost), Some(client)).unwrap());
        };
        lock(&queue.state).first_cost = 10;
        lock(&queue.state).is_crowded = true;
        push('l', 10, &large);
        // With each commit come more small writes than it takes.
        let lead = |group: &mut IntoIter<_>| {
            small.iter().filter(|_| lock(&order).len() < 200).for_each(|own| push('s', 1, own));
            lead_some(&order, group)
        };
        small.iter().for_each(|own| push('s', 1, own));
        while !lock(&queue.state).waiting.is_empty() {
            lock(&queue.state).is_led = true;
            queue.lead(&lead, true);
        }
        let order: String = lock(&order).iter().collect();
        let fair = 10 * small.len();
        assert!(order.find('l').is_some_and(|place| place < fair + 2 * small.len()), "{order}");
    }

    #[test]
    fn who_was_away_has_nothing_saved_up() {
        let queue = Queue::new();
        let order = Mutex::default();
        let (early, late) = (ClientAccount::default(), ClientAccount::default());
        let mut waiting = Vec::new();
        let mut push = |name, client: &ClientAccount| {
            waiting.push(queue.submit_async((name, 10), Some(client)).unwrap());
        };
        let lead = || {
            lock(&queue.state).is_led = true;
            queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
            std::mem::take(&mut *lock(&order)).into_iter().collect::<String>()
        };
        (0..5).for_each(|_| push('e', &early));
        assert_eq!(lead(), "eeeee");
        (0..3).for_each(|_| push('e', &early));
        (0..3).for_each(|_| push('l', &late));
        assert_eq!(lead(), "elelel");
    }

    #[test]
    fn commands_of_clients_that_are_gone_are_not_carried_out() {
        let queue = Queue::new();
        let order = Mutex::default();
        let client = ClientAccount::default();
        let first = queue.submit_async(('a', 10), Some(&client)).unwrap();
        drop(queue.submit_async(('b', 10), Some(&client)).unwrap());
        // The process itself may leave a write to itself.
        drop(queue.submit_async(('c', 10), None).unwrap());
        let last = queue.submit_async(('d', 10), Some(&client)).unwrap();
        lock(&queue.state).is_led = true;
        queue.lead(&|group: &mut IntoIter<_>| lead_some(&order, group), true);
        assert_eq!(lock(&order).iter().collect::<String>(), "acd");
        drop((first, last));
    }

    /// Before: as long as new clients came, nobody else was served.
    #[test]
    fn nobody_waits_for_ever() {
        let queue = Queue::new();
        let order: Mutex<Vec<char>> = Mutex::default();
        let (old, mut waiting) = (ClientAccount::default(), Vec::new());
        let fresh = ClientAccount::default();
        waiting.push(queue.submit_async(('o', 10), Some(&old)).unwrap());
        waiting.push(queue.submit_async(('o', 10), Some(&old)).unwrap());
        waiting.push(queue.submit_async(('f', 10), Some(&fresh)).unwrap());
        let waiting = Mutex::new(waiting);
        // With each commit come one of the process itself, and one of somebody who is new.
        let lead = |group: &mut IntoIter<_>| {
            let both = [('p', None), ('n', Some(ClientAccount::default()))];
            for (name, client) in both.iter().filter(|_| lock(&order).len() < 30) {
                lock(&waiting).push(queue.submit_async((*name, 10), client.as_ref()).unwrap());
            }
            lead_some(&order, group)
        };
        while !lock(&queue.state).waiting.is_empty() {
            lock(&queue.state).is_led = true;
            queue.lead(&lead, true);
        }
        let order: String = lock(&order).iter().collect();
        let last = order.rfind('o').unwrap();
        assert!(last < 20, "{order}");
    }

    proptest! {
        /// Whatever they cost, all commands are carried out, and those of one client in their order.
        #[test]
        fn the_order_of_one_client_stays(
            commands in vec((prop::option::of(0..4_usize), 0..30_u64), 0..100),
            more in vec((prop::option::of(0..4_usize), 0..30_u64), 0..100),
        ) {
            let queue = Queue::new();
            let clients: Vec<ClientAccount> = (0..4).map(|_| ClientAccount::default()).collect();
            let (carried_out, more) = (Mutex::new(Vec::new()), Mutex::new(Some(more)));
            let waiting = Mutex::new(Vec::new());
            let count = Mutex::new(0);
            let push = |commands: Vec<(Option<usize>, u64)>| {
                for (client, cost) in commands {
                    *lock(&count) += 1;
                    let command = (*lock(&count), client, cost);
                    let client = client.and_then(|client| clients.get(client));
                    lock(&waiting).push(queue.submit_async(command, client).unwrap());
                }
            };
            push(commands);
            lock(&queue.state).is_led = true;
            let lead = |group: &mut IntoIter<(usize, Option<usize>, u64)>| {
                // Others come while a commit is under way.
                if let Some(more) = lock(&more).take() {
                    push(more);
                }
                let mut total = 0;
                let mut done = Vec::new();
                for (number, client, cost) in group {
                    lock(&carried_out).push((client, number));
                    done.push(Done { answer: (), cost });
                    total += cost;
                    if total >= 20 {
                        break;
                    }
                }
                done
            };
            queue.lead(&lead, true);
            // The leader hands over after some groups.
            while !lock(&queue.state).waiting.is_empty() {
                lock(&queue.state).is_led = true;
                queue.lead(&lead, true);
            }
            let carried_out = carried_out.into_inner().unwrap();
            prop_assert_eq!(carried_out.len(), *lock(&count));
            for client in [None, Some(0), Some(1), Some(2), Some(3)] {
                let own: Vec<usize> =
                    carried_out.iter().filter(|(of, _)| *of == client).map(|(_, n)| *n).collect();
                prop_assert!(own.is_sorted(), "{:?}", own);
            }
        }
    }

    /// A thread that serves sockets led groups of large writes for as long as there were any.
    #[test]
    fn a_task_leads_no_crowded_queue() {
        let queue = Queue::new();
        let order = Mutex::default();
        let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
        let waiting: Vec<_> =
            (0..3).map(|_| queue.submit_async(('w', 10), None).unwrap()).collect();
        drop(queue.submit_prompt(('p', 10), None, lead).unwrap());
        assert_eq!(*lock(&order), ['w']);
        assert!(!lock(&queue.state).is_led, "the thread that leads for tasks is told");
        drop(waiting);
    }

    /// Before: a thread that serves sockets could lead a heavy write, whose thread waited beside it.
    #[test]
    fn a_task_leaves_the_lead_to_a_thread_that_waits() {
        let queue = Queue::new();
        let order = Mutex::default();
        let lead = |group: &mut IntoIter<_>| lead_some(&order, group);
        let mut state = lock(&queue.state);
        let thread = state.push(('t', 10), None, true).unwrap();
        drop(state);
        let task = queue.submit_prompt(('p', 1), None, lead).unwrap();
        assert!(lock(&order).is_empty(), "the task led");
        assert!(matches!(*lock(&thread.progress), Progress::Lead));
        assert!(thread.wait().is_none());
        queue.lead(&lead, true);
        assert_eq!(*lock(&order), ['t', 'p']);
        drop(task);
    }

    #[test]
    fn a_full_queue_refuses() {
        let queue: Queue<u64, u64> = Queue::new();
        for _ in 0..WAITING_MAX {
            assert!(queue.submit_async(1, None).is_ok());
        }
        assert!(matches!(queue.submit_async(1, None), Err(Refused::Overloaded)));
        assert_eq!(queue.submit(1, None, |_| Vec::new()), Err(Refused::Overloaded));
    }

    #[test]
    fn a_closed_queue_leaves_no_command_without_an_answer() {
        // A task that came between the check and the close used to wait for ever.
        let queue: Queue<u64, u64> = Queue::new();
        queue.close();
        assert!(matches!(queue.submit_async(1, None), Err(Refused::Closed)));
    }
}
