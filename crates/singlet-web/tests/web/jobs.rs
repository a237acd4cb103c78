//! Jobs: scheduling, leases and isolation.

use singlet::Settings;
use singlet::backend::{BackendError, BoxFuture, Embedded};
use singlet::engine::{Clock, Engine};
use singlet::prelude::*;
use singlet_web::Web;
use singlet_web::job::{
    Job, JobError, JobRun, JobStatuses, LastRun, LeaseGrant, LeaseItem, LeaseName, LeaseTable,
    Leases, Next, Runner,
};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(120);

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A server that runs jobs.
struct Jobs {
    statuses: JobStatuses,
    leases: Leases,
    db: Db<Web>,
    stop: Option<oneshot::Sender<()>>,
    done: JoinHandle<()>,
}

async fn web(engine: &Engine) -> Db<Web> {
    let db = Db::on(Embedded::new(engine.clone()), Settings::default());
    db.provision().await.unwrap();
    db
}

async fn run(jobs: impl IntoIterator<Item = Job>) -> Jobs {
    run_as("this", &Engine::memory().unwrap(), jobs).await
}

async fn run_as(owner: &str, engine: &Engine, jobs: impl IntoIterator<Item = Job>) -> Jobs {
    run_until_stopped(owner, engine, jobs, ms(300)).await
}

/// The same, with a grace period for stopping.
async fn run_until_stopped(
    owner: &str,
    engine: &Engine,
    jobs: impl IntoIterator<Item = Job>,
    stop_time_max: Duration,
) -> Jobs {
    let db = web(engine).await;
    let (statuses, leases) = (JobStatuses::new(), Leases::new(db.clone(), owner));
    let jobs = jobs.into_iter().map(|job| ("test", job)).collect();
    let runner = Runner::new(jobs, &statuses, &leases, &Clock::system());
    let runner = runner.stop_time_max(stop_time_max);
    let (stop, stopped) = oneshot::channel::<()>();
    let done = tokio::spawn(runner.run(async {
        let _ = stopped.await;
    }));
    Jobs { statuses, leases, db, stop: Some(stop), done }
}

impl Jobs {
    /// Waits until a job has run this many times.
    async fn ran(&self, name: &str, count: u64) {
        let reached = async {
            while self.statuses.get("test", name).unwrap().runs < count {
                sleep(ms(5)).await;
            }
        };
        timeout(PATIENCE, reached).await.unwrap();
    }

    async fn stop(mut self) -> Duration {
        let begun = Instant::now();
        drop(self.stop.take());
        timeout(PATIENCE, &mut self.done).await.unwrap().unwrap();
        begun.elapsed()
    }

    fn error(&self, name: &str) -> Option<String> {
        self.statuses.get("test", name).unwrap().last_error
    }
}

/// A job that counts its runs.
fn counting(name: &'static str, interval: Duration) -> (Job, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let job = Job::every(name, interval, move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(Next::Interval) }
    });
    (job, count)
}

/// Counts drops.
struct Dropped(Arc<AtomicU32>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_panic_and_a_hang_leave_other_jobs_running() {
    let panics = Job::every("panics", ms(10), async |_: JobRun| {
        if true {
            panic!("no such file");
        }
        Ok(Next::Interval)
    });
    // Before it returns a future.
    let panics_at_once = Job::every("panics-at-once", ms(10), |_: JobRun| {
        if true {
            panic!("{} of {}", 1, 2);
        }
        async { Ok(Next::Interval) }
    });
    let hangs = Job::every("hangs", ms(10), async |_: JobRun| {
        std::future::pending::<()>().await;
        Ok(Next::Interval)
    });
    let fails = Job::every("fails", ms(10), async |_: JobRun| {
        "x".parse::<u8>()?;
        Ok(Next::Interval)
    });
    let (good, count) = counting("good", ms(10));
    let jobs = run([panics, panics_at_once, hangs.time_max(ms(30)), fails, good]).await;
    for name in ["panics", "panics-at-once", "hangs", "fails"] {
        jobs.ran(name, 3).await;
        let status = jobs.statuses.get("test", name).unwrap();
        assert_eq!(status.failures, status.runs, "{name}");
    }
    assert_eq!(jobs.error("panics").unwrap(), "the run panicked: no such file");
    assert_eq!(jobs.error("panics-at-once").unwrap(), "the run panicked: 1 of 2");
    assert_eq!(jobs.error("hangs").unwrap(), "the run took longer than 30ms");
    assert_eq!(jobs.error("fails").unwrap(), "invalid digit found in string");
    jobs.ran("good", 5).await;
    assert!(count.load(Ordering::SeqCst) >= 5 && jobs.error("good").is_none());
    jobs.stop().await;
}

#[tokio::test]
async fn jobs_run_after_their_interval_and_when_they_say() {
    let hour = Duration::from_secs(3600);
    let noting = |name, interval, next| {
        let starts = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&starts);
        let job = Job::every(name, interval, move |_| {
            noted.lock().unwrap().push(Instant::now());
            async move { Ok(next) }
        });
        (job, starts)
    };
    // With its interval it would run an hour later.
    let (early, early_starts) = noting("early", hour, Next::In(ms(20)));
    let (regular, regular_starts) = noting("regular", ms(200), Next::Interval);
    let (patient, patiently) = counting("patient", hour);
    let engine = Engine::memory().unwrap();
    let jobs = [early.also_at_start(), regular, patient];
    let jobs = run_until_stopped("this", &engine, jobs, hour).await;
    let pause = |starts: &Mutex<Vec<Instant>>| {
        let starts = starts.lock().unwrap();
        starts[1] - starts[0]
    };
    jobs.ran("early", 2).await;
    assert!(pause(&early_starts) >= ms(20));
    jobs.ran("regular", 2).await;
    // The interval ± 10 %.
    assert!(pause(&regular_starts) >= ms(180));
    assert_eq!(patiently.load(Ordering::SeqCst), 0);
    let status = jobs.statuses.get("test", "patient").unwrap();
    let wait = status.next.unwrap().since(jobs.db.now()).as_secs();
    assert!((3_230..=3_960).contains(&wait), "{wait}");
    let json = serde_json::to_value(&status).unwrap();
    assert_eq!((json["intervalMs"].as_u64(), json["lastStart"].is_null()), (Some(3_600_000), true));
    // An idle job must not delay the stop.
    jobs.stop().await;
}

#[tokio::test]
async fn a_leased_job_runs_on_one_server_at_a_time() {
    let engine = Engine::memory().unwrap();
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let fences = Arc::new(Mutex::new(Vec::new()));
    let job = || {
        let (running, most, fences) = (running.clone(), most.clone(), fences.clone());
        Job::every("alone", ms(5), move |run: JobRun| {
            let (running, most, fences) = (running.clone(), most.clone(), fences.clone());
            async move {
                run.check_held()?;
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                fences.lock().unwrap().push(run.fence());
                sleep(ms(10)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(Next::Interval)
            }
        })
        .leased(Duration::from_secs(60))
    };
    let mut servers = Vec::new();
    for owner in ["one", "two", "three", "four"] {
        servers.push(run_as(owner, &engine, [job()]).await);
    }
    for server in &servers {
        server.ran("alone", 5).await;
    }
    for server in servers {
        server.stop().await;
    }
    assert_eq!(most.load(Ordering::SeqCst), 1);
    let fences = fences.lock().unwrap();
    assert!(fences.len() >= 20 && fences.is_sorted_by(|one, other| one < other), "{fences:?}");
}

/// Waits until a server postpones a job by a long time, and returns the seconds.
async fn put_off(jobs: &Jobs, name: &str) -> u64 {
    let decided = async {
        loop {
            let next = jobs.statuses.get("test", name).unwrap().next;
            let wait = next.map_or(0, |next| next.since(jobs.db.now()).as_secs());
            if wait > 60 {
                return wait;
            }
            sleep(ms(5)).await;
        }
    };
    timeout(PATIENCE, decided).await.unwrap()
}

/// Regression: every server ran the job in every interval, and a restart ran it at once.
#[tokio::test]
async fn servers_together_keep_the_interval_of_a_leased_job() {
    let engine = Engine::memory().unwrap();
    let hour = Duration::from_secs(3600);
    let (one, count) = counting("hourly", hour);
    let one = run_as("one", &engine, [one.leased(hour).also_at_start()]).await;
    one.ran("hourly", 1).await;
    assert!(put_off(&one, "hourly").await > 3_000);
    // Another server, and the first one after a restart.
    for owner in ["two", "one again"] {
        let (other, other_count) = counting("hourly", hour);
        let other = run_as(owner, &engine, [other.leased(hour).also_at_start()]).await;
        let wait = put_off(&other, "hourly").await;
        assert!((3_000..=3_960).contains(&wait), "{wait}");
        assert_eq!(other_count.load(Ordering::SeqCst), 0, "{owner}");
        other.stop().await;
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert_eq!(one.leases.holder("test.hourly").await.unwrap(), None);
    one.stop().await;
}

/// Regression: a server restarted more often than the interval never ran the job.
#[tokio::test]
async fn what_is_overdue_after_a_restart_runs_at_once() {
    let engine = Engine::memory().unwrap();
    let hour = Duration::from_secs(3600);
    let (job, count) = counting("hourly", hour);
    let first = run_as("one", &engine, [job.leased(hour)]).await;
    assert!(put_off(&first, "hourly").await > 3_000);
    let (db, name) = (first.db.clone(), LeaseName::new("test.hourly").unwrap());
    first.stop().await;
    assert_eq!(count.load(Ordering::SeqCst), 0);
    // The first start was two hours ago.
    let mut seen = db.get(LastRun::key(&name)).await.unwrap().unwrap();
    seen.ended_at -= 7_200_000;
    db.run(put(&seen)).await.unwrap();
    let (job, count) = counting("hourly", hour);
    let again = run_as("one", &engine, [job.leased(hour)]).await;
    again.ran("hourly", 1).await;
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert!(put_off(&again, "hourly").await > 3_000);
    again.stop().await;
    // A record from a clock far ahead is ignored.
    seen.ended_at += 1_000 * 3_600_000;
    db.run(put(&seen)).await.unwrap();
    let (job, _) = counting("hourly", hour);
    let anew = run_as("one", &engine, [job.leased(hour)]).await;
    anew.ran("hourly", 1).await;
    anew.stop().await;
}

/// A delay chosen by a run applies on every server.
#[tokio::test]
async fn the_next_run_is_when_the_last_one_said_on_whichever_server() {
    let engine = Engine::memory().unwrap();
    let later = || {
        let job = Job::every("later", ms(5), async |_: JobRun| Ok(Next::In(ms(3_600_000))));
        job.leased(Duration::from_secs(60)).also_at_start()
    };
    let one = run_as("one", &engine, [later()]).await;
    one.ran("later", 1).await;
    assert!(put_off(&one, "later").await > 3_000);
    let two = run_as("two", &engine, [later()]).await;
    assert!(put_off(&two, "later").await > 3_000);
    assert_eq!(two.statuses.get("test", "later").unwrap().runs, 0);
    one.stop().await;
    two.stop().await;
}

/// The run outlives the first duration of its lease.
#[tokio::test]
async fn a_lease_is_extended_while_the_job_runs() {
    let engine = Engine::memory().unwrap();
    let job = Job::every("long", ms(10), async |run: JobRun| {
        for _ in 0..80 {
            run.check_held()?;
            sleep(ms(100)).await;
        }
        Ok(Next::In(Duration::from_secs(60)))
    });
    let jobs = run_as("one", &engine, [job.leased(ms(6_000))]).await;
    let other = Leases::new(web(&engine).await, "other");
    let mut attempts = 0;
    while jobs.statuses.get("test", "long").unwrap().runs == 0 {
        if jobs.statuses.get("test", "long").unwrap().holder.is_some() {
            let acquired = other.acquire("test.long", ms(1)).await.unwrap();
            let is_running = jobs.statuses.get("test", "long").unwrap().holder.is_some();
            assert!(acquired.is_none() || !is_running);
            attempts += 1;
        }
        sleep(ms(20)).await;
    }
    assert!(attempts > 10 && jobs.error("long").is_none(), "{attempts} {:?}", jobs.error("long"));
    // Released at the end.
    assert_eq!(jobs.leases.holder("test.long").await.unwrap(), None);
    jobs.stop().await;
}

#[tokio::test]
async fn a_lost_lease_stops_the_run() {
    let dropped = Arc::new(AtomicU32::new(0));
    let noticed = Arc::new(AtomicU64::new(0));
    let job = {
        let (dropped, noticed) = (Arc::clone(&dropped), Arc::clone(&noticed));
        Job::every("loses", ms(10), move |run: JobRun| {
            let (dropped, noticed) = (Dropped(Arc::clone(&dropped)), Arc::clone(&noticed));
            async move {
                let _dropped = dropped;
                loop {
                    noticed.store(run.fence(), Ordering::SeqCst);
                    sleep(ms(10)).await;
                }
            }
        })
    };
    let jobs = run([job.leased(ms(6_000))]).await;
    while noticed.load(Ordering::SeqCst) == 0 {
        sleep(ms(5)).await;
    }
    // Another owner takes it, as if this server had been suspended.
    let name = LeaseName::new("test.loses").unwrap();
    let taken = LeaseItem {
        name,
        owner: "other".to_owned(),
        fence: 100,
        expires_at: jobs.db.now().after(Duration::from_secs(60)).as_millis(),
    };
    jobs.db.run(put(&taken)).await.unwrap();
    jobs.ran("loses", 1).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(jobs.error("loses").unwrap(), "the lease was lost: the run was cancelled");
    // The other owner's lease is left alone, and nothing runs meanwhile.
    sleep(ms(100)).await;
    assert_eq!(jobs.leases.holder("test.loses").await.unwrap().as_deref(), Some("other"));
    let status = jobs.statuses.get("test", "loses").unwrap();
    assert_eq!((status.runs, status.holder.as_deref()), (1, Some("another server")));
    jobs.stop().await;
}

/// A lease table that fails to extend once and then hangs.
struct SlowLeases {
    inner: Leases,
    attempts: AtomicU32,
}

impl LeaseTable for SlowLeases {
    fn acquire<'a>(
        &'a self,
        name: &'a str,
        duration: Duration,
    ) -> BoxFuture<'a, Result<Option<LeaseGrant>, singlet::Error>> {
        self.inner.acquire(name, duration)
    }

    fn extend<'a>(
        &'a self,
        _: &'a LeaseGrant,
        _: Duration,
    ) -> BoxFuture<'a, Result<bool, singlet::Error>> {
        Box::pin(async move {
            if self.attempts.fetch_add(1, Ordering::SeqCst) > 0 {
                std::future::pending::<()>().await;
            }
            sleep(ms(350)).await;
            let error = BackendError::Failed("the store does not answer".into());
            Err::<bool, singlet::Error>(error.into())
        })
    }

    fn release<'a>(&'a self, grant: &'a LeaseGrant) -> BoxFuture<'a, Result<bool, singlet::Error>> {
        self.inner.release(grant)
    }
}

/// Regression: an extension attempt begun just before the margin kept the run alive until the lease
/// had ended.
#[tokio::test]
async fn a_run_is_cancelled_before_its_lease_ends_although_it_is_being_extended() {
    let engine = Engine::memory().unwrap();
    let inner = Leases::new(web(&engine).await, "this");
    let leases = Arc::new(SlowLeases { inner, attempts: AtomicU32::new(0) });
    let dropped = Arc::new(AtomicU32::new(0));
    let job = {
        let dropped = Arc::clone(&dropped);
        Job::every("slow", Duration::from_secs(60), move |_| {
            let dropped = Dropped(Arc::clone(&dropped));
            async move {
                let _dropped = dropped;
                std::future::pending::<()>().await;
                Ok(Next::Interval)
            }
        })
    };
    let table: Arc<dyn LeaseTable> = leases.clone();
    let job = job.also_at_start().leased_by(table, ms(9_000));
    let jobs = run_as("this", &engine, [job]).await;
    jobs.ran("slow", 1).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(jobs.error("slow").unwrap(), "the lease was lost: the run was cancelled");
    // The margin is a third of the lease. The second attempt hangs.
    assert_eq!(leases.attempts.load(Ordering::SeqCst), 2);
    let took = jobs.statuses.get("test", "slow").unwrap().last_took.unwrap();
    assert!(took < ms(9_000), "{took:?}");
    jobs.stop().await;
}

/// After a clock jump the lease counts as ended.
#[tokio::test]
async fn check_held_fails_two_seconds_before_the_end() {
    let clock = Clock::fixed(1_773_576_000_000);
    let engine = Engine::memory().unwrap();
    let settings = Settings { clock: clock.clone(), ..Settings::default() };
    let db = Db::<Web>::on(Embedded::new(engine), settings);
    db.provision().await.unwrap();
    let (statuses, leases) = (JobStatuses::new(), Leases::new(db, "this"));
    let job = {
        let clock = clock.clone();
        Job::every("checks", ms(5), move |run: JobRun| {
            let clock = clock.clone();
            async move {
                run.check_held()?;
                clock.advance(58_000);
                run.check_held()?;
                clock.advance(1);
                run.check_held()?;
                Err(JobError::new("it should have failed"))
            }
        })
    };
    let jobs = vec![("test", job.leased(Duration::from_secs(60)))];
    let runner = Runner::new(jobs, &statuses, &leases, &clock);
    let checked = async {
        while statuses.get("test", "checks").unwrap().runs == 0 {
            sleep(ms(5)).await;
        }
    };
    timeout(PATIENCE, runner.run(checked)).await.unwrap();
    let error = statuses.get("test", "checks").unwrap().last_error.unwrap();
    assert_eq!(error, "the lease is not held any more");
    assert!(JobRun::by_hand().check_held().is_ok() && JobRun::by_hand().fence() == 0);
}

#[tokio::test]
async fn a_stop_lets_runs_end_and_cancels_those_that_do_not() {
    let engine = Engine::memory().unwrap();
    let ended = Arc::new(AtomicU32::new(0));
    let polite = {
        let ended = Arc::clone(&ended);
        Job::every("polite", ms(5), move |run: JobRun| {
            let ended = Arc::clone(&ended);
            async move {
                run.stopping().await;
                assert!(run.is_stopping());
                sleep(ms(50)).await;
                ended.fetch_add(1, Ordering::SeqCst);
                Ok(Next::Interval)
            }
        })
    };
    let deaf = Job::every("deaf", ms(5), async |_: JobRun| {
        std::future::pending::<()>().await;
        Ok(Next::Interval)
    });
    let jobs = [polite, deaf.leased(Duration::from_secs(60))];
    let stop_time_max = ms(3_000);
    let jobs = run_until_stopped("one", &engine, jobs, stop_time_max).await;
    let leases = jobs.leases.clone();
    while leases.holder("test.deaf").await.unwrap().is_none() {
        sleep(ms(5)).await;
    }
    sleep(ms(50)).await;
    let statuses = jobs.statuses.clone();
    let took = jobs.stop().await;
    assert!(took >= stop_time_max, "{took:?}");
    assert_eq!(ended.load(Ordering::SeqCst), 1);
    assert_eq!(statuses.get("test", "polite").unwrap().last_error, None);
    let error = statuses.get("test", "deaf").unwrap().last_error.unwrap();
    assert_eq!(error, "the server stopped during the run");
    // Another server can start at once.
    assert_eq!(leases.holder("test.deaf").await.unwrap(), None);
}
