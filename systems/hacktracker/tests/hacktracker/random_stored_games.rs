//! A random game with random corrections, on every backend: what is stored equals what is computed
//! from scratch.

use crate::fixture::{Fixture, TestGame, eventually, moves, no_change, play};
use crate::random_games::{Dice, RESULTS, check};
use hacktracker::design::{AtBat, AtBatId, Book, Half, How, PlayerId};
use hacktracker::error::Error;
use hacktracker::input::{AtBatChange, NewAtBat, NewGame, NewInsert};
use hacktracker::rules::stats::Line;
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::api::Change;
use singlet_web::problem::ApiError as _;

on_every_backend! {
    case_15_a_random_game_as_stored,
}

/// How many things happen in the game.
const STEPS: u32 = 60;
/// After how many of them everything is compared.
const STEPS_BETWEEN_CHECKS: u32 = 10;

async fn case_15_a_random_game_as_stored(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let owner = fixture.user("nora").await;
    let team = fixture.team(&owner).await;
    let mut game = fixture.started(&team, NewGame::default()).await;
    let mut dice = Dice(15);
    let mut done = 0;
    for number in 1..=STEPS {
        match step(&mut game, &mut dice).await {
            Ok(()) => done += 1,
            // The play is impossible, or there is nothing to undo. The store has refused nothing.
            Err(error) => {
                let code = error.problem_type().name;
                assert!(!["busy", "game-moved-on", "internal"].contains(&code), "{code}");
            }
        }
        if number % STEPS_BETWEEN_CHECKS == 0 {
            check_stored(&game).await;
        }
    }
    assert!(done > STEPS / 2, "{done} of {STEPS} steps were possible");
}

/// One thing that a scorer may do.
async fn step(game: &mut TestGame<'_>, dice: &mut Dice) -> Result<(), Error> {
    let revision = game.revision();
    let (inning, half, ..) = game.at();
    let at_bats = game.detail().await.at_bats;
    let known: Option<AtBat> = (!at_bats.is_empty()).then(|| dice.pick(&at_bats));
    let result = dice.pick(&RESULTS);
    let hit_type = dice.hit_type(result);
    let done = match (dice.below(100), known) {
        (0..60, _) if half == Half::Opponent => game.half(inning + 1, Half::Team).await,
        (60..72, Some(known)) => {
            // Also another batter: the at-bats of both are counted.
            let player_id = (dice.below(3) == 0).then(|| dice.pick(&game.players));
            let hit_type = hit_type.map_or(Change::Keep, Change::Set);
            let result = Some(result);
            let change = AtBatChange { result, player_id, hit_type, ..no_change(revision) };
            game.correct(&known.at_bat_id, change).await
        }
        (72..77, Some(known)) => game.remove(&known.at_bat_id).await,
        (77..82, Some(_)) => game.undo().await,
        (82..89, Some(AtBat { inning, at_bat_id, .. })) => {
            let after: Option<AtBatId> = (dice.below(4) > 0).then_some(at_bat_id);
            let insert = Some(NewInsert { inning, after });
            game.record(NewAtBat { insert, hit_type, ..play(revision, result) }).await
        }
        (89..96, Some(_)) => {
            let from = 1 + dice.below(3) as u8;
            let to = dice.below(5) as u8;
            game.runners(&[(from, to)], dice.pick(&[How::Sb, How::Cs, How::Wp])).await
        }
        (96.., _) => game.opponent(1, dice.below(6) as u16).await,
        _ => {
            let named = if dice.below(4) == 0 { vec![(0, dice.below(5) as u8)] } else { vec![] };
            let new = NewAtBat { moves: Some(moves(&named)), hit_type, ..play(revision, result) };
            game.record(new).await
        }
    };
    done.map(|_| ())
}

/// Compares the game, the counts of its players and all statistics with its at-bats.
async fn check_stored(game: &TestGame<'_>) {
    let detail = game.detail().await;
    // What the last answer said is what is stored.
    assert_eq!(detail.game, game.game);
    let book = Book { game: detail.game.game, at_bats: detail.at_bats };
    check(&book);
    let of = |player: &PlayerId| {
        book.at_bats.iter().filter(|one| one.player_id == *player).collect::<Vec<&AtBat>>()
    };
    for player in &detail.players {
        let count = usize::try_from(player.at_bat_count).unwrap();
        assert_eq!(count, of(&player.player_id).len(), "{}", player.first_name);
    }
    // GSI5 lags behind on DynamoDB.
    let (service, team_id) = (&game.fixture.service, &book.game.team_id);
    for player in &game.players {
        let expected = Line::of(of(player));
        let read = eventually(async || {
            let stats = service.player_stats(&game.by, team_id, player, None).await.unwrap();
            (stats.line == expected).then_some(())
        });
        read.await;
    }
    let expected = Line::of(&book.at_bats);
    let read = eventually(async || {
        let stats = service.team_stats(&game.by, team_id, None).await.unwrap();
        (stats.line == expected).then_some(())
    });
    read.await;
}
