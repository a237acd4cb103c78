//! Sockets that open and close.

use super::Service;
use super::budgets::Cost;
use super::expiry::gone_is_fine;
use crate::design::{Code, Connection, Player};
use crate::error::Error;
use singlet::prelude::*;
use singlet_web::secret::Secret;
use std::time::Duration;

/// How long a connection counts as open without a sign of life. A server that was killed cannot say
/// that its connections are closed.
const SILENCE_MAX: Duration = Duration::from_secs(75);

impl Service {
    /// 12: notes that a player plays over a new connection. A player may have several: each tab of a
    /// browser is one.
    ///
    /// # Errors
    ///
    /// If the secret is wrong.
    pub async fn connect(&self, code: &Code, secret: &Secret) -> Result<Connection, Error> {
        self.game(code).await?;
        let player = self.player_of(code, secret).await?;
        self.charge(Cost::Connect).await?;
        let id = self.new_id()?;
        let connection = Connection {
            connection_id: id,
            player_id: player.id.clone(),
            game_code: code.clone(),
            connected_at: self.db.now(),
            expires: Some(self.silence_end()),
        };
        let connected = update(Player::key(code, &player.id))
            .set(Player::CONNECTION_ID, &connection.connection_id)
            .set(Player::IS_CONNECTED, true);
        self.db.transact((put(&connection), connected.or(Error::PlayerNotFound))).await?;
        Ok(connection)
    }

    /// Notes that a connection is still open. One that was deleted stays so: its player has left.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn keep_connected(&self, connection: &Connection) -> Result<(), Error> {
        self.charge(Cost::Renew(1)).await?;
        let key = Connection::key(&connection.connection_id);
        let kept = update(key).set(Connection::EXPIRES, self.silence_end());
        Ok(gone_is_fine(self.db.run(kept).await)?)
    }

    /// 12: notes that a connection is closed. The player is connected as long as another one is
    /// open.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn disconnect(&self, connection: &Connection) -> Result<(), Error> {
        let Connection { connection_id, player_id, game_code, .. } = connection;
        self.db.run(delete(Connection::key(connection_id))).await?;
        let others = self.connections_of(game_code).await?;
        let of_player = others.iter().filter(|other| other.player_id == *player_id);
        let other = of_player.filter(|other| other.connection_id != *connection_id);
        let other = other.max_by_key(|other| other.connected_at);
        // Only if no newer connection has been opened since.
        let changed = update(Player::key(game_code, player_id))
            .set(Player::CONNECTION_ID, other.map(|other| other.connection_id.clone()))
            .set(Player::IS_CONNECTED, other.is_some())
            .only_if(Player::CONNECTION_ID.eq(connection_id));
        Ok(gone_is_fine(self.db.run(changed).await)?)
    }

    fn silence_end(&self) -> Expiry {
        Expiry::at(self.db.now().after(SILENCE_MAX))
    }
}
