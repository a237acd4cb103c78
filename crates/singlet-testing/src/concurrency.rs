//! Concurrent callers.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::Barrier;

/// Threads of a test's runtime. More than one, so that races can happen.
const THREADS: usize = 4;

/// Runs a test on a multi-threaded runtime, as in production.
pub fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .unwrap()
        // Boxed, so that the runtime code is compiled once for all tests.
        .block_on(Box::pin(test) as Pin<Box<dyn Future<Output = T> + '_>>)
}

/// Starts `count` calls at once, each with its number, and returns the results in order.
///
/// ```
/// let doubled = singlet_testing::run(singlet_testing::at_once(3, |number| async move { number * 2 }));
/// assert_eq!(doubled, [0, 2, 4]);
/// ```
pub async fn at_once<T, F>(count: usize, work: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(count));
    let calls: Vec<_> = (0..count)
        .map(|number| {
            let (barrier, call) = (Arc::clone(&barrier), work(number));
            tokio::spawn(async move {
                barrier.wait().await;
                call.await
            })
        })
        .collect();
    let mut results = Vec::with_capacity(count);
    for call in calls {
        results.push(call.await.unwrap());
    }
    results
}
