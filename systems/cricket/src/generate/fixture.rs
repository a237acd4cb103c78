//! Plays a match.

use super::dice::Dice;
use super::innings::{Innings, Limits, play_innings};
use super::names::eleven;
use crate::rules::Format;

/// Overs of a match of several days.
const TEST_OVERS: u32 = 450;
const FC_OVERS: u32 = 360;
/// How likely a captain enforces the follow-on, in a thousand.
const FOLLOW_ON_CHANCE: u32 = 600;

/// One innings of a generated match.
#[derive(Clone, Debug)]
pub struct PlayedInnings {
    pub(super) innings: Innings,
    /// The side that bats: 1 is at home, 2 is away.
    pub side: u32,
    /// Whether it is a super over.
    pub is_super: bool,
    /// Whether all were out, or, in limited overs, the quota was used.
    pub was_completed: bool,
}

impl PlayedInnings {
    /// Runs.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.innings.runs
    }

    /// Wickets.
    #[must_use]
    pub fn wickets(&self) -> u32 {
        self.innings.wickets
    }

    /// Legal balls.
    #[must_use]
    pub fn balls(&self) -> u32 {
        self.innings.legal
    }
}

/// A generated match.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// T20, ODI, TEST or FC.
    pub format: Format,
    /// Its seed.
    pub seed: u64,
    /// The side that won the toss.
    pub toss: u32,
    /// Whether it chose to bat.
    pub chose_to_bat: bool,
    /// The innings.
    pub innings: Vec<PlayedInnings>,
    /// Whether the follow-on was enforced.
    pub follow_on: bool,
    /// The winner, if there is one.
    pub winner: Option<u32>,
    /// Names of both sides.
    pub(super) players: [Vec<String>; 2],
    /// For what the script decides.
    pub(super) script_seed: u64,
}

impl PlayedMatch {
    /// The runs of a side, without super overs.
    #[must_use]
    pub fn total(&self, side: u32) -> u32 {
        let own = self.innings.iter().filter(|one| one.side == side && !one.is_super);
        own.map(PlayedInnings::runs).sum()
    }
}

/// Whether a captain with this lead enforces the follow-on; `roll` is a number below 1,000.
#[must_use]
pub fn enforces_follow_on(format: Format, lead: i64, roll: u32) -> bool {
    let is_allowed = format.follow_on_lead().is_some_and(|least| lead >= i64::from(least));
    is_allowed && roll < FOLLOW_ON_CHANCE
}

/// Runs and legal balls of one innings of several days that nothing cuts short: no declaration, no
/// target, no end of the match.
#[must_use]
pub fn uncut_innings(seed: u64) -> (u32, u32) {
    let limits = Limits {
        format: Format::Test,
        wickets: 10,
        overs: None,
        target: None,
        declare_after: None,
        declare_at: None,
        overs_each: u32::MAX,
    };
    let innings = play_innings(&mut Dice::new(seed), &limits);
    (innings.runs, innings.legal)
}

/// Plays the match of a seed.
#[must_use]
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
    let limits = Limits {
        format: played.format,
        wickets: 10,
        overs: Some(overs),
        target: None,
        declare_after: None,
        declare_at: None,
        overs_each: overs / 5,
    };
    let one = play_innings(dice, &limits);
    let target = one.runs + 1;
    let two = play_innings(dice, &Limits { target: Some(target), ..limits });
    let (runs, chased) = (one.runs, two.runs);
    let mut push = |innings: Innings, side, is_super| {
        let was_completed = innings.wickets >= 10 || innings.legal >= overs * 6;
        played.innings.push(PlayedInnings { innings, side, is_super, was_completed });
    };
    push(one, first, false);
    push(two, 3 - first, false);
    played.winner = match chased.cmp(&runs) {
        std::cmp::Ordering::Greater => Some(3 - first),
        std::cmp::Ordering::Less => Some(first),
        std::cmp::Ordering::Equal => None,
    };
    if played.winner.is_some() || played.format != Format::T20 {
        return;
    }
    // The side that batted second bats first.
    let limits = Limits { wickets: 2, overs: Some(1), overs_each: 1, ..limits };
    let one = play_innings(dice, &limits);
    let two = play_innings(dice, &Limits { target: Some(one.runs + 1), ..limits });
    played.winner = match two.runs.cmp(&one.runs) {
        std::cmp::Ordering::Greater => Some(first),
        std::cmp::Ordering::Less => Some(3 - first),
        std::cmp::Ordering::Equal => None,
    };
    for (innings, side) in [(one, 3 - first), (two, first)] {
        played.innings.push(PlayedInnings { innings, side, is_super: true, was_completed: true });
    }
}

fn play_days(dice: &mut Dice, played: &mut PlayedMatch, first: u32) {
    let mut left = if played.format == Format::Test { TEST_OVERS } else { FC_OVERS };
    let base = Limits {
        format: played.format,
        wickets: 10,
        overs: None,
        target: None,
        declare_after: None,
        declare_at: None,
        overs_each: u32::MAX,
    };
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
            ..base
        };
        let innings = play_innings(dice, &limits);
        left = left.saturating_sub(innings.overs);
        let was_completed = innings.wickets >= 10;
        let is_declared = innings.is_declared;
        played.innings.push(PlayedInnings { innings, side, is_super: false, was_completed });
        let (own, others) = (played.total(side), played.total(3 - side));
        if n == 3 && was_completed && own < others {
            played.winner = Some(3 - side);
            return;
        }
        if n == 4 {
            played.winner = match own.cmp(&others) {
                std::cmp::Ordering::Greater => Some(side),
                std::cmp::Ordering::Less if was_completed => Some(3 - side),
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
