//! Leaderboards of a season: goals, goals per game, assists, and own goals apart.

use crate::design::{PlayerId, Statistic};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;

/// How many entries a board has at most.
pub const BOARD_LEN_MAX: usize = 20;
/// With fewer games, one lucky day would be a record, unless nobody has more.
const GAMES_MIN: u32 = 3;

/// What players are compared by: a count, or goals per game with two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BoardValue {
    /// So many.
    Count(u32),
    /// So many per game.
    Rate(f64),
}

/// An entry of a board. `P` is how the player is shown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BoardEntry<P> {
    /// Players who are equal share a rank.
    pub rank: u32,
    /// Who.
    pub player: P,
    /// Finished games on a roster.
    pub games: u32,
    /// What they are compared by.
    pub value: BoardValue,
}

/// The four boards of a season.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Boards<P> {
    /// Most goals.
    pub goals: Vec<BoardEntry<P>>,
    /// Most goals per game, of players with some games.
    pub per_game: Vec<BoardEntry<P>>,
    /// Most assists.
    pub assists: Vec<BoardEntry<P>>,
    /// Most own goals.
    pub own_goals: Vec<BoardEntry<P>>,
}

impl<P> Boards<P> {
    /// The same boards with players shown in another way.
    #[must_use]
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

/// The boards of a season.
#[must_use]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::SeasonId;
    use singlet::Timestamp;

    fn statistic(player: &str, games: u32, goals: u32) -> Statistic {
        Statistic {
            season_id: SeasonId::new("spring").unwrap(),
            player_id: PlayerId::new(player).unwrap(),
            games,
            goals,
            own_goals: 0,
            assists: 0,
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MIN,
        }
    }

    /// The example of the specification.
    #[test]
    fn equal_goals_share_a_rank_and_few_games_are_no_rate() {
        let boards =
            boards(&[statistic("moss", 9, 9), statistic("kite", 6, 9), statistic("juno", 1, 2)]);
        let goals: Vec<(u32, &str)> =
            boards.goals.iter().map(|one| (one.rank, one.player.as_str())).collect();
        assert_eq!(goals, [(1, "kite"), (1, "moss"), (3, "juno")]);
        let rates: Vec<(u32, &str, BoardValue)> =
            boards.per_game.iter().map(|one| (one.rank, one.player.as_str(), one.value)).collect();
        let expected = [(1, "kite", BoardValue::Rate(1.5)), (2, "moss", BoardValue::Rate(1.0))];
        assert_eq!(rates, expected);
        assert_eq!((boards.assists.len(), boards.own_goals.len()), (0, 0));
    }

    #[test]
    fn rates_are_compared_exactly_and_shown_with_two_decimals() {
        // In early spring nobody has three games.
        let boards = boards(&[statistic("ann", 2, 1), statistic("bob", 1, 1)]);
        assert_eq!(boards.per_game.len(), 1, "one game is less than the most, which is two");
        let thirds: Vec<BoardValue> =
            super::boards(&[statistic("ann", 3, 1), statistic("bob", 6, 2)])
                .per_game
                .iter()
                .map(|one| {
                    assert_eq!(one.rank, 1);
                    one.value
                })
                .collect();
        assert_eq!(thirds, [BoardValue::Rate(0.33); 2]);
    }

    #[test]
    fn players_who_are_equal_in_everything_are_in_the_order_of_their_ids() {
        let boards =
            boards(&[statistic("moss", 6, 9), statistic("ann", 7, 9), statistic("kite", 6, 9)]);
        let goals: Vec<(u32, &str)> =
            boards.goals.iter().map(|one| (one.rank, one.player.as_str())).collect();
        assert_eq!(goals, [(1, "kite"), (1, "moss"), (1, "ann")]);
    }

    #[test]
    fn a_board_has_twenty_entries() {
        let many: Vec<Statistic> =
            (0..50).map(|number| statistic(&format!("p{number:02}"), 3, 1 + number)).collect();
        let goals = boards(&many).goals;
        assert_eq!((goals.len(), goals[0].player.as_str()), (20, "p49"));
    }
}
