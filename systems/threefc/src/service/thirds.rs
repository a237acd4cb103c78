//! The clock of a game.

use super::game_change::{Audit, Edit};
use super::input::ThirdChange;
use super::{ATTEMPTS_MAX, Service};
use crate::design::{AuditAction, Game, GameId, GameItems, Role};
use crate::error::Error;
use crate::rules::{correct_third, finish_third, start_third};
use crate::view::{EventKind, GameView};
use serde_json::json;
use singlet::prelude::*;
use singlet_web::identity::Caller;

/// What is done to a third.
#[derive(Clone, Copy)]
enum Step {
    Start,
    Finish,
}

impl Service {
    /// 17: startThird. One that runs already keeps its start.
    ///
    /// # Errors
    ///
    /// [`Error::ThirdOutOfOrder`], [`Error::ThirdOver`].
    pub async fn start_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        at: Option<Timestamp>,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_step(caller, id, third, at, Step::Start);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    /// 17: finishThird. One that is over keeps its finish.
    ///
    /// # Errors
    ///
    /// [`Error::ThirdOutOfOrder`].
    pub async fn finish_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        at: Option<Timestamp>,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_step(caller, id, third, at, Step::Finish);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_step(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        at: Option<Timestamp>,
        step: Step,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        open.require_open()?;
        let (changed, kind): (Option<Game>, EventKind) = match step {
            Step::Start => {
                (start_third(open.game(), third, at, open.now)?, EventKind::ThirdStarted)
            }
            Step::Finish => {
                (finish_third(open.game(), third, at, open.now)?, EventKind::ThirdFinished)
            }
        };
        let Some(game) = changed else { return Ok(()) };
        let items = GameItems { game, ..open.before.clone() };
        self.commit(&open, Edit::new(kind, items)).await
    }

    /// 18: correctThird: other times, or the latest start or finish taken back.
    ///
    /// # Errors
    ///
    /// [`Error::ThirdOutOfOrder`], [`Error::ThirdHasGoals`].
    pub async fn correct_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        change: &ThirdChange,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_correct_third(caller, id, third, change);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_correct_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        change: &ThirdChange,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        open.require_open_or_admin()?;
        let (before, goals) = (open.game(), &open.before.goals);
        let (start, finish) = (change.started_at.clone(), change.finished_at.clone());
        let game = correct_third(before, goals, third, start, finish, open.now)?;
        if game == *before {
            return Ok(());
        }
        let payload = |game: &Game| game.third(third).map(|third| json!(third));
        let audit = Audit::new(AuditAction::ThirdCorrected, payload(before), payload(&game));
        let items = GameItems { game, ..open.before.clone() };
        self.commit(&open, Edit::new(EventKind::ThirdCorrected, items).audit(audit)).await
    }
}
