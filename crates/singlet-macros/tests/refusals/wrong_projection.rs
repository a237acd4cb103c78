//! A projection with a field that the entity does not have, and one of another type.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
    turn: u32,
}

#[derive(Projection)]
#[projection(Game)]
struct Unknown {
    status: String,
}

#[derive(Projection)]
#[projection(Game)]
struct OtherType {
    turn: String,
}

fn main() {}
