//! The season of Copper Kettles: twelve games.

use super::roster::Roster;
use super::scorer::{Scorer, manager};
use super::{DemoLoader, NORA, missing};
use crate::design::{AtBatResult, Half, HomeAway, Role};
use crate::input::{AtBatChange, NewInvite};
use crate::rules::status::Verb;
use singlet::Timestamp;
use singlet_web::api::Change;
use singlet_web::demo::DemoError;
use std::time::Duration;

const SEASON: &str = "2026-spring";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The usual order.
const LINEUP: [u8; 11] = [10, 14, 5, 7, 12, 31, 33, 22, 27, 18, 21];
const OPPONENTS: [&str; 9] = [
    "Brick Lane",
    "Gravel Pit",
    "Slow Burners",
    "Harbor Lights",
    "Paper Tigers",
    "Second Shift",
    "Gravel Pit",
    "Tin Roofs",
    "Brick Lane",
];
/// Which of them were lost.
const LOST: [usize; 3] = [1, 4, 6];

/// What is special about a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    Nothing,
    Substitution,
    EarlyEnd,
    TieBreak,
    WrongBook,
}

pub(super) async fn load(loader: &mut DemoLoader, roster: &Roster) -> Result<(), DemoError> {
    for (index, opponent) in OPPONENTS.into_iter().enumerate() {
        let weeks = u32::try_from(OPPONENTS.len() - index).unwrap_or(0);
        let start = loader.demo.loaded_at().before(7 * DAY * weeks);
        let special = match index {
            2 => Special::Substitution,
            3 => Special::EarlyEnd,
            5 => Special::TieBreak,
            7 => Special::WrongBook,
            _ => Special::Nothing,
        };
        let home_away = if index == 8 { HomeAway::Home } else { HomeAway::Away };
        play(loader, roster, opponent, start, home_away, !LOST.contains(&index), special).await?;
    }
    postponed(loader, roster).await?;
    upcoming(loader, roster).await?;
    open_invite(loader, roster).await?;
    live(loader, roster).await
}

/// A game to its end.
async fn play(
    loader: &mut DemoLoader,
    roster: &Roster,
    opponent: &str,
    start: Timestamp,
    home_away: HomeAway,
    is_won: bool,
    special: Special,
) -> Result<(), DemoError> {
    loader.set_time(start.before(3 * DAY));
    let team = &roster.team;
    let season = Some(SEASON);
    let mut game = Scorer::schedule(loader, team, &manager(), opponent, start, home_away, season)
        .await?
        .handed_to_skye();
    game.set_lineup(roster.lineup(&LINEUP)?).await?;
    game.loader.set_time(start);
    game.change(Verb::Start).await?;
    // At home the last half is not needed by who leads.
    let halves = if home_away == HomeAway::Home { 13 } else { 14 };
    for half in 0..halves {
        if game.half()? == Half::Team {
            let is_early = special == Special::EarlyEnd && game.inning()? == 4;
            if is_won && game.inning()? >= 6 && game.game.game.team_score == 0 {
                // Nobody wins without a run.
                game.record(AtBatResult::Hr).await?;
            }
            game.play_half(if is_early { 2 } else { 14 }).await?;
            if special == Special::Substitution && game.inning()? == 3 {
                let with_sub = LINEUP.map(|number| if number == 18 { 44 } else { number });
                game.set_lineup(roster.lineup(&with_sub)?).await?;
            }
            if game.half()? == Half::Team && half + 1 < halves {
                game.next_half(None).await?;
            }
        } else if half + 1 < halves {
            game.next_half(None).await?;
        }
    }
    let mut ours = game.game.game.team_score;
    if special == Special::TieBreak {
        game.spread_opponent_runs(ours).await?;
        game.next_half(Some(roster.player(27)?)).await?;
        // The tie-break runner comes home.
        game.record(AtBatResult::Double).await?;
        game.play_half(12).await?;
        ours = game.game.game.team_score;
    } else {
        let margin = 1 + u16::try_from(game.loader.demo.below(4)).unwrap_or(0);
        let theirs = if is_won { ours.saturating_sub(margin) } else { ours + margin };
        game.spread_opponent_runs(theirs).await?;
    }
    if ours == 0 && is_won {
        return Err(missing("a run"));
    }
    game.change(Verb::Finish).await?;
    if special == Special::WrongBook {
        wrong_book(game).await?;
    }
    Ok(())
}

/// Somebody corrects an out to an error, and forgets that the inning needs a third out.
async fn wrong_book(mut game: Scorer<'_>) -> Result<(), DemoError> {
    let book = game.loader.service.game(&NORA.caller(), &game.game_id).await?;
    let out =
        book.at_bats.iter().find(|at_bat| at_bat.result == AtBatResult::Out && at_bat.inning == 2);
    let out = out.or_else(|| book.at_bats.iter().find(|one| one.result == AtBatResult::Out));
    let out = out.ok_or_else(|| missing("an out"))?;
    let change = AtBatChange {
        revision: book.game.game.revision,
        result: Some(AtBatResult::E),
        player_id: None,
        hit_location: Change::Keep,
        hit_type: Change::Keep,
        rbis: None,
        moves: None,
        outs: None,
        scored: None,
    };
    let service = game.loader.service.clone();
    let corrected =
        service.correct_at_bat(&game.caller, &game.game_id, &out.at_bat_id, &change).await?;
    game.game = corrected.game;
    Ok(())
}

async fn postponed(loader: &mut DemoLoader, roster: &Roster) -> Result<(), DemoError> {
    let start = loader.demo.loaded_at().before(31 * DAY);
    loader.set_time(start.before(5 * DAY));
    let (team, season) = (&roster.team, Some(SEASON));
    let mut game =
        Scorer::schedule(loader, team, &manager(), "Tin Roofs", start, HomeAway::Home, season)
            .await?;
    game.change(Verb::Postpone).await
}

async fn upcoming(loader: &mut DemoLoader, roster: &Roster) -> Result<(), DemoError> {
    let start = loader.demo.loaded_at().after(6 * DAY);
    loader.set_time(loader.demo.loaded_at().before(2 * DAY));
    let (team, season) = (&roster.team, Some(SEASON));
    let by = manager();
    let mut game =
        Scorer::schedule(loader, team, &by, "Slow Burners", start, HomeAway::Home, season).await?;
    game.set_lineup(roster.lineup(&LINEUP)?).await
}

async fn open_invite(loader: &mut DemoLoader, roster: &Roster) -> Result<(), DemoError> {
    let new = NewInvite { role: Role::Player, player_id: Some(roster.player(21)?) };
    loader.service.invite(&manager(), &roster.team, &new).await?;
    Ok(())
}

/// The game that is played now: top of the third, 6–4, one out, runners on first and third, and
/// number 12 is up.
async fn live(loader: &mut DemoLoader, roster: &Roster) -> Result<(), DemoError> {
    let start = loader.demo.loaded_at().before(Duration::from_secs(4500));
    loader.set_time(start.before(3 * DAY));
    let (team, season) = (&roster.team, Some(SEASON));
    let by = manager();
    let mut game = Scorer::schedule(loader, team, &by, "Night Owls", start, HomeAway::Away, season)
        .await?
        .handed_to_skye();
    game.set_lineup(roster.lineup(&LINEUP)?).await?;
    game.loader.set_time(start);
    game.change(Verb::Start).await?;
    use AtBatResult::{Bb, Double, Hr, K, Out, Sac, Single};
    for result in [Single, Bb, Double, Sac, Out, Hr, K] {
        game.record(result).await?;
    }
    game.opponent(1, 1).await?;
    game.next_half(None).await?;
    for result in [K, Out, Out] {
        game.record(result).await?;
    }
    game.opponent(2, 3).await?;
    game.next_half(None).await?;
    for result in [Bb, Hr, Out, Double, Single] {
        game.record(result).await?;
    }
    Ok(())
}
