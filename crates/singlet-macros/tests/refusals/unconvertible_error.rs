//! An error of an operation that cannot hold a `singlet::Error`.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
}

enum Refusal {
    Taken,
}

async fn write(db: &Db<Games>, one: &Game) -> Result<(), Refusal> {
    db.run(create(one).or(Refusal::Taken)).await?;
    db.transact((create(one).or(Refusal::Taken),)).await
}

fn main() {}
