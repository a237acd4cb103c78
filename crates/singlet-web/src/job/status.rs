//! Job status, for the job page and metrics.

use serde::{Serialize, Serializer};
use singlet::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Status of a job on this server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JobStatus {
    /// The system it belongs to.
    pub system: &'static str,
    /// The job's name.
    pub name: &'static str,
    /// The interval between runs.
    #[serde(rename = "intervalMs", serialize_with = "as_millis")]
    pub interval: Duration,
    /// When the last run started.
    pub last_start: Option<Timestamp>,
    /// Duration of the last run.
    #[serde(rename = "lastTookMs", serialize_with = "as_optional_millis")]
    pub last_took: Option<Duration>,
    /// Why the last run failed; `None` if it succeeded.
    pub last_error: Option<String>,
    /// When the next run is due; `None` during a run.
    pub next: Option<Timestamp>,
    /// The lease holder, if known to this server.
    pub holder: Option<String>,
    /// Completed runs.
    pub runs: u64,
    /// Failed runs.
    pub failures: u64,
    /// Total duration of all runs.
    #[serde(rename = "tookMs", serialize_with = "as_millis")]
    pub took: Duration,
}

/// Status of all jobs on this server. Clones share it.
#[derive(Clone, Default)]
pub struct JobStatuses(Arc<Mutex<BTreeMap<(&'static str, &'static str), JobStatus>>>);

impl JobStatuses {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All jobs, ordered by system and name.
    #[must_use]
    pub fn all(&self) -> Vec<JobStatus> {
        self.lock().values().cloned().collect()
    }

    /// The status of one job.
    #[must_use]
    pub fn get(&self, system: &str, name: &str) -> Option<JobStatus> {
        let statuses = self.lock();
        statuses.values().find(|one| one.system == system && one.name == name).cloned()
    }

    pub(super) fn add(&self, system: &'static str, name: &'static str, interval: Duration) {
        let status = JobStatus {
            system,
            name,
            interval,
            last_start: None,
            last_took: None,
            last_error: None,
            next: None,
            holder: None,
            runs: 0,
            failures: 0,
            took: Duration::ZERO,
        };
        self.lock().insert((system, name), status);
    }

    pub(super) fn update(
        &self,
        (system, name): (&'static str, &'static str),
        change: impl FnOnce(&mut JobStatus),
    ) {
        if let Some(status) = self.lock().get_mut(&(system, name)) {
            change(status);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<(&'static str, &'static str), JobStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn as_millis<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(millis(*duration))
}

fn as_optional_millis<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    duration.map(millis).serialize(serializer)
}
