//! Whole matches through the real jobs.

use crate::fixture::{match_id, scheduled, team_id, user_id};
use crate::instances::{Phone, Server, prepare, replay};
use cricket::design::{Follow, StateHash};
use cricket::error::Error;
use cricket::feed::{Feed as _, ReplayFeed, Tape};
use cricket::generate;
use cricket::jobs::{ReplayChange, TickOutcome};
use cricket::push::PushKind;
use cricket::rules::{Delivery, Format, MatchResult, Phase};
use futures_util::StreamExt as _;
use singlet::prelude::*;
use singlet_testing::{TestStore, at_once, on_every_backend, run};
use std::collections::BTreeSet;
use std::sync::Arc;

on_every_backend! {
    a_whole_t20_with_one_server,
    case_17_a_holder_paused_past_its_lease_writes_and_pushes_nothing,
    case_17_nor_with_its_lease_check_switched_off,
    case_18_an_order_that_was_overtaken_is_never_sent,
    case_19_three_servers_of_which_one_is_killed_and_one_paused,
    case_20_a_restart_resumes_after_the_last_ball,
    a_seek_forward_is_one_tick_and_a_seek_back_alerts_nobody,
}

const ID: &str = "9000001";

/// The deliveries of a tape at its end.
fn all_balls(name: &str) -> Vec<String> {
    let tape = Tape::parse(&generate::tape(name).unwrap()).unwrap();
    let played = scheduled(ID, Timestamp::from_millis(0));
    let fixture = tape.fold(tape.duration_ms(), &played).unwrap();
    fixture.balls.iter().filter_map(Delivery::from_feed).map(|ball| ball.to_string()).collect()
}

/// A match is over: every ball processed, the score right, archived, nothing left behind.
async fn assert_ended(server: &Server, tape: &str) {
    let fixture = server.fixture(ID).await;
    assert!(fixture.archived_at.is_some() && fixture.ended_at.is_some(), "{fixture:?}");
    assert!(server.service.fixtures.live().await.unwrap().is_empty());
    let (format, seed) = generate::parse_name(tape).unwrap();
    let played = generate::play(format, seed);
    let scores: Vec<(u32, u32)> =
        fixture.innings.iter().map(|one| (one.runs, one.wickets)).collect();
    let expected: Vec<(u32, u32)> =
        played.innings.iter().map(|one| (one.runs, one.wickets)).collect();
    assert_eq!(scores, expected);
    let winner = played.winner.map(|side| if side == 1 { "101" } else { "102" });
    let result = fixture.result.clone().unwrap();
    assert!(MatchResult::is_settled(&result));
    assert_eq!(result.winner_team_id.as_deref(), winner, "{}", result.text);
    let state =
        server.service.processing.get(&match_id(ID), fixture.sequence).await.unwrap().unwrap();
    let balls = all_balls(tape);
    assert_eq!(state.ball_by_ball, balls);
    let last = balls.last().unwrap().split('|').next().unwrap();
    assert_eq!(state.last_processed_ball.as_ref().unwrap().as_str(), last);
    assert_eq!(server.service.follows.followers(&match_id(ID)).count().await, 0);
    assert_eq!(server.service.subscriptions.of_match(&match_id(ID)).count().await, 0);
    assert!(server.service.db.scan(Scan::<StateHash>::table()).all().await.unwrap().is_empty());
}

/// At most one order per match, team and sequence: no activity, which has one team, got the update
/// of a sequence twice (with another alert it may), and no event was told twice.
fn assert_no_repeats(phones: &[&Arc<Phone>]) {
    let mut states = BTreeSet::new();
    let mut alerts = BTreeSet::new();
    for phone in phones {
        for message in phone.sent.lock().unwrap().iter() {
            let aps = &message.payload["aps"];
            let token = message.token.to_string();
            if message.kind == PushKind::Update {
                let sequence = message.sequence.unwrap();
                let title = aps["alert"]["title"].as_str().map(str::to_owned);
                let state = (message.match_id.to_string(), token.clone(), sequence, title);
                assert!(states.insert(state.clone()), "pushed twice: {state:?}");
            }
            if let Some(title) = aps["alert"]["title"].as_str() {
                let alert = format!("{token} {:?} {title} {}", message.kind, aps["alert"]["body"]);
                assert!(alerts.insert(alert.clone()), "alerted twice: {alert}");
            }
        }
    }
    assert!(!states.is_empty() && !alerts.is_empty());
}

async fn fans(server: &Server) {
    server.phone_of("asha", false).await;
    server.follow("asha", ID, "101").await;
    server.subscribe("asha", ID, "101").await;
    server.phone_of("ben", false).await;
    server.follow("ben", ID, "neutral").await;
    server.phone_of("eve", true).await;
    server.follow("eve", ID, "102").await;
}

async fn a_whole_t20_with_one_server(store: TestStore) {
    let service = prepare(&store).await;
    replay(&service, ID, "t20-20", 60, 0).await;
    let server = Server::replaying(&store).await;
    fans(&server).await;
    let mut sequences = vec![];
    for _ in 0..200 {
        server.pass().await;
        let fixture = server.fixture(ID).await;
        sequences.push(fixture.sequence);
        if fixture.archived_at.is_some() {
            break;
        }
        store.clock.advance(2_500);
    }
    assert!(sequences.is_sorted());
    assert_ended(&server, "t20-20").await;
    assert_no_repeats(&[&server.phone]);
    let sent = server.phone.sent.lock().unwrap();
    let ends = sent.iter().filter(|one| one.kind == PushKind::End).count();
    let starts = sent.iter().filter(|one| one.kind == PushKind::Start).count();
    assert_eq!((ends, starts), (1, 1));
    let results = sent.iter().filter(|one| {
        one.payload["aps"]["alert"]["title"]
            .as_str()
            .is_some_and(|title| title.starts_with("RESULT"))
    });
    // Asha's activity, Ben's and Eve's devices.
    assert_eq!(results.count(), 3);
}

async fn case_19_three_servers_of_which_one_is_killed_and_one_paused(store: TestStore) {
    let service = prepare(&store).await;
    replay(&service, ID, "t20-20", 240, 0).await;
    let [one, two, three] = [
        Server::replaying(&store).await,
        Server::replaying(&store).await,
        Server::replaying(&store).await,
    ];
    fans(&one).await;
    for _ in 0..3 {
        for server in [&one, &two, &three] {
            server.pass().await;
        }
        store.clock.advance(2_500);
    }
    // The first one, which holds the lock of the feed, is killed: nothing is released.
    let first_phone = one.phone.clone();
    assert!(first_phone.count(PushKind::Update) > 0);
    let before = two.fixture(ID).await.sequence;
    drop(one);
    let mut took = 0;
    while two.fixture(ID).await.sequence == before {
        two.pass().await;
        store.clock.advance(2_500);
        took += 1;
        assert!(took < 10, "nobody took over");
    }
    // The second one holds it now, and is paused in the middle of a tick for 15 s.
    let feed = ReplayFeed::new(two.service.clone());
    let snapshot = feed.fixture(ID).await.unwrap().unwrap();
    let Ok(paused) = two.jobs.prepare(snapshot, false).await.unwrap() else {
        panic!("the tick was skipped")
    };
    let sequence = two.fixture(ID).await.sequence;
    for _ in 0..6 {
        store.clock.advance(2_500);
        three.pass().await;
    }
    assert!(three.fixture(ID).await.sequence > sequence, "the third one took over");
    let at_pause = two.phone.sent.lock().unwrap().len();
    let outcome = two.jobs.commit(paused).await.unwrap();
    assert!(matches!(outcome, TickOutcome::LeaseLost | TickOutcome::Fenced), "{outcome:?}");
    two.jobs.push_orders().await.unwrap();
    assert_eq!(two.phone.sent.lock().unwrap().len(), at_pause);
    for _ in 0..100 {
        for server in [&two, &three] {
            server.pass().await;
        }
        if two.fixture(ID).await.archived_at.is_some() {
            break;
        }
        store.clock.advance(2_500);
    }
    assert_ended(&three, "t20-20").await;
    assert_no_repeats(&[&first_phone, &two.phone, &three.phone]);
}

async fn case_17_a_holder_paused_past_its_lease_writes_and_pushes_nothing(store: TestStore) {
    pause_past_the_lease(store, true).await;
}

async fn case_17_nor_with_its_lease_check_switched_off(store: TestStore) {
    pause_past_the_lease(store, false).await;
}

async fn pause_past_the_lease(store: TestStore, checks_lease: bool) {
    let service = prepare(&store).await;
    replay(&service, ID, "t20-20", 12, 0).await;
    let (one, two) = (Server::replaying(&store).await, Server::replaying(&store).await);
    fans(&one).await;
    one.jobs.check_leases(checks_lease);
    store.clock.advance(10_000);
    one.pass().await;
    store.clock.advance(2_500);
    let feed = ReplayFeed::new(service.clone());
    let snapshot = feed.fixture(ID).await.unwrap().unwrap();
    let Ok(paused) = one.jobs.prepare(snapshot, false).await.unwrap() else {
        panic!("the tick was skipped")
    };
    store.clock.advance(15_000);
    two.pass().await;
    let committed = two.fixture(ID).await;
    one.phone.take();
    let before = store.snapshot().await;
    let outcome = one.jobs.commit(paused).await.unwrap();
    let expected = if checks_lease { TickOutcome::LeaseLost } else { TickOutcome::Fenced };
    assert_eq!(outcome, expected);
    assert_eq!(one.jobs.push_orders().await.unwrap(), 0);
    assert_eq!(one.phone.take().len(), 0);
    assert_eq!(two.fixture(ID).await, committed);
    assert_eq!(store.snapshot().await, before);
}

async fn case_18_an_order_that_was_overtaken_is_never_sent(store: TestStore) {
    let service = prepare(&store).await;
    replay(&service, ID, "t20-20", 12, 0).await;
    let (one, two) = (Server::replaying(&store).await, Server::replaying(&store).await);
    fans(&one).await;
    store.clock.advance(10_000);
    // Committed, and not sent: the sender pauses.
    one.jobs.live_score_pass().await.unwrap();
    let sequence = one.fixture(ID).await.sequence;
    store.clock.advance(20_000);
    two.pass().await;
    assert!(two.fixture(ID).await.sequence > sequence);
    assert!(two.phone.count(PushKind::Update) > 0);
    one.jobs.push_orders().await.unwrap();
    let sent = one.phone.take();
    assert!(sent.iter().all(|one| one.kind == PushKind::Start), "{sent:?}");
}

async fn case_20_a_restart_resumes_after_the_last_ball(store: TestStore) {
    let service = prepare(&store).await;
    replay(&service, ID, "t20-20", 12, 0).await;
    let tape = Tape::parse(&generate::tape("t20-20").unwrap()).unwrap();
    let restart_at = tape.position_of(tape.time_of_ball(1, "11.2").unwrap(), true) / 12;
    let first = Server::replaying(&store).await;
    fans(&first).await;
    let start = store.clock.now().as_millis();
    while store.clock.now().as_millis() - start < restart_at {
        first.pass().await;
        store.clock.advance(2_500);
    }
    let before = first.fixture(ID).await;
    let state =
        first.service.processing.get(&match_id(ID), before.sequence).await.unwrap().unwrap();
    let processed: u64 = state.last_processed_ball.as_ref().unwrap().as_str().parse().unwrap();
    let phone = first.phone.clone();
    first.jobs.release_feed_lock().await.unwrap();
    drop(first);
    let second = Server::replaying(&store).await;
    for _ in 0..40 {
        second.pass().await;
        store.clock.advance(2_500);
    }
    assert_no_repeats(&[&phone, &second.phone]);
    let later = second.fixture(ID).await;
    let state =
        second.service.processing.get(&match_id(ID), later.sequence).await.unwrap().unwrap();
    let after: u64 = state.last_processed_ball.as_ref().unwrap().as_str().parse().unwrap();
    assert!(later.sequence > before.sequence && after > processed);
    // Nothing that was bowled before the restart is told after it.
    let all: Vec<Delivery> = state.ball_by_ball.iter().map(|text| text.parse().unwrap()).collect();
    let known: BTreeSet<&str> =
        all.iter().filter(|ball| ball.id <= processed).map(|ball| ball.label.as_str()).collect();
    let mut told = 0;
    for message in second.phone.take() {
        let event = &message.payload["aps"]["content-state"]["event"];
        if message.payload["aps"]["alert"].is_object() && message.kind == PushKind::Update {
            let ball = event["ball"].as_str().unwrap();
            assert!(event["innings"] == 2 || !known.contains(ball), "{event}");
            told += 1;
        }
    }
    assert!(told > 0, "something was told after the restart");
}

async fn a_seek_forward_is_one_tick_and_a_seek_back_alerts_nobody(store: TestStore) {
    let service = prepare(&store).await;
    replay(&service, ID, "t20-20", 12, 0).await;
    let server = Server::replaying(&store).await;
    fans(&server).await;
    store.clock.advance(30_000);
    server.pass().await;
    server.phone.take();
    let seek = |ball: &str| ReplayChange {
        ball: Some(ball.to_owned().try_into().unwrap()),
        ..ReplayChange::default()
    };
    let fixture = server.jobs.change_replay(&match_id(ID), &seek("1:15.3")).await.unwrap();
    assert_eq!(fixture.replay.as_ref().unwrap().revision, 1);
    store.clock.advance(2_500);
    server.pass().await;
    let alerts = |sent: &[cricket::push::PushMessage]| {
        sent.iter()
            .filter(|one| one.payload["aps"]["alert"].is_object() && one.user.as_str() == "ben")
            .count()
    };
    assert!(alerts(&server.phone.take()) <= 1);
    assert!(server.fixture(ID).await.innings[0].balls >= 93);
    server.jobs.change_replay(&match_id(ID), &seek("1:4.2")).await.unwrap();
    server
        .jobs
        .change_replay(
            &match_id(ID),
            &ReplayChange { playing: Some(false), ..ReplayChange::default() },
        )
        .await
        .unwrap();
    for _ in 0..3 {
        store.clock.advance(2_500);
        server.pass().await;
    }
    assert_eq!(alerts(&server.phone.take()), 0);
    let fixture = server.fixture(ID).await;
    assert_eq!(fixture.innings[0].balls, 26);
    assert_eq!(fixture.phase, Phase::Live);
    server.jobs.remove_replay(&match_id(ID)).await.unwrap();
    assert_eq!(server.service.fixtures.get(&match_id(ID)).await.unwrap(), None);
}

#[test]
fn a_whole_test_is_played_to_its_end() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        replay(&service, ID, "test-5", 240, 0).await;
        let id = match_id(ID);
        let format = update(cricket::design::Fixture::key(&id))
            .set(cricket::design::Fixture::FORMAT, Format::Test);
        service.fixtures.update(format).await.unwrap();
        let server = Server::replaying(&store).await;
        fans(&server).await;
        let mut days = BTreeSet::new();
        for _ in 0..400 {
            server.pass().await;
            let fixture = server.fixture(ID).await;
            days.extend(fixture.day);
            if fixture.archived_at.is_some() {
                break;
            }
            store.clock.advance(2_500);
        }
        assert_ended(&server, "test-5").await;
        assert!(days.len() >= 3, "{days:?}");
    });
}

/// A replay that is loaded after another one was deleted has nothing of that one: its first ball
/// counts, and its followers get their pushes.
#[test]
fn a_replay_has_nothing_of_one_that_was_deleted() {
    run(async {
        let store = TestStore::memory();
        prepare(&store).await;
        let server = Server::replaying(&store).await;
        let mut ids = BTreeSet::new();
        for tape in ["t20-21", "t20-33"] {
            let fixture =
                server.jobs.load_replay(&tape.to_owned().try_into().unwrap(), 240).await.unwrap();
            let id = fixture.match_id.as_str();
            assert!(ids.insert(id.to_owned()), "{id} came back");
            server.phone_of("eve", true).await;
            server.follow("eve", id, "102").await;
            for _ in 0..20 {
                store.clock.advance(2_500);
                server.pass().await;
            }
            let sent = server.phone.take();
            let count = |kind| sent.iter().filter(|one| one.kind == kind).count();
            assert_eq!(count(PushKind::Start), 1, "{tape}");
            assert!(count(PushKind::Alert) > 0, "{tape}");
            server.jobs.remove_replay(&fixture.match_id).await.unwrap();
        }
    });
}

/// A tick that is under way when its match is deleted leaves nothing behind.
#[test]
fn nothing_is_left_of_a_replay_that_is_deleted_during_a_tick() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        replay(&service, ID, "t20-20", 12, 0).await;
        let server = Server::replaying(&store).await;
        fans(&server).await;
        store.clock.advance(10_000);
        server.pass().await;
        store.clock.advance(2_500);
        let snapshot = ReplayFeed::new(service).fixture(ID).await.unwrap().unwrap();
        let Ok(prepared) = server.jobs.prepare(snapshot, false).await.unwrap() else {
            panic!("the tick was skipped")
        };
        server.jobs.remove_replay(&match_id(ID)).await.unwrap();
        assert_eq!(server.jobs.commit(prepared).await.unwrap(), TickOutcome::Fenced);
        assert!(server.service.db.scan(Scan::<StateHash>::table()).all().await.unwrap().is_empty());
        assert_eq!(server.service.follows.followers(&match_id(ID)).count().await, 0);
    });
}

/// Who follows a match in the moment in which it is deleted does not follow it for ever.
#[test]
fn no_follow_outlives_a_replay_that_is_deleted() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        let server = Server::replaying(&store).await;
        for round in 0..20 {
            let id = format!("r{round}");
            replay(&service, &id, "t20-20", 12, 0).await;
            at_once(8, |n| {
                let (service, jobs, id) = (service.clone(), server.jobs.clone(), match_id(&id));
                async move {
                    if n == 0 {
                        jobs.remove_replay(&id).await.unwrap();
                        return;
                    }
                    let (user, team) = (user_id(&format!("u{n}")), team_id("101"));
                    match service.follow_match(&id, &user, &team).await {
                        Ok(_) | Err(Error::MatchOver | Error::MatchNotFound) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            })
            .await;
            let left = service.db.scan(Scan::<Follow>::table()).all().await.unwrap();
            assert!(left.is_empty(), "{left:?}");
        }
    });
}

#[test]
fn a_match_that_has_begun_is_not_taken_back_before_its_start() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        replay(&service, ID, "t20-20", 12, -600_000).await;
        let server = Server::replaying(&store).await;
        let seek = async |position_ms: i64| {
            let change = ReplayChange { position_ms: Some(position_ms), ..ReplayChange::default() };
            server.jobs.change_replay(&match_id(ID), &change).await
        };
        seek(-1_200_000).await.unwrap();
        seek(60_000).await.unwrap();
        store.clock.advance(2_500);
        server.pass().await;
        assert_eq!(server.fixture(ID).await.phase, Phase::Live);
        assert!(seek(-1).await.is_err());
        seek(0).await.unwrap();
    });
}

/// A Test that was taken back from day 3 to its first ball was still on day 3.
#[test]
fn a_seek_back_takes_the_day_back() {
    run(async {
        let store = TestStore::memory();
        let service = prepare(&store).await;
        replay(&service, ID, "test-5", 12, 0).await;
        let id = match_id(ID);
        let format = update(cricket::design::Fixture::key(&id))
            .set(cricket::design::Fixture::FORMAT, Format::Test);
        service.fixtures.update(format).await.unwrap();
        let server = Server::replaying(&store).await;
        let tape = Tape::parse(&generate::tape("test-5").unwrap()).unwrap();
        let day_ms = 24 * 3_600_000;
        let stumps = tape.time_of_status("Stump Day 2", i64::MAX).unwrap() + 60_000;
        for (time, phase, day) in
            [(2 * day_ms + 3_600_000, Phase::Live, 3), (stumps, Phase::Stumps, 2)]
        {
            let position_ms = Some(tape.position_of(time, true));
            let there = ReplayChange { position_ms, ..ReplayChange::default() };
            server.jobs.change_replay(&id, &there).await.unwrap();
            store.clock.advance(2_500);
            server.pass().await;
            let fixture = server.fixture(ID).await;
            assert_eq!((fixture.phase, fixture.day), (phase, Some(day)));
            let back = ReplayChange {
                ball: Some("1:0.1".to_owned().try_into().unwrap()),
                ..ReplayChange::default()
            };
            let changed = server.jobs.change_replay(&id, &back).await.unwrap();
            assert_eq!((changed.phase, changed.day), (Phase::Live, Some(1)));
            store.clock.advance(2_500);
            server.pass().await;
            assert_eq!(server.fixture(ID).await.day, Some(1), "after day {day}");
        }
    });
}
