//! Minutes: when a goal was scored, and how that is shown.

use crate::design::{Game, GameStatus, Third};
use crate::error::{ApiError as _, Error, Result};
use singlet::Timestamp;
use singlet_web::validate::FieldErrors;

/// The last minute that a goal can have: its key has room for it.
pub const MINUTE_MAX: u16 = 999;

/// When a goal was scored, as it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// The running third by default.
    pub third: Option<u8>,
    /// By the clock of a phone; now by default.
    pub occurred_at: Option<Timestamp>,
    /// By hand.
    pub game_minute: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WhenScored {
    pub third: u8,
    pub game_minute: u16,
    pub elapsed_seconds: Option<u32>,
}

/// The minute of the game at which a third begins to count.
fn first_minute(third: u8, length_minutes: u8) -> u16 {
    u16::from(third.saturating_sub(1)) * u16::from(length_minutes)
}

/// The minute of the game so many seconds after a third has begun.
pub fn minute_by_clock(third: u8, length_minutes: u8, elapsed_seconds: u64) -> u16 {
    let minute = u64::from(first_minute(third, length_minutes)) + elapsed_seconds / 60 + 1;
    u16::try_from(minute).unwrap_or(MINUTE_MAX).min(MINUTE_MAX)
}

/// The minute as it is shown: within its third, and in stoppage time as `20+3'`.
pub fn display_time(third: u8, length_minutes: u8, game_minute: u16) -> String {
    let within = game_minute.saturating_sub(first_minute(third, length_minutes));
    let length = u16::from(length_minutes);
    match within.checked_sub(length) {
        Some(stoppage) if stoppage > 0 => format!("{length}+{stoppage}'"),
        _ => format!("{within}'"),
    }
}

/// Adds the fields of a timing that cannot be together in a game with thirds of this length.
pub fn check_timing(timing: Timing, length_minutes: u8, errors: &mut FieldErrors) {
    let Some(game_minute) = timing.game_minute else { return };
    let field = "/gameMinute";
    errors.add_if(timing.occurred_at.is_some(), field, "must not be given with occurredAt");
    errors.add_if(timing.third.is_none(), "/third", "is missing");
    if let Some(third) = timing.third {
        let first = first_minute(third, length_minutes);
        if !(first..=MINUTE_MAX).contains(&game_minute) {
            errors.add(field, format!("must be {first} to {MINUTE_MAX} in third {third}"));
        }
    }
}

/// When a goal was scored, of a timing that [`check_timing`] has passed.
pub fn when_scored(
    game: &Game,
    timing: Timing,
    is_admin: bool,
    now: Timestamp,
) -> Result<WhenScored> {
    let length = game.third_length_minutes;
    let of_number = |number| game.third(number).ok_or(Error::ThirdOutOfOrder);
    if let (Some(game_minute), Some(number)) = (timing.game_minute, timing.third) {
        let third = of_number(number)?;
        let may_precede = is_admin && game.status != GameStatus::Live;
        if third.started_at.is_none() && !may_precede {
            return Err(Error::ThirdOutOfOrder.because("The third has not started."));
        }
        return Ok(WhenScored { third: number, game_minute, elapsed_seconds: None });
    }
    let third = match timing.third {
        Some(number) => of_number(number)?,
        None => game.thirds.iter().find(|third| third.is_running()).ok_or(Error::NoThirdRunning)?,
    };
    let Some(started_at) = third.started_at else {
        return Err(Error::ThirdOutOfOrder.because("The third has not started."));
    };
    let at = clamp_to(third, started_at, timing.occurred_at.unwrap_or(now), now);
    let elapsed = at.since(started_at).as_secs();
    Ok(WhenScored {
        third: third.third,
        game_minute: minute_by_clock(third.third, length, elapsed),
        elapsed_seconds: Some(u32::try_from(elapsed).unwrap_or(u32::MAX)),
    })
}

/// A moment within a third that has started: phones have clocks of their own.
fn clamp_to(third: &Third, started_at: Timestamp, at: Timestamp, now: Timestamp) -> Timestamp {
    let end = third.finished_at.unwrap_or(now);
    at.min(end).max(started_at)
}
