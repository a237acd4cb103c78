//! Work that is done again and again in the background, on one server at a time where that matters.
//!
//! A [`Job`] is a name, an interval and a function. The [`Runner`] runs each job in a task of its
//! own: a run that panics or takes too long is an error of that job, and the next run comes after
//! the interval. A job with a lease runs on one server at a time, and all servers together keep its
//! interval.

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

/// How long a run may take, unless the job says otherwise.
const TIME_MAX: Duration = Duration::from_secs(60);
/// How much of a lease must be left for [`JobRun::check_held`], and for the run to go on; a third of
/// it, if that is less.
const LEASE_MARGIN: Duration = Duration::from_secs(2);

/// The shortest lease. It is extended after a third of it.
const LEASE_DURATION_MIN: Duration = Duration::from_millis(100);

type Work = dyn Fn(JobRun) -> BoxFuture<'static, Result<Next, JobError>> + Send + Sync;

/// Work that is done again and again.
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

/// Whether a job needs a lease, and of which table.
enum Lease {
    None,
    /// Of the web's own table.
    Web(Duration),
    Own(Arc<dyn LeaseTable>, Duration),
}

impl Job {
    /// A job that runs after every interval, give or take 10 %, counted from the end of one run to
    /// the beginning of the next. `name` is unique within a system.
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

    /// Runs on one server at a time, and once in an interval on all of them together: when the last
    /// run ended is stored, also for a server that is started again. A run that is overdue then
    /// begins at once.
    ///
    /// The lease is extended after each third of its time while the job runs, and released at the
    /// end. A run whose lease is lost, or was not extended until 2 s before its end (a third of a
    /// short lease), is cancelled before another server can acquire it.
    ///
    /// Servers compare the lease with their own clocks. If these differ by more than two seconds, a
    /// run may begin before the last one has ended: write [`JobRun::fence`] with a condition where
    /// that matters.
    ///
    /// # Panics
    ///
    /// If the duration is below 100 ms, in which a lease cannot be extended.
    #[must_use]
    pub fn leased(mut self, duration: Duration) -> Self {
        check_lease_duration(duration);
        self.lease = Lease::Web(duration);
        self
    }

    /// Runs on one server at a time, with a lease of the system's own. When the last run ended is not
    /// stored: each server counts its own intervals.
    ///
    /// # Panics
    ///
    /// If the duration is below 100 ms, in which a lease cannot be extended.
    #[must_use]
    pub fn leased_by(mut self, leases: Arc<dyn LeaseTable>, duration: Duration) -> Self {
        check_lease_duration(duration);
        self.lease = Lease::Own(leases, duration);
        self
    }

    /// A run that takes longer is cancelled and counts as an error; 60 s unless set. What blocks its
    /// thread cannot be cancelled, and can delay the extension of its lease: use `spawn_blocking`.
    #[must_use]
    pub fn time_max(mut self, limit: Duration) -> Self {
        self.time_max = limit;
        self
    }

    /// Also runs when the server starts, and not only after the first interval. A job that is
    /// [leased](Self::leased) does so only if it is due.
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

/// When a job runs again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// After its interval.
    Interval,
    /// After this time.
    In(Duration),
}

/// Why a run failed: a text for the log and the list of jobs. Every error converts into it by `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError(String);

impl JobError {
    /// An error with this text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// The text of an error and of those behind it.
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

/// One run of a job: whether it is to stop, and whether the lease is still held. Clones are one.
#[derive(Clone)]
pub struct JobRun {
    stop: watch::Receiver<bool>,
    lease: Option<Arc<HeldLease>>,
}

/// A lease while a job runs.
struct HeldLease {
    fence: u64,
    clock: Clock,
    margin: Duration,
    /// In milliseconds since 1970; counted from before the request was sent that extended it.
    expires_at: AtomicI64,
}

impl HeldLease {
    fn is_held(&self) -> bool {
        let needed = Timestamp::from_millis(self.clock.now().as_millis()).after(self.margin);
        needed.as_millis() <= self.expires_at.load(Ordering::SeqCst)
    }
}

impl JobRun {
    /// A run without a lease that nobody stops: to call a job's function in a test.
    #[must_use]
    pub fn by_hand() -> Self {
        Self { stop: watch::channel(false).1, lease: None }
    }

    /// Whether the server stops: end soon, at a point from which the next run can go on.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Ready once the server stops.
    pub async fn stopping(&self) {
        let mut stop = self.stop.clone();
        if stop.wait_for(|stop| *stop).await.is_err() {
            // Nobody is left who could say so.
            std::future::pending().await
        }
    }

    /// The fencing number of the lease: greater for every later holder. Write it with a condition.
    /// 0 without a lease.
    #[must_use]
    pub fn fence(&self) -> u64 {
        self.lease.as_ref().map_or(0, |lease| lease.fence)
    }

    /// Fails when less than 2 s of the lease are left by this server's clock. Ask before each step
    /// that another server must not do at the same time.
    ///
    /// # Errors
    ///
    /// If the lease is about to end, or has ended.
    pub fn check_held(&self) -> Result<(), JobError> {
        match &self.lease {
            Some(lease) if !lease.is_held() => Err(JobError::new("the lease is not held any more")),
            _ => Ok(()),
        }
    }
}
