//! Games of PERSONAL teams: one player, no bases. Inning, outs, RBIs and runs are as the user says.

use super::scoring::{Correction, Entry, Rescored, apply_hit, check_room, rounded, sort_at_bats};
use super::{INNINGS_MAX, Impossible, play};
use crate::design::{AtBat, AtBatId, AtBatResult, Book, GameStatus, PlayerId};
use singlet::Timestamp;

/// What the user says besides the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByHand {
    /// The inning.
    pub inning: Option<u8>,
    /// The outs before it.
    pub outs: Option<u8>,
    /// Whether the user came home.
    pub scored: Option<bool>,
}

/// Records an at-bat.
///
/// # Errors
///
/// If the game is not played, or a field cannot be given here.
pub fn record(
    book: &Book,
    id: AtBatId,
    now: Timestamp,
    player_id: &PlayerId,
    result: AtBatResult,
    entry: &Entry,
    by_hand: ByHand,
) -> Result<Rescored, Impossible> {
    if book.game.status != GameStatus::InProgress {
        return Err(Impossible::WrongStatus);
    }
    refuse_given("/moves", !entry.moves.is_empty())?;
    refuse_given("/insert", entry.insert.is_some())?;
    refuse_given("/playerId", entry.player_id.as_ref().is_some_and(|one| one != player_id))?;
    let inning = by_hand.inning.filter(|inning| (1..=INNINGS_MAX).contains(inning));
    let inning = inning.ok_or(Impossible::Field("/inning", "must be 1 to 30"))?;
    let before = book.at_bats.iter().filter(|at_bat| at_bat.inning == inning).count();
    check_room(book, before)?;
    play::check_batted(result, entry.hit_location.is_some() || entry.hit_type.is_some())?;
    let mut at_bat = AtBat {
        game_id: book.game.game_id.clone(),
        at_bat_id: id.clone(),
        player_id: player_id.clone(),
        team_id: book.game.team_id.clone(),
        inning,
        outs: by_hand.outs.unwrap_or(0),
        result,
        rbis: entry.rbis.unwrap_or(0),
        hit_location: entry.hit_location.map(rounded),
        hit_type: entry.hit_type,
        batting_order: None,
        slot_up: None,
        sequence: u8::try_from(before + 1).unwrap_or(u8::MAX),
        moves: Vec::new(),
        scored: by_hand.scored.unwrap_or(false),
        created_at: now,
        updated_at: now,
    };
    keep_home_run(&mut at_bat);
    let mut at_bats = book.at_bats.clone();
    at_bats.push(at_bat);
    Ok(with_at_bats(book, at_bats, inning, Some(id)))
}

/// Who hits a home run scores, and bats himself in.
fn keep_home_run(at_bat: &mut AtBat) {
    if at_bat.result == AtBatResult::Hr {
        at_bat.scored = true;
        at_bat.rbis = at_bat.rbis.max(1);
    }
}

/// Corrects an at-bat.
///
/// # Errors
///
/// If there is no such at-bat, or a field cannot be given here.
pub fn correct(
    book: &Book,
    id: &AtBatId,
    correction: &Correction,
    by_hand: ByHand,
) -> Result<Rescored, Impossible> {
    check_status(book)?;
    refuse_given("/moves", correction.moves.is_some())?;
    refuse_given("/playerId", correction.player_id.is_some())?;
    let mut at_bats = book.at_bats.clone();
    let at_bat = at_bats.iter_mut().find(|at_bat| at_bat.at_bat_id == *id);
    let at_bat = at_bat.ok_or(Impossible::AtBatNotFound)?;
    at_bat.result = correction.result.unwrap_or(at_bat.result);
    apply_hit(at_bat, correction)?;
    at_bat.outs = by_hand.outs.unwrap_or(at_bat.outs);
    at_bat.scored = by_hand.scored.unwrap_or(at_bat.scored);
    at_bat.rbis = correction.rbis.unwrap_or(at_bat.rbis);
    keep_home_run(at_bat);
    let inning = at_bat.inning;
    Ok(with_at_bats(book, at_bats, inning, Some(id.clone())))
}

/// Removes an at-bat.
///
/// # Errors
///
/// If there is no such at-bat.
pub fn remove(book: &Book, id: &AtBatId) -> Result<Rescored, Impossible> {
    check_status(book)?;
    let removed = book.at_bats.iter().find(|at_bat| at_bat.at_bat_id == *id);
    let inning = removed.ok_or(Impossible::AtBatNotFound)?.inning;
    let mut at_bats = book.at_bats.clone();
    at_bats.retain(|at_bat| at_bat.at_bat_id != *id);
    let of_inning = at_bats.iter_mut().filter(|at_bat| at_bat.inning == inning);
    for (at_bat, sequence) in of_inning.zip(1..) {
        at_bat.sequence = sequence;
    }
    Ok(with_at_bats(book, at_bats, inning, None))
}

/// Removes the at-bat that was recorded last.
///
/// # Errors
///
/// If there is none.
pub fn undo(book: &Book) -> Result<Rescored, Impossible> {
    let last = book.at_bats.iter().max_by_key(|at_bat| (at_bat.created_at, &at_bat.at_bat_id));
    let last = last.ok_or(Impossible::NothingToUndo)?;
    remove(book, &last.at_bat_id)
}

/// Refuses a field that games of PERSONAL teams do not have.
fn refuse_given(field: &'static str, is_given: bool) -> Result<(), Impossible> {
    match is_given {
        true => Err(Impossible::Field(field, "cannot be given in a personal game")),
        false => Ok(()),
    }
}

fn check_status(book: &Book) -> Result<(), Impossible> {
    match book.game.status {
        GameStatus::InProgress | GameStatus::Final => Ok(()),
        GameStatus::Scheduled | GameStatus::Postponed => Err(Impossible::WrongStatus),
    }
}

fn with_at_bats(
    book: &Book,
    mut at_bats: Vec<AtBat>,
    inning: u8,
    at_bat: Option<AtBatId>,
) -> Rescored {
    sort_at_bats(&mut at_bats);
    let mut game = book.game.clone();
    game.at_bat_count = u16::try_from(at_bats.len()).unwrap_or(u16::MAX);
    Rescored { book: Book { game, at_bats }, inning, at_bat }
}
