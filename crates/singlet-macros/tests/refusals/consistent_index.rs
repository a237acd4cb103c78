//! A consistent read of a global index, which DynamoDB does not have.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), index(GSI1 = (GSI1PK)), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"), GSI1 all = ("GAMES"))]
struct Game {
    code: Code,
}

async fn all(db: &Db<Games>) -> singlet::Result<Vec<Game>> {
    db.query(Game::all().consistent()).all().await
}

fn main() {}
