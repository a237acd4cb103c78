//! Starting, finishing, reopening, postponing and rescheduling a game.

use super::Impossible;
use super::half::begin;
use super::lineup::{LINEUP_MIN, check};
use crate::design::{EventKind, Game, GameStatus, Player};
use singlet::Timestamp;

/// What can be done to a game as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// SCHEDULED → IN_PROGRESS.
    Start,
    /// SCHEDULED or IN_PROGRESS → FINAL.
    Finish,
    /// FINAL → IN_PROGRESS.
    Reopen,
    /// SCHEDULED or IN_PROGRESS → POSTPONED.
    Postpone,
    /// POSTPONED → SCHEDULED.
    Reschedule,
}

impl Verb {
    /// What the live feed says about it.
    #[must_use]
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
///
/// # Errors
///
/// If the game is in another status, or its lineup cannot play.
pub fn apply(
    game: &Game,
    verb: Verb,
    roster: Option<&[Player]>,
    scheduled_start: Option<Timestamp>,
    now: Timestamp,
) -> Result<Game, Impossible> {
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
            return Err(Impossible::WrongStatus);
        }
        (Verb::Finish, GameStatus::Scheduled | GameStatus::InProgress) => {
            game.finished_at = Some(now);
            GameStatus::Final
        }
        (Verb::Postpone, GameStatus::Scheduled | GameStatus::InProgress) => GameStatus::Postponed,
        (Verb::Reschedule, GameStatus::Postponed) => {
            let required = Impossible::Field("/scheduledStart", "is required");
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
        _ => return Err(Impossible::WrongStatus),
    };
    Ok(game)
}
