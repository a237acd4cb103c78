//! The clock of a game, its end, and reopening it.

use super::game_change::{Audit, Edit, OpenGame};
use super::input::{AbandonGame, ThirdChange};
use super::{ADMIN, Need, SCOREKEEPER, Service};
use crate::design::*;
use crate::error::{Error, Result};
use crate::rules::{correct_third, end_running_third, finish_third, start_third};
use crate::view::GameView;
use singlet::Timestamp;
use singlet_web::identity::Caller;

/// A game after a change, and the audit record.
type Changed = (Game, Option<Audit>);

impl Service {
    /// 17: startThird. One that runs already keeps its start.
    pub async fn start_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        at: Option<Timestamp>,
    ) -> Result<GameView> {
        self.change_game(caller, id, SCOREKEEPER, EventKind::ThirdStarted, |open| {
            open.require_open()?;
            Ok(start_third(open.game(), third, at, open.now)?.map(|game| (game, None)))
        })
        .await
    }

    /// 17: finishThird. One that is over keeps its finish.
    pub async fn finish_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        at: Option<Timestamp>,
    ) -> Result<GameView> {
        self.change_game(caller, id, SCOREKEEPER, EventKind::ThirdFinished, |open| {
            open.require_open()?;
            Ok(finish_third(open.game(), third, at, open.now)?.map(|game| (game, None)))
        })
        .await
    }

    /// 18: correctThird: other times, or the latest start or finish taken back.
    pub async fn correct_third(
        &self,
        caller: &Caller,
        id: &GameId,
        third: u8,
        change: &ThirdChange,
    ) -> Result<GameView> {
        self.change_game(caller, id, SCOREKEEPER, EventKind::ThirdCorrected, |open| {
            open.require_open_or_admin()?;
            let (before, goals) = (open.game(), &open.before.goals);
            let (start, finish) = (change.started_at.clone(), change.finished_at.clone());
            let game = correct_third(before, goals, third, start, finish, open.now)?;
            let (old, new) = (before.third(third), game.third(third));
            let audit = Audit::new(AuditAction::ThirdCorrected, old, new);
            Ok((game != *before).then_some((game, Some(audit))))
        })
        .await
    }

    /// 23: finishGame. It counts from now on. A finished game stays as it is.
    pub async fn finish_game(&self, caller: &Caller, id: &GameId, force: bool) -> Result<GameView> {
        let need = if force { ADMIN } else { SCOREKEEPER };
        self.change_game(caller, id, need, EventKind::GameFinished, |open| {
            if open.is_finished() {
                return Ok(None);
            }
            open.require_open()?;
            if !force && open.game().thirds.iter().any(|third| third.finished_at.is_none()) {
                return Err(Error::ThirdsOpen);
            }
            let mut game = open.game().clone();
            end_running_third(&mut game, open.now);
            game.status = GameStatus::Finished;
            game.finished_at = Some(open.now);
            Ok(Some((game, Some(Audit::of_game(AuditAction::GameFinished)))))
        })
        .await
    }

    /// 24: abandonGame. It does not count; its goals and rosters stay visible.
    pub async fn abandon_game(
        &self,
        caller: &Caller,
        id: &GameId,
        abandon: &AbandonGame,
    ) -> Result<GameView> {
        self.change_game(caller, id, SCOREKEEPER, EventKind::GameAbandoned, |open| {
            if open.game().status == GameStatus::Abandoned {
                return Ok(None);
            }
            open.require_open()?;
            let mut game = open.game().clone();
            let absent_team_ids = abandon.absent_team_ids.to_vec();
            if absent_team_ids.iter().any(|team| !game.team_ids.contains(team)) {
                return Err(Error::TeamNotInGame);
            }
            end_running_third(&mut game, open.now);
            game.status = GameStatus::Abandoned;
            let note = abandon.note.clone().map(String::from);
            game.abandoned = Some(Abandoned { reason: abandon.reason, note, absent_team_ids });
            Ok(Some((game, Some(Audit::of_game(AuditAction::GameAbandoned)))))
        })
        .await
    }

    /// 24: reopenGame. It goes on where it was, and no longer counts.
    pub async fn reopen_game(&self, caller: &Caller, id: &GameId) -> Result<GameView> {
        self.change_game(caller, id, ADMIN, EventKind::GameReopened, |open| {
            if open.require_open().is_ok() {
                return Err(Error::GameNotClosed);
            }
            let mut game = open.game().clone();
            game.status = match game.has_begun() {
                true => GameStatus::Live,
                false => GameStatus::Scheduled,
            };
            (game.finished_at, game.result, game.abandoned) = (None, None, None);
            Ok(Some((game, Some(Audit::of_game(AuditAction::GameReopened)))))
        })
        .await
    }

    /// Changes the item of a game, and nothing of its goals and rosters. `None` leaves it as it is.
    async fn change_game(
        &self,
        caller: &Caller,
        id: &GameId,
        need: Need,
        kind: EventKind,
        change: impl Fn(&OpenGame) -> Result<Option<Changed>> + Send + Sync,
    ) -> Result<GameView> {
        self.attempt(async |_| {
            let open = self.open_game(caller, id, need, None).await?;
            let Some((game, audit)) = change(&open)? else { return Ok(open.unchanged()) };
            let edit = self.edit(&open, kind, GameItems { game, ..open.before.clone() });
            self.commit(&open, Edit { audit, ..edit }).await
        })
        .await
    }
}
