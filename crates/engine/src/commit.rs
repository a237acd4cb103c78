//! Writes: gathered in a queue, evaluated on a stage, committed in groups.

mod queue;
mod stage;
mod tables;
mod tokens;

pub(crate) use queue::{Answer, Queue, Refused};
pub(crate) use stage::{Stage, Staged, expiry_second};
pub(crate) use tokens::Fingerprint;
