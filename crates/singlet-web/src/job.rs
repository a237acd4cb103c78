//! Periodic background jobs.
//!
//! A [`Job`] is a name, an interval and a function. The [`Runner`] runs each job in its own task; a
//! run that panics or times out is recorded as an error, and the job runs again after the interval.
//! A job with a lease runs on one server at a time, and the interval applies across servers.

mod last_run;
mod lease;
mod runner;
mod status;

pub use last_run::LastRun;
pub use lease::{LeaseGrant, LeaseItem, LeaseName, LeaseTable, Leases};
pub use runner::Runner;
pub use status::{JobStatus, JobStatuses};

use singlet::Timestamp;
use singlet::backend::BoxFuture;
use singlet::engine::Clock;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

/// Default time limit of a run.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Remaining lease time below which [`JobRun::check_held`] fails and the run is cancelled; a third
/// of a short lease.
const LEASE_MARGIN: Duration = Duration::from_secs(2);

/// The shortest lease. Leases are extended after a third of their duration.
const LEASE_DURATION_MIN: Duration = Duration::from_millis(100);

type Work = dyn Fn(JobRun) -> BoxFuture<'static, Result<Next, JobError>> + Send + Sync;

/// A periodic background job.
///
/// ```
/// use singlet_web::job::{Job, JobRun, Next};
/// use std::time::Duration;
///
/// let job = Job::every("remove-old-entries", Duration::from_secs(3600), async |run: JobRun| {
///     run.check_held()?;
///     // Delete some.
///     Ok(Next::Interval)
/// });
/// let job = job.leased(Duration::from_secs(60));
/// # drop(job);
/// ```
pub struct Job {
    name: &'static str,
    interval: Duration,
    lease: Lease,
    time_max: Duration,
    is_at_start: bool,
    work: Arc<Work>,
}

/// Whether a job needs a lease, and where it is stored.
enum Lease {
    None,
    /// In the kit's table.
    Web(Duration),
    Own(Arc<dyn LeaseTable>, Duration),
}

impl Job {
    /// A job that runs after every interval (± 10 %), measured from the end of one run to the start
    /// of the next. `name` is unique within a system.
    ///
    /// # Panics
    ///
    /// If the interval is zero.
    #[must_use]
    pub fn every<F>(
        name: &'static str,
        interval: Duration,
        run: impl Fn(JobRun) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Next, JobError>> + Send + 'static,
    {
        assert!(!interval.is_zero(), "the job {name} has no interval");
        Self {
            name,
            interval,
            lease: Lease::None,
            time_max: TIME_MAX,
            is_at_start: false,
            work: Arc::new(move |job_run| Box::pin(run(job_run))),
        }
    }

    /// Runs on one server at a time, and once per interval across all servers: the end of the last
    /// run is stored and survives restarts. An overdue run starts at once.
    ///
    /// The lease is extended after each third of its duration and released at the end. A run that
    /// loses its lease, or fails to extend it until 2 s before it ends (a third of a short lease),
    /// is cancelled before another server can acquire it.
    ///
    /// Servers compare the lease with their own clocks. With a clock skew of more than two seconds,
    /// runs may overlap: where that matters, write [`JobRun::fence`] with a condition.
    ///
    /// # Panics
    ///
    /// If the duration is below 100 ms.
    #[must_use]
    pub fn leased(mut self, duration: Duration) -> Self {
        check_lease_duration(duration);
        self.lease = Lease::Web(duration);
        self
    }

    /// Runs on one server at a time, with leases in the system's own table. The last run is not
    /// stored: each server keeps its own interval.
    ///
    /// # Panics
    ///
    /// If the duration is below 100 ms.
    #[must_use]
    pub fn leased_by(mut self, leases: Arc<dyn LeaseTable>, duration: Duration) -> Self {
        check_lease_duration(duration);
        self.lease = Lease::Own(leases, duration);
        self
    }

    /// Time limit of a run; 60 s by default. A run that exceeds it is cancelled and counts as an
    /// error. Blocking code cannot be cancelled and may delay the lease extension: use
    /// `spawn_blocking`.
    #[must_use]
    pub fn time_max(mut self, limit: Duration) -> Self {
        self.time_max = limit;
        self
    }

    /// Also runs at startup, not only after the first interval. A [leased](Self::leased) job does
    /// so only if it is due.
    #[must_use]
    pub fn also_at_start(mut self) -> Self {
        self.is_at_start = true;
        self
    }

    /// The job's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }
}

fn check_lease_duration(duration: Duration) {
    assert!(duration >= LEASE_DURATION_MIN, "a lease of {duration:?} is too short to be extended");
}

/// When the job runs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// After its interval.
    Interval,
    /// After this delay.
    In(Duration),
}

/// Why a run failed, for the log and the job list. Any error converts into it with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError(String);

impl JobError {
    /// An error with this message.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Includes the causes of the error.
impl<E: Error> From<E> for JobError {
    fn from(error: E) -> Self {
        Self(crate::system::in_full(&error))
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A run of a job: stop signal and lease. Clones share it.
#[derive(Clone)]
pub struct JobRun {
    stop: watch::Receiver<bool>,
    lease: Option<Arc<HeldLease>>,
}

/// The lease of a running job.
struct HeldLease {
    fence: u64,
    clock: Clock,
    margin: Duration,
    /// In Unix milliseconds, measured from before the request that extended it was sent.
    expires_at: AtomicI64,
}

impl HeldLease {
    fn is_held(&self) -> bool {
        let needed = Timestamp::from_millis(self.clock.now().as_millis()).after(self.margin);
        needed.as_millis() <= self.expires_at.load(Ordering::SeqCst)
    }
}

impl JobRun {
    /// A run without a lease or stop signal: for tests of job functions.
    #[must_use]
    pub fn by_hand() -> Self {
        Self { stop: watch::channel(false).1, lease: None }
    }

    /// Whether the server is stopping. End soon, at a point where the next run can resume.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Resolves when the server stops.
    pub async fn stopping(&self) {
        let mut stop = self.stop.clone();
        if stop.wait_for(|stop| *stop).await.is_err() {
            // The sender is dropped: no stop signal can arrive.
            std::future::pending().await
        }
    }

    /// The fencing token of the lease, greater for every later holder; 0 without a lease. Write it
    /// with a condition.
    #[must_use]
    pub fn fence(&self) -> u64 {
        self.lease.as_ref().map_or(0, |lease| lease.fence)
    }

    /// Fails if less than 2 s of the lease are left. Call it before each step that must not overlap
    /// with another server's.
    ///
    /// # Errors
    ///
    /// If the lease has ended or is about to.
    pub fn check_held(&self) -> Result<(), JobError> {
        match &self.lease {
            Some(lease) if !lease.is_held() => Err(JobError::new("the lease is not held any more")),
            _ => Ok(()),
        }
    }
}
