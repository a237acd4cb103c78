//! The commit queue: the first thread to find it idle becomes the leader and commits for everyone
//! who arrives meanwhile.
//!
//! A command that finds no leader runs at once on its own thread, together with the commands
//! already waiting. Commands that arrive during a commit form the next group, so a thousand waiting
//! writers cost one fsync. Writes are ordered by their position in the queue.
//!
//! While more commands wait than one commit takes, clients share the queue by weighted fair queuing
//! with equal weights: commands run in order of their finish tags (start tag plus estimated cost).
//! The commands of one client stay in order.

use crate::client::ClientAccount;
use crate::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::vec::IntoIter;

/// Maximum number of waiting commands. With a slow disk, requests are then refused instead of
/// filling memory. Large, because a waiting command costs little.
pub(crate) const WAITING_MAX: usize = 16_384;
/// Maximum number of commands per group. Beyond this the fsync no longer dominates.
pub(crate) const GROUP_MAX: usize = 1_024;
/// Spins of a waiter before it sleeps. In memory mode a group takes a few microseconds, less than
/// sleeping and waking up.
const SPIN_MAX: u32 = 200;
/// Groups a leader commits for others before it hands over. Its own caller is waiting, with its
/// answer ready.
const GROUPS_LED_MAX: u32 = 16;
/// The same for a task's thread, which has other tasks to run.
const GROUPS_LED_BY_TASK_MAX: u32 = 2;
/// Commands of disconnected clients dropped at a time. Each may hold a large request.
const ABANDONED_MAX: usize = 8;

/// Why the queue rejects a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Too many commands are waiting.
    Overloaded,
    Closed,
}

/// The waiting commands, and whether there is a leader.
pub(crate) struct Queue<C, R> {
    state: Mutex<State<C, R>>,
    /// Notified when an asynchronous command waits without a leader.
    wanted: Condvar,
}

struct State<C, R> {
    waiting: VecDeque<Waiting<C, R>>,
    /// Whether the last commit left commands in the queue.
    is_crowded: bool,
    /// Virtual time: the charge of a client that got exactly its fair share. No start tag is below
    /// it, so an idle client accumulates no credit.
    virtual_time: u64,
    /// The highest virtual time that any client is charged up to.
    charged_max: u64,
    /// Recent cost of clients' first commands. Without it, a thousand new connections with a large
    /// write each would overtake a client known for small ones.
    first_cost: u64,
    is_led: bool,
    is_closed: bool,
}

struct Waiting<C, R> {
    command: C,
    ticket: Ticket<R>,
}

/// The owner of a command, and the slot for its answer.
struct Ticket<R> {
    client: Option<ClientAccount>,
    slot: Arc<Slot<R>>,
    /// Virtual time when the queue was first found crowded with this command in it.
    entered: Option<u64>,
    /// Start and finish tags, while the queue is crowded.
    start_tag: u64,
    finish_tag: u64,
}

impl<R> Ticket<R> {
    /// Whether a client sent the command and has stopped waiting for the answer.
    fn is_abandoned(&self) -> bool {
        self.client.is_some() && Arc::strong_count(&self.slot) == 1
    }
}

/// The commands of the next commit.
struct Group<C, R> {
    commands: Vec<C>,
    tickets: Vec<Ticket<R>>,
    /// Commands that will not run, to be dropped outside the lock.
    abandoned: Vec<Waiting<C, R>>,
    /// Number of waiting clients, if the queue is crowded.
    clients: u64,
}

/// A completed command.
pub(crate) struct Done<R> {
    pub(crate) answer: R,
    /// 1 for a small write.
    pub(crate) cost: u64,
}

/// Runs the first commands of a group, at least one. Returns one result per command taken, in
/// order; the rest wait for the next commit.
pub(crate) trait Lead<C, R>: Fn(&mut IntoIter<C>) -> Vec<Done<R>> {}

impl<C, R, F: Fn(&mut IntoIter<C>) -> Vec<Done<R>>> Lead<C, R> for F {}

/// Where a waiting command receives its answer.
pub(crate) struct Slot<R> {
    /// Whether a thread waits here, which can lead, rather than a task, which cannot.
    is_thread: bool,
    progress: Mutex<Progress<R>>,
    changed: Condvar,
}

enum Progress<R> {
    Waiting(Option<Waker>),
    /// The waiting thread must lead now; its command is still in the queue.
    Lead,
    Answered(R),
    Taken,
}

impl<R> Slot<R> {
    fn new(is_thread: bool) -> Arc<Self> {
        let progress = Mutex::new(Progress::Waiting(None));
        Arc::new(Self { is_thread, progress, changed: Condvar::new() })
    }

    fn set(&self, progress: Progress<R>) {
        let before = std::mem::replace(&mut *self.progress.lock(), progress);
        self.changed.notify_one();
        if let Progress::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    /// Waits for the answer. `None` if this thread must lead.
    fn wait(&self) -> Option<R> {
        for _ in 0..SPIN_MAX {
            if let Some(mut progress) = self.progress.try_lock()
                && !matches!(*progress, Progress::Waiting(_))
            {
                return Self::take(&mut progress);
            }
            std::hint::spin_loop();
        }
        let mut progress = self.progress.lock();
        while matches!(*progress, Progress::Waiting(_)) {
            progress = self.changed.wait(progress);
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

    /// Removes some commands of disconnected clients without running them.
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

    /// Sorts the queue by finish tag. A client's first command starts at the virtual time the
    /// client is charged up to, each further one after the estimated cost of its predecessor.
    /// Returns the number of waiting clients.
    #[cold]
    fn order_by_client(&mut self) -> u64 {
        for waiting in &self.waiting {
            if let Some(client) = &waiting.ticket.client {
                client.reset_tags();
            }
        }
        let mut clients = 0;
        for Waiting { ticket, .. } in &mut self.waiting {
            // A command that already waits keeps its start, however far the virtual time advances.
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

    /// Whether a waiting thread could lead. In a server these are heavy writes and maintenance.
    fn has_waiting_thread(&self) -> bool {
        self.waiting.iter().any(|waiting| waiting.ticket.slot.is_thread)
    }

    /// Charges the completed commands and puts the others back.
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
            // No longer crowded: catch up, so that no client is ahead of the virtual time.
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

    /// Runs a command, or waits until another thread has.
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

    /// Like [`Queue::submit`] for a task: leads if there is no leader, but never blocks on another
    /// one. For groups short enough to run on an async worker.
    pub(crate) fn submit_prompt(
        &self,
        command: C,
        client: Option<&ClientAccount>,
        lead: impl Lead<C, R>,
    ) -> Result<Answer<R>, Refused> {
        self.begin(command, client, &lead, false)
    }

    /// Leads if there is no leader. Returns the answer if this thread ran the command, otherwise
    /// the slot that will receive it.
    fn begin(
        &self,
        command: C,
        client: Option<&ClientAccount>,
        lead: &impl Lead<C, R>,
        is_thread: bool,
    ) -> Result<Answer<R>, Refused> {
        let mut state = self.state.lock();
        if state.is_led || !state.waiting.is_empty() {
            // There is a leader, or asynchronous commands are waiting for one.
            let slot = state.push(command, client, is_thread)?;
            let must_lead = !std::mem::replace(&mut state.is_led, true);
            drop(state);
            if must_lead {
                self.lead(lead, is_thread);
            }
            return Ok(Answer::Waiting(slot));
        }
        // Fast path: no leader, and no other command.
        state.is_led = true;
        drop(state);
        let done = lead(&mut vec![command].into_iter()).pop();
        if let (Some(done), Some(client)) = (&done, client) {
            client.note_cost(done.cost);
        }
        self.lead(lead, is_thread);
        Ok(Answer::Ready(done.map(|done| done.answer)))
    }

    /// Enqueues a command and returns its answer as a future. Requires a thread that runs
    /// [`Queue::lead_when_wanted`].
    pub(crate) fn submit_async(
        &self,
        command: C,
        client: Option<&ClientAccount>,
    ) -> Result<Answer<R>, Refused> {
        let mut state = self.state.lock();
        let slot = state.push(command, client, false)?;
        if !state.is_led {
            self.wanted.notify_one();
        }
        Ok(Answer::Waiting(slot))
    }

    /// Commits groups until the queue is empty, or until this leader has done its share and hands
    /// over. The caller has set `is_led`.
    fn lead(&self, lead: &impl Lead<C, R>, is_thread: bool) {
        let mut groups_led = 0;
        let mut state = self.state.lock();
        loop {
            let Some(first) = state.waiting.front() else {
                state.is_led = false;
                if state.is_closed {
                    // `lead_when_wanted` may be waiting for the last leader to finish.
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
                // Every waiting command was abandoned.
                state = self.state.lock();
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
            state = self.state.lock();
            if let Some(cost) = first_cost {
                // An average that favors recent costs.
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

    /// Leads for asynchronous commands when there is no other leader, until the queue is closed.
    pub(crate) fn lead_when_wanted(&self, lead: impl Lead<C, R>) {
        loop {
            let mut state = self.state.lock();
            while state.is_led || state.waiting.is_empty() {
                if state.is_closed && state.waiting.is_empty() {
                    return;
                }
                state = self.wanted.wait(state);
            }
            state.is_led = true;
            drop(state);
            self.lead(&lead, true);
        }
    }

    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Makes [`Queue::lead_when_wanted`] return once the queue is empty.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.wanted.notify_all();
    }
}

/// The answer to a submitted command.
pub(crate) enum Answer<R> {
    Ready(Option<R>),
    Waiting(Arc<Slot<R>>),
}

/// An answer never borrows from itself.
impl<R> Unpin for Answer<R> {}

impl<R> Future for Answer<R> {
    type Output = R;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<R> {
        let slot = match self.get_mut() {
            // Polling again after completion stays pending.
            Self::Ready(answer) => return answer.take().map_or(Poll::Pending, Poll::Ready),
            Self::Waiting(slot) => slot,
        };
        let mut progress = slot.progress.lock();
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
