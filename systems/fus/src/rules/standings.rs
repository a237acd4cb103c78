//! Standings of players and of pairs, and their form.

use crate::design::{MatchId, PlayerId, SquashMatch};
use crate::rules::fold;
use singlet::Date;
use singlet_web::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How many matches the form shows.
const FORM_LEN_MAX: usize = 10;

/// One match of a player or a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    pub date: Date,
    pub match_id: MatchId,
    /// Games won less games lost: above zero for a win.
    pub margin: i32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Ties share a rank, and the following ranks are skipped.
    pub rank: usize,
    pub played: u32,
    pub won: u32,
    pub lost: u32,
    pub games_for: u32,
    pub games_against: u32,
    /// The last ten matches, the oldest first.
    pub form: Vec<Form>,
}

/// One line: of a player, or of a pair with two ids in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    pub ids: Vec<PlayerId>,
    pub names: Vec<String>,
    #[serde(flatten)]
    pub totals: Totals,
}

/// Both tables. A pair is unordered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    pub players: Vec<Line>,
    pub pairs: Vec<Line>,
}

/// Sort key: smaller is better.
type Score = (Reverse<u32>, u32, Reverse<i64>, Reverse<u32>);

impl Totals {
    fn score(&self) -> Score {
        let difference = i64::from(self.games_for) - i64::from(self.games_against);
        (Reverse(self.won), self.lost, Reverse(difference), Reverse(self.games_for))
    }

    fn add(&mut self, played: &SquashMatch, [own, others]: [u8; 2]) {
        self.played += 1;
        self.won += u32::from(own > others);
        self.lost += u32::from(own < others);
        self.games_for += u32::from(own);
        self.games_against += u32::from(others);
        let margin = i32::from(own) - i32::from(others);
        // Drop the oldest.
        if self.form.len() == FORM_LEN_MAX {
            self.form.remove(0);
        }
        self.form.push(Form { date: played.date, match_id: played.match_id.clone(), margin });
    }
}

/// Matches in the order in which they were played, as [`StandingsCount::add`] takes them.
pub fn in_order(matches: &[SquashMatch]) -> Vec<&SquashMatch> {
    let mut in_order: Vec<&SquashMatch> = matches.iter().collect();
    in_order.sort_by_key(|played| (played.date, &played.match_id));
    in_order
}

/// Counts matches one at a time, so that the caller can yield in between.
#[derive(Debug)]
pub struct StandingsCount<'m> {
    names: &'m BTreeMap<PlayerId, String>,
    players: BTreeMap<BTreeSet<&'m PlayerId>, Line>,
    pairs: BTreeMap<BTreeSet<&'m PlayerId>, Line>,
}

impl<'m> StandingsCount<'m> {
    pub fn new(names: &'m BTreeMap<PlayerId, String>) -> Self {
        Self { names, players: BTreeMap::new(), pairs: BTreeMap::new() }
    }

    /// Counts a match. Matches must come in the order they were played.
    pub fn add(&mut self, played: &'m SquashMatch) {
        let [a1, a2, b1, b2] = played.players();
        let (a_games, b_games) = (played.team_a_games, played.team_b_games);
        let sides = [([a1, a2], [a_games, b_games]), ([b1, b2], [b_games, a_games])];
        for (pair, games) in sides {
            for player in pair {
                totals(&mut self.players, BTreeSet::from([player]), self.names).add(played, games);
            }
            totals(&mut self.pairs, BTreeSet::from(pair), self.names).add(played, games);
        }
    }

    pub fn finish(self) -> Standings {
        Standings { players: ranked(self.players), pairs: ranked(self.pairs) }
    }
}

fn totals<'l, 'p>(
    lines: &'l mut BTreeMap<BTreeSet<&'p PlayerId>, Line>,
    whose: BTreeSet<&'p PlayerId>,
    names: &BTreeMap<PlayerId, String>,
) -> &'l mut Totals {
    let line = lines.entry(whose.clone()).or_insert_with(|| {
        let name_of = |id: &PlayerId| names.get(id).cloned().unwrap_or_default();
        let mut people: Vec<(String, PlayerId, String)> =
            whose.into_iter().map(|id| (fold(&name_of(id)), id.clone(), name_of(id))).collect();
        people.sort();
        Line {
            ids: people.iter().map(|(_, id, _)| id.clone()).collect(),
            names: people.into_iter().map(|(_, _, name)| name).collect(),
            totals: Totals::default(),
        }
    });
    &mut line.totals
}

fn ranked(lines: BTreeMap<BTreeSet<&PlayerId>, Line>) -> Vec<Line> {
    let mut lines: Vec<Line> = lines.into_values().collect();
    lines.sort_by_cached_key(|line| {
        let folded: Vec<String> = line.names.iter().map(|name| fold(name)).collect();
        (line.totals.score(), folded, line.ids.clone())
    });
    let mut before: Option<(Score, usize)> = None;
    for (place, line) in lines.iter_mut().enumerate() {
        let score = line.totals.score();
        line.totals.rank = match before {
            Some((same, rank)) if same == score => rank,
            _ => place + 1,
        };
        before = Some((score, line.totals.rank));
    }
    lines
}
