//! A number in a text, where it does not sort as numbers do.

use singlet::prelude::*;

id!(GameId);

#[table(name = "goals", key = (PK, SK), entities(Goal))]
struct Goals;

#[derive(Entity)]
#[entity(Goals, key = ("GAME#{game}", "GOAL#{minute}"))]
struct Goal {
    game: GameId,
    minute: u16,
}

fn main() {}
