//! Playing again.

use super::create::NewGame;
use super::join::Joined;
use super::{Service, authenticate};
use crate::design::{Code, Event, EventKind, Status};
use crate::error::{Error, Result};
use singlet_web::secret::Secret;

impl Service {
    /// 15: plays again with the same people on the same board, in the same order. The first who
    /// asks creates the game; the others join it.
    pub async fn rematch(&self, code: &Code, secret: &Secret) -> Result<Joined> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_rematch(code, secret)).await
    }

    async fn try_rematch(&self, code: &Code, secret: &Secret) -> Result<Joined> {
        let mut before = self.lobby(code).await?;
        let caller = authenticate(&before.players, secret)?.clone();
        if before.game.status != Status::Finished {
            return Err(Error::NotOver);
        }
        if let Some(next) = &before.game.rematch_code {
            match self.join_at(next, &caller.name, caller.seat).await {
                // It was deleted as idle: create another one.
                Err(Error::GameNotFound) => {}
                joined => return joined,
            }
        }
        let event = Event::new(EventKind::Rematch, &caller);
        let new =
            NewGame { name: caller.name, mode: before.game.mode, board: before.game.board.clone() };
        self.charge_creation(&new).await?;
        self.record(&mut before.game, event).await?;
        self.insert_game(&new, caller.seat.unwrap_or_default(), Some(&mut before)).await
    }
}
