//! The bounds of connections, each with its reason.

use std::time::Duration;

/// How many connections there may be, and how long their clients may take.
///
/// ```
/// use singlet_edge::Limits;
///
/// let limits = Limits { connections_max: 64, ..Limits::default() };
/// assert_eq!(limits.connections_per_address_max, 512);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// How many connections may be open. At this number a new connection replaces the one that
    /// has been idle for longest.
    pub connections_max: usize,
    /// How many of them one address of another machine may have (one network of 64 bits for
    /// IPv6). For this machine itself there is no such limit: whoever runs programs here can stop
    /// the server anyway, and a proxy that runs here speaks for many clients.
    pub connections_per_address_max: usize,
    /// How long a client may take to send the head of a request once it has begun.
    pub head_time_max: Duration,
    /// How long a connection may be without a request.
    pub idle_time_max: Duration,
    /// How long a client may take nothing of an answer that waits for it.
    pub stall_time_max: Duration,
    /// How many bytes a second a client must take of a long answer, on average, beyond the first
    /// [`Limits::stall_time_max`].
    pub answer_bytes_per_second_min: usize,
    /// How many bytes a second a long body or answer must move, beyond
    /// [`Limits::pressed_time_max`], while others find no room. Fast enough for a network that is
    /// not congested.
    pub pressed_bytes_per_second_min: usize,
    /// How long a transfer is left alone while others find no room.
    pub pressed_time_max: Duration,
    /// How long a request may go on after its client has closed its side of the connection. The
    /// client may still wait for its answer, but is more probably gone.
    pub half_closed_time_max: Duration,
    /// How long requests in flight may take when the server stops.
    pub stop_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 1024,
            connections_per_address_max: 512,
            head_time_max: Duration::from_secs(10),
            idle_time_max: Duration::from_secs(75),
            stall_time_max: Duration::from_secs(10),
            answer_bytes_per_second_min: 512 << 10,
            pressed_bytes_per_second_min: 8 << 20,
            pressed_time_max: Duration::from_secs(2),
            half_closed_time_max: Duration::from_secs(2),
            stop_time_max: Duration::from_secs(10),
        }
    }
}
