//! Writes: planned on a snapshot in the request's thread, committed in groups by one thread at a
//! time.

mod group;
mod plan;
mod queue;
mod tables;
mod tokens;
mod versions;
mod write;

pub(crate) use group::{Command, Group, Staged, find_room};
pub(crate) use plan::{Planner, View, consumed, expiry_second};
pub(crate) use queue::{Answer, Done, Queue, Refused};
pub(crate) use tokens::Fingerprint;
pub(crate) use versions::Versions;
pub(crate) use write::{Outcome, Write};
