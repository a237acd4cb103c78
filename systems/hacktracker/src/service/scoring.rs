//! Scoring: at-bats, runners, the opponent's runs, halves.

use super::Service;
use crate::design::{AtBatId, EventKind, GameId};
use crate::error::{Error, Result};
use crate::input::{AtBatChange, NewAtBat, NewHalf, OpponentRuns, Revision, RunnerMoves};
use crate::rules::half::{self, HalfInning};
use crate::rules::personal;
use crate::rules::scoring::{self, Rescored};
use crate::view::ScoringView;
use singlet_web::identity::Caller;

impl Service {
    pub async fn record_at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewAtBat,
    ) -> Result<ScoringView> {
        let (access, book) = self.book_at(caller, game_id, new.revision).await?;
        let now = self.db.now();
        let id: AtBatId = self.random.id(now)?;
        let after = match (access.is_personal(), &access.membership.player_id) {
            (true, Some(player)) => personal::record(&book, id, now, player, new)?,
            (true, None) => return Err(Error::PlayerNotFound),
            (false, _) => scoring::record(&book, id, now, new)?,
        };
        let kind = match &new.insert {
            None => EventKind::AtBatRecorded,
            Some(_) => EventKind::AtBatCorrected,
        };
        self.commit(&access, &book, after, kind).await
    }

    pub async fn correct_at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        at_bat_id: &AtBatId,
        change: &AtBatChange,
    ) -> Result<ScoringView> {
        let (access, book) = self.book_at(caller, game_id, change.revision).await?;
        let after = match access.is_personal() {
            true => personal::correct(&book, at_bat_id, change)?,
            false => scoring::correct(&book, at_bat_id, change)?,
        };
        self.commit(&access, &book, after, EventKind::AtBatCorrected).await
    }

    pub async fn remove_at_bat(
        &self,
        caller: &Caller,
        game_id: &GameId,
        at_bat_id: &AtBatId,
        seen: &Revision,
    ) -> Result<ScoringView> {
        let (access, book) = self.book_at(caller, game_id, seen.revision).await?;
        let after = match access.is_personal() {
            true => personal::remove(&book, at_bat_id)?,
            false => scoring::remove(&book, at_bat_id)?,
        };
        self.commit(&access, &book, after, EventKind::AtBatRemoved).await
    }

    pub async fn undo(
        &self,
        caller: &Caller,
        game_id: &GameId,
        seen: &Revision,
    ) -> Result<ScoringView> {
        let (access, book) = self.book_at(caller, game_id, seen.revision).await?;
        let after = match access.is_personal() {
            true => personal::undo(&book)?,
            false => scoring::undo(&book)?,
        };
        self.commit(&access, &book, after, EventKind::AtBatRemoved).await
    }

    pub async fn move_runners(
        &self,
        caller: &Caller,
        game_id: &GameId,
        moves: &RunnerMoves,
    ) -> Result<ScoringView> {
        let (access, book) = self.managed_book_at(caller, game_id, moves.revision).await?;
        let after = scoring::move_runners(&book, &moves.moves, moves.how)?;
        self.commit(&access, &book, after, EventKind::RunnersMoved).await
    }

    pub async fn set_opponent_runs(
        &self,
        caller: &Caller,
        game_id: &GameId,
        inning: u8,
        new: &OpponentRuns,
    ) -> Result<ScoringView> {
        let (access, book) = self.managed_book_at(caller, game_id, new.revision).await?;
        let game = scoring::set_opponent_runs(&book.game, inning, new.runs)?;
        let after = Rescored::game(&book, game, Some(inning));
        self.commit(&access, &book, after, EventKind::OpponentScored).await
    }

    pub async fn change_half(
        &self,
        caller: &Caller,
        game_id: &GameId,
        new: &NewHalf,
    ) -> Result<ScoringView> {
        let (access, book) = self.managed_book_at(caller, game_id, new.revision).await?;
        let to = HalfInning { inning: new.inning, half: new.half };
        let game = half::change(&book, to, new.placed_runner.as_ref())?;
        let inning = game.state.as_ref().map(|state| state.inning);
        let after = Rescored::game(&book, game, inning);
        self.commit(&access, &book, after, EventKind::HalfChanged).await
    }
}
