//! The table: games, their players, and the connections over which they play.
//!
//! Most attributes are the source's. `sequence` and `lastEvent` are ours: they make a game's item
//! the place where events get their order, so following this one item is enough to see them all.

use crate::board::Board;
use crate::rules::{Effect, Mode};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::design::Acceptance;
use singlet::prelude::*;

id!(Code, PlayerId, ConnectionId);

/// How many events are kept with a game that is played in turns.
pub const HISTORY_LEN_MAX: usize = 20;

#[table(
    name = "snakes-{env}",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    ttl = TTL,
    stream,
    entities(Game, Player, Connection)
)]
pub struct Snakes;

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Snakes,
    key = ("GAME#{code}", "METADATA"),
    GSI1 newest = ("GAMES", "{created_at}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Game {
    pub code: Code,
    pub status: Status,
    pub mode: Mode,
    /// The player who may start the game.
    pub creator_id: PlayerId,
    pub creator_name: Option<String>,
    pub board: Board,
    #[attribute(null)]
    pub winner_id: Option<PlayerId>,
    /// Stays when the winner leaves.
    pub winner_name: Option<String>,
    /// Whose turn it is. Null in a race, and while the game is not being played.
    pub turn: Option<PlayerId>,
    pub player_count: u32,
    /// The number of the last event. Pushes carry the numbers after it.
    pub sequence: u64,
    pub last_event: Event,
    /// The last 20 events, oldest first. Empty in a race, where moves are concurrent.
    #[attribute(default)]
    pub history: Vec<Event>,
    /// The game that the same players play next.
    pub rematch_code: Option<Code>,
    /// Of a rematch: the seats below this one are for the players of the game before.
    #[serde(skip)]
    pub reserved_seats: Option<u32>,
    /// Until when its players are kept: at least as long as the game.
    #[attribute(rename = "membersTTL")]
    #[serde(skip)]
    pub members_ttl: Expiry,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
    #[attribute(ttl)]
    #[serde(skip)]
    pub expires: Option<Expiry>,
}

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    Snakes,
    key = ("GAME#{game_code}", "PLAYER#{id}"),
    GSI1 by_id = ("PLAYER#{id}", "{joined_at}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Player {
    pub id: PlayerId,
    pub game_code: Code,
    pub name: String,
    /// Of the token, such as `#3B82F6`.
    pub color: String,
    /// Players take turns in the order of their seats, which they keep in a rematch.
    pub seat: Option<u32>,
    /// The player's square; 0 before the first.
    pub position: u16,
    #[attribute(null)]
    #[serde(skip)]
    pub connection_id: Option<ConnectionId>,
    pub is_connected: bool,
    /// SHA-256 of the player's secret, which itself is not stored.
    #[serde(skip)]
    pub secret_hash: Bytes,
    pub joined_at: Timestamp,
    #[attribute(ttl)]
    #[serde(skip)]
    pub expires: Option<Expiry>,
}

/// An open socket of a player.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Snakes,
    key = ("CONNECTION#{connection_id}", "METADATA"),
    GSI1 of_game = ("GAME#{game_code}", "CONNECTION#{connection_id}"),
    rename_all = "camelCase"
)]
pub struct Connection {
    pub connection_id: ConnectionId,
    pub player_id: PlayerId,
    pub game_code: Code,
    pub connected_at: Timestamp,
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

/// A game with its players.
#[derive(Collection, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Game")]
pub struct Lobby {
    #[serde(flatten)]
    pub game: Game,
    /// In the order of play.
    pub players: Vec<Player>,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Players may join.
    Waiting,
    /// Players may roll.
    Playing,
    /// A player has won, or all have left.
    Finished,
}

/// Something that happened in a game.
#[derive(Attribute, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Null for a move in a race.
    pub sequence: Option<u64>,
    pub kind: EventKind,
    pub player_id: PlayerId,
    pub name: Option<String>,
    /// Of a player who joined.
    pub color: Option<String>,
    /// Of a player who joined.
    pub seat: Option<u32>,
    /// Of a move, as are `from`, `to` and `effect`.
    pub roll: Option<u8>,
    pub from: Option<u16>,
    pub to: Option<u16>,
    pub effect: Option<Effect>,
    #[attribute(default)]
    pub ends_game: bool,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum EventKind {
    Created,
    Joined,
    Left,
    Started,
    Moved,
    /// A player created the game that follows this one.
    Rematch,
}

impl Event {
    pub(crate) fn new(kind: EventKind, player: &Player) -> Self {
        Self {
            sequence: None,
            kind,
            player_id: player.id.clone(),
            name: Some(player.name.clone()),
            color: None,
            seat: None,
            roll: None,
            from: None,
            to: None,
            effect: None,
            ends_game: false,
        }
    }
}

/// Accepted findings of `singlet check`.
#[must_use]
pub fn accepted() -> Vec<Acceptance> {
    let because = "the source lists all games in one partition, and a few are created in a minute";
    vec![Acceptance::new("SD204", because).entity("Game").index("GSI1")]
}
