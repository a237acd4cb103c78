//! A condition on a field within a payload, and an update of it.

use singlet::prelude::*;

id!(LeagueId);

#[table(name = "leagues", key = (pk, sk), entities(League))]
struct Leagues;

#[derive(Entity)]
#[entity(Leagues, key = ("LEAGUE#{id}", "METADATA"), payload = "data")]
struct League {
    id: LeagueId,
    name: String,
}

async fn rename(db: &Db<Leagues>, id: &LeagueId) -> singlet::Result<()> {
    db.run(delete(League::key(id)).only_if(League::NAME.eq("old"))).await?;
    db.run(update(League::key(id)).set(League::NAME, "new")).await
}

fn main() {}
