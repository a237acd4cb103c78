//! The leagues.

use super::StoreError;
use super::remembered::Remembered;
use super::store_error::{condition_held, found};
use crate::design::{Cricket, League, LeagueId};
use singlet::operation::Update;
use singlet::prelude::*;
use std::sync::Arc;

/// The leagues: operations 17 to 22. Clones are one.
#[derive(Clone)]
pub struct LeagueService {
    db: Db<Cricket>,
    all: Remembered<League>,
    active: Remembered<League>,
}

impl LeagueService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db, all: Remembered::default(), active: Remembered::default() }
    }

    /// 17 A league by its id.
    pub async fn get(&self, id: &LeagueId) -> Result<Option<League>, StoreError> {
        Ok(self.db.get(League::key(id)).await?)
    }

    /// 18 All leagues, by name: Scan, kept in memory for 60 s.
    pub async fn all(&self) -> Result<Arc<Vec<League>>, StoreError> {
        let now = self.db.now();
        if let Some(leagues) = self.all.get(now) {
            return Ok(leagues);
        }
        let mut leagues = self.db.scan(Scan::<League>::table()).all().await?;
        leagues.sort_by(|one, other| {
            (&one.name, &one.league_id).cmp(&(&other.name, &other.league_id))
        });
        Ok(self.all.set(now, leagues))
    }

    /// The leagues that were read last, however long ago.
    pub(super) fn remembered(&self) -> Arc<Vec<League>> {
        self.all.last()
    }

    /// 19 The active leagues, by code: Scan with a filter, kept in memory for 60 s.
    pub async fn active(&self) -> Result<Arc<Vec<League>>, StoreError> {
        let now = self.db.now();
        if let Some(leagues) = self.active.get(now) {
            return Ok(leagues);
        }
        let scan = Scan::<League>::table().filter(League::ACTIVE.eq(true));
        let mut leagues = self.db.scan(scan).all().await?;
        leagues.sort_by(|one, other| {
            (&one.code, &one.league_id).cmp(&(&other.code, &other.league_id))
        });
        Ok(self.active.set(now, leagues))
    }

    /// 20 Creates or replaces a league.
    pub async fn put(&self, league: &League) -> Result<League, StoreError> {
        let league = self.db.run(put(league).returning_new()).await?;
        self.forget();
        Ok(league)
    }

    /// 20 Creates a league as LeagueSync does, which must not replace one: `active` is the admin's.
    /// `false` if there is one.
    pub async fn create(&self, league: &League) -> Result<bool, StoreError> {
        let is_new = condition_held(self.db.run(create(league)).await)?;
        self.forget();
        Ok(is_new)
    }

    /// 21 Changes a league that exists: what `update(League::key(id))` says. `None` if there is
    /// none.
    pub async fn update(&self, change: Update<League>) -> Result<Option<League>, StoreError> {
        let league = found(self.db.run(change.returning_new()).await)?;
        self.forget();
        Ok(league)
    }

    /// 22 Deletes a league. Returns what it was.
    pub async fn delete(&self, id: &LeagueId) -> Result<Option<League>, StoreError> {
        let old = self.db.run(delete(League::key(id)).returning_old()).await?;
        self.forget();
        Ok(old)
    }

    fn forget(&self) {
        self.all.forget();
        self.active.forget();
    }
}
