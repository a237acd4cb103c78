//! What the feed said last.

use super::StoreError;
use super::batch::Batches;
use super::store_error::condition_held;
use crate::design::{CachedFixture, Cricket, Enrichment, FixtureCache, LeagueId, MatchId};
use crate::rules::Phase;
use singlet::dynamo::operation::WriteRequest;
use singlet::dynamo::{Item, Value};
use singlet::prelude::*;
use singlet::{Error, item};
use std::collections::HashMap;
use std::time::Duration;

/// How often one entry is read and put again while others enrich it.
const PUT_ATTEMPTS_MAX: u32 = 3;

/// What the feed said last: operations 48 to 54. Clones are one.
#[derive(Clone)]
pub struct CacheService {
    db: Db<Cricket>,
    batches: Batches,
}

impl CacheService {
    pub(super) fn new(db: Db<Cricket>, batches: Batches) -> Self {
        Self { db, batches }
    }

    /// When an entry of a match in this phase expires: an hour from now while it is in play, a day
    /// before that, seven days once it is final.
    #[must_use]
    pub fn expiry(&self, phase: Phase) -> Expiry {
        let hours = match phase {
            phase if phase.is_final() => 7 * 24,
            phase if phase.is_in_live_index() => 1,
            _ => 24,
        };
        Expiry::at(self.db.now().after(Duration::from_hours(hours)))
    }

    /// 48 What the feed said last of a match.
    pub async fn get(&self, id: &MatchId) -> Result<Option<CachedFixture>, StoreError> {
        Ok(self.db.get(CachedFixture::key(id)).await?)
    }

    /// 49 The same of many matches: BatchGetItem, 100 keys a request.
    pub async fn get_many(
        &self,
        ids: &[MatchId],
    ) -> Result<HashMap<MatchId, CachedFixture>, StoreError> {
        let keys = ids.iter().map(|id| Item::from([("matchId", Value::from(id.as_str()))]));
        let table_name = self.db.table_name::<FixtureCache>();
        let items = self.batches.get(table_name, keys.collect(), false).await?;
        let now = self.db.now();
        let mut entries = HashMap::with_capacity(items.len());
        for item in &items {
            let entry: CachedFixture = item::decode_item(item).map_err(Error::from)?;
            if !entry.expires.has_passed(now) {
                entries.insert(entry.match_id.clone(), entry);
            }
        }
        Ok(entries)
    }

    /// 50 The entries of a league, by start: Query with a filter on the time to live.
    pub async fn of_league(&self, league: &LeagueId) -> Result<Vec<CachedFixture>, StoreError> {
        let now = Expiry::from_seconds(self.db.now().as_seconds());
        let query = CachedFixture::of_league(league).filter(CachedFixture::EXPIRES.gt(now));
        Ok(self.db.query(query).all().await?)
    }

    /// 51 All entries, by start: Scan.
    pub async fn all(&self) -> Result<Vec<CachedFixture>, StoreError> {
        let mut entries = self.db.scan(Scan::<CachedFixture>::table()).all().await?;
        entries.sort_by(|one, other| {
            (one.starting_at, &one.match_id).cmp(&(other.starting_at, &other.match_id))
        });
        Ok(entries)
    }

    /// 52 Keeps what the feed said of a match; the stored enrichment stays. `false` if what is
    /// there is as new.
    ///
    /// # Errors
    ///
    /// [`StoreError::StoreBusy`] if somebody else enriched it three times in between.
    pub async fn put(&self, entry: &CachedFixture) -> Result<bool, StoreError> {
        let attempts = self.db.attempt(|_| self.put_once(entry)).times(PUT_ATTEMPTS_MAX);
        match attempts.await {
            Err(Error::ConditionFailed { .. }) => {
                Err(StoreError::StoreBusy { not_done: vec![entry.match_id.to_string()] })
            }
            outcome => Ok(outcome?),
        }
    }

    /// A failed condition says that somebody else enriched or deleted the entry in between.
    async fn put_once(&self, entry: &CachedFixture) -> Result<bool, Error> {
        let stored = self.db.get(CachedFixture::key(&entry.match_id).consistent()).await?;
        let read_at = stored.as_ref().and_then(|stored| stored.enriched_at);
        let entry = with_enrichment(entry, stored.as_ref());
        let is_newer = Condition::missing().or(CachedFixture::FEED_AT.lt(entry.feed_at));
        let as_read = CachedFixture::ENRICHED_AT.missing();
        let as_read = match read_at {
            Some(read_at) => as_read.or(CachedFixture::ENRICHED_AT.eq(read_at)),
            None => as_read,
        };
        let refused = match self.db.run(put(&entry).only_if(is_newer.and(as_read))).await {
            Ok(()) => return Ok(true),
            Err(error) => error,
        };
        if let Error::ConditionFailed { item: Some(stored), .. } = &refused {
            let stored: CachedFixture = item::decode_item(stored)?;
            if stored.feed_at >= entry.feed_at {
                return Ok(false);
            }
        }
        Err(refused)
    }

    /// 53 Keeps what the feed said of many matches, 25 a request: stored enrichment stays where an
    /// entry has none, and what is older than what is there is left out. Returns how many.
    pub async fn put_many(&self, entries: &[CachedFixture]) -> Result<usize, StoreError> {
        let ids: Vec<MatchId> = entries.iter().map(|entry| entry.match_id.clone()).collect();
        let stored = self.get_many(&ids).await?;
        let mut writes = Vec::with_capacity(entries.len());
        for entry in entries {
            let stored = stored.get(&entry.match_id);
            if stored.is_none_or(|stored| stored.feed_at <= entry.feed_at) {
                let entry = with_enrichment(entry, stored);
                writes.push(WriteRequest::Put(item::encode(&entry)?));
            }
        }
        let table_name = self.db.table_name::<FixtureCache>();
        self.batches.write(table_name, &["matchId"], writes).await
    }

    /// 54 Sets the names and positions of an entry. `false` if there is none.
    pub async fn enrich(&self, id: &MatchId, enrichment: &Enrichment) -> Result<bool, StoreError> {
        let change = update(CachedFixture::key(id))
            .set(CachedFixture::ENRICHMENT, enrichment)
            .set(CachedFixture::ENRICHED_AT, self.db.now());
        condition_held(self.db.run(change).await)
    }
}

/// The entry, with the stored enrichment if it has none of its own.
fn with_enrichment(entry: &CachedFixture, stored: Option<&CachedFixture>) -> CachedFixture {
    let mut entry = entry.clone();
    if entry.enrichment.is_none()
        && let Some(stored) = stored
    {
        entry.enrichment.clone_from(&stored.enrichment);
        entry.enriched_at = stored.enriched_at;
    }
    entry
}
