//! A fair semaphore for CPU-heavy work, handed out round-robin by client.
//!
//! It bounds the threads that such work occupies. A client with a thousand requests delays another
//! client by only one of them.

use crate::room::Share;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::oneshot;

/// Minimum number of new waiters between two removals of abandoned ones.
const FORGOTTEN_AFTER: usize = 256;

/// A semaphore handed out round-robin by client. Clones share it.
///
/// A [`Share`] identifies the client: see [`Shares::client`](crate::Shares::client).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use singlet_edge::{Shares, Turns};
///
/// let (turns, client) = (Turns::new(1), Shares::default());
/// let turn = turns.next(client.client()).await;
/// assert_eq!(turns.free(), 0);
/// drop(turn);
/// assert_eq!(turns.free(), 1);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Turns(Arc<Mutex<Queue>>);

#[derive(Debug)]
struct Queue {
    /// Free permits. While there are any, the queue is empty.
    free: usize,
    /// Waiters by client; the next client comes first. No inner queue is empty.
    waiting: VecDeque<(Share, VecDeque<oneshot::Sender<Turn>>)>,
    /// Waiters added since abandoned ones were last removed, and the number left then.
    entered: usize,
    still_waiting: usize,
}

/// A permit to run, passed on to the next waiter when dropped.
#[derive(Debug)]
pub struct Turn(
    /// `None` once passed on.
    Option<Turns>,
);

/// A future that resolves to the permit. Dropping it leaves the queue, or passes the permit on.
#[derive(Debug)]
#[must_use = "futures do nothing unless you await them"]
pub struct NextTurn(Place);

#[derive(Debug)]
enum Place {
    /// A permit was free; `None` once returned.
    Free(Option<Turn>),
    Waiting(oneshot::Receiver<Turn>),
}

impl Turns {
    /// A semaphore with this many permits.
    #[must_use]
    pub fn new(free: usize) -> Self {
        let queue = Queue { free, waiting: VecDeque::new(), entered: 0, still_waiting: 0 };
        Self(Arc::new(Mutex::new(queue)))
    }

    /// Free permits.
    #[must_use]
    pub fn free(&self) -> usize {
        self.queue().free
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Poisoning is harmless: the lock only guards moves of values.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the queue for a permit.
    pub fn next(&self, client: &Share) -> NextTurn {
        let mut queue = self.queue();
        if queue.free > 0 {
            queue.free -= 1;
            return NextTurn(Place::Free(Some(Turn(Some(self.clone())))));
        }
        NextTurn(Place::Waiting(queue.wait(client)))
    }

    /// Passes a permit to the next waiter, or frees it.
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
                // This waiter has left the queue.
                Err(mut turn) => turn.0 = None,
            }
        }
    }
}

impl Future for NextTurn {
    type Output = Turn;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Turn> {
        match &mut self.0 {
            // A completed future is not polled again.
            Place::Free(turn) => turn.take().map_or(Poll::Pending, Poll::Ready),
            Place::Waiting(granted) => match Pin::new(granted).poll(context) {
                Poll::Ready(Ok(turn)) => Poll::Ready(turn),
                // The queue was dropped, so the server is shutting down.
                Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
            },
        }
    }
}

impl Queue {
    fn wait(&mut self, client: &Share) -> oneshot::Receiver<Turn> {
        let (sender, granted) = oneshot::channel();
        self.remove_abandoned();
        let known = self.waiting.iter_mut().find(|(known, _)| known.is_same_as(client));
        match known {
            Some((_, waiting)) => waiting.push_back(sender),
            None => self.waiting.push_back((client.clone(), VecDeque::from([sender]))),
        }
        granted
    }

    /// Removes waiters whose requests were cancelled. Runs when their number has doubled, so the
    /// cost per waiter is constant.
    fn remove_abandoned(&mut self) {
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

    /// The next waiter. Moves its client to the end of the queue and skips waiters that have left.
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
    use std::task::Waker;

    fn poll(place: &mut NextTurn) -> Option<Turn> {
        match Pin::new(place).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    #[test]
    fn no_more_permits_are_out_than_exist() {
        let (turns, client) = (Turns::new(2), Share::default());
        let mut places: Vec<NextTurn> = (0..5).map(|_| turns.next(&client)).collect();
        let mut out: VecDeque<Turn> = places.iter_mut().take(2).filter_map(poll).collect();
        assert_eq!((out.len(), turns.free()), (2, 0));
        for place in places.iter_mut().skip(2) {
            assert!(poll(place).is_none());
            drop(out.pop_front());
            out.extend(poll(place));
            assert_eq!((out.len(), turns.free()), (2, 0));
        }
        out.clear();
        assert_eq!(turns.free(), 2);
    }

    /// One client's requests used to delay all others for as long as it kept sending.
    #[test]
    fn clients_take_turns() {
        let turns = Turns::new(1);
        let (greedy, modest) = (Share::default(), Share::default());
        let mut turn = poll(&mut turns.next(&greedy));
        assert!(turn.is_some());
        let mut waiting: Vec<(&str, NextTurn)> = Vec::new();
        for (name, client, count) in [("greedy", &greedy, 100), ("modest", &modest, 2)] {
            waiting.extend((0..count).map(|_| (name, turns.next(client))));
        }
        // A waiter that has left does not block the others.
        drop(waiting.remove(0));
        let mut order = Vec::new();
        while !waiting.is_empty() {
            drop(turn.take());
            let next = waiting.iter_mut().enumerate().find_map(|(index, (_, place))| {
                turn = poll(place);
                turn.is_some().then_some(index)
            });
            order.push(waiting.remove(next.unwrap()).0);
        }
        assert_eq!(order.len(), 101);
        assert_eq!(order[..4], ["greedy", "modest", "greedy", "modest"]);
        drop(turn);
        assert_eq!(turns.free(), 1);
    }

    /// A waiter that left between receiving a permit and using it used to lose the permit.
    #[test]
    fn a_permit_given_to_a_cancelled_waiter_is_passed_on() {
        let (turns, client) = (Turns::new(1), Share::default());
        let turn = poll(&mut turns.next(&client));
        let (handed, mut next) = (turns.next(&client), turns.next(&client));
        drop(turn);
        assert!(poll(&mut next).is_none());
        drop(handed);
        assert!(poll(&mut next).is_some());
        assert_eq!(turns.free(), 1);
    }

    /// Cancelled requests used to stay in the queue.
    #[test]
    fn cancelled_waiters_are_removed() {
        let turns = Turns::new(0);
        for number in 0..10_000 {
            let client = Share::default();
            for _ in 0..number % 3 {
                assert!(poll(&mut turns.next(&client)).is_none());
            }
        }
        let waiting: usize = turns.queue().waiting.iter().map(|(_, some)| some.len()).sum();
        assert!(waiting <= FORGOTTEN_AFTER, "{waiting}");
    }
}
