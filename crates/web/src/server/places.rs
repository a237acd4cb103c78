//! Who may be connected at the same time.

use crate::limit::counted;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places for connections: so many for all, and so many for one caller, so that nobody can take
/// all of them. Clones share them.
#[derive(Clone)]
pub(super) struct Places {
    all: Arc<Semaphore>,
    per_caller_max: usize,
    /// How many places each caller has. Nobody is listed with none, so there are no more callers
    /// here than there are places.
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// A place that is kept free for the next connection, whoever that is.
pub(super) struct FreePlace {
    permit: OwnedSemaphorePermit,
    places: Places,
}

/// The place of one connection, until it is dropped.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    places: Places,
    /// Who is counted for it, if anybody is.
    caller: Option<IpAddr>,
}

impl Places {
    pub(super) fn new(all_max: usize, per_caller_max: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(all_max)), per_caller_max, taken: Arc::default() }
    }

    /// Waits until there is room.
    pub(super) async fn free(&self) -> io::Result<FreePlace> {
        let permit = Arc::clone(&self.all).acquire_owned().await.map_err(io::Error::other)?;
        Ok(FreePlace { permit, places: self.clone() })
    }
}

impl FreePlace {
    /// Gives the place to a connection from this address; `None` if that caller has all that one
    /// caller may have.
    pub(super) fn give(self, peer: IpAddr) -> Option<Place> {
        let Self { permit, places } = self;
        let caller = counted(peer);
        if let Some(caller) = caller {
            let mut taken = places.taken.lock().unwrap_or_else(PoisonError::into_inner);
            let count = taken.get(&caller).copied().unwrap_or_default();
            if count >= places.per_caller_max {
                return None;
            }
            taken.insert(caller, count + 1);
        }
        Some(Place { _permit: permit, places, caller })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(caller) = self.caller else { return };
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&caller) {
            Some(count) if *count > 1 => *count -= 1,
            _ => _ = taken.remove(&caller),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;

    async fn take(places: &Places, peer: &str) -> Option<Place> {
        places.free().await.unwrap().give(peer.parse().unwrap())
    }

    /// One address that opened connections and said nothing kept everybody else out.
    #[tokio::test]
    async fn nobody_can_take_all_places() {
        let places = Places::new(10, 3);
        let mut greedy = Vec::new();
        for _ in 0..3 {
            greedy.push(take(&places, "192.0.2.1").await.unwrap());
        }
        for _ in 0..100 {
            assert!(take(&places, "192.0.2.1").await.is_none());
        }
        assert!(take(&places, "192.0.2.2").await.is_some());
        // What one has given back, one may have again.
        greedy.pop();
        let again = take(&places, "192.0.2.1").await;
        assert!(again.is_some() && take(&places, "192.0.2.1").await.is_none());
    }

    #[tokio::test]
    async fn a_network_of_ipv6_is_one_caller() {
        let places = Places::new(10, 1);
        let _one = take(&places, "2001:db8::1").await.unwrap();
        assert!(take(&places, "2001:db8::2").await.is_none());
        assert!(take(&places, "2001:db8:0:1::1").await.is_some());
    }

    #[tokio::test]
    async fn this_machine_is_limited_by_the_places_of_all_only() {
        let places = Places::new(4, 1);
        let mut own = Vec::new();
        for peer in ["127.0.0.1", "127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            own.push(take(&places, peer).await.unwrap());
        }
        assert_eq!(places.all.available_permits(), 0);
    }

    #[tokio::test]
    async fn who_is_gone_is_forgotten() {
        let places = Places::new(10, 3);
        for number in 0..100 {
            let peer = format!("198.51.100.{number}");
            drop([take(&places, &peer).await, take(&places, &peer).await]);
        }
        assert!(places.taken.lock().unwrap().is_empty());
        assert_eq!(places.all.available_permits(), 10);
    }
}
