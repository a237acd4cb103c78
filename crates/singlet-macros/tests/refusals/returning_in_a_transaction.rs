//! Operations in a transaction that are to give something back.

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

async fn write(db: &Db<Games>, code: &Code, other: &Game) -> singlet::Result<()> {
    let count = update(Game::key(code)).add(Game::TURN, 1).returning_new();
    db.transact((count, put(other))).await
}

fn main() {}
