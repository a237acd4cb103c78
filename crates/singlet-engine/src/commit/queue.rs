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
mod tests;
