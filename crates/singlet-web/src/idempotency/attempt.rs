//! The record of an idempotent request.

use crate::Web;
use singlet::Bytes;
use singlet::prelude::*;

id! {
    /// A hash of the caller, the route and the key.
    RequestName,
}

/// A request with a key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("REQUEST#{name}"))]
pub struct Attempt {
    #[attribute(in_key)]
    pub name: RequestName,
    /// A hash of the method, the address and the body.
    pub fingerprint: Bytes,
    /// The encrypted response; missing while the request is running.
    pub answer: Option<Bytes>,
    /// When the key is free again.
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}
