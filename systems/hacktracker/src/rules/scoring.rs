//! Scoring a game of a MANAGED team: recording, inserting, correcting, removing and undoing at-bats,
//! moving runners, and the opponent's runs.

use super::half::{self, is_placed, of_inning};
use super::inning::{self, Edit, Rbis};
use super::{HALF_OUTS, INNING_AT_BATS_MAX, Impossible, MOVES_MAX, play};
use crate::design::{
    AtBat, AtBatId, AtBatResult, Book, Game, GameState, GameStatus, Half, HandScore, HitLocation,
    HitType, How, Move, PlayerId,
};
use crate::limits::GAME_AT_BATS_MAX;
use singlet::Timestamp;

/// An at-bat as the scorer enters it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Who batted; whose turn it is, if nobody is named.
    pub player_id: Option<PlayerId>,
    /// Where the ball came down.
    pub hit_location: Option<HitLocation>,
    /// How it was hit.
    pub hit_type: Option<HitType>,
    /// The runs batted in; as proposed, if the scorer says nothing.
    pub rbis: Option<u8>,
    /// Where batter and runners went, as far as it differs from the default.
    pub moves: Vec<(u8, u8)>,
    /// Where it belongs, if it was missed when it happened.
    pub insert: Option<Insert>,
}

/// Where a missed at-bat belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// The inning.
    pub inning: u8,
    /// The at-bat before it; `None` at the beginning of the inning.
    pub after: Option<AtBatId>,
}

/// What is changed about an at-bat. What is `None` stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Correction {
    /// How it ended. A new result without moves takes the defaults.
    pub result: Option<AtBatResult>,
    /// Who batted.
    pub player_id: Option<PlayerId>,
    /// Where the ball came down; `Some(None)` removes it.
    pub hit_location: Option<Option<HitLocation>>,
    /// How it was hit; `Some(None)` removes it.
    pub hit_type: Option<Option<HitType>>,
    /// The runs batted in.
    pub rbis: Option<u8>,
    /// Where batter and runners went.
    pub moves: Option<Vec<(u8, u8)>>,
}

/// A game after a change of its at-bats.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescored {
    /// The game and its at-bats, in order.
    pub book: Book,
    /// The inning that changed.
    pub inning: u8,
    /// The at-bat that it is about, if it is still there.
    pub at_bat: Option<AtBatId>,
}

/// Sorts at-bats by the order in which they happened.
pub fn sort_at_bats(at_bats: &mut [AtBat]) {
    at_bats.sort_by(|one, other| {
        let key = |at_bat: &AtBat| (at_bat.inning, at_bat.sequence);
        key(one).cmp(&key(other)).then_with(|| one.at_bat_id.cmp(&other.at_bat_id))
    });
}

/// Refuses an at-bat for which the inning or the game has no room.
pub(super) fn check_room(book: &Book, at_bats_of_inning: usize) -> Result<(), Impossible> {
    if at_bats_of_inning >= INNING_AT_BATS_MAX {
        return Err(Impossible::HalfFull);
    }
    match book.at_bats.len() < GAME_AT_BATS_MAX {
        true => Ok(()),
        false => Err(Impossible::GameFull),
    }
}

/// Records an at-bat, or inserts a missed one. The opponent's turn is refused.
///
/// # Errors
///
/// If the play cannot happen, or the game is not at this point.
pub fn record(
    book: &Book,
    id: AtBatId,
    now: Timestamp,
    result: AtBatResult,
    entry: &Entry,
) -> Result<Rescored, Impossible> {
    let game = &book.game;
    let state = state_of(game, &[GameStatus::InProgress])?;
    let (inning, index) = match &entry.insert {
        None if state.half == Half::Opponent => return Err(Impossible::WrongHalf),
        None => (state.inning, usize::MAX),
        Some(insert) => (insert.inning, index_after(book, insert)?),
    };
    let mut inning_at_bats = of_inning(&book.at_bats, inning);
    check_room(book, inning_at_bats.len())?;
    let index = index.min(inning_at_bats.len());
    play::check_batted(result, entry.hit_location.is_some() || entry.hit_type.is_some())?;
    let slot = match &entry.insert {
        None => state.next_batting_order,
        Some(_) => missed_slot(&inning_at_bats, index, state.next_batting_order, game.lineup.len()),
    };
    let (player_id, slot) = batter(game, entry, slot)?;
    let slot_up = entry.insert.is_none().then_some(state.next_batting_order);
    let at_bat = AtBat {
        game_id: game.game_id.clone(),
        at_bat_id: id.clone(),
        player_id,
        team_id: game.team_id.clone(),
        inning,
        outs: 0,
        result,
        rbis: 0,
        hit_location: entry.hit_location.map(rounded),
        hit_type: entry.hit_type,
        batting_order: Some(slot),
        slot_up: slot_up.filter(|slot| *slot != next_slot(&book.at_bats, game.lineup.len())),
        sequence: 0,
        moves: Vec::new(),
        scored: false,
        created_at: now,
        updated_at: now,
    };
    inning_at_bats.insert(index, at_bat);
    let edit = Edit {
        index,
        moves: Some(entry.moves.clone()),
        rbis: entry.rbis.map_or(Rbis::Proposed, Rbis::Named),
    };
    let mut after =
        replay_inning(book, game.clone(), inning, inning_at_bats, Some(&edit), Some(id))?;
    if let (None, Some(state)) = (&entry.insert, &mut after.book.game.state) {
        // Also where the half that is played was resumed after a later one.
        state.next_batting_order = slot_after(slot, game.lineup.len());
    }
    Ok(after)
}

/// Corrects an at-bat and replays its inning.
///
/// # Errors
///
/// If there is no such at-bat, or the corrected play cannot happen.
pub fn correct(book: &Book, id: &AtBatId, correction: &Correction) -> Result<Rescored, Impossible> {
    state_of(&book.game, &[GameStatus::InProgress, GameStatus::Final])?;
    let (inning, mut inning_at_bats, index) = find(book, id)?;
    let at_bat = inning_at_bats.get_mut(index).ok_or(Impossible::AtBatNotFound)?;
    let result = correction.result.unwrap_or(at_bat.result);
    let is_new_result = result != at_bat.result;
    let was_proposed = inning::is_proposed(at_bat);
    at_bat.result = result;
    apply_hit(at_bat, correction)?;
    if let Some(player) = correction.player_id.as_ref().filter(|one| **one != at_bat.player_id) {
        at_bat.player_id = player.clone();
        at_bat.batting_order = slot_of(&book.game, player).or(at_bat.batting_order);
    }
    let moves = match &correction.moves {
        Some(moves) => Some(moves.clone()),
        None => is_new_result.then(Vec::new),
    };
    let rbis = match correction.rbis {
        Some(rbis) => Rbis::Named(rbis),
        None if was_proposed => Rbis::Proposed,
        None => Rbis::Kept(at_bat.rbis),
    };
    let edit = Edit { index, moves, rbis };
    replay_inning(book, book.game.clone(), inning, inning_at_bats, Some(&edit), Some(id.clone()))
}

/// Place and type of the hit after a correction. A result without a batted ball has none.
pub(super) fn apply_hit(at_bat: &mut AtBat, correction: &Correction) -> Result<(), Impossible> {
    let is_given = matches!(correction.hit_location, Some(Some(_)))
        || matches!(correction.hit_type, Some(Some(_)));
    play::check_batted(at_bat.result, is_given)?;
    if let Some(location) = correction.hit_location {
        at_bat.hit_location = location.map(rounded);
    }
    if let Some(hit_type) = correction.hit_type {
        at_bat.hit_type = hit_type;
    }
    if !play::is_batted(at_bat.result) {
        (at_bat.hit_location, at_bat.hit_type) = (None, None);
    }
    Ok(())
}

/// Removes an at-bat and replays its inning.
///
/// # Errors
///
/// If there is no such at-bat.
pub fn remove(book: &Book, id: &AtBatId) -> Result<Rescored, Impossible> {
    state_of(&book.game, &[GameStatus::InProgress, GameStatus::Final])?;
    let (inning, mut inning_at_bats, index) = find(book, id)?;
    inning_at_bats.remove(index);
    replay_inning(book, book.game.clone(), inning, inning_at_bats, None, None)
}

/// Undoes the last at-bat of this half, or its last runner move. Reaches into our half that has just
/// ended, if the opponent has no runs in this one.
///
/// # Errors
///
/// If there is nothing to undo.
pub fn undo(book: &Book) -> Result<Rescored, Impossible> {
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
        let previous = previous.ok_or(Impossible::NothingToUndo)?;
        inning = previous.inning;
        let inning_at_bats = of_inning(&book.at_bats, inning);
        if inning_at_bats.is_empty() {
            return Err(Impossible::NothingToUndo);
        }
        half::resume(&mut game, &[], state.position(), previous);
    }
    let mut inning_at_bats = of_inning(&book.at_bats, inning);
    let last = inning_at_bats.last_mut().ok_or(Impossible::NothingToUndo)?;
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
        // Who was up is up again, wherever the lineup has him now.
        let batter = slot_of(&book.game, &undone.player_id);
        let batter = batter.filter(|_| undone.batting_order == Some(slot));
        let lineup_len = u8::try_from(book.game.lineup.len()).unwrap_or(u8::MAX);
        state.next_batting_order = batter.unwrap_or(slot.min(lineup_len.max(1)));
    }
    Ok(after)
}

/// Moves runners between at-bats.
///
/// # Errors
///
/// If they cannot move like this, or this half has no at-bat yet.
pub fn move_runners(book: &Book, moves: &[(u8, u8)], how: How) -> Result<Rescored, Impossible> {
    let state = state_of(&book.game, &[GameStatus::InProgress])?;
    if state.half == Half::Opponent {
        return Err(Impossible::WrongHalf);
    }
    let mut inning_at_bats = of_inning(&book.at_bats, state.inning);
    let totals = inning::totals(&inning_at_bats, is_placed(&book.game, state.inning));
    let last = inning_at_bats.last_mut().ok_or_else(|| {
        Impossible::play("Nobody has batted in this half yet. Record the at-bat first.")
    })?;
    let moved = inning::runner_moves(&totals.bases, totals.outs, moves, how, last.moves.len())?;
    if last.moves.len() + moved.len() > MOVES_MAX {
        return Err(Impossible::play("An at-bat has at most 20 moves."));
    }
    last.moves.extend(moved);
    let id = last.at_bat_id.clone();
    replay_inning(book, book.game.clone(), state.inning, inning_at_bats, None, Some(id))
}

/// Sets the opponent's runs of an inning that has begun.
///
/// # Errors
///
/// If it has not, or the game is not played.
pub fn set_opponent_runs(game: &Game, inning: u8, runs: u16) -> Result<Game, Impossible> {
    state_of(game, &[GameStatus::InProgress, GameStatus::Final])?;
    let mut game = game.clone();
    let line = game.opponent_runs.as_mut();
    let place = line.and_then(|line| line.get_mut(usize::from(inning).checked_sub(1)?));
    *place
        .ok_or(Impossible::Field("/runs", "is for an inning in which the opponent has batted"))? =
        runs;
    total(&mut game);
    if game.opponent_score > 999 {
        return Err(Impossible::Field("/runs", "must keep the score below 1000"));
    }
    Ok(game)
}

/// Sets the score by hand: the first at-bat or run of the opponent replaces it. When there is none
/// any more, it counts again.
///
/// # Errors
///
/// If a MANAGED game has at-bats, or the game is postponed.
pub fn set_score(
    game: &Game,
    is_personal: bool,
    team_score: u16,
    opponent_score: u16,
) -> Result<Game, Impossible> {
    if game.status == GameStatus::Postponed {
        return Err(Impossible::WrongStatus);
    }
    if !is_personal && game.at_bat_count > 0 {
        return Err(Impossible::ScoreDerived);
    }
    let mut game = Game { team_score, opponent_score, ..game.clone() };
    if !is_personal {
        game.hand_score = Some(HandScore { team: team_score, opponent: opponent_score });
    }
    Ok(game)
}

/// The state of a game in one of these statuses.
fn state_of<'g>(game: &'g Game, statuses: &[GameStatus]) -> Result<&'g GameState, Impossible> {
    let state = game.state.as_ref().filter(|_| statuses.contains(&game.status));
    state.ok_or(Impossible::WrongStatus)
}

fn find(book: &Book, id: &AtBatId) -> Result<(u8, Vec<AtBat>, usize), Impossible> {
    let found = book.at_bats.iter().find(|at_bat| at_bat.at_bat_id == *id);
    let inning = found.ok_or(Impossible::AtBatNotFound)?.inning;
    let inning_at_bats = of_inning(&book.at_bats, inning);
    let index = inning_at_bats.iter().position(|at_bat| at_bat.at_bat_id == *id);
    Ok((inning, inning_at_bats, index.ok_or(Impossible::AtBatNotFound)?))
}

fn index_after(book: &Book, insert: &Insert) -> Result<usize, Impossible> {
    let begun = book.game.team_runs.as_ref().map_or(0, Vec::len);
    if insert.inning == 0 || usize::from(insert.inning) > begun {
        return Err(Impossible::Field("/insert/inning", "must be one in which we have batted"));
    }
    let Some(after) = &insert.after else { return Ok(0) };
    let inning_at_bats = of_inning(&book.at_bats, insert.inning);
    let before = inning_at_bats.iter().position(|at_bat| at_bat.at_bat_id == *after);
    let unknown = Impossible::Field("/insert/after", "must be an at-bat of this inning");
    before.map(|index| index + 1).ok_or(unknown)
}

/// The slot of a player in the lineup, from 1.
fn slot_of(game: &Game, player: &PlayerId) -> Option<u8> {
    let index = game.lineup.iter().position(|one| one == player)?;
    u8::try_from(index + 1).ok()
}

/// The slot after this one.
#[must_use]
pub fn slot_after(slot: u8, lineup_len: usize) -> u8 {
    if usize::from(slot) >= lineup_len { 1 } else { slot + 1 }
}

/// The slot of an at-bat that was missed: between those around it.
fn missed_slot(inning_at_bats: &[AtBat], index: usize, next: u8, lineup_len: usize) -> u8 {
    let slot = |index: Option<usize>| inning_at_bats.get(index?)?.batting_order;
    match (slot(index.checked_sub(1)), slot(Some(index))) {
        (Some(before), _) => slot_after(before, lineup_len),
        (None, Some(1)) => u8::try_from(lineup_len).unwrap_or(1).max(1),
        (None, Some(after)) => after - 1,
        (None, None) => next,
    }
}

/// Who bats, and in which slot.
fn batter(game: &Game, entry: &Entry, slot: u8) -> Result<(PlayerId, u8), Impossible> {
    if let Some(player) = &entry.player_id {
        return match slot_of(game, player) {
            Some(own) => Ok((player.clone(), own)),
            // Somebody who has been replaced since.
            None if entry.insert.is_some() => Ok((player.clone(), slot)),
            None => Err(Impossible::Field("/playerId", "must be in the lineup")),
        };
    }
    let up = usize::from(slot).checked_sub(1).and_then(|index| game.lineup.get(index));
    let up = up.ok_or_else(|| Impossible::LineupInvalid("Nobody is in the lineup.".to_owned()))?;
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

/// The slot after that of the last at-bat; the first one at the beginning.
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
) -> Result<Rescored, Impossible> {
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
    Ok(Rescored { book: Book { game, at_bats }, inning, at_bat })
}
