//! Matches that end: what phones still get, and what a slow end must not stop. And what is pushed
//! late, or again.

use crate::fixture::{match_id, scheduled, token, user_id};
use crate::instances::{FakeFeed, Server, prepare, until};
use crate::pushes::{add_ball, live_match};
use cricket::design::{Fixture, LockKey, Owner};
use cricket::feed::shape::FeedFixture;
use cricket::push::{PushKind, PushOutcome};
use cricket::rules::Phase;
use cricket::service::{Acquired, LEASE, Updated};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use singlet::prelude::*;
use singlet_testing::{TestStore, at_once, run};
use singlet_web::job::JobRun;
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "9000001";
const OTHER_ID: &str = "9000002";

fn wicket() -> Value {
    json!({"name": "Clean Bowled", "runs": 0, "is_wicket": true, "out": true})
}

fn single() -> Value {
    json!({"name": "1 Run", "runs": 1})
}

/// A ball is bowled and confirmed. Nothing is pushed.
async fn bowl_without_pushing(store: &TestStore, feed: &FakeFeed, server: &Server, ball: &Value) {
    add_ball(feed, ball);
    for _ in 0..2 {
        store.clock.advance(2_500);
        server.jobs.live_score_pass().await.unwrap();
    }
}

/// The feed says that its first match is over, and there is a pass.
async fn abandon(store: &TestStore, feed: &FakeFeed, server: &Server) {
    feed.listed.lock().unwrap()[0].status = Some("Aban.".into());
    store.clock.advance(2_500);
    server.jobs.live_score_pass().await.unwrap();
}

/// A sender is in the midst of many followers when the match ends: they are not forgotten before it
/// is done. It has 2,000 messages under way; the others it has not read yet.
#[test]
fn an_alert_under_way_reaches_all_followers_of_a_match_that_ends() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        let server = Arc::new(server);
        at_once(25, |task| {
            let server = server.clone();
            async move {
                for number in 0..100 {
                    let user = format!("user-{task}-{number}");
                    server.phone_of(&user, false).await;
                    server.follow(&user, ID, "102").await;
                }
            }
        })
        .await;
        bowl_without_pushing(&store, &feed, &server, &wicket()).await;
        let held = server.phone.hold(PushKind::Alert, 2_000);
        let jobs = server.jobs.clone();
        let pushing = tokio::spawn(async move { jobs.push_orders().await.unwrap() });
        held.reaches(2_000).await;
        abandon(&store, &feed, &server).await;
        until(|| server.phone.alerts("RESULT") == 2_500).await;
        // Time enough to forget the followers too early.
        tokio::time::sleep(Duration::from_millis(300)).await;
        held.release();
        assert_eq!(pushing.await.unwrap(), 2_500);
        server.jobs.endings_done().await;
        assert_eq!(server.phone.alerts("WICKET!"), 2_500);
        assert!(server.fixture(ID).await.archived_at.is_some());
        assert_eq!(server.service.follows.followers(&match_id(ID)).count().await, 0);
    });
}

#[test]
fn the_end_of_a_run_of_the_push_job_aborts_no_message() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.phone_of("asha", false).await;
        server.follow("asha", ID, "102").await;
        bowl_without_pushing(&store, &feed, &server, &wicket()).await;
        let held = server.phone.hold(PushKind::Alert, 1);
        let run = tokio::spawn(server.jobs.clone().run_push(JobRun::by_hand()));
        held.reaches(1).await;
        run.abort();
        assert!(run.await.unwrap_err().is_cancelled());
        held.release();
        until(|| server.phone.alerts("WICKET!") == 1).await;
    });
}

#[test]
fn a_match_that_ends_slowly_stops_no_other_and_keeps_its_lock() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        let other = scheduled(OTHER_ID, server.service.db.now());
        assert!(server.service.fixtures.create(&other).await.unwrap());
        let listed = |singles| FeedFixture {
            id: OTHER_ID.into(),
            ..crate::feeds::feed_match("T20", "1st Innings", singles)
        };
        feed.listed.lock().unwrap().push(listed(8));
        store.clock.advance(2_500);
        server.pass().await;
        server.subscribe("asha", ID, "101").await;
        let held = server.phone.hold(PushKind::End, 1);
        let seconds = Duration::from_secs(120);
        let pass = tokio::time::timeout(seconds, abandon(&store, &feed, &server)).await;
        assert!(pass.is_ok(), "the pass waits for the end of a match");
        held.reaches(1).await;
        let lock = LockKey::of_match(&match_id(ID));
        let expires_at = async || {
            let locks = server.service.locks.all().await.unwrap();
            locks.iter().find(|one| one.lock_key == lock).unwrap().expires_at
        };
        let first_lease = expires_at().await;
        let before = server.fixture(OTHER_ID).await.sequence;
        feed.listed.lock().unwrap()[1] = listed(9);
        store.clock.advance(2_500);
        server.jobs.live_score_pass().await.unwrap();
        assert!(server.fixture(OTHER_ID).await.sequence > before);
        // The lock is extended every 3 s: its first lease of 10 s would be over.
        let extended = async {
            while expires_at().await == first_lease {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(seconds, extended).await.unwrap();
        store.clock.advance(8_000);
        let stranger = Owner::new("stranger").unwrap();
        let acquired = server.service.locks.acquire(&lock, &stranger, LEASE).await.unwrap();
        assert!(matches!(acquired, Acquired::Busy { .. }), "{acquired:?}");
        held.release();
        server.jobs.endings_done().await;
        assert!(server.fixture(ID).await.archived_at.is_some());
        assert_eq!(server.phone.count(PushKind::End), 1);
    });
}

/// A holder is paused past its lease between the last tick and the end of the activities.
#[test]
fn a_server_that_lost_the_lock_of_a_match_ends_and_deletes_nothing() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.follow("asha", ID, "101").await;
        server.subscribe("asha", ID, "101").await;
        let held = server.phone.hold(PushKind::Update, 1);
        abandon(&store, &feed, &server).await;
        held.reaches(1).await;
        store.clock.advance(15_000);
        let (lock, stranger) = (LockKey::of_match(&match_id(ID)), Owner::new("stranger").unwrap());
        let acquired = server.service.locks.acquire(&lock, &stranger, LEASE).await.unwrap();
        assert!(matches!(acquired, Acquired::Held { .. }), "{acquired:?}");
        held.release();
        server.jobs.endings_done().await;
        assert_eq!(server.phone.count(PushKind::End), 0);
        assert_eq!(server.service.follows.followers(&match_id(ID)).count().await, 1);
        assert_eq!(server.service.subscriptions.of_match(&match_id(ID)).count().await, 1);
        assert_eq!(server.fixture(ID).await.archived_at, None);
        // Whoever gets the lock ends it.
        assert!(server.service.locks.release(&lock, &stranger).await.unwrap());
        store.clock.advance(2_500);
        server.pass().await;
        assert_eq!(server.phone.count(PushKind::End), 1);
        assert!(server.fixture(ID).await.archived_at.is_some());
    });
}

#[test]
fn an_end_is_valid_for_ten_minutes() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.subscribe("asha", ID, "101").await;
        abandon(&store, &feed, &server).await;
        server.jobs.endings_done().await;
        // The same when somebody stops to follow a match.
        let fixture = server.fixture(ID).await;
        server.jobs.end_activities(&fixture, &user_id("ben"), vec![token("activity-ben")]);
        until(|| server.phone.count(PushKind::End) == 2).await;
        let until = store.clock.now().as_millis() / 1000 + 600;
        for message in server.phone.take().iter().filter(|one| one.kind == PushKind::End) {
            assert_eq!(message.expires_at, until, "{message:?}");
        }
    });
}

/// A tick was committed, and its display did not get into the cache.
#[test]
fn a_push_does_not_show_a_state_older_than_the_match() {
    run(async {
        let store = TestStore::memory();
        let (_, server) = live_match(&store).await;
        server.phone_of("asha", true).await;
        server.follow("asha", ID, "101").await;
        let mut innings = server.fixture(ID).await.innings;
        innings[0].runs = 99;
        let change = update(Fixture::key(match_id(ID)))
            .set(Fixture::INNINGS, innings)
            .add(Fixture::SEQUENCE, 1);
        let changed = server.service.fixtures.update(change).await.unwrap();
        assert!(matches!(changed, Updated::Done(_)));
        let follow = server.service.follows.get(&match_id(ID), &user_id("asha")).await.unwrap();
        let fixture = server.fixture(ID).await;
        assert!(server.jobs.start_for(&fixture, &follow.unwrap()).await.unwrap());
        let state = server.phone.take().pop().unwrap().payload["aps"]["content-state"].to_string();
        assert!(state.contains("99/0"), "{state}");
    });
}

/// The service is busy when a wicket is sent, and before the next attempt comes the next ball.
#[test]
fn an_alert_is_not_lost_with_a_state_that_is_superseded() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.subscribe("asha", ID, "102").await;
        bowl_without_pushing(&store, &feed, &server, &wicket()).await;
        server.phone.outcomes.lock().unwrap().push_back(PushOutcome::Again("503".into()));
        let jobs = server.jobs.clone();
        let pushing = tokio::spawn(async move { jobs.push_orders().await.unwrap() });
        until(|| server.phone.outcomes.lock().unwrap().is_empty()).await;
        add_ball(&feed, &single());
        store.clock.advance(2_500);
        server.jobs.live_score_pass().await.unwrap();
        assert_eq!(pushing.await.unwrap(), 1);
        server.jobs.push_orders().await.unwrap();
        assert_eq!(server.phone.alerts("WICKET!"), 1);
        let sequence = server.fixture(ID).await.sequence;
        let sent = server.phone.take();
        assert!(
            sent.iter().all(|one| one.sequence == Some(sequence)),
            "the newest state: {sent:?}"
        );
    });
}

#[test]
fn every_alert_that_waits_reaches_an_activity() {
    run(async {
        let store = TestStore::memory();
        let (feed, server) = live_match(&store).await;
        server.subscribe("asha", ID, "102").await;
        for _ in 0..2 {
            bowl_without_pushing(&store, &feed, &server, &wicket()).await;
        }
        server.jobs.push_orders().await.unwrap();
        assert_eq!(server.phone.alerts("WICKET!"), 2);
    });
}

/// Case 13, as it is stored: a match that the feed covers before it begins is not live.
#[test]
fn case_13_coverage_puts_no_match_into_the_live_index() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        assert!(service.fixtures.create(&scheduled(ID, service.db.now())).await.unwrap());
        let feed = FakeFeed::new(store.clock.clone());
        let covered = json!({
            "id": 9000001, "league_id": 7001, "season_id": "s1", "localteam_id": 101,
            "visitorteam_id": 102, "type": "T20", "status": "NS", "live": true,
        });
        feed.listed.lock().unwrap().push(FeedFixture::from_json(&covered).unwrap());
        let server = Server::on(&store, feed).await;
        server.pass().await;
        let fixture = server.fixture(ID).await;
        assert!(fixture.feed_at.is_some(), "it was ticked");
        assert_eq!((fixture.phase, fixture.live), (Phase::Scheduled, None));
        assert!(server.service.fixtures.live().await.unwrap().is_empty());
    });
}

/// Case 14, as it is stored and pushed: a result without a winner is held, and told once.
#[test]
fn case_14_a_result_is_told_once_when_there_is_a_winner() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        assert!(service.fixtures.create(&scheduled(ID, service.db.now())).await.unwrap());
        let feed = FakeFeed::new(store.clock.clone());
        let server = Server::on(&store, feed.clone()).await;
        server.phone_of("asha", false).await;
        server.follow("asha", ID, "101").await;
        let listed = |status: &str, winner: Value| {
            let listed = json!({
                "id": 9000001, "league_id": 7001, "season_id": "s1", "localteam_id": 101,
                "visitorteam_id": 102, "type": "T20", "status": status, "winner_team_id": winner,
                "runs": [
                    {"team_id": 101, "inning": 1, "score": 160, "wickets": 7, "overs": 20},
                    {"team_id": 102, "inning": 2, "score": 148, "wickets": 10, "overs": "19.4"},
                ],
            });
            vec![FeedFixture::from_json(&listed).unwrap()]
        };
        *feed.listed.lock().unwrap() = listed("2nd Innings", Value::Null);
        server.pass().await;
        *feed.listed.lock().unwrap() = listed("Finished", Value::Null);
        for _ in 0..=24 {
            store.clock.advance(10_000);
            server.pass().await;
            let fixture = server.fixture(ID).await;
            assert_eq!((fixture.ended_at, fixture.archived_at), (None, None));
        }
        assert_eq!(server.phone.alerts("RESULT"), 0);
        *feed.listed.lock().unwrap() = listed("Finished", json!(101));
        for _ in 0..3 {
            store.clock.advance(10_000);
            server.pass().await;
        }
        assert_eq!(server.phone.alerts("RESULT"), 1);
        let fixture = server.fixture(ID).await;
        assert!(fixture.archived_at.is_some());
        assert_eq!(fixture.result.unwrap().winner_team_id.as_deref(), Some("101"));
        let follow = server.service.follows.get(&match_id(ID), &user_id("asha")).await.unwrap();
        assert_eq!(follow, None);
    });
}
