//! The matches.

use super::{FixtureService, get_all, held, put_all};
use crate::design::{Fixture, LeagueCode, LeagueId, Lock, LockKey, MatchId};
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::{Error, Page, Result};
use std::collections::HashMap;
use std::time::Duration;

const PAGE_LEN: usize = 50;
/// How many leagues are asked at the same time.
pub(super) const LEAGUES_AT_ONCE_MAX: usize = 8;
/// A batch has no conditions: only matches that start later than this are written by one, so that a
/// late batch cannot reset a live match.
const BATCHED_AHEAD: Duration = Duration::from_hours(2);

#[derive(Clone, Debug, PartialEq)]
pub enum Updated {
    Done(Box<Fixture>),
    NotThere,
    /// The match has changed since it was read. Nothing was written.
    Fenced,
}

impl FixtureService {
    /// 1 A match, as routes read it.
    pub async fn get(&self, id: &MatchId) -> Result<Option<Fixture>> {
        self.db.get(Fixture::key(id)).await
    }

    /// 1 A match, as ticks read it.
    pub async fn get_consistent(&self, id: &MatchId) -> Result<Option<Fixture>> {
        self.db.get(Fixture::key(id).consistent()).await
    }

    /// 2 Matches by their ids. Absent ids are missing.
    pub async fn get_many(&self, ids: &[MatchId]) -> Result<HashMap<MatchId, Fixture>> {
        let keys = ids.iter().map(|id| Fixture::key(id).into()).collect();
        let found = get_all::<Fixture>(&self.db, keys).await?;
        Ok(found.into_iter().map(|fixture| (fixture.match_id.clone(), fixture)).collect())
    }

    /// 3 The matches of a league that start between two moments, by start time: a page of 50.
    pub async fn of_league(
        &self,
        league: &LeagueCode,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<Cursor<Fixture>>,
    ) -> Result<Page<Fixture>> {
        let query = Fixture::of_league(league).between(from, to).limit(PAGE_LEN);
        self.db.query(query).page(cursor).await
    }

    /// 4 The matches of these leagues that start between two moments and are neither live nor
    /// archived: one Query per league, merged by start time and id.
    pub async fn starting_soon(
        &self,
        leagues: &[LeagueCode],
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Fixture>> {
        let is_ahead = || Fixture::LIVE_UPDATED_AT.missing().and(Fixture::ARCHIVED_AT.missing());
        let queries = leagues.iter().map(|league| {
            let query = Fixture::of_league(league).between(from, until).filter(is_ahead());
            self.db.query(query).all()
        });
        let lists: Vec<Vec<Fixture>> = stream::iter(queries.collect::<Vec<_>>())
            .buffer_unordered(LEAGUES_AT_ONCE_MAX)
            .boxed()
            .try_collect()
            .await?;
        Ok(by_start(lists.into_iter().flatten().collect()))
    }

    /// 5 All matches in play, by start time.
    pub async fn live(&self) -> Result<Vec<Fixture>> {
        Ok(by_start(self.db.scan(Scan::index(Fixture::LIVE_NOW)).all().await?))
    }

    /// 6 Writes the matches that do not exist yet: by batches those that start more than two hours
    /// ahead, the others one by one on the condition that they are absent. Returns how many.
    pub async fn create_many(&self, fixtures: &[Fixture]) -> Result<usize> {
        let ids: Vec<MatchId> = fixtures.iter().map(|one| one.match_id.clone()).collect();
        let known = self.get_many(&ids).await?;
        let batched_from = self.db.now().after(BATCHED_AHEAD);
        let new = fixtures.iter().filter(|one| !known.contains_key(&one.match_id));
        let (batched, soon): (Vec<_>, Vec<_>) = new.partition(|one| one.start_time > batched_from);
        let mut written = 0;
        for fixture in soon {
            written += usize::from(self.create(fixture).await?);
        }
        Ok(written + put_all(&self.db, batched).await?)
    }

    /// 6 One match. `false` if its id exists.
    pub async fn create(&self, fixture: &Fixture) -> Result<bool> {
        Ok(held(self.db.run(create(fixture)).await)?.is_some())
    }

    /// 7 Changes a match. `Fenced` if a condition of the change's own does not hold.
    pub async fn update(&self, change: Update<Fixture>) -> Result<Updated> {
        match self.db.run(change.returning_new()).await {
            Ok(fixture) => Ok(Updated::Done(Box::new(fixture))),
            Err(Error::ConditionFailed { item: None, .. }) => Ok(Updated::NotThere),
            Err(Error::ConditionFailed { item: Some(_), .. }) => Ok(Updated::Fenced),
            Err(error) => Err(error),
        }
    }

    /// 7 The change that a tick makes, not yet run: it is refused if the match was archived, if its
    /// sequence is not the one that was read, or if a snapshot that is as new was applied.
    pub fn tick(read: &Fixture, feed_at: i64) -> Update<Fixture> {
        let is_newer = Fixture::FEED_AT.missing().or(Fixture::FEED_AT.lt(feed_at));
        update(Fixture::key(&read.match_id)).set(Fixture::FEED_AT, feed_at).only_if(
            Fixture::ARCHIVED_AT.missing().and(Fixture::SEQUENCE.eq(read.sequence)).and(is_newer),
        )
    }

    /// 8 Archives a match: it leaves `live-index`. `false` if there is none.
    pub async fn archive(&self, id: &MatchId) -> Result<bool> {
        let change = update(Fixture::key(id))
            .set_if_missing(Fixture::ARCHIVED_AT, self.db.now())
            .remove(Fixture::LIVE)
            .remove(Fixture::LIVE_UPDATED_AT);
        Ok(held(self.db.run(change).await)?.is_some())
    }

    /// 9 Deletes a replayed match, and its lock with it. `false` if there is none, or it is not a
    /// replay.
    pub async fn delete_replay(&self, id: &MatchId) -> Result<bool> {
        let replay = delete(Fixture::key(id)).only_if(Fixture::REPLAY.exists());
        let lock = delete(Lock::key(LockKey::of_match(id)));
        Ok(held(self.db.transact((replay, lock)).await)?.is_some())
    }

    /// 10 The matches of a league, for admins: a page of a Scan.
    pub async fn of_league_id(
        &self,
        league: &LeagueId,
        limit: usize,
        cursor: Option<Cursor<Fixture>>,
    ) -> Result<Page<Fixture>> {
        let scan = Scan::<Fixture>::table().filter(Fixture::LEAGUE_ID.eq(league)).limit(limit);
        self.db.scan(scan).page(cursor).await
    }
}

fn by_start(mut fixtures: Vec<Fixture>) -> Vec<Fixture> {
    fixtures.sort_by_key(|fixture| (fixture.start_time, fixture.match_id.clone()));
    fixtures
}
