//! One play: where batter and runners end, and what that counts.

use super::{HALF_OUTS, Impossible};
use crate::design::{AtBatResult, HitType};

/// Where a runner ends who is out.
pub const OUT: u8 = 0;
/// Where a runner ends who scores.
pub const HOME: u8 = 4;
/// Batter and runners, by the base that they come from: 0 is the batter.
pub const PLACES: [u8; 4] = [0, 1, 2, 3];

/// Something for the batter and for the runners on first, second and third.
pub type ByPlace<T> = [T; 4];

/// What is known before a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Whether first, second and third base are taken.
    pub taken: [bool; 3],
    /// How many are out, 0 to 2.
    pub outs: u8,
}

impl Situation {
    /// Whether somebody comes from this place: the batter always does.
    fn has(&self, place: u8) -> bool {
        place == 0 || self.taken.iter().zip(1..).any(|(taken, base)| *taken && base == place)
    }

    /// Whether all bases behind this one are taken.
    fn is_forced(&self, base: u8) -> bool {
        self.taken.iter().zip(1..).all(|(taken, behind): (&bool, u8)| *taken || behind >= base)
    }

    /// The taken base nearest home.
    fn lead(&self) -> Option<u8> {
        PLACES.into_iter().rev().find(|place| *place > 0 && self.has(*place))
    }

    fn is_empty(&self) -> bool {
        self.lead().is_none()
    }
}

/// Where the batter ends by default.
#[must_use]
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

/// Where batter and runners end unless the scorer says otherwise. `None` where nobody is.
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
#[must_use]
pub fn defaults(
    result: AtBatResult,
    hit_type: Option<HitType>,
    situation: Situation,
) -> ByPlace<Option<u8>> {
    let lead = situation.lead();
    // A default third out moves nobody else.
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

/// Who may be pushed on when the base behind him fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// Those whom the scorer has not named.
    Unnamed,
    /// Everybody: a correction is never refused because of later at-bats.
    Everybody,
}

/// Where batter and runners end: as named, else by default, pushed on when the base behind fills.
///
/// # Errors
///
/// If a named runner would share a base, or be passed.
pub fn settle(
    named: ByPlace<Option<u8>>,
    defaults: ByPlace<Option<u8>>,
    push: Push,
) -> Result<ByPlace<Option<u8>>, Impossible> {
    let mut settled = defaults;
    // The furthest base that somebody behind ends on.
    let mut behind = 0;
    for ((place, named), end) in PLACES.into_iter().zip(named).zip(&mut settled) {
        let Some(default) = *end else { continue };
        let mut to = named.unwrap_or(default);
        if to != OUT && to != HOME && to <= behind && place > 0 {
            if named.is_some() && push == Push::Unnamed {
                return Err(Impossible::play(
                    "Two runners cannot be on one base, and none can be passed.",
                ));
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

/// How many of these end there.
#[must_use]
pub fn count(ends: ByPlace<Option<u8>>, to: u8) -> u8 {
    ends.iter().filter(|end| **end == Some(to)).map(|_| 1).sum()
}

/// The RBIs that a play is proposed to have.
#[must_use]
pub fn proposed_rbis(result: AtBatResult, runs: u8, outs: u8) -> u8 {
    match result {
        AtBatResult::E | AtBatResult::K => 0,
        AtBatResult::Out if outs >= 2 => 0,
        _ => runs,
    }
}

/// Whether the result has a batted ball, and so a place and a type of the hit.
#[must_use]
pub fn is_batted(result: AtBatResult) -> bool {
    !matches!(result, AtBatResult::K | AtBatResult::Bb | AtBatResult::Hbp)
}

/// Refuses a place or a type of the hit where there is no batted ball.
///
/// # Errors
///
/// With K, BB and HBP.
pub fn check_batted(result: AtBatResult, has_hit: bool) -> Result<(), Impossible> {
    match has_hit && !is_batted(result) {
        true => Err(Impossible::play("K, BB and HBP have no batted ball.")),
        false => Ok(()),
    }
}

/// Refuses what cannot happen with these bases and outs.
///
/// # Errors
///
/// With the reason.
pub fn check(
    result: AtBatResult,
    situation: Situation,
    ends: ByPlace<Option<u8>>,
) -> Result<(), Impossible> {
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
    why.map_or(Ok(()), |why| Err(Impossible::play(why)))
}

/// Reads the destinations that the scorer named.
///
/// # Errors
///
/// If nobody is there, somebody is named twice, or moves back.
pub fn named(moves: &[(u8, u8)], situation: Situation) -> Result<ByPlace<Option<u8>>, Impossible> {
    let mut named = [None; 4];
    for (from, to) in moves {
        let place = named.get_mut(usize::from(*from));
        let Some(place) = place.filter(|_| situation.has(*from) && *to <= HOME) else {
            return Err(Impossible::play(format!("Nobody is on base {from}.")));
        };
        if place.is_some() {
            return Err(Impossible::play("A runner is named twice."));
        }
        if *to != OUT && to < from {
            return Err(Impossible::play("A runner cannot move back."));
        }
        *place = Some(*to);
    }
    Ok(named)
}
