//! Starting, finishing, reopening, postponing and rescheduling a game.

use super::half::begin;
use super::lineup::{LINEUP_MIN, check};
use crate::design::{EventKind, Game, GameStatus, Player};
use crate::error::{Error, Result};
use singlet::Timestamp;
use singlet_web::problem::ApiError as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Start,
    Finish,
    Reopen,
    Postpone,
    Reschedule,
}

impl Verb {
    pub fn event(self) -> EventKind {
        match self {
            Self::Start => EventKind::GameStarted,
            Self::Finish => EventKind::GameFinished,
            Self::Reopen => EventKind::GameReopened,
            Self::Postpone => EventKind::GamePostponed,
            Self::Reschedule => EventKind::GameChanged,
        }
    }
}

/// The game after a verb. `roster` is `None` for games of PERSONAL teams, which have no lineup.
pub fn apply(
    game: &Game,
    verb: Verb,
    roster: Option<&[Player]>,
    scheduled_start: Option<Timestamp>,
    now: Timestamp,
) -> Result<Game> {
    let mut game = game.clone();
    game.status = match (verb, game.status) {
        (Verb::Start, GameStatus::Scheduled) => {
            if let Some(roster) = roster {
                check(&game.lineup, roster, LINEUP_MIN)?;
                begin(&mut game);
            }
            game.started_at = game.started_at.or(Some(now));
            GameStatus::InProgress
        }
        (Verb::Finish, GameStatus::Scheduled) if game.at_bat_count > 0 => {
            return Err(Error::WrongStatus);
        }
        (Verb::Finish, GameStatus::Scheduled | GameStatus::InProgress) => {
            game.finished_at = Some(now);
            GameStatus::Final
        }
        (Verb::Postpone, GameStatus::Scheduled | GameStatus::InProgress) => GameStatus::Postponed,
        (Verb::Reschedule, GameStatus::Postponed) => {
            let required = Error::invalid("/scheduledStart", "is required");
            game.scheduled_start = Some(scheduled_start.ok_or(required)?);
            GameStatus::Scheduled
        }
        (Verb::Reopen, GameStatus::Final) => {
            if roster.is_some() {
                begin(&mut game);
            }
            game.started_at = game.started_at.or(Some(now));
            game.finished_at = None;
            GameStatus::InProgress
        }
        _ => return Err(Error::WrongStatus),
    };
    Ok(game)
}
