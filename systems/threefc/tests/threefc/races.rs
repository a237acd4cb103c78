//! What happens if somebody else writes between two requests of an operation.

use crate::fixture::{
    Fixture, by_hand, code, game_id, ines, new_goal, new_league, new_season, new_session, ruben,
    team,
};
use singlet::backend::{Backend, BackendError, BoxFuture, Execution, Feed};
use singlet::dynamo::operation::Request;
use singlet::{Db, Settings};
use singlet_testing::{TestStore, on_every_backend, run};
use singlet_threefc::design::{GameId, LeagueId, SeasonId, Visibility};
use singlet_threefc::service::Service;
use singlet_threefc::service::input::{AbandonGame, GameChange, NewLeague, NewTeam};
use singlet_web::api::Change;
use singlet_web::random::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

on_every_backend! {
    a_private_session_is_as_if_it_were_missing,
    teams_that_no_longer_play_are_not_absent,
}

type Meanwhile = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// A backend that does something before the first request that mentions a key.
struct InterruptedBackend {
    inner: Arc<dyn Backend>,
    key: &'static str,
    meanwhile: Meanwhile,
    is_done: AtomicBool,
}

impl Backend for InterruptedBackend {
    fn execute(&self, request: Request) -> Execution<'_> {
        let is_meant = format!("{request:?}").contains(self.key);
        if !is_meant || self.is_done.swap(true, Ordering::SeqCst) {
            return self.inner.execute(request);
        }
        Execution::pending(async move {
            (self.meanwhile)().await;
            self.inner.execute(request).await
        })
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        self.inner.sleep(duration)
    }

    fn has_conflicts(&self) -> bool {
        self.inner.has_conflicts()
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes(table_name)
    }
}

/// A service that is interrupted before it first asks for a key.
fn interrupted(store: &TestStore, key: &'static str, meanwhile: Meanwhile) -> Service {
    let backend = InterruptedBackend {
        inner: store.backend(),
        key,
        meanwhile,
        is_done: AtomicBool::new(false),
    };
    let settings: Settings = store.settings.clone();
    Service::new(Db::on(backend, settings), Random::new())
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

/// Tables that have drifted from the games are told as a failure, and nothing is written.
#[test]
fn tables_that_have_drifted_are_a_failure() {
    run(async {
        let fixture = Fixture::new(TestStore::memory()).await;
        let game = fixture.game("g1").await;
        fixture.service.finish_game(&ines(), &game, true).await.unwrap();
        let db = fixture.service.db();
        let key = singlet_threefc::design::Standing::key(crate::fixture::season_id(), team("red"));
        db.run(singlet::prelude::delete(key)).await.unwrap();
        let before = fixture.items().await;
        assert_eq!(code(&fixture.service.reopen_game(&ines(), &game).await), "internal");
        assert_eq!(fixture.items().await, before);
    });
}

fn move_to(session: &str) -> GameChange {
    GameChange { session_id: Some(session.to_owned()), ..nothing() }
}

fn nothing() -> GameChange {
    GameChange {
        game_start_ts: None,
        session_id: None,
        pitch: Change::Keep,
        team_ids: None,
        third_length_minutes: None,
    }
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
        team_id: Some("green".to_owned()),
        name: "Green".to_owned(),
        code: "GRE".to_owned(),
        color: singlet_threefc::design::Color::Green,
    };
    service.create_team(&ines(), &crate::fixture::season_id(), &new).await.unwrap();
    let abandon = AbandonGame {
        reason: singlet_threefc::design::AbandonReason::NoShow,
        note: None,
        absent_team_ids: vec!["red".to_owned(), "yellow".to_owned()],
    };
    service.abandon_game(&ines(), &game, &abandon).await.unwrap();
    let teams = ["red", "blue", "green"].map(str::to_owned).to_vec();
    let change = GameChange { team_ids: Some(teams), ..nothing() };
    let view = service.update_game(&ines(), &game, &change).await.unwrap();
    assert_eq!(view.abandoned.unwrap().absent_team_ids, [team("red")]);
}
