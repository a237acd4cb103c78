//! The standings.

use super::StoreError;
use super::batch::Batches;
use crate::design::{Cricket, SeasonId, TeamSeason, TeamSeasons};
use singlet::dynamo::operation::WriteRequest;
use singlet::item;
use singlet::prelude::*;

/// The standings: operations 15 and 16. Clones are one.
#[derive(Clone)]
pub struct TeamSeasonService {
    db: Db<Cricket>,
    batches: Batches,
}

impl TeamSeasonService {
    pub(super) fn new(db: Db<Cricket>, batches: Batches) -> Self {
        Self { db, batches }
    }

    /// 15 The teams of a season, by position, then id.
    pub async fn of_season(&self, season: &SeasonId) -> Result<Vec<TeamSeason>, StoreError> {
        let mut records = self.db.query(TeamSeason::of_season(season)).all().await?;
        records.sort_by(|one, other| {
            (one.position, &one.team_id).cmp(&(other.position, &other.team_id))
        });
        Ok(records)
    }

    /// 16 Writes the records of a season, 25 a request. Returns how many.
    pub async fn put_many(&self, records: &[TeamSeason]) -> Result<usize, StoreError> {
        let now = self.db.now();
        let mut writes = Vec::with_capacity(records.len());
        for record in records {
            let record = TeamSeason { updated_at: now, ..record.clone() };
            writes.push(WriteRequest::Put(item::encode(&record)?));
        }
        let table_name = self.db.table_name::<TeamSeasons>();
        self.batches.write(table_name, &["seasonId", "teamId"], writes).await
    }
}
