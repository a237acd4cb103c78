//! What happens if somebody else writes between two requests of an operation.

use crate::fixture::{
    Fixture, by_hand, code, distinct, game_id, ines, new_game, new_goal, new_league, new_season,
    new_session, no_game_change, player, ruben, season_id, session_id, team,
};
use singlet::Db;
use singlet::backend::{Backend, BoxFuture, Execution};
use singlet::dynamo::operation::{Answer, BatchGetItemAnswer, Request};
use singlet_testing::{Intercepted, TestStore, on_every_backend, run};
use singlet_web::api::Change;
use singlet_web::random::Random;
use std::sync::atomic::{AtomicBool, Ordering};
use threefc::design::{GameId, LeagueId, SeasonId, Visibility};
use threefc::service::Service;
use threefc::service::input::{
    AbandonGame, GameChange, NewLeague, NewTeam, PlayerChange, TeamChange,
};

on_every_backend! {
    a_private_session_is_as_if_it_were_missing,
    teams_that_no_longer_play_are_not_absent,
}

/// What only requests of transactions mention.
const TRANSACTION: &str = "TransactWriteItems";

type Meanwhile = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// A service that is interrupted before it first asks for a key.
fn interrupted(store: &TestStore, key: &'static str, meanwhile: Meanwhile) -> Service {
    let is_done = AtomicBool::new(false);
    let backend = Intercepted::new(store.backend(), move |inner, request| {
        let is_meant = format!("{request:?}").contains(key);
        if !is_meant || is_done.swap(true, Ordering::SeqCst) {
            return inner.execute(request);
        }
        let meanwhile = meanwhile();
        Execution::pending(async move {
            meanwhile.await;
            inner.execute(request).await
        })
    });
    Service::new(Db::on(backend, store.settings.clone()), Random::new())
}

/// A backend that has no time for BatchGetItem from the first transaction on.
fn busy(store: &TestStore) -> impl Backend {
    let has_written = AtomicBool::new(false);
    let backend = Intercepted::new(store.backend(), move |inner, request| match request {
        Request::BatchGetItem(asked) if has_written.load(Ordering::SeqCst) => {
            let answer = BatchGetItemAnswer {
                responses: Vec::new(),
                unprocessed_keys: asked.tables,
                capacity: Default::default(),
            };
            Execution::done(Ok(Answer::BatchGetItem(answer)))
        }
        request => {
            let is_write = matches!(request, Request::TransactWriteItems(_));
            has_written.fetch_or(is_write, Ordering::SeqCst);
            inner.execute(request)
        }
    });
    backend.without_pauses()
}

/// The game is created, and then cannot be read for the answer. If the problem said that nothing was
/// done, its Idempotency-Key would be free, and a repetition would create a second game.
#[test]
fn a_failed_read_after_the_write_does_not_say_that_nothing_was_done() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let db = Db::on(busy(&fixture.store), fixture.store.settings.clone());
        let service = Service::new(db, Random::new());
        let new = new_game("g1", fixture.now());
        let refused = service.create_game(&ines(), &session_id(), &new).await.unwrap_err();
        let problem: singlet_web::problem::Problem = refused.into();
        assert_eq!(problem.problem_type().status, 503);
        assert!(!problem.is_safe_to_retry());
        assert_eq!(fixture.keys_of("GAME#g1 METADATA").await.len(), 1);
    });
}

/// The standings are read after the game. If it was reopened between the two, they are too small to
/// take away what the game counted.
#[test]
fn a_goal_while_the_game_is_reopened_is_decided_again() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.game("g1").await;
        fixture.service.finish_game(&ines(), &game, true).await.unwrap();
        let other = fixture.second();
        let reopen: Meanwhile = Box::new(move || {
            let other = other.clone();
            Box::pin(async move { drop(other.reopen_game(&ines(), &game_id("g1")).await.unwrap()) })
        });
        let service = interrupted(&fixture.store, "STANDING#", reopen);
        let goal = by_hand(new_goal("blue", Some("red")), 1, 3);
        let (view, is_new) = service.add_goal(&ines(), &game, &goal).await.unwrap();
        assert!(is_new);
        assert_eq!((view.goals.len(), view.result), (1, None));
        assert!(fixture.keys_of("SEASON#spring STANDING#").await.is_empty());
        // The same for the other one of the two.
        fixture.service.finish_game(&ines(), &game, true).await.unwrap();
        let other = fixture.second();
        let reopen: Meanwhile = Box::new(move || {
            let other = other.clone();
            Box::pin(async move { drop(other.reopen_game(&ines(), &game_id("g1")).await.unwrap()) })
        });
        let service = interrupted(&fixture.store, "STANDING#", reopen);
        let reopened = service.reopen_game(&ines(), &game).await;
        assert_eq!(code(&reopened), "game-not-closed", "somebody else was faster");
    });
}

/// A row of the standings is deleted and created again while the clock stands still. Whoever has read
/// the first row must not take the second one for it.
#[test]
fn a_row_that_is_deleted_and_created_again_has_another_version() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let games = [fixture.game("g1").await, fixture.game("g2").await];
        fixture.service.finish_game(&ines(), &games[0], true).await.unwrap();
        let other = fixture.second();
        let play_again: Meanwhile = Box::new(move || {
            let other = other.clone();
            Box::pin(async move {
                let game = game_id("g1");
                other.reopen_game(&ines(), &game).await.unwrap();
                let goal = by_hand(new_goal("blue", Some("red")), 1, 3);
                other.add_goal(&ines(), &game, &goal).await.unwrap();
                other.finish_game(&ines(), &game, true).await.unwrap();
            })
        });
        let service = interrupted(&fixture.store, TRANSACTION, play_again);
        service.finish_game(&ines(), &games[1], true).await.unwrap();
        crate::tables::compare(&fixture, &games, "after both finishes").await;
    });
}

/// The same if another game creates the row.
#[test]
fn a_row_that_another_game_creates_again_has_another_version() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let mut games = Vec::new();
        for id in ["g1", "g2", "g3"] {
            games.push(fixture.game(id).await);
        }
        let goal = by_hand(new_goal("blue", Some("red")), 1, 3);
        fixture.service.add_goal(&ines(), &games[1], &goal).await.unwrap();
        fixture.service.finish_game(&ines(), &games[0], true).await.unwrap();
        let other = fixture.second();
        let play_another: Meanwhile = Box::new(move || {
            let other = other.clone();
            Box::pin(async move {
                other.reopen_game(&ines(), &game_id("g1")).await.unwrap();
                other.finish_game(&ines(), &game_id("g2"), true).await.unwrap();
            })
        });
        let service = interrupted(&fixture.store, TRANSACTION, play_another);
        service.finish_game(&ines(), &games[2], true).await.unwrap();
        crate::tables::compare(&fixture, &games, "after both finishes").await;
    });
}

/// Tables that have drifted from the games are told as a failure, and nothing is written.
#[test]
fn tables_that_have_drifted_are_a_failure() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.game("g1").await;
        fixture.service.finish_game(&ines(), &game, true).await.unwrap();
        let db = fixture.service.db();
        let key = threefc::design::Standing::key(season_id(), team("red"));
        db.run(singlet::prelude::delete(key)).await.unwrap();
        let before = fixture.items().await;
        assert_eq!(code(&fixture.service.reopen_game(&ines(), &game).await), "internal");
        assert_eq!(fixture.items().await, before);
    });
}

fn move_to(session: &str) -> GameChange {
    GameChange { session_id: Some(session.parse().unwrap()), ..no_game_change() }
}

async fn a_private_session_is_as_if_it_were_missing(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    for (league, visibility) in [("hidden", Visibility::Private), ("open", Visibility::Public)] {
        let new = NewLeague { visibility: Some(visibility), ..new_league(league) };
        service.create_league(&ruben(), &new).await.unwrap();
        let id = LeagueId::new(league).unwrap();
        service.create_season(&ruben(), &id, &new_season(&format!("{league}-s"))).await.unwrap();
        let season = SeasonId::new(format!("{league}-s")).unwrap();
        let new = new_session(&format!("{league}-day"));
        service.create_session(&ruben(), &season, &new).await.unwrap();
    }
    let moved =
        async |session: &str| code(&service.update_game(&ines(), &game, &move_to(session)).await);
    assert_eq!(moved("missing").await, "session-not-found");
    assert_eq!(moved("hidden-day").await, "session-not-found");
    assert_eq!(moved("open-day").await, "other-season");
}

async fn teams_that_no_longer_play_are_not_absent(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game: GameId = fixture.game("g1").await;
    let new = NewTeam {
        team_id: Some("green".parse().unwrap()),
        name: "Green".parse().unwrap(),
        code: "GRE".parse().unwrap(),
        color: threefc::design::Color::Green,
    };
    service.create_team(&ines(), &season_id(), &new).await.unwrap();
    let abandon = AbandonGame {
        reason: threefc::design::AbandonReason::NoShow,
        note: None,
        absent_team_ids: distinct([team("red"), team("yellow")]),
    };
    service.abandon_game(&ines(), &game, &abandon).await.unwrap();
    let teams = distinct(["red", "blue", "green"].map(team));
    let change = GameChange { team_ids: Some(teams), ..no_game_change() };
    let view = service.update_game(&ines(), &game, &change).await.unwrap();
    assert_eq!(view.abandoned.unwrap().absent_team_ids, [team("red")]);
}

/// Another service retires a team.
fn retire(fixture: &Fixture, id: &'static str) -> Meanwhile {
    let other = fixture.second();
    Box::new(move || {
        let other = other.clone();
        Box::pin(async move {
            let change = TeamChange {
                name: None,
                code: None,
                color: None,
                squad_player_ids: None,
                retired: Some(true),
            };
            drop(other.update_team(&ines(), &season_id(), &team(id), &change).await.unwrap());
        })
    })
}

/// A team that is retired after it was read does not play.
#[test]
fn a_team_that_is_retired_meanwhile_does_not_play() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.game("g1").await;
        let new = NewTeam {
            team_id: Some("green".parse().unwrap()),
            name: "Green".parse().unwrap(),
            code: "GRE".parse().unwrap(),
            color: threefc::design::Color::Green,
        };
        fixture.service.create_team(&ines(), &season_id(), &new).await.unwrap();
        let teams = distinct(["red", "blue", "green"].map(team));
        let change = GameChange { team_ids: Some(teams), ..no_game_change() };
        let service = interrupted(&fixture.store, TRANSACTION, retire(&fixture, "green"));
        let changed = service.update_game(&ines(), &game, &change).await;
        assert_eq!(code(&changed), "team-retired");
        assert_eq!(fixture.keys_of("GAME#g1 ROSTER#yellow#").await.len(), 3);
        let new = new_game("g2", fixture.now());
        let service = interrupted(&fixture.store, TRANSACTION, retire(&fixture, "yellow"));
        let created = service.create_game(&ines(), &session_id(), &new).await;
        assert_eq!(code(&created), "team-retired");
        assert!(fixture.keys_of("GAME#g2").await.is_empty());
    });
}

/// A player who is archived after being read joins no roster.
#[test]
fn a_player_who_is_archived_meanwhile_joins_no_roster() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.game("g1").await;
        let other = fixture.second();
        let archive: Meanwhile = Box::new(move || {
            let other = other.clone();
            Box::pin(async move {
                let change =
                    PlayerChange { nickname: None, number: Change::Keep, archived: Some(true) };
                drop(other.update_player(&ines(), &player("r1"), &change).await.unwrap());
            })
        });
        let service = interrupted(&fixture.store, TRANSACTION, archive);
        let assigned = service.assign_roster(&ines(), &game, &player("r1"), &team("blue")).await;
        assert_eq!(code(&assigned), "player-archived");
        assert_eq!(fixture.keys_of("GAME#g1 ROSTER#red#r1").await.len(), 1);
    });
}
