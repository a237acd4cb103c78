//! The system behind a server, with a few matches of its own.

use crate::fixture::{MINUTE, league, match_id, processing, scheduled, team, user_id};
use cricket::design::{Cricket, Fixture, Live, ProcessingState, Replay};
use cricket::rules::{InningsScore, Phase, Target};
use cricket::service::Service;
use serde_json::Value;
use singlet_testing::{TestClient, TestServer, TestStore};
use singlet_web::DemoPolicy;
use singlet_web::random::Random;

/// A server with two teams and a league. It ends with the test.
pub(crate) struct CricketServer {
    pub(crate) server: TestServer,
    pub(crate) service: Service,
    pub(crate) store: TestStore,
}

impl CricketServer {
    pub(crate) async fn new() -> Self {
        let store = Self::store(TestStore::memory()).await;
        let systems = vec![cricket::system()];
        let server = TestServer::with(systems, store.share(), DemoPolicy::Never).await;
        Self::on(store, server).await
    }

    /// A server on which only requests write.
    pub(crate) async fn without_jobs() -> Self {
        Self::quiet(TestStore::memory()).await
    }

    /// The same on a store whose requests can fail.
    pub(crate) async fn faulty() -> Self {
        Self::quiet(TestStore::faulty()).await
    }

    async fn quiet(store: TestStore) -> Self {
        let store = Self::store(store).await;
        let server = TestServer::without_jobs(vec![cricket::system()], store.share()).await;
        Self::on(store, server).await
    }

    async fn store(store: TestStore) -> TestStore {
        let service = Service::new(store.open::<Cricket>().await, Random::new());
        let now = service.db.now();
        let teams =
            [team("101", "Harbour Hawks", "HAR", now), team("102", "Kinsale Kestrels", "KIN", now)];
        service.teams.create_many(&teams).await.unwrap();
        let coastal = league("7001", "CTL", "Coastal T20 League", true, now);
        service.leagues.put(&coastal).await.unwrap();
        store
    }

    async fn on(store: TestStore, server: TestServer) -> Self {
        let service = Service::new(store.open::<Cricket>().await, Random::new());
        Self { server, service, store }
    }

    pub(crate) fn visitor(&self) -> TestClient {
        self.server.visitor()
    }

    pub(crate) fn asha(&self) -> TestClient {
        self.server.as_user("asha", &[])
    }

    pub(crate) fn olu(&self) -> TestClient {
        self.server.as_user("olu", &["cricket-admin"])
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.visitor().get(&format!("/cricket{path}")).await.expect(200)
    }

    /// A match that starts in an hour.
    pub(crate) async fn scheduled(&self, id: &str) -> Fixture {
        let fixture = scheduled(id, self.service.db.now().after(60 * MINUTE));
        assert!(self.service.fixtures.create(&fixture).await.unwrap());
        fixture
    }

    /// A generated match that nobody plays.
    pub(crate) async fn replay(&self, id: &str) -> Fixture {
        let now = self.service.db.now();
        let replay = Replay {
            tape: "t20-20".into(),
            playing: false,
            position_ms: -3_600_000,
            at: now,
            speed: 12,
            skip_breaks: true,
            revision: 0,
            expires_at: now.after(24 * 60 * MINUTE),
        };
        let fixture = Fixture { replay: Some(replay), ..scheduled(id, now.after(60 * MINUTE)) };
        assert!(self.service.fixtures.create(&fixture).await.unwrap());
        fixture
    }

    /// A match in its second innings, with the balls of one over.
    pub(crate) async fn live(&self, id: &str) -> Fixture {
        let now = self.service.db.now();
        let innings = |n: u32, team: &str, runs: u32, wickets: u32, balls: u32| InningsScore {
            n,
            team_id: team.into(),
            runs,
            wickets,
            balls,
            ..InningsScore::default()
        };
        let fixture = Fixture {
            status: "2nd Innings".into(),
            phase: Phase::Live,
            live: Some(Live::Live),
            live_updated_at: Some(now),
            innings: vec![innings(1, "101", 168, 7, 120), innings(2, "102", 111, 4, 78)],
            target: Some(Target { runs: 169, balls: Some(120), revised: false }),
            sequence: 5,
            feed_at: Some(now.as_millis()),
            ..scheduled(id, now.before(90 * MINUTE))
        };
        assert!(self.service.fixtures.create(&fixture).await.unwrap());
        self.service.processing.put(&self.balls(id, 5, 6)).await.unwrap();
        fixture
    }

    /// So many balls of over 13, without a wicket.
    pub(crate) fn balls(&self, id: &str, sequence: u64, count: u32) -> ProcessingState {
        let ball = |n: u32| format!("{n}|2|12.{n}|2004|2006|1009|1|0|0|0|0|||");
        let names = [("2004", "R. Iyer"), ("2006", "J. Brandt"), ("1009", "T. Okafor")];
        ProcessingState {
            ball_by_ball: (1..=count).map(ball).collect(),
            players: names.map(|(id, name)| (id.to_owned(), name.to_owned())).into(),
            ..processing(id, sequence, self.service.db.now())
        }
    }

    /// Follows a match as somebody.
    pub(crate) async fn followed_by(&self, fixture: &Fixture, user: &str, team: &str) {
        let team = crate::fixture::team_id(team);
        self.service.follows.follow(fixture, &user_id(user), &team).await.unwrap();
    }

    pub(crate) async fn fixture(&self, id: &str) -> Fixture {
        self.service.fixtures.get_consistent(&match_id(id)).await.unwrap().unwrap()
    }

    /// One more ball, as a tick commits it.
    pub(crate) async fn tick(&self, id: &str, runs: u32) {
        let read = self.fixture(id).await;
        let sequence = read.sequence + 1;
        let mut innings = read.innings.clone();
        if let Some(last) = innings.last_mut() {
            last.runs += runs;
            last.balls += 1;
        }
        let now = self.service.db.now();
        let feed_at = read.feed_at.unwrap_or(0) + 1;
        let stored = self.service.processing.get(&match_id(id), read.sequence).await.unwrap();
        let mut state = (*stored.unwrap()).clone();
        let n = state.ball_by_ball.len() + 1;
        state.ball_by_ball.push(format!("{n}|2|13.1|2004|2006|1010|{runs}|0|0|0|0|||"));
        state.sequence = sequence;
        let change = cricket::service::FixtureService::tick(&read, feed_at)
            .set(Fixture::SEQUENCE, sequence)
            .set(Fixture::INNINGS, innings)
            .set(Fixture::LIVE_UPDATED_AT, now);
        let put = cricket::service::ProcessingService::put_operation(&state);
        self.service.db.transact((change, put)).await.unwrap();
        self.service.processing.remember(std::sync::Arc::new(state.clone()));
    }
}
