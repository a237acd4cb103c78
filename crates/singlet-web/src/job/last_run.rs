//! When jobs with a lease last ran, on whichever server.

use super::{LeaseName, Leases};
use crate::Web;
use singlet::Error;
use singlet::prelude::*;

/// The last run of a job, as it is stored. By it all servers together keep the job's interval, also
/// when they are started again.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("RUN#{name}"), rename_all = "camelCase")]
pub struct LastRun {
    /// The name of the job's lease.
    #[attribute(in_key)]
    pub name: LeaseName,
    /// When it ended, in milliseconds since 1970. For a job that has not run yet: when a server
    /// with it was first started.
    pub ended_at: i64,
    /// After how many milliseconds the next run is due, if the run asked for that and not for the
    /// job's interval.
    pub next_in: Option<u64>,
}

impl Leases {
    pub(super) async fn last_run(&self, name: &LeaseName) -> Result<Option<LastRun>, Error> {
        self.db.get(LastRun::key(name).consistent()).await
    }

    /// Notes when a job was first seen; `false` if it is known already.
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
