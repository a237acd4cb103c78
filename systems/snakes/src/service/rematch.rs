//! Playing again.

use super::create::NewGame;
use super::join::Joined;
use super::{Service, authenticate};
use crate::design::{Code, Event, EventKind, Game, Status};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::secret::Secret;

impl Service {
    /// 15: plays again with the same people on the same board. The first who asks creates the game,
    /// and the game before shows its code; everybody who asks later joins it.
    ///
    /// # Errors
    ///
    /// If the game is not over or the secret is wrong; for those who come later, as for
    /// [`Service::join`].
    pub async fn rematch(&self, code: &Code, secret: &Secret) -> Result<Joined, Error> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_rematch(code, secret)).await
    }

    async fn try_rematch(&self, code: &Code, secret: &Secret) -> Result<Joined, Error> {
        let lobby = self.lobby(code).await?;
        let caller = authenticate(&lobby, secret)?;
        let game = &lobby.game;
        if game.status != Status::Finished {
            return Err(Error::NotOver);
        }
        if let Some(next) = &game.rematch_code {
            match self.join(next, &caller.name).await {
                // It was deleted because nobody joined it for too long: make another one.
                Err(Error::GameNotFound) => {}
                joined => return joined,
            }
        }
        let expiries = self.renew(game).await?;
        let event =
            Event { name: Some(caller.name.clone()), ..Event::of(EventKind::Rematch, &caller.id) };
        let new = NewGame { name: caller.name.clone(), mode: game.mode, board: game.board.clone() };
        self.insert_game(&new, &caller.name, |next| {
            let offered = update(Game::key(code))
                .set(Game::REMATCH_CODE, next)
                .set(Game::SEQUENCE, game.sequence + 1)
                .set(Game::HISTORY, game.history_with(&event))
                .set(Game::LAST_EVENT, &event)
                .set(Game::MEMBERS_TTL, expiries.members)
                .set(Game::EXPIRES, expiries.game)
                .only_if(Game::SEQUENCE.eq(game.sequence));
            Some(offered)
        })
        .await
    }
}
