//! The commit queue: whoever finds it free leads, and answers all who came meanwhile.
//!
//! A command that finds nobody leading is carried out by its own thread, at once, together
//! with whatever waits already. Commands that come while a group is being committed wait, and
//! become the next group, so that a thousand waiting writers cost one fsync. The order of the
//! queue is the order of the writes.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

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
    waiting: VecDeque<(C, Arc<Slot<R>>)>,
    is_led: bool,
    is_closed: bool,
}

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

impl<C, R> Queue<C, R> {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(State { waiting: VecDeque::new(), is_led: false, is_closed: false }),
            wanted: Condvar::new(),
        }
    }

    /// Carries out a command, or waits until another thread has. `lead` carries out a group: it
    /// gives one answer for each command, in their order.
    pub(crate) fn submit(&self, command: C, lead: impl Fn(Vec<C>) -> Vec<R>) -> Result<R, Refused> {
        match self.begin(command, &lead, true)? {
            Answer::Ready(answer) => answer.ok_or(Refused::Closed),
            Answer::Waiting(slot) => Ok(loop {
                match slot.wait() {
                    Some(answer) => break answer,
                    None => self.lead(&lead),
                }
            }),
        }
    }

    /// Like [`Queue::submit`] for a task: its thread leads if nobody does, but never waits for
    /// another leader. For groups that take no longer than a task may run between two rests.
    pub(crate) fn submit_prompt(
        &self,
        command: C,
        lead: impl Fn(Vec<C>) -> Vec<R>,
    ) -> Result<Answer<R>, Refused> {
        self.begin(command, &lead, false)
    }

    /// Leads if nobody does. What comes out is the answer, if this thread has carried the command
    /// out, or where the answer will be.
    fn begin(
        &self,
        command: C,
        lead: &impl Fn(Vec<C>) -> Vec<R>,
        is_thread: bool,
    ) -> Result<Answer<R>, Refused> {
        let mut state = lock(&self.state);
        if state.is_led || !state.waiting.is_empty() {
            // Someone leads already, or asynchronous commands wait for somebody to.
            let slot = Self::push(&mut state, command, is_thread)?;
            let must_lead = !std::mem::replace(&mut state.is_led, true);
            drop(state);
            if must_lead {
                self.lead(lead);
            }
            return Ok(Answer::Waiting(slot));
        }
        // The quiet case, and the fast one: nobody leads and nobody waits.
        state.is_led = true;
        drop(state);
        let answer = lead(vec![command]).pop();
        self.lead(lead);
        Ok(Answer::Ready(answer))
    }

    /// Puts a command into the queue; the future is its answer. Somebody must call
    /// [`Queue::lead_when_wanted`] in a thread of its own.
    pub(crate) fn submit_async(&self, command: C) -> Result<Answer<R>, Refused> {
        let mut state = lock(&self.state);
        let slot = Self::push(&mut state, command, false)?;
        if !state.is_led {
            self.wanted.notify_one();
        }
        Ok(Answer::Waiting(slot))
    }

    fn push(state: &mut State<C, R>, command: C, is_thread: bool) -> Result<Arc<Slot<R>>, Refused> {
        if state.is_closed {
            return Err(Refused::Closed);
        }
        if state.waiting.len() >= WAITING_MAX {
            return Err(Refused::Overloaded);
        }
        let slot = Slot::new(is_thread);
        state.waiting.push_back((command, Arc::clone(&slot)));
        Ok(slot)
    }

    /// Commits groups until nobody waits, or until enough were led and the first of those who wait
    /// can take over. The caller has set `is_led`.
    fn lead(&self, lead: &impl Fn(Vec<C>) -> Vec<R>) {
        let mut groups_led = 0;
        loop {
            let mut state = lock(&self.state);
            let Some((_, first)) = state.waiting.front() else {
                state.is_led = false;
                if state.is_closed {
                    // The thread that leads for tasks may wait for this, and for nothing else.
                    self.wanted.notify_all();
                }
                return;
            };
            if groups_led >= GROUPS_LED_MAX {
                let heir = Arc::clone(first);
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
            let len = state.waiting.len().min(GROUP_MAX);
            let (commands, slots): (Vec<C>, Vec<Arc<Slot<R>>>) = state.waiting.drain(..len).unzip();
            drop(state);
            for (slot, answer) in slots.iter().zip(lead(commands)) {
                slot.set(Progress::Answered(answer));
            }
            groups_led += 1;
        }
    }

    /// Leads for asynchronous commands whenever nobody else does, until the queue is closed.
    pub(crate) fn lead_when_wanted(&self, lead: impl Fn(Vec<C>) -> Vec<R>) {
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
            self.lead(&lead);
        }
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
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    /// Commands are numbers; the answer to each is the sum of all before it and itself.
    #[derive(Default)]
    struct Sums {
        total: Mutex<u64>,
        groups: AtomicUsize,
        is_leading: Mutex<()>,
    }

    impl Sums {
        fn lead(&self, group: Vec<u64>) -> Vec<u64> {
            let _only_one = self.is_leading.try_lock().expect("two lead at once");
            self.groups.fetch_add(1, Ordering::Relaxed);
            let mut total = lock(&self.total);
            group
                .into_iter()
                .map(|number| {
                    *total += number;
                    *total
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
                            .map(|_| queue.submit(1, |group| sums.lead(group)).unwrap())
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
                queue.submit(1, |group| {
                    drop(lock(gate));
                    sums.lead(group)
                })
            });
            while !lock(&queue.state).is_led {
                thread::yield_now();
            }
            let rest: Vec<_> = (0..100)
                .map(|_| scope.spawn(|| queue.submit(1, |group| sums.lead(group))))
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
        let sums = Sums::default();
        thread::scope(|scope| {
            let (queue, sums) = (&queue, &sums);
            let leader = scope.spawn(|| queue.lead_when_wanted(|group| sums.lead(group)));
            let workers: Vec<_> = (0..6)
                .map(|worker| {
                    scope.spawn(move || {
                        for _ in 0..3_000 {
                            match worker % 3 {
                                0 => _ = queue.submit(1, |group| sums.lead(group)).unwrap(),
                                1 => _ = block_on(queue.submit_async(1).unwrap()),
                                _ => {
                                    let prompt = queue.submit_prompt(1, |group| sums.lead(group));
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

    #[test]
    fn a_full_queue_refuses() {
        let queue: Queue<u64, u64> = Queue::new();
        for _ in 0..WAITING_MAX {
            assert!(queue.submit_async(1).is_ok());
        }
        assert!(matches!(queue.submit_async(1), Err(Refused::Overloaded)));
        assert_eq!(queue.submit(1, |group| group), Err(Refused::Overloaded));
    }

    #[test]
    fn a_closed_queue_leaves_no_command_without_an_answer() {
        // A task that came between the check and the close used to wait for ever.
        let queue: Queue<u64, u64> = Queue::new();
        queue.close();
        assert!(matches!(queue.submit_async(1), Err(Refused::Closed)));
    }
}
