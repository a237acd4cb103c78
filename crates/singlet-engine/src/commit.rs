//! Writes: gathered in a queue, evaluated on a stage, committed in groups.

mod dry_run;
mod queue;
mod stage;
mod tables;
mod tokens;

pub(crate) use dry_run::{DRY_RUNS_MAX, Mode, Precomputed, dry_run};
pub(crate) use queue::{Answer, Done, Queue, Refused};
pub(crate) use stage::{Stage, Staged, cost, expiry_second};
pub(crate) use tokens::Fingerprint;
