//! Options of the endpoint.

use crate::limits::Limits;
use crate::signature::Credentials;
use singlet_engine::Clock;
use std::net::{Ipv4Addr, SocketAddr};

/// Options of the endpoint.
///
/// ```
/// use singlet_wire::Options;
///
/// let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
/// assert!(options.credentials.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on. Port 0 picks a free one.
    pub address: SocketAddr,
    /// Key pairs that may sign requests. Without them signatures are not checked, so only a
    /// loopback address is allowed.
    pub credentials: Option<Credentials>,
    /// Limits on requests, bytes and time.
    pub limits: Limits,
    /// The clock that signature dates are compared with.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, 8000).into(),
            credentials: None,
            limits: Limits::default(),
            clock: Clock::system(),
        }
    }
}
