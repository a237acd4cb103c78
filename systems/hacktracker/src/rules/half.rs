//! Who bats when: halves, and the way from one to the next.

use super::inning::{self, first_bases};
use super::{HALF_OUTS, INNINGS_MAX};
use crate::design::{AtBat, Book, Game, GameState, GameStatus, Half, HomeAway, PlayerId};
use crate::error::{Error, Result};
use singlet_web::problem::ApiError as _;

/// How many innings a game has unless it says otherwise.
pub const REGULATION_INNINGS: u8 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfInning {
    pub inning: u8,
    pub half: Half,
}

impl HalfInning {
    pub fn is_top(self, home_away: Option<HomeAway>) -> bool {
        (self.half == Half::Team) == (home_away != Some(HomeAway::Home))
    }

    fn other(self) -> Half {
        match self.half {
            Half::Team => Half::Opponent,
            Half::Opponent => Half::Team,
        }
    }
    pub fn next(self, home_away: Option<HomeAway>) -> Self {
        let half = self.other();
        match self.is_top(home_away) {
            true => Self { half, ..self },
            false => Self { half, inning: self.inning.saturating_add(1) },
        }
    }

    /// The half before this one; `None` at the beginning.
    pub fn previous(self, home_away: Option<HomeAway>) -> Option<Self> {
        let half = self.other();
        match self.is_top(home_away) {
            true if self.inning == 1 => None,
            true => Some(Self { half, inning: self.inning - 1 }),
            false => Some(Self { half, ..self }),
        }
    }
}

impl GameState {
    pub fn position(&self) -> HalfInning {
        HalfInning { inning: self.inning, half: self.half }
    }
}
pub fn of_inning(at_bats: &[AtBat], inning: u8) -> Vec<AtBat> {
    at_bats.iter().filter(|at_bat| at_bat.inning == inning).cloned().collect()
}
pub fn is_placed(game: &Game, inning: u8) -> bool {
    game.placed.as_ref().is_some_and(|placed| placed.contains_key(&inning))
}

pub fn begin(game: &mut Game) {
    if game.state.is_none() {
        let half = match game.home_away {
            Some(HomeAway::Home) => Half::Opponent,
            _ => Half::Team,
        };
        let bases = first_bases(false).to_vec();
        game.state =
            Some(GameState { inning: 1, half, outs: 0, bases, next_batting_order: 1, at_bats: 0 });
        (game.team_runs, game.opponent_runs) = (Some(Vec::new()), Some(Vec::new()));
        open_line(game, HalfInning { inning: 1, half });
    }
}

fn open_line(game: &mut Game, at: HalfInning) {
    let runs = match at.half {
        Half::Team => game.team_runs.get_or_insert_default(),
        Half::Opponent => game.opponent_runs.get_or_insert_default(),
    };
    // After the last inning that there can be nothing is recorded.
    while runs.len() < usize::from(at.inning.min(INNINGS_MAX)) {
        runs.push(0);
    }
}

/// Takes the number of a half out of the line score, if it is the last one and 0.
fn close_line(game: &mut Game, at: HalfInning) {
    let runs = match at.half {
        Half::Team => game.team_runs.as_mut(),
        Half::Opponent => game.opponent_runs.as_mut(),
    };
    if let Some(runs) = runs
        && runs.len() == usize::from(at.inning)
        && runs.last() == Some(&0)
    {
        runs.pop();
    }
}

/// Goes to a half. A team half that has at-bats goes on where it was; one that has three outs is
/// passed over.
pub fn enter(game: &mut Game, at_bats: &[AtBat], at: HalfInning) {
    open_line(game, at);
    let placed = is_placed(game, at.inning);
    let inning_at_bats = of_inning(at_bats, at.inning);
    let is_team = at.half == Half::Team;
    let totals = inning::totals(&inning_at_bats, placed);
    if is_team && totals.outs >= HALF_OUTS {
        return enter(game, &[], at.next(game.home_away));
    }
    let Some(state) = &mut game.state else { return };
    (state.inning, state.half) = (at.inning, at.half);
    state.outs = if is_team { totals.outs } else { 0 };
    state.bases = if is_team { totals.bases } else { first_bases(false) }.to_vec();
    state.at_bats = if is_team { u8::try_from(inning_at_bats.len()).unwrap_or(u8::MAX) } else { 0 };
}

pub fn resume(game: &mut Game, at_bats: &[AtBat], from: HalfInning, to: HalfInning) {
    close_line(game, from);
    if let Some(early) = &mut game.ended_early {
        early.retain(|inning| *inning != u16::from(to.inning));
    }
    game.ended_early.take_if(|early| early.is_empty());
    enter(game, at_bats, to);
}

pub fn change(book: &Book, to: HalfInning, placed_runner: Option<&PlayerId>) -> Result<Game> {
    let mut game = book.game.clone();
    let state = game.state.as_ref().filter(|_| game.status == GameStatus::InProgress);
    let state = state.ok_or(Error::WrongStatus)?;
    let (from, home_away) = (state.position(), game.home_away);
    let has_at_bats = book.at_bats.iter().any(|at_bat| at_bat.inning == to.inning);
    if let Some(player) = placed_runner {
        if to.half == Half::Opponent || to != from.next(home_away) || has_at_bats {
            return Err(Error::invalid("/placedRunner", "is for a half of ours that begins"));
        }
        if !game.lineup.contains(player) {
            return Err(Error::invalid("/placedRunner", "must be in the lineup"));
        }
        game.placed.get_or_insert_default().insert(to.inning, player.clone());
    }
    if to == from.next(home_away) {
        if to.inning > INNINGS_MAX {
            return Err(Error::invalid("/inning", "must be at most 30"));
        }
        if from.half == Half::Team {
            let early = game.ended_early.get_or_insert_default();
            let inning = u16::from(from.inning);
            if !early.contains(&inning) {
                early.push(inning);
            }
        }
        enter(&mut game, &book.at_bats, to);
        return Ok(game);
    }
    if Some(to) != from.previous(home_away) {
        return Err(Error::invalid("/inning", "must be the next or the previous half"));
    }
    match to.half {
        Half::Team => {
            let inning_at_bats = of_inning(&book.at_bats, to.inning);
            if inning::totals(&inning_at_bats, is_placed(&game, to.inning)).outs >= HALF_OUTS {
                return Err(Error::HalfComplete);
            }
            resume(&mut game, &book.at_bats, from, to);
        }
        Half::Opponent => {
            if !book.at_bats.iter().any(|at_bat| at_bat.inning == from.inning) {
                close_line(&mut game, from);
                if let Some(placed) = &mut game.placed {
                    placed.remove(&from.inning);
                }
                game.placed.take_if(|placed| placed.is_empty());
            }
            enter(&mut game, &book.at_bats, to);
        }
    }
    Ok(game)
}

/// Whether the rules say that the game may be over: "Finish?" is proposed, never forced.
pub fn may_be_over(game: &Game) -> bool {
    let Some(state) = game.state.as_ref().filter(|_| game.status == GameStatus::InProgress) else {
        return false;
    };
    let last = game.regulation_innings.unwrap_or(REGULATION_INNINGS);
    let (home, away) = match game.home_away {
        Some(HomeAway::Home) => (game.team_score, game.opponent_score),
        _ => (game.opponent_score, game.team_score),
    };
    if !state.position().is_top(game.home_away) {
        return state.inning >= last && home > away;
    }
    let runs = match state.half {
        Half::Team => game.team_runs.as_ref(),
        Half::Opponent => game.opponent_runs.as_ref(),
    };
    let runs = runs.and_then(|runs| runs.get(usize::from(state.inning).checked_sub(1)?));
    let is_untouched = state.at_bats == 0 && runs.is_none_or(|runs| *runs == 0);
    state.inning > last && is_untouched && home != away
}
