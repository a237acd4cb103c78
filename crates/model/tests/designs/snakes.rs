//! Snakes and ladders, as its design document declares it.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a design is declared as a system does"
)]

use singlet::prelude::*;

id!(Code, PlayerId, ConnectionId);

#[table(
    name = "snakes-{env}",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK)),
    ttl = TTL,
    stream,
    entities(Game, Player, Connection)
)]
pub struct Snakes;

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum Status {
    BoxFuture,
    Playing,
    Finished,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Board {
    pub size: u32,
    pub snakes_and_ladders: Vec<Jump>,
}

#[derive(Attribute, Clone, Debug, PartialEq)]
pub struct Jump {
    pub from: u32,
    pub to: u32,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Snakes,
    key = ("GAME#{code}", "METADATA"),
    GSI1 newest = ("GAMES", "{created_at}"),
    rename_all = "camelCase"
)]
pub struct Game {
    pub code: Code,
    pub status: Status,
    pub creator_id: PlayerId,
    pub board: Board,
    #[attribute(null)]
    pub winner_id: Option<PlayerId>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Snakes,
    key = ("GAME#{game_code}", "PLAYER#{id}"),
    GSI1 by_id = ("PLAYER#{id}", "{joined_at}"),
    rename_all = "camelCase"
)]
pub struct Player {
    pub id: PlayerId,
    pub game_code: Code,
    pub name: String,
    pub color: String,
    pub position: u32,
    pub connection_id: Option<ConnectionId>,
    pub is_connected: bool,
    pub joined_at: Timestamp,
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

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
