//! Connection limits, each with its reason.

use std::time::Duration;

/// The number of connections, and time limits for their clients.
///
/// ```
/// use singlet_edge::Limits;
///
/// let limits = Limits { connections_max: 64, ..Limits::default() };
/// assert_eq!(limits.connections_per_address_max, 512);
/// ```
#[derive(Clone, Debug)]
pub struct Limits {
    /// Open connections. At the limit, a new connection replaces the one idle for longest.
    pub connections_max: usize,
    /// Connections per remote address (per /64 network for IPv6). This machine has no limit: a
    /// local user can kill the server anyway, and a local proxy carries many clients.
    pub connections_per_address_max: usize,
    /// Time to send a request head once it has begun.
    pub head_time_max: Duration,
    /// Time a connection may stay open without a request.
    pub idle_time_max: Duration,
    /// Write stall timeout.
    pub stall_time_max: Duration,
    /// The average rate at which a client must receive a long response, after the first
    /// [`Limits::stall_time_max`].
    pub answer_bytes_per_second_min: usize,
    /// The rate at which long bodies and responses must move, after [`Limits::pressed_time_max`],
    /// while others are short of room. An uncongested network reaches it easily.
    pub pressed_bytes_per_second_min: usize,
    /// Grace period of a transfer while others are short of room.
    pub pressed_time_max: Duration,
    /// Time left to a request after its client closed its side of the connection. The client may
    /// still wait for the response, but has more likely disconnected.
    pub half_closed_time_max: Duration,
    /// Time left to requests in flight when the server stops.
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
