//! How much is taken on at a time: requests, and the bytes that they hold.
//!
//! What is beyond the bounds is refused at once. A client that is told to try again later comes
//! back when there is room; one that is left waiting comes back while it still waits.

use crate::limits::Limits;
use singlet_edge::{Holders, Reservation, Room, Share, Shares, Taken};
use singlet_engine::{AnswerRoom, ClientAccount};
use std::sync::{Arc, Mutex, PoisonError};

/// Up to this many bytes a body or an answer is small, and has room that large ones cannot take.
pub(crate) const SMALL_BYTES_MAX: usize = 64 << 10;

/// Counts what is taken on.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Requests that are being carried out, shared as bytes are.
    requests: Room,
    pub(crate) rooms: Rooms,
}

/// Where bytes are held, by kind, so that one kind cannot take the room of another.
#[derive(Debug)]
pub(crate) struct Rooms {
    pub(crate) small: Room,
    pub(crate) large_bodies: Room,
    pub(crate) large_answers: Room,
    /// Items that writes return, from before the write is done until its answer has other room.
    pub(crate) returned_items: Room,
}

/// What an address holds of each room, and its identity for fair queuing.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressShares {
    requests: Share,
    small: Share,
    large_bodies: Share,
    large_answers: Share,
    returned_items: Share,
    account: ClientAccount,
}

/// What a connection holds of each room, and its identity for fair queuing: its own, or its address's
/// if that is another machine.
#[derive(Debug)]
pub(crate) struct ClientShares {
    requests: Shares,
    small: Shares,
    large_bodies: Shares,
    large_answers: Shares,
    returned_items: Shares,
    pub(crate) account: ClientAccount,
}

/// Room for the item that a write returns, which the engine asks for. Clones are the same room.
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

    /// Who takes turns with others.
    pub(crate) fn client(&self) -> &Share {
        self.requests.client()
    }
}

impl Rooms {
    /// Room for what is small, on a client's account.
    pub(crate) fn hold_small(&self, client: &ClientShares) -> Reservation {
        self.small.hold(&client.small)
    }

    /// Room for a body that is said to have so many bytes; `None` if nobody knows.
    pub(crate) fn hold_body(&self, client: &ClientShares, announced: Option<usize>) -> Reservation {
        match announced {
            Some(bytes) if bytes <= SMALL_BYTES_MAX => self.hold_small(client),
            _ => self.large_bodies.hold(&client.large_bodies),
        }
    }

    /// Room for an answer of so many bytes.
    pub(crate) fn hold_answer(&self, client: &ClientShares, bytes: usize) -> Reservation {
        match bytes {
            0..=SMALL_BYTES_MAX => self.hold_small(client),
            _ => self.large_answers.hold(&client.large_answers),
        }
    }

    /// Room for the item that a write is going to return. How much it takes is known later.
    pub(crate) fn hold_returned_item(&self, client: &ClientShares) -> ReturnedItem {
        ReturnedItem(Arc::new(Mutex::new(self.returned_items.hold(&client.returned_items))))
    }

    /// All rooms, and what their bytes are held by. Items that writes return wait for room for
    /// answers.
    pub(crate) fn all(&self) -> [(&Room, Holders); 4] {
        [
            (&self.small, Holders::All),
            (&self.large_bodies, Holders::Bodies),
            (&self.large_answers, Holders::Answers),
            (&self.returned_items, Holders::Answers),
        ]
    }

    /// How many bytes are held in all rooms.
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

    /// Takes on a request that is complete and verified, if there is room, until the guard is dropped.
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
    fn what_is_too_much_is_refused_until_there_is_room() {
        let admission = Admission::new(&Limits { requests_max: 3, ..Limits::default() });
        let clients = [ClientShares::new(None), ClientShares::new(None)];
        let mut requests: Vec<_> = (0..2).map(|_| admission.admit(&clients[0])).collect();
        assert!(requests.iter().all(Option::is_some));
        // Half of all, and no more, so that another client finds room.
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
        // A page of a megabyte still finds room, too.
        assert!(rooms.hold_answer(&ClientShares::new(None), 1 << 20).add(1 << 20));
    }
}
