//! Where long computing is done that is not the engine's: reading large bodies and writing large
//! answers.
//!
//! The threads that serve sockets have many connections each, so that what takes a tenth of a
//! second there delays everybody. What is large is therefore handed to threads of its own, as many
//! as there are cores, where large requests wait for each other only; the operating system shares
//! the cores between them and the sockets.
//!
//! Clients take turns: whoever sends a thousand large requests delays another client by one of them.

use singlet_engine::ClientAccount;
use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// After how many that begin to wait those who left are looked for, at least.
const FORGOTTEN_AFTER: usize = 256;

/// Runs work of large requests beside the sockets, a bounded number at a time.
#[derive(Debug)]
pub(crate) struct LargeLane {
    turns: Turns,
}

/// A semaphore that is handed out round-robin by client. Clones are the same semaphore.
#[derive(Clone, Debug)]
struct Turns(Arc<Mutex<Queue>>);

#[derive(Debug)]
struct Queue {
    /// How many more may run. Nobody waits unless this is 0.
    free: usize,
    /// Those who wait, by client; the client that is next comes first. None has an empty queue.
    waiting: VecDeque<(ClientAccount, VecDeque<oneshot::Sender<Turn>>)>,
    /// How many have begun to wait since those who left were forgotten, and how many waited then.
    entered: usize,
    still_waiting: usize,
}

/// The right to run, which is passed on when this is dropped; `None` once it was.
#[derive(Debug)]
struct Turn(Option<Turns>);

impl LargeLane {
    pub(crate) fn new() -> Self {
        Self::with_threads(std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn with_threads(free: usize) -> Self {
        Self { turns: Turns::new(free) }
    }

    /// Runs work on a thread of its own, once it is the client's turn. A panic in it is passed on.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: &ClientAccount,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // The turn belongs to the work, which goes on also when nobody waits for it any more.
        let turn = self.turns.next(client).await;
        let work = move || {
            let _turn = turn;
            work()
        };
        match spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down and takes no more work; so it drops this task, too.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

impl Turns {
    fn new(free: usize) -> Self {
        let queue = Queue { free, waiting: VecDeque::new(), entered: 0, still_waiting: 0 };
        Self(Arc::new(Mutex::new(queue)))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Held only for moves of values.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn.
    async fn next(&self, client: &ClientAccount) -> Turn {
        let granted = {
            let mut queue = self.queue();
            if queue.free > 0 {
                queue.free -= 1;
                return Turn(Some(self.clone()));
            }
            queue.wait(client)
        };
        match granted.await {
            Ok(turn) => turn,
            // The queue is gone, and with it the server.
            Err(_) => std::future::pending().await,
        }
    }

    /// Passes a turn on to who is next, or keeps it for who comes.
    fn pass_on(self) {
        loop {
            let mut queue = self.queue();
            let Some(next) = queue.pop() else {
                queue.free += 1;
                return;
            };
            drop(queue);
            match next.send(Turn(Some(self.clone()))) {
                Ok(()) => return,
                // Nobody waits there any more.
                Err(mut turn) => turn.0 = None,
            }
        }
    }
}

impl Queue {
    fn wait(&mut self, client: &ClientAccount) -> oneshot::Receiver<Turn> {
        let (sender, granted) = oneshot::channel();
        self.forget_those_who_left();
        let known = self.waiting.iter_mut().find(|(known, _)| known.is_same_as(client));
        match known {
            Some((_, waiting)) => waiting.push_back(sender),
            None => self.waiting.push_back((client.clone(), VecDeque::from([sender]))),
        }
        granted
    }

    /// Requests may be given up while they wait. Looking for them now and then, when there are twice
    /// as many as before, costs little for each.
    fn forget_those_who_left(&mut self) {
        self.entered += 1;
        if self.entered < FORGOTTEN_AFTER.max(2 * self.still_waiting) {
            return;
        }
        self.waiting.retain_mut(|(_, waiting)| {
            waiting.retain(|sender| !sender.is_closed());
            !waiting.is_empty()
        });
        self.entered = 0;
        self.still_waiting = self.waiting.iter().map(|(_, waiting)| waiting.len()).sum();
    }

    /// Who is next. The client's other work comes after that of all others; those who have left do
    /// not count.
    fn pop(&mut self) -> Option<oneshot::Sender<Turn>> {
        while let Some((client, mut waiting)) = self.waiting.pop_front() {
            while waiting.front().is_some_and(oneshot::Sender::is_closed) {
                waiting.pop_front();
            }
            let next = waiting.pop_front();
            if !waiting.is_empty() {
                self.waiting.push_back((client, waiting));
            }
            if next.is_some() {
                return next;
            }
        }
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[tokio::test]
    async fn as_many_run_as_there_are_threads() {
        const THREADS: usize = 2;
        let lane = Arc::new(LargeLane::with_threads(THREADS));
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let works: Vec<_> = (0..4 * THREADS)
            .map(|number| {
                let (lane, running, most) = (lane.clone(), running.clone(), most.clone());
                tokio::spawn(async move {
                    lane.run(&ClientAccount::default(), move || {
                        most.fetch_max(
                            running.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        std::thread::sleep(Duration::from_millis(2));
                        running.fetch_sub(1, Ordering::SeqCst);
                        number
                    })
                    .await
                })
            })
            .collect();
        for (number, work) in works.into_iter().enumerate() {
            assert_eq!(work.await.unwrap(), number);
        }
        assert!(most.load(Ordering::SeqCst) <= THREADS);
        assert_eq!(lane.turns.queue().free, THREADS);
    }

    /// Requests that were given up stayed in the queue.
    #[tokio::test]
    async fn those_who_leave_are_forgotten() {
        let lane = LargeLane::with_threads(0);
        for number in 0..10_000 {
            let client = ClientAccount::default();
            for _ in 0..number % 3 {
                let mut waiting = std::pin::pin!(lane.turns.next(&client));
                assert!(poll_once(waiting.as_mut()).is_pending());
            }
        }
        let waiting: usize = lane.turns.queue().waiting.iter().map(|(_, some)| some.len()).sum();
        assert!(waiting <= FORGOTTEN_AFTER, "{waiting}");
    }

    fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> std::task::Poll<F::Output> {
        future.poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    }

    /// One client's large requests delayed everybody's for as long as there were any.
    #[tokio::test]
    async fn clients_take_turns() {
        let lane = Arc::new(LargeLane::with_threads(1));
        let done = Arc::new(Mutex::new(Vec::new()));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let (greedy, modest) = (ClientAccount::default(), ClientAccount::default());
        let first = tokio::spawn({
            let (lane, greedy) = (lane.clone(), greedy.clone());
            async move { lane.run(&greedy, move || released.recv().is_err()).await }
        });
        tokio::task::yield_now().await;
        let mut waiting = Vec::new();
        for (name, client, count) in [("greedy", &greedy, 100), ("modest", &modest, 2)] {
            for _ in 0..count {
                let (lane, client, done) = (lane.clone(), client.clone(), done.clone());
                waiting.push(tokio::spawn(async move {
                    lane.run(&client, move || done.lock().unwrap().push(name)).await;
                }));
                tokio::task::yield_now().await;
            }
        }
        // Who has left does not hold the others up.
        waiting[0].abort();
        drop(release);
        assert!(first.await.unwrap());
        for work in waiting.drain(1..) {
            work.await.unwrap();
        }
        let done = done.lock().unwrap();
        assert_eq!(done.len(), 101);
        assert!(done[..5].iter().filter(|name| **name == "modest").count() == 2, "{done:?}");
        assert_eq!(lane.turns.queue().free, 1);
    }
}
