//! A collection of entities whose partitions are made of different types.

use singlet::prelude::*;

id!(Code, RoomId);

#[table(name = "games", key = (PK, SK), entities(Game, Chair))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"))]
struct Game {
    code: Code,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{room}", "CHAIR#{number:02}"))]
struct Chair {
    room: RoomId,
    number: u8,
}

#[derive(Collection)]
struct Lobby {
    game: Game,
    chairs: Vec<Chair>,
}

fn main() {}
