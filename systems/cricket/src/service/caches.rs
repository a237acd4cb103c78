//! Data derived from matches: hashes, displays, cached snapshots, processing states.

use super::{CacheService, DisplayService, HashService, get_all, held, put_all};
use crate::design::{
    CachedFixture, Cricket, Enrichment, LeagueId, MatchId, ProcessingState, StateHash,
    StoredDisplay, TeamId,
};
use crate::lock;
use crate::rules::Phase;
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::Result;
use singlet::operation::Put;
use singlet::prelude::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const DISPLAY_KEPT: Duration = Duration::from_secs(60);
const FINAL_DISPLAY_KEPT: Duration = Duration::from_hours(24);
/// How often one entry is read and put again while others enrich it.
const PUT_ATTEMPTS_MAX: u32 = 3;
const GETS_AT_ONCE_MAX: usize = 16;
/// More than there are matches in play at one time. A state has up to 230 KB.
const REMEMBERED_MAX: usize = 256;

impl HashService {
    /// 43 The state of a match from one perspective that was last given to be pushed.
    pub async fn get(&self, id: &MatchId, team: &TeamId) -> Result<Option<StateHash>> {
        self.db.get(StateHash::key(id, team).consistent()).await
    }

    /// 44 Notes a newer state. `false` (fenced) if one is there that is as new.
    pub async fn put(&self, hash: &StateHash) -> Result<bool> {
        Ok(held(self.db.run(Self::put_operation(hash)).await)?.is_some())
    }

    /// 44 The same, not yet run, for the transaction of a tick.
    pub fn put_operation(hash: &StateHash) -> Put<'_, StateHash> {
        put(hash).only_if(Condition::missing().or(StateHash::SEQUENCE.lt(hash.sequence)))
    }

    /// 45
    pub async fn delete(&self, id: &MatchId, team: &TeamId) -> Result<()> {
        self.db.run(delete(StateHash::key(id, team))).await
    }
}

impl DisplayService {
    /// 46
    pub async fn get(&self, id: &MatchId, team: &TeamId) -> Result<Option<StoredDisplay>> {
        self.db.get(StoredDisplay::key(id, team)).await
    }

    /// 47 `false` if the stored display is newer.
    pub async fn put(
        &self,
        id: &MatchId,
        team: &TeamId,
        state: String,
        sequence: u64,
        is_final: bool,
    ) -> Result<bool> {
        let kept = if is_final { FINAL_DISPLAY_KEPT } else { DISPLAY_KEPT };
        let display = StoredDisplay {
            match_id: id.clone(),
            team_id: team.clone(),
            state,
            sequence,
            expires: Expiry::at(self.db.now().after(kept)),
        };
        let is_older = Condition::missing().or(StoredDisplay::SEQUENCE.le(sequence));
        Ok(held(self.db.run(put(&display).only_if(is_older)).await)?.is_some())
    }
}

impl CacheService {
    /// When an entry of a match in this phase expires.
    pub fn expiry(&self, phase: Phase) -> Expiry {
        let hours = match phase {
            phase if phase.is_final() => 7 * 24,
            phase if phase.is_in_live_index() => 1,
            _ => 24,
        };
        Expiry::at(self.db.now().after(Duration::from_hours(hours)))
    }

    /// 48
    pub async fn get(&self, id: &MatchId) -> Result<Option<CachedFixture>> {
        self.db.get(CachedFixture::key(id)).await
    }

    /// 49
    pub async fn get_many(&self, ids: &[MatchId]) -> Result<HashMap<MatchId, CachedFixture>> {
        let keys = ids.iter().map(|id| CachedFixture::key(id).into()).collect();
        let found = get_all::<CachedFixture>(&self.db, keys).await?;
        Ok(found.into_iter().map(|entry| (entry.match_id.clone(), entry)).collect())
    }

    /// 50 The entries of a league, by start.
    pub async fn of_league(&self, league: &LeagueId) -> Result<Vec<CachedFixture>> {
        let now = Expiry::from_seconds(self.db.now().as_seconds());
        let query = CachedFixture::of_league(league).filter(CachedFixture::EXPIRES.gt(now));
        self.db.query(query).all().await
    }

    /// 51 All entries, by start.
    pub async fn all(&self) -> Result<Vec<CachedFixture>> {
        let mut entries = self.db.scan(Scan::<CachedFixture>::table()).all().await?;
        entries.sort_by_key(|entry| (entry.starting_at, entry.match_id.clone()));
        Ok(entries)
    }

    /// 52 Stores a snapshot; the stored enrichment stays. `false` if the stored snapshot is as new.
    /// Fails if the entry was enriched three times in between.
    pub async fn put(&self, entry: &CachedFixture) -> Result<bool> {
        self.db.attempt(|_| self.put_once(entry)).times(PUT_ATTEMPTS_MAX).await
    }

    /// A failed condition says that the entry was enriched, replaced or deleted in between.
    async fn put_once(&self, entry: &CachedFixture) -> Result<bool> {
        let stored = self.db.get(CachedFixture::key(&entry.match_id).consistent()).await?;
        if stored.as_ref().is_some_and(|stored| stored.feed_at >= entry.feed_at) {
            return Ok(false);
        }
        let read_at = stored.as_ref().and_then(|stored| stored.enriched_at);
        let entry = with_enrichment(entry, stored.as_ref());
        let is_newer = Condition::missing().or(CachedFixture::FEED_AT.lt(entry.feed_at));
        let as_read = CachedFixture::ENRICHED_AT.missing();
        let as_read = match read_at {
            Some(read_at) => as_read.or(CachedFixture::ENRICHED_AT.eq(read_at)),
            None => as_read,
        };
        self.db.run(put(&entry).only_if(is_newer.and(as_read))).await.map(|()| true)
    }

    /// 53 Stores many snapshots, except those that are older than the stored ones. Stored enrichment
    /// stays where an entry has none. Returns how many.
    pub async fn put_many(&self, entries: &[CachedFixture]) -> Result<usize> {
        let ids: Vec<MatchId> = entries.iter().map(|entry| entry.match_id.clone()).collect();
        let stored = self.get_many(&ids).await?;
        let newer: Vec<CachedFixture> = entries
            .iter()
            .map(|entry| (entry, stored.get(&entry.match_id)))
            .filter(|(entry, stored)| stored.is_none_or(|stored| stored.feed_at <= entry.feed_at))
            .map(|(entry, stored)| with_enrichment(entry, stored))
            .collect();
        put_all(&self.db, &newer).await
    }

    /// 54 Sets the names and positions of an entry. `false` if there is none.
    pub async fn enrich(&self, id: &MatchId, enrichment: &Enrichment) -> Result<bool> {
        let change = update(CachedFixture::key(id))
            .set(CachedFixture::ENRICHMENT, enrichment)
            .set(CachedFixture::ENRICHED_AT, self.db.now());
        Ok(held(self.db.run(change).await)?.is_some())
    }
}

/// Keeps the stored enrichment if the entry has none.
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

type States = HashMap<MatchId, Arc<ProcessingState>>;

#[derive(Clone)]
pub struct ProcessingService {
    db: Db<Cricket>,
    memory: Arc<Mutex<States>>,
}

impl ProcessingService {
    pub(super) fn new(db: Db<Cricket>) -> Self {
        Self { db, memory: Arc::default() }
    }

    /// 55 From memory if that has this sequence of the match, else a consistent read.
    pub async fn get(&self, id: &MatchId, sequence: u64) -> Result<Option<Arc<ProcessingState>>> {
        let now = self.db.now();
        let remembered = lock(&self.memory).get(id).cloned();
        if let Some(state) = remembered
            && state.sequence == sequence
            && !state.expires_at.has_passed(now)
        {
            return Ok(Some(state));
        }
        let state = self.db.get(ProcessingState::key(id).consistent()).await?.map(Arc::new);
        match &state {
            Some(state) => self.remember(Arc::clone(state)),
            None => self.forget(id),
        }
        Ok(state)
    }

    /// 56 Outside of a transaction.
    pub async fn put(&self, state: &ProcessingState) -> Result<()> {
        self.db.run(Self::put_operation(state)).await?;
        self.remember(Arc::new(state.clone()));
        Ok(())
    }

    /// 56 The same, not yet run, for the transaction of a tick or of a seek. Call
    /// [`remember`](Self::remember) after it.
    pub fn put_operation(state: &ProcessingState) -> Put<'_, ProcessingState> {
        put(state)
    }

    /// Keeps a state in memory that was committed.
    pub fn remember(&self, state: Arc<ProcessingState>) {
        let mut memory = lock(&self.memory);
        if memory.len() >= REMEMBERED_MAX && !memory.contains_key(&state.match_id) {
            // Any of them: it is read again when it is needed.
            let other = memory.keys().next().cloned();
            other.and_then(|other| memory.remove(&other));
        }
        memory.insert(state.match_id.clone(), state);
    }

    pub fn forget(&self, id: &MatchId) {
        lock(&self.memory).remove(id);
    }

    /// 57 Loads the states of these matches into memory, 16 at once; of all matches without a list,
    /// by a Scan. Returns how many.
    pub async fn hydrate(&self, ids: Option<&[MatchId]>) -> Result<usize> {
        let states = match ids {
            None => self.db.scan(Scan::<ProcessingState>::table()).all().await?,
            Some(ids) => {
                let gets = ids.iter().map(|id| self.db.get(ProcessingState::key(id).consistent()));
                let gets = stream::iter(gets.collect::<Vec<_>>());
                let read: Vec<Option<ProcessingState>> =
                    gets.buffer_unordered(GETS_AT_ONCE_MAX).boxed().try_collect().await?;
                read.into_iter().flatten().collect()
            }
        };
        let count = states.len();
        for state in states {
            self.remember(Arc::new(state));
        }
        Ok(count)
    }
}
