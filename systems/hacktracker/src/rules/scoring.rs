//! Scoring a game of a MANAGED team: recording, inserting, correcting, removing and undoing at-bats,
//! moving runners, and the opponent's runs.

use super::half::{self, is_placed, of_inning};
use super::inning::{self, Edit, Rbis};
use super::{HALF_OUTS, INNING_AT_BATS_MAX, MOVES_MAX, play};
use crate::design::{
    AtBat, AtBatId, Book, Game, GameState, GameStatus, Half, HandScore, HitLocation, How, Move,
    PlayerId,
};
use crate::error::{Error, Result};
use crate::input::{AtBatChange, NewAtBat, NewInsert, NewMove};
use crate::limits::GAME_AT_BATS_MAX;
use singlet::Timestamp;
use singlet_web::api::Change;
use singlet_web::problem::ApiError as _;
use singlet_web::validate::FieldErrors;

/// A game after a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescored {
    pub book: Book,
    /// The inning that changed.
    pub inning: Option<u8>,
    /// The at-bat that changed, unless it was removed.
    pub at_bat: Option<AtBatId>,
}

impl Rescored {
    /// A change of the game that leaves its at-bats.
    pub fn game(before: &Book, game: Game, inning: Option<u8>) -> Self {
        let book = Book { game, at_bats: before.at_bats.clone() };
        Self { book, inning, at_bat: None }
    }
}

/// Sorts at-bats by the order in which they happened.
pub fn sort_at_bats(at_bats: &mut [AtBat]) {
    at_bats.sort_by(|one, other| {
        let key = |at_bat: &AtBat| (at_bat.inning, at_bat.sequence);
        key(one).cmp(&key(other)).then_with(|| one.at_bat_id.cmp(&other.at_bat_id))
    });
}

pub(super) fn check_room(book: &Book, at_bats_of_inning: usize) -> Result<()> {
    if at_bats_of_inning >= INNING_AT_BATS_MAX {
        return Err(Error::HalfFull);
    }
    match book.at_bats.len() < GAME_AT_BATS_MAX {
        true => Ok(()),
        false => Err(Error::GameFull),
    }
}

/// An at-bat as it was entered, before its inning is replayed.
pub(super) fn entered(
    game: &Game,
    id: AtBatId,
    now: Timestamp,
    player_id: PlayerId,
    inning: u8,
    new: &NewAtBat,
) -> AtBat {
    AtBat {
        game_id: game.game_id.clone(),
        at_bat_id: id,
        player_id,
        team_id: game.team_id.clone(),
        inning,
        outs: new.outs.unwrap_or(0),
        result: new.result,
        rbis: new.rbis.unwrap_or(0),
        hit_location: new.hit_location.map(rounded),
        hit_type: new.hit_type,
        batting_order: None,
        slot_up: None,
        sequence: 0,
        moves: Vec::new(),
        scored: new.scored.unwrap_or(false),
        created_at: now,
        updated_at: now,
    }
}

pub fn record(book: &Book, id: AtBatId, now: Timestamp, new: &NewAtBat) -> Result<Rescored> {
    let fields = [
        ("/inning", new.inning.is_some()),
        ("/outs", new.outs.is_some()),
        ("/scored", new.scored.is_some()),
    ];
    refuse_by_hand(&fields)?;
    let game = &book.game;
    let state = state_of(game, &[GameStatus::InProgress])?;
    let (inning, index) = match &new.insert {
        None if state.half == Half::Opponent => return Err(Error::WrongHalf),
        None => (state.inning, usize::MAX),
        Some(insert) => (insert.inning, index_after(book, insert)?),
    };
    let mut inning_at_bats = of_inning(&book.at_bats, inning);
    check_room(book, inning_at_bats.len())?;
    let index = index.min(inning_at_bats.len());
    play::check_batted(new.result, new.hit_location.is_some() || new.hit_type.is_some())?;
    let slot = match &new.insert {
        None => state.next_batting_order,
        Some(_) => missed_slot(&inning_at_bats, index, state.next_batting_order, game.lineup.len()),
    };
    let (player_id, slot) = batter(game, new, slot)?;
    let slot_up = new.insert.is_none().then_some(state.next_batting_order);
    let at_bat = AtBat {
        batting_order: Some(slot),
        slot_up: slot_up.filter(|slot| *slot != next_slot(&book.at_bats, game.lineup.len())),
        ..entered(game, id.clone(), now, player_id, inning, new)
    };
    inning_at_bats.insert(index, at_bat);
    let edit = Edit {
        index,
        moves: Some(pairs(new.moves.as_deref().unwrap_or_default())),
        rbis: new.rbis.map_or(Rbis::Proposed, Rbis::Named),
    };
    let mut after =
        replay_inning(book, game.clone(), inning, inning_at_bats, Some(&edit), Some(id))?;
    if let (None, Some(state)) = (&new.insert, &mut after.book.game.state) {
        // Also where the half that is played was resumed after a later one.
        state.next_batting_order = slot_after(slot, game.lineup.len());
    }
    Ok(after)
}

pub fn correct(book: &Book, id: &AtBatId, change: &AtBatChange) -> Result<Rescored> {
    refuse_by_hand(&[("/outs", change.outs.is_some()), ("/scored", change.scored.is_some())])?;
    state_of(&book.game, &[GameStatus::InProgress, GameStatus::Final])?;
    let (inning, mut inning_at_bats, index) = find(book, id)?;
    let at_bat = inning_at_bats.get_mut(index).ok_or(Error::AtBatNotFound)?;
    let result = change.result.unwrap_or(at_bat.result);
    let is_new_result = result != at_bat.result;
    let was_proposed = inning::is_proposed(at_bat);
    at_bat.result = result;
    apply_hit(at_bat, change)?;
    if let Some(player) = change.player_id.as_ref().filter(|one| **one != at_bat.player_id) {
        at_bat.player_id = player.clone();
        at_bat.batting_order = slot_of(&book.game, player).or(at_bat.batting_order);
    }
    let moves = match &change.moves {
        Some(moves) => Some(pairs(moves)),
        None => is_new_result.then(Vec::new),
    };
    let rbis = match change.rbis {
        Some(rbis) => Rbis::Named(rbis),
        None if was_proposed => Rbis::Proposed,
        None => Rbis::Kept(at_bat.rbis),
    };
    let edit = Edit { index, moves, rbis };
    replay_inning(book, book.game.clone(), inning, inning_at_bats, Some(&edit), Some(id.clone()))
}

/// Place and type of the hit after a change. A result without a batted ball has none.
pub(super) fn apply_hit(at_bat: &mut AtBat, change: &AtBatChange) -> Result<()> {
    let is_given =
        matches!(change.hit_location, Change::Set(_)) || matches!(change.hit_type, Change::Set(_));
    play::check_batted(at_bat.result, is_given)?;
    at_bat.hit_location = change.hit_location.clone().apply(at_bat.hit_location).map(rounded);
    at_bat.hit_type = change.hit_type.clone().apply(at_bat.hit_type);
    if !play::is_batted(at_bat.result) {
        (at_bat.hit_location, at_bat.hit_type) = (None, None);
    }
    Ok(())
}

pub fn remove(book: &Book, id: &AtBatId) -> Result<Rescored> {
    state_of(&book.game, &[GameStatus::InProgress, GameStatus::Final])?;
    let (inning, mut inning_at_bats, index) = find(book, id)?;
    inning_at_bats.remove(index);
    replay_inning(book, book.game.clone(), inning, inning_at_bats, None, None)
}

/// Undoes the last at-bat of this half, or its last runner move. Reaches into our half that has just
/// ended, if the opponent has no runs in this one.
pub fn undo(book: &Book) -> Result<Rescored> {
    let mut game = book.game.clone();
    let state = state_of(&game, &[GameStatus::InProgress, GameStatus::Final])?.clone();
    let mut inning = state.inning;
    if state.half == Half::Opponent {
        let runs = game
            .opponent_runs
            .as_ref()
            .and_then(|runs| runs.get(usize::from(inning).checked_sub(1)?));
        let previous = state.position().previous(game.home_away);
        let previous = previous.filter(|_| runs.is_none_or(|runs| *runs == 0));
        let previous = previous.ok_or(Error::NothingToUndo)?;
        inning = previous.inning;
        let inning_at_bats = of_inning(&book.at_bats, inning);
        if inning_at_bats.is_empty() {
            return Err(Error::NothingToUndo);
        }
        half::resume(&mut game, &[], state.position(), previous);
    }
    let mut inning_at_bats = of_inning(&book.at_bats, inning);
    let last = inning_at_bats.last_mut().ok_or(Error::NothingToUndo)?;
    if let Some(moved) = last.moves.pop_if(|one| one.how.is_some()) {
        let is_together = |one: &mut Move| moved.step.is_some() && one.step == moved.step;
        while last.moves.pop_if(is_together).is_some() {}
        let id = last.at_bat_id.clone();
        return replay_inning(book, game, inning, inning_at_bats, None, Some(id));
    }
    let undone = inning_at_bats.pop();
    let mut after = replay_inning(book, game, inning, inning_at_bats, None, None)?;
    let slot_before = next_slot(&after.book.at_bats, book.game.lineup.len());
    if let (Some(undone), Some(state)) = (&undone, &mut after.book.game.state) {
        let slot = undone.slot_up.unwrap_or(slot_before);
        // The same batter is up again, in the present slot.
        let batter = slot_of(&book.game, &undone.player_id);
        let batter = batter.filter(|_| undone.batting_order == Some(slot));
        let lineup_len = u8::try_from(book.game.lineup.len()).unwrap_or(u8::MAX);
        state.next_batting_order = batter.unwrap_or(slot.min(lineup_len.max(1)));
    }
    Ok(after)
}

pub fn move_runners(book: &Book, moves: &[NewMove], how: How) -> Result<Rescored> {
    let state = state_of(&book.game, &[GameStatus::InProgress])?;
    if state.half == Half::Opponent {
        return Err(Error::WrongHalf);
    }
    let mut inning_at_bats = of_inning(&book.at_bats, state.inning);
    let totals = inning::totals(&inning_at_bats, is_placed(&book.game, state.inning));
    let last = inning_at_bats.last_mut().ok_or_else(|| {
        Error::PlayImpossible
            .because("Nobody has batted in this half yet. Record the at-bat first.")
    })?;
    let moved =
        inning::runner_moves(&totals.bases, totals.outs, &pairs(moves), how, last.moves.len())?;
    if last.moves.len() + moved.len() > MOVES_MAX {
        return Err(Error::PlayImpossible.because("An at-bat has at most 20 moves."));
    }
    last.moves.extend(moved);
    let id = last.at_bat_id.clone();
    replay_inning(book, book.game.clone(), state.inning, inning_at_bats, None, Some(id))
}

pub fn set_opponent_runs(game: &Game, inning: u8, runs: u16) -> Result<Game> {
    state_of(game, &[GameStatus::InProgress, GameStatus::Final])?;
    let mut game = game.clone();
    let line = game.opponent_runs.as_mut();
    let place = line.and_then(|line| line.get_mut(usize::from(inning).checked_sub(1)?));
    *place.ok_or(Error::invalid("/runs", "is for an inning in which the opponent has batted"))? =
        runs;
    total(&mut game);
    if game.opponent_score > 999 {
        return Err(Error::invalid("/runs", "must keep the score below 1000"));
    }
    Ok(game)
}

/// Sets the score by hand: the first at-bat or run of the opponent replaces it. When there is none
/// any more, it counts again.
pub fn set_score(
    game: &Game,
    is_personal: bool,
    team_score: u16,
    opponent_score: u16,
) -> Result<Game> {
    if game.status == GameStatus::Postponed {
        return Err(Error::WrongStatus);
    }
    if !is_personal && game.at_bat_count > 0 {
        return Err(Error::ScoreDerived);
    }
    let mut game = Game { team_score, opponent_score, ..game.clone() };
    if !is_personal {
        game.hand_score = Some(HandScore { team: team_score, opponent: opponent_score });
    }
    Ok(game)
}

/// Inning, outs and runs of a MANAGED team's game follow from the plays.
fn refuse_by_hand(fields: &[(&'static str, bool)]) -> Result<()> {
    let mut errors = FieldErrors::default();
    for (field, is_given) in fields {
        errors.add_if(*is_given, field, "follows from the plays of the game");
    }
    Ok(errors.refuse()?)
}

fn pairs(moves: &[NewMove]) -> Vec<(u8, u8)> {
    moves.iter().map(|one| (one.from, one.to)).collect()
}

fn state_of<'g>(game: &'g Game, statuses: &[GameStatus]) -> Result<&'g GameState> {
    let state = game.state.as_ref().filter(|_| statuses.contains(&game.status));
    state.ok_or(Error::WrongStatus)
}

fn find(book: &Book, id: &AtBatId) -> Result<(u8, Vec<AtBat>, usize)> {
    let found = book.at_bats.iter().find(|at_bat| at_bat.at_bat_id == *id);
    let inning = found.ok_or(Error::AtBatNotFound)?.inning;
    let inning_at_bats = of_inning(&book.at_bats, inning);
    let index = inning_at_bats.iter().position(|at_bat| at_bat.at_bat_id == *id);
    Ok((inning, inning_at_bats, index.ok_or(Error::AtBatNotFound)?))
}

fn index_after(book: &Book, insert: &NewInsert) -> Result<usize> {
    let begun = book.game.team_runs.as_ref().map_or(0, Vec::len);
    if insert.inning == 0 || usize::from(insert.inning) > begun {
        return Err(Error::invalid("/insert/inning", "must be one in which we have batted"));
    }
    let Some(after) = &insert.after else { return Ok(0) };
    let inning_at_bats = of_inning(&book.at_bats, insert.inning);
    let before = inning_at_bats.iter().position(|at_bat| at_bat.at_bat_id == *after);
    let unknown = Error::invalid("/insert/after", "must be an at-bat of this inning");
    before.map(|index| index + 1).ok_or(unknown)
}

fn slot_of(game: &Game, player: &PlayerId) -> Option<u8> {
    let index = game.lineup.iter().position(|one| one == player)?;
    u8::try_from(index + 1).ok()
}
pub fn slot_after(slot: u8, lineup_len: usize) -> u8 {
    if usize::from(slot) >= lineup_len { 1 } else { slot + 1 }
}

fn missed_slot(inning_at_bats: &[AtBat], index: usize, next: u8, lineup_len: usize) -> u8 {
    let slot = |index: Option<usize>| inning_at_bats.get(index?)?.batting_order;
    match (slot(index.checked_sub(1)), slot(Some(index))) {
        (Some(before), _) => slot_after(before, lineup_len),
        (None, Some(1)) => u8::try_from(lineup_len).unwrap_or(1).max(1),
        (None, Some(after)) => after - 1,
        (None, None) => next,
    }
}

fn batter(game: &Game, new: &NewAtBat, slot: u8) -> Result<(PlayerId, u8)> {
    if let Some(player) = &new.player_id {
        return match slot_of(game, player) {
            Some(own) => Ok((player.clone(), own)),
            // Replaced since.
            None if new.insert.is_some() => Ok((player.clone(), slot)),
            None => Err(Error::invalid("/playerId", "must be in the lineup")),
        };
    }
    let up = usize::from(slot).checked_sub(1).and_then(|index| game.lineup.get(index));
    let up = up.ok_or_else(|| Error::LineupInvalid.because("Nobody is in the lineup."))?;
    Ok((up.clone(), slot))
}

/// A place with three decimals.
pub(super) fn rounded(location: HitLocation) -> HitLocation {
    let round = |number: f64| (number * 1000.0).round() / 1000.0;
    HitLocation { x: round(location.x), y: round(location.y) }
}

/// The scores follow from the line score; while there is nothing in it, they are as set by hand.
fn total(game: &mut Game) {
    let sum = |runs: &Option<Vec<u16>>| -> u16 { runs.iter().flatten().sum() };
    let theirs = sum(&game.opponent_runs);
    let by_hand = game.hand_score.filter(|_| game.at_bat_count == 0 && theirs == 0);
    (game.team_score, game.opponent_score) = match by_hand {
        Some(score) => (score.team, score.opponent),
        None => (sum(&game.team_runs), theirs),
    };
}

fn next_slot(at_bats: &[AtBat], lineup_len: usize) -> u8 {
    let slot = at_bats.last().and_then(|last| last.batting_order);
    slot.map_or(1, |slot| slot_after(slot, lineup_len))
}

/// The game after an inning has got these at-bats: replays them, and derives everything else.
fn replay_inning(
    before: &Book,
    mut game: Game,
    inning: u8,
    mut inning_at_bats: Vec<AtBat>,
    edit: Option<&Edit>,
    at_bat: Option<AtBatId>,
) -> Result<Rescored> {
    let totals = inning::replay(&mut inning_at_bats, is_placed(&game, inning), edit)?;
    let inning_len = u8::try_from(inning_at_bats.len()).unwrap_or(u8::MAX);
    let mut at_bats: Vec<AtBat> =
        before.at_bats.iter().filter(|one| one.inning != inning).cloned().collect();
    at_bats.extend(inning_at_bats);
    sort_at_bats(&mut at_bats);
    game.at_bat_count = u16::try_from(at_bats.len()).unwrap_or(u16::MAX);
    let line = game.team_runs.as_mut();
    if let Some(runs) = line.and_then(|line| line.get_mut(usize::from(inning).checked_sub(1)?)) {
        *runs = totals.runs;
    }
    total(&mut game);
    let last =
        |at_bats: &[AtBat]| at_bats.last().map(|last| (last.at_bat_id.clone(), last.batting_order));
    let lineup_len = game.lineup.len();
    if let Some(state) = &mut game.state {
        if last(&at_bats) != last(&before.at_bats) {
            state.next_batting_order = next_slot(&at_bats, lineup_len);
        }
        if state.half == Half::Team && state.inning == inning {
            let position = state.position();
            (state.outs, state.at_bats) = (totals.outs, inning_len);
            state.bases = totals.bases.to_vec();
            if totals.outs >= HALF_OUTS {
                half::enter(&mut game, &[], position.next(before.game.home_away));
            }
        }
    }
    Ok(Rescored { book: Book { game, at_bats }, inning: Some(inning), at_bat })
}
