//! A transaction whose operations have errors of different types, and a check by itself.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
struct Game {
    code: Code,
}

struct Taken;
struct Gone;

impl From<singlet::Error> for Taken {
    fn from(_: singlet::Error) -> Self {
        Self
    }
}

impl From<singlet::Error> for Gone {
    fn from(_: singlet::Error) -> Self {
        Self
    }
}

async fn write(db: &Db<Games>, one: &Game, other: &Game) {
    let _ = db.transact((create(one).or(Taken), put(other).or(Gone))).await;
    let _ = db.run(check(Key::of(one))).await;
}

fn main() {}
