//! Values of other types than their fields, and changes that a field cannot undergo.

use singlet::prelude::*;

id!(Code, PlayerId);

#[table(name = "games", key = (PK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
    turn: u32,
    winner: Option<PlayerId>,
    #[attribute(updated)]
    updated_at: Timestamp,
}

async fn write(db: &Db<Games>, code: &Code, now: Timestamp) -> singlet::Result<()> {
    db.run(update(Game::key(code)).set(Game::TURN, "one")).await?;
    db.run(update(Game::key(code)).set(Game::WINNER, code)).await?;
    db.run(update(Game::key(code)).remove(Game::TURN)).await?;
    db.run(update(Game::key(code)).add(Game::WINNER, 1)).await?;
    db.run(update(Game::key(code)).set(Game::UPDATED_AT, now)).await
}

fn main() {}
