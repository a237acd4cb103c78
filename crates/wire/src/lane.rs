//! Where long computing is done that is not the engine's: reading large bodies and writing large
//! answers.
//!
//! The threads that serve sockets have many connections each, so that what takes a tenth of a
//! second there delays everybody. What is large is therefore handed to threads of its own, as many
//! as there are cores, where large requests wait for each other only; the operating system shares
//! the cores between them and the sockets.

use std::panic::resume_unwind;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Runs work of large requests beside the sockets, a bounded number at a time.
#[derive(Debug)]
pub(crate) struct LargeLane {
    free: Arc<Semaphore>,
}

impl LargeLane {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { free: Arc::new(Semaphore::new(cores)) }
    }

    /// Runs work on a thread of its own, once there is one for it. A panic in it is passed on.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        // The semaphore is never closed, so that there is always a permit in the end. It belongs to
        // the work, which goes on also when nobody waits for it any more.
        let permit = Arc::clone(&self.free).acquire_owned().await;
        let work = move || {
            let _permit = permit;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[tokio::test]
    async fn as_many_run_as_there_are_cores() {
        let lane = Arc::new(LargeLane::new());
        let cores = lane.free.available_permits();
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let works: Vec<_> = (0..4 * cores)
            .map(|number| {
                let (lane, running, most) = (lane.clone(), running.clone(), most.clone());
                tokio::spawn(async move {
                    lane.run(move || {
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
        assert!(most.load(Ordering::SeqCst) <= cores);
    }
}
