//! One lock per key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Serialises work on a key within this process. This avoids retries of conditional writes but does
/// not replace conditions: other servers do not wait.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use singlet_web::keyed_mutex::KeyedMutex;
///
/// let games = KeyedMutex::default();
/// let guard = games.lock("ABC123").await;
/// // Other keys do not wait.
/// let other = games.lock("XYZ789").await;
/// # drop((guard, other));
/// # }
/// ```
#[derive(Clone, Default)]
pub struct KeyedMutex {
    /// Locks that are held or waited for.
    locks: Arc<StdMutex<HashMap<String, Arc<Mutex<()>>>>>,
}

/// Holds the lock of a key until dropped.
#[must_use = "the lock is released when this is dropped"]
pub struct KeyedGuard {
    // Drop order matters: `Interest` counts remaining references to the lock.
    _guard: OwnedMutexGuard<()>,
    _interest: Interest,
}

/// A holder or waiter of a key's lock. The last one removes it.
struct Interest {
    owner: KeyedMutex,
    key: String,
    lock: Option<Arc<Mutex<()>>>,
}

impl KeyedMutex {
    /// Waits for the lock of this key. First come, first served.
    pub async fn lock(&self, key: &str) -> KeyedGuard {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(key.to_owned()).or_default())
        };
        // Created before waiting, so that a cancelled caller cleans up.
        let interest =
            Interest { owner: self.clone(), key: key.to_owned(), lock: Some(Arc::clone(&lock)) };
        KeyedGuard { _guard: lock.lock_owned().await, _interest: interest }
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        let mut locks = self.owner.locks.lock().unwrap_or_else(PoisonError::into_inner);
        // The map is locked, so the count cannot change.
        self.lock = None;
        if locks.get(&self.key).is_some_and(|lock| Arc::strong_count(lock) == 1) {
            locks.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[tokio::test]
    async fn one_at_a_time_per_key_and_nothing_is_left() {
        let mutex = KeyedMutex::default();
        let inside = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let tasks: Vec<_> = (0..100_usize)
            .map(|number| {
                let (mutex, inside) = (mutex.clone(), Arc::clone(&inside));
                tokio::spawn(async move {
                    let key = number % 2;
                    let _guard = mutex.lock(if key == 0 { "a" } else { "b" }).await;
                    assert_eq!(inside[key].fetch_add(1, Ordering::SeqCst), 0);
                    tokio::task::yield_now().await;
                    inside[key].fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(mutex.locks.lock().unwrap().len(), 0);
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_nothing() {
        let mutex = KeyedMutex::default();
        let held = mutex.lock("a").await;
        let waiting = tokio::spawn({
            let mutex = mutex.clone();
            async move { drop(mutex.lock("a").await) }
        });
        tokio::task::yield_now().await;
        waiting.abort();
        let _ = waiting.await;
        drop(held);
        assert_eq!(mutex.locks.lock().unwrap().len(), 0);
    }
}
