//! The feed: when it fails, when it rests, what it costs; and the adapter for SportMonks against a
//! server on this machine.

use crate::fixture::{HOUR, match_id, scheduled, team_id, user_id};
use crate::instances::{FakeFeed, Server, prepare};
use cricket::design::{Enrichment, Live, Team};
use cricket::feed::shape::{FeedFixture, FeedLeague};
use cricket::feed::{Feed as _, FeedError, SportMonks, SportMonksOptions};
use cricket::push::PushKind;
use cricket::rules::{Delivery, Format, Phase};
use cricket::view::is_stale;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use serde_json::{Value, json};
use singlet::engine::Clock;
use singlet::prelude::*;
use singlet_testing::{TestStore, run};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;

const ID: &str = "9000001";

/// A match of these teams with so many singles, as the feed has it.
pub(crate) fn feed_match(kind: &str, status: &str, singles: u64) -> FeedFixture {
    let balls: Vec<Value> = (0..singles)
        .map(|number| {
            json!({
                "id": number + 1, "ball": format!("{}.{}", number / 6, number % 6 + 1),
                "scoreboard": "S1", "team_id": 101, "batsman_id": 1001,
                "batsman_one_on_creeze_id": 1001, "batsman_two_on_creeze_id": 1002,
                "bowler_id": 2009, "score": {"name": "1 Run", "runs": 1, "ball": true},
            })
        })
        .collect();
    FeedFixture::from_json(&json!({
        "id": 9000001, "league_id": 7001, "season_id": "s1", "localteam_id": 101,
        "visitorteam_id": 102, "type": kind, "status": status, "balls": balls,
        "starting_at": "2026-11-15 10:00:00",
    }))
    .unwrap()
}

async fn live_match(store: &TestStore, kind: &str) -> (Arc<FakeFeed>, Server) {
    let service = prepare(store).await;
    let feed = FakeFeed::new(store.clock.clone());
    let fixture = scheduled(ID, service.db.now());
    let format = Format::from_feed(kind).unwrap();
    let fixture = cricket::design::Fixture { format, ..fixture };
    assert!(service.fixtures.create(&fixture).await.unwrap());
    let mut listed = feed_match(kind, "1st Innings", 8);
    listed.starting_at = Some(fixture.start_time.as_millis());
    feed.listed.lock().unwrap().push(listed);
    let server = Server::on(store, feed.clone()).await;
    (feed, server)
}

#[test]
fn case_21_a_feed_that_fails_is_left_alone_and_comes_back() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store, "T20").await;
        server.pass().await;
        let last_tick = store.clock.now().as_millis();
        *feed.error.lock().unwrap() = Some(FeedError::Failed("no answer".into()));
        let now = || Timestamp::from_millis(store.clock.now().as_millis());
        for number in 1..=5 {
            store.clock.advance(2_500);
            assert_eq!(server.jobs.feed_status().breaker, "closed", "{number}");
            assert!(server.jobs.live_score_pass().await.is_err());
        }
        assert_eq!(server.jobs.feed_status().breaker, "open");
        let opened = store.clock.now().as_millis();
        let calls = feed.live_calls.load(Ordering::SeqCst);
        *feed.error.lock().unwrap() = None;
        let mut probe = None;
        while probe.is_none() {
            store.clock.advance(500);
            let is_old = store.clock.now().as_millis() - last_tick >= 30_000;
            let fixture = server.fixture(ID).await;
            assert_eq!(fixture.innings[0].runs, 8, "the last score is still served");
            server.jobs.live_score_pass().await.unwrap();
            if feed.live_calls.load(Ordering::SeqCst) > calls {
                probe = Some(store.clock.now().as_millis() - opened);
            } else {
                assert_eq!(is_stale(&fixture, now()), is_old);
            }
        }
        assert!((24_000..=36_500).contains(&probe.unwrap()), "{probe:?}");
        assert_eq!(server.jobs.feed_status().breaker, "closed");
        assert!(!is_stale(&server.fixture(ID).await, now()));
    });
}

#[test]
fn case_23_three_servers_make_at_most_1440_calls_an_hour() {
    run(async {
        let store = TestStore::memory();
        let (feed, one) = live_match(&store, "ODI").await;
        let two = Server::on(&store, feed.clone()).await;
        let three = Server::on(&store, feed.clone()).await;
        for _ in 0..1440 {
            for server in [&one, &two, &three] {
                server.jobs.live_score_pass().await.unwrap();
            }
            store.clock.advance(2_500);
        }
        let calls = feed.live_calls.load(Ordering::SeqCst);
        assert!((1_400..=1_440).contains(&calls), "{calls}");
    });
}

#[test]
fn case_24_a_test_at_stumps_stays_overnight() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store, "Test/5day").await;
        for user in ["asha", "dana"] {
            server.phone_of(user, true).await;
            server.follow(user, ID, "101").await;
        }
        server.pass().await;
        assert_eq!(server.phone.count(PushKind::Start), 2);
        server.subscribe("asha", ID, "101").await;
        store.clock.advance(8 * 3_600_000);
        feed.listed.lock().unwrap()[0].status = Some("Stump Day 1".into());
        server.pass().await;
        let overnight = feed.listed.lock().unwrap().pop().unwrap();
        feed.others.lock().unwrap().push(overnight);
        for _ in 0..14 * 60 {
            store.clock.advance(60_000);
            server.pass().await;
        }
        let fixture = server.fixture(ID).await;
        assert_eq!(
            (fixture.phase, fixture.day, fixture.live),
            (Phase::Stumps, Some(1), Some(Live::Live))
        );
        assert_eq!(server.service.fixtures.live().await.unwrap().len(), 1);
        let sent = server.phone.take();
        assert_eq!(sent.iter().filter(|one| one.kind == PushKind::End).count(), 1);
        use futures_util::StreamExt as _;
        assert_eq!(server.service.subscriptions.of_match(&match_id(ID)).count().await, 0);
        assert_eq!(server.service.follows.followers(&match_id(ID)).count().await, 2);
        let mut morning = feed.others.lock().unwrap().pop().unwrap();
        morning.status = Some("1st Innings".into());
        feed.listed.lock().unwrap().push(morning);
        for _ in 0..5 {
            store.clock.advance(2_500);
            server.pass().await;
        }
        assert_eq!(server.fixture(ID).await.day, Some(2));
        let starts: Vec<String> = server
            .phone
            .take()
            .iter()
            .filter(|one| one.kind == PushKind::Start)
            .map(|one| one.user.to_string())
            .collect();
        assert_eq!(starts.len(), 2, "{starts:?}");
    });
}

#[test]
fn case_29_a_sync_during_a_match_changes_nothing_of_it() {
    run(async {
        let store = TestStore::memory();
        let (_feed, server) = live_match(&store, "T20").await;
        server.pass().await;
        assert_eq!(server.jobs.enrich_matches().await.unwrap(), 1);
        let before = server.fixture(ID).await;
        store.clock.advance(1_000);
        server.jobs.sync_fixtures().await.unwrap();
        let after = server.fixture(ID).await;
        assert_eq!((after.live, after.sequence), (Some(Live::Live), before.sequence));
        assert_eq!((&after.innings, after.phase), (&before.innings, before.phase));
        let kept = server.service.cache.get(&match_id(ID)).await.unwrap().unwrap();
        let enrichment: Enrichment = kept.enrichment.unwrap();
        assert_eq!(enrichment.home_code, "HAR");
    });
}

/// Names are kept with what the feed said of a match, and follow those of its teams.
#[test]
fn names_of_a_match_follow_its_teams() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store, "T20").await;
        let unknown = FeedFixture {
            id: "9000002".into(),
            localteam_id: Some("77".into()),
            ..feed_match("T20", "1st Innings", 8)
        };
        feed.listed.lock().unwrap().push(unknown);
        server.pass().await;
        let enriched = async || server.jobs.enrich_matches().await.unwrap();
        let names_of = async |id: &str| {
            let kept = server.service.cache.get(&match_id(id)).await.unwrap().unwrap();
            kept.enrichment.map(|one| (one.home_name, one.home_position))
        };
        // Nobody knows team 77 yet.
        assert_eq!((enriched().await, enriched().await), (1, 0));
        assert_eq!(names_of(ID).await, Some(("Harbour Hawks".into(), None)));
        assert_eq!(names_of("9000002").await, None);
        let now = server.service.db.now();
        let teams = [crate::fixture::team("77", "Newcomers", "NEW", now)];
        server.service.teams.create_many(&teams).await.unwrap();
        let renamed = update(Team::key(team_id("101"))).set(Team::NAME, "Harbour Herons");
        server.service.teams.update(renamed).await.unwrap();
        assert_eq!((enriched().await, enriched().await), (2, 0));
        assert_eq!(names_of(ID).await, Some(("Harbour Herons".into(), None)));
        assert_eq!(names_of("9000002").await, Some(("Newcomers".into(), None)));
    });
}

#[test]
fn a_match_that_nobody_knows_is_created_and_ticked() {
    run(async {
        let store = TestStore::memory();
        prepare(&store).await;
        let feed = FakeFeed::new(store.clock.clone());
        feed.listed.lock().unwrap().push(feed_match("T20", "1st Innings", 8));
        let server = Server::on(&store, feed).await;
        server.pass().await;
        let fixture = server.fixture(ID).await;
        assert_eq!((fixture.phase, fixture.innings[0].runs), (Phase::Live, 8));
    });
}

/// On the first start all syncs begin at once: the one of fixtures finds no league.
#[test]
fn a_new_league_has_its_fixtures_at_once() {
    run(async {
        let store = TestStore::memory();
        let feed = FakeFeed::new(store.clock.clone());
        let league = |id: &str, name: &str| FeedLeague {
            id: id.into(),
            name: Some(name.into()),
            season_id: Some("s1".into()),
            ..FeedLeague::default()
        };
        *feed.leagues.lock().unwrap() = vec![league("7001", "Series #2"), league("7002", "#")];
        let mut coming = feed_match("T20", "NS", 0);
        coming.starting_at = Some(store.clock.now().as_millis() + 3_600_000);
        feed.others.lock().unwrap().push(coming);
        let server = Server::on(&store, feed).await;
        server.jobs.sync_fixtures().await.unwrap();
        assert_eq!(server.service.fixtures.get(&match_id(ID)).await.unwrap(), None);
        server.jobs.sync_leagues().await.unwrap();
        // A code has no `#`: what is left of it, or the id.
        let leagues = server.service.leagues.active().await.unwrap();
        let codes: Vec<&str> = leagues.iter().map(|league| league.code.as_str()).collect();
        assert_eq!(codes, ["7002", "Series 2"]);
        assert_eq!(server.fixture(ID).await.league_code.as_str(), "Series 2");
    });
}

/// The teams of a final are known late: until then both sides may be one placeholder.
#[test]
fn teams_and_format_that_are_known_late_are_taken_over() {
    run(async {
        let store = TestStore::memory();
        prepare(&store).await;
        let feed = FakeFeed::new(store.clock.clone());
        let start = store.clock.now().as_millis() + 3_600_000;
        let listed = |kind: &str, home: &str, away: &str| FeedFixture {
            localteam_id: Some(home.into()),
            visitorteam_id: Some(away.into()),
            starting_at: Some(start),
            ..feed_match(kind, "NS", 0)
        };
        feed.others.lock().unwrap().push(listed("T20", "999", "999"));
        let server = Server::on(&store, feed.clone()).await;
        server.jobs.sync_fixtures().await.unwrap();
        for (user, team) in [("asha", "999"), ("ben", "neutral")] {
            server.follow(user, ID, team).await;
        }
        let before = server.fixture(ID).await;
        store.clock.advance(1_000);
        *feed.others.lock().unwrap() = vec![listed("ODI", "101", "102")];
        server.jobs.sync_fixtures().await.unwrap();
        let after = server.fixture(ID).await;
        assert_eq!(after.teams().map(|team| team.as_str()), ["101", "102"]);
        assert_eq!((after.format, after.sequence), (Format::Odi, before.sequence + 1));
        for user in ["asha", "ben"] {
            let follow = server.service.follows.get(&match_id(ID), &user_id(user)).await.unwrap();
            assert!(follow.unwrap().team_id.is_neutral(), "{user}");
        }
        // Nothing new, nothing written.
        store.clock.advance(1_000);
        server.jobs.sync_fixtures().await.unwrap();
        assert_eq!(server.fixture(ID).await.sequence, after.sequence);
    });
}

#[test]
fn a_match_of_one_placeholder_twice_is_ticked() {
    run(async {
        for team in ["999", "neutral"] {
            let store = TestStore::memory();
            prepare(&store).await;
            let feed = FakeFeed::new(store.clock.clone());
            let listed = FeedFixture {
                localteam_id: Some(team.into()),
                visitorteam_id: Some(team.into()),
                ..feed_match("T20", "1st Innings", 8)
            };
            feed.listed.lock().unwrap().push(listed);
            let server = Server::on(&store, feed).await;
            server.pass().await;
            assert_eq!(server.fixture(ID).await.phase, Phase::Live, "{team}");
        }
    });
}

/// A match that the feed does not list any more is cancelled, unless a tick was ahead: then the feed
/// knows it again.
#[test]
fn a_match_that_was_ticked_meanwhile_is_not_cancelled() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store, "T20").await;
        server.follow("asha", ID, "101").await;
        server.pass().await;
        let read = server.fixture(ID).await;
        feed.listed.lock().unwrap()[0] = feed_match("T20", "1st Innings", 9);
        store.clock.advance(2_500);
        server.pass().await;
        assert!(server.fixture(ID).await.sequence > read.sequence);
        feed.listed.lock().unwrap().clear();
        for _ in 0..4 {
            assert!(!server.jobs.reconcile_match(&read).await.unwrap());
        }
        let fixture = server.fixture(ID).await;
        assert_eq!((fixture.phase, fixture.archived_at), (Phase::Live, None));
        let follow = server.service.follows.get(&match_id(ID), &user_id("asha")).await.unwrap();
        assert!(follow.is_some());
        // With the current sequence it is cancelled.
        assert!(server.jobs.reconcile_match(&fixture).await.unwrap());
        assert_eq!(server.fixture(ID).await.phase, Phase::Cancelled);
    });
}

/// A server that speaks the feed's shapes.
struct FakeSportMonks {
    base: String,
    paths: Arc<Mutex<Vec<String>>>,
}

impl FakeSportMonks {
    async fn start(answer: impl Fn(&str) -> Response<Full<Bytes>> + Send + Sync + 'static) -> Self {
        Self::with_base(|_| answer).await
    }

    /// The same for answers that name the server's own address.
    async fn with_base<A>(answer: impl FnOnce(&str) -> A) -> Self
    where
        A: Fn(&str) -> Response<Full<Bytes>> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}/api/v2.0", listener.local_addr().unwrap());
        let answer = answer(&base);
        let paths: Arc<Mutex<Vec<String>>> = Arc::default();
        let (noted, answer) = (paths.clone(), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (noted, answer) = (noted.clone(), answer.clone());
                let handler = service_fn(move |request: Request<Incoming>| {
                    let query = request.uri().query().unwrap_or_default();
                    let query = query.replace("%5F", "_").replace("%2C", ",");
                    assert!(query.contains("api_token=hush"), "{query}");
                    let path = format!("{}?{query}", request.uri().path());
                    noted.lock().unwrap().push(path.clone());
                    let response = answer(&path);
                    async move { Ok::<_, Infallible>(response) }
                });
                tokio::spawn(async move {
                    let builder = auto::Builder::new(TokioExecutor::new());
                    let _ = builder.serve_connection(TokioIo::new(stream), handler).await;
                });
            }
        });
        Self { base, paths }
    }

    fn adapter(&self, clock: &Clock) -> SportMonks {
        let mut options = SportMonksOptions::new(self.base.clone(), "hush");
        options.waits = [Duration::from_millis(1); 3];
        SportMonks::new(options, clock.clone())
    }

    fn count(&self, part: &str) -> usize {
        self.paths.lock().unwrap().iter().filter(|path| path.contains(part)).count()
    }
}

fn body(value: &Value) -> Response<Full<Bytes>> {
    Response::new(Full::from(value.to_string()))
}

fn status(code: u16) -> Response<Full<Bytes>> {
    Response::builder().status(code).body(Full::default()).unwrap()
}

#[test]
fn case_22_a_rate_limit_rests_one_endpoint_and_is_no_failure() {
    run(async {
        let store = TestStore::memory();
        prepare(&store).await;
        let service = FakeSportMonks::start(|path| match path.contains("/livescores") {
            true => Response::builder()
                .status(429)
                .header("retry-after", "120")
                .body(Full::default())
                .unwrap(),
            false => body(&json!({"data": {"id": 5, "status": "NS"}})),
        })
        .await;
        let feed = Arc::new(service.adapter(&store.clock));
        let server = Server::on(&store, feed.clone()).await;
        for _ in 0..48 {
            server.jobs.live_score_pass().await.unwrap();
            store.clock.advance(2_500);
        }
        assert_eq!(service.count("/livescores"), 1);
        assert_eq!(server.jobs.feed_status().breaker, "closed");
        assert_eq!(feed.fixture("5").await.unwrap().unwrap().fixture.id, "5");
        server.jobs.live_score_pass().await.unwrap();
        assert_eq!(service.count("/livescores"), 2);
    });
}

#[test]
fn sportmonks_shapes_are_read_leniently() {
    run(async {
        let clock = singlet_testing::fixed_clock();
        let service = FakeSportMonks::start(|path| {
            if path.contains("/livescores") {
                assert!(path.contains("balls"), "{path}");
                return body(&json!({"data": [{
                    "id": "38", "status": "1st Innings", "type": "T20I", "starting_at": "2026-11-15 10:00:00",
                    "localteam": {"data": {"id": 1, "name": "A", "national_team": "1"}},
                    "balls": {"data": [
                        {"id": 12, "ball": 12.299_999_999_999_999, "scoreboard": "S1", "score": {"name": "5 Wides", "runs": "5", "ball": "0"}},
                        {"id": "11", "ball": "12.3", "scoreboard": "S1", "score": {"name": "SIX", "runs": 6, "six": "1"}},
                    ]},
                    "runs": {"0": {"team_id": 1, "inning": 1, "score": "92", "overs": 12.3}},
                }, {"no": "id"}]}));
            }
            if path.contains("/fixtures?") {
                let page = if path.contains("page=2") { 2 } else { 1 };
                return body(&json!({"data": [{"id": page}], "meta": {"current_page": page, "last_page": 2}}));
            }
            if path.contains("/fixtures/404") { status(404) } else { status(500) }
        })
        .await;
        let feed = service.adapter(&clock);
        let live = feed.live().await.unwrap();
        assert_eq!(live.len(), 1);
        let fixture = &live[0].fixture;
        assert_eq!((fixture.id.as_str(), fixture.runs[0].score), ("38", 92));
        assert!(fixture.localteam.as_ref().unwrap().national_team);
        let balls: Vec<Delivery> = fixture.balls.iter().filter_map(Delivery::from_feed).collect();
        assert_eq!((balls[0].bat, balls[1].wides, balls[1].label.as_str()), (6, 5, "12.3"));
        let now = Timestamp::from_millis(0);
        let list = feed.fixtures(&["7001".into()], now, now.after(HOUR)).await.unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(feed.fixture("404").await.unwrap(), None);
        // Three more attempts; live scores have none.
        assert!(matches!(feed.teams().await, Err(FeedError::Failed(_))));
        assert_eq!(service.count("/teams"), 4);
    });
}

#[test]
fn a_refused_token_opens_the_breaker_at_once() {
    run(async {
        let store = TestStore::memory();
        prepare(&store).await;
        let service = FakeSportMonks::start(|_| status(403)).await;
        let server = Server::on(&store, Arc::new(service.adapter(&store.clock))).await;
        let error = server.jobs.live_score_pass().await.unwrap_err().to_string();
        assert!(error.contains("token refused") && !error.contains("hush"), "{error}");
        let status = server.jobs.feed_status();
        assert_eq!(
            (status.breaker.as_str(), status.reason.as_deref()),
            ("open", Some("token refused"))
        );
    });
}

/// A list without `meta.last_page` ended after its first page.
#[test]
fn the_next_page_of_a_list_is_where_the_feed_says() {
    run(async {
        let service = FakeSportMonks::with_base(|base| {
            let base = base.to_owned();
            move |path: &str| {
                assert_eq!(path.matches("api_token").count(), 1, "{path}");
                let page = |id: u32, next: String| {
                    body(&json!({"data": [{"id": id, "name": "A"}], "links": {"next": next}}))
                };
                match path {
                    _ if path.contains("/leagues") => page(1, format!("{base}/leagues?page=1")),
                    _ if path.contains("after=b") => page(3, "http://localhost:9/teams".into()),
                    _ if path.contains("after=a") => {
                        page(2, format!("{base}/teams?after=b&api_token=hush"))
                    }
                    _ => page(1, format!("{base}/teams?after=a")),
                }
            }
        })
        .await;
        let feed = service.adapter(&singlet_testing::fixed_clock());
        let teams = feed.teams().await.unwrap();
        let ids: Vec<&str> = teams.iter().map(|team| team.id.as_str()).collect();
        // Nothing is asked of another host.
        assert_eq!(ids, ["1", "2", "3"]);
        // A page that leads to itself is read so often, and no more.
        assert_eq!(feed.leagues().await.unwrap().len(), 100);
    });
}

/// A link with the page alone lost the league, the days and the includes of the first page.
#[test]
fn the_next_page_keeps_filters_and_includes() {
    run(async {
        let service = FakeSportMonks::with_base(|base| {
            let base = base.to_owned();
            move |path: &str| match path {
                _ if path.contains("page=3") => body(&json!({"data": [{"id": 3}]})),
                _ if path.contains("page=2") => body(&json!({
                    "data": [{"id": 2}],
                    "links": {"next": format!("{base}/fixtures?page=3&include=venue")},
                })),
                _ => body(&json!({"data": [{"id": 1}], "links": {"next": "?page=2"}})),
            }
        })
        .await;
        let feed = service.adapter(&singlet_testing::fixed_clock());
        let now = Timestamp::from_millis(0);
        assert_eq!(feed.fixtures(&["7001".into()], now, now.after(HOUR)).await.unwrap().len(), 3);
        let asked = service.paths.lock().unwrap().clone();
        assert_eq!(asked.len(), 3);
        for (path, include) in
            asked.iter().zip(["localteam,visitorteam,venue"; 2].into_iter().chain(["venue"]))
        {
            for part in [
                "filter%5Bleague_id%5D=7001",
                "filter%5Bstarts_between%5D=",
                &format!("include={include}"),
            ] {
                assert_eq!(path.matches(part).count(), 1, "{part} in {path}");
            }
            assert_eq!(path.matches("include=").count(), 1, "{path}");
        }
    });
}
