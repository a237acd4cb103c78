//! A key for an index that the table does not have, and one with too few templates.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Game, Player))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"), GSI2 newest = ("GAMES"))]
struct Game {
    code: Code,
}

#[derive(Entity)]
#[entity(Games, key = ("PLAYER#{code}"), GSI1 all = ("PLAYERS"))]
struct Player {
    code: Code,
}

fn main() {}
