//! Leaderboards of a season: goals, goals per game, assists, and own goals apart.

use crate::design::{PlayerId, Statistic};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;

pub const BOARD_LEN_MAX: usize = 20;
/// With fewer games, one lucky day would be a record.
const GAMES_MIN: u32 = 3;

/// What players are compared by: a count, or goals per game with two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BoardValue {
    Count(u32),
    Rate(f64),
}

/// An entry of a board. `P` is how the player is shown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BoardEntry<P> {
    /// Players who are equal share a rank.
    pub rank: u32,
    pub player: P,
    /// Finished games on a roster.
    pub games: u32,
    pub value: BoardValue,
}

/// The four boards of a season.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Boards<P> {
    pub goals: Vec<BoardEntry<P>>,
    /// Goals per game, of players with at least three games, or as many as the busiest player.
    pub per_game: Vec<BoardEntry<P>>,
    pub assists: Vec<BoardEntry<P>>,
    pub own_goals: Vec<BoardEntry<P>>,
}

impl<P> Boards<P> {
    /// The same boards with players shown in another way.
    pub fn map<Q>(self, show: impl Fn(P) -> Q) -> Boards<Q> {
        let map = |board: Vec<BoardEntry<P>>| {
            board
                .into_iter()
                .map(|entry| BoardEntry {
                    rank: entry.rank,
                    player: show(entry.player),
                    games: entry.games,
                    value: entry.value,
                })
                .collect()
        };
        Boards {
            goals: map(self.goals),
            per_game: map(self.per_game),
            assists: map(self.assists),
            own_goals: map(self.own_goals),
        }
    }

    /// All players of all boards.
    pub fn players(&self) -> impl Iterator<Item = &P> {
        let boards = [&self.goals, &self.per_game, &self.assists, &self.own_goals];
        boards.into_iter().flatten().map(|entry| &entry.player)
    }
}

pub fn boards(statistics: &[Statistic]) -> Boards<PlayerId> {
    let games_most = statistics.iter().map(|one| one.games).max().unwrap_or(0);
    let games_min = games_most.clamp(1, GAMES_MIN);
    let regulars: Vec<&Statistic> =
        statistics.iter().filter(|one| one.games >= games_min).collect();
    let all: Vec<&Statistic> = statistics.iter().collect();
    let count = |of: fn(&Statistic) -> u32| {
        board(
            &all,
            of,
            move |one, other| of(one).cmp(&of(other)),
            move |one| BoardValue::Count(of(one)),
        )
    };
    // Fractions are compared by multiplication, so that equal means equal.
    let by_rate = |one: &Statistic, other: &Statistic| {
        let product = |goals: u32, games: u32| u64::from(goals) * u64::from(games);
        product(one.goals, other.games).cmp(&product(other.goals, one.games))
    };
    let rate = |one: &Statistic| {
        let hundredths = f64::from(one.goals) * 100.0 / f64::from(one.games.max(1));
        BoardValue::Rate(hundredths.round() / 100.0)
    };
    Boards {
        goals: count(|one| one.goals),
        per_game: board(&regulars, |one| one.goals, by_rate, rate),
        assists: count(|one| one.assists),
        own_goals: count(|one| one.own_goals),
    }
}

/// The best of these, without those who have nothing to show.
fn board(
    statistics: &[&Statistic],
    counted: impl Fn(&Statistic) -> u32,
    compare: impl Fn(&Statistic, &Statistic) -> Ordering,
    value: impl Fn(&Statistic) -> BoardValue,
) -> Vec<BoardEntry<PlayerId>> {
    let mut sorted: Vec<&Statistic> =
        statistics.iter().copied().filter(|one| counted(one) > 0).collect();
    sorted.sort_by(|one, other| {
        compare(other, one)
            .then(one.games.cmp(&other.games))
            .then_with(|| one.player_id.cmp(&other.player_id))
    });
    let mut last: Option<(u32, &Statistic)> = None;
    let ranked = (1..).zip(sorted).map(|(place, one)| {
        let rank = match last {
            Some((rank, before)) if compare(before, one) == Ordering::Equal => rank,
            _ => place,
        };
        last = Some((rank, one));
        BoardEntry { rank, player: one.player_id.clone(), games: one.games, value: value(one) }
    });
    ranked.take(BOARD_LEN_MAX).collect()
}
