//! The kit's own table, so that the tables of systems hold only their designs.

use crate::budget::Spending;
use crate::cursors::CursorSecret;
use crate::demo::DemoMarker;
use crate::idempotency::Attempt;
use crate::job::{LastRun, LeaseItem};
use singlet::prelude::*;

/// The kit's own table: idempotent requests, and state shared by all servers on a store.
#[table(
    name = "singlet-web-{env}",
    key = (PK),
    ttl = TTL,
    entities(Attempt, CursorSecret, DemoMarker, LastRun, LeaseItem, Spending)
)]
pub struct Web;
