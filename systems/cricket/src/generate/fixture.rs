//! Plays a match.

use super::dice::Dice;
use super::innings::{Limits, PlayedInnings, play_innings};
use crate::rules::Format;
use std::cmp::Ordering;

const TEST_OVERS: u32 = 450;
const FC_OVERS: u32 = 360;
/// How likely a captain enforces the follow-on, in a thousand.
const FOLLOW_ON_CHANCE: u32 = 600;

#[derive(Clone, Debug)]
pub struct PlayedMatch {
    pub format: Format,
    pub seed: u64,
    pub toss: u32,
    pub chose_to_bat: bool,
    pub innings: Vec<PlayedInnings>,
    pub follow_on: bool,
    pub winner: Option<u32>,
    pub(super) players: [Vec<String>; 2],
    pub(super) script_seed: u64,
}

impl PlayedMatch {
    pub fn total(&self, side: u32) -> u32 {
        let own = self.innings.iter().filter(|one| one.side == side && !one.is_super);
        own.map(|one| one.runs).sum()
    }
}

/// Whether a captain with this lead enforces the follow-on; `roll` is a number below 1,000.
pub fn enforces_follow_on(format: Format, lead: i64, roll: u32) -> bool {
    let is_allowed = format.follow_on_lead().is_some_and(|least| lead >= i64::from(least));
    is_allowed && roll < FOLLOW_ON_CHANCE
}

/// Runs and legal balls of one innings of several days that nothing cuts short: no declaration, no
/// target, no end of the match.
pub fn uncut_innings(seed: u64) -> (u32, u32) {
    let innings = play_innings(&mut Dice::new(seed), &Limits::new(Format::Test));
    (innings.runs, innings.legal)
}

pub fn play(format: Format, seed: u64) -> PlayedMatch {
    // Formats do not share their numbers.
    let mut dice = Dice::new(seed ^ ((format as u64) << 40));
    let mut used = Vec::new();
    let players = [eleven(&mut dice, &mut used), eleven(&mut dice, &mut used)];
    let toss = dice.below(2) + 1;
    let chose_to_bat = dice.chance(500);
    let first = if chose_to_bat { toss } else { 3 - toss };
    let script_seed = u64::from(dice.below(u32::MAX));
    let mut played = PlayedMatch {
        format,
        seed,
        toss,
        chose_to_bat,
        innings: Vec::new(),
        follow_on: false,
        winner: None,
        players,
        script_seed,
    };
    if format.is_multi_day() {
        play_days(&mut dice, &mut played, first);
    } else {
        play_limited(&mut dice, &mut played, first);
    }
    played
}

fn play_limited(dice: &mut Dice, played: &mut PlayedMatch, first: u32) {
    let overs = played.format.quota_balls().unwrap_or(120) / 6;
    let limits = Limits { overs: Some(overs), overs_each: overs / 5, ..Limits::new(played.format) };
    play_pair(dice, played, &limits, first, false);
    if played.winner.is_none() && played.format == Format::T20 {
        // The side that batted second bats first.
        let limits = Limits { wickets: 2, overs: Some(1), overs_each: 1, ..limits };
        play_pair(dice, played, &limits, 3 - first, true);
    }
}

/// An innings of each side; the second has a target.
fn play_pair(
    dice: &mut Dice,
    played: &mut PlayedMatch,
    limits: &Limits,
    first: u32,
    is_super: bool,
) {
    let one = play_innings(dice, limits);
    let two = play_innings(dice, &Limits { target: Some(one.runs + 1), ..*limits });
    played.winner = match two.runs.cmp(&one.runs) {
        Ordering::Greater => Some(3 - first),
        Ordering::Less => Some(first),
        Ordering::Equal => None,
    };
    for (innings, side) in [(one, first), (two, 3 - first)] {
        played.innings.push(PlayedInnings { side, is_super, ..innings });
    }
}

fn play_days(dice: &mut Dice, played: &mut PlayedMatch, first: u32) {
    let mut left = if played.format == Format::Test { TEST_OVERS } else { FC_OVERS };
    let mut side = first;
    for n in 1..=4 {
        let (own, others) = (played.total(side), played.total(3 - side));
        let limits = Limits {
            overs: Some(left),
            declare_after: match n {
                1 => Some(150),
                2 => Some(160),
                _ => None,
            },
            declare_at: (n == 3).then(|| (others + 350).saturating_sub(own)),
            target: (n == 4).then(|| (others + 1).saturating_sub(own)),
            ..Limits::new(played.format)
        };
        let innings = play_innings(dice, &limits);
        left = left.saturating_sub(innings.overs);
        let was_completed = innings.wickets >= 10;
        let is_declared = innings.is_declared;
        played.innings.push(PlayedInnings { side, ..innings });
        let (own, others) = (played.total(side), played.total(3 - side));
        if n == 3 && was_completed && own < others {
            played.winner = Some(3 - side);
            return;
        }
        if n == 4 {
            played.winner = match own.cmp(&others) {
                Ordering::Greater => Some(side),
                Ordering::Less if was_completed => Some(3 - side),
                _ => None,
            };
            return;
        }
        if left == 0 || !(was_completed || is_declared) {
            return;
        }
        if n == 2 {
            let lead = i64::from(others) - i64::from(own);
            let roll = dice.below(1000);
            played.follow_on = enforces_follow_on(played.format, lead, roll);
            if played.follow_on {
                continue;
            }
        }
        side = 3 - side;
    }
}

const FIRST: [&str; 32] = [
    "Ravi", "Tunde", "Amos", "Jonas", "Lwazi", "Kemal", "Dilan", "Harish", "Owen", "Pieter",
    "Sana", "Marek", "Ishan", "Colm", "Noel", "Bakari", "Emre", "Viktor", "Hamid", "Gareth",
    "Sefa", "Tomas", "Arjun", "Luca", "Femi", "Rhys", "Anil", "Kofi", "Darius", "Mikael", "Zane",
    "Yusuf",
];
const LAST: [&str; 40] = [
    "Iyer", "Okafor", "Mensah", "Brandt", "Moyo", "Aydin", "Perera", "Nair", "Price", "Visser",
    "Tahir", "Novak", "Reddy", "Byrne", "Walker", "Juma", "Demir", "Holm", "Karim", "Pugh", "Tui",
    "Svoboda", "Menon", "Rossi", "Adeyemi", "Morgan", "Gupta", "Boateng", "Rahimi", "Lund",
    "Naidoo", "Osman", "Fraser", "Silva", "Ode", "Clarke", "Haddad", "Joshi", "Keane", "Laker",
];

/// Eleven names, no two with the same last name. `used` has the indexes of last names taken.
fn eleven(dice: &mut Dice, used: &mut Vec<usize>) -> Vec<String> {
    let mut names = Vec::with_capacity(11);
    while names.len() < 11 {
        let first = dice.below(FIRST.len() as u32) as usize;
        let last = dice.below(LAST.len() as u32) as usize;
        if used.contains(&last) {
            continue;
        }
        used.push(last);
        if let (Some(first), Some(last)) = (FIRST.get(first), LAST.get(last)) {
            names.push(format!("{first} {last}"));
        }
    }
    names
}
