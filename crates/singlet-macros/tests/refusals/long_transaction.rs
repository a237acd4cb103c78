//! A transaction of more operations than a tuple may have.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
}

async fn write(db: &Db<Games>, all: &[Game; 9]) -> singlet::Result<()> {
    let [a, b, c, d, e, f, g, h, i] = all;
    let nine = (put(a), put(b), put(c), put(d), put(e), put(f), put(g), put(h), put(i));
    db.transact(nine).await
}

fn main() {}
