//! The three thirds of a game: a clock that starts, runs on into stoppage time, and stops.

use crate::design::{Game, GameStatus, Goal, Third};
use crate::error::{ApiError as _, Error, Result};
use singlet::Timestamp;
use singlet_web::api::Change;
use std::time::Duration;

/// How long before its kick-off, or before it was created, a game may be said to have begun.
const CORRECTION_MAX: Duration = Duration::from_secs(24 * 3600);

/// Three thirds that have not started.
pub fn new_thirds() -> Vec<Third> {
    (1..=3).map(|third| Third { third, started_at: None, finished_at: None }).collect()
}

fn third_mut(game: &mut Game, number: u8) -> Result<&mut Third> {
    let third = game.thirds.iter_mut().find(|third| third.third == number);
    third.ok_or(Error::ThirdOutOfOrder)
}

/// A game may begin early, and be entered late.
fn earliest_start(game: &Game) -> Timestamp {
    game.created_at.min(game.game_start_ts)
}

/// Starts a third. The game is live from the first one on. `None` if the third runs already.
pub fn start_third(
    game: &Game,
    number: u8,
    at: Option<Timestamp>,
    now: Timestamp,
) -> Result<Option<Game>> {
    let third = game.third(number).ok_or(Error::ThirdOutOfOrder)?;
    if third.finished_at.is_some() {
        return Err(Error::ThirdOver);
    }
    if third.started_at.is_some() {
        return Ok(None);
    }
    let earliest = match number {
        1 => earliest_start(game),
        _ => {
            let before = game.third(number - 1).and_then(|third| third.finished_at);
            before.ok_or(Error::ThirdOutOfOrder)?
        }
    };
    let mut game = game.clone();
    let at = at.unwrap_or(now).min(now).max(earliest);
    third_mut(&mut game, number)?.started_at = Some(at);
    game.status = GameStatus::Live;
    Ok(Some(game))
}

/// Finishes a third. `None` if it has finished already.
pub fn finish_third(
    game: &Game,
    number: u8,
    at: Option<Timestamp>,
    now: Timestamp,
) -> Result<Option<Game>> {
    let third = game.third(number).ok_or(Error::ThirdOutOfOrder)?;
    let started_at = third.started_at.ok_or(Error::ThirdOutOfOrder)?;
    if third.finished_at.is_some() {
        return Ok(None);
    }
    let mut game = game.clone();
    third_mut(&mut game, number)?.finished_at = Some(at.unwrap_or(now).min(now).max(started_at));
    Ok(Some(game))
}

/// Finishes the third that is running, if one is.
pub fn end_running_third(game: &mut Game, now: Timestamp) {
    for third in &mut game.thirds {
        if third.is_running() {
            third.finished_at = Some(now.max(third.started_at.unwrap_or(now)));
        }
    }
}

/// Corrects the times of a third: a moment replaces one, null takes the latest start or finish back.
pub fn correct_third(
    game: &Game,
    goals: &[Goal],
    number: u8,
    started_at: Change<Timestamp>,
    finished_at: Change<Timestamp>,
    now: Timestamp,
) -> Result<Game> {
    let before = game.third(number).ok_or(Error::ThirdOutOfOrder)?;
    let after = Third {
        third: number,
        started_at: started_at.apply(before.started_at),
        finished_at: finished_at.apply(before.finished_at),
    };
    let takes_back = (before.started_at.is_some() && after.started_at.is_none())
        || (before.finished_at.is_some() && after.finished_at.is_none());
    if takes_back && game.status == GameStatus::Finished {
        return Err(Error::ThirdOutOfOrder.because("Reopen the game first."));
    }
    if (before.started_at.is_none() && after.started_at.is_some())
        || (before.finished_at.is_none() && after.finished_at.is_some())
    {
        return Err(Error::ThirdOutOfOrder.because("A third is started and finished first."));
    }
    // It may have begun before somebody created it here.
    let earliest = earliest_start(game).before(CORRECTION_MAX);
    let is_moved = after.started_at != before.started_at;
    if number == 1 && is_moved && after.started_at.is_some_and(|at| at < earliest) {
        return Err(Error::ThirdOutOfOrder.because(
            "A game starts at most a day before its kick-off, or before it was created.",
        ));
    }
    let mut game = game.clone();
    *third_mut(&mut game, number)? = after.clone();
    check_order(&game.thirds, now)?;
    if after.started_at.is_none() && before.started_at.is_some() {
        if goals.iter().any(|goal| goal.third == number) {
            return Err(Error::ThirdHasGoals);
        }
        if number == 1 {
            game.status = GameStatus::Scheduled;
        }
    }
    Ok(game)
}

/// Each third starts after the one before it has finished, and nothing is in the future.
fn check_order(thirds: &[Third], now: Timestamp) -> Result<()> {
    let mut last = Timestamp::MIN;
    let mut is_open = false;
    for third in thirds {
        for moment in [third.started_at, third.finished_at] {
            match moment {
                Some(_) if is_open => return Err(Error::ThirdOutOfOrder),
                Some(moment) if moment < last || moment > now => {
                    return Err(Error::ThirdOutOfOrder
                        .because("The times must be in order, and not in the future."));
                }
                Some(moment) => last = moment,
                None => is_open = true,
            }
        }
    }
    Ok(())
}
