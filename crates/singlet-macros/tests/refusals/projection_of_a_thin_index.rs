//! Projections with a field that the index does not hold: refused by `cargo check` already.

use singlet::prelude::*;

id!(Code);

#[table(
    name = "games",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK) projecting("status"), GSI2 = (GSI2PK, GSI2SK)),
    entities(Game)
)]
struct Games;

#[derive(Entity)]
#[entity(
    Games,
    key = ("GAME#{code}", "METADATA"),
    GSI2 all = ("GAMES", "{code}"),
    GSI1 newest = ("GAMES", "{code}")
)]
struct Game {
    code: Code,
    status: String,
    title: String,
}

#[derive(Projection)]
#[projection(Game)]
struct Status {
    status: String,
}

#[derive(Projection)]
#[projection(Game)]
struct Title {
    title: String,
}

fn held() {
    let _ = Game::newest().project::<Status>();
    let _ = Scan::index(Game::NEWEST).project::<Status>();
    let _ = Game::all().project::<Title>();
    let _ = Game::all().project::<Game>();
    let _ = Scan::<Game>::table().project::<Title>();
}

fn queried() {
    let _ = Game::newest().project::<Title>();
}

fn scanned() {
    let _ = Scan::index(Game::NEWEST).project::<Title>();
}

fn whole() {
    let _ = Game::newest().project::<Game>();
}

fn main() {}
