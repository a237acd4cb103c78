//! Lists that are kept in memory for a while.

use singlet::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a list is kept.
const KEPT: Duration = Duration::from_secs(60);

/// A list that was read, and when. Clones are one.
pub(super) struct Remembered<T>(Arc<Mutex<List<T>>>);

struct List<T> {
    /// When it was read; `None` if something in it has changed since then.
    at: Option<Timestamp>,
    items: Arc<Vec<T>>,
}

impl<T> Clone for Remembered<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(List { at: None, items: Arc::default() })))
    }
}

impl<T> Remembered<T> {
    /// The list, unless it is too old.
    pub(super) fn get(&self, now: Timestamp) -> Option<Arc<Vec<T>>> {
        let list = self.list();
        let is_fresh = list.at.is_some_and(|at| at <= now && now.since(at) < KEPT);
        is_fresh.then(|| Arc::clone(&list.items))
    }

    /// The list, however old it is; empty before the first time.
    pub(super) fn last(&self) -> Arc<Vec<T>> {
        Arc::clone(&self.list().items)
    }

    /// Keeps a list.
    pub(super) fn set(&self, now: Timestamp, items: Vec<T>) -> Arc<Vec<T>> {
        let items = Arc::new(items);
        *self.list() = List { at: Some(now), items: Arc::clone(&items) };
        items
    }

    /// Has the list read again, because something in it has changed.
    pub(super) fn forget(&self) {
        self.list().at = None;
    }

    fn list(&self) -> MutexGuard<'_, List<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
