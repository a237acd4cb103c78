//! Games: moving them, their thirds, their end.

use crate::fixture::{
    Fixture, by_hand, code, distinct, game_id, ines, league_id, new_game, new_goal, new_session,
    no_game_change, noor, player, season_id, session_id, team, tomasz,
};
use serde_json::json;
use singlet::Timestamp;
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::Change;
use std::time::Duration;
use threefc::design::{
    AbandonReason, AuditAction, Color, DrawKind, GameStatus, Outcome, Role, SessionId, TeamOutcome,
};
use threefc::service::input::{
    AbandonGame, GameChange, NewSeason, NewTeam, TeamChange, ThirdChange,
};

on_every_backend! {
    case_06_games_are_listed_in_the_order_of_their_start,
    case_07_two_moves_at_once_leave_one_link,
    two_moves_to_two_sessions_leave_one_link,
    case_08_thirds_start_and_finish_in_order,
    case_17_the_results_are_those_of_the_table,
    case_18_a_game_is_finished_once,
    case_21_an_abandoned_game_does_not_count,
    games_move_between_sessions_of_their_season,
    teams_change_until_a_game_has_started,
    games_with_history_are_not_deleted,
    thirds_are_corrected_and_taken_back,
    an_admin_finishes_by_force_what_is_on_paper,
    closed_games_refuse_changes,
}

fn start_at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn case_06_games_are_listed_in_the_order_of_their_start(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    for hour in ["16", "14", "15"] {
        let new = new_game(&format!("at-{hour}"), start_at(&format!("2026-05-03T{hour}:00:00Z")));
        service.create_game(&ines(), &session_id(), &new).await.unwrap();
    }
    let listed = async || {
        let games = service.games(None, &session_id()).await.unwrap();
        games.into_iter().map(|link| link.game_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, ["at-14", "at-15", "at-16"]);
    let change =
        GameChange { game_start_ts: "2026-05-03T13:00:00Z".parse().ok(), ..no_game_change() };
    service.update_game(&ines(), &game_id("at-16"), &change).await.unwrap();
    assert_eq!(listed().await, ["at-16", "at-14", "at-15"]);
    assert_eq!(fixture.keys_of("SESSION#day-1 GAME#").await.len(), 3);
    let moved = fixture.stored_game(&game_id("at-16")).await;
    assert_eq!((moved.game_start_ts, moved.sequence), (start_at("2026-05-03T13:00:00Z"), 2));
}

async fn case_07_two_moves_at_once_leave_one_link(store: TestStore) {
    let fixture = Fixture::new(store).await;
    for round in 0..6 {
        let id = fixture.game(&format!("game-{round}")).await;
        let services = [fixture.second(), fixture.second()];
        let results = at_once(2, |who| {
            let (service, id) = (services[who].clone(), id.clone());
            let start = start_at(["2026-05-03T13:00:00Z", "2026-05-03T17:00:00Z"][who]);
            let change = GameChange { game_start_ts: start.try_into().ok(), ..no_game_change() };
            async move { code(&service.update_game(&ines(), &id, &change).await) }
        })
        .await;
        assert_eq!(results, ["ok", "ok"]);
        let games = fixture.service.games(None, &session_id()).await.unwrap();
        let links: Vec<_> = games.iter().filter(|link| link.game_id == id).collect();
        let game = fixture.stored_game(&id).await;
        assert_eq!(links.len(), 1);
        assert_eq!(links[0].game_start_ts, game.game_start_ts);
        assert_eq!(game.sequence, 3);
    }
}

/// The same with two sessions: the game is counted where it is, and nowhere else.
async fn two_moves_to_two_sessions_leave_one_link(store: TestStore) {
    let fixture = Fixture::new(store).await;
    fixture.join(&ines(), &league_id(), &noor(), Role::Admin).await;
    for id in ["day-2", "day-3"] {
        fixture.service.create_session(&ines(), &season_id(), &new_session(id)).await.unwrap();
    }
    for round in 1..=6 {
        let id = fixture.game(&format!("game-{round}")).await;
        let services = [fixture.second(), fixture.second()];
        let results = at_once(2, |who| {
            let (service, id) = (services[who].clone(), id.clone());
            let session_id = Some(["day-2", "day-3"][who].parse().unwrap());
            let change = GameChange { session_id, ..no_game_change() };
            let caller = [ines(), noor()][who].clone();
            async move { code(&service.update_game(&caller, &id, &change).await) }
        })
        .await;
        assert_eq!(results, ["ok", "ok"]);
        let game = fixture.stored_game(&id).await;
        assert_eq!(game.sequence, 3);
        let mut all = 0;
        for session in ["day-1", "day-2", "day-3"] {
            let links = fixture.keys_of(&format!("SESSION#{session} GAME#")).await;
            let ending = format!("#{id}");
            let is_there = links.iter().any(|key| key.ends_with(&ending));
            assert_eq!(is_there, game.session_id.as_str() == session);
            let counted = fixture.data(&format!("SESSION#{session} METADATA")).await;
            assert_eq!(counted["games"], links.len(), "{session}");
            all += links.len();
        }
        assert_eq!(all, round);
    }
}

async fn case_08_thirds_start_and_finish_in_order(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    let start = async |third| code(&service.start_third(&tomasz(), &game, third, None).await);
    let finish = async |third| code(&service.finish_third(&tomasz(), &game, third, None).await);
    assert_eq!(start(2).await, "third-out-of-order");
    assert_eq!(finish(1).await, "third-out-of-order");
    let begun = fixture.now();
    assert_eq!(start(1).await, "ok");
    fixture.advance(Duration::from_secs(90));
    let items = fixture.items().await;
    assert_eq!(start(1).await, "ok");
    assert_eq!(fixture.items().await, items, "it has written nothing");
    let stored = fixture.stored_game(&game).await;
    assert_eq!((stored.status, stored.thirds[0].started_at), (GameStatus::Live, Some(begun)));
    assert_eq!(start(2).await, "third-out-of-order");
    assert_eq!(finish(1).await, "ok");
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    assert_eq!(finish(1).await, "ok");
    assert_eq!(fixture.items().await, items, "it has written nothing");
    assert_eq!(start(1).await, "third-over");
    // The time of a phone is moved into the possible interval.
    let long_ago = begun.before(Duration::from_secs(3600));
    let third_end = fixture.stored_game(&game).await.thirds[0].finished_at;
    service.start_third(&tomasz(), &game, 2, Some(long_ago)).await.unwrap();
    assert_eq!(fixture.stored_game(&game).await.thirds[1].started_at, third_end);
    let later = fixture.now().after(Duration::from_secs(3600));
    service.finish_third(&tomasz(), &game, 2, Some(later)).await.unwrap();
    assert_eq!(fixture.stored_game(&game).await.thirds[1].finished_at, Some(fixture.now()));
}

/// Goals, by hand, that make up a score: who concedes, and who scores if it is no own goal.
fn goals_for(conceded: [u32; 3], scored: [u32; 3]) -> Vec<(usize, Option<usize>)> {
    fn fill(conceded: [u32; 3], scored: [u32; 3], goals: &mut Vec<(usize, Option<usize>)>) -> bool {
        let Some(team) = (0..3).find(|team| conceded[*team] > 0) else {
            return scored == [0; 3];
        };
        let mut conceded = conceded;
        conceded[team] -= 1;
        for other in (0..3).filter(|other| *other != team && scored[*other] > 0) {
            let mut scored = scored;
            scored[other] -= 1;
            goals.push((team, Some(other)));
            if fill(conceded, scored, goals) {
                return true;
            }
            goals.pop();
        }
        goals.push((team, None));
        if fill(conceded, scored, goals) {
            return true;
        }
        goals.pop();
        false
    }
    let mut goals = Vec::new();
    assert!(fill(conceded, scored, &mut goals), "no goals make up {conceded:?} {scored:?}");
    goals
}

async fn case_17_the_results_are_those_of_the_table(store: TestStore) {
    use TeamOutcome::{Draw, Loss, Win};
    let fixture = Fixture::new(store).await;
    let teams = ["red", "blue", "yellow"];
    let (two, three) = (Some(DrawKind::TwoWay), Some(DrawKind::ThreeWay));
    let table = [
        ([1, 2, 3], [3, 2, 1], [1, 2, 3], [Win, Loss, Loss], None),
        ([2, 2, 3], [4, 3, 0], [1, 2, 3], [Win, Loss, Loss], None),
        ([2, 2, 3], [3, 3, 1], [1, 1, 3], [Draw, Draw, Loss], two),
        ([1, 3, 3], [3, 2, 2], [1, 2, 2], [Win, Loss, Loss], None),
        ([2, 2, 2], [3, 2, 1], [1, 2, 3], [Win, Loss, Loss], None),
        ([1, 1, 1], [1, 1, 0], [1, 1, 3], [Draw, Draw, Loss], two),
        ([2, 2, 2], [2, 2, 2], [1, 1, 1], [Draw, Draw, Draw], three),
    ];
    for (number, (conceded, scored, ranks, outcomes, draw_kind)) in table.into_iter().enumerate() {
        let game = fixture.live_game(&format!("row-{number}")).await;
        for (conceding, scoring) in goals_for(conceded, scored) {
            fixture.goal(&game, &new_goal(teams[conceding], scoring.map(|one| teams[one]))).await;
        }
        let view = fixture.finish(&game).await;
        let score: Vec<(u32, u32)> =
            view.teams.iter().map(|team| (team.conceded, team.scored)).collect();
        let wanted: Vec<(u32, u32)> = conceded.into_iter().zip(scored).collect();
        assert_eq!(score, wanted, "row {number}");
        let result = view.result.unwrap();
        let found: Vec<u8> = result.teams.iter().map(|team| team.rank).collect();
        assert_eq!(found, ranks, "row {number}");
        let found: Vec<TeamOutcome> = result.teams.iter().map(|team| team.outcome).collect();
        assert_eq!(found, outcomes, "row {number}");
        assert_eq!(result.draw_kind, draw_kind, "row {number}");
        let link = fixture.service.games(None, &session_id()).await.unwrap();
        let link = link.into_iter().find(|link| link.game_id == game).unwrap();
        assert_eq!((link.status, link.outcome), (GameStatus::Finished, Some(result.outcome)));
        assert_eq!(link.winner_team_id, result.winner_team_id);
    }
}

async fn case_18_a_game_is_finished_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    for third in 1..=3 {
        service.start_third(&tomasz(), &game, third, None).await.unwrap();
        if third < 3 {
            service.finish_third(&tomasz(), &game, third, None).await.unwrap();
        }
    }
    assert_eq!(code(&service.finish_game(&tomasz(), &game, false).await), "thirds-open");
    service.finish_third(&tomasz(), &game, 3, None).await.unwrap();
    let services = [fixture.second(), fixture.second()];
    let results = at_once(2, |who| {
        let (service, game) = (services[who].clone(), game.clone());
        async move { service.finish_game(&tomasz(), &game, false).await.unwrap().result }
    })
    .await;
    assert!(results[0].is_some() && results[0] == results[1], "{results:?}");
    assert_eq!(fixture.keys_of("GAME#g1 AUDIT#").await.len(), 1);
    for row in service.standings(None, &season_id()).await.unwrap() {
        assert_eq!(row.played, 1, "{}", row.team_id);
    }
    // A third finish writes nothing.
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    service.finish_game(&tomasz(), &game, false).await.unwrap();
    assert_eq!(fixture.items().await, items);
}

fn hail() -> AbandonGame {
    AbandonGame {
        reason: AbandonReason::Weather,
        note: Some("Hail".parse().unwrap()),
        absent_team_ids: distinct([team("yellow")]),
    }
}

async fn case_21_an_abandoned_game_does_not_count(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    let played = async || {
        let rows = service.standings(None, &season_id()).await.unwrap();
        rows.iter().map(|row| row.played).sum::<u32>()
    };
    let view = service.abandon_game(&tomasz(), &game, &hail()).await.unwrap();
    assert_eq!((view.status, view.goals.len()), (GameStatus::Abandoned, 1));
    assert!(view.thirds[0].finished_at.is_some(), "the running third has ended");
    assert_eq!(view.abandoned.unwrap().absent_team_ids, [team("yellow")]);
    assert_eq!(played().await, 0);
    assert!(fixture.keys_of("SEASON#spring ST").await.is_empty());
    let items = fixture.items().await;
    fixture.advance(Duration::from_secs(1));
    service.abandon_game(&tomasz(), &game, &hail()).await.unwrap();
    assert_eq!(fixture.items().await, items, "a repetition writes nothing");
    assert_eq!(code(&service.reopen_game(&tomasz(), &game).await), "forbidden");
    let view = service.reopen_game(&ines(), &game).await.unwrap();
    assert_eq!((view.status, view.abandoned, view.goals.len()), (GameStatus::Live, None, 1));
    assert_eq!(code(&service.reopen_game(&ines(), &game).await), "game-not-closed");
    fixture.finish(&game).await;
    assert_eq!(played().await, 3, "it counts once for each of its teams");
    assert_eq!(code(&service.abandon_game(&ines(), &game, &hail()).await), "game-finished");
}

async fn games_move_between_sessions_of_their_season(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    service.create_session(&ines(), &season_id(), &new_session("day-2")).await.unwrap();
    let league = league_id();
    let other = NewSeason {
        season_id: Some("other".parse().unwrap()),
        ..crate::fixture::new_season("other")
    };
    service.create_season(&ines(), &league, &other).await.unwrap();
    let other = threefc::design::SeasonId::new("other").unwrap();
    service.create_session(&ines(), &other, &new_session("far")).await.unwrap();
    let to = |session: &str| GameChange {
        session_id: Some(session.parse().unwrap()),
        ..no_game_change()
    };
    assert_eq!(code(&service.update_game(&ines(), &game, &to("far")).await), "other-season");
    assert_eq!(code(&service.update_game(&ines(), &game, &to("none")).await), "session-not-found");
    let view = service.update_game(&ines(), &game, &to("day-2")).await.unwrap();
    assert_eq!(view.session.session_id.as_str(), "day-2");
    assert!(fixture.keys_of("SESSION#day-1 GAME#").await.is_empty());
    assert_eq!(fixture.keys_of("SESSION#day-2 GAME#").await.len(), 1);
    for (session, games) in [("day-1", 0), ("day-2", 1)] {
        assert_eq!(fixture.data(&format!("SESSION#{session} METADATA")).await["games"], games);
    }
    // Before the start, a move leaves no audit record; afterwards it does.
    assert!(fixture.keys_of("GAME#g1 AUDIT#").await.is_empty());
    service.start_third(&tomasz(), &game, 1, None).await.unwrap();
    let pitch = GameChange { pitch: Change::Set("Pitch 2".parse().unwrap()), ..no_game_change() };
    service.update_game(&ines(), &game, &pitch).await.unwrap();
    let audit = service.audit(&ines(), &game, 50, None).await.unwrap().items;
    assert_eq!((audit.len(), audit[0].action), (1, AuditAction::GameChanged));
    assert_eq!(audit[0].after.as_ref().unwrap()["pitch"], "Pitch 2");
    let day_two = SessionId::new("day-2").unwrap();
    assert_eq!(service.games(None, &day_two).await.unwrap()[0].pitch.as_deref(), Some("Pitch 2"));
}

async fn teams_change_until_a_game_has_started(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let new = NewTeam {
        team_id: Some("green".parse().unwrap()),
        name: "Green".parse().unwrap(),
        code: "GRE".parse().unwrap(),
        color: Color::Green,
    };
    service.create_team(&ines(), &season_id(), &new).await.unwrap();
    service.create_player(&ines(), &league_id(), &crate::fixture::new_player("g9")).await.unwrap();
    let squad = TeamChange {
        name: None,
        code: None,
        color: None,
        squad_player_ids: Some(distinct([player("g9")])),
        retired: None,
    };
    service.update_team(&ines(), &season_id(), &team("green"), &squad).await.unwrap();
    let game = fixture.game("g1").await;
    let teams =
        |ids: [&str; 3]| GameChange { team_ids: Some(distinct(ids.map(team))), ..no_game_change() };
    let update =
        async |change: GameChange| code(&service.update_game(&ines(), &game, &change).await);
    assert_eq!(update(teams(["red", "blue", "nobody"])).await, "team-not-found");
    assert_eq!(update(teams(["red", "green", "yellow"])).await, "ok");
    let view = fixture.view(&game).await;
    let rosters: Vec<usize> = view.teams.iter().map(|team| team.roster.len()).collect();
    assert_eq!((view.teams[1].code.as_str(), rosters), ("GRE", vec![3, 1, 3]));
    assert_eq!(fixture.keys_of("GAME#g1 ROSTER#").await.len(), 7);
    let length =
        GameChange { third_length_minutes: Some(30.try_into().unwrap()), ..no_game_change() };
    assert_eq!(update(length).await, "ok");
    service.start_third(&tomasz(), &game, 1, None).await.unwrap();
    assert_eq!(update(teams(["red", "blue", "yellow"])).await, "game-started");
    let length =
        GameChange { third_length_minutes: Some(20.try_into().unwrap()), ..no_game_change() };
    assert_eq!(update(length).await, "game-started");
}

async fn games_with_history_are_not_deleted(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    // A goal that was entered and removed is history, too.
    let goal = by_hand(new_goal("red", Some("blue")), 1, 3);
    service.add_goal(&ines(), &game, &goal).await.unwrap();
    let event = goal.event_id.0.clone();
    service.delete_goal(&ines(), &game, &event).await.unwrap();
    assert_eq!(code(&service.delete_game(&ines(), &game).await), "game-has-history");
    let started = fixture.live_game("g2").await;
    assert_eq!(code(&service.delete_game(&ines(), &started).await), "game-has-history");
    let plain = fixture.game("g3").await;
    assert_eq!(code(&service.delete_game(&tomasz(), &plain).await), "forbidden");
    service.delete_game(&ines(), &plain).await.unwrap();
    assert!(fixture.keys_of("GAME#g3").await.is_empty());
    assert_eq!(fixture.keys_of("SESSION#day-1 GAME#").await.len(), 2);
    assert_eq!(fixture.data("SESSION#day-1 METADATA").await["games"], 2);
    assert_eq!(code(&service.delete_game(&ines(), &plain).await), "game-not-found");
}

async fn thirds_are_corrected_and_taken_back(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let begun = fixture.now();
    let correct = async |third, started_at, finished_at| {
        let change = ThirdChange { started_at, finished_at };
        code(&service.correct_third(&tomasz(), &game, third, &change).await)
    };
    fixture.advance(Duration::from_secs(1200));
    let goal = fixture.goal(&game, &new_goal("red", Some("blue"))).await;
    assert_eq!(correct(1, Change::Remove, Change::Keep).await, "third-has-goals");
    service.delete_goal(&tomasz(), &game, &goal).await.unwrap();
    assert_eq!(correct(1, Change::Remove, Change::Keep).await, "ok");
    let view = fixture.view(&game).await;
    assert_eq!((view.status, view.thirds[0].started_at), (GameStatus::Scheduled, None));
    service.start_third(&tomasz(), &game, 1, None).await.unwrap();
    let earlier = begun.after(Duration::from_secs(600));
    assert_eq!(correct(1, Change::Set(earlier), Change::Keep).await, "ok");
    assert_eq!(fixture.view(&game).await.thirds[0].started_at, Some(earlier));
    // Goals entered while the clock had started in the year 0 kept the minute 999.
    let long_ago = Timestamp::from_millis(0);
    assert_eq!(correct(1, Change::Set(long_ago), Change::Keep).await, "third-out-of-order");
    // A finish before the start, a moment in the future, a third that has not started.
    service.finish_third(&tomasz(), &game, 1, None).await.unwrap();
    assert_eq!(correct(1, Change::Keep, Change::Set(begun)).await, "third-out-of-order");
    let future = fixture.now().after(Duration::from_secs(60));
    assert_eq!(correct(1, Change::Keep, Change::Set(future)).await, "third-out-of-order");
    assert_eq!(correct(2, Change::Set(fixture.now()), Change::Keep).await, "third-out-of-order");
    service.start_third(&tomasz(), &game, 2, None).await.unwrap();
    // Only the latest finish can be taken back.
    assert_eq!(correct(1, Change::Keep, Change::Remove).await, "third-out-of-order");
    assert_eq!(correct(2, Change::Remove, Change::Keep).await, "ok");
    assert_eq!(correct(1, Change::Keep, Change::Remove).await, "ok");
    assert!(fixture.view(&game).await.thirds[0].is_running());
    let audit = service.audit(&ines(), &game, 50, None).await.unwrap().items;
    let corrections =
        audit.iter().filter(|record| record.action == AuditAction::ThirdCorrected).count();
    assert_eq!(corrections, 4);
}

async fn an_admin_finishes_by_force_what_is_on_paper(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    let goal = by_hand(new_goal("red", Some("blue")), 2, 25);
    assert_eq!(code(&service.add_goal(&tomasz(), &game, &goal).await), "third-out-of-order");
    service.add_goal(&ines(), &game, &goal).await.unwrap();
    assert_eq!(code(&service.finish_game(&ines(), &game, false).await), "thirds-open");
    assert_eq!(code(&service.finish_game(&tomasz(), &game, true).await), "forbidden");
    let view = service.finish_game(&ines(), &game, true).await.unwrap();
    assert_eq!(view.status, GameStatus::Finished);
    assert!(view.thirds.iter().all(|third| third.started_at.is_none()));
    let result = view.result.unwrap();
    assert_eq!((result.outcome, result.winner_team_id), (Outcome::Win, Some(team("blue"))));
    // Reopened, it is scheduled again: no third has started.
    let view = service.reopen_game(&ines(), &game).await.unwrap();
    assert_eq!((view.status, view.result), (GameStatus::Scheduled, None));
    assert!(fixture.keys_of("SEASON#spring ST").await.is_empty(), "rows of zeros are deleted");
    // Force ends a running third.
    let running = fixture.live_game("g2").await;
    let view = service.finish_game(&ines(), &running, true).await.unwrap();
    assert_eq!(view.thirds[0].finished_at, Some(fixture.now()));
    assert_eq!(json!(view.thirds[1]), json!({"third": 2}));
}

async fn closed_games_refuse_changes(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let (finished, abandoned) = (fixture.live_game("g1").await, fixture.live_game("g2").await);
    fixture.finish(&finished).await;
    service.abandon_game(&tomasz(), &abandoned, &hail()).await.unwrap();
    let player = player("r1");
    for (game, caller, wanted) in [
        (&finished, tomasz(), "game-finished"),
        (&abandoned, tomasz(), "game-abandoned"),
        (&abandoned, ines(), "game-abandoned"),
    ] {
        let goal = by_hand(new_goal("red", Some("blue")), 1, 3);
        let none = ThirdChange { started_at: Change::Keep, finished_at: Change::Keep };
        let event = goal.event_id.0.clone();
        let refused = [
            code(&service.add_goal(&caller, game, &goal).await),
            code(&service.edit_goal(&caller, game, &event, &crate::fixture::no_change()).await),
            code(&service.delete_goal(&caller, game, &event).await),
            code(&service.undo_goal(&caller, game, &event).await),
            code(&service.correct_third(&caller, game, 1, &none).await),
            code(&service.start_third(&caller, game, 1, None).await),
            code(&service.finish_third(&caller, game, 1, None).await),
            code(&service.assign_roster(&caller, game, &player, &team("blue")).await),
            code(&service.remove_roster(&caller, game, &player).await),
        ];
        assert_eq!(refused, [wanted; 9], "{game} as {}", caller.subject);
    }
    assert_eq!(code(&service.delete_game(&ines(), &abandoned).await), "game-abandoned");
    assert_eq!(code(&service.delete_game(&ines(), &finished).await), "game-has-history");
    assert_eq!(code(&service.start_third(&ines(), &finished, 2, None).await), "game-finished");
    let pitch = GameChange { pitch: Change::Set("2".parse().unwrap()), ..no_game_change() };
    assert_eq!(code(&service.update_game(&ines(), &abandoned, &pitch).await), "ok");
}
