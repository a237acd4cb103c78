//! Two members of a collection that take the same items.

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

#[derive(Collection)]
struct Twice {
    players: Vec<Player>,
    others: Vec<Player>,
}

#[derive(Collection)]
enum EitherWay {
    Player(Player),
    Other(Player),
}

fn main() {}
