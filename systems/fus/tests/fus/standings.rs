//! Standings equal a computation from scratch, for any matches.

use crate::fixture::stored_match;
use fus::design::{MatchId, PlayerId, SquashMatch};
use fus::rules::{Standings, StandingsCount, in_order};
use singlet::Date;
use std::collections::{BTreeMap, BTreeSet};

const NAMES: [&str; 7] = ["Zoe", "ada", "Ada", "Éve", "Bo", "bo", "Cy"];
/// The same names without capitals and accents. Ties are shown by these, and then by id: the order
/// of the ids alone is another one.
const FOLDED: [&str; 7] = ["zoe", "ada", "ada", "eve", "bo", "bo", "cy"];

fn folded(player: &PlayerId) -> &'static str {
    (0..NAMES.len()).find(|number| id(*number) == *player).map(|number| FOLDED[number]).unwrap()
}

fn id(number: usize) -> PlayerId {
    PlayerId::new(format!("p{number}")).unwrap()
}

/// Deterministic random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

struct Played {
    date: Date,
    match_id: MatchId,
    players: [PlayerId; 4],
    games: [u8; 2],
}

fn standings(matches: &[Played], names: &BTreeMap<PlayerId, String>) -> Standings {
    let stored =
        |one: &Played| stored_match(one.match_id.clone(), one.date, one.players.clone(), one.games);
    let stored: Vec<SquashMatch> = matches.iter().map(stored).collect();
    let mut count = StandingsCount::new(names);
    in_order(&stored).into_iter().for_each(|one| count.add(one));
    count.finish()
}

/// Up to forty matches, in no order.
fn matches(numbers: &mut Numbers) -> Vec<Played> {
    let scores = [[3, 0], [3, 1], [3, 2], [0, 3], [1, 3], [2, 3]];
    let count = numbers.below(40);
    let mut one = |number: usize| {
        let mut left: Vec<usize> = (0..NAMES.len()).collect();
        let mut pick = || {
            let place = numbers.below(left.len());
            id(left.swap_remove(place))
        };
        let players = [pick(), pick(), pick(), pick()];
        Played {
            date: format!("2026-01-{:02}", numbers.below(9) + 1).parse().unwrap(),
            match_id: MatchId::new(format!("m{number:03}")).unwrap(),
            players,
            games: scores[numbers.below(scores.len())],
        }
    };
    (0..count).map(&mut one).collect()
}

/// Whether these people are one of the pairs of a match, and its games from their side.
fn games_of(played: &Played, who: &BTreeSet<PlayerId>) -> Option<(u8, u8)> {
    let [a1, a2, b1, b2] = &played.players;
    let [a, b] = played.games;
    let is_in = |pair: [&PlayerId; 2]| {
        let pair: BTreeSet<PlayerId> = pair.into_iter().cloned().collect();
        who.is_subset(&pair)
    };
    match (is_in([a1, a2]), is_in([b1, b2])) {
        (true, _) => Some((a, b)),
        (_, true) => Some((b, a)),
        _ => None,
    }
}

#[test]
fn standings_are_what_the_matches_say() {
    let mut numbers = Numbers(18);
    for _ in 0..1000 {
        let matches = matches(&mut numbers);
        let names: BTreeMap<PlayerId, String> = NAMES
            .iter()
            .enumerate()
            .map(|(number, name)| (id(number), (*name).to_owned()))
            .collect();
        let computed = standings(&matches, &names);
        for (lines, of) in [(&computed.players, 1), (&computed.pairs, 2)] {
            // Every player with a match has exactly one line.
            let mut expected: BTreeSet<BTreeSet<PlayerId>> = BTreeSet::new();
            for played in &matches {
                let [a1, a2, b1, b2] = played.players.clone();
                let sets: Vec<Vec<PlayerId>> = match of {
                    1 => vec![vec![a1], vec![a2], vec![b1], vec![b2]],
                    _ => vec![vec![a1, a2], vec![b1, b2]],
                };
                expected.extend(sets.into_iter().map(|set| set.into_iter().collect()));
            }
            let shown: Vec<BTreeSet<PlayerId>> =
                lines.iter().map(|line| line.ids.iter().cloned().collect()).collect();
            assert_eq!(shown.len(), expected.len());
            assert_eq!(shown.iter().cloned().collect::<BTreeSet<_>>(), expected);
            let (mut scores, mut order) = (Vec::new(), Vec::new());
            for (line, who) in lines.iter().zip(&shown) {
                let mut own: Vec<(&Played, (u8, u8))> = matches
                    .iter()
                    .filter_map(|played| Some((played, games_of(played, who)?)))
                    .collect();
                own.sort_by_key(|(played, _)| (played.date, played.match_id.clone()));
                let count = |test: &dyn Fn(u8, u8) -> bool| {
                    own.iter().filter(|(_, (own, others))| test(*own, *others)).count() as u32
                };
                let sum = |part: &dyn Fn(u8, u8) -> u8| {
                    own.iter().map(|(_, (own, others))| u32::from(part(*own, *others))).sum::<u32>()
                };
                assert_eq!(line.totals.played, own.len() as u32);
                assert_eq!(line.totals.won, count(&|own, others| own == 3 && others < 3));
                assert_eq!(line.totals.lost, count(&|own, others| others == 3 && own < 3));
                assert_eq!(line.totals.won + line.totals.lost, line.totals.played);
                assert_eq!(line.totals.games_for, sum(&|own, _| own));
                assert_eq!(line.totals.games_against, sum(&|_, others| others));
                let last = own.len().saturating_sub(10);
                let form: Vec<_> = own[last..]
                    .iter()
                    .map(|(played, (own, others))| {
                        let margin = i32::from(*own) - i32::from(*others);
                        (played.date, played.match_id.clone(), margin)
                    })
                    .collect();
                let shown_form: Vec<_> = line
                    .totals
                    .form
                    .iter()
                    .map(|form| (form.date, form.match_id.clone(), form.margin))
                    .collect();
                assert_eq!(shown_form, form);
                let difference =
                    i64::from(line.totals.games_for) - i64::from(line.totals.games_against);
                let score = (
                    -i64::from(line.totals.won),
                    i64::from(line.totals.lost),
                    -difference,
                    -i64::from(line.totals.games_for),
                );
                scores.push(score);
                let people: Vec<_> = line.ids.iter().map(|id| (folded(id), id.clone())).collect();
                assert!(people.is_sorted(), "{people:?}");
                let (names, ids): (Vec<&str>, Vec<PlayerId>) = people.into_iter().unzip();
                order.push((score, names, ids));
            }
            // Ties are sorted by name, then by id.
            assert!(order.is_sorted(), "{order:?}");
            // Rank = 1 + number of better lines.
            for (line, score) in lines.iter().zip(&scores) {
                let better = scores.iter().filter(|other| *other < score).count();
                assert_eq!(line.totals.rank, better + 1);
            }
        }
    }
}
