//! Every limit of the endpoint, with its reason.

use std::time::Duration;

/// Limits of the endpoint. Requests beyond them are refused with an error. No wait is unlimited,
/// and no client can use unbounded memory.
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
    /// Connections. An idle one costs about 20 KB. SDKs keep at most 50 by default and close one
    /// after a minute without requests. Our idle timeout is longer, so they never send on a
    /// connection that we are closing.
    pub connections: singlet_edge::Limits,
    /// Size of a request body, before and after decompression. The service's own limit.
    pub body_bytes_max: usize,
    /// Size of a request head, and of the read buffer. A head with a signature and a session token
    /// takes about 2 KB. hyper also limits it to 100 headers; SDKs send about twelve.
    pub head_bytes_max: usize,
    /// Concurrent requests per HTTP/2 connection.
    pub streams_max: u32,
    /// Executing requests over all connections. A request counts once it is complete and its
    /// signature is verified. A client may have no more of these places than it leaves free.
    pub requests_max: usize,
    /// Total bytes of request bodies longer than 64 KB.
    pub large_body_bytes_max: usize,
    /// Total bytes of responses longer than 64 KB.
    pub large_answer_bytes_max: usize,
    /// Total bytes of items returned by writes (`ReturnValues`), from before the commit until the
    /// response has its own room. A committed write cannot be refused, so a write whose item finds
    /// no room is refused before the commit. Items up to 4 KB are not counted.
    pub returned_item_bytes_max: usize,
    /// Total bytes of smaller heads, bodies and unread responses. Large ones cannot use this room.
    pub small_bytes_max: usize,
    /// Time to send a body. Enough for the largest one at 3 Mbit/s.
    pub body_time_max: Duration,
    /// How long the response to a write waits for room. Then it is sent anyway, unless the room is
    /// already exceeded by 32 MB; in that case the client gets an error although the write is
    /// committed.
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
