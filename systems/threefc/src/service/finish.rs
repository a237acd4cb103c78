//! The end of a game, and what undoes it.

use super::game::fixture_payload;
use super::game_change::{Audit, Edit};
use super::input::AbandonGame;
use super::{ATTEMPTS_MAX, Service};
use crate::design::{Abandoned, AuditAction, GameId, GameStatus, Role, TeamId};
use crate::error::Error;
use crate::rules::{end_running_third, result_of};
use crate::text::parse_optional;
use crate::view::{EventKind, GameView};
use singlet_web::identity::Caller;

impl Service {
    /// 23: finishGame. It counts from now on. One that is finished stays as it is.
    ///
    /// # Errors
    ///
    /// [`Error::ThirdsOpen`].
    pub async fn finish_game(
        &self,
        caller: &Caller,
        id: &GameId,
        force: bool,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_finish_game(caller, id, force);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_finish_game(
        &self,
        caller: &Caller,
        id: &GameId,
        force: bool,
    ) -> Result<(), Error> {
        let role = if force { Role::Admin } else { Role::Scorekeeper };
        let open = self.open_game(caller, id, role).await?;
        match open.game().status {
            GameStatus::Finished => return Ok(()),
            GameStatus::Abandoned => return Err(Error::GameAbandoned),
            GameStatus::Scheduled | GameStatus::Live => {}
        }
        if !force && open.game().thirds.iter().any(|third| third.finished_at.is_none()) {
            return Err(Error::ThirdsOpen);
        }
        let mut items = open.before.clone();
        end_running_third(&mut items.game, open.now);
        items.game.status = GameStatus::Finished;
        items.game.finished_at = Some(open.now);
        items.game.result = Some(result_of(&items.game.score));
        let audit = Audit::new(
            AuditAction::GameFinished,
            Some(fixture_payload(open.game())),
            Some(fixture_payload(&items.game)),
        );
        self.commit(&open, Edit::new(EventKind::GameFinished, items).audit(audit)).await
    }

    /// 24: abandonGame. It does not count; its goals and rosters stay visible.
    ///
    /// # Errors
    ///
    /// [`Error::GameFinished`], [`Error::TeamNotInGame`].
    pub async fn abandon_game(
        &self,
        caller: &Caller,
        id: &GameId,
        abandon: &AbandonGame,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_abandon_game(caller, id, abandon);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_abandon_game(
        &self,
        caller: &Caller,
        id: &GameId,
        abandon: &AbandonGame,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        match open.game().status {
            GameStatus::Abandoned => return Ok(()),
            GameStatus::Finished => return Err(Error::GameFinished),
            GameStatus::Scheduled | GameStatus::Live => {}
        }
        let mut absent: Vec<TeamId> = Vec::new();
        for text in &abandon.absent_team_ids {
            let team = open.game().team_ids.iter().find(|team| team.as_str() == text);
            let team = team.ok_or(Error::TeamNotInGame)?;
            if !absent.contains(team) {
                absent.push(team.clone());
            }
        }
        let mut items = open.before.clone();
        end_running_third(&mut items.game, open.now);
        items.game.status = GameStatus::Abandoned;
        items.game.abandoned = Some(Abandoned {
            reason: abandon.reason,
            note: parse_optional("/note", abandon.note.as_deref(), 120)?,
            absent_team_ids: absent,
        });
        let audit = Audit::new(
            AuditAction::GameAbandoned,
            Some(fixture_payload(open.game())),
            Some(fixture_payload(&items.game)),
        );
        self.commit(&open, Edit::new(EventKind::GameAbandoned, items).audit(audit)).await
    }

    /// 24: reopenGame. It goes on where it was, and no longer counts.
    ///
    /// # Errors
    ///
    /// [`Error::GameNotClosed`].
    pub async fn reopen_game(&self, caller: &Caller, id: &GameId) -> Result<GameView, Error> {
        let work = |_| self.try_reopen_game(caller, id);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_reopen_game(&self, caller: &Caller, id: &GameId) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Admin).await?;
        if !matches!(open.game().status, GameStatus::Finished | GameStatus::Abandoned) {
            return Err(Error::GameNotClosed);
        }
        let mut items = open.before.clone();
        let game = &mut items.game;
        game.status = match game.has_begun() {
            true => GameStatus::Live,
            false => GameStatus::Scheduled,
        };
        (game.finished_at, game.result, game.abandoned) = (None, None, None);
        let audit = Audit::new(
            AuditAction::GameReopened,
            Some(fixture_payload(open.game())),
            Some(fixture_payload(&items.game)),
        );
        self.commit(&open, Edit::new(EventKind::GameReopened, items).audit(audit)).await
    }
}
