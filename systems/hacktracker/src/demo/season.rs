//! The season of Copper Kettles, twelve games, and Stella's own two.

use super::scorer::Scorer;
use super::teams::Roster;
use super::{DAY, Loader, NORA, OMAR, SKYE, STELLA, missing};
use crate::design::{AtBatResult, Half, Role};
use crate::input::{AtBatChange, NewAtBat, NewInvite, NewScore};
use crate::rules::status::Verb;
use singlet::Timestamp;
use singlet_web::api::Paging;
use singlet_web::demo::DemoError;

const LINEUP: [u8; 11] = [10, 14, 5, 7, 12, 31, 33, 22, 27, 18, 21];
const LOST: [usize; 3] = [1, 4, 6];
/// By their place in the season.
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
const SUBSTITUTION: usize = 2;
const EARLY_END: usize = 3;
const TIE_BREAK: usize = 5;
const WRONG_BOOK: usize = 7;
const AT_HOME: usize = 8;

pub(super) async fn load(loader: &mut Loader, roster: &Roster) -> Result<(), DemoError> {
    for place in 0..OPPONENTS.len() {
        play(loader, roster, place).await?;
    }
    let start = loader.saturday(3).before(3 * DAY);
    loader.set_time(start.before(5 * DAY));
    let mut postponed =
        Scorer::schedule(loader, &roster.team, &OMAR, "Tin Roofs", start, true).await?;
    postponed.change(Verb::Postpone).await?;
    let start = loader.saturday(-1);
    loader.set_time(loader.demo.loaded_at().before(2 * DAY));
    let mut upcoming =
        Scorer::schedule(loader, &roster.team, &OMAR, "Slow Burners", start, true).await?;
    upcoming.set_lineup(roster.lineup(&LINEUP)?).await?;
    let new = NewInvite { role: Role::Player, player_id: Some(roster.player(21)?) };
    loader.service.invite(&OMAR.caller(), &roster.team, &new).await?;
    live(loader, roster).await
}

/// A game that Omar schedules and Skye scores, from its start on.
async fn started<'l>(
    loader: &'l mut Loader,
    roster: &Roster,
    opponent: &str,
    start: Timestamp,
    is_home: bool,
) -> Result<Scorer<'l>, DemoError> {
    loader.set_time(start.before(3 * DAY));
    let mut game = Scorer::schedule(loader, &roster.team, &OMAR, opponent, start, is_home).await?;
    game.caller = SKYE.caller();
    game.set_lineup(roster.lineup(&LINEUP)?).await?;
    game.loader.set_time(start);
    game.change(Verb::Start).await?;
    Ok(game)
}

async fn play(loader: &mut Loader, roster: &Roster, place: usize) -> Result<(), DemoError> {
    let opponent = OPPONENTS.get(place).copied().unwrap_or_default();
    let start = loader.saturday(i64::try_from(OPPONENTS.len() - place)?);
    let is_won = !LOST.contains(&place);
    let mut game = started(loader, roster, opponent, start, place == AT_HOME).await?;
    // A home team that leads does not bat last.
    let halves = if place == AT_HOME { 13 } else { 14 };
    for half in 0..halves {
        if game.at()?.half == Half::Team {
            let is_early = place == EARLY_END && game.at()?.inning == 4;
            if is_won && game.at()?.inning >= 6 && game.game.team_score == 0 {
                // A win needs a run.
                game.record(AtBatResult::Hr).await?;
            }
            game.play_half(if is_early { 2 } else { 14 }).await?;
            if place == SUBSTITUTION && game.at()?.inning == 3 {
                let with_sub = LINEUP.map(|number| if number == 18 { 44 } else { number });
                game.set_lineup(roster.lineup(&with_sub)?).await?;
            }
            if game.at()?.half == Half::Team && half + 1 < halves {
                game.next_half(None).await?;
            }
        } else if half + 1 < halves {
            game.next_half(None).await?;
        }
    }
    let ours = game.game.team_score;
    if place == TIE_BREAK {
        game.spread_opponent_runs(ours).await?;
        game.next_half(Some(roster.player(27)?)).await?;
        // The tie-break runner comes home.
        game.record(AtBatResult::Double).await?;
        game.play_half(12).await?;
    } else {
        let margin = 1 + u16::try_from(game.loader.demo.below(4))?;
        let theirs = if is_won { ours.saturating_sub(margin) } else { ours + margin };
        game.spread_opponent_runs(theirs).await?;
    }
    game.change(Verb::Finish).await?;
    match place {
        WRONG_BOOK => wrong_book(game).await,
        _ => Ok(()),
    }
}

/// An out is corrected to an error, which leaves the inning with two outs.
async fn wrong_book(mut game: Scorer<'_>) -> Result<(), DemoError> {
    let (service, id) = (&game.loader.service, &game.game.game_id);
    let book = service.game(&NORA.caller(), id).await?;
    let mut outs = book.at_bats.iter().filter(|at_bat| at_bat.result == AtBatResult::Out);
    let out = outs.clone().find(|at_bat| at_bat.inning == 2).or_else(|| outs.next());
    let out = &out.ok_or_else(|| missing("an out"))?.at_bat_id;
    let (revision, result) = (game.game.revision, Some(AtBatResult::E));
    let change = AtBatChange { revision, result, ..AtBatChange::default() };
    let scored = service.correct_at_bat(&game.caller, id, out, &change).await?;
    game.saw(scored)
}

/// The game that is played now: top of the third, 6–4, one out, runners on first and third, and
/// number 12 is up.
async fn live(loader: &mut Loader, roster: &Roster) -> Result<(), DemoError> {
    use AtBatResult::{Bb, Double, Hr, K, Out, Sac, Single};
    // On the quarter of an hour.
    let minutes = loader.demo.loaded_at().as_millis().div_euclid(60_000) - 75;
    let start = Timestamp::from_millis((minutes - minutes.rem_euclid(15)) * 60_000);
    let mut game = started(loader, roster, "Night Owls", start, false).await?;
    let ours: [&[AtBatResult]; 3] =
        [&[Single, Bb, Double, Sac, Out, Hr, K], &[K, Out, Out], &[Bb, Hr, Out, Double, Single]];
    for ((inning, results), theirs) in (1..).zip(ours).zip([Some(1), Some(3), None]) {
        for result in results {
            game.record(*result).await?;
        }
        if let Some(theirs) = theirs {
            game.opponent(inning, theirs).await?;
            game.next_half(None).await?;
        }
    }
    Ok(())
}

pub(super) async fn personal(loader: &mut Loader) -> Result<(), DemoError> {
    use AtBatResult::{Bb, Double, Hr, K, Out, Single};
    let teams = loader.service.my_teams(&STELLA.caller(), &Paging::default()).await?.items;
    let team = teams.into_iter().next().ok_or_else(|| missing("Stella's team"))?.team.team_id;
    let (friday, wednesday) = (loader.saturday(1).before(DAY), loader.saturday(0).before(3 * DAY));
    let pick_up = vec![(1, Single), (3, Out), (5, Bb), (7, Double)];
    let office = vec![(1, K), (2, Single), (4, Hr), (6, Out), (7, Single)];
    for (start, opponent, at_bats, (team_score, opponent_score)) in
        [(friday, "Friday pick-up", pick_up, (8, 6)), (wednesday, "Office league", office, (5, 9))]
    {
        loader.set_time(start.before(DAY));
        let mut game = Scorer::schedule(loader, &team, &STELLA, opponent, start, false).await?;
        game.loader.set_time(start);
        game.change(Verb::Start).await?;
        for (inning, result) in at_bats {
            let (scored, inning) = (Some(result == Double), Some(inning));
            let outs = Some(1);
            game.record_as(NewAtBat { result, inning, outs, scored, ..NewAtBat::default() })
                .await?;
            game.loader.pass(900);
        }
        let new = NewScore { revision: game.game.revision, team_score, opponent_score };
        let (service, id) = (&game.loader.service, &game.game.game_id);
        let scored = service.set_score(&game.caller, id, &new).await?;
        game.saw(scored)?;
        game.change(Verb::Finish).await?;
    }
    Ok(())
}
