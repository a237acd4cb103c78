//! The change feed: every committed change, in order, delivered within the process.
//!
//! A writer never waits for a listener. A listener that falls behind loses its unread changes and
//! learns how many, so that it can reload the current state and continue.

use crate::sync::{Condvar, Mutex};
use singlet_dynamo::stored::StoredItem;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

/// Maximum number of unread changes per listener.
pub const UNREAD_MAX: usize = 4_096;
/// Maximum size of the items in them.
pub const UNREAD_BYTES_MAX: usize = 64 << 20;

/// One change of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The name of the table.
    pub table_name: Arc<str>,
    /// Orders all changes of the engine.
    pub sequence_number: u64,
    /// The item before the change, if any.
    pub old: Option<StoredItem>,
    /// The item after the change; `None` if it was deleted.
    pub new: Option<StoredItem>,
    /// Whether the item was deleted because it expired.
    pub is_expiry: bool,
}

impl Change {
    fn item_bytes(&self) -> usize {
        let bytes = |item: &Option<StoredItem>| item.as_ref().map_or(0, StoredItem::stored_bytes);
        bytes(&self.old) + bytes(&self.new)
    }
}

/// An event of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An item was changed.
    Change(Arc<Change>),
    /// The listener fell behind and lost changes. The next change follows the lost ones.
    FellBehind {
        /// The number of lost changes.
        missed: u64,
    },
}

#[derive(Default)]
pub(crate) struct Feed {
    listeners: Mutex<Vec<Listener>>,
    /// Number of listeners. Without any, a writer takes no lock.
    count: AtomicUsize,
}

struct Listener {
    /// `None` for all tables.
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
    /// Size of the items in `unread`.
    unread_bytes: usize,
    missed: u64,
    waker: Option<Waker>,
    is_closed: bool,
}

impl Feed {
    pub(crate) fn subscribe(&self, table_name: Option<&str>) -> Subscription {
        let inbox = Arc::new(Inbox::default());
        let mut listeners = self.listeners.lock();
        listeners.push(Listener {
            table_name: table_name.map(str::to_owned),
            inbox: Arc::downgrade(&inbox),
        });
        self.count.store(listeners.len(), Ordering::Release);
        Subscription { inbox }
    }

    pub(crate) fn has_listeners(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// Notifies listeners of a commit, in commit order. The commit is already visible, so a
    /// listener that subscribes after this finds it in its first snapshot.
    pub(crate) fn publish(&self, changes: Vec<Change>) {
        if changes.is_empty() || !self.has_listeners() {
            return;
        }
        let changes: Vec<_> = changes.into_iter().map(Arc::new).collect();
        let mut listeners = self.listeners.lock();
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

    /// Ends all subscriptions.
    pub(crate) fn close(&self) {
        for inbox in self.listeners.lock().drain(..).filter_map(|one| one.inbox.upgrade()) {
            inbox.state.lock().is_closed = true;
            inbox.wake();
        }
        self.count.store(0, Ordering::Release);
    }
}

impl Inbox {
    fn put<'a>(&self, changes: impl Iterator<Item = &'a Arc<Change>>) {
        let mut state = self.state.lock();
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
        let waker = self.state.lock().waker.take();
        self.changed.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl InboxState {
    fn take(&mut self) -> Option<Event> {
        // Missed changes precede the unread ones.
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

/// A subscription to changes, from its creation until it is dropped.
///
/// If several readers share it, each event goes to one of them.
pub struct Subscription {
    inbox: Arc<Inbox>,
}

impl Subscription {
    /// The next event, if there already is one.
    #[must_use]
    pub fn try_next(&self) -> Option<Event> {
        self.inbox.state.lock().take()
    }

    /// Waits for the next event; `None` once the engine is closed and everything was read.
    pub async fn next(&self) -> Option<Event> {
        poll_fn(|context| {
            let mut state = self.inbox.state.lock();
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

    /// Blocks until the next event or the timeout; `None` if there was none, or the engine was
    /// closed.
    #[must_use]
    pub fn next_within(&self, patience: Duration) -> Option<Event> {
        let deadline = Instant::now() + patience;
        let mut state = self.inbox.state.lock();
        loop {
            if let Some(event) = state.take() {
                return Some(event);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.is_closed || left.is_zero() {
                return None;
            }
            state = self.inbox.changed.wait_timeout(state, left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use singlet_dynamo::{Item, Value};

    fn change(table: &str, sequence_number: u64) -> Change {
        Change { table_name: table.into(), sequence_number, old: None, new: None, is_expiry: false }
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
        feed.publish(vec![change("a", 0)]);
        let (all, only_b) = (feed.subscribe(None), feed.subscribe(Some("b")));
        feed.publish(vec![change("a", 1), change("b", 2)]);
        feed.publish(vec![change("b", 3)]);
        assert_eq!(heard(&all), [1, 2, 3]);
        assert_eq!(heard(&only_b), [2, 3]);
        drop((all, only_b));
        feed.publish(vec![change("a", 4)]);
        assert!(!feed.has_listeners());
    }

    #[test]
    fn a_slow_listener_is_told_what_it_missed() {
        let feed = Feed::default();
        let subscription = feed.subscribe(None);
        let total = UNREAD_MAX as u64 + 3;
        for number in 0..total {
            feed.publish(vec![change("a", number)]);
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
            Change { table_name, sequence_number, old, new, is_expiry: false }
        };
        // Read changes free their bytes.
        for number in 0..1000 {
            feed.publish(vec![large(number)]);
            assert_eq!(heard(&subscription), [number]);
        }
        let fit = (UNREAD_BYTES_MAX / (2 * item.stored_bytes())) as u64;
        for number in 0..=fit {
            feed.publish(vec![large(number)]);
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
                feed.publish(vec![change("a", 7)]);
                feed.close();
            })
        };
        let event = subscription.next_within(Duration::from_secs(60));
        assert_eq!(event, Some(Event::Change(Arc::new(change("a", 7)))));
        assert_eq!(subscription.next_within(Duration::from_secs(60)), None);
        writer.join().unwrap();
    }
}
