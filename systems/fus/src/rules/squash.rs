//! What a match of the squash club must be.

use crate::design::Side;
use singlet::{Date, Timestamp};
use std::collections::BTreeSet;

/// How many games win a match.
const GAMES_TO_WIN: i32 = 3;
/// The first day that a match can have.
const FIRST_DAY: &str = "2000-01-01";

/// A match as somebody enters it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMatch<Id = String> {
    /// The day: YYYY-MM-DD.
    pub date: String,
    /// Two players of A and two of B.
    pub players: [Id; 4],
    /// Games of A and of B.
    pub games: [i32; 2],
    /// The winner, if it was said.
    pub winning_team: Option<Side>,
}

/// What is wrong with a match. The first fault in this order is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchFault {
    /// No day of the calendar, before 2000, or after tomorrow.
    Date,
    /// Somebody plays twice.
    SamePlayerTwice,
    /// Not three games for one pair and fewer for the other.
    Games,
    /// The winner is not the pair with three games.
    Winner,
}

/// A match that can be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The day.
    pub date: Date,
    /// Games of A and of B.
    pub games: [u8; 2],
    /// The pair with three games.
    pub winner: Side,
}

/// Checks a match at a moment. Whether its players exist is for the store to say.
///
/// # Errors
///
/// The first fault.
pub fn check_match<Id: Ord>(new: &NewMatch<Id>, now: Timestamp) -> Result<MatchResult, MatchFault> {
    let date = parse_day(&new.date, now).ok_or(MatchFault::Date)?;
    if new.players.iter().collect::<BTreeSet<_>>().len() < new.players.len() {
        return Err(MatchFault::SamePlayerTwice);
    }
    let (winner, games) = match new.games {
        [GAMES_TO_WIN, lost @ 0..GAMES_TO_WIN] => (Side::A, [GAMES_TO_WIN, lost]),
        [lost @ 0..GAMES_TO_WIN, GAMES_TO_WIN] => (Side::B, [lost, GAMES_TO_WIN]),
        _ => return Err(MatchFault::Games),
    };
    if new.winning_team.is_some_and(|said| said != winner) {
        return Err(MatchFault::Winner);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::PlayerId;

    fn entered(date: &str, players: [&str; 4], games: [i32; 2]) -> NewMatch<PlayerId> {
        let players = players.map(|name| PlayerId::new(name).unwrap());
        NewMatch { date: date.to_owned(), players, games, winning_team: None }
    }

    const FOUR: [&str; 4] = ["ada", "ben", "cleo", "dan"];

    fn check(new: &NewMatch<PlayerId>) -> Result<MatchResult, MatchFault> {
        check_match(new, "2026-05-04T12:00:00.000Z".parse().unwrap())
    }

    #[test]
    fn days_are_of_the_calendar_and_not_far_ahead() {
        for good in ["2000-01-01", "2026-05-04", "2026-05-05", "2024-02-29"] {
            assert!(check(&entered(good, FOUR, [3, 0])).is_ok(), "{good}");
        }
        for bad in ["2026-02-30", "2025-02-29", "1999-12-31", "2026-05-06", "4 May", "", "2026-5-4"]
        {
            assert_eq!(check(&entered(bad, FOUR, [3, 0])), Err(MatchFault::Date), "{bad}");
        }
    }

    #[test]
    fn four_people_play() {
        for twice in [["ada", "ben", "ben", "dan"], ["ada", "ada", "cleo", "dan"]] {
            let fault = check(&entered("2026-05-04", twice, [3, 0]));
            assert_eq!(fault, Err(MatchFault::SamePlayerTwice), "{twice:?}");
        }
    }

    #[test]
    fn one_pair_has_three_games() {
        for a in -1..6 {
            for b in -1..6 {
                let checked = check(&entered("2026-05-04", FOUR, [a, b]));
                let expected = match (a, b) {
                    (3, 0..=2) => Ok(Side::A),
                    (0..=2, 3) => Ok(Side::B),
                    _ => Err(MatchFault::Games),
                };
                assert_eq!(checked.map(|teams| teams.winner), expected, "{a}-{b}");
            }
        }
        let far = [i32::MIN, i32::MAX];
        assert_eq!(check(&entered("2026-05-04", FOUR, far)), Err(MatchFault::Games));
    }

    #[test]
    fn the_winner_is_the_pair_with_three_games() {
        let said = |winning_team| {
            check(&NewMatch { winning_team, ..entered("2026-05-04", FOUR, [3, 1]) })
                .map(|teams| teams.winner)
        };
        assert_eq!(said(None), Ok(Side::A));
        assert_eq!(said(Some(Side::A)), Ok(Side::A));
        assert_eq!(said(Some(Side::B)), Err(MatchFault::Winner));
    }

    /// The first row of the table that applies is told.
    #[test]
    fn faults_have_an_order() {
        let mut new = entered("2026-02-30", ["ada", "ada", "cleo", "dan"], [3, 3]);
        new.winning_team = Some(Side::B);
        assert_eq!(check(&new), Err(MatchFault::Date));
        new.date = "2026-05-04".to_owned();
        assert_eq!(check(&new), Err(MatchFault::SamePlayerTwice));
        new.players = FOUR.map(|name| PlayerId::new(name).unwrap());
        assert_eq!(check(&new), Err(MatchFault::Games));
        new.games = [3, 2];
        assert_eq!(check(&new), Err(MatchFault::Winner));
    }
}
