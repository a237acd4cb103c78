//! Sockets that open and close.

use super::Service;
use super::budgets::MEMBER_BYTES;
use super::event::gone_is_fine;
use crate::design::{Code, Connection, Player};
use crate::error::{Error, Result};
use singlet::prelude::*;
use singlet_web::secret::Secret;
use std::time::Duration;

/// How long a connection counts as open without a sign of life: a server that was killed cannot
/// delete its connections.
const SILENCE_MAX: Duration = Duration::from_secs(75);

impl Service {
    /// 12: notes that a player has a new connection. A player may have several, such as tabs.
    pub async fn connect(&self, code: &Code, secret: &Secret) -> Result<Connection> {
        self.game(code).await?;
        let player = self.player_of(code, secret).await?;
        // It is opened and closed once, and changes its player both times.
        self.charge(4 * MEMBER_BYTES).await?;
        let now = self.db.now();
        let connection = Connection {
            connection_id: self.random.id(now)?,
            player_id: player.id.clone(),
            game_code: code.clone(),
            connected_at: now,
            expires: Some(self.silence_end()),
        };
        let connected = update(Player::key(code, &player.id))
            .set(Player::CONNECTION_ID, &connection.connection_id)
            .set(Player::IS_CONNECTED, true);
        self.db.transact((put(&connection), connected.or(Error::PlayerNotFound))).await?;
        Ok(connection)
    }

    /// Renews a connection that is still open, unless its player has left.
    pub async fn keep_connected(&self, connection: &Connection) -> Result<()> {
        self.charge(MEMBER_BYTES).await?;
        let key = Connection::key(&connection.connection_id);
        let kept = update(key).set(Connection::EXPIRES, self.silence_end());
        Ok(gone_is_fine(self.db.run(kept).await)?)
    }

    /// 12: deletes a connection. The player stays connected while it has another one.
    pub async fn disconnect(&self, connection: &Connection) -> Result<()> {
        let Connection { connection_id, player_id, game_code, .. } = connection;
        self.db.run(delete(Connection::key(connection_id))).await?;
        let others = self.connections_of(game_code).await?;
        let is_other =
            |one: &&Connection| one.player_id == *player_id && one.connection_id != *connection_id;
        let other = others.iter().filter(is_other).max_by_key(|other| other.connected_at);
        // Only if no newer connection was opened meanwhile.
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
