//! A key template that names a field which is not there.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK, SK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{cod}", "METADATA"))]
struct Game {
    code: Code,
    turn: u32,
}

fn main() {}
