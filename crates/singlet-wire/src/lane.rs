//! Threads for large bodies and responses.
//!
//! A thread that serves sockets has many connections, so a request that occupies it for 100 ms
//! delays all of them. Large bodies and responses are parsed and encoded on separate threads, as
//! many as there are cores, where they only wait for each other.
//!
//! Clients take turns: a client with a thousand large requests delays another one by only one of
//! them.

use singlet_edge::{Share, Turns};
use std::panic::resume_unwind;
use tokio::task::spawn_blocking;

/// Runs work of large requests off the socket threads, a bounded number at a time.
#[derive(Debug)]
pub(crate) struct LargeLane {
    turns: Turns,
}

impl LargeLane {
    pub(crate) fn new() -> Self {
        Self::with_threads(std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn with_threads(free: usize) -> Self {
        Self { turns: Turns::new(free) }
    }

    /// Runs work on a separate thread when it is the client's turn. Propagates panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: &Share,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // The work owns the permit, because it continues even if its caller is dropped.
        let turn = self.turns.next(client).await;
        let work = move || {
            let _turn = turn;
            work()
        };
        match spawn_blocking(work).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down, and drops this task too.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
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
                    lane.run(&Share::default(), move || {
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
        assert_eq!(lane.turns.free(), THREADS);
    }

    /// One client's large requests used to delay all others for as long as it kept sending.
    #[tokio::test]
    async fn clients_take_turns() {
        let lane = Arc::new(LargeLane::with_threads(1));
        let done = Arc::new(Mutex::new(Vec::new()));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let (greedy, modest) = (Share::default(), Share::default());
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
        // A waiter that has left does not block the others.
        waiting[0].abort();
        drop(release);
        assert!(first.await.unwrap());
        for work in waiting.drain(1..) {
            work.await.unwrap();
        }
        let done = done.lock().unwrap();
        assert_eq!(done.len(), 101);
        assert!(done[..5].iter().filter(|name| **name == "modest").count() == 2, "{done:?}");
        assert_eq!(lane.turns.free(), 1);
    }
}
