//! What can be chosen when an endpoint is opened.

use crate::limits::Limits;
use std::net::{Ipv4Addr, SocketAddr};

/// What can be chosen when an endpoint is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen. Port 0 takes any free one.
    pub address: SocketAddr,
    /// What the endpoint takes on at most.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { address: (Ipv4Addr::LOCALHOST, 8000).into(), limits: Limits::default() }
    }
}
