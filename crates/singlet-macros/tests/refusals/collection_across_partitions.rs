//! A collection of entities that lie in different partitions.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK, SK), entities(Game, Connection))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"))]
struct Game {
    code: Code,
}

#[derive(Entity)]
#[entity(Games, key = ("CONNECTION#{code}", "METADATA"))]
struct Connection {
    code: Code,
}

#[derive(Collection)]
struct Lobby {
    game: Game,
    connection: Connection,
}

fn main() {}
