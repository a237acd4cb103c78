//! One caller of a game at a time, within this process.

use std::hash::{BuildHasher, RandomState};
use tokio::sync::{Mutex, MutexGuard};

/// How many queues there are. Games that share one only wait for each other.
const QUEUES: usize = 256;

/// Lets callers of one process through one by one, where they would otherwise all try at once and
/// all but one would try again.
pub(super) struct Turnstile {
    queues: Vec<Mutex<()>>,
    hasher: RandomState,
}

impl Default for Turnstile {
    fn default() -> Self {
        let queues = (0..QUEUES).map(|_| Mutex::new(())).collect();
        Self { queues, hasher: RandomState::new() }
    }
}

impl Turnstile {
    /// Waits until nobody else with this name is inside. Leave by dropping what is returned.
    pub(super) async fn enter(&self, name: &str) -> Option<MutexGuard<'_, ()>> {
        let number = self.hasher.hash_one(name) as usize % QUEUES;
        match self.queues.get(number) {
            Some(queue) => Some(queue.lock().await),
            None => None,
        }
    }
}
