//! Reading whole entities from an index that does not hold all of their fields, and reading
//! collections that cannot be.

use singlet::prelude::*;

id!(Code, PlayerId);

#[table(
    name = "games",
    key = (PK, SK),
    index(GSI1 = (GSI1PK, GSI1SK) projecting(keys), GSI2 = (GSI2PK, GSI2SK)),
    entities(Game, Player)
)]
struct Games;

#[derive(Entity)]
#[entity(
    Games,
    key = ("GAME#{code}", "METADATA"),
    GSI1 newest = ("GAMES", "{code}"),
    GSI2 all = ("GAMES", "{code}")
)]
struct Game {
    code: Code,
    title: String,
}

#[derive(Entity)]
#[entity(Games, key = ("GAME#{code}", "PLAYER#{id}"), GSI2 of_all = ("GAMES", "PLAYER#{id}"))]
struct Player {
    code: Code,
    id: PlayerId,
}

#[derive(Collection)]
#[collection(index = GSI2)]
struct Everybody {
    games: Vec<Game>,
    players: Vec<Player>,
}

#[derive(Collection)]
enum Item {
    Game(Game),
    Player(Player),
}

async fn whole(db: &Db<Games>) -> singlet::Result<usize> {
    let count = db.query(Game::newest()).count().await?;
    let all = db.query(Game::newest()).all().await?;
    Ok(count + all.len())
}

async fn scanned(db: &Db<Games>) -> singlet::Result<Option<Game>> {
    db.scan(Scan::index(Game::NEWEST)).first().await
}

async fn consistent(db: &Db<Games>) -> singlet::Result<Option<Everybody>> {
    db.load(Everybody::of(()).consistent()).await
}

async fn loaded(db: &Db<Games>, code: &Code) -> singlet::Result<Option<Item>> {
    db.load(Item::of(code)).await
}

async fn narrowed(db: &Db<Games>, code: &Code) -> singlet::Result<Vec<Item>> {
    db.query(Item::of(code).between(1, 2)).all().await
}

fn main() {}
