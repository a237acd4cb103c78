//! Scoring: at-bats, runners, the opponent's runs, halves.

use super::Service;
use crate::design::{AtBatId, Book, EventKind, GameId, Role};
use crate::error::Error;
use crate::input::{AtBatChange, NewAtBat, NewHalf, NewMove, OpponentRuns, RunnerMoves};
use crate::rules::half::{self, HalfInning};
use crate::rules::personal::{self, ByHand};
use crate::rules::scoring::{self, Correction, Entry, Insert, Rescored};
use crate::view::ScoringView;
use singlet_web::api::Change;
use singlet_web::identity::Caller;

impl Service {
    /// 26: records an at-bat, or inserts a missed one.
    ///
    /// # Errors
    ///
    /// [`Error::WrongStatus`], [`Error::WrongHalf`], [`Error::PlayImpossible`], [`Error::HalfFull`],
    /// [`Error::GameFull`], [`Error::TooManyAtBats`].
    pub async fn record_at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewAtBat,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.book_at(caller, game_id, Role::Scorekeeper, new.revision).await?;
        let now = self.db.now();
        let id: AtBatId = self.random.id(now)?;
        let insert = new.insert.as_ref();
        let entry = Entry {
            player_id: new.player_id.clone(),
            hit_location: new.hit_location,
            hit_type: new.hit_type,
            rbis: new.rbis,
            moves: pairs(new.moves.as_deref().unwrap_or_default()),
            insert: insert.map(|one| Insert { inning: one.inning, after: one.after.clone() }),
        };
        let by_hand = ByHand { inning: new.inning, outs: new.outs, scored: new.scored };
        let after = match (access.is_personal(), &access.membership.player_id) {
            (true, Some(player)) => {
                personal::record(&book, id, now, player, new.result, &entry, by_hand)?
            }
            (true, None) => return Err(Error::PlayerNotFound),
            (false, _) => {
                refuse_by_hand(by_hand)?;
                scoring::record(&book, id, now, new.result, &entry)?
            }
        };
        let kind = match insert {
            None => EventKind::AtBatRecorded,
            Some(_) => EventKind::AtBatCorrected,
        };
        self.commit_at_bats(&access, &book, after, kind).await
    }

    /// 27: corrects an at-bat.
    ///
    /// # Errors
    ///
    /// [`Error::AtBatNotFound`], [`Error::PlayImpossible`], [`Error::TooManyAtBats`].
    pub async fn correct_at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        at_bat_id: &AtBatId,
        change: &AtBatChange,
    ) -> Result<ScoringView, Error> {
        let (access, book) =
            self.book_at(caller, game_id, Role::Scorekeeper, change.revision).await?;
        let correction = Correction {
            result: change.result,
            player_id: change.player_id.clone(),
            hit_location: given(&change.hit_location),
            hit_type: given(&change.hit_type),
            rbis: change.rbis,
            moves: change.moves.as_deref().map(pairs),
        };
        let by_hand = ByHand { inning: None, outs: change.outs, scored: change.scored };
        let after = match access.is_personal() {
            true => personal::correct(&book, at_bat_id, &correction, by_hand)?,
            false => {
                refuse_by_hand(by_hand)?;
                scoring::correct(&book, at_bat_id, &correction)?
            }
        };
        self.commit_at_bats(&access, &book, after, EventKind::AtBatCorrected).await
    }

    /// 27: removes an at-bat.
    ///
    /// # Errors
    ///
    /// [`Error::AtBatNotFound`].
    pub async fn remove_at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        at_bat_id: &AtBatId,
        revision: u64,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.book_at(caller, game_id, Role::Scorekeeper, revision).await?;
        let after = match access.is_personal() {
            true => personal::remove(&book, at_bat_id)?,
            false => scoring::remove(&book, at_bat_id)?,
        };
        self.commit_at_bats(&access, &book, after, EventKind::AtBatRemoved).await
    }

    /// 28: undoes the last at-bat, or its last runner move.
    ///
    /// # Errors
    ///
    /// [`Error::NothingToUndo`].
    pub async fn undo(
        &self,
        caller: &Caller,
        game_id: &GameId,
        revision: u64,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.book_at(caller, game_id, Role::Scorekeeper, revision).await?;
        let after = match access.is_personal() {
            true => personal::undo(&book)?,
            false => scoring::undo(&book)?,
        };
        self.commit_at_bats(&access, &book, after, EventKind::AtBatRemoved).await
    }

    /// 29: moves runners between at-bats.
    ///
    /// # Errors
    ///
    /// [`Error::PlayImpossible`], [`Error::WrongStatus`], [`Error::WrongHalf`],
    /// [`Error::PersonalTeam`].
    pub async fn move_runners(
        &self,
        caller: &Caller,
        game_id: &GameId,
        moves: &RunnerMoves,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.managed_book_at(caller, game_id, moves.revision).await?;
        let after = scoring::move_runners(&book, &pairs(&moves.moves), moves.how)?;
        self.commit_at_bats(&access, &book, after, EventKind::RunnersMoved).await
    }

    /// 30: sets the opponent's runs of an inning.
    ///
    /// # Errors
    ///
    /// [`Error::WrongStatus`], [`Error::PersonalTeam`].
    pub async fn set_opponent_runs(
        &self,
        caller: &Caller,
        game_id: &GameId,
        inning: u8,
        new: &OpponentRuns,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.managed_book_at(caller, game_id, new.revision).await?;
        let game = scoring::set_opponent_runs(&book.game, inning, new.runs)?;
        let after = Book { game, ..book.clone() };
        self.commit(&access, &book, after, EventKind::OpponentScored, None, Some(inning)).await
    }

    /// 31: goes to the next half, or back to the previous one.
    ///
    /// # Errors
    ///
    /// [`Error::HalfComplete`], [`Error::WrongStatus`], [`Error::PersonalTeam`].
    pub async fn change_half(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewHalf,
    ) -> Result<ScoringView, Error> {
        let (access, book) = self.managed_book_at(caller, game_id, new.revision).await?;
        let to = HalfInning { inning: new.inning, half: new.half };
        let game = half::change(&book, to, new.placed_runner.as_ref())?;
        let inning = game.state.as_ref().map(|state| state.inning);
        let after = Book { game, ..book.clone() };
        self.commit(&access, &book, after, EventKind::HalfChanged, None, inning).await
    }

    async fn commit_at_bats(
        &self,
        access: &super::TeamAccess,
        before: &Book,
        after: Rescored,
        kind: EventKind,
    ) -> Result<ScoringView, Error> {
        let Rescored { book, inning, at_bat } = after;
        self.commit(access, before, book, kind, at_bat.as_ref(), Some(inning)).await
    }
}

fn pairs(moves: &[NewMove]) -> Vec<(u8, u8)> {
    moves.iter().map(|one| (one.from, one.to)).collect()
}

fn given<T: Clone>(change: &Change<T>) -> Option<Option<T>> {
    match change {
        Change::Keep => None,
        Change::Remove => Some(None),
        Change::Set(value) => Some(Some(value.clone())),
    }
}

/// In a game of a MANAGED team inning, outs and runs follow from the plays.
fn refuse_by_hand(by_hand: ByHand) -> Result<(), Error> {
    let ByHand { inning, outs, scored } = by_hand;
    let fields =
        [("/inning", inning.is_some()), ("/outs", outs.is_some()), ("/scored", scored.is_some())];
    match fields.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((field, _)) => Err(Error::invalid(field, "follows from the plays of the game")),
    }
}
