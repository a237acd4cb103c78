//! Leagues, teams and standings. Lists are kept in memory for 60 s.

use super::{TeamSeasonService, get_all, held, put_all};
use crate::design::{Cricket, League, LeagueId, SeasonId, Team, TeamId, TeamSeason};
use crate::lock;
use singlet::Result;
use singlet::operation::Update;
use singlet::prelude::*;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const REMEMBERED: Duration = Duration::from_secs(60);

/// A list that was read, and when; no time if something in it has changed since then.
type Remembered<T> = Arc<Mutex<(Option<Timestamp>, Arc<Vec<T>>)>>;

fn forget<T>(list: &Remembered<T>) {
    lock(list).0 = None;
}

/// The list in memory unless it is too old, else `read`, sorted.
async fn remembered<T, K: Ord>(
    list: &Remembered<T>,
    now: Timestamp,
    read: impl Future<Output = Result<Vec<T>>>,
    key: impl Fn(&T) -> K,
) -> Result<Arc<Vec<T>>> {
    if let (Some(at), items) = &*lock(list)
        && *at <= now
        && now.since(*at) < REMEMBERED
    {
        return Ok(Arc::clone(items));
    }
    let mut items = read.await?;
    items.sort_by_key(key);
    let items = Arc::new(items);
    *lock(list) = (Some(now), Arc::clone(&items));
    Ok(items)
}

#[derive(Clone)]
pub struct TeamService {
    db: Db<Cricket>,
    all: Remembered<Team>,
}

impl TeamService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db, all: Arc::default() }
    }

    /// 11
    pub async fn get(&self, id: &TeamId) -> Result<Option<Team>> {
        self.db.get(Team::key(id)).await
    }

    /// 12 All teams, by name.
    pub async fn all(&self) -> Result<Arc<Vec<Team>>> {
        let read = self.db.scan(Scan::<Team>::table()).all();
        let by_name = |team: &Team| (team.name.clone(), team.team_id.clone());
        remembered(&self.all, self.db.now(), read, by_name).await
    }

    /// The teams that were read last, however long ago.
    pub(super) fn remembered(&self) -> Arc<Vec<Team>> {
        Arc::clone(&lock(&self.all).1)
    }

    /// 13 Writes the teams that do not exist yet. Returns how many.
    pub async fn create_many(&self, teams: &[Team]) -> Result<usize> {
        let keys = teams.iter().map(|team| Team::key(&team.team_id).consistent());
        let known = get_all(&self.db, keys.collect()).await?;
        let known: HashSet<TeamId> = known.into_iter().map(|team| team.team_id).collect();
        let new = teams.iter().filter(|team| !known.contains(&team.team_id));
        let written = put_all(&self.db, new).await?;
        forget(&self.all);
        Ok(written)
    }

    /// 14 Changes a team. `None` if there is none.
    pub async fn update(&self, change: Update<Team>) -> Result<Option<Team>> {
        let team = held(self.db.run(change.returning_new()).await)?;
        forget(&self.all);
        Ok(team)
    }
}

impl TeamSeasonService {
    /// 15 The teams of a season, by position, then id.
    pub async fn of_season(&self, season: &SeasonId) -> Result<Vec<TeamSeason>> {
        let mut records = self.db.query(TeamSeason::of_season(season)).all().await?;
        records.sort_by_key(|record| (record.position, record.team_id.clone()));
        Ok(records)
    }

    /// 16 Writes the records of a season. Returns how many.
    pub async fn put_many(&self, records: &[TeamSeason]) -> Result<usize> {
        put_all(&self.db, records).await
    }
}

#[derive(Clone)]
pub struct LeagueService {
    db: Db<Cricket>,
    all: Remembered<League>,
    active: Remembered<League>,
}

impl LeagueService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db, all: Arc::default(), active: Arc::default() }
    }

    /// 17
    pub async fn get(&self, id: &LeagueId) -> Result<Option<League>> {
        self.db.get(League::key(id)).await
    }

    /// 18 All leagues, by name.
    pub async fn all(&self) -> Result<Arc<Vec<League>>> {
        let read = self.db.scan(Scan::<League>::table()).all();
        let by_name = |league: &League| (league.name.clone(), league.league_id.clone());
        remembered(&self.all, self.db.now(), read, by_name).await
    }

    /// The leagues that were read last, however long ago.
    pub(super) fn remembered(&self) -> Arc<Vec<League>> {
        Arc::clone(&lock(&self.all).1)
    }

    /// 19 The active leagues, by code.
    pub async fn active(&self) -> Result<Arc<Vec<League>>> {
        let read = self.db.scan(Scan::<League>::table().filter(League::ACTIVE.eq(true))).all();
        let by_code = |league: &League| (league.code.clone(), league.league_id.clone());
        remembered(&self.active, self.db.now(), read, by_code).await
    }

    /// 20 Creates or replaces a league.
    pub async fn put(&self, league: &League) -> Result<League> {
        self.forgetting(self.db.run(put(league).returning_new()).await)
    }

    /// 20 As LeagueSync does, which must not replace one: `active` is the admin's. `false` if there
    /// is one.
    pub async fn create(&self, league: &League) -> Result<bool> {
        self.forgetting(held(self.db.run(create(league)).await).map(|is_new| is_new.is_some()))
    }

    /// 21 Changes a league. `None` if there is none.
    pub async fn update(&self, change: Update<League>) -> Result<Option<League>> {
        self.forgetting(held(self.db.run(change.returning_new()).await))
    }

    /// 22 Returns the deleted league.
    pub async fn delete(&self, id: &LeagueId) -> Result<Option<League>> {
        self.forgetting(self.db.run(delete(League::key(id)).returning_old()).await)
    }

    fn forgetting<T>(&self, outcome: Result<T>) -> Result<T> {
        forget(&self.all);
        forget(&self.active);
        outcome
    }
}
