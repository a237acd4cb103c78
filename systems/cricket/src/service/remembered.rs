//! Lists that are kept in memory for a while.

use singlet::Timestamp;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a list is kept.
const KEPT: Duration = Duration::from_secs(60);

/// A list that was read, and when. Clones are one.
pub(super) struct Remembered<T>(Arc<Mutex<Option<(Timestamp, Arc<Vec<T>>)>>>);

impl<T> Clone for Remembered<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Remembered<T> {
    /// The list, unless it is too old.
    pub(super) fn get(&self, now: Timestamp) -> Option<Arc<Vec<T>>> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, list) = remembered.as_ref()?;
        let is_fresh = *at <= now && now.since(*at) < KEPT;
        is_fresh.then(|| Arc::clone(list))
    }

    /// Keeps a list.
    pub(super) fn set(&self, now: Timestamp, list: Vec<T>) -> Arc<Vec<T>> {
        let list = Arc::new(list);
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *remembered = Some((now, Arc::clone(&list)));
        list
    }

    /// Forgets the list, because something in it has changed.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
