//! Sums, copies and comparisons of fields that do not fit.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), index(GSI1 = (best: N)), entities(Game, Player))]
struct Games;

#[derive(Attribute)]
struct Board {
    size: u32,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"), GSI1 by_turn = ("{turn}"))]
struct Game {
    code: Code,
    turn: u32,
    score: u32,
    ratio: f64,
    boards: Vec<Board>,
}

#[derive(Entity)]
#[entity(Games, key = ("PLAYER#{code}"))]
struct Player {
    code: Code,
    score: u32,
}

async fn write(db: &Db<Games>, code: &Code) -> singlet::Result<()> {
    // A fraction cannot be read as an integer.
    db.run(update(Game::key(code)).add(Game::SCORE, 0.5)).await?;
    // The index key repeats the field under another name, and would go stale.
    db.run(update(Game::key(code)).add(Game::TURN, 1)).await?;
    db.run(update(Game::key(code)).set_from(Game::TURN, Game::SCORE)).await?;
    // A copy is of the same type.
    db.run(update(Game::key(code)).set_from(Game::SCORE, Game::RATIO)).await?;
    // A struct must have its members, also within a list.
    db.run(update(Game::key(code)).remove(Game::BOARDS.at(0).member(Board::SIZE))).await?;
    // Fields of other types, and of other entities.
    db.run(delete(Game::key(code)).only_if(Game::SCORE.lt(Game::RATIO))).await?;
    db.run(delete(Game::key(code)).only_if(Game::SCORE.lt(Player::SCORE))).await
}

fn main() {}
