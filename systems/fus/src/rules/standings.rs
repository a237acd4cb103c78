//! Standings of players and of pairs, and their form.

use crate::design::{MatchId, PlayerId, SquashMatch};
use crate::rules::fold;
use singlet::Date;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many matches the form shows.
const FORM_LEN_MAX: usize = 10;

/// A match, as far as standings need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The day.
    pub date: Date,
    /// By which matches of one day are in order.
    pub match_id: MatchId,
    /// A's players, then B's.
    pub players: [PlayerId; 4],
    /// Games of A and of B.
    pub games: [u8; 2],
}

impl From<&SquashMatch> for Played {
    fn from(stored: &SquashMatch) -> Self {
        Self {
            date: stored.date,
            match_id: stored.match_id.clone(),
            players: stored.players().map(Clone::clone),
            games: [stored.team_a_games, stored.team_b_games],
        }
    }
}

/// One match of a player or a pair, as a bar: up for a win, down for a loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The day.
    pub date: Date,
    /// The match.
    pub match_id: MatchId,
    /// Games won less games lost.
    pub margin: i32,
}

/// One line: of a player, or of a pair with two ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The place. Those who are equal share it, and the places behind it stay free.
    pub rank: usize,
    /// Whose line it is. Of a pair, in the order of their names.
    pub ids: Vec<PlayerId>,
    /// What they are called.
    pub names: Vec<String>,
    /// Matches.
    pub played: u32,
    /// Matches won.
    pub won: u32,
    /// Matches lost.
    pub lost: u32,
    /// Games won.
    pub games_for: u32,
    /// Games lost.
    pub games_against: u32,
    /// The last ten matches, the oldest first.
    pub form: Vec<Form>,
}

/// Both tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// Of players.
    pub players: Vec<Line>,
    /// Of pairs. A pair is two players, whoever is named first.
    pub pairs: Vec<Line>,
}

/// What counts. Smaller is better.
type Score = (Reverse<u32>, u32, Reverse<i64>, Reverse<u32>);

impl Line {
    fn score(&self) -> Score {
        let difference = i64::from(self.games_for) - i64::from(self.games_against);
        (Reverse(self.won), self.lost, Reverse(difference), Reverse(self.games_for))
    }

    fn add(&mut self, played: &Played, [own, others]: [u8; 2]) {
        self.played += 1;
        self.won += u32::from(own > others);
        self.lost += u32::from(own < others);
        self.games_for += u32::from(own);
        self.games_against += u32::from(others);
        let margin = i32::from(own) - i32::from(others);
        // They come in order, and the oldest goes first.
        if self.form.len() == FORM_LEN_MAX {
            self.form.remove(0);
        }
        self.form.push(Form { date: played.date, match_id: played.match_id.clone(), margin });
    }
}

/// Computes both tables of these matches, in whatever order they come.
#[must_use]
pub fn standings(matches: &[Played], names: &BTreeMap<PlayerId, String>) -> Standings {
    let mut count = StandingsCount::new(names);
    for played in in_order(matches) {
        count.add(played);
    }
    count.finish()
}

/// Matches in the order in which they were played, as [`StandingsCount::add`] takes them.
#[must_use]
pub fn in_order(matches: &[Played]) -> Vec<&Played> {
    let mut in_order: Vec<&Played> = matches.iter().collect();
    in_order.sort_by_key(|played| (played.date, &played.match_id));
    in_order
}

/// Counts matches one by one, so that whoever counts thousands can let others run in between.
#[derive(Debug)]
pub struct StandingsCount<'m> {
    names: &'m BTreeMap<PlayerId, String>,
    players: BTreeMap<BTreeSet<&'m PlayerId>, Line>,
    pairs: BTreeMap<BTreeSet<&'m PlayerId>, Line>,
}

impl<'m> StandingsCount<'m> {
    /// No matches yet, of players with these names.
    #[must_use]
    pub fn new(names: &'m BTreeMap<PlayerId, String>) -> Self {
        Self { names, players: BTreeMap::new(), pairs: BTreeMap::new() }
    }

    /// Counts a match that was played after all that were counted before.
    pub fn add(&mut self, played: &'m Played) {
        let [a1, a2, b1, b2] = &played.players;
        let [a_games, b_games] = played.games;
        let sides = [([a1, a2], [a_games, b_games]), ([b1, b2], [b_games, a_games])];
        for (pair, games) in sides {
            for player in pair {
                line(&mut self.players, BTreeSet::from([player]), self.names).add(played, games);
            }
            line(&mut self.pairs, BTreeSet::from(pair), self.names).add(played, games);
        }
    }

    /// Both tables.
    #[must_use]
    pub fn finish(self) -> Standings {
        Standings { players: ranked(self.players), pairs: ranked(self.pairs) }
    }
}

/// The line of these players, which may be new.
fn line<'l, 'p>(
    lines: &'l mut BTreeMap<BTreeSet<&'p PlayerId>, Line>,
    whose: BTreeSet<&'p PlayerId>,
    names: &BTreeMap<PlayerId, String>,
) -> &'l mut Line {
    lines.entry(whose.clone()).or_insert_with(|| {
        let name_of = |id: &PlayerId| names.get(id).cloned().unwrap_or_default();
        let mut people: Vec<(String, PlayerId, String)> =
            whose.into_iter().map(|id| (fold(&name_of(id)), id.clone(), name_of(id))).collect();
        people.sort();
        Line {
            rank: 0,
            ids: people.iter().map(|(_, id, _)| id.clone()).collect(),
            names: people.into_iter().map(|(_, _, name)| name).collect(),
            played: 0,
            won: 0,
            lost: 0,
            games_for: 0,
            games_against: 0,
            form: Vec::new(),
        }
    })
}

fn ranked(lines: BTreeMap<BTreeSet<&PlayerId>, Line>) -> Vec<Line> {
    let mut lines: Vec<Line> = lines.into_values().collect();
    lines.sort_by_cached_key(|line| {
        let folded: Vec<String> = line.names.iter().map(|name| fold(name)).collect();
        (line.score(), folded, line.ids.clone())
    });
    let mut before: Option<(Score, usize)> = None;
    for (place, line) in lines.iter_mut().enumerate() {
        let score = line.score();
        line.rank = match before {
            Some((same, rank)) if same == score => rank,
            _ => place + 1,
        };
        before = Some((score, line.rank));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(date: &str, players: [&str; 4], games: [u8; 2]) -> Played {
        Played {
            date: date.parse().unwrap(),
            match_id: MatchId::new(format!("m-{date}")).unwrap(),
            players: players.map(|name| PlayerId::new(name).unwrap()),
            games,
        }
    }

    fn names() -> BTreeMap<PlayerId, String> {
        let named = |id: &str, name: &str| (PlayerId::new(id).unwrap(), name.to_owned());
        ["Ada", "Ben", "Cleo", "Dan", "Eve"]
            .map(|name| named(&name.to_lowercase(), name))
            .into_iter()
            .collect()
    }

    fn three() -> Vec<Played> {
        vec![
            played("2026-01-05", ["ada", "ben", "cleo", "dan"], [3, 1]),
            played("2026-01-12", ["ada", "cleo", "ben", "dan"], [3, 2]),
            played("2026-01-19", ["dan", "eve", "ada", "ben"], [3, 0]),
        ]
    }

    fn shown(lines: &[Line]) -> Vec<String> {
        let show = |line: &Line| {
            let Line { rank, played, won, lost, games_for, games_against, .. } = line;
            let name = line.names.join("+");
            format!("{rank} {name} {played} {won} {lost} {games_for}-{games_against}")
        };
        lines.iter().map(show).collect()
    }

    #[test]
    fn players_stand_as_the_table_says() {
        let expected = [
            "1 Ada 3 2 1 6-6",
            "2 Eve 1 1 0 3-0",
            "3 Cleo 2 1 1 4-5",
            "4 Dan 3 1 2 6-6",
            "5 Ben 3 1 2 5-7",
        ];
        assert_eq!(shown(&standings(&three(), &names()).players), expected);
        let mut backwards = three();
        backwards.reverse();
        assert_eq!(standings(&backwards, &names()), standings(&three(), &names()));
    }

    #[test]
    fn pairs_stand_as_the_table_says() {
        let expected = [
            "1 Dan+Eve 1 1 0 3-0",
            "2 Ada+Cleo 1 1 0 3-2",
            "3 Ada+Ben 2 1 1 3-4",
            "4 Ben+Dan 1 0 1 2-3",
            "5 Cleo+Dan 1 0 1 1-3",
        ];
        assert_eq!(shown(&standings(&three(), &names()).pairs), expected);
    }

    #[test]
    fn those_who_are_equal_share_a_rank() {
        let one = standings(&three()[..1], &names()).players;
        let ranks: Vec<(usize, &str)> =
            one.iter().map(|line| (line.rank, line.names[0].as_str())).collect();
        assert_eq!(ranks, [(1, "Ada"), (1, "Ben"), (3, "Cleo"), (3, "Dan")]);
    }

    #[test]
    fn form_is_the_last_ten_matches_the_oldest_first() {
        let margins = |matches: &[Played], name: &str| -> Vec<i32> {
            let lines = standings(matches, &names()).players;
            let line = lines.iter().find(|line| line.names == [name]).unwrap();
            line.form.iter().map(|form| form.margin).collect()
        };
        assert_eq!(margins(&three(), "Dan"), [-2, -1, 3]);
        let twelve: Vec<Played> = (1..=12)
            .map(|day| {
                let games = if day <= 2 { [0, 3] } else { [3, 1] };
                played(&format!("2026-02-{day:02}"), ["ada", "ben", "cleo", "dan"], games)
            })
            .collect();
        assert_eq!(margins(&twelve, "Ada"), [2; 10]);
    }

    #[test]
    fn nothing_played_is_nothing_shown() {
        assert_eq!(standings(&[], &names()), Standings::default());
    }
}
