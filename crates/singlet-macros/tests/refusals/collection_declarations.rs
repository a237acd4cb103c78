//! What a collection cannot say.

use singlet::prelude::*;

id!(Code, PlayerId);

#[table(name = "games", key = (PK, SK), entities(Game, Player))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "METADATA"))]
struct Game {
    code: Code,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "PLAYER#{id}"))]
struct Player {
    code: Code,
    id: PlayerId,
}

#[derive(Collection)]
struct LimitOfOne {
    #[collection(limit = 1)]
    game: Game,
    players: Vec<Player>,
}

#[derive(Collection)]
struct LimitOfNone {
    game: Game,
    #[collection(limit = 0)]
    players: Vec<Player>,
}

#[derive(Collection)]
struct UnknownOption {
    #[collection(first = 1)]
    players: Vec<Player>,
}

#[derive(Collection)]
#[collection(limit = 1)]
enum LimitOfAll {
    Game(Game),
}

#[derive(Collection)]
enum OrderOfOne {
    #[collection(descending)]
    Game(Game),
}

#[derive(Collection)]
enum NoEntity {
    Game(Game),
    Nothing,
}

#[derive(Collection)]
enum Empty {}

#[derive(Collection)]
struct PatternOfNoIndex {
    #[collection(pattern = open)]
    players: Vec<Player>,
}

#[derive(Collection)]
struct TwoPatterns {
    #[collection(pattern = open)]
    #[collection(pattern = done)]
    players: Vec<Player>,
}

fn main() {}
