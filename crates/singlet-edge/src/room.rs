//! Memory shared fairly between clients.
//!
//! A client may hold no more of a room than it leaves free. So one client can get half of the room,
//! the next one half of the rest, and so on. If `n` greedy clients grow together, `1 / (n + 1)` of
//! the room stays free; if they come one after the other, `1 / 2^n`. Network switches share packet
//! buffers by the same rule (dynamic thresholds).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A memory budget for one kind of bytes, shared by all clients. Clones share it too.
///
/// ```
/// use singlet_edge::{Room, Shares};
///
/// let room = Room::new(100);
/// let (greedy, modest) = (Shares::default(), Shares::default());
/// let mut half = room.hold(&greedy);
/// assert!(half.add(50));
/// assert!(!room.hold(&greedy).add(10), "it leaves less than it has");
/// assert!(room.hold(&modest).add(25));
/// ```
#[derive(Clone, Debug)]
pub struct Room(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    capacity: usize,
    used: AtomicUsize,
    /// Whether a client was refused because of other clients since the last check.
    is_short: AtomicBool,
}

/// The bytes one client holds of a room.
#[derive(Clone, Debug, Default)]
pub struct Share(Arc<AtomicUsize>);

/// The shares that a connection's bytes count towards.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    /// The connection's share.
    pub connection: Share,
    /// The share of all connections from its address; `None` for this machine.
    pub address: Option<Share>,
}

impl Share {
    /// Whether both are clones of one share, that is, of one client.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Room {
    /// An empty room with this capacity in bytes.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let (used, is_short) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self(Arc::new(Counters { capacity, used, is_short }))
    }

    /// An empty reservation charged to these shares.
    #[must_use]
    pub fn hold(&self, shares: &Shares) -> Reservation {
        Reservation { room: self.clone(), shares: shares.clone(), bytes: 0 }
    }

    /// Reserves bytes until the guard is dropped; `None` if there is no room. Unlike a
    /// [`Room::hold`] reservation, it cannot grow or outlive its client.
    #[must_use]
    pub fn take<'r>(&'r self, shares: &'r Shares, bytes: usize) -> Option<Taken<'r>> {
        self.0.add(shares, bytes).then(|| Taken { counters: &self.0, shares, bytes })
    }

    /// Bytes in use.
    #[must_use]
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Whether a client was refused because of other clients since the last call.
    #[must_use]
    pub fn take_shortage(&self) -> bool {
        self.0.is_short.load(Ordering::Relaxed) && self.0.is_short.swap(false, Ordering::Relaxed)
    }
}

/// Bytes of a room, held until this is dropped.
#[derive(Debug)]
pub struct Reservation {
    room: Room,
    shares: Shares,
    bytes: usize,
}

impl Reservation {
    /// Reserves more bytes, if there is room.
    #[must_use]
    pub fn add(&mut self, bytes: usize) -> bool {
        let is_held = self.room.0.add(&self.shares, bytes);
        if is_held {
            self.bytes += bytes;
        }
        is_held
    }

    /// Reserves more bytes regardless of the client's share, as long as the room stays within its
    /// capacity plus `beyond`. For data that cannot be refused.
    #[must_use]
    pub fn add_beyond(&mut self, bytes: usize, beyond: usize) -> bool {
        let Counters { capacity, used, .. } = &*self.room.0;
        let most = capacity.saturating_add(beyond);
        let fits = |used: usize| used.checked_add(bytes).filter(|total| *total <= most);
        let is_held = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok();
        if is_held {
            self.bytes += bytes;
            for share in self.shares.each() {
                share.0.fetch_add(bytes, Ordering::Relaxed);
            }
        }
        is_held
    }

    /// Releases bytes above this number.
    pub fn shrink_to(&mut self, bytes: usize) {
        let surplus = self.bytes.saturating_sub(bytes);
        self.bytes -= surplus;
        self.room.0.give_back(&self.shares, surplus);
    }

    /// Bytes held by this reservation.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Bytes of a room, borrowed by one client until this is dropped.
#[derive(Debug)]
pub struct Taken<'r> {
    counters: &'r Counters,
    shares: &'r Shares,
    bytes: usize,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.counters.give_back(self.shares, self.bytes);
    }
}

impl Counters {
    /// Reserves bytes, if there is room.
    fn add(&self, shares: &Shares, bytes: usize) -> bool {
        // Adding nothing always succeeds, even if the share has shrunk since it was granted.
        if bytes == 0 {
            return true;
        }
        let fits = |used: usize| used.checked_add(bytes).filter(|total| *total <= self.capacity);
        let Ok(before) = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) else {
            self.note_refused(shares, bytes);
            return false;
        };
        let left = self.capacity - before - bytes;
        let mut has_room = true;
        for share in shares.each() {
            has_room &= share.0.fetch_add(bytes, Ordering::Relaxed) + bytes <= left;
        }
        if !has_room {
            self.give_back(shares, bytes);
            self.note_refused(shares, bytes);
        }
        has_room
    }

    fn give_back(&self, shares: &Shares, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        for share in shares.each() {
            share.0.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Flags a shortage if other clients caused it: this client could have had the bytes in an
    /// empty room, and others hold a good part of it.
    #[cold]
    fn note_refused(&self, shares: &Shares, bytes: usize) {
        let own = shares.each().map(Share::bytes).max().unwrap_or_default();
        let of_others = self.used.load(Ordering::Relaxed).saturating_sub(own);
        if own.saturating_add(bytes) <= self.capacity / 2 && of_others >= self.capacity / 3 {
            self.is_short.store(true, Ordering::Relaxed);
        }
    }
}

impl Share {
    fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Shares {
    /// The share that identifies the client for round-robin scheduling: the address's for remote
    /// clients, else the connection's.
    #[must_use]
    pub fn client(&self) -> &Share {
        self.address.as_ref().unwrap_or(&self.connection)
    }

    fn each(&self) -> impl Iterator<Item = &Share> {
        [Some(&self.connection), self.address.as_ref()].into_iter().flatten()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.room.0.give_back(&self.shares, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reserves single bytes until the room refuses.
    fn fill(room: &Room, shares: &Shares) -> Reservation {
        let mut hold = room.hold(shares);
        loop {
            let mut more = room.hold(shares);
            if !more.add(1) {
                return hold;
            }
            drop(more);
            assert!(hold.add(1));
        }
    }

    #[test]
    fn reserved_bytes_are_returned_once() {
        let (room, shares) = (Room::new(10), Shares::default());
        let taken = room.take(&shares, 5);
        assert!(taken.is_some());
        assert!(room.take(&shares, 1).is_none(), "it would leave less than it has");
        assert_eq!((room.used(), shares.connection.bytes()), (5, 5));
        drop(taken);
        assert_eq!((room.used(), shares.connection.bytes()), (0, 0));
    }

    /// A client's share may shrink after it was granted. Its bytes stay reserved.
    #[test]
    fn nothing_more_is_always_granted() {
        let room = Room::new(1000);
        let mut first = room.hold(&Shares::default());
        let mut second = room.hold(&Shares::default());
        assert!(first.add(400) && second.add(300));
        assert!(!first.add(1), "its share is used");
        assert!(first.add(0) && !room.take_shortage());
    }

    #[test]
    fn greedy_clients_leave_room_for_one_more() {
        let room = Room::new(100_000);
        let holds: Vec<Reservation> = (0..9).map(|_| fill(&room, &Shares::default())).collect();
        let bytes: Vec<usize> = holds.iter().map(Reservation::bytes).collect();
        // Each takes half of the remaining room.
        assert_eq!(bytes, [50_000, 25_000, 12_500, 6_250, 3_125, 1_562, 781, 391, 195]);
        assert!(room.hold(&Shares::default()).add(90));
        drop(holds);
        assert_eq!(room.used(), 0);
        let mut hold = room.hold(&Shares::default());
        assert!(hold.add(1000));
        hold.shrink_to(400);
        assert_eq!((hold.bytes(), room.used()), (400, 400));
    }

    #[test]
    fn connections_of_one_address_share_its_share() {
        let room = Room::new(1000);
        let address = Some(Share::default());
        let of_address = || Shares { address: address.clone(), ..Shares::default() };
        let holds: Vec<Reservation> = (0..100).map(|_| fill(&room, &of_address())).collect();
        assert_eq!(room.used(), 500);
        assert!(room.hold(&Shares::default()).add(250));
        drop(holds);
    }

    /// A client refused because of its own share, or because it asked for more than any client may
    /// have, used to have everyone else's slow transfers cut off.
    #[test]
    fn a_client_at_its_own_limit_does_not_signal_a_shortage() {
        let room = Room::new(1000);
        let greedy = Shares { address: Some(Share::default()), ..Shares::default() };
        let mut hold = room.hold(&greedy);
        assert!(hold.add(400));
        assert!(!hold.add(101) && !room.hold(&Shares::default()).add(2000));
        let neighbour = Shares { address: greedy.address.clone(), ..Shares::default() };
        assert!(!room.hold(&neighbour).add(101));
        assert!(!room.take_shortage());
        let part = Shares::default();
        let mut rest = room.hold(&part);
        while rest.add(1) {}
        assert_eq!(rest.bytes(), 300);
        // Refused because of the other clients.
        assert!(room.take_shortage());
        drop((rest, hold));
        assert!(!room.take_shortage());
        let (mut small, mut growing) = (room.hold(&Shares::default()), room.hold(&part));
        assert!(small.add(100));
        while growing.add(1) {}
        assert!(growing.bytes() == 450 && !room.take_shortage(), "it has most of the room itself");
        drop((small, growing));
        let mut hold = room.hold(&greedy);
        assert!(hold.add(400));
        assert!(!room.hold(&Shares::default()).add(301));
        assert!(room.take_shortage() && !room.take_shortage());
    }

    #[test]
    fn committed_responses_are_bounded_too() {
        let room = Room::new(1000);
        let mut hold = room.hold(&Shares::default());
        assert!(hold.add_beyond(900, 500) && hold.add_beyond(600, 500));
        assert!(!hold.add_beyond(1, 500) && !room.hold(&Shares::default()).add(1));
        assert_eq!((hold.bytes(), room.used()), (1500, 1500));
        drop(hold);
        assert_eq!(room.used(), 0);
    }

    proptest! {
        #[test]
        fn reservations_never_exceed_the_capacity_and_are_all_returned(
            wants in prop::collection::vec((0..8_usize, 1..200_usize, any::<bool>()), 0..200),
        ) {
            let room = Room::new(1000);
            let clients: Vec<Shares> = (0..8).map(|_| Shares::default()).collect();
            let mut held: Vec<Reservation> = Vec::new();
            for (client, bytes, drops) in wants {
                let Some(shares) = clients.get(client) else { continue };
                let mut hold = room.hold(shares);
                if hold.add(bytes) {
                    held.push(hold);
                } else {
                    drop(hold);
                }
                if drops {
                    held.pop();
                }
                prop_assert_eq!(room.used(), held.iter().map(Reservation::bytes).sum::<usize>());
                prop_assert!(room.used() <= 1000);
            }
            drop(held);
            prop_assert_eq!(room.used(), 0);
        }
    }
}
