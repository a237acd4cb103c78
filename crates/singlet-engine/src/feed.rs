//! The change feed within the process: every committed change, in order, to whoever listens.
//!
//! A writer never waits for a listener. A listener that does not keep up loses what it had not
//! read yet and is told how much, so that it can read the current state and go on from there.

use singlet_dynamo::stored::StoredItem;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

/// How many changes may wait for a listener: enough for bursts.
pub const UNREAD_MAX: usize = 4_096;
/// How many bytes the items of these changes may have.
pub const UNREAD_BYTES_MAX: usize = 64 << 20;

/// One change of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table's name.
    pub table_name: Arc<str>,
    /// The place of this change among all changes of the engine.
    pub sequence_number: u64,
    /// The item before, if there was one.
    pub old: Option<StoredItem>,
    /// The item after, unless it was deleted.
    pub new: Option<StoredItem>,
    /// Whether the item was deleted because its time had come.
    pub is_expiry: bool,
}

impl Change {
    fn item_bytes(&self) -> usize {
        let bytes = |item: &Option<StoredItem>| item.as_ref().map_or(0, StoredItem::stored_bytes);
        bytes(&self.old) + bytes(&self.new)
    }
}

/// What a listener hears.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An item was changed.
    Change(Arc<Change>),
    /// So many changes were lost, because the listener did not keep up. The next change comes
    /// after them.
    FellBehind {
        /// How many.
        missed: u64,
    },
}

/// All listeners.
#[derive(Default)]
pub(crate) struct Feed {
    listeners: Mutex<Vec<Listener>>,
    /// How many there are, so that a writer without listeners takes no lock.
    count: AtomicUsize,
}

struct Listener {
    /// The table listened to; all tables if `None`.
    table_name: Option<String>,
    inbox: Weak<Inbox>,
}

#[derive(Default)]
struct Inbox {
    state: Mutex<InboxState>,
    changed: Condvar,
}

#[derive(Default)]
struct InboxState {
    unread: VecDeque<Arc<Change>>,
    /// The bytes of the items in there.
    unread_bytes: usize,
    missed: u64,
    waker: Option<Waker>,
    is_closed: bool,
}

/// Nothing that can panic is done while these locks are held, so a poisoned one is sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Feed {
    pub(crate) fn subscribe(&self, table_name: Option<&str>) -> Subscription {
        let inbox = Arc::new(Inbox::default());
        let mut listeners = lock(&self.listeners);
        listeners.push(Listener {
            table_name: table_name.map(str::to_owned),
            inbox: Arc::downgrade(&inbox),
        });
        self.count.store(listeners.len(), Ordering::Release);
        Subscription { inbox }
    }

    /// Whether a change needs to be made for anybody.
    pub(crate) fn has_listeners(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Tells everybody who listens. Changes must come in the order of their commits.
    pub(crate) fn publish(&self, changes: &[Arc<Change>]) {
        if changes.is_empty() || !self.has_listeners() {
            return;
        }
        let mut listeners = lock(&self.listeners);
        listeners.retain(|listener| {
            let Some(inbox) = listener.inbox.upgrade() else { return false };
            let wanted = |change: &&Arc<Change>| {
                listener.table_name.as_deref().is_none_or(|name| *name == *change.table_name)
            };
            inbox.put(changes.iter().filter(wanted));
            true
        });
        self.count.store(listeners.len(), Ordering::Release);
    }

    /// Tells everybody that nothing more will come.
    pub(crate) fn close(&self) {
        for inbox in lock(&self.listeners).drain(..).filter_map(|one| one.inbox.upgrade()) {
            lock(&inbox.state).is_closed = true;
            inbox.wake();
        }
        self.count.store(0, Ordering::Release);
    }
}

impl Inbox {
    fn put<'a>(&self, changes: impl Iterator<Item = &'a Arc<Change>>) {
        let mut state = lock(&self.state);
        let mut any = false;
        for change in changes {
            let bytes = change.item_bytes();
            if state.unread.len() >= UNREAD_MAX || state.unread_bytes + bytes > UNREAD_BYTES_MAX {
                state.missed += state.unread.len() as u64;
                state.unread.clear();
                state.unread_bytes = 0;
            }
            state.unread_bytes += bytes;
            state.unread.push_back(Arc::clone(change));
            any = true;
        }
        drop(state);
        if any {
            self.wake();
        }
    }

    fn wake(&self) {
        let waker = lock(&self.state).waker.take();
        self.changed.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl InboxState {
    fn take(&mut self) -> Option<Event> {
        // What was missed lies before what is unread.
        match std::mem::take(&mut self.missed) {
            0 => {
                let change = self.unread.pop_front()?;
                self.unread_bytes -= change.item_bytes();
                Some(Event::Change(change))
            }
            missed => Some(Event::FellBehind { missed }),
        }
    }
}

/// Listens to changes from the moment it was made until it is dropped.
///
/// Of several readers of one subscription, each event goes to one of them.
pub struct Subscription {
    inbox: Arc<Inbox>,
}

impl Subscription {
    /// The next event, if there is one already.
    #[must_use]
    pub fn try_next(&self) -> Option<Event> {
        lock(&self.inbox.state).take()
    }

    /// Waits for the next event; `None` when the engine was closed and all was read.
    pub async fn next(&self) -> Option<Event> {
        poll_fn(|context| {
            let mut state = lock(&self.inbox.state);
            match state.take() {
                Some(event) => Poll::Ready(Some(event)),
                None if state.is_closed => Poll::Ready(None),
                None => {
                    state.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Blocks the thread until the next event, at most for this long; `None` when nothing came,
    /// or nothing can come any more.
    #[must_use]
    pub fn next_within(&self, patience: Duration) -> Option<Event> {
        let deadline = Instant::now() + patience;
        let mut state = lock(&self.inbox.state);
        loop {
            if let Some(event) = state.take() {
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.is_closed || left.is_zero() {
                return None;
            }
            let waited = self.inbox.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_dynamo::{Item, Value};

    fn change(table: &str, sequence_number: u64) -> Arc<Change> {
        Arc::new(Change {
            table_name: table.into(),
            sequence_number,
            old: None,
            new: None,
            is_expiry: false,
        })
    }

    fn heard(subscription: &Subscription) -> Vec<u64> {
        std::iter::from_fn(|| subscription.try_next())
            .map(|event| match event {
                Event::Change(change) => change.sequence_number,
                Event::FellBehind { .. } => u64::MAX,
            })
            .collect()
    }

    #[test]
    fn listeners_hear_their_table_in_order() {
        let feed = Feed::default();
        feed.publish(&[change("a", 0)]);
        let (all, only_b) = (feed.subscribe(None), feed.subscribe(Some("b")));
        feed.publish(&[change("a", 1), change("b", 2)]);
        feed.publish(&[change("b", 3)]);
        assert_eq!(heard(&all), [1, 2, 3]);
        assert_eq!(heard(&only_b), [2, 3]);
        drop((all, only_b));
        feed.publish(&[change("a", 4)]);
        assert!(!feed.has_listeners());
    }

    #[test]
    fn a_slow_listener_is_told_what_it_missed() {
        let feed = Feed::default();
        let subscription = feed.subscribe(None);
        let total = UNREAD_MAX as u64 + 3;
        for number in 0..total {
            feed.publish(&[change("a", number)]);
        }
        assert_eq!(subscription.try_next(), Some(Event::FellBehind { missed: UNREAD_MAX as u64 }));
        assert_eq!(heard(&subscription), (UNREAD_MAX as u64..total).collect::<Vec<_>>());
    }

    #[test]
    fn large_items_wait_up_to_a_sum_of_bytes() {
        const ITEM_BYTES: usize = 400_000;
        let item = Item::from([("text", Value::from("a".repeat(ITEM_BYTES)))]);
        let item = StoredItem::from(&item);
        let feed = Feed::default();
        let subscription = feed.subscribe(None);
        let large = |sequence_number| {
            let (old, new) = (Some(item.clone()), Some(item.clone()));
            let table_name = "a".into();
            Arc::new(Change { table_name, sequence_number, old, new, is_expiry: false })
        };
        // Those that are read make room for others.
        for number in 0..1000 {
            feed.publish(&[large(number)]);
            assert_eq!(heard(&subscription), [number]);
        }
        let fit = (UNREAD_BYTES_MAX / (2 * item.stored_bytes())) as u64;
        for number in 0..=fit {
            feed.publish(&[large(number)]);
        }
        assert_eq!(subscription.try_next(), Some(Event::FellBehind { missed: fit }));
        assert_eq!(heard(&subscription), [fit]);
    }

    #[test]
    fn waiting_ends_with_an_event_or_the_feed() {
        let feed = Arc::new(Feed::default());
        let subscription = feed.subscribe(None);
        assert_eq!(subscription.next_within(Duration::from_millis(1)), None);
        let writer = {
            let feed = Arc::clone(&feed);
            std::thread::spawn(move || {
                feed.publish(&[change("a", 7)]);
                feed.close();
            })
        };
        let event = subscription.next_within(Duration::from_secs(60));
        assert_eq!(event, Some(Event::Change(change("a", 7))));
        assert_eq!(subscription.next_within(Duration::from_secs(60)), None);
        writer.join().unwrap();
    }
}
