//! An entity of a table that is not the database's.

use singlet::prelude::*;

id!(Code, TeamId);

#[table(name = "games", key = (code), entities(Game))]
struct Games;

#[derive(Entity)]
#[entity(Games, key = ("{code}"))]
struct Game {
    code: Code,
}

#[table(name = "teams", key = (id), entities(Team))]
struct Teams;

#[derive(Entity)]
#[entity(Teams, key = ("{id}"))]
struct Team {
    id: TeamId,
}

async fn team(db: &Db<Games>, id: &TeamId) -> singlet::Result<Option<Team>> {
    db.get(Team::key(id)).await
}

async fn write(db: &Db<Games>, team: &Team) -> singlet::Result<()> {
    db.run(put(team)).await
}

async fn both(db: &Db<Games>, game: &Game, team: &Team) -> singlet::Result<()> {
    db.transact((put(game), put(team))).await
}

fn main() {}
