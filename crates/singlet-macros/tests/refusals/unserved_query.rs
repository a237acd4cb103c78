//! A query by a field that no key or index serves.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK, SK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"))]
struct Game {
    code: Code,
    status: String,
}

async fn waiting(db: &Db<Games>) -> singlet::Result<Vec<Game>> {
    db.query(Game::STATUS.eq("waiting")).all().await
}

fn main() {}
