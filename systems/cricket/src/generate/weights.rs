//! Probabilities, per thousand deliveries.

use crate::rules::Format;

/// Wide, no-ball, wicket, 0, 1, 2, 3, 4, 6, leg bye, bye.
type Row = [u32; 11];

const T20: [Row; 3] = [
    [33, 4, 34, 414, 290, 45, 5, 133, 32, 8, 2],
    [28, 4, 38, 292, 430, 65, 4, 85, 42, 10, 2],
    [45, 6, 72, 217, 372, 80, 4, 112, 79, 10, 3],
];
const ODI: [Row; 3] = [
    [28, 3, 23, 590, 216, 35, 8, 80, 9, 6, 2],
    [20, 3, 19, 447, 389, 48, 5, 47, 13, 7, 2],
    [32, 4, 48, 290, 399, 68, 4, 94, 51, 8, 2],
];
const TEST: [Row; 2] =
    [[4, 6, 17, 725, 139, 33, 9, 58, 3, 5, 1], [4, 6, 14, 678, 195, 34, 7, 49, 7, 5, 1]];

const WICKET: usize = 2;
const DOT: usize = 3;
const FOUR: usize = 7;
const SIX: usize = 8;

/// The weights of caught, bowled, lbw, run out, stumped, hit wicket.
pub(super) fn wicket_kinds(format: Format) -> [u32; 6] {
    if format.is_multi_day() { [58, 18, 18, 3, 2, 1] } else { [61, 19, 9, 7, 3, 1] }
}

pub(super) struct Situation {
    pub(super) format: Format,
    /// From 0.
    pub(super) over: u32,
    /// The striker's place in the batting order, from 1.
    pub(super) position: u32,
    pub(super) chase: Option<(u32, u32)>,
}

/// The weights of the next delivery, per million.
pub(super) fn weights(situation: &Situation) -> [u32; 11] {
    let (format, over) = (situation.format, situation.over);
    let [early, middle, late] = T20;
    let [first, second, third] = ODI;
    let [new_ball, old_ball] = TEST;
    let row = match (format.is_multi_day(), format) {
        (true, _) if over % 80 < 20 => new_ball,
        (true, _) => old_ball,
        (_, Format::Odi) if over < 10 => first,
        (_, Format::Odi) if over < 40 => second,
        (_, Format::Odi) => third,
        _ if over < 6 => early,
        _ if over < 15 => middle,
        _ => late,
    };
    let (mut wicket, mut boundary) = match (format.is_multi_day(), situation.position) {
        (false, ..=5) => (0.9, 1.05),
        (false, 6..=7) => (1.15, 0.9),
        (false, _) => (1.8, 0.55),
        (true, ..=5) => (0.85, 1.0),
        (true, 6..=7) => (1.3, 1.0),
        (true, _) => (2.2, 0.8),
    };
    if let Some((need, balls)) = situation.chase.filter(|(_, balls)| *balls > 0) {
        let usual = if format == Format::Odi { 5.3 } else { 8.1 };
        let required = f64::from(need) * 6.0 / f64::from(balls);
        let haste = (required / usual).clamp(0.75, 1.5);
        boundary *= haste;
        wicket *= 1.0 + 0.8 * (haste - 1.0);
    }
    let mut scaled = row.map(|weight| weight * 1000);
    let mut difference = 0_i64;
    for (index, factor) in [(WICKET, wicket), (FOUR, boundary), (SIX, boundary)] {
        if let Some(weight) = scaled.get_mut(index) {
            let new = (f64::from(*weight) * factor).round() as u32;
            difference += i64::from(new) - i64::from(*weight);
            *weight = new;
        }
    }
    if let Some(dots) = scaled.get_mut(DOT) {
        *dots = u32::try_from((i64::from(*dots) - difference).max(0)).unwrap_or(0);
    }
    scaled
}
