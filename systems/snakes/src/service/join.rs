//! Joining a game.

use super::budgets::change_bytes;
use super::event::save;
use super::{Service, sort};
use crate::color::free_color;
use crate::design::{Code, Event, EventKind, Lobby, Player, PlayerId, Status};
use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use singlet::prelude::*;
use singlet_web::problem::ApiError as _;
use singlet_web::secret::Secret;
use singlet_web::text::Name;

/// 1 to 24 characters as people count them.
pub type PlayerName = Name<24>;

/// A player who has just joined.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Welcome")]
pub struct Joined {
    pub player: Player,
    /// Authenticates the player, in the header Player-Secret. It is not shown again.
    #[serde(serialize_with = "reveal")]
    #[schemars(with = "String")]
    pub secret: Secret,
    #[serde(rename = "game")]
    pub lobby: Lobby,
}

fn reveal<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.reveal())
}

impl Service {
    /// 9: joins a game that has not begun. A taken name is refused.
    pub async fn join(&self, code: &Code, name: &str) -> Result<Joined> {
        self.join_at(code, &parse_name(name)?, None).await
    }

    /// Joins on this seat, or after all others.
    pub(super) async fn join_at(
        &self,
        code: &Code,
        name: &str,
        seat: Option<u32>,
    ) -> Result<Joined> {
        let _inside = self.locks.lock(code.as_str()).await;
        self.db.attempt(|_| self.try_join(code, name, seat)).await
    }

    async fn try_join(&self, code: &Code, name: &str, seat: Option<u32>) -> Result<Joined> {
        let mut lobby = self.lobby(code).await?;
        let Lobby { game, players } = &mut lobby;
        if game.status != Status::Waiting {
            return Err(Error::AlreadyStarted);
        }
        if players.len() >= game.mode.players_max() {
            return Err(Error::GameFull);
        }
        // Leaving is paid for as well. The address also pays for a refused name, because names are
        // expensive to compare; the budget of all does not.
        let bytes = 2 * change_bytes(&game.board, game.mode);
        self.charge_client(bytes)?;
        if self.skeletons.is_taken(name, players.iter().map(|player| player.name.as_str())) {
            return Err(Error::NameTaken);
        }
        self.charge_budget(bytes).await?;
        let seat = seat.unwrap_or_else(|| next_seat(players).max(game.reserved_seats.unwrap_or(0)));
        let expiries = self.renew(game).await?;
        let (player, secret) = self.new_player(code, name, seat, players, expiries.members)?;
        let joined = Event {
            color: Some(player.color.clone()),
            seat: player.seat,
            ..Event::new(EventKind::Joined, &player)
        };
        game.player_count = players.len() as u32 + 1;
        game.record(joined, expiries, self.db.now());
        // No event was recorded since the game was read, so the name and the seat are still free.
        self.db.transact((save(game).or(Error::changed()), create(&player))).await?;
        players.push(player.clone());
        sort(players);
        Ok(Joined { lobby, player, secret })
    }

    /// A player among these, and its secret.
    pub(super) fn new_player(
        &self,
        code: &Code,
        name: &str,
        seat: u32,
        others: &[Player],
        expires: Expiry,
    ) -> Result<(Player, Secret)> {
        let now = self.db.now();
        let id: PlayerId = self.random.id(now)?;
        let secret = Secret::generate(id.as_str(), &self.random)?;
        let player = Player {
            id,
            game_code: code.clone(),
            name: name.to_owned(),
            color: free_color(others.iter().map(|player| player.color.as_str())),
            seat: Some(seat),
            position: 0,
            connection_id: None,
            is_connected: false,
            secret_hash: secret.hash(),
            joined_at: now,
            expires: Some(expires),
        };
        Ok((player, secret))
    }
}

/// The seat after those of all players.
pub(super) fn next_seat(players: &[Player]) -> u32 {
    let last = players.iter().filter_map(|player| player.seat).max();
    last.map_or(players.len() as u32, |last| last + 1)
}

pub(super) fn parse_name(text: &str) -> Result<String> {
    let name: Result<PlayerName, _> = text.parse();
    Ok(name.map_err(|rule| Error::invalid("/name", rule.to_string()))?.as_str().to_owned())
}
