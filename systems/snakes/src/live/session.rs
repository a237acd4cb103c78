//! One client on a socket, from the first message to the last.

use super::message::{Incoming, Outgoing};
use crate::design::{Code, Connection, ConnectionId};
use crate::error::Error;
use crate::service::{Joined, Service};
use singlet_web::live::{Socket, Subscription};
use singlet_web::secret::Secret;
use std::time::Duration;

/// How often an open connection is noted as open.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// Serves a socket: what the subscription delivers, and what the client asks for.
pub(crate) async fn session(
    service: Service,
    code: Code,
    subscription: Subscription,
    mut socket: Socket,
) {
    socket.follow(subscription);
    let service = match socket.account() {
        Some(limits) => service.for_client(limits),
        None => service,
    };
    let mut client = Client { service, code, player: None };
    while let Some(message) = socket.next_message::<Incoming>().await {
        let connection_before = client.connection_id();
        let reply = match message {
            Ok(message) => client.handle(message).await.map_err(Into::into),
            Err(problem) => Err(problem),
        };
        match reply {
            Ok(Some(reply)) => socket.send_message(&reply).await,
            Ok(None) => {}
            Err(problem) => socket.refuse(&problem).await,
        }
        if client.connection_id() != connection_before {
            client.renew_with(&mut socket);
        }
    }
    client.leave().await;
}

/// A client, and the player that it is, once it is one.
struct Client {
    service: Service,
    code: Code,
    player: Option<PlayerSession>,
}

/// A player that a client plays.
struct PlayerSession {
    secret: Secret,
    /// Where it is listed as connected, if it is.
    connection: Option<Connection>,
}

impl Client {
    /// Does what a message asks for, and returns what is for this client alone. What everybody may
    /// know is pushed to it as to everybody.
    async fn handle(&mut self, message: Incoming) -> Result<Option<Outgoing>, Error> {
        match message {
            Incoming::JoinGame { name } => {
                self.check_plays_nobody().await?;
                let joined = self.service.join(&self.code, &name).await?;
                Ok(Some(self.send_joined(joined).await))
            }
            Incoming::RejoinGame { secret } => {
                let secret = Secret::parse(&secret).ok_or(Error::WrongSecret)?;
                let player = self.service.player_of(&self.code, &secret).await?;
                self.become_player(secret).await?;
                Ok(Some(Outgoing::JoinedGame { player: player.into(), secret: None }))
            }
            Incoming::StartGame => {
                self.service.start(&self.code, self.secret()?).await?;
                Ok(None)
            }
            Incoming::RollDice => {
                self.service.roll(&self.code, self.secret()?).await?;
                Ok(None)
            }
        }
    }

    fn connection_id(&self) -> Option<ConnectionId> {
        Some(self.player.as_ref()?.connection.as_ref()?.connection_id.clone())
    }

    /// Notes the connection as open while the client shows life.
    fn renew_with(&self, socket: &mut Socket) {
        let Some(connection) = self.player.as_ref().and_then(|player| player.connection.clone())
        else {
            return;
        };
        let service = self.service.clone();
        socket.on_heartbeat(HEARTBEAT, move || {
            let (service, connection) = (service.clone(), connection.clone());
            async move {
                if let Err(error) = service.keep_connected(&connection).await {
                    tracing::debug!(%error, "an open connection is not noted as open");
                }
            }
        });
    }

    fn secret(&self) -> Result<&Secret, Error> {
        let player = self.player.as_ref().ok_or(Error::NotJoined)?;
        Ok(&player.secret)
    }

    /// Refuses a client that plays somebody: it could take every seat of a game. One who has left
    /// since, or was taken out, may join again.
    async fn check_plays_nobody(&self) -> Result<(), Error> {
        let Some(session) = &self.player else { return Ok(()) };
        match self.service.player_of(&self.code, &session.secret).await {
            Ok(_) => Err(Error::AlreadyJoined),
            Err(Error::WrongSecret) => Ok(()),
            Err(other) => Err(other),
        }
    }

    /// Makes the client a player who has just joined. That has happened, and this is the only time
    /// that its secret is told: whatever else fails, it is told.
    async fn send_joined(&mut self, joined: Joined) -> Outgoing {
        let secret = joined.secret.clone();
        if let Err(error) = self.become_player(secret.clone()).await {
            tracing::warn!(%error, code = %self.code, "a player who joined is not listed as connected");
            let before = self.player.replace(PlayerSession { secret, connection: None });
            self.disconnect(before).await;
        }
        Outgoing::joined(joined)
    }

    async fn become_player(&mut self, secret: Secret) -> Result<(), Error> {
        let connection = self.service.connect(&self.code, &secret).await?;
        let before = self.player.replace(PlayerSession { secret, connection: Some(connection) });
        self.disconnect(before).await;
        Ok(())
    }

    async fn leave(mut self) {
        let player = self.player.take();
        self.disconnect(player).await;
    }

    async fn disconnect(&self, player: Option<PlayerSession>) {
        let Some(connection) = player.and_then(|session| session.connection) else { return };
        if let Err(error) = self.service.disconnect(&connection).await {
            // It expires in a minute.
            tracing::warn!(%error, "a connection that is closed is still listed");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use crate::design::Snakes;
    use crate::service::NewGame;
    use singlet::Db;
    use singlet_web::random::Random;

    /// Who joined, and could then not be listed as connected, got an error: the seat and the name
    /// were taken, and nobody knew the secret.
    #[tokio::test]
    async fn who_has_joined_is_told_its_secret_whatever_happens_next() {
        let service = Service::new(Db::<Snakes>::memory().await.unwrap(), Random::new());
        let new = NewGame { name: "Ann".to_owned(), ..NewGame::default() };
        let ann = service.create_game(new).await.unwrap();
        let code = ann.lobby.game.code;
        let bob = service.join(&code, "Bob").await.unwrap();
        // Ann takes Bob out before the socket has got so far.
        service.leave(&code, &bob.player.id, &ann.secret).await.unwrap();
        assert!(service.connect(&code, &bob.secret).await.is_err());
        let mut client = Client { service: service.clone(), code: code.clone(), player: None };
        let told = client.send_joined(bob.clone()).await;
        assert_eq!(told, Outgoing::joined(bob.clone()));
        assert_eq!(client.secret().unwrap().reveal(), bob.secret.reveal());
        client.leave().await;
    }
}
