//! Client accounts for fair queuing.

use crate::lane::INLINE_FUEL;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Identifies one of a server's clients for fair queuing: see
/// [`Engine::start_for`](crate::Engine::start_for). Clones share one account.
///
/// ```
/// use singlet_dynamo::operation::Request;
/// use singlet_engine::{RequestContext, ClientAccount, Engine};
/// use std::pin::pin;
/// use std::task::{Context, Waker};
///
/// let engine = Engine::memory()?;
/// let context = RequestContext { client: Some(ClientAccount::default()), room: None };
/// let started = engine.start_for(&context, Request::from_json("ListTables", b"{}")?);
/// assert!(pin!(started).poll(&mut Context::from_waker(Waker::noop())).is_ready());
/// # Ok::<(), singlet_engine::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ClientAccount(Arc<Account>);

/// A client's charges under contention. The commit queue and the lane use different fields, each
/// under its own lock.
#[derive(Debug, Default)]
struct Account {
    /// Virtual time up to which the client is charged.
    charged: AtomicU64,
    /// Cost of its last command; 0 if it has had none.
    last_cost: AtomicU64,
    /// Lower bound for the start tag of its next waiting command.
    next_tag: AtomicU64,
    /// Whether none of its waiting commands has a tag yet.
    is_untagged: AtomicBool,
    last_job_turn: AtomicU64,
    /// Score of recent inline overruns: a read that exceeds its inline budget adds [`OVERRUN`], any
    /// other read subtracts 1.
    overruns: AtomicU32,
}

/// Score added for a read that exceeds its inline budget.
const OVERRUN: u32 = 8;
/// Overruns halve a client's inline budget at most this many times.
const HALVED_MAX: u32 = 5;

/// Position of a waiting command in the commit queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) start: u64,
    /// Estimated from the cost of the client's last command.
    pub(crate) cost: u64,
    /// Whether it is the client's first waiting command.
    pub(crate) is_first: bool,
}

impl ClientAccount {
    /// Charges a command. Returns the virtual time up to which the client is now charged.
    pub(crate) fn charge(&self, virtual_time: u64, cost: u64) -> u64 {
        let account = &*self.0;
        let total = account.charged.load(Ordering::Relaxed).max(virtual_time).saturating_add(cost);
        account.charged.store(total, Ordering::Relaxed);
        total
    }

    /// Records the cost of a command, charged or not. Returns true for the client's first command.
    pub(crate) fn note_cost(&self, cost: u64) -> bool {
        let is_first = self.0.last_cost.load(Ordering::Relaxed) == 0;
        self.0.last_cost.store(cost.max(1), Ordering::Relaxed);
        is_first
    }

    /// Resets the start tags before all waiting commands are tagged again.
    pub(crate) fn reset_tags(&self) {
        self.0.next_tag.store(self.0.charged.load(Ordering::Relaxed), Ordering::Relaxed);
        self.0.is_untagged.store(true, Ordering::Relaxed);
    }

    /// Tags the client's next waiting command, which entered the queue at this virtual time.
    /// `first_cost` is the estimate for a client's first command.
    pub(crate) fn next_tag(&self, entered: u64, first_cost: u64) -> Tag {
        let account = &*self.0;
        let start = account.next_tag.load(Ordering::Relaxed).max(entered);
        let last_cost = account.last_cost.load(Ordering::Relaxed);
        account.next_tag.store(start.saturating_add(last_cost.max(1)), Ordering::Relaxed);
        Tag {
            start,
            cost: if last_cost == 0 { first_cost } else { last_cost },
            is_first: account.is_untagged.swap(false, Ordering::Relaxed),
        }
    }

    /// Budget of this client's reads on the thread they arrive on. It shrinks for clients that send
    /// heavy reads, which would otherwise occupy that thread for a millisecond each even if the
    /// lane then rejects them.
    pub(crate) fn inline_fuel(&self) -> u64 {
        let overruns = self.0.overruns.load(Ordering::Relaxed);
        INLINE_FUEL >> (overruns / OVERRUN).min(HALVED_MAX)
    }

    /// Records whether a read exceeded its inline budget.
    pub(crate) fn note_inline_read(&self, is_overrun: bool) {
        let before = self.0.overruns.load(Ordering::Relaxed);
        let after = match is_overrun {
            true => (before + OVERRUN).min(OVERRUN * (HALVED_MAX + 1)),
            false => before.saturating_sub(1),
        };
        if after != before {
            self.0.overruns.store(after, Ordering::Relaxed);
        }
    }

    /// The lane's turn counter when a job of this client last had a turn.
    pub(crate) fn last_job_turn(&self) -> u64 {
        self.0.last_job_turn.load(Ordering::Relaxed)
    }

    pub(crate) fn note_job_turn(&self, now: u64) {
        self.0.last_job_turn.store(now, Ordering::Relaxed);
    }

    /// Whether both are clones of one account.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Reserves memory for the item that a write returns, before the write is staged. Returns false if
/// memory is short.
pub type AnswerRoom = Arc<dyn Fn(usize) -> bool + Send + Sync>;

/// The client of a request, and the memory for its answer.
#[derive(Clone, Default)]
pub struct RequestContext {
    /// The client to charge; `None` for the process itself, whose writes are never charged and
    /// whose heavy requests share the lane as one client.
    pub client: Option<ClientAccount>,
    /// Called for an item that a write returns (`ReturnValues`) if it is larger than
    /// [`UNRESERVED_BYTES_MAX`]. If it returns false, the write fails with
    /// [`Error::Overloaded`](crate::Error::Overloaded) and changes nothing.
    pub room: Option<AnswerRoom>,
}

/// Largest returned item for which no memory is reserved.
pub const UNRESERVED_BYTES_MAX: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: a client that occupied the whole lane still got a millisecond on a socket thread
    /// for each request before it was rejected.
    #[test]
    fn whoever_sends_heavy_reads_has_less_time_where_they_arrive() {
        let client = ClientAccount::default();
        assert_eq!(client.inline_fuel(), INLINE_FUEL);
        (0..2).for_each(|_| client.note_inline_read(true));
        assert_eq!(client.inline_fuel(), INLINE_FUEL / 4);
        (0..100).for_each(|_| client.note_inline_read(true));
        assert_eq!(client.inline_fuel(), INLINE_FUEL / 32);
        // A single small read does not restore the budget.
        client.note_inline_read(false);
        assert_eq!(client.inline_fuel(), INLINE_FUEL / 32);
        (0..60).for_each(|_| client.note_inline_read(false));
        assert_eq!(client.inline_fuel(), INLINE_FUEL);
    }
}
