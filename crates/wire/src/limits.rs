//! Every bound of the endpoint, with its name and its reason.

use std::time::Duration;

/// What the endpoint takes on at most.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// How many bytes a request's body may have, before and after decompression. The service's
    /// own bound.
    pub body_bytes_max: usize,
    /// How many bytes the head of a request may have. A signed request with a session token
    /// takes 2 KB.
    pub head_bytes_max: usize,
    /// How many headers a request may have.
    pub headers_max: usize,
    /// How long requests in flight may take when the endpoint stops.
    pub stop_time_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 16 << 20,
            head_bytes_max: 64 << 10,
            headers_max: 100,
            stop_time_max: Duration::from_secs(10),
        }
    }
}
