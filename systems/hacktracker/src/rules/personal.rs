//! Games of PERSONAL teams: one player, no bases. Inning, outs, RBIs and runs are as the user says.

use super::play;
use super::scoring::{Rescored, apply_hit, check_room, entered, sort_at_bats};
use crate::design::{AtBat, AtBatId, AtBatResult, Book, GameStatus, PlayerId};
use crate::error::{Error, Result};
use crate::input::{AtBatChange, NewAtBat};
use singlet::Timestamp;
use singlet_web::validate::FieldErrors;

pub fn record(
    book: &Book,
    id: AtBatId,
    now: Timestamp,
    player_id: &PlayerId,
    new: &NewAtBat,
) -> Result<Rescored> {
    if book.game.status != GameStatus::InProgress {
        return Err(Error::WrongStatus);
    }
    let mut errors = refused([
        ("/moves", new.moves.as_ref().is_some_and(|moves| !moves.is_empty())),
        ("/insert", new.insert.is_some()),
        ("/playerId", new.player_id.as_ref().is_some_and(|one| one != player_id)),
    ]);
    errors.add_if(new.inning.is_none(), "/inning", "is missing");
    errors.refuse()?;
    let inning = new.inning.unwrap_or_default();
    let before = book.at_bats.iter().filter(|at_bat| at_bat.inning == inning).count();
    check_room(book, before)?;
    play::check_batted(new.result, new.hit_location.is_some() || new.hit_type.is_some())?;
    let mut at_bat = entered(&book.game, id.clone(), now, player_id.clone(), inning, new);
    at_bat.sequence = u8::try_from(before + 1).unwrap_or(u8::MAX);
    keep_home_run(&mut at_bat);
    let mut at_bats = book.at_bats.clone();
    at_bats.push(at_bat);
    Ok(with_at_bats(book, at_bats, inning, Some(id)))
}

fn keep_home_run(at_bat: &mut AtBat) {
    if at_bat.result == AtBatResult::Hr {
        at_bat.scored = true;
        at_bat.rbis = at_bat.rbis.max(1);
    }
}

pub fn correct(book: &Book, id: &AtBatId, change: &AtBatChange) -> Result<Rescored> {
    check_status(book)?;
    refused([("/moves", change.moves.is_some()), ("/playerId", change.player_id.is_some())])
        .refuse()?;
    let mut at_bats = book.at_bats.clone();
    let at_bat = at_bats.iter_mut().find(|at_bat| at_bat.at_bat_id == *id);
    let at_bat = at_bat.ok_or(Error::AtBatNotFound)?;
    at_bat.result = change.result.unwrap_or(at_bat.result);
    apply_hit(at_bat, change)?;
    at_bat.outs = change.outs.unwrap_or(at_bat.outs);
    at_bat.scored = change.scored.unwrap_or(at_bat.scored);
    at_bat.rbis = change.rbis.unwrap_or(at_bat.rbis);
    keep_home_run(at_bat);
    let inning = at_bat.inning;
    Ok(with_at_bats(book, at_bats, inning, Some(id.clone())))
}

pub fn remove(book: &Book, id: &AtBatId) -> Result<Rescored> {
    check_status(book)?;
    let removed = book.at_bats.iter().find(|at_bat| at_bat.at_bat_id == *id);
    let inning = removed.ok_or(Error::AtBatNotFound)?.inning;
    let mut at_bats = book.at_bats.clone();
    at_bats.retain(|at_bat| at_bat.at_bat_id != *id);
    let of_inning = at_bats.iter_mut().filter(|at_bat| at_bat.inning == inning);
    for (at_bat, sequence) in of_inning.zip(1..) {
        at_bat.sequence = sequence;
    }
    Ok(with_at_bats(book, at_bats, inning, None))
}

pub fn undo(book: &Book) -> Result<Rescored> {
    let last = book.at_bats.iter().max_by_key(|at_bat| (at_bat.created_at, &at_bat.at_bat_id));
    let last = last.ok_or(Error::NothingToUndo)?;
    remove(book, &last.at_bat_id)
}

fn refused<const N: usize>(fields: [(&'static str, bool); N]) -> FieldErrors {
    let mut errors = FieldErrors::default();
    for (field, is_given) in fields {
        errors.add_if(is_given, field, "cannot be given in a personal game");
    }
    errors
}

fn check_status(book: &Book) -> Result<()> {
    match book.game.status {
        GameStatus::InProgress | GameStatus::Final => Ok(()),
        GameStatus::Scheduled | GameStatus::Postponed => Err(Error::WrongStatus),
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
    Rescored { book: Book { game, at_bats }, inning: Some(inning), at_bat }
}
