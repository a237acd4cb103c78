//! An inning: its at-bats, replayed from the first to the last.

use super::HALF_OUTS;
use super::play::{self, ByPlace, HOME, OUT, PLACES, Push, Situation};
use crate::design::{AtBat, AtBatId, How, Move};
use crate::error::{Error, Result};
use singlet_web::problem::ApiError as _;
use std::collections::BTreeSet;

pub const PLACED: &str = "PLACED";

pub type Bases = [Option<AtBatId>; 3];
pub fn first_bases(is_placed: bool) -> Bases {
    [None, AtBatId::new(PLACED).ok().filter(|_| is_placed), None]
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InningTotals {
    pub bases: Bases,
    pub outs: u8,
    pub runs: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub index: usize,
    /// Destinations by starting base. `None` keeps the stored ones.
    pub moves: Option<Vec<(u8, u8)>>,
    pub rbis: Rbis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rbis {
    Proposed,
    Named(u8),
    /// The scorer's earlier value, capped at the runs of the play.
    Kept(u8),
}

/// Replays an inning: sets order, outs, moves, RBIs and `scored` of its at-bats.
///
/// Runners keep their stored destination unless they are already past it. New runners take the
/// default. Then runners are pushed on. Proposed RBIs follow the new proposal. Only the edited at-bat
/// is checked; later ones are never refused.
pub fn replay(at_bats: &mut [AtBat], is_placed: bool, edit: Option<&Edit>) -> Result<InningTotals> {
    let mut bases = first_bases(is_placed);
    let mut outs: u8 = 0;
    let mut home = BTreeSet::new();
    for (index, at_bat) in at_bats.iter_mut().enumerate() {
        at_bat.sequence = u8::try_from(index + 1).unwrap_or(u8::MAX);
        at_bat.outs = outs.min(HALF_OUTS - 1);
        let edit = edit.filter(|edit| edit.index == index);
        let was_proposed = is_proposed(at_bat);
        let ends = ends_of(at_bat, &bases, edit)?;
        let extra: Vec<Move> = at_bat.moves.drain(..).filter(|one| one.how.is_some()).collect();
        let runners = runners_of(&at_bat.at_bat_id, &bases);
        at_bat.moves = moves_of(&runners, ends);
        bases = bases_after(runners, ends);
        let (runs, play_outs) = (play::count(ends, HOME), play::count(ends, OUT));
        outs = outs.saturating_add(play_outs);
        let proposal = play::proposed_rbis(at_bat.result, runs, play_outs);
        at_bat.rbis = match edit.map(|edit| edit.rbis) {
            Some(Rbis::Named(rbis)) if rbis > runs => {
                let why = format!("{rbis} RBIs need as many runs, and this play has {runs}.");
                return Err(Error::PlayImpossible.because(why));
            }
            Some(Rbis::Named(rbis)) => rbis,
            Some(Rbis::Kept(rbis)) => rbis.min(runs),
            None if !was_proposed => at_bat.rbis.min(runs),
            Some(Rbis::Proposed) | None => proposal,
        };
        for one in extra {
            advance(&mut bases, &one, &mut at_bat.moves);
        }
        let advances = at_bat.moves.iter().filter(|one| one.how.is_some() && one.to == OUT);
        outs = outs.saturating_add(advances.map(|_| 1).sum());
        let scorers = at_bat.moves.iter().filter(|one| one.to == HOME);
        home.extend(scorers.map(|one| one.at_bat_id.clone()));
    }
    for at_bat in at_bats.iter_mut() {
        at_bat.scored = home.contains(&at_bat.at_bat_id);
    }
    let runs = u16::try_from(home.len()).unwrap_or(u16::MAX);
    Ok(InningTotals { bases, outs, runs })
}

/// What a half has come to, without changing anything.
pub fn totals(at_bats: &[AtBat], is_placed: bool) -> InningTotals {
    let mut copies = at_bats.to_vec();
    // Without an edit nothing is refused.
    replay(&mut copies, is_placed, None).unwrap_or(InningTotals {
        bases: first_bases(is_placed),
        outs: 0,
        runs: 0,
    })
}

/// Whether the RBIs equal the proposal.
pub fn is_proposed(at_bat: &AtBat) -> bool {
    let count = |to: u8| {
        let those = at_bat.moves.iter().filter(|one| one.how.is_none() && one.to == to);
        those.map(|_| 1_u8).sum()
    };
    at_bat.rbis == play::proposed_rbis(at_bat.result, count(HOME), count(OUT))
}

fn situation(bases: &Bases, outs: u8) -> Situation {
    Situation { taken: bases.each_ref().map(Option::is_some), outs }
}

fn ends_of(at_bat: &AtBat, bases: &Bases, edit: Option<&Edit>) -> Result<ByPlace<Option<u8>>> {
    let situation = situation(bases, at_bat.outs);
    let defaults = play::defaults(at_bat.result, at_bat.hit_type, situation);
    if let Some(moves) = edit.and_then(|edit| edit.moves.as_ref()) {
        let named = play::named(moves, situation)?;
        let ends = play::settle(named, defaults, Push::Unnamed)?;
        play::check(at_bat.result, situation, ends)?;
        return Ok(ends);
    }
    let runners = runners_of(&at_bat.at_bat_id, bases);
    let mut kept = [None; 4];
    for ((kept, runner), place) in kept.iter_mut().zip(&runners).zip(PLACES) {
        let Some(runner) = runner else { continue };
        let stored = at_bat.moves.iter().find(|one| one.how.is_none() && one.at_bat_id == *runner);
        *kept = stored.map(|stored| match stored.to {
            OUT => OUT,
            to => to.max(place),
        });
    }
    play::settle(kept, defaults, Push::Everybody)
}

fn runners_of(batter: &AtBatId, bases: &Bases) -> ByPlace<Option<AtBatId>> {
    let [first, second, third] = bases.clone();
    [Some(batter.clone()), first, second, third]
}

fn moves_of(runners: &ByPlace<Option<AtBatId>>, ends: ByPlace<Option<u8>>) -> Vec<Move> {
    let all = PLACES.into_iter().zip(runners).zip(ends);
    let moves = all.filter_map(|((from, runner), to)| {
        Some(Move { at_bat_id: runner.clone()?, from, to: to?, how: None, step: None })
    });
    moves.collect()
}

fn bases_after(runners: ByPlace<Option<AtBatId>>, ends: ByPlace<Option<u8>>) -> Bases {
    let mut after = [None, None, None];
    for (runner, end) in runners.into_iter().zip(ends) {
        if let Some(base) = end.and_then(|end| base_mut(&mut after, end)) {
            *base = runner;
        }
    }
    after
}

fn base_mut(bases: &mut Bases, base: u8) -> Option<&mut Option<AtBatId>> {
    bases.get_mut(usize::from(base).checked_sub(1)?)
}

/// Moves a runner between at-bats and pushes on runners in the way. Does nothing if the runner has left
/// the bases or is already that far.
fn advance(bases: &mut Bases, one: &Move, moves: &mut Vec<Move>) {
    let on_base =
        bases.iter().zip(1_u8..).find(|(runner, _)| runner.as_ref() == Some(&one.at_bat_id));
    let Some((_, from)) = on_base else { return };
    if one.to != OUT && one.to <= from {
        return;
    }
    // Lead runners move first.
    let mut behind = one.to;
    let mut steps = vec![(from, one.to)];
    for base in PLACES.into_iter().filter(|base| *base > from && one.to != OUT) {
        let is_taken = base_mut(bases, base).is_some_and(|runner| runner.is_some());
        if is_taken && base <= behind {
            behind = (behind + 1).min(HOME);
            steps.push((base, behind));
        }
    }
    let step = one.step.or_else(|| step_number(steps.len(), moves.len()));
    for (from, to) in steps.into_iter().rev() {
        let Some(runner) = base_mut(bases, from).and_then(Option::take) else { continue };
        moves.push(Move { at_bat_id: runner.clone(), from, to, how: one.how, step });
        if let Some(base) = base_mut(bases, to) {
            *base = Some(runner);
        }
    }
}

/// Marks moves made together, which are undone together. A single move has no number.
fn step_number(together: usize, moves_before: usize) -> Option<u8> {
    u8::try_from(moves_before).ok().filter(|_| together > 1)
}

/// Moves of runners between at-bats, lead runner first.
pub fn runner_moves(
    bases: &Bases,
    outs: u8,
    moves: &[(u8, u8)],
    how: How,
    moves_before: usize,
) -> Result<Vec<Move>> {
    let situation = situation(bases, outs);
    if moves.iter().any(|(from, _)| *from == 0) {
        return Err(Error::PlayImpossible.because("Only runners move between at-bats."));
    }
    let named = play::named(moves, situation)?;
    let [first, second, third] = situation.taken;
    let stay = [None, first.then_some(1), second.then_some(2), third.then_some(3)];
    let ends = play::settle(named, stay, Push::Unnamed)?;
    if outs + play::count(ends, OUT) > HALF_OUTS {
        return Err(Error::PlayImpossible.because("A half has three outs."));
    }
    let runners = bases.iter().zip(1_u8..).zip(ends.into_iter().skip(1));
    let moved = runners.filter_map(|((runner, from), to)| {
        let (runner, to) = (runner.clone()?, to.filter(|to| *to != from)?);
        Some(Move { at_bat_id: runner, from, to, how: Some(how), step: None })
    });
    let mut moved: Vec<Move> = moved.collect();
    moved.reverse();
    let step = step_number(moved.len(), moves_before);
    moved.iter_mut().for_each(|one| one.step = step);
    match moved.is_empty() {
        true => Err(Error::PlayImpossible.because("Nobody moves.")),
        false => Ok(moved),
    }
}
