//! What runs in the background, on one server at a time where that matters.
//!
//! - `tick`: applies one snapshot to one match. `live_score`: polls the feed, and ticks each match.
//! - `reconcile`: ends matches that are over, and archives them.
//! - `sync`: leagues, teams, standings and fixtures. `prematch`: reminders and the toss.
//! - `orders`, `fan_out`: pushes, ordered and sent.
//! - `replays`: generated matches. `settings`: which feed and which way to phones.
//!
//! Locks keep servers from doing the same work; what keeps data right are the conditions of the
//! writes. A tick commits only where sequence and snapshot are as it has read them, so a
//! server that was paused past its lease commits nothing and pushes nothing.

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
pub use replays::ReplayChange;
pub use settings::Settings;
pub use tick::{Prepared, TickOutcome};

use crate::design::{Device, Owner, UserId};
use crate::feed::{Feed, ReplayFeed};
use crate::lock;
use crate::push::{Outbox, PushSender};
use crate::service::Service;
use live_score::LiveState;
use orders::Orders;
use singlet_web::job::{Job, JobError, Next};
use singlet_web::outbound::{Breaker, BreakerOptions};
use singlet_web::{OpenError, Resources};
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex, MutexGuard};
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

/// How many pushes of requests run at once, besides those of ticks.
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
    /// Of polls for live scores.
    breaker: Breaker,
    ending_done: Notify,
    orders: Arc<Orders>,
    /// Permits of concurrent runs of `push_orders`.
    senders: Arc<Semaphore>,
    devices: Mutex<HashMap<UserId, (i64, Option<Device>)>>,
    push_closed_until: AtomicI64,
    background: Arc<Semaphore>,
}

impl Jobs {
    /// The jobs of a server on the feed and the way to phones that the environment names.
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
            breaker: Breaker::new(
                "cricket feed",
                BreakerOptions { jitter_percent: 20, ..BreakerOptions::default() },
            )
            .with_clock(service.db.clock().clone()),
            ending_done: Notify::new(),
            orders: Arc::default(),
            senders: Arc::new(Semaphore::new(fan_out::SENDERS_MAX as usize)),
            devices: Mutex::default(),
            push_closed_until: AtomicI64::new(0),
            background: Arc::new(Semaphore::new(BACKGROUND_MAX)),
        })))
    }

    pub fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    pub fn owner(&self) -> &Owner {
        &self.0.owner
    }

    /// Whether ticks look at their lease before they commit. For tests: what keeps data right is
    /// the condition of the commit, and not the lease.
    pub fn check_leases(&self, checks: bool) {
        self.0.checks_lease.store(checks, std::sync::atomic::Ordering::SeqCst);
    }

    pub fn all(&self) -> Vec<Job> {
        let leases = Arc::new(self.service().locks.leases(self.0.owner.clone()));
        let leased = |job: Job| job.leased_by(leases.clone(), JOB_LEASE);
        let scoring = self.clone();
        // Exactly that long, and not give or take 10 %: a poll is due at a certain time.
        let live = Job::every("live-score", live_score::PASS_INTERVAL, move |_| {
            let jobs = scoring.clone();
            async move {
                jobs.live_score_pass().await?;
                Ok(Next::In(live_score::PASS_INTERVAL))
            }
        });
        let pushing = self.clone();
        let push =
            Job::every("live-activity-push", MINUTE, move |run| pushing.clone().run_push(run));
        macro_rules! leased {
            ($name:literal, $interval:expr, $run:ident) => {
                leased(self.job($name, $interval, |jobs| async move { jobs.$run().await }))
            };
        }
        let mut jobs = vec![
            leased!("league-sync", 6 * HOUR, sync_leagues).also_at_start(),
            leased!("team-sync", 6 * HOUR, sync_teams).also_at_start(),
            leased!("fixture-sync", 30 * MINUTE, sync_fixtures).also_at_start(),
            live.also_at_start().time_max(2 * MINUTE),
            leased!("prematch", MINUTE, send_reminders).also_at_start(),
            leased!("toss", MINUTE, watch_tosses).also_at_start(),
            leased!("enrichment", MINUTE, enrich_matches),
            push.also_at_start().time_max(HOUR),
        ];
        if self.0.replay.is_some() {
            jobs.push(leased!("replay", replays::INTERVAL, keep_replays));
        }
        jobs
    }

    fn job<F, T, E>(
        &self,
        name: &'static str,
        interval: Duration,
        run: impl Fn(Self) -> F + Send + Sync + 'static,
    ) -> Job
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
        JobError: From<E>,
    {
        let jobs = self.clone();
        Job::every(name, interval, move |_| {
            let run = run(jobs.clone());
            async move { Ok(run.await.map(|_| Next::Interval)?) }
        })
    }

    fn service(&self) -> &Service {
        &self.0.service
    }

    fn now_ms(&self) -> i64 {
        self.service().db.now().as_millis()
    }

    fn live(&self) -> MutexGuard<'_, LiveState> {
        lock(&self.0.live)
    }

    /// From 0 to 1.
    fn jitter(&self) -> f64 {
        self.service().random.below(1001).map_or(0.5, |number| f64::from(number) / 1000.0)
    }
}
