//! A client on a socket.

use super::message::Incoming;
use crate::design::{Code, Connection};
use crate::error::{Error, Result};
use crate::service::Service;
use serde_json::{Value, json};
use singlet_web::live::{Socket, Subscription};
use singlet_web::secret::Secret;
use std::time::Duration;

/// How often an open connection is renewed.
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
    let mut client = Client { service, code, secret: None, connection: None };
    while let Some(message) = socket.next_message::<Incoming>().await {
        let reply = match message {
            Ok(message) => client.handle(message, &mut socket).await.map_err(Into::into),
            Err(problem) => Err(problem),
        };
        match reply {
            Ok(Some(reply)) => socket.send_message(&reply).await,
            Ok(None) => {}
            Err(problem) => socket.refuse(&problem).await,
        }
    }
    client.disconnect().await;
}

struct Client {
    service: Service,
    code: Code,
    /// Of the player that the client plays.
    secret: Option<Secret>,
    connection: Option<Connection>,
}

impl Client {
    /// Handles a message, and returns the reply to this client alone. Events are pushed to all.
    async fn handle(&mut self, message: Incoming, socket: &mut Socket) -> Result<Option<Value>> {
        match message {
            Incoming::JoinGame { name } => {
                self.check_plays_nobody().await?;
                let joined = self.service.join(&self.code, &name).await?;
                // The secret is shown only now, so a failure to connect must not hide it.
                let connection = self.service.connect(&self.code, &joined.secret).await;
                let connection = connection.inspect_err(|error| {
                    tracing::warn!(%error, "a player who joined is not listed as connected");
                });
                self.play(joined.secret.clone(), connection.ok(), socket).await;
                let secret = joined.secret.reveal();
                let told = json!({"type": "joinedGame", "player": joined.player, "secret": secret});
                Ok(Some(told))
            }
            Incoming::RejoinGame { secret } => {
                let secret = Secret::parse(&secret).ok_or(Error::WrongSecret)?;
                let player = self.service.player_of(&self.code, &secret).await?;
                let connection = self.service.connect(&self.code, &secret).await?;
                self.play(secret, Some(connection), socket).await;
                Ok(Some(json!({"type": "joinedGame", "player": player})))
            }
            Incoming::StartGame => {
                self.service.start(&self.code, self.secret()?).await.map(|_| None)
            }
            Incoming::RollDice => self.service.roll(&self.code, self.secret()?).await.map(|_| None),
            Incoming::Ping => Ok(Some(json!({"type": "pong"}))),
        }
    }

    fn secret(&self) -> Result<&Secret> {
        self.secret.as_ref().ok_or(Error::NotJoined)
    }

    /// Keeps a client from taking every seat of a game. After leaving it may join again.
    async fn check_plays_nobody(&self) -> Result<()> {
        let Some(secret) = &self.secret else { return Ok(()) };
        match self.service.player_of(&self.code, secret).await {
            Ok(_) => Err(Error::AlreadyJoined),
            Err(Error::WrongSecret) => Ok(()),
            Err(other) => Err(other),
        }
    }

    /// Plays this player instead of the one before, and renews the connection from now on.
    async fn play(&mut self, secret: Secret, connection: Option<Connection>, socket: &mut Socket) {
        self.disconnect().await;
        self.secret = Some(secret);
        self.connection.clone_from(&connection);
        let Some(connection) = connection else { return };
        let service = self.service.clone();
        socket.on_heartbeat(HEARTBEAT, move || {
            let (service, connection) = (service.clone(), connection.clone());
            async move {
                if let Err(error) = service.keep_connected(&connection).await {
                    tracing::debug!(%error, "an open connection is not renewed");
                }
            }
        });
    }

    async fn disconnect(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if let Err(error) = self.service.disconnect(&connection).await {
            // It expires in a minute.
            tracing::warn!(%error, "a closed connection is still listed");
        }
    }
}
