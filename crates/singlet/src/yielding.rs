//! Yielding to other tasks during large reads or computations.
//!
//! Requests to an embedded engine are ready at once, so a function that reads a lot would occupy
//! its thread until the end.

use std::future::poll_fn;
use std::task::Poll;

/// Bytes of items to read or decode before yielding: about a millisecond.
pub(crate) const YIELD_BYTES: usize = 64 << 10;

/// Yields to other tasks once: for loops that compute for milliseconds without awaiting. It works
/// with any executor.
///
/// ```
/// # singlet::block_on(async {
/// let mut sum = 0_u64;
/// for number in 0..10_000 {
///     if number % 1000 == 999 {
///         singlet::yield_now().await;
///     }
///     sum += number;
/// }
/// # assert_eq!(sum, 49_995_000);
/// # });
/// ```
pub async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Counts bytes of items, to yield after many.
#[derive(Debug, Default)]
pub(crate) struct ByteYield {
    bytes: usize,
}

impl ByteYield {
    /// Counts the next item. Returns true if the reader should yield first.
    pub(crate) fn is_due(&mut self, bytes: usize) -> bool {
        self.bytes += bytes;
        let is_due = self.bytes >= YIELD_BYTES;
        if is_due {
            self.bytes = 0;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Embedded};
    use singlet_dynamo::operation::{Answer, Request};
    use singlet_engine::Engine;
    use std::pin::{Pin, pin};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Wake, Waker};

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn yielding_wakes_its_task() {
        let wakes = Arc::<Wakes>::default();
        let waker = Waker::from(Arc::clone(&wakes));
        let mut yielding = pin!(yield_now());
        assert!(yielding.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
        assert!(yielding.as_mut().poll(&mut Context::from_waker(&waker)).is_ready());
    }

    #[test]
    fn items_are_counted_in_bytes() {
        let mut decoded = ByteYield::default();
        let due = (0..256).filter(|_| decoded.is_due(1 << 10)).count();
        assert_eq!(due, 4);
        assert!(!decoded.is_due(YIELD_BYTES - 1));
    }

    /// Regression: web handlers decoded megabytes in one poll and starved all other tasks.
    #[test]
    fn large_answers_yield_once_and_small_ones_never() {
        let backend = Embedded::new(Engine::memory().unwrap());
        let wakes = Arc::<Wakes>::default();
        let waker = Waker::from(Arc::clone(&wakes));
        let execute = |operation: &str, body: String| {
            let request = Request::from_json(operation, body.as_bytes()).unwrap();
            let mut execution = backend.execute(request);
            let mut pending = 0;
            loop {
                match Pin::new(&mut execution).poll(&mut Context::from_waker(&waker)) {
                    Poll::Ready(answer) => return (pending, answer.unwrap()),
                    Poll::Pending => pending += 1,
                }
                assert!(pending < 10 && wakes.0.load(Ordering::SeqCst) > 0);
            }
        };
        execute(
            "CreateTable",
            r#"{"TableName": "texts", "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "k", "KeyType": "HASH"},
                              {"AttributeName": "n", "KeyType": "RANGE"}],
                "AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"},
                                         {"AttributeName": "n", "AttributeType": "N"}]}"#
                .into(),
        );
        let text = "x".repeat(10_000);
        for number in 0..8 {
            let item = format!(
                r#"{{"k": {{"S": "a"}}, "n": {{"N": "{number}"}}, "text": {{"S": "{text}"}}}}"#
            );
            execute("PutItem", format!(r#"{{"TableName": "texts", "Item": {item}}}"#));
        }
        wakes.0.store(0, Ordering::SeqCst);
        for (limit, yields) in [(1, 0), (6, 0), (7, 1), (8, 1)] {
            let body = format!(
                r#"{{"TableName": "texts", "Limit": {limit}, "KeyConditionExpression": "k = :k",
                    "ExpressionAttributeValues": {{":k": {{"S": "a"}}}}}}"#
            );
            let (pending, answer) = execute("Query", body);
            let Answer::Page(page) = answer else { panic!("{answer:?}") };
            assert_eq!((page.count, pending), (limit, yields));
        }
        assert_eq!(wakes.0.load(Ordering::SeqCst), 2);
    }
}
