//! The table that the web keeps for itself: the tables of systems stay as their designs show them.

use crate::budget::Spending;
use crate::cursors::CursorSecret;
use crate::demo::DemoMarker;
use crate::idempotency::Attempt;
use crate::job::{LastRun, LeaseItem};
use singlet::prelude::*;

/// The table that the web keeps for itself: requests that may be repeated, and what all servers on
/// one store must agree on.
#[table(
    name = "singlet-web-{env}",
    key = (PK),
    ttl = TTL,
    entities(Attempt, CursorSecret, DemoMarker, LastRun, LeaseItem, Spending)
)]
pub struct Web;
