//! What is stored of a request that may be repeated.

use crate::Web;
use singlet::Bytes;
use singlet::prelude::*;

id! {
    /// A hash of who asks, for what, and by which key.
    RequestName,
}

/// A request with a key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("REQUEST#{name}"))]
pub struct Attempt {
    /// By which it is found.
    #[attribute(in_key)]
    pub name: RequestName,
    /// A hash of what was asked for.
    pub fingerprint: Bytes,
    /// The sealed answer; missing while the request is being carried out.
    pub answer: Option<Bytes>,
    /// When the key is free again.
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}
