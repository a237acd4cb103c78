// A game for the code on pages in docs, which includes this.

use singlet::prelude::*;

id!(Code, PlayerId);

#[table(name = "snakes-{env}", key = (PK, SK), stream, entities(Game, Player))]
pub struct Snakes;

#[derive(Entity, Debug)]
#[entity(Snakes, key = ("GAME#{code}", "METADATA"))]
pub struct Game {
    pub code: Code,
    pub turn: u32,
}

#[derive(Entity, Debug)]
#[entity(Snakes, key = ("GAME#{code}", "PLAYER#{id}"))]
pub struct Player {
    pub code: Code,
    pub id: PlayerId,
    pub position: u8,
}
