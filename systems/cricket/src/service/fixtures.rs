//! The matches.

use super::StoreError;
use super::batch::Batches;
use super::pages::{page, starting_at};
use super::store_error::{condition_held, found};
use crate::design::{Cricket, Fixture, Fixtures, LeagueCode, LeagueId, MatchId};
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::dynamo::operation::WriteRequest;
use singlet::dynamo::{Item, Value};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::{Error, Page, item};
use std::collections::HashMap;
use std::time::Duration;

/// How many matches a page of a league has.
const PAGE_LEN: usize = 50;
/// How many items an admin's scan reads with one request.
const SCAN_LIMIT: usize = 200;
/// How many leagues are asked at the same time.
const LEAGUES_AT_ONCE_MAX: usize = 8;
/// A batch has no conditions: only matches that start later than this are written by one, so that a
/// late batch cannot reset a live match.
const BATCHED_AHEAD: Duration = Duration::from_hours(2);

/// The matches: operations 1 to 10. Clones are one.
#[derive(Clone)]
pub struct FixtureService {
    db: Db<Cricket>,
    batches: Batches,
}

/// What an update of a match came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Updated {
    /// The match as it is now.
    Done(Box<Fixture>),
    /// There is no such match.
    NotThere,
    /// Somebody else was ahead: the match is not as it was read. Nothing was written.
    Fenced,
}

/// Some matches of a scan, and where the next ones begin.
#[derive(Clone, Debug, PartialEq)]
pub struct FixturePage {
    /// The matches.
    pub items: Vec<Fixture>,
    /// The id behind which the next page begins; `None` if this was the last.
    pub next: Option<MatchId>,
}

impl FixtureService {
    pub(super) fn new(db: Db<Cricket>, batches: Batches) -> Self {
        Self { db, batches }
    }

    /// 1 A match by its id, as routes read it.
    pub async fn get(&self, id: &MatchId) -> Result<Option<Fixture>, StoreError> {
        Ok(self.db.get(Fixture::key(id)).await?)
    }

    /// 1 A match by its id, as ticks read it: with every write that was acknowledged before.
    pub async fn get_consistent(&self, id: &MatchId) -> Result<Option<Fixture>, StoreError> {
        Ok(self.db.get(Fixture::key(id).consistent()).await?)
    }

    /// 2 Matches by their ids: BatchGetItem, 100 keys a request. Absent ids are missing.
    pub async fn get_many(&self, ids: &[MatchId]) -> Result<HashMap<MatchId, Fixture>, StoreError> {
        let keys = ids.iter().map(key_of).collect();
        let items = self.batches.get(self.db.table_name::<Fixtures>(), keys, false).await?;
        let mut fixtures = HashMap::with_capacity(items.len());
        for item in &items {
            let fixture: Fixture = item::decode_item(item).map_err(Error::from)?;
            fixtures.insert(fixture.match_id.clone(), fixture);
        }
        Ok(fixtures)
    }

    /// 3 The matches of a league that start between two moments, by start time: a page of 50.
    pub async fn of_league(
        &self,
        league: &LeagueCode,
        from: Timestamp,
        to: Timestamp,
        cursor: Option<Cursor<Fixture>>,
    ) -> Result<Page<Fixture>, StoreError> {
        let query = Fixture::of_league(league).between(from, to).limit(PAGE_LEN);
        Ok(self.db.query(query).page(cursor).await?)
    }

    /// 3 The same behind a match of the league, or from the start: also whether there are more.
    pub(super) async fn of_league_after(
        &self,
        league: &LeagueCode,
        from: Timestamp,
        to: Timestamp,
        after: Option<(Timestamp, &MatchId)>,
    ) -> Result<(Vec<Fixture>, bool), StoreError> {
        let query = Fixture::of_league(league).between(from, to).limit(PAGE_LEN);
        let start = after.map(|(start_time, id)| {
            Item::from([
                ("matchId", Value::from(id.as_str())),
                ("leagueCode", Value::from(league.as_str())),
                ("startTime", Value::from(start_time.to_string().as_str())),
            ])
        });
        let request = starting_at(&query.request(&self.db)?, start);
        let (items, next) = page::<Fixture>(&self.db, request).await?;
        Ok((items, next.is_some()))
    }

    /// 4 The matches of these leagues that start between two moments and are neither live nor
    /// archived: one Query per league, 8 at once, merged by start time and id.
    pub async fn starting_soon(
        &self,
        leagues: &[LeagueCode],
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Fixture>, StoreError> {
        // Made before the stream: a closure in it would not be general enough to be sent.
        let queries: Vec<_> =
            leagues.iter().map(|league| self.starting_in(league.clone(), from, until)).collect();
        let lists: Vec<Vec<Fixture>> = stream::iter(queries)
            .buffer_unordered(LEAGUES_AT_ONCE_MAX)
            .boxed()
            .try_collect()
            .await?;
        let mut fixtures: Vec<Fixture> = lists.into_iter().flatten().collect();
        sort_by_start(&mut fixtures);
        Ok(fixtures)
    }

    async fn starting_in(
        &self,
        league: LeagueCode,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Fixture>, Error> {
        let is_ahead = Fixture::LIVE_UPDATED_AT.missing().and(Fixture::ARCHIVED_AT.missing());
        let query = Fixture::of_league(&league).between(from, until).filter(is_ahead);
        self.db.query(query).all().await
    }

    /// 5 All matches in play: Scan of `live-index`, by start time.
    pub async fn live(&self) -> Result<Vec<Fixture>, StoreError> {
        let mut fixtures = self.db.scan(Scan::index(Fixture::LIVE_NOW)).all().await?;
        sort_by_start(&mut fixtures);
        Ok(fixtures)
    }

    /// 6 Writes the matches that do not exist yet: by batches those that start more than two hours
    /// ahead, the others one by one on the condition that they are absent. Returns how many.
    pub async fn create_many(&self, fixtures: &[Fixture]) -> Result<usize, StoreError> {
        let ids: Vec<MatchId> = fixtures.iter().map(|one| one.match_id.clone()).collect();
        let known = self.get_many(&ids).await?;
        let now = self.db.now();
        let (mut batched, mut written) = (Vec::new(), 0);
        for fixture in fixtures.iter().filter(|one| !known.contains_key(&one.match_id)) {
            if fixture.start_time > now.after(BATCHED_AHEAD) {
                let fixture = Fixture { updated_at: now, ..fixture.clone() };
                batched.push(WriteRequest::Put(item::encode(&fixture)?));
            } else if condition_held(self.db.run(create(fixture)).await)? {
                written += 1;
            }
        }
        let table_name = self.db.table_name::<Fixtures>();
        written += self.batches.write(table_name, &["matchId"], batched).await?;
        Ok(written)
    }

    /// 7 Changes a match that exists: what `update(Fixture::key(id))` says. `Fenced` if a condition
    /// of the change's own does not hold.
    pub async fn update(&self, change: Update<Fixture>) -> Result<Updated, StoreError> {
        match self.db.run(change.returning_new()).await {
            Ok(fixture) => Ok(Updated::Done(Box::new(fixture))),
            Err(Error::ConditionFailed { item: None, .. }) => Ok(Updated::NotThere),
            Err(Error::ConditionFailed { item: Some(_), .. }) => Ok(Updated::Fenced),
            Err(error) => Err(error.into()),
        }
    }

    /// 7 The change that a tick makes, not yet run, for its transaction: it is refused if the match
    /// was archived, if its sequence is not the one that was read, or if a snapshot that is as new
    /// was applied. The tick adds what it sets.
    pub fn tick(read: &Fixture, feed_at: i64) -> Update<Fixture> {
        let is_newer = Fixture::FEED_AT.missing().or(Fixture::FEED_AT.lt(feed_at));
        update(Fixture::key(&read.match_id)).set(Fixture::FEED_AT, feed_at).only_if(
            Fixture::ARCHIVED_AT.missing().and(Fixture::SEQUENCE.eq(read.sequence)).and(is_newer),
        )
    }

    /// 8 Archives a match: it leaves `live-index`. `false` if there is none.
    pub async fn archive(&self, id: &MatchId) -> Result<bool, StoreError> {
        let change = update(Fixture::key(id))
            .set_if_missing(Fixture::ARCHIVED_AT, self.db.now())
            .remove(Fixture::LIVE)
            .remove(Fixture::LIVE_UPDATED_AT);
        condition_held(self.db.run(change).await)
    }

    /// 9 Deletes a replayed match. `false` if there is none, or it is not a replay.
    pub async fn delete_replay(&self, id: &MatchId) -> Result<bool, StoreError> {
        condition_held(
            self.db.run(delete(Fixture::key(id)).only_if(Fixture::REPLAY.exists())).await,
        )
    }

    /// 10 The matches of a league, for admins: Scan, 200 items a request until 50 match.
    pub async fn of_league_id(
        &self,
        league: &LeagueId,
        after: Option<&MatchId>,
    ) -> Result<FixturePage, StoreError> {
        let scan = Scan::<Fixture>::table().filter(Fixture::LEAGUE_ID.eq(league)).limit(SCAN_LIMIT);
        let request = scan.request(&self.db)?;
        let (mut items, mut start) = (Vec::new(), after.map(key_of));
        loop {
            let (more, next) = page::<Fixture>(&self.db, starting_at(&request, start)).await?;
            items.extend(more);
            if next.is_none() || items.len() >= PAGE_LEN {
                let next = match next.as_ref().and_then(|key| key.get("matchId")) {
                    Some(Value::S(id)) => MatchId::new(id.as_str()).ok(),
                    _ => None,
                };
                return Ok(FixturePage { items, next });
            }
            start = next;
        }
    }

    /// A new match by itself, on the condition that there is none: what operation 6 does for matches
    /// that start soon. `false` if there is one.
    pub async fn create(&self, fixture: &Fixture) -> Result<bool, StoreError> {
        Ok(found(self.db.run(create(fixture)).await)?.is_some())
    }
}

fn key_of(id: &MatchId) -> Item {
    Item::from([("matchId", Value::from(id.as_str()))])
}

fn sort_by_start(fixtures: &mut [Fixture]) {
    fixtures.sort_by(|one, other| {
        (one.start_time, &one.match_id).cmp(&(other.start_time, &other.match_id))
    });
}
