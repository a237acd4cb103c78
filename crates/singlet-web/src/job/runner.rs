//! Runs jobs, each in its own task.

use super::lease::lease_name;
use super::{
    HeldLease, Job, JobError, JobRun, JobStatuses, LEASE_MARGIN, LastRun, Lease, LeaseGrant,
    LeaseTable, Leases, Next,
};
use crate::random::Random;
use futures_util::FutureExt;
use singlet::Timestamp;
use singlet::engine::Clock;
use std::any::Any;
use std::future::{Future, pending};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};

/// How long runs may take to end when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);
/// Time limit for releasing a lease. If that fails, it expires.
const RELEASE_TIME_MAX: Duration = Duration::from_secs(2);
/// Time limit for reading or writing the last run of a job.
const LAST_RUN_TIME_MAX: Duration = Duration::from_secs(2);
/// Random variation of intervals, so that servers started together do not run jobs together.
const JITTER: f64 = 0.1;
/// Longest delay before a failed lease extension is retried.
const EXTEND_PAUSE_MAX: Duration = Duration::from_secs(1);
/// How long a cancelled run may take to end before it is logged as blocking.
const CANCEL_TIME_MAX: Duration = Duration::from_secs(1);

/// Runs jobs until it is stopped.
pub struct Runner {
    jobs: Vec<(&'static str, Job)>,
    statuses: JobStatuses,
    leases: Leases,
    clock: Clock,
    stop_time_max: Duration,
}

impl Runner {
    /// A runner for the jobs of systems. All jobs are listed at once, and run once [`Runner::run`]
    /// is called.
    ///
    /// # Panics
    ///
    /// If two jobs of a system share a name.
    #[must_use]
    pub fn new(
        jobs: Vec<(&'static str, Job)>,
        statuses: &JobStatuses,
        leases: &Leases,
        clock: &Clock,
    ) -> Self {
        for (system, job) in &jobs {
            let name = job.name;
            assert!(statuses.get(system, name).is_none(), "two jobs of {system} are named {name}");
            statuses.add(system, job.name, job.interval);
        }
        Self {
            jobs,
            statuses: statuses.clone(),
            leases: leases.clone(),
            clock: clock.clone(),
            stop_time_max: STOP_TIME_MAX,
        }
    }

    /// How long runs may take to end when the server stops; 10 s by default.
    #[must_use]
    pub fn stop_time_max(mut self, limit: Duration) -> Self {
        self.stop_time_max = limit;
        self
    }

    /// Runs the jobs until `stop` resolves. Then running jobs are asked to stop, cancelled after 10
    /// s, and their leases released.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { jobs, statuses, leases, clock, stop_time_max } = self;
        let stop_sender = watch::Sender::new(false);
        let mut tasks = JoinSet::new();
        for (system, job) in jobs {
            let task = JobTask {
                system,
                statuses: statuses.clone(),
                leases: match &job.lease {
                    Lease::None => None,
                    Lease::Web(duration) => Some((Arc::new(leases.clone()) as _, *duration)),
                    Lease::Own(own, duration) => Some((Arc::clone(own), *duration)),
                },
                runs: matches!(job.lease, Lease::Web(_)).then(|| leases.clone()),
                clock: clock.clone(),
                stop: stop_sender.subscribe(),
                stop_time_max,
                job,
            };
            tasks.spawn(task.run());
        }
        stop.await;
        stop_sender.send_replace(true);
        let all = async { while tasks.join_next().await.is_some() {} };
        // The tasks cancel their runs. A late one is blocking a thread.
        if timeout(stop_time_max + RELEASE_TIME_MAX, all).await.is_err() {
            tracing::warn!(jobs = tasks.len(), "jobs could not be stopped");
        }
        tasks.abort_all();
    }
}

/// A job and its environment.
struct JobTask {
    system: &'static str,
    job: Job,
    statuses: JobStatuses,
    leases: Option<(Arc<dyn LeaseTable>, Duration)>,
    /// Storage of the last run across servers, if any.
    runs: Option<Leases>,
    clock: Clock,
    stop: watch::Receiver<bool>,
    stop_time_max: Duration,
}

impl JobTask {
    async fn run(self) {
        // The last run recorded by this server. It has waited since then, regardless of the clock.
        let mut own = None;
        let mut wait = self.first_wait(&mut own).await;
        while self.waited(wait).await {
            // A system's lease table may panic too.
            let next = match AssertUnwindSafe(self.run_once(&mut own)).catch_unwind().await {
                Ok(next) => next,
                Err(panic) => {
                    let error = panic_error(&*panic);
                    drop(panic);
                    self.run_and_note(async { Err(error) }).await
                }
            };
            wait = match next {
                Next::Interval => self.jittered(self.job.interval),
                Next::In(wait) => wait,
            };
        }
    }

    /// Delay until the first run.
    async fn first_wait(&self, own: &mut Option<LastRun>) -> Duration {
        let default = match self.job.is_at_start {
            true => Duration::ZERO,
            false => self.jittered(self.job.interval),
        };
        let Some(runs) = &self.runs else { return default };
        let looked_up = async {
            let Ok(name) = lease_name(&self.lease_name()) else { return Ok(None) };
            if let Some(last) = runs.last_run(&name).await? {
                return Ok(Some(self.wait_after(&last)));
            }
            let first = LastRun { name, ended_at: self.now().as_millis(), next_in: None };
            // Ensures that a server restarted more often than the interval still runs the job.
            if !self.job.is_at_start && runs.note_first(&first).await? {
                *own = Some(first);
            }
            Ok::<_, singlet::Error>(None)
        };
        match timeout(LAST_RUN_TIME_MAX, looked_up).await {
            Ok(Ok(wait)) => wait.unwrap_or(default),
            Ok(Err(error)) => {
                tracing::warn!(%error, job = self.job.name, "the last run of a job is not known");
                default
            }
            Err(_) => default,
        }
    }

    /// Delay until the next run after this one; zero if it is overdue.
    fn wait_after(&self, last: &LastRun) -> Duration {
        let wait = match last.next_in {
            Some(millis) => Duration::from_millis(millis),
            None => self.job.interval.mul_f64(1.0 - JITTER),
        };
        let (now, ended) = (self.now(), Timestamp::from_millis(last.ended_at));
        // A clock that was far ahead must not stall the job.
        match ended > now.after(wait) {
            true => Duration::ZERO,
            false => ended.after(wait).since(now),
        }
    }

    /// The delay if another server ran the job recently. Called while the lease is held.
    async fn wait_for_due(&self, own: Option<&LastRun>) -> Option<Duration> {
        let (runs, name) = (self.runs.as_ref()?, lease_name(&self.lease_name()).ok()?);
        let last = timeout(LAST_RUN_TIME_MAX, runs.last_run(&name)).await.ok()?.ok()??;
        if own == Some(&last) {
            return None;
        }
        let wait = Some(self.wait_after(&last)).filter(|wait| !wait.is_zero())?;
        // Spreads the servers.
        let least = self.job.interval.mul_f64(1.0 - JITTER);
        Some(wait + self.jittered(self.job.interval).saturating_sub(least))
    }

    /// Records the end of a run for all servers, unless a stop cut it short.
    async fn note_run(&self, next: Next, own: &mut Option<LastRun>) {
        let Some(runs) = self.runs.as_ref().filter(|_| !*self.stop.borrow()) else { return };
        let Ok(name) = lease_name(&self.lease_name()) else { return };
        let next_in = match next {
            Next::Interval => None,
            Next::In(wait) => Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        };
        let run = LastRun { name, ended_at: self.now().as_millis(), next_in };
        match timeout(LAST_RUN_TIME_MAX, runs.note_run(&run)).await {
            Ok(Ok(())) => *own = Some(run),
            _ => tracing::warn!(job = self.job.name, "other servers do not know of a run"),
        }
    }

    fn lease_name(&self) -> String {
        format!("{}.{}", self.system, self.job.name)
    }

    /// Waits for the next run; `false` if the server stops first.
    async fn waited(&self, wait: Duration) -> bool {
        let next = self.now().after(wait);
        self.update(|status| status.next = Some(next));
        let mut stop = self.stop.clone();
        tokio::select! {
            () = sleep(wait) => !*self.stop.borrow(),
            // An error means the runner was dropped.
            _ = stop.wait_for(|stop| *stop) => false,
        }
    }

    /// Runs the job, if it is due and the lease can be acquired.
    async fn run_once(&self, own: &mut Option<LastRun>) -> Next {
        let Some((leases, duration)) = &self.leases else {
            return self.run_and_note(self.work(None, &Notify::new())).await;
        };
        let lease_name = self.lease_name();
        let margin = LEASE_MARGIN.min(*duration / 3);
        let (began, deadline) = (self.now(), Instant::now() + (*duration - margin));
        match timeout_at(deadline, leases.acquire(&lease_name, *duration)).await {
            Ok(Ok(Some(grant))) => {
                if let Some(wait) = self.wait_for_due(own.as_ref()).await {
                    self.release(&**leases, &grant).await;
                    return Next::In(wait);
                }
                let held = Arc::new(HeldLease {
                    fence: grant.fence,
                    clock: self.clock.clone(),
                    margin,
                    expires_at: AtomicI64::new(began.after(*duration).as_millis()),
                });
                self.update(|status| status.holder = Some(grant.owner.clone()));
                let lost = Notify::new();
                let keep = async {
                    self.keep(&**leases, &grant, *duration, &held, deadline).await;
                    lost.notify_one();
                    pending::<Result<Next, JobError>>().await
                };
                // The lease is extended until the run has ended, also during cancellation.
                let work = async {
                    tokio::select! {
                        done = self.work(Some(Arc::clone(&held)), &lost) => done,
                        never = keep => never,
                    }
                };
                let next = self.run_and_note(work).await;
                if held.is_held() {
                    self.note_run(next, own).await;
                }
                self.release(&**leases, &grant).await;
                self.update(|status| status.holder = None);
                next
            }
            Ok(Ok(None)) => {
                self.update(|status| status.holder = Some("another server".to_owned()));
                Next::Interval
            }
            Ok(Err(error)) => self.run_and_note(async { Err(error.into()) }).await,
            Err(_) => {
                let error = JobError::new("the lease could not be acquired in time");
                self.run_and_note(async { Err(error) }).await
            }
        }
    }

    async fn release(&self, leases: &dyn LeaseTable, grant: &LeaseGrant) {
        let released = timeout(RELEASE_TIME_MAX, leases.release(grant)).await;
        if !matches!(released, Ok(Ok(_))) {
            tracing::warn!(job = self.job.name, "a lease was not released; it will expire");
        }
    }

    /// Extends the lease and returns when it is lost: at `deadline` (its end minus the margin) at
    /// the latest, even during an extension attempt, because others can acquire it soon.
    async fn keep(
        &self,
        leases: &dyn LeaseTable,
        grant: &LeaseGrant,
        duration: Duration,
        held: &HeldLease,
        mut deadline: Instant,
    ) {
        let mut wait = duration / 3;
        loop {
            let attempt = async {
                sleep(wait).await;
                let (began, began_at) = (self.now(), Instant::now());
                let extended = timeout(duration / 3, leases.extend(grant, duration)).await;
                (began, began_at, extended)
            };
            let (began, began_at, extended) = tokio::select! {
                biased;
                () = sleep_until(deadline) => return,
                attempted = attempt => attempted,
            };
            match extended {
                Ok(Ok(true)) => {
                    held.expires_at.store(began.after(duration).as_millis(), Ordering::SeqCst);
                    deadline = began_at + (duration - held.margin);
                    wait = duration / 3;
                }
                Ok(Ok(false)) => return,
                failed => {
                    if let Ok(Err(error)) = failed {
                        tracing::warn!(%error, job = self.job.name, "a lease was not extended");
                    }
                    wait = EXTEND_PAUSE_MAX.min(duration / 10);
                }
            }
            // The clock may have jumped.
            if !held.is_held() {
                return;
            }
        }
    }

    /// Runs the job's function once, with its time limit, in a separate task, so that long polls do
    /// not delay the lease extension. A blocking run can still delay tasks queued on its thread.
    /// Returns when the run has ended.
    async fn work(&self, lease: Option<Arc<HeldLease>>, lost: &Notify) -> Result<Next, JobError> {
        let job_run = JobRun { stop: self.stop.clone(), lease };
        let work = Arc::clone(&self.job.work);
        // The function may panic before it returns its future.
        let mut run = RunTask(tokio::spawn(async move { work(job_run).await }));
        let deadline = Instant::now() + self.job.time_max;
        let error = tokio::select! {
            done = &mut run.0 => return done.unwrap_or_else(|error| Err(join_error(error))),
            () = lost.notified() => JobError::new("the lease was lost: the run was cancelled"),
            () = sleep_until(deadline) => {
                JobError::new(format!("the run took longer than {:?}", self.job.time_max))
            }
            () = self.stop_time_over() => JobError::new("the server stopped during the run"),
        };
        run.0.abort();
        // It ends at its next await point. Only then release the lease or start the next run.
        if timeout(CANCEL_TIME_MAX, &mut run.0).await.is_err() {
            let (system, job) = (self.system, self.job.name);
            tracing::error!(system, job, "a run blocks its thread and cannot be cancelled");
            let _ = (&mut run.0).await;
        }
        Err(error)
    }

    /// Resolves when the server stops and the grace period has passed.
    async fn stop_time_over(&self) {
        let mut stop = self.stop.clone();
        let _ = stop.wait_for(|stop| *stop).await;
        sleep(self.stop_time_max).await;
    }

    /// Runs the work and records its outcome.
    async fn run_and_note(&self, work: impl Future<Output = Result<Next, JobError>>) -> Next {
        let (start, began) = (self.now(), Instant::now());
        self.update(|status| {
            status.last_start = Some(start);
            status.next = None;
        });
        let done = work.await;
        let took = began.elapsed();
        if let Err(error) = &done {
            tracing::error!(%error, system = self.system, job = self.job.name, "a job failed");
        }
        self.update(|status| {
            status.last_took = Some(took);
            status.took += took;
            status.runs += 1;
            status.failures += u64::from(done.is_err());
            status.last_error = done.as_ref().err().map(ToString::to_string);
        });
        done.unwrap_or(Next::Interval)
    }

    /// The interval ± 10 %.
    fn jittered(&self, interval: Duration) -> Duration {
        // Without randomness, no jitter.
        let share = match Random::new().bytes() {
            Ok([byte]) => f64::from(byte) / 255.0,
            Err(_) => 0.5,
        };
        interval.mul_f64(1.0 - JITTER + 2.0 * JITTER * share)
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.now().as_millis())
    }

    fn update(&self, change: impl FnOnce(&mut super::JobStatus)) {
        self.statuses.update((self.system, self.job.name), change);
    }
}

/// A running job, cancelled on drop.
struct RunTask(JoinHandle<Result<Next, JobError>>);

impl Drop for RunTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn join_error(error: JoinError) -> JobError {
    match error.try_into_panic() {
        Ok(panic) => panic_error(&*panic),
        Err(_) => JobError::new("the run was cancelled"),
    }
}

fn panic_error(panic: &(dyn Any + Send)) -> JobError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    JobError::new(format!("the run panicked: {}", text.unwrap_or("no message")))
}
