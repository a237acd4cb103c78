//! Validation of squash matches.

use crate::design::{PlayerId, Side};
use crate::error::{Error, Result};
use singlet::{Date, Timestamp};
use singlet_web::prelude::*;
use std::collections::BTreeSet;

/// How many games win a match.
const GAMES_TO_WIN: i32 = 3;
/// The first day that a match can have.
const FIRST_DAY: &str = "2000-01-01";

/// A match to enter.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewMatch {
    /// The day: YYYY-MM-DD, not after tomorrow.
    #[schemars(length(max = 40))]
    pub date: String,
    pub team_a_player_1_id: PlayerId,
    pub team_a_player_2_id: PlayerId,
    pub team_b_player_1_id: PlayerId,
    pub team_b_player_2_id: PlayerId,
    /// One pair has 3 games, the other one 0 to 2.
    pub team_a_games: i32,
    pub team_b_games: i32,
    /// The pair with 3 games; it can be left out.
    pub winning_team: Option<Side>,
}

impl NewMatch {
    /// The four players: A's, then B's.
    pub fn players(&self) -> [&PlayerId; 4] {
        [
            &self.team_a_player_1_id,
            &self.team_a_player_2_id,
            &self.team_b_player_1_id,
            &self.team_b_player_2_id,
        ]
    }
}

/// The validated part of a match: day, games of A and B, winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchResult {
    pub date: Date,
    pub games: [u8; 2],
    pub winner: Side,
}

/// Validates a match except that its players exist. Returns the first error.
pub fn check_match(new: &NewMatch, now: Timestamp) -> Result<MatchResult> {
    let date = parse_day(&new.date, now).ok_or(Error::DateInvalid)?;
    if BTreeSet::from(new.players()).len() < 4 {
        return Err(Error::SamePlayerTwice);
    }
    let (winner, games) = match [new.team_a_games, new.team_b_games] {
        [GAMES_TO_WIN, lost @ 0..GAMES_TO_WIN] => (Side::A, [GAMES_TO_WIN, lost]),
        [lost @ 0..GAMES_TO_WIN, GAMES_TO_WIN] => (Side::B, [lost, GAMES_TO_WIN]),
        _ => return Err(Error::GamesInvalid),
    };
    if new.winning_team.is_some_and(|said| said != winner) {
        return Err(Error::WinnerMismatch);
    }
    let games = games.map(|count| u8::try_from(count).unwrap_or(0));
    Ok(MatchResult { date, games, winner })
}

/// A day from 2000 to tomorrow.
fn parse_day(text: &str, now: Timestamp) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    let is_early = FIRST_DAY.parse::<Date>().is_ok_and(|first| date < first);
    (!is_early && date <= Date::of(now).next()).then_some(date)
}
