//! Awaiting several futures at once.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

enum State<F: Future> {
    Running(Pin<Box<F>>),
    Done(F::Output),
}

/// Runs futures concurrently and returns their outputs in order. Each wake-up polls all of them,
/// so it is for a handful.
pub(crate) async fn join_all<F: Future<Output: Unpin>>(
    futures: impl Iterator<Item = F>,
) -> Vec<F::Output> {
    let mut states: Vec<State<F>> =
        futures.map(|future| State::Running(Box::pin(future))).collect();
    poll_fn(|context| {
        let mut is_done = true;
        for state in &mut states {
            let State::Running(future) = state else { continue };
            match future.as_mut().poll(context) {
                Poll::Ready(output) => *state = State::Done(output),
                Poll::Pending => is_done = false,
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let output = |state| match state {
        State::Done(output) => Some(output),
        State::Running(_) => None,
    };
    states.into_iter().filter_map(output).collect()
}
