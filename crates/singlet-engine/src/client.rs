//! The identity of a client, and its account for fair queuing.

use crate::lane::INLINE_FUEL;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The identity of one of a server's clients, and what it is charged for fair queuing: see
/// [`Engine::start_for`](crate::Engine::start_for). Clones are the same account.
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

/// What a client was charged while others had to wait. The commit queue and the lane use different
/// fields, each under its own lock.
#[derive(Debug, Default)]
struct Account {
    /// The virtual time up to which its commands are charged.
    charged: AtomicU64,
    /// The cost of its last command; 0 if it has had none.
    last_cost: AtomicU64,
    /// The earliest start tag of its next waiting command to get one.
    next_tag: AtomicU64,
    /// Whether none of its waiting commands has a tag yet.
    is_untagged: AtomicBool,
    /// The lane's turn counter when a job of this client last had a turn.
    last_job_turn: AtomicU64,
    /// How much its reads took longer lately than they may where they arrive: [`OVERRUN`] is added for
    /// one that does, and 1 is taken off for one that does not.
    overruns: AtomicU32,
}

/// What is added for a read that takes longer than it may where it arrives.
const OVERRUN: u32 = 8;
/// How often the budget of a client's reads is halved for that, at most.
const HALVED_MAX: u32 = 5;

/// Where a waiting command stands in the commit queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) start: u64,
    /// The estimated cost of the command: that of the client's last one.
    pub(crate) cost: u64,
    /// Whether it is the client's first waiting command.
    pub(crate) is_first: bool,
}

impl ClientAccount {
    /// Charges a command, and returns the virtual time up to which the client is charged.
    pub(crate) fn charge(&self, virtual_time: u64, cost: u64) -> u64 {
        let account = &*self.0;
        let total = account.charged.load(Ordering::Relaxed).max(virtual_time).saturating_add(cost);
        account.charged.store(total, Ordering::Relaxed);
        total
    }

    /// Notes what a command cost, whether it is charged or not. Returns true for the first one.
    pub(crate) fn note_cost(&self, cost: u64) -> bool {
        let is_first = self.0.last_cost.load(Ordering::Relaxed) == 0;
        self.0.last_cost.store(cost.max(1), Ordering::Relaxed);
        is_first
    }

    /// Resets the start tags before all waiting commands get new ones.
    pub(crate) fn reset_tags(&self) {
        self.0.next_tag.store(self.0.charged.load(Ordering::Relaxed), Ordering::Relaxed);
        self.0.is_untagged.store(true, Ordering::Relaxed);
    }

    /// The tag of the client's next waiting command, which was in the queue at this virtual time.
    /// `first_cost` is the estimated cost of a client's first command.
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

    /// What a read of this client may take on the thread that it arrives on. Without this, everybody
    /// else would wait for a millisecond of each heavy request, also if there is no place for it in
    /// the lane.
    pub(crate) fn inline_fuel(&self) -> u64 {
        let overruns = self.0.overruns.load(Ordering::Relaxed);
        INLINE_FUEL >> (overruns / OVERRUN).min(HALVED_MAX)
    }

    /// Notes whether a read took longer than it may where it arrives.
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
/// there is none.
pub type AnswerRoom = Arc<dyn Fn(usize) -> bool + Send + Sync>;

/// Who sends a request, and the memory for its answer.
#[derive(Clone, Default)]
pub struct RequestContext {
    /// Who is charged; `None` for the process itself. Its writes are never charged, and its heavy
    /// requests share the lane as one client.
    pub client: Option<ClientAccount>,
    /// Called for the item that a write returns (`ReturnValues`), if it has more than
    /// [`UNRESERVED_BYTES_MAX`]. If it returns false, the write fails with
    /// [`Error::Overloaded`](crate::Error::Overloaded) and changes nothing.
    pub room: Option<AnswerRoom>,
}

/// The size up to which no memory is reserved for an item that a write returns.
pub const UNRESERVED_BYTES_MAX: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// Before: each request of a client that had all places of the lane was computed for a millisecond
    /// on a thread that serves sockets, and then refused.
    #[test]
    fn whoever_sends_heavy_reads_has_less_time_where_they_arrive() {
        let client = ClientAccount::default();
        assert_eq!(client.inline_fuel(), INLINE_FUEL);
        (0..2).for_each(|_| client.note_inline_read(true));
        assert_eq!(client.inline_fuel(), INLINE_FUEL / 4);
        (0..100).for_each(|_| client.note_inline_read(true));
        assert_eq!(client.inline_fuel(), INLINE_FUEL / 32);
        // It is forgiven, but not by a single small read.
        client.note_inline_read(false);
        assert_eq!(client.inline_fuel(), INLINE_FUEL / 32);
        (0..60).for_each(|_| client.note_inline_read(false));
        assert_eq!(client.inline_fuel(), INLINE_FUEL);
    }
}
