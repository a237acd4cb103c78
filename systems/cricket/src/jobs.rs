//! What runs in the background, on one server at a time where that matters.
//!
//! - `tick`: applies one snapshot to one match. `live_score`: polls the feed, and ticks each match.
//! - `reconcile`: ends matches that are over, and archives them.
//! - `sync`: leagues, teams, standings and fixtures. `prematch`: reminders and the toss.
//! - `orders`, `fan_out`: what is to be pushed, and pushing it. `enrich`: names for the cache.
//! - `replays`: generated matches. `settings`: which feed and which way to phones.
//!
//! Locks keep servers from doing the same work; what keeps data right are the conditions of the
//! writes. A tick commits only where sequence and snapshot are as it has read them, so whoever was
//! paused past its lease commits nothing and pushes nothing.

mod enrich;
mod fan_out;
mod live_score;
mod orders;
mod prematch;
mod reconcile;
mod replays;
mod settings;
mod sync;
mod tick;

pub use live_score::FeedStatus;
pub use orders::Order;
pub(crate) use replays::NewReplay;
pub use replays::ReplayChange;
pub use settings::Settings;
pub use tick::{Prepared, TickOutcome};

use crate::design::{Device, Owner, UserId};
use crate::feed::{Feed, ReplayFeed};
use crate::push::{Outbox, PushSender};
use crate::service::Service;
use live_score::LiveState;
use orders::Orders;
use singlet_web::job::{Job, JobError, JobRun, Next};
use singlet_web::{OpenError, Resources};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
/// How long before the end of its lease the holder of a lock stops.
const LEASE_MARGIN_MS: i64 = 2_000;
/// The lease of jobs whose runs may take a while.
const JOB_LEASE: Duration = Duration::from_secs(60);

/// The jobs of one server. Clones are one.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

/// How many requests may have pushes sent at once, beside those of the ticks.
const BACKGROUND_MAX: usize = 64;

struct Inner {
    service: Service,
    feed: Arc<dyn Feed>,
    replay: Option<ReplayFeed>,
    sender: Arc<dyn PushSender>,
    outbox: Outbox,
    owner: Owner,
    checks_lease: AtomicBool,
    live: Mutex<LiveState>,
    /// Notified when a match has ended, or could not be.
    ending_done: Notify,
    orders: Arc<Orders>,
    /// Permits of concurrent runs of `push_orders`.
    senders: Arc<Semaphore>,
    devices: Mutex<HashMap<UserId, (i64, Option<Device>)>>,
    push_closed_until: AtomicI64,
    /// Permits of pushes that requests cause.
    background: Arc<Semaphore>,
}

impl Jobs {
    /// The jobs of a server on the feed and the way to phones that the environment names.
    ///
    /// # Errors
    ///
    /// If a setting is missing or wrong.
    pub fn open(service: &Service, resources: &Resources) -> Result<Self, OpenError> {
        let settings = Settings::from_environment().map_err(OpenError::system)?;
        let replay = ReplayFeed::new(service.clone());
        let clock = resources.clock().clone();
        let (feed, replay): (Arc<dyn Feed>, _) = match settings.sportmonks(clock.clone()) {
            Some(feed) => (Arc::new(feed), None),
            None => (Arc::new(replay.clone()), Some(replay)),
        };
        let sender = settings.sender(clock, service.random.clone()).map_err(OpenError::system)?;
        Self::new(service, feed, replay, sender)
    }

    /// The jobs of a server. `replay` is the feed again, if it plays generated matches.
    ///
    /// # Errors
    ///
    /// If there are no random numbers.
    pub fn new(
        service: &Service,
        feed: Arc<dyn Feed>,
        replay: Option<ReplayFeed>,
        sender: Arc<dyn PushSender>,
    ) -> Result<Self, OpenError> {
        Ok(Self(Arc::new(Inner {
            owner: Owner::of_this_process(&service.random)?,
            outbox: Outbox::new(service.db.now()),
            service: service.clone(),
            feed,
            replay,
            sender,
            checks_lease: AtomicBool::new(true),
            live: Mutex::default(),
            ending_done: Notify::new(),
            orders: Arc::default(),
            senders: Arc::new(Semaphore::new(fan_out::SENDERS_MAX as usize)),
            devices: Mutex::default(),
            push_closed_until: AtomicI64::new(0),
            background: Arc::new(Semaphore::new(BACKGROUND_MAX)),
        })))
    }

    /// What was sent by this server.
    #[must_use]
    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    /// Who this server is in locks.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.0.owner
    }

    /// Whether ticks look at their lease before they commit. For tests: what keeps data right is
    /// the condition of the commit, and not the lease.
    pub fn check_leases(&self, checks: bool) {
        self.0.checks_lease.store(checks, std::sync::atomic::Ordering::SeqCst);
    }

    /// All jobs, for the server to run.
    #[must_use]
    pub fn all(&self) -> Vec<Job> {
        let leases = Arc::new(self.service().locks.leases(self.0.owner.clone()));
        let leased = |job: Job| job.leased_by(leases.clone(), JOB_LEASE);
        let mut jobs = vec![
            leased(self.job("league-sync", 6 * HOUR, Self::run_league_sync)).also_at_start(),
            leased(self.job("team-sync", 6 * HOUR, Self::run_team_sync)).also_at_start(),
            leased(self.job("fixture-sync", 30 * MINUTE, Self::run_fixture_sync)).also_at_start(),
            self.job("live-score", live_score::PASS_INTERVAL, Self::run_live_score)
                .also_at_start()
                .time_max(2 * MINUTE),
            leased(self.job("prematch", MINUTE, Self::run_prematch)).also_at_start(),
            leased(self.job("toss", MINUTE, Self::run_toss)).also_at_start(),
            leased(self.job("enrichment", MINUTE, Self::run_enrichment)),
            self.job("live-activity-push", MINUTE, Self::run_push).also_at_start().time_max(HOUR),
        ];
        if self.0.replay.is_some() {
            let keeper = self.job("replay", replays::INTERVAL, Self::run_replay_keeper);
            jobs.push(leased(keeper));
        }
        jobs
    }

    fn job<F>(
        &self,
        name: &'static str,
        interval: Duration,
        run: impl Fn(Self, JobRun) -> F + Clone + Send + Sync + 'static,
    ) -> Job
    where
        F: Future<Output = Result<Next, JobError>> + Send + 'static,
    {
        let jobs = self.clone();
        Job::every(name, interval, move |job_run| run(jobs.clone(), job_run))
    }

    fn service(&self) -> &Service {
        &self.0.service
    }

    fn now_ms(&self) -> i64 {
        self.service().db.now().as_millis()
    }

    fn live(&self) -> MutexGuard<'_, LiveState> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From 0 to 1.
    fn jitter(&self) -> f64 {
        self.service().random.below(1001).map_or(0.5, |number| f64::from(number) / 1000.0)
    }
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jobs").field("owner", &self.0.owner).finish_non_exhaustive()
    }
}
