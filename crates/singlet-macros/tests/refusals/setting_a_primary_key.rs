//! Setting a part of the primary key.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK, SK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"))]
struct Game {
    code: Code,
}

async fn rename(db: &Db<Games>, from: &Code, to: &Code) -> singlet::Result<()> {
    db.run(update(Game::key(from)).set(Game::CODE, to)).await
}

fn main() {}
