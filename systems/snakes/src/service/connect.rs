//! Sockets that open and close.

use super::Service;
use super::budgets::Cost;
use crate::design::{Code, Connection, ConnectionId, Player};
use crate::refusal::Refusal;
use crate::secret::Secret;
use singlet::prelude::*;

/// The player plays over another connection by now.
enum Replaced {
    ByAnother,
    Otherwise(singlet::Error),
}

impl From<singlet::Error> for Replaced {
    fn from(error: singlet::Error) -> Self {
        Self::Otherwise(error)
    }
}

impl Service {
    /// 12: notes that a player plays over a new connection, whether or not it had one before.
    ///
    /// # Errors
    ///
    /// If the secret is wrong.
    pub async fn connect(&self, code: &Code, secret: &Secret) -> Result<Connection, Refusal> {
        let game = self.game(code).await?;
        let player = self.player_of(code, secret).await?;
        self.charge(Cost::Connect).await?;
        let id = ConnectionId::new(self.chance.uuid()?).map_err(|_| Refusal::RandomUnavailable)?;
        let connection = Connection {
            connection_id: id,
            player_id: player.id.clone(),
            game_code: code.clone(),
            connected_at: self.db.now(),
            expires: Some(game.members_ttl),
        };
        let connected = update(Player::key(code, &player.id))
            .set(Player::CONNECTION_ID, &connection.connection_id)
            .set(Player::IS_CONNECTED, true);
        let mut transaction = self.db.transaction::<Refusal>();
        transaction.push(put(&connection));
        transaction.push(connected.or(Refusal::PlayerNotFound));
        // One player, one connection: the one before goes.
        if let Some(before) = &player.connection_id {
            transaction.push(delete(Connection::key(before)));
        }
        transaction.run().await?;
        Ok(connection)
    }

    /// 12: notes that a connection is closed. If the player has opened another one since, only
    /// that one counts.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn disconnect(&self, connection: &Connection) -> Result<(), Refusal> {
        let Connection { connection_id, player_id, game_code, .. } = connection;
        let disconnected = update(Player::key(game_code, player_id))
            .set(Player::CONNECTION_ID, None::<ConnectionId>)
            .set(Player::IS_CONNECTED, false)
            .only_if(Player::CONNECTION_ID.eq(connection_id));
        let closed = delete(Connection::key(connection_id));
        match self.db.transact((disconnected.or(Replaced::ByAnother), closed)).await {
            Ok(()) => Ok(()),
            Err(Replaced::ByAnother) => {
                Ok(self.db.run(delete(Connection::key(connection_id))).await?)
            }
            Err(Replaced::Otherwise(error)) => Err(error.into()),
        }
    }
}
