//! One client on a socket, from the first word to the last.

use super::Live;
use super::message::{Incoming, Outgoing};
use crate::design::{Code, Connection, Game, Status};
use crate::refusal::{ALREADY_JOINED, NOT_JOINED, Refusal};
use crate::secret::Secret;
use crate::service::{Joined, Service};
use singlet_web::live::{CloseReason, Socket, Text};
use singlet_web::problem::{MALFORMED, Problem};
use singlet_web::validate::{self, FieldLocation, Validator};
use std::sync::LazyLock;

/// What messages must look like; the same for all sockets.
static SHAPE: LazyLock<Validator> = LazyLock::new(Validator::of::<Incoming>);

impl Live {
    /// Serves a socket: the state of the game first, or what was missed since `after`, and then
    /// everything that happens.
    pub async fn session(&self, code: Code, after: Option<u64>, mut socket: Socket) {
        let after = match after {
            Some(number) if self.may_miss_the_end(&code, number).await => None,
            other => other,
        };
        // First listen, then look: what happens in between is heard, and not told twice.
        let mut follower = self.hub.follow(code.as_str(), after);
        if !follower.is_resumed() {
            match self.service.view(&code).await {
                Ok(game) => {
                    follower.skip_until(game.sequence);
                    socket.send(Outgoing::state(game).to_text()).await;
                }
                Err(refusal) => {
                    socket.send(Outgoing::refused(&refusal.into()).to_text()).await;
                    return socket.close(CloseReason::Done).await;
                }
            }
        }
        socket.follow(follower);
        let service = match socket.account() {
            Some(account) => self.service.for_account(account),
            None => self.service.clone(),
        };
        let mut client = Client { service: &service, code: &code, player: None };
        while let Some(heard) = socket.next().await {
            let answer = match heard {
                Ok(text) => client.hear(&text).await,
                Err(problem) => Err(problem),
            };
            let answer = answer.unwrap_or_else(|problem| Some(Outgoing::refused(&problem)));
            if let Some(answer) = answer {
                socket.send(answer.to_text()).await;
            }
        }
        client.leave().await;
    }

    /// Whether a client that has seen this event may not know that the game is over. The last move
    /// and the end are two messages about one event, so the connection may have ended in between.
    async fn may_miss_the_end(&self, code: &Code, number: u64) -> bool {
        let game = self.service.db().get(Game::key(code).consistent()).await;
        // Where that cannot be told, the present state tells everything.
        !matches!(game, Ok(Some(game)) if game.status != Status::Finished || game.sequence > number)
    }
}

/// A client, and the player that it is, once it is one.
struct Client<'a> {
    service: &'a Service,
    code: &'a Code,
    player: Option<Seat>,
}

/// A player that a client plays.
struct Seat {
    secret: Secret,
    /// Where it is listed as connected, if it is.
    connection: Option<Connection>,
}

impl Client<'_> {
    /// Does what a message asks for, and says what there is to say to this client alone. What
    /// everybody may know comes to it as to everybody.
    async fn hear(&mut self, text: &Text) -> Result<Option<Outgoing>, Problem> {
        let json = serde_json::from_str(text).map_err(|error| {
            Problem::new(&MALFORMED).detail(format!("the message is not JSON: {error}"))
        })?;
        match validate::read(json, &SHAPE, FieldLocation::Message).map_err(Problem::invalid)? {
            Incoming::JoinGame { name } => {
                self.check_plays_nobody().await?;
                let joined = self.service.join(self.code, &name).await?;
                Ok(Some(self.welcome(joined).await))
            }
            Incoming::RejoinGame { secret } => {
                let secret = Secret::read(&secret).ok_or(Refusal::WrongSecret)?;
                let player = self.service.player_of(self.code, &secret).await?;
                self.become_player(secret).await?;
                Ok(Some(Outgoing::JoinedGame { player: player.into(), secret: None }))
            }
            Incoming::StartGame => {
                self.service.start(self.code, self.secret()?).await?;
                Ok(None)
            }
            Incoming::RollDice => {
                self.service.roll(self.code, self.secret()?).await?;
                Ok(None)
            }
            Incoming::Ping => Ok(Some(Outgoing::Pong)),
        }
    }

    fn secret(&self) -> Result<&Secret, Problem> {
        let player = self.player.as_ref().ok_or_else(|| Problem::new(&NOT_JOINED))?;
        Ok(&player.secret)
    }

    /// Refuses a client that plays somebody: it could take every seat of a game. One who has left
    /// since, or was taken out, may join again.
    async fn check_plays_nobody(&self) -> Result<(), Problem> {
        let Some(seat) = &self.player else { return Ok(()) };
        match self.service.player_of(self.code, &seat.secret).await {
            Ok(_) => Err(Problem::new(&ALREADY_JOINED)),
            Err(Refusal::WrongSecret) => Ok(()),
            Err(other) => Err(other.into()),
        }
    }

    /// Makes the client a player who has just joined. That has happened, and this is the only time
    /// that its secret is told: whatever else fails, it is told.
    async fn welcome(&mut self, joined: Joined) -> Outgoing {
        let secret = joined.secret.clone();
        if let Err(problem) = self.become_player(secret.clone()).await {
            tracing::warn!(%problem, code = %self.code, "a player who joined is not listed as connected");
            let before = self.player.replace(Seat { secret, connection: None });
            self.disconnect(before).await;
        }
        Outgoing::joined(joined)
    }

    async fn become_player(&mut self, secret: Secret) -> Result<(), Problem> {
        let connection = self.service.connect(self.code, &secret).await?;
        let before = self.player.replace(Seat { secret, connection: Some(connection) });
        self.disconnect(before).await;
        Ok(())
    }

    async fn leave(mut self) {
        let player = self.player.take();
        self.disconnect(player).await;
    }

    async fn disconnect(&self, player: Option<Seat>) {
        let Some(connection) = player.and_then(|seat| seat.connection) else { return };
        if let Err(error) = self.service.disconnect(&connection).await {
            // It expires with its game.
            tracing::warn!(%error, "a connection that is closed is still listed");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic here is a failing test")]

    use super::*;
    use crate::chance::Chance;
    use crate::design::Snakes;
    use crate::service::NewGame;
    use singlet::Db;

    /// Who joined, and could then not be listed as connected, got an error: the seat and the name
    /// were taken, and nobody knew the secret.
    #[tokio::test]
    async fn who_has_joined_is_told_its_secret_whatever_happens_next() {
        let service = Service::new(Db::<Snakes>::memory().await.unwrap(), Chance::system());
        let new = NewGame { name: "Ann".to_owned(), ..NewGame::default() };
        let ann = service.create_game(new).await.unwrap();
        let code = ann.lobby.game.code;
        let bob = service.join(&code, "Bob").await.unwrap();
        // Ann takes Bob out before the socket has got so far.
        service.leave(&code, &bob.player.id, &ann.secret).await.unwrap();
        assert!(service.connect(&code, &bob.secret).await.is_err());
        let mut client = Client { service: &service, code: &code, player: None };
        let told = client.welcome(bob.clone()).await;
        assert_eq!(told, Outgoing::joined(bob.clone()));
        assert_eq!(client.secret().unwrap(), &bob.secret);
        client.leave().await;
    }
}
