//! Servers that share a store, a feed that says what it is told to, and a phone that notes what it
//! gets.

use crate::fixture::{
    league, match_id, other_service, scheduled, service, team, team_id, token, user_id,
};
use cricket::design::{Environment, Fixture, Platform, Replay};
use cricket::feed::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use cricket::feed::{Feed, FeedError, ReplayFeed, Snapshot};
use cricket::jobs::Jobs;
use cricket::push::{PushKind, PushMessage, PushOutcome, PushSender};
use cricket::service::{NewDevice, Service};
use singlet::Timestamp;
use singlet::backend::BoxFuture;
use singlet::engine::Clock;
use singlet_testing::TestStore;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Notes what is sent, and answers as it is told to.
#[derive(Default)]
pub(crate) struct Phone {
    pub(crate) sent: Mutex<Vec<PushMessage>>,
    pub(crate) outcomes: Mutex<VecDeque<PushOutcome>>,
    hold: Mutex<Option<Hold>>,
}

/// Messages that are not answered before the test says so.
#[derive(Clone)]
struct Hold {
    kind: PushKind,
    /// How many are still to be held; later ones are answered at once.
    left: usize,
    held: Arc<AtomicU32>,
    gate: Arc<Semaphore>,
}

/// Lets go what a phone holds back.
pub(crate) struct Held {
    held: Arc<AtomicU32>,
    gate: Arc<Semaphore>,
}

impl Held {
    /// Waits until `count` messages are held.
    pub(crate) async fn reaches(&self, count: u32) {
        until(|| self.held.load(Ordering::SeqCst) >= count).await;
    }

    pub(crate) fn release(&self) {
        self.gate.add_permits(1);
    }
}

/// Waits for something that another task does, two minutes at most.
pub(crate) async fn until(is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), wait).await.unwrap();
}

impl Phone {
    pub(crate) fn take(&self) -> Vec<PushMessage> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }

    /// The first `count` messages of this kind are not answered until they are released.
    pub(crate) fn hold(&self, kind: PushKind, count: usize) -> Held {
        let (held, gate) = (Arc::new(AtomicU32::new(0)), Arc::new(Semaphore::new(0)));
        *self.hold.lock().unwrap() =
            Some(Hold { kind, left: count, held: held.clone(), gate: gate.clone() });
        Held { held, gate }
    }

    /// The hold that applies to a message.
    fn hold_of(&self, message: &PushMessage) -> Option<Hold> {
        let mut hold = self.hold.lock().unwrap();
        let hold = hold.as_mut().filter(|hold| hold.kind == message.kind && hold.left > 0)?;
        hold.left -= 1;
        Some(hold.clone())
    }

    /// How many alerts have a title that begins so, alone or in an update.
    pub(crate) fn alerts(&self, title: &str) -> usize {
        let is_alert = |one: &&PushMessage| {
            let own = one.payload["aps"]["alert"]["title"].as_str();
            own.is_some_and(|own| own.starts_with(title))
        };
        self.sent.lock().unwrap().iter().filter(is_alert).count()
    }

    pub(crate) fn count(&self, kind: PushKind) -> usize {
        self.sent.lock().unwrap().iter().filter(|one| one.kind == kind).count()
    }
}

impl PushSender for Phone {
    fn name(&self) -> &'static str {
        "phone"
    }

    fn send<'a>(&'a self, message: &'a PushMessage) -> BoxFuture<'a, PushOutcome> {
        Box::pin(async move {
            if let Some(hold) = self.hold_of(message) {
                hold.held.fetch_add(1, Ordering::SeqCst);
                let _permit = hold.gate.acquire().await.unwrap();
            }
            let next = self.outcomes.lock().unwrap().pop_front();
            let outcome = next.unwrap_or(PushOutcome::Delivered);
            if outcome == PushOutcome::Delivered {
                self.sent.lock().unwrap().push(message.clone());
            }
            outcome
        })
    }
}

/// Says what it is told to.
pub(crate) struct FakeFeed {
    pub(crate) listed: Mutex<Vec<FeedFixture>>,
    pub(crate) others: Mutex<Vec<FeedFixture>>,
    pub(crate) error: Mutex<Option<FeedError>>,
    pub(crate) leagues: Mutex<Vec<FeedLeague>>,
    pub(crate) live_calls: AtomicU32,
    clock: Clock,
}

impl FakeFeed {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            listed: Mutex::default(),
            others: Mutex::default(),
            error: Mutex::default(),
            leagues: Mutex::default(),
            live_calls: AtomicU32::new(0),
            clock,
        })
    }

    fn snapshot(&self, fixture: FeedFixture) -> Snapshot {
        let now = self.clock.now().as_millis();
        Snapshot { fixture, feed_at: now, feed_ms: now }
    }

    fn answer<T>(&self, value: T) -> BoxFuture<'_, Result<T, FeedError>>
    where
        T: Send + 'static,
    {
        let error = self.error.lock().unwrap().clone();
        Box::pin(std::future::ready(error.map_or(Ok(value), Err)))
    }
}

impl Feed for FakeFeed {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn live(&self) -> BoxFuture<'_, Result<Vec<Snapshot>, FeedError>> {
        self.live_calls.fetch_add(1, Ordering::SeqCst);
        let listed = self.listed.lock().unwrap().clone();
        self.answer(listed.into_iter().map(|one| self.snapshot(one)).collect())
    }

    fn fixture<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, FeedError>> {
        let (listed, others) = (self.listed.lock().unwrap(), self.others.lock().unwrap());
        let found = listed.iter().chain(others.iter()).find(|one| one.id == id).cloned();
        self.answer(found.map(|one| self.snapshot(one)))
    }

    fn fixtures<'a>(
        &'a self,
        _: &'a [String],
        _: Timestamp,
        _: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Snapshot>, FeedError>> {
        let (listed, others) = (self.listed.lock().unwrap(), self.others.lock().unwrap());
        let all: Vec<FeedFixture> = listed.iter().chain(others.iter()).cloned().collect();
        self.answer(all.into_iter().map(|one| self.snapshot(one)).collect())
    }

    fn leagues(&self) -> BoxFuture<'_, Result<Vec<FeedLeague>, FeedError>> {
        let leagues = self.leagues.lock().unwrap().clone();
        self.answer(leagues)
    }

    fn teams(&self) -> BoxFuture<'_, Result<Vec<FeedTeam>, FeedError>> {
        self.answer(vec![])
    }

    fn standings<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<FeedStanding>, FeedError>> {
        self.answer(vec![])
    }
}

/// One server.
pub(crate) struct Server {
    pub(crate) service: Service,
    pub(crate) jobs: Jobs,
    pub(crate) phone: Arc<Phone>,
}

impl Server {
    /// A server on this store that replays generated matches.
    pub(crate) async fn replaying(store: &TestStore) -> Self {
        let service = service(store).await;
        let feed = ReplayFeed::new(service.clone());
        let phone = Arc::new(Phone::default());
        let jobs = Jobs::new(&service, Arc::new(feed.clone()), Some(feed), phone.clone()).unwrap();
        Self { service, jobs, phone }
    }

    /// A server on this store with this feed.
    pub(crate) async fn on(store: &TestStore, feed: Arc<dyn Feed>) -> Self {
        let service = service(store).await;
        let phone = Arc::new(Phone::default());
        let jobs = Jobs::new(&service, feed, None, phone.clone()).unwrap();
        Self { service, jobs, phone }
    }

    /// One pass; matches that are over have ended after it, and what it ordered is sent.
    pub(crate) async fn pass(&self) {
        self.jobs.live_score_pass().await.unwrap();
        self.jobs.endings_done().await;
        self.jobs.push_orders().await.unwrap();
    }

    pub(crate) async fn fixture(&self, id: &str) -> Fixture {
        self.service.fixtures.get_consistent(&match_id(id)).await.unwrap().unwrap()
    }

    /// A user with a phone.
    pub(crate) async fn phone_of(&self, user: &str, starts: bool) {
        let device_token = token(&format!("device-{user}"));
        let new = NewDevice {
            device_token: device_token.clone(),
            platform: Platform::Ios,
            environment: Environment::Sandbox,
            app_version: None,
        };
        self.service.devices.register(&user_id(user), &new).await.unwrap();
        if starts {
            let start = token(&format!("start-{user}"));
            let user = user_id(user);
            let set = self.service.devices.set_push_to_start(&user, &device_token, &start);
            assert!(set.await.unwrap());
        }
    }

    pub(crate) async fn follow(&self, user: &str, id: &str, team: &str) {
        let fixture = self.fixture(id).await;
        let (user, team) = (user_id(user), team_id(team));
        self.service.follows.follow(&fixture, &user, &team).await.unwrap();
    }

    pub(crate) async fn subscribe(&self, user: &str, id: &str, team: &str) {
        let fixture = self.fixture(id).await;
        let activity = token(&format!("activity-{user}"));
        let (user, team) = (user_id(user), team_id(team));
        let done = self.service.subscriptions.register(&fixture, &activity, &user, &team);
        done.await.unwrap();
    }
}

/// The league CTL and its teams 101 and 102.
pub(crate) async fn prepare(store: &TestStore) -> Service {
    let service = service(store).await;
    let now = service.db.now();
    service.leagues.create(&league("7001", "CTL", "Coastal T20 League", true, now)).await.unwrap();
    let teams =
        [team("101", "Harbour Hawks", "HAR", now), team("102", "Kinsale Kestrels", "KIN", now)];
    service.teams.create_many(&teams).await.unwrap();
    drop(other_service(store));
    service
}

/// A replay that starts now.
pub(crate) async fn replay(service: &Service, id: &str, tape: &str, speed: u32, position_ms: i64) {
    let now = service.db.now();
    let fixture = Fixture {
        replay: Some(Replay {
            tape: tape.into(),
            playing: true,
            position_ms,
            at: now,
            speed,
            skip_breaks: true,
            revision: 0,
            expires_at: now.after(Duration::from_secs(48 * 3600)),
        }),
        ..scheduled(id, now)
    };
    assert!(service.fixtures.create(&fixture).await.unwrap());
}
