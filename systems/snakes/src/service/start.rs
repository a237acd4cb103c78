//! Starting a game.

use super::event::save;
use super::{Service, authenticate};
use crate::design::{Code, Event, EventKind, Lobby, Status};
use crate::error::{Error, Result};
use crate::rules::{Mode, PLAYERS_MIN};
use singlet::prelude::*;
use singlet_web::problem::ApiError as _;
use singlet_web::secret::Secret;

impl Service {
    /// 10: starts a game. Only its creator may.
    pub async fn start(&self, code: &Code, secret: &Secret) -> Result<Lobby> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_start(code, secret)).await
    }

    async fn try_start(&self, code: &Code, secret: &Secret) -> Result<Lobby> {
        let mut lobby = self.lobby(code).await?;
        let Lobby { game, players } = &mut lobby;
        let caller = authenticate(players, secret)?;
        match game.status {
            _ if game.creator_id != caller.id => return Err(Error::NotTheCreator),
            Status::Playing => return Err(Error::AlreadyStarted),
            Status::Finished => return Err(Error::GameOver),
            Status::Waiting if players.len() < PLAYERS_MIN => return Err(Error::TooFewPlayers),
            Status::Waiting => {}
        }
        let first = players.first().filter(|_| game.mode == Mode::Turns);
        game.turn = first.map(|first| first.id.clone());
        game.status = Status::Playing;
        self.record(game, Event::new(EventKind::Started, caller)).await?;
        self.db.run(save(game).or(Error::changed())).await?;
        Ok(lobby)
    }
}
