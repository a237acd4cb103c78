//! A `Vec<u8>` is stored as bytes, which have no elements in DynamoDB.

use singlet::prelude::*;

id!(Code);

#[table(name = "games", key = (PK), entities(Game))]
pub struct Games;

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}"))]
pub struct Game {
    pub code: Code,
    pub image: Vec<u8>,
}

fn main() {
    let code = Code::new("a").unwrap();
    let _ = update(Game::key(&code)).append(Game::image, [1]);
    let _ = Game::image.at(0).eq(1);
    let _ = Game::image.contains(1_u8);
}
