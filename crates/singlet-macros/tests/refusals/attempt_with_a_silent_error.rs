//! An attempt whose error does not say whether another one may succeed.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (code), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("{code}"))]
struct Game {
    code: Code,
}

enum Refusal {
    Full,
}

async fn join(db: &Db<Games>) -> Result<(), Refusal> {
    db.attempt(async |_| Err(Refusal::Full)).await
}

fn main() {}
