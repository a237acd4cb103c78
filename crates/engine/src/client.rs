//! The identity of a client, and its account for fair queuing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One of the clients of a server, for fair queuing: see
/// [`Engine::start_for`](crate::Engine::start_for). Clones are the same client.
///
/// ```
/// use singlet_dynamo::operation::Request;
/// use singlet_engine::{Caller, Client, Engine};
/// use std::pin::pin;
/// use std::task::{Context, Waker};
///
/// let engine = Engine::memory()?;
/// let caller = Caller { client: Some(Client::default()), room: None };
/// let started = engine.start_for(&caller, Request::from_json("ListTables", b"{}")?);
/// assert!(pin!(started).poll(&mut Context::from_waker(Waker::noop())).is_ready());
/// # Ok::<(), singlet_engine::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Client(Arc<Account>);

/// What a client was charged while others had to wait. The commit queue and the lane use different
/// fields, each under its own lock.
#[derive(Debug, Default)]
struct Account {
    /// The virtual time up to which its commands are charged.
    charged: AtomicU64,
    /// The cost of its last command.
    last_cost: AtomicU64,
    /// The start tags of its first waiting command and of the next one to get a tag.
    first_tag: AtomicU64,
    next_tag: AtomicU64,
    /// The lane's turn counter when a job of this client last had a turn.
    last_job_turn: AtomicU64,
}

impl Client {
    /// Charges a command, and returns the virtual time up to which the client is charged.
    pub(crate) fn charge(&self, virtual_time: u64, cost: u64) -> u64 {
        let account = &*self.0;
        let total = account.charged.load(Ordering::Relaxed).max(virtual_time).saturating_add(cost);
        account.charged.store(total, Ordering::Relaxed);
        account.last_cost.store(cost, Ordering::Relaxed);
        total
    }

    /// Resets the start tags before all waiting commands get new ones.
    pub(crate) fn reset_tags(&self, virtual_time: u64) {
        let start = self.0.charged.load(Ordering::Relaxed).max(virtual_time);
        self.0.first_tag.store(start, Ordering::Relaxed);
        self.0.next_tag.store(start, Ordering::Relaxed);
    }

    /// The start tag of the client's next waiting command. Its cost is estimated by the last one.
    pub(crate) fn next_tag(&self) -> u64 {
        let tag = self.0.next_tag.load(Ordering::Relaxed);
        let cost = self.0.last_cost.load(Ordering::Relaxed).max(1);
        self.0.next_tag.store(tag.saturating_add(cost), Ordering::Relaxed);
        tag
    }

    /// Whether this is the start tag of the client's first waiting command.
    pub(crate) fn is_first_tag(&self, tag: u64) -> bool {
        self.0.first_tag.load(Ordering::Relaxed) == tag
    }

    /// The lane's turn counter when a job of this client last had a turn.
    pub(crate) fn last_job_turn(&self) -> u64 {
        self.0.last_job_turn.load(Ordering::Relaxed)
    }

    pub(crate) fn note_job_turn(&self, now: u64) {
        self.0.last_job_turn.store(now, Ordering::Relaxed);
    }

    /// Whether both are clones of one client.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Reserves memory for the item that a write returns, before the write is staged. Returns false if
/// there is none.
pub type AnswerRoom = Arc<dyn Fn(usize) -> bool + Send + Sync>;

/// The client of a request, and the memory for its answer.
#[derive(Clone, Default)]
pub struct Caller {
    /// Who is charged; `None` for the process itself. Its writes are never charged, and its heavy
    /// requests share the lane as one client.
    pub client: Option<Client>,
    /// Called for the item that a write returns (`ReturnValues`), if it has more than
    /// [`UNRESERVED_BYTES_MAX`]. If it returns false, the write fails with
    /// [`Error::Overloaded`](crate::Error::Overloaded) and changes nothing.
    pub room: Option<AnswerRoom>,
}

/// The size up to which no memory is reserved for an item that a write returns.
pub const UNRESERVED_BYTES_MAX: usize = 4 << 10;
