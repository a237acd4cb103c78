//! Admission control: how many requests run at a time, and how many bytes they hold.
//!
//! Requests beyond the limits are refused at once. A client that is refused retries after a
//! backoff, when there may be room; one that is kept waiting times out and sends a second request
//! while the first is still queued.

use crate::limits::Limits;
use singlet_edge::{Holders, Reservation, Room, Share, Shares, Taken};
use singlet_engine::{AnswerRoom, ClientAccount};
use std::sync::{Arc, Mutex, PoisonError};

/// Bodies and responses up to this size are small. They have a room that large ones cannot use.
pub(crate) const SMALL_BYTES_MAX: usize = 64 << 10;

/// Counts admitted requests and their bytes.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Executing requests, shared between clients as bytes are.
    requests: Room,
    pub(crate) rooms: Rooms,
}

/// One room for each kind of bytes, so that one kind cannot crowd out another.
#[derive(Debug)]
pub(crate) struct Rooms {
    pub(crate) small: Room,
    pub(crate) large_bodies: Room,
    pub(crate) large_answers: Room,
    /// Items returned by writes, from before the commit until the response has its own room.
    pub(crate) returned_items: Room,
}

/// The bytes an address holds in each room, and its identity for fair queuing.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressShares {
    requests: Share,
    small: Share,
    large_bodies: Share,
    large_answers: Share,
    returned_items: Share,
    account: ClientAccount,
}

/// The bytes a connection holds in each room, and its identity for fair queuing: its address's if
/// the client is remote, else its own.
#[derive(Debug)]
pub(crate) struct ClientShares {
    requests: Shares,
    small: Shares,
    large_bodies: Shares,
    large_answers: Shares,
    returned_items: Shares,
    pub(crate) account: ClientAccount,
}

/// Room for the item a write returns; the engine reserves it. Clones share the reservation.
#[derive(Clone)]
pub(crate) struct ReturnedItem(Arc<Mutex<Reservation>>);

impl ReturnedItem {
    pub(crate) fn as_room(&self) -> AnswerRoom {
        let room = self.clone();
        Arc::new(move |bytes| room.0.lock().unwrap_or_else(PoisonError::into_inner).add(bytes))
    }
}

impl ClientShares {
    pub(crate) fn new(address: Option<&AddressShares>) -> Self {
        let shares = |of: fn(&AddressShares) -> &Share| Shares {
            connection: Share::default(),
            address: address.map(|address| of(address).clone()),
        };
        Self {
            requests: shares(|address| &address.requests),
            small: shares(|address| &address.small),
            large_bodies: shares(|address| &address.large_bodies),
            large_answers: shares(|address| &address.large_answers),
            returned_items: shares(|address| &address.returned_items),
            account: address.map(|address| address.account.clone()).unwrap_or_default(),
        }
    }

    /// The identity for fair queuing.
    pub(crate) fn client(&self) -> &Share {
        self.requests.client()
    }
}

impl Rooms {
    /// Room for small bytes of a client.
    pub(crate) fn hold_small(&self, client: &ClientShares) -> Reservation {
        self.small.hold(&client.small)
    }

    /// Room for a body with this Content-Length, if there is one.
    pub(crate) fn hold_body(&self, client: &ClientShares, announced: Option<usize>) -> Reservation {
        match announced {
            Some(bytes) if bytes <= SMALL_BYTES_MAX => self.hold_small(client),
            _ => self.large_bodies.hold(&client.large_bodies),
        }
    }

    /// Room for a response of this many bytes.
    pub(crate) fn hold_answer(&self, client: &ClientShares, bytes: usize) -> Reservation {
        match bytes {
            0..=SMALL_BYTES_MAX => self.hold_small(client),
            _ => self.large_answers.hold(&client.large_answers),
        }
    }

    /// Room for the item a write will return. Its size becomes known later.
    pub(crate) fn hold_returned_item(&self, client: &ClientShares) -> ReturnedItem {
        ReturnedItem(Arc::new(Mutex::new(self.returned_items.hold(&client.returned_items))))
    }

    /// All rooms, and the transfers that hold their bytes. Returned items wait for response room.
    pub(crate) fn all(&self) -> [(&Room, Holders); 4] {
        [
            (&self.small, Holders::All),
            (&self.large_bodies, Holders::Bodies),
            (&self.large_answers, Holders::Answers),
            (&self.returned_items, Holders::Answers),
        ]
    }

    /// Bytes held in all rooms.
    pub(crate) fn used(&self) -> usize {
        self.all().iter().map(|(room, _)| room.used()).sum()
    }
}

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            // A client must leave as much as it holds, so the last place is never taken.
            requests: Room::new(limits.requests_max.saturating_add(1)),
            rooms: Rooms {
                small: Room::new(limits.small_bytes_max),
                large_bodies: Room::new(limits.large_body_bytes_max),
                large_answers: Room::new(limits.large_answer_bytes_max),
                returned_items: Room::new(limits.returned_item_bytes_max),
            },
        }
    }

    /// Admits a complete and verified request, if there is room, until the guard is dropped.
    pub(crate) fn admit<'a>(&'a self, client: &'a ClientShares) -> Option<Taken<'a>> {
        self.requests.take(&client.requests, 1)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.used()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_beyond_the_limit_are_refused_until_there_is_room() {
        let admission = Admission::new(&Limits { requests_max: 3, ..Limits::default() });
        let clients = [ClientShares::new(None), ClientShares::new(None)];
        let mut requests: Vec<_> = (0..2).map(|_| admission.admit(&clients[0])).collect();
        assert!(requests.iter().all(Option::is_some));
        // One client gets half, so another one finds room.
        assert!(admission.admit(&clients[0]).is_none());
        requests.push(admission.admit(&clients[1]));
        assert!(requests.iter().all(Option::is_some));
        assert_eq!(admission.requests(), 3);
        requests.clear();
        assert!(admission.admit(&clients[0]).is_some());
        assert_eq!(admission.requests(), 0);
    }

    #[test]
    fn large_answers_cannot_take_the_room_of_small_ones() {
        let admission = Admission::new(&Limits::default());
        let clients: Vec<_> = (0..100).map(|_| ClientShares::new(None)).collect();
        let rooms = &admission.rooms;
        let large: Vec<Reservation> = clients
            .iter()
            .filter_map(|client| {
                let mut hold = rooms.hold_answer(client, 16 << 20);
                hold.add(16 << 20).then_some(hold)
            })
            .collect();
        assert_eq!(large.len(), 5);
        assert!(rooms.large_answers.take_shortage());
        assert!(rooms.hold_answer(&clients[0], 1000).add(1000));
        // A page of 1 MB still finds room.
        assert!(rooms.hold_answer(&ClientShares::new(None), 1 << 20).add(1 << 20));
    }
}
