//! What can be chosen when an endpoint is opened.

use crate::limits::Limits;
use crate::signature::Credentials;
use singlet_engine::Clock;
use std::net::{Ipv4Addr, SocketAddr};

/// What can be chosen when an endpoint is opened.
///
/// ```
/// use singlet_wire::Options;
///
/// let options = Options { address: ([127, 0, 0, 1], 0).into(), ..Options::default() };
/// assert!(options.credentials.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen. Port 0 takes any free one.
    pub address: SocketAddr,
    /// Who may send requests. Without it signatures are not looked at, and everyone on this machine
    /// may; then only a loopback address can be listened on.
    pub credentials: Option<Credentials>,
    /// What the endpoint takes on at most.
    pub limits: Limits,
    /// Where the time comes from that signatures are compared with.
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
