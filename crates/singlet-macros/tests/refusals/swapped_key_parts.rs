//! The parts of a key in the wrong order.

use singlet::prelude::*;

id!(Code, PlayerId);

#[table(name = "games", key = (PK, SK), entities(Player))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "PLAYER#{id}"))]
struct Player {
    code: Code,
    id: PlayerId,
}

async fn player(db: &Db<Games>, code: &Code, id: &PlayerId) -> singlet::Result<Option<Player>> {
    db.get(Player::key(id, code)).await
}

fn main() {}
