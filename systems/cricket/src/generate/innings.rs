//! Plays one innings.

use super::dice::Dice;
use super::weights::{Situation, weights, wicket_kinds};
use crate::rules::Format;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Wide(u32),
    NoBall(u32),
    Runs(u32),
    LegBye(u32),
    Bye(u32),
    Out(Dismissal, u32),
    RunOut(u32, bool, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dismissal {
    Caught,
    Bowled,
    Lbw,
    Stumped,
    HitWicket,
}

/// One delivery that was played. Players are places in the order of their side, from 1.
#[derive(Clone, Debug)]
pub(super) struct PlayedBall {
    pub(super) over: u32,
    /// The ball's number in the over, from 1; one that is bowled again has the same.
    pub(super) ball: u32,
    pub(super) striker: u32,
    pub(super) non_striker: u32,
    pub(super) bowler: u32,
    pub(super) outcome: Outcome,
    pub(super) ends_over: bool,
}

impl Outcome {
    pub(super) fn is_legal(self) -> bool {
        !matches!(self, Self::Wide(_) | Self::NoBall(_))
    }

    pub(super) fn is_wicket(self) -> bool {
        matches!(self, Self::Out(..) | Self::RunOut(..))
    }

    fn total(self) -> u32 {
        match self {
            Self::Wide(runs) | Self::Runs(runs) | Self::LegBye(runs) | Self::Bye(runs) => runs,
            Self::NoBall(bat) => bat + 1,
            Self::Out(..) => 0,
            Self::RunOut(runs, ..) => runs,
        }
    }

    fn swaps(self) -> bool {
        let run = match self {
            Self::Wide(runs) => runs - 1,
            Self::NoBall(runs) | Self::Runs(runs) | Self::LegBye(runs) | Self::Bye(runs) => runs,
            Self::RunOut(runs, ..) => runs,
            Self::Out(..) => 0,
        };
        run % 2 == 1
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) format: Format,
    pub(super) wickets: u32,
    pub(super) overs: Option<u32>,
    pub(super) target: Option<u32>,
    pub(super) declare_after: Option<u32>,
    pub(super) declare_at: Option<u32>,
    pub(super) overs_each: u32,
}

impl Limits {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            wickets: 10,
            overs: None,
            target: None,
            declare_after: None,
            declare_at: None,
            overs_each: u32::MAX,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct PlayedInnings {
    pub(super) balls: Vec<PlayedBall>,
    pub runs: u32,
    pub wickets: u32,
    pub legal: u32,
    pub(super) overs: u32,
    pub(super) is_declared: bool,
    /// The side that bats: 1 is at home, 2 is away.
    pub side: u32,
    pub is_super: bool,
}

const BOWLERS: std::ops::RangeInclusive<u32> = 6..=11;
const KEEPER: u32 = 3;

pub(super) fn play_innings(dice: &mut Dice, limits: &Limits) -> PlayedInnings {
    let mut innings = PlayedInnings::default();
    let (mut striker, mut non_striker, mut next) = (1, 2, 3);
    let mut bowled = [0_u32; 12];
    let mut last_bowler = 0;
    for over in 0.. {
        if limits.overs.is_some_and(|overs| over >= overs) {
            break;
        }
        let declares = limits.declare_after.is_some_and(|after| over >= after)
            || limits.declare_at.is_some_and(|runs| innings.runs >= runs);
        if declares {
            innings.is_declared = true;
            break;
        }
        let bowler = next_bowler(dice, &bowled, last_bowler, limits);
        if let Some(count) = bowled.get_mut(bowler as usize) {
            *count += 1;
        }
        last_bowler = bowler;
        innings.overs = over + 1;
        let mut legal = 0;
        while legal < 6 {
            let chase = limits.target.zip(limits.overs).filter(|_| !limits.format.is_multi_day());
            let situation = Situation {
                format: limits.format,
                over: if limits.wickets == 2 { 19 } else { over },
                position: striker,
                chase: chase.map(|(target, overs)| {
                    (target.saturating_sub(innings.runs), overs * 6 - innings.legal)
                }),
            };
            let outcome = outcome(dice, &situation, bowler);
            let ball = legal + 1;
            legal += u32::from(outcome.is_legal());
            innings.legal += u32::from(outcome.is_legal());
            innings.runs += outcome.total();
            innings.wickets += u32::from(outcome.is_wicket());
            let is_all_out = innings.wickets >= limits.wickets;
            let is_won = limits.target.is_some_and(|target| innings.runs >= target);
            let ends_over = legal == 6;
            innings.balls.push(PlayedBall {
                over,
                ball,
                striker,
                non_striker,
                bowler,
                outcome,
                ends_over,
            });
            if is_all_out || is_won {
                return innings;
            }
            let out = match outcome {
                Outcome::Out(..) => Some(striker),
                Outcome::RunOut(_, true, _) => Some(striker),
                Outcome::RunOut(_, false, _) => Some(non_striker),
                _ => None,
            };
            if outcome.swaps() {
                (striker, non_striker) = (non_striker, striker);
            }
            if let Some(out) = out {
                let end = if striker == out { &mut striker } else { &mut non_striker };
                *end = next;
                next += 1;
            }
            if ends_over {
                (striker, non_striker) = (non_striker, striker);
            }
        }
    }
    innings
}

/// Never the bowler of the last over. In limited overs one of those with the most overs left, so
/// that the quota is always enough.
fn next_bowler(dice: &mut Dice, bowled: &[u32; 12], last: u32, limits: &Limits) -> u32 {
    let left = |place: u32| {
        let done = bowled.get(place as usize).copied().unwrap_or(0);
        limits.overs_each.saturating_sub(done)
    };
    let allowed: Vec<u32> = BOWLERS.filter(|place| *place != last && left(*place) > 0).collect();
    let most = allowed.iter().map(|place| left(*place)).max().unwrap_or(0);
    let choice: Vec<u32> = allowed
        .iter()
        .copied()
        .filter(|place| limits.format.is_multi_day() || left(*place) == most)
        .collect();
    let index = dice.below(choice.len().max(1) as u32) as usize;
    choice.get(index).copied().unwrap_or(if last == 11 { 10 } else { 11 })
}

fn outcome(dice: &mut Dice, situation: &Situation, bowler: u32) -> Outcome {
    match dice.pick(&weights(situation)) {
        0 => Outcome::Wide(if dice.below(100) < 93 { 1 } else { 5 }),
        1 => Outcome::NoBall(match dice.pick(&[45, 35, 14, 6]) {
            0 => 0,
            1 => 1,
            2 => 4,
            _ => 6,
        }),
        2 => match dice.pick(&wicket_kinds(situation.format)) {
            0 => Outcome::Out(Dismissal::Caught, dice.below(11) + 1),
            1 => Outcome::Out(Dismissal::Bowled, bowler),
            2 => Outcome::Out(Dismissal::Lbw, bowler),
            3 => {
                let (runs, is_striker) = (dice.below(2), dice.below(2) == 0);
                Outcome::RunOut(runs, is_striker, dice.below(11) + 1)
            }
            4 => Outcome::Out(Dismissal::Stumped, KEEPER),
            _ => Outcome::Out(Dismissal::HitWicket, bowler),
        },
        9 => Outcome::LegBye(byes(dice)),
        10 => Outcome::Bye(byes(dice)),
        8 => Outcome::Runs(6),
        7 => Outcome::Runs(4),
        runs => Outcome::Runs(runs.saturating_sub(3) as u32),
    }
}

fn byes(dice: &mut Dice) -> u32 {
    match dice.pick(&[75, 10, 15]) {
        0 => 1,
        1 => 2,
        _ => 4,
    }
}
