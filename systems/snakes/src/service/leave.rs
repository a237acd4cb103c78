//! Leaving a game.

use super::{Service, authenticate, in_order};
use crate::design::{Code, Connection, Event, EventKind, Game, Lobby, Player, PlayerId, Status};
use crate::error::Error;
use crate::rules::{TURN_TIME_MAX, next_turn};
use singlet::prelude::*;
use singlet_web::secret::Secret;

impl Service {
    /// 13: takes a player out of its game, for good. If it was its turn, it is the next player's;
    /// if it was the creator, the one who joined next is that from now on. The last player left in a
    /// game that is played has won; a game that everybody has left before it began is over. Who has
    /// won stays the winner.
    ///
    /// A player leaves when it likes. Until the game begins, its creator may take out anybody, so
    /// that nobody can keep seats from those they are for. Once it has begun, anybody may take out
    /// the player whose turn it is, if nothing has happened for [`TURN_TIME_MAX`]: a player who is
    /// gone would keep all others waiting for ever.
    ///
    /// # Errors
    ///
    /// If the caller may not take that player out.
    pub async fn leave(
        &self,
        code: &Code,
        leaving: &PlayerId,
        secret: &Secret,
    ) -> Result<(), Error> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_leave(code, leaving, secret)).await
    }

    async fn try_leave(
        &self,
        code: &Code,
        leaving: &PlayerId,
        secret: &Secret,
    ) -> Result<(), Error> {
        let lobby = self.lobby(code).await?;
        let player = lobby.players.iter().find(|player| player.id == *leaving);
        let player = player.ok_or(Error::PlayerNotFound)?;
        let caller = authenticate(&lobby, secret)?;
        if caller.id != *leaving && !may_take_out(&lobby, caller, leaving, self.db.now()) {
            return Err(Error::NotRemovable);
        }
        let game = &lobby.game;
        let expiries = self.renew(game).await?;
        let order = in_order(&lobby.players);
        let others: Vec<&PlayerId> = order.iter().filter(|id| *id != leaving).collect();
        let end = Ending::of(game.status, &others);
        let event = Event {
            name: Some(player.name.clone()),
            ends_game: end.is_some().then_some(true),
            ..Event::of(EventKind::Left, leaving)
        };
        let mut counted = update(Game::key(code))
            .set(Game::PLAYER_COUNT, others.len() as u32)
            .set(Game::SEQUENCE, game.sequence + 1)
            .set(Game::HISTORY, game.history_with(&event))
            .set(Game::LAST_EVENT, event)
            .set(Game::MEMBERS_TTL, expiries.members)
            .set(Game::EXPIRES, expiries.game)
            .only_if(Game::SEQUENCE.eq(game.sequence));
        if end.is_none() && game.turn.as_ref() == Some(leaving) {
            let next = next_turn(&order, leaving).filter(|next| *next != leaving);
            counted = counted.set(Game::TURN, next.cloned());
        }
        if let Some(first) = others.first().filter(|_| game.creator_id == *leaving) {
            counted = counted.set(Game::CREATOR_ID, *first);
        }
        if let Some(Ending { winner }) = end {
            let is_winner = |player: &&Player| Some(&player.id) == winner.as_ref();
            let name = lobby.players.iter().find(is_winner).map(|winner| winner.name.clone());
            counted = counted
                .set(Game::STATUS, Status::Finished)
                .set(Game::TURN, None::<PlayerId>)
                .set(Game::WINNER_ID, winner)
                .set(Game::WINNER_NAME, name);
        }
        let mut transaction = self.db.transaction::<Error>();
        transaction.push(counted.or(Error::changed()));
        transaction.push(delete(Player::key(code, leaving)));
        transaction.run().await?;
        self.delete_connections(code, leaving).await;
        Ok(())
    }

    /// Deletes the connections of a player who is gone: there may be more of them than a transaction
    /// has room for. Those that stay expire, and without their player they mean nothing.
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
            tracing::warn!(%error, "connections of a player who has left stay until they expire");
        }
    }
}

/// A game that ends because somebody leaves.
struct Ending {
    /// The last player left.
    winner: Option<PlayerId>,
}

impl Ending {
    fn of(status: Status, others: &[&PlayerId]) -> Option<Self> {
        match (status, others) {
            (Status::Playing, [last]) => Some(Self { winner: Some((*last).clone()) }),
            (Status::Playing | Status::Waiting, []) => Some(Self { winner: None }),
            _ => None,
        }
    }
}

/// Whether a player may take another one out.
fn may_take_out(lobby: &Lobby, caller: &Player, other: &PlayerId, now: Timestamp) -> bool {
    let game = &lobby.game;
    match game.status {
        Status::Waiting => game.creator_id == caller.id,
        Status::Playing => {
            game.turn.as_ref() == Some(other) && now >= game.updated_at.after(TURN_TIME_MAX)
        }
        Status::Finished => false,
    }
}
