//! Who sends requests, so that one who sends many does not delay the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Somebody who sends requests, for servers that have several such. Clones are the same client.
///
/// When more waits than can be done at once, clients take turns: see
/// [`Engine::start_for`](crate::Engine::start_for).
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

/// What a client has cost, as far as somebody else had to wait. Changed under the locks of the
/// queue and of the lane, each of which has fields of its own. A client of two engines would be
/// charged for both, and lose nothing but turns.
#[derive(Debug, Default)]
struct Account {
    /// What its commands have cost.
    cost: AtomicU64,
    /// What the last one did.
    last_cost: AtomicU64,
    /// When it is the turn of the first of its commands that wait, and of the next one.
    first_turn: AtomicU64,
    next_turn: AtomicU64,
    /// When a job of its last had a turn on the lane.
    last_job_turn: AtomicU64,
}

impl Client {
    /// Counts a command, and says what all have cost.
    pub(crate) fn charge(&self, cost_now: u64, cost: u64) -> u64 {
        let account = &*self.0;
        let total = account.cost.load(Ordering::Relaxed).max(cost_now).saturating_add(cost);
        account.cost.store(total, Ordering::Relaxed);
        account.last_cost.store(cost, Ordering::Relaxed);
        total
    }

    /// Begins to give turns to the commands that wait.
    pub(crate) fn begin_turns(&self, cost_now: u64) {
        let cost = self.0.cost.load(Ordering::Relaxed).max(cost_now);
        self.0.first_turn.store(cost, Ordering::Relaxed);
        self.0.next_turn.store(cost, Ordering::Relaxed);
    }

    /// When it is the turn of the next of them.
    pub(crate) fn next_turn(&self) -> u64 {
        let turn = self.0.next_turn.load(Ordering::Relaxed);
        let cost = self.0.last_cost.load(Ordering::Relaxed).max(1);
        self.0.next_turn.store(turn.saturating_add(cost), Ordering::Relaxed);
        turn
    }

    /// Whether this is the turn of the first of them.
    pub(crate) fn is_first(&self, turn: u64) -> bool {
        self.0.first_turn.load(Ordering::Relaxed) == turn
    }

    /// When a job of this client last had a turn on the lane.
    pub(crate) fn last_job_turn(&self) -> u64 {
        self.0.last_job_turn.load(Ordering::Relaxed)
    }

    pub(crate) fn note_job_turn(&self, now: u64) {
        self.0.last_job_turn.store(now, Ordering::Relaxed);
    }

    /// Whether both are the same client.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Asked before a write is done whether what it returns may have so many bytes.
pub type AnswerRoom = Arc<dyn Fn(usize) -> bool + Send + Sync>;

/// Who sends a request, and what its answer may take.
#[derive(Clone, Default)]
pub struct Caller {
    /// Who takes turns with others; `None` for the process itself. Writes of the process count as
    /// having cost their fair part so far, and its heavy requests are those of one client.
    pub client: Option<Client>,
    /// Where there must be room for the item that a write returns (`ReturnValues`). If there is
    /// none, the write is refused with [`Error::Overloaded`](crate::Error::Overloaded) and not done.
    /// Items up to [`ROOMLESS_BYTES_MAX`] are not asked for.
    pub room: Option<AnswerRoom>,
}

/// Up to this many bytes an item that a write returns is not asked room for.
pub const ROOMLESS_BYTES_MAX: usize = 4 << 10;
