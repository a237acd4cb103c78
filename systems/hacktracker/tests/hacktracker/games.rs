//! Games: status, lineups, two scorers, personal games.

use crate::fixture::{Fixture, code_of, moves, no_change, play, user_id};
use hacktracker::design::{AtBatResult, Game, GameStatus, Half, HomeAway, PlayerId};
use hacktracker::error::Error;
use hacktracker::input::{
    AtBatChange, GameChange, NewAtBat, NewGame, NewHalf, NewInsert, NewLineup, NewScore, Revision,
    StatusChange,
};
use hacktracker::rules::status::Verb;
use singlet_testing::{TestStore, at_once, on_every_backend};
use singlet_web::api::{Change, Paging};

on_every_backend! {
    case_18_two_phones_record_at_once,
    case_21_a_game_needs_a_lineup_and_a_personal_one_none,
    games_go_from_status_to_status,
    a_game_is_changed_and_the_schedule_is_in_order,
    a_personal_game_is_kept_by_hand,
    a_field_that_does_not_apply_is_named,
    lineups_are_checked,
}

async fn case_18_two_phones_record_at_once(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let game = fixture.game().await;
    let revision = game.revision();
    let recorded = at_once(2, |number| {
        let (service, by, id) = (fixture.service.clone(), game.by.clone(), game.id.clone());
        let result = if number == 0 { AtBatResult::Single } else { AtBatResult::Out };
        async move { service.record_at_bat(&by, &id, &play(revision, result)).await }
    });
    let recorded = recorded.await;
    assert_eq!(recorded.iter().filter(|one| one.is_ok()).count(), 1);
    for one in recorded {
        match one {
            Ok(scored) => assert_eq!(scored.game.game.revision, revision + 1),
            Err(Error::Problem(problem)) => {
                assert_eq!(problem.problem_type().name, "game-moved-on");
                assert_eq!(problem.to_json()["game"]["revision"], revision + 1);
                assert_eq!(problem.to_json()["game"]["lastEvent"]["kind"], "atBatRecorded");
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(game.detail().await.at_bats.len(), 1);
}

async fn case_21_a_game_needs_a_lineup_and_a_personal_one_none(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let mut game = fixture.scheduled(&team, NewGame::default()).await;
    assert_eq!(code_of(game.change(Verb::Start).await), "lineup-invalid");
    let own = fixture.service.my_teams(&owner, &Paging::default()).await.unwrap().items;
    let personal = own.into_iter().find(|one| one.team.name == "Personal Stats").unwrap().team;
    let new = NewGame::default();
    let game = fixture.service.create_game(&owner, &personal.team_id, &new).await.unwrap();
    let (id, revision) = (game.game.game_id, game.game.revision);
    let start = StatusChange { revision, scheduled_start: None };
    let started = fixture.service.change_status(&owner, &id, Verb::Start, &start).await.unwrap();
    assert_eq!(started.game.game.status, GameStatus::InProgress);
    let lineup = NewLineup { revision: started.game.game.revision, lineup: Vec::new() };
    let refused = fixture.service.set_lineup(&owner, &id, &lineup).await;
    assert_eq!(code_of(refused), "personal-team");
}

async fn games_go_from_status_to_status(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    for verb in [Verb::Start, Verb::Reopen, Verb::Reschedule] {
        assert_eq!(code_of(game.change(verb).await), "wrong-status", "{verb:?}");
    }
    game.bat(AtBatResult::Hr).await;
    // Postponed with everything that is kept, rescheduled, and resumed.
    game.change(Verb::Postpone).await.unwrap();
    assert_eq!((game.game.game.status, game.score().0), (GameStatus::Postponed, 1));
    assert_eq!(code_of(game.bat_with(AtBatResult::K, &[]).await), "wrong-status");
    assert_eq!(code_of(game.change(Verb::Reschedule).await), "invalid");
    let when = fixture.service.db().now();
    let again = StatusChange { revision: game.revision(), scheduled_start: when.try_into().ok() };
    let (service, by, id) = (&fixture.service, game.by.clone(), game.id.clone());
    let scheduled = service.change_status(&by, &id, Verb::Reschedule, &again).await.unwrap();
    assert_eq!(scheduled.game.game.status, GameStatus::Scheduled);
    game.game = scheduled.game;
    // From SCHEDULED it is finished only without at-bats.
    assert_eq!(code_of(game.change(Verb::Finish).await), "wrong-status");
    game.change(Verb::Start).await.unwrap();
    assert_eq!((game.at(), game.score().0), ((1, Half::Team, 0, 1), 1));
    game.change(Verb::Finish).await.unwrap();
    assert!(game.game.game.finished_at.is_some());
    // Corrections are for finished games, too; new at-bats are not.
    let first = game.detail().await.at_bats[0].at_bat_id.clone();
    let change = AtBatChange { result: Some(AtBatResult::Double), ..no_change(0) };
    game.correct(&first, change).await.unwrap();
    assert_eq!(game.score().0, 0);
    assert_eq!(code_of(game.bat_with(AtBatResult::K, &[]).await), "wrong-status");
    game.change(Verb::Reopen).await.unwrap();
    assert_eq!((game.game.game.status, game.game.game.finished_at), (GameStatus::InProgress, None));
    game.bat(AtBatResult::Double).await;
    assert_eq!(game.score().0, 1);
    // A forfeit: the result alone, replaced by the first at-bat if it is played after all.
    let team = fixture.team(&by).await;
    let mut forfeit = fixture.scheduled(&team, NewGame::default()).await;
    let score = NewScore { revision: forfeit.revision(), team_score: 7, opponent_score: 0 };
    forfeit.game = service.set_score(&by, &forfeit.id, &score).await.unwrap().game;
    forfeit.change(Verb::Finish).await.unwrap();
    assert_eq!(forfeit.score(), (7, 0));
    forfeit.change(Verb::Reopen).await.unwrap();
    forfeit.lineup(&team.players).await.unwrap();
    forfeit.bat(AtBatResult::K).await;
    assert_eq!(forfeit.score(), (0, 0));
    let score = NewScore { revision: forfeit.revision(), ..score };
    assert_eq!(code_of(service.set_score(&by, &forfeit.id, &score).await), "score-derived");
}

async fn a_game_is_changed_and_the_schedule_is_in_order(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let service = &fixture.service;
    let mut ids = Vec::new();
    for (day, season) in
        [("2026-05-02", "spring"), ("2026-04-01", "spring"), ("2026-09-01", "fall")]
    {
        fixture.clock.advance(1000);
        let new = NewGame {
            scheduled_start: format!("{day}T18:00:00Z").parse().ok(),
            opponent_name: Some(" Night  Owls ".parse().unwrap()),
            season_id: Some(season.parse().unwrap()),
            ..NewGame::default()
        };
        ids.push(service.create_game(&owner, &team.id, &new).await.unwrap());
    }
    assert_eq!(ids[0].game.opponent_name.as_deref(), Some("Night Owls"));
    let listed = async |season| {
        let games =
            service.schedule(&owner, &team.id, season, &Paging::default()).await.unwrap().items;
        games.into_iter().map(|game| game.game.game_id).collect::<Vec<_>>()
    };
    let id = |index: usize| ids[index].game.game_id.clone();
    // GSI3 lags behind on DynamoDB.
    for _ in 0..2_400 {
        if listed(None).await.len() == 3 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(listed(None).await, [id(1), id(0), id(2)]);
    assert_eq!(listed(Some("spring")).await, [id(1), id(0)]);
    let change = GameChange {
        revision: 1,
        opponent_name: Change::Remove,
        scheduled_start: Change::Keep,
        location: Change::Set("Lincoln Park".parse().unwrap()),
        season_id: Change::Keep,
        home_away: Change::Set(HomeAway::Home),
        regulation_innings: Change::Set(5),
    };
    let changed = service.change_game(&owner, &id(0), &change).await.unwrap().game;
    assert_eq!((changed.opponent_name, changed.location.as_deref()), (None, Some("Lincoln Park")));
    assert_eq!((changed.regulation_innings, changed.revision), (Some(5), 2));
    assert_eq!(code_of(service.change_game(&owner, &id(0), &change).await), "game-moved-on");
    // Home or away is settled at the start.
    let mut game = fixture.started(&team, NewGame::default()).await;
    let change = GameChange { revision: game.revision(), ..change };
    assert_eq!(code_of(service.change_game(&owner, &game.id, &change).await), "wrong-status");
    let change = GameChange { home_away: Change::Keep, ..change };
    game.game = service.change_game(&owner, &game.id, &change).await.unwrap();
    assert_eq!(game.game.game.location.as_deref(), Some("Lincoln Park"));
}

async fn a_personal_game_is_kept_by_hand(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let stella = fixture.user("stella").await;
    let service = &fixture.service;
    let own = service.my_teams(&stella, &Paging::default()).await.unwrap().items.remove(0);
    let game = service.create_game(&stella, &own.team.team_id, &NewGame::default()).await.unwrap();
    let id = game.game.game_id;
    let start = StatusChange { revision: 1, scheduled_start: None };
    service.change_status(&stella, &id, Verb::Start, &start).await.unwrap();
    let record = async |revision, result, inning, rbis, scored| {
        fixture.clock.advance(1000);
        let new = NewAtBat { inning, rbis, scored, ..play(revision, result) };
        service.record_at_bat(&stella, &id, &new).await
    };
    assert_eq!(code_of(record(2, AtBatResult::K, None, None, None).await), "invalid");
    let single = record(2, AtBatResult::Single, Some(2), Some(1), Some(true)).await.unwrap();
    let single = single.at_bat.unwrap();
    assert_eq!((single.outs, single.rbis, single.scored), (0, 1, true));
    assert_eq!((single.moves.len(), single.batting_order, single.sequence), (0, None, 1));
    let homer = record(3, AtBatResult::Hr, Some(2), None, None).await.unwrap().at_bat.unwrap();
    assert_eq!((homer.rbis, homer.scored, homer.sequence), (1, true, 2));
    // No bases are kept or checked.
    record(4, AtBatResult::Sac, Some(1), None, None).await.unwrap();
    let line = service.career(&stella, None, None).await.unwrap().stats.line;
    assert_eq!((line.pa, line.ab, line.r, line.rbi), (3, 2, 2, 2));
    let detail = service.game(&stella, &id).await.unwrap();
    assert_eq!((detail.game.game.state, detail.game.game.team_score), (None, 0));
    assert_eq!(detail.game.game.at_bat_count, 3);
    let undone = service.undo(&stella, &id, &Revision { revision: 5 }).await.unwrap();
    assert_eq!(undone.game.game.at_bat_count, 2);
    let change = AtBatChange {
        result: Some(AtBatResult::K),
        rbis: Some(0),
        scored: Some(false),
        ..no_change(6)
    };
    let corrected = service.correct_at_bat(&stella, &id, &homer.at_bat_id, &change).await.unwrap();
    assert!(!corrected.at_bat.unwrap().scored);
    let score = NewScore { revision: 7, team_score: 12, opponent_score: 3 };
    let scored = service.set_score(&stella, &id, &score).await.unwrap();
    assert_eq!((scored.game.game.team_score, scored.issues.len()), (12, 0));
    // Halves, runners and the opponent are not kept.
    let half = NewHalf { revision: 8, inning: 1, half: Half::Opponent, placed_runner: None };
    assert_eq!(code_of(service.change_half(&stella, &id, &half).await), "personal-team");
    let seen = Revision { revision: 8 };
    let removed = service.remove_at_bat(&stella, &id, &single.at_bat_id, &seen).await.unwrap();
    assert_eq!((removed.changed.len(), removed.changed[0].sequence), (1, 1));
    // The player of a personal team is the user's own.
    let player = detail.at_bats[0].player_id.clone();
    assert_eq!(Some(player), own.player_id);
    assert_eq!(own.team.owner_id, user_id(&stella));
}

/// The field that a refusal is about.
fn field_of<T: std::fmt::Debug>(refused: Result<T, Error>) -> String {
    let Err(Error::Problem(problem)) = refused else { panic!("{refused:?}") };
    let [error] = problem.field_errors() else { panic!("{problem}") };
    error.field.clone()
}

async fn a_field_that_does_not_apply_is_named(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let mut game = fixture.game().await;
    let (service, nora) = (&fixture.service, game.by.clone());
    // In a managed game these follow from the plays.
    let single = || play(game.revision(), AtBatResult::Single);
    let refused = [
        (NewAtBat { inning: Some(1), ..single() }, "/inning"),
        (NewAtBat { outs: Some(1), ..single() }, "/outs"),
        (NewAtBat { scored: Some(true), ..single() }, "/scored"),
    ];
    for (new, field) in refused {
        assert_eq!(field_of(game.record(new).await), field);
    }
    let single = game.bat(AtBatResult::Single).await.at_bat_id;
    let change = AtBatChange { scored: Some(true), ..no_change(0) };
    assert_eq!(field_of(game.correct(&single, change).await), "/scored");
    // A personal game has neither bases nor other players.
    let own = service.my_teams(&nora, &Paging::default()).await.unwrap().items;
    let own = own.into_iter().find(|one| one.team.name == "Personal Stats").unwrap();
    let new = NewGame::default();
    let id = service.create_game(&nora, &own.team.team_id, &new).await.unwrap().game.game_id;
    let start = StatusChange { revision: 1, scheduled_start: None };
    service.change_status(&nora, &id, Verb::Start, &start).await.unwrap();
    let single = || NewAtBat { inning: Some(1), ..play(2, AtBatResult::Single) };
    let insert = NewInsert { inning: 1, after: None };
    let other = Some(game.players[0].clone());
    let refused = [
        (NewAtBat { moves: Some(moves(&[(0, 2)])), ..single() }, "/moves"),
        (NewAtBat { insert: Some(insert), ..single() }, "/insert"),
        (NewAtBat { player_id: other.clone(), ..single() }, "/playerId"),
    ];
    for (new, field) in refused {
        assert_eq!(field_of(service.record_at_bat(&nora, &id, &new).await), field);
    }
    let new = NewAtBat { player_id: own.player_id.clone(), ..single() };
    let recorded = service.record_at_bat(&nora, &id, &new).await.unwrap().at_bat.unwrap();
    let refused = [
        (AtBatChange { moves: Some(Vec::new()), ..no_change(3) }, "/moves"),
        (AtBatChange { player_id: other, ..no_change(3) }, "/playerId"),
    ];
    for (change, field) in refused {
        let refused = service.correct_at_bat(&nora, &id, &recorded.at_bat_id, &change).await;
        assert_eq!(field_of(refused), field);
    }
}

async fn lineups_are_checked(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let mut game = fixture.scheduled(&team, NewGame::default()).await;
    let players = team.players.clone();
    let unknown = PlayerId::new("nobody").unwrap();
    for lineup in [vec![players[0].clone(), players[0].clone()], vec![unknown]] {
        assert_eq!(code_of(game.lineup(&lineup).await), "lineup-invalid");
    }
    // Before the game a lineup may be short, and the start says so.
    game.lineup(&players[..3]).await.unwrap();
    assert_eq!(code_of(game.change(Verb::Start).await), "lineup-invalid");
    game.lineup(&players[..4]).await.unwrap();
    game.change(Verb::Start).await.unwrap();
    // Somebody who is inactive does not play.
    let inactive = hacktracker::input::PlayerChange {
        status: Some(hacktracker::design::PlayerStatus::Inactive),
        ..Default::default()
    };
    fixture.service.change_player(&owner, &team.id, &players[5], &inactive).await.unwrap();
    assert_eq!(code_of(game.lineup(&players[..6]).await), "lineup-invalid");
    game.change(Verb::Finish).await.unwrap();
    assert_eq!(code_of(game.lineup(&players[..4]).await), "wrong-status");
    let stored: Game =
        fixture.service.db().get(Game::key(&game.id).consistent()).await.unwrap().unwrap();
    assert_eq!(stored.lineup, players[..4]);
}
