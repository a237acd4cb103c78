//! Standings equal a computation from scratch, for any matches.

use proptest::prelude::*;
use singlet_fus::design::{MatchId, PlayerId};
use singlet_fus::rules::{Played, standings};
use std::collections::{BTreeMap, BTreeSet};

const NAMES: [&str; 7] = ["Zoe", "ada", "Ada", "Éve", "Bo", "bo", "Cy"];

fn id(number: usize) -> PlayerId {
    PlayerId::new(format!("p{number}")).unwrap()
}

fn matches() -> impl Strategy<Value = Vec<Played>> {
    let players = Just((0..NAMES.len()).collect::<Vec<_>>()).prop_shuffle();
    let games = prop::sample::select(vec![[3, 0], [3, 1], [3, 2], [0, 3], [1, 3], [2, 3]]);
    let one = (players, games, 1_u32..=9);
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let played = all.into_iter().enumerate().map(|(number, (players, games, day))| Played {
            date: format!("2026-01-{day:02}").parse().unwrap(),
            match_id: MatchId::new(format!("m{number:03}")).unwrap(),
            players: [0, 1, 2, 3].map(|place| id(players[place])),
            games,
        });
        played.collect()
    })
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

proptest! {
    #[test]
    fn standings_are_what_the_matches_say(matches in matches()) {
        let names: BTreeMap<PlayerId, String> =
            NAMES.iter().enumerate().map(|(number, name)| (id(number), (*name).to_owned())).collect();
        let computed = standings(&matches, &names);
        for (lines, of) in [(&computed.players, 1), (&computed.pairs, 2)] {
            // Everybody who played has a line, and nobody has two.
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
            prop_assert_eq!(shown.len(), expected.len());
            prop_assert_eq!(shown.iter().cloned().collect::<BTreeSet<_>>(), expected);
            let mut scores = Vec::new();
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
                prop_assert_eq!(line.played, own.len() as u32);
                prop_assert_eq!(line.won, count(&|own, others| own == 3 && others < 3));
                prop_assert_eq!(line.lost, count(&|own, others| others == 3 && own < 3));
                prop_assert_eq!(line.won + line.lost, line.played);
                prop_assert_eq!(line.games_for, sum(&|own, _| own));
                prop_assert_eq!(line.games_against, sum(&|_, others| others));
                let last = own.len().saturating_sub(10);
                let margins: Vec<i32> = own[last..]
                    .iter()
                    .map(|(_, (own, others))| i32::from(*own) - i32::from(*others))
                    .collect();
                prop_assert_eq!(line.form.iter().map(|form| form.margin).collect::<Vec<_>>(), margins);
                let difference = i64::from(line.games_for) - i64::from(line.games_against);
                scores.push((-i64::from(line.won), i64::from(line.lost), -difference, -i64::from(line.games_for)));
            }
            // A rank is one more than the number of those who are better.
            prop_assert!(scores.is_sorted());
            for (line, score) in lines.iter().zip(&scores) {
                let better = scores.iter().filter(|other| *other < score).count();
                prop_assert_eq!(line.rank, better + 1);
            }
        }
    }
}
