//! An entity that its table does not list, so that nobody has checked its keys.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), entities())]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
}

fn main() {}
