//! Setting one of two fields of which an attribute of an index key is made.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK, SK), index(GSI1 = (GSI1PK, GSI1SK)), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"), GSI1 by_status = ("GAMES", "{status}#{started_at}"))]
struct Game {
    code: Code,
    status: Code,
    started_at: Timestamp,
}

async fn finish(db: &Db<Games>, code: &Code, status: &Code) -> singlet::Result<()> {
    db.run(update(Game::key(code)).set(Game::STATUS, status)).await
}

fn main() {}
