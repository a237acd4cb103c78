//! The last run of leased jobs, across servers.

use super::{LeaseName, Leases};
use crate::Web;
use singlet::Error;
use singlet::prelude::*;

/// The stored last run of a job. It keeps the job's interval across servers and restarts.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("RUN#{name}"), rename_all = "camelCase")]
pub struct LastRun {
    /// The name of the job's lease.
    #[attribute(in_key)]
    pub name: LeaseName,
    /// When it ended, in Unix milliseconds. Before the first run: when a server with the job first
    /// started.
    pub ended_at: i64,
    /// Delay until the next run in milliseconds, if the run chose one instead of the interval.
    pub next_in: Option<u64>,
}

impl Leases {
    pub(super) async fn last_run(&self, name: &LeaseName) -> Result<Option<LastRun>, Error> {
        self.db.get(LastRun::key(name).consistent()).await
    }

    /// Records when a job was first seen; `false` if it is known already.
    pub(super) async fn note_first(&self, first: &LastRun) -> Result<bool, Error> {
        match self.db.run(create(first)).await {
            Ok(()) => Ok(true),
            Err(Error::ConditionFailed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn note_run(&self, run: &LastRun) -> Result<(), Error> {
        self.db.run(put(run)).await
    }
}
