//! Every bound of the endpoint, with its name and its reason.

use std::time::Duration;

/// What the endpoint takes on at most. Beyond it requests are refused, and told so; nothing waits
/// without an end, and no client can take up memory without a bound.
///
/// ```
/// use singlet_wire::Limits;
///
/// let limits = Limits { connections_max: 64, ..Limits::default() };
/// assert_eq!(limits.body_bytes_max, 16 << 20);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many bytes a request's body may have, before and after decompression: the service's
    /// own bound.
    pub body_bytes_max: usize,
    /// How many bytes the head of a request may have, and how many are read at a time. A request
    /// with a signature and a session token takes about 2 KB. It may also have no more than 100
    /// headers, which is hyper's own bound; SDKs send about twelve.
    pub head_bytes_max: usize,
    /// How many connections may be open. An idle one costs some 20 KB; SDKs keep 50 at most unless
    /// they are told otherwise.
    pub connections_max: usize,
    /// How many requests one HTTP/2 connection may have in flight.
    pub streams_max: u32,
    /// How many requests may be in flight over all connections.
    pub requests_max: usize,
    /// How many bytes of large bodies and large answers may be held at a time, over all requests.
    /// What is small is not counted: there cannot be more of it than connections.
    pub held_bytes_max: usize,
    /// How long a client may take to send the head of a request once it has begun.
    pub head_time_max: Duration,
    /// How long a client may take to send a body. Enough for the largest one over 3 Mbit/s.
    pub body_time_max: Duration,
    /// How long a connection may be without a request. More than the minute after which SDKs drop a
    /// connection by themselves, so that they never send into one that is just being closed.
    pub idle_time_max: Duration,
    /// How long a client may take none of an answer that waits for it.
    pub stall_time_max: Duration,
    /// How long a client may take for all of an answer.
    pub answer_time_max: Duration,
    /// How long requests in flight may take when the endpoint stops.
    pub stop_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 << 20,
            head_bytes_max: 64 << 10,
            connections_max: 1024,
            streams_max: 128,
            requests_max: 2048,
            held_bytes_max: 256 << 20,
            head_time_max: Duration::from_secs(10),
            body_time_max: Duration::from_secs(45),
            idle_time_max: Duration::from_secs(75),
            stall_time_max: Duration::from_secs(30),
            answer_time_max: Duration::from_secs(300),
            stop_time_max: Duration::from_secs(10),
        }
    }
}
