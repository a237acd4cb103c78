//! A collection that takes one item of an entity of which a partition can hold several.

use singlet::prelude::*;

id!(Code, PlayerId);

#[table(name = "games", key = (PK, SK), entities(Game, Player))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"))]
struct Game {
    code: Code,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "PLAYER#{id}"))]
struct Player {
    code: Code,
    id: PlayerId,
}

#[derive(Collection)]
struct Lobby {
    game: Game,
    player: Option<Player>,
}

fn main() {}
