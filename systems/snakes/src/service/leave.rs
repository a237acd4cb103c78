//! Leaving a game.

use super::event::save;
use super::{Service, authenticate};
use crate::design::{Code, Connection, Event, EventKind, Game, Lobby, Player, PlayerId, Status};
use crate::error::{Error, Result};
use crate::rules::{TURN_TIME_MAX, next_turn};
use singlet::prelude::*;
use singlet_web::problem::ApiError as _;
use singlet_web::secret::Secret;

impl Service {
    /// 13: removes a player from its game. The turn passes to the next player, and the creator's
    /// right to start to the first one. The last player left in a started game has won; a winner
    /// who leaves stays the winner.
    pub async fn leave(&self, code: &Code, leaving: &PlayerId, secret: &Secret) -> Result<()> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_leave(code, leaving, secret)).await
    }

    async fn try_leave(&self, code: &Code, leaving: &PlayerId, secret: &Secret) -> Result<()> {
        let Lobby { mut game, players } = self.lobby(code).await?;
        let player = players.iter().find(|player| player.id == *leaving);
        let player = player.ok_or(Error::PlayerNotFound)?;
        let caller = authenticate(&players, secret)?;
        if caller != player && !may_remove(&game, caller, player, self.db.now()) {
            return Err(Error::NotRemovable);
        }
        let others: Vec<&Player> = players.iter().filter(|other| *other != player).collect();
        let winner = others.first().copied().filter(|_| game.status == Status::Playing);
        let ends_game = match game.status {
            Status::Waiting => others.is_empty(),
            Status::Playing => others.len() < 2,
            Status::Finished => false,
        };
        if ends_game {
            game.end(winner);
        } else if game.turn.as_ref() == Some(leaving) {
            game.turn = next_turn(&players, player).map(|next| next.id.clone());
        }
        if let Some(first) = others.first().filter(|_| game.creator_id == *leaving) {
            game.creator_id = first.id.clone();
            game.creator_name = Some(first.name.clone());
        }
        game.player_count = others.len() as u32;
        let left = Event { ends_game, ..Event::new(EventKind::Left, player) };
        self.record(&mut game, left).await?;
        let gone = delete(Player::key(code, leaving));
        self.db.transact((save(&game).or(Error::changed()), gone)).await?;
        self.delete_connections(code, leaving).await;
        Ok(())
    }

    /// Deletes a player's connections one by one: there may be too many for a transaction. If it
    /// fails, they expire.
    async fn delete_connections(&self, code: &Code, player: &PlayerId) {
        let deleted = async {
            for connection in self.connections_of(code).await? {
                if connection.player_id == *player {
                    self.db.run(delete(Connection::key(&connection.connection_id))).await?;
                }
            }
            Ok::<(), Error>(())
        };
        if let Err(error) = deleted.await {
            tracing::warn!(%error, "connections of a removed player stay until they expire");
        }
    }
}

/// Whether a player may remove another one: the creator any until the game begins, so that seats
/// are for those they are meant for; then everybody the one who keeps the others waiting.
fn may_remove(game: &Game, caller: &Player, other: &Player, now: Timestamp) -> bool {
    match game.status {
        Status::Waiting => game.creator_id == caller.id,
        Status::Playing => {
            game.turn.as_ref() == Some(&other.id) && now >= game.updated_at.after(TURN_TIME_MAX)
        }
        Status::Finished => false,
    }
}
