//! Starting a game.

use super::{Service, authenticate, in_order};
use crate::design::{Code, Event, EventKind, Game, Lobby, Status};
use crate::error::Error;
use crate::rules::{Mode, PLAYERS_MIN};
use singlet::prelude::*;
use singlet_web::secret::Secret;

impl Service {
    /// 10: starts a game, which its creator does.
    ///
    /// # Errors
    ///
    /// If the caller is not the creator, the game has begun, or there are too few players.
    pub async fn start(&self, code: &Code, secret: &Secret) -> Result<Lobby, Error> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_start(code, secret)).await
    }

    async fn try_start(&self, code: &Code, secret: &Secret) -> Result<Lobby, Error> {
        let mut lobby = self.lobby(code).await?;
        let caller = authenticate(&lobby, secret)?.id.clone();
        let Lobby { game, players } = &mut lobby;
        match game.status {
            _ if game.creator_id != caller => return Err(Error::NotTheCreator),
            Status::Playing => return Err(Error::AlreadyStarted),
            Status::Finished => return Err(Error::GameOver),
            Status::Waiting if players.len() < PLAYERS_MIN => {
                return Err(Error::TooFewPlayers);
            }
            Status::Waiting => {}
        }
        let expiries = self.renew(game).await?;
        let first = match game.mode {
            Mode::Turns => in_order(players).into_iter().next(),
            Mode::Race => None,
        };
        let event = Event::of(EventKind::Started, &caller);
        let started = update(Game::key(code))
            .set(Game::STATUS, Status::Playing)
            .set(Game::TURN, &first)
            .set(Game::SEQUENCE, game.sequence + 1)
            .set(Game::HISTORY, game.history_with(&event))
            .set(Game::LAST_EVENT, &event)
            .set(Game::MEMBERS_TTL, expiries.members)
            .set(Game::EXPIRES, expiries.game)
            .only_if(Game::SEQUENCE.eq(game.sequence))
            .returning_new();
        *game = self.db.run(started.or(Error::changed())).await?;
        Ok(lobby)
    }
}
