//! Every bound of the endpoint, with its name and its reason.

use std::time::Duration;

/// What the endpoint takes on at most. Beyond it requests are refused, and told so; nothing waits
/// without an end, and no client can take up memory without a bound.
///
/// ```
/// use singlet_wire::Limits;
///
/// let mut limits = Limits::default();
/// limits.connections.connections_max = 64;
/// assert_eq!(limits.body_bytes_max, 16 << 20);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many connections there may be, and how long their clients may take. An idle connection
    /// costs some 20 KB; SDKs keep 50 at most unless they are told otherwise, and drop one by
    /// themselves after a minute without a request, which is less than we allow, so that they
    /// never send into one that is just being closed.
    pub connections: singlet_edge::Limits,
    /// How many bytes a request's body may have, before and after decompression: the service's
    /// own bound.
    pub body_bytes_max: usize,
    /// How many bytes the head of a request may have, and how many are read at a time. A request
    /// with a signature and a session token takes about 2 KB. It may also have no more than 100
    /// headers, which is hyper's own bound; SDKs send about twelve.
    pub head_bytes_max: usize,
    /// How many requests one HTTP/2 connection may have in flight.
    pub streams_max: u32,
    /// How many requests may be executed at a time, over all connections. A request takes one of
    /// these places when it is complete and its signature is verified. One client may have no more
    /// of them than it leaves to others.
    pub requests_max: usize,
    /// How many bytes of bodies may be held at a time that are longer than 64 KB.
    pub large_body_bytes_max: usize,
    /// How many bytes of answers may be held at a time that are longer than 64 KB.
    pub large_answer_bytes_max: usize,
    /// How many bytes may be held at a time of items that writes return (`ReturnValues`), from before
    /// the write is done until its answer has other room. What is done cannot be refused, so a write
    /// whose item finds no room here is refused and not done. Items up to 4 KB are not counted.
    pub returned_item_bytes_max: usize,
    /// How many bytes may be held at a time of what is smaller: heads and bodies that are not
    /// complete, and answers that are not taken. What is large cannot take this room.
    pub small_bytes_max: usize,
    /// How long a client may take to send a body. Enough for the largest one over 3 Mbit/s.
    pub body_time_max: Duration,
    /// How long the answer to a write waits for room. Then it is sent all the same, unless the room
    /// is exceeded by 32 MB already; then the client is told of an error, though the write is done.
    pub room_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: singlet_edge::Limits::default(),
            body_bytes_max: 16 << 20,
            head_bytes_max: 64 << 10,
            streams_max: 128,
            requests_max: 2048,
            large_body_bytes_max: 48 << 20,
            large_answer_bytes_max: 96 << 20,
            returned_item_bytes_max: 32 << 20,
            small_bytes_max: 48 << 20,
            body_time_max: Duration::from_secs(45),
            room_time_max: Duration::from_secs(5),
        }
    }
}
