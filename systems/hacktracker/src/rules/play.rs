//! One play: where batter and runners end, and what that counts.

use super::HALF_OUTS;
use crate::design::{AtBatResult, HitType};
use crate::error::{Error, Result};
use singlet_web::problem::ApiError as _;

pub const OUT: u8 = 0;
pub const HOME: u8 = 4;
pub const PLACES: [u8; 4] = [0, 1, 2, 3];

pub type ByPlace<T> = [T; 4];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    pub taken: [bool; 3],
    /// How many are out, 0 to 2.
    pub outs: u8,
}

impl Situation {
    fn has(&self, place: u8) -> bool {
        place == 0 || self.taken.iter().zip(1..).any(|(taken, base)| *taken && base == place)
    }

    fn is_forced(&self, base: u8) -> bool {
        self.taken.iter().zip(1..).all(|(taken, behind): (&bool, u8)| *taken || behind >= base)
    }

    fn lead(&self) -> Option<u8> {
        PLACES.into_iter().rev().find(|place| *place > 0 && self.has(*place))
    }

    fn is_empty(&self) -> bool {
        self.lead().is_none()
    }
}
pub fn batter_default(result: AtBatResult) -> u8 {
    match result {
        AtBatResult::Single
        | AtBatResult::Bb
        | AtBatResult::Hbp
        | AtBatResult::Fc
        | AtBatResult::E => 1,
        AtBatResult::Double => 2,
        AtBatResult::Triple => 3,
        AtBatResult::Hr => HOME,
        AtBatResult::Sac | AtBatResult::Out | AtBatResult::K => OUT,
    }
}

/// Default destinations. `None` for an empty base.
///
/// ```
/// use hacktracker::design::AtBatResult;
/// use hacktracker::rules::play::{Situation, defaults};
///
/// let loaded = Situation { taken: [true, true, true], outs: 1 };
/// // A walk pushes in a run.
/// let walk = defaults(AtBatResult::Bb, None, loaded);
/// assert_eq!(walk, [Some(1), Some(2), Some(3), Some(4)]);
/// // In a fielder's choice the runner from first is out.
/// let choice = defaults(AtBatResult::Fc, None, loaded);
/// assert_eq!(choice, [Some(1), Some(0), Some(3), Some(4)]);
/// ```
pub fn defaults(
    result: AtBatResult,
    hit_type: Option<HitType>,
    situation: Situation,
) -> ByPlace<Option<u8>> {
    let lead = situation.lead();
    // A default third out moves no other runner.
    let is_last_out = situation.outs + 1 >= HALF_OUTS;
    PLACES.map(|place| {
        let ahead = |bases: u8| (place + bases).min(HOME);
        let forced = || ahead(u8::from(situation.is_forced(place)));
        let to = match (place, result) {
            (0, _) => batter_default(result),
            (_, AtBatResult::Single | AtBatResult::E) => ahead(1),
            (_, AtBatResult::Double) => ahead(2),
            (_, AtBatResult::Triple | AtBatResult::Hr) => HOME,
            (_, AtBatResult::Bb | AtBatResult::Hbp) => forced(),
            (_, AtBatResult::Sac) if is_last_out => place,
            (_, AtBatResult::Sac) if hit_type == Some(HitType::Bunt) => ahead(1),
            (_, AtBatResult::Sac) => ahead(u8::from(lead == Some(place))),
            (1, AtBatResult::Fc) => OUT,
            (_, AtBatResult::Fc) if situation.has(1) && !is_last_out => forced(),
            (_, AtBatResult::Fc) if !situation.has(1) && lead == Some(place) => OUT,
            (_, AtBatResult::Fc | AtBatResult::Out | AtBatResult::K) => place,
        };
        situation.has(place).then_some(to)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    Unnamed,
    /// Everybody: a correction is never refused because of later at-bats.
    Everybody,
}

/// Where batter and runners end: as named, else by default, pushed on when the base behind fills.
pub fn settle(
    named: ByPlace<Option<u8>>,
    defaults: ByPlace<Option<u8>>,
    push: Push,
) -> Result<ByPlace<Option<u8>>> {
    let mut settled = defaults;
    // The furthest base taken by a runner behind.
    let mut behind = 0;
    for ((place, named), end) in PLACES.into_iter().zip(named).zip(&mut settled) {
        let Some(default) = *end else { continue };
        let mut to = named.unwrap_or(default);
        if to != OUT && to != HOME && to <= behind && place > 0 {
            if named.is_some() && push == Push::Unnamed {
                return Err(Error::PlayImpossible
                    .because("Two runners cannot be on one base, and none can be passed."));
            }
            to = (behind + 1).min(HOME);
        }
        if to != OUT {
            behind = behind.max(to);
        }
        *end = Some(to);
    }
    Ok(settled)
}
pub fn count(ends: ByPlace<Option<u8>>, to: u8) -> u8 {
    ends.iter().filter(|end| **end == Some(to)).map(|_| 1).sum()
}
pub fn proposed_rbis(result: AtBatResult, runs: u8, outs: u8) -> u8 {
    match result {
        AtBatResult::E | AtBatResult::K => 0,
        AtBatResult::Out if outs >= 2 => 0,
        _ => runs,
    }
}
pub fn is_batted(result: AtBatResult) -> bool {
    !matches!(result, AtBatResult::K | AtBatResult::Bb | AtBatResult::Hbp)
}

pub fn check_batted(result: AtBatResult, has_hit: bool) -> Result<()> {
    match has_hit && !is_batted(result) {
        true => Err(Error::PlayImpossible.because("K, BB and HBP have no batted ball.")),
        false => Ok(()),
    }
}

pub fn check(result: AtBatResult, situation: Situation, ends: ByPlace<Option<u8>>) -> Result<()> {
    let batter = ends[0].unwrap_or(OUT);
    let why = match result {
        AtBatResult::Sac if situation.is_empty() => Some("A sacrifice needs a runner."),
        AtBatResult::Sac if situation.outs + 1 >= HALF_OUTS => {
            Some("A sacrifice needs fewer than two outs.")
        }
        AtBatResult::Fc if situation.is_empty() => Some("A fielder's choice needs a runner."),
        AtBatResult::Out if batter != OUT => Some("With OUT the batter is out."),
        AtBatResult::Bb | AtBatResult::Hbp | AtBatResult::Hr if batter == OUT => {
            Some("With BB, HBP and HR the batter is safe.")
        }
        _ if situation.outs + count(ends, OUT) > HALF_OUTS => Some("A half has three outs."),
        _ => None,
    };
    why.map_or(Ok(()), |why| Err(Error::PlayImpossible.because(why)))
}

pub fn named(moves: &[(u8, u8)], situation: Situation) -> Result<ByPlace<Option<u8>>> {
    let mut named = [None; 4];
    for (from, to) in moves {
        let place = named.get_mut(usize::from(*from));
        let Some(place) = place.filter(|_| situation.has(*from) && *to <= HOME) else {
            return Err(Error::PlayImpossible.because(format!("Nobody is on base {from}.")));
        };
        if place.is_some() {
            return Err(Error::PlayImpossible.because("A runner is named twice."));
        }
        if *to != OUT && to < from {
            return Err(Error::PlayImpossible.because("A runner cannot move back."));
        }
        *place = Some(*to);
    }
    Ok(named)
}
