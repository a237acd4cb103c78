//! Writes: gathered in a queue, evaluated on a stage, committed in groups.

mod queue;
mod stage;
mod tables;
mod tokens;

pub(crate) use queue::{Answer, Queue};
pub(crate) use stage::{Place, Stage, expiry_second};
pub(crate) use tokens::Fingerprint;
