//! A range of a part that has others behind it and no fixed width.

use singlet::prelude::*;

id!(GameId, TeamId, PlayerId);

#[table(name = "rosters", key = (PK, SK), entities(Entry))]
struct Rosters;

#[derive(Entity)]
#[entity(Rosters, key = ("GAME#{game}", "ROSTER#{team}#{player}"))]
struct Entry {
    game: GameId,
    team: TeamId,
    player: PlayerId,
}

async fn some(db: &Db<Rosters>, game: &GameId, team: &TeamId) -> singlet::Result<Vec<Entry>> {
    db.query(Entry::of(game).after(team)).all().await
}

async fn all(db: &Db<Rosters>, game: &GameId, team: &TeamId) -> singlet::Result<Vec<Entry>> {
    let player = PlayerId::new("p").unwrap();
    db.query(Entry::of(game).with(team).with(&player).with(&player)).all().await
}

fn main() {}
