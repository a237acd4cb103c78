//! Leaving a game.

use super::{Service, authenticate, in_order};
use crate::design::{Code, Connection, Event, EventKind, Game, Lobby, Player, PlayerId, Status};
use crate::refusal::Refusal;
use crate::rules::{TURN_TIME_MAX, next_turn};
use crate::secret::Secret;
use singlet::prelude::*;

impl Service {
    /// 13: takes a player out of its game, for good. If it was its turn, it is the next player's;
    /// if it was the creator, the one who joined next is that from now on. A game that everybody
    /// has left is over.
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
    ) -> Result<(), Refusal> {
        let _inside = self.turnstile.enter(code.as_str()).await;
        self.db.attempt(|_| self.try_leave(code, leaving, secret)).await
    }

    async fn try_leave(
        &self,
        code: &Code,
        leaving: &PlayerId,
        secret: &Secret,
    ) -> Result<(), Refusal> {
        let lobby = self.lobby(code).await?;
        let player = lobby.players.iter().find(|player| player.id == *leaving);
        let player = player.ok_or(Refusal::PlayerNotFound)?;
        let caller = authenticate(&lobby, secret)?;
        if caller.id != *leaving && !may_take_out(&lobby, caller, leaving, self.db.now()) {
            return Err(Refusal::NotRemovable);
        }
        let game = &lobby.game;
        let terms = self.renew(game).await?;
        let order = in_order(&lobby.players);
        let others: Vec<&PlayerId> = order.iter().filter(|id| *id != leaving).collect();
        let event =
            Event { name: Some(player.name.clone()), ..Event::of(EventKind::Left, leaving) };
        let mut counted = update(Game::key(code))
            .set(Game::PLAYER_COUNT, others.len() as u32)
            .set(Game::SEQUENCE, game.sequence + 1)
            .set(Game::LAST_EVENT, event)
            .set(Game::MEMBERS_TTL, terms.members)
            .set(Game::EXPIRES, terms.game)
            .only_if(Game::SEQUENCE.eq(game.sequence));
        if game.turn.as_ref() == Some(leaving) {
            let next = next_turn(&order, leaving).filter(|next| *next != leaving);
            counted = counted.set(Game::TURN, next.cloned());
        }
        match others.first() {
            Some(first) if game.creator_id == *leaving => {
                counted = counted.set(Game::CREATOR_ID, *first);
            }
            Some(_) => {}
            None => counted = counted.set(Game::STATUS, Status::Finished),
        }
        let mut transaction = self.db.transaction::<Refusal>();
        transaction.push(counted.or(Refusal::Crowded));
        transaction.push(delete(Player::key(code, leaving)));
        if let Some(connection) = &player.connection_id {
            transaction.push(delete(Connection::key(connection)));
        }
        transaction.run().await
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
