//! How much is taken on at a time: requests, and the bytes that they hold.
//!
//! What is beyond the bounds is refused at once. A client that is told to try again later comes
//! back when there is room; one that is left waiting comes back while it still waits.

use crate::limits::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is taken on. Clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Admission(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    requests: AtomicUsize,
    requests_max: usize,
    held_bytes: AtomicUsize,
    held_bytes_max: usize,
}

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(Arc::new(Counters {
            requests: AtomicUsize::new(0),
            requests_max: limits.requests_max,
            held_bytes: AtomicUsize::new(0),
            held_bytes_max: limits.held_bytes_max,
        }))
    }

    /// Takes on a request, if there is room, until the ticket is dropped.
    pub(crate) fn admit(&self) -> Option<Ticket<'_>> {
        let ticket = Ticket(&self.0);
        // Dropping the ticket takes back what was one too many.
        (self.0.requests.fetch_add(1, Ordering::Relaxed) < self.0.requests_max).then_some(ticket)
    }

    /// Nothing yet, to which bytes can be added.
    pub(crate) fn held(&self) -> Held {
        Held { admission: self.clone(), bytes: 0 }
    }

    /// Whether there is room for answers, whose size nobody knows before they are there.
    pub(crate) fn has_room(&self) -> bool {
        self.held_bytes() <= self.0.held_bytes_max
    }

    pub(crate) fn requests(&self) -> usize {
        self.0.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn held_bytes(&self) -> usize {
        self.0.held_bytes.load(Ordering::Relaxed)
    }
}

/// A request that was taken on.
#[derive(Debug)]
pub(crate) struct Ticket<'a>(&'a Counters);

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Bytes that are held, until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    admission: Admission,
    bytes: usize,
}

impl Held {
    /// Holds more bytes, if there is room for them.
    pub(crate) fn add(&mut self, bytes: usize) -> bool {
        let counters = &*self.admission.0;
        let before = counters.held_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        before + bytes <= counters.held_bytes_max
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.admission.0.held_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes on their way to a client, which count as held until the last of them is written.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) _held: Held,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission() -> Admission {
        Admission::new(&Limits { requests_max: 2, held_bytes_max: 100, ..Limits::default() })
    }

    #[test]
    fn what_is_too_much_is_refused_until_there_is_room() {
        let admission = admission();
        let first = admission.admit();
        let second = admission.admit();
        assert!(first.is_some() && second.is_some());
        assert!(admission.admit().is_none());
        assert_eq!(admission.requests(), 2);
        drop(first);
        assert!(admission.admit().is_some());
        assert_eq!(admission.requests(), 1);
    }

    #[test]
    fn bytes_are_given_back_also_by_those_who_were_refused() {
        let admission = admission();
        let mut one = admission.held();
        assert!(one.add(60) && one.add(40));
        let mut other = admission.held();
        assert!(!other.add(1));
        drop(other);
        assert_eq!(admission.held_bytes(), 100);
        drop(one);
        assert_eq!(admission.held_bytes(), 0);
    }
}
