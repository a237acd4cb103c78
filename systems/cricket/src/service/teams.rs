//! The teams.

use super::StoreError;
use super::batch::Batches;
use super::remembered::Remembered;
use super::store_error::found;
use crate::design::{Cricket, Team, TeamId, Teams};
use singlet::dynamo::operation::WriteRequest;
use singlet::dynamo::{Item, Value};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::{Error, item};
use std::collections::HashSet;
use std::sync::Arc;

/// The teams: operations 11 to 14. Clones are one.
#[derive(Clone)]
pub struct TeamService {
    db: Db<Cricket>,
    batches: Batches,
    all: Remembered<Team>,
}

impl TeamService {
    pub(super) fn new(db: Db<Cricket>, batches: Batches) -> Self {
        Self { db, batches, all: Remembered::default() }
    }

    /// 11 A team by its id.
    pub async fn get(&self, id: &TeamId) -> Result<Option<Team>, StoreError> {
        Ok(self.db.get(Team::key(id)).await?)
    }

    /// 12 All teams, by name: Scan, kept in memory for 60 s.
    pub async fn all(&self) -> Result<Arc<Vec<Team>>, StoreError> {
        let now = self.db.now();
        if let Some(teams) = self.all.get(now) {
            return Ok(teams);
        }
        let mut teams = self.db.scan(Scan::<Team>::table()).all().await?;
        teams.sort_by(|one, other| (&one.name, &one.team_id).cmp(&(&other.name, &other.team_id)));
        Ok(self.all.set(now, teams))
    }

    /// The teams that were read last, however long ago.
    pub(super) fn remembered(&self) -> Arc<Vec<Team>> {
        self.all.last()
    }

    /// 13 Writes the teams that do not exist yet, 25 a request. Returns how many.
    pub async fn create_many(&self, teams: &[Team]) -> Result<usize, StoreError> {
        let table_name = self.db.table_name::<Teams>();
        let keys = teams.iter().map(|team| key_of(&team.team_id)).collect();
        let known = self.batches.get(table_name, keys, true).await?;
        let known = known.iter().map(|item| item::decode_item::<Team>(item).map(|one| one.team_id));
        let known: HashSet<TeamId> = known.collect::<Result<_, _>>().map_err(Error::from)?;
        let now = self.db.now();
        let mut writes = Vec::new();
        for team in teams.iter().filter(|team| !known.contains(&team.team_id)) {
            let team = Team { updated_at: now, ..team.clone() };
            writes.push(WriteRequest::Put(item::encode(&team)?));
        }
        let written = self.batches.write(table_name, &["teamId"], writes).await?;
        self.all.forget();
        Ok(written)
    }

    /// 14 Changes a team that exists: what `update(Team::key(id))` says. `None` if there is none.
    pub async fn update(&self, change: Update<Team>) -> Result<Option<Team>, StoreError> {
        let team = found(self.db.run(change.returning_new()).await)?;
        self.all.forget();
        Ok(team)
    }
}

fn key_of(id: &TeamId) -> Item {
    Item::from([("teamId", Value::from(id.as_str()))])
}
