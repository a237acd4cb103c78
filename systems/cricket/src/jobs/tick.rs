//! One snapshot, applied to one match.
//!
//! (1) The lock of the match. (2) Reads the match and how far it is processed. (3) Pure: facts,
//! event, three display states, their hashes. (4) One transaction. (5) Caches. (6) Releases the
//! lock. (7) Orders to push.

use super::orders::Order;
use super::{Jobs, LEASE_MARGIN_MS};
use crate::design::{
    BallId, CachedFixture, Fixture, Live, LockKey, MatchId, ProcessingState, StateHash, TeamId,
};
use crate::feed::Snapshot;
use crate::rules::{
    Advanced, CONFIRMING, DisplayState, Facts, MatchView, Phase, Progress, StoredMatch, advance,
    display, read_facts,
};
use crate::service::{
    Acquired, FixtureService, HashService, LEASE, ProcessingService, StoreError, Updated,
};
use singlet::prelude::*;
use singlet::transaction::Transaction;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An older snapshot is not applied.
const SNAPSHOT_MS_MAX: i64 = 8_000;

/// What a tick came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TickOutcome {
    /// There was nothing to do, or somebody else does it.
    Skipped(&'static str),
    /// The match is as it was; that it was looked at is noted.
    Unchanged,
    /// The match has changed.
    Committed {
        /// Its new sequence.
        sequence: u64,
    },
    /// Somebody else was ahead: nothing was written, nothing is pushed.
    Fenced,
    /// Too little of the lease is left: nothing was written.
    LeaseLost,
}

/// A tick after its third step: everything is known, nothing is written.
pub struct Prepared {
    read: Fixture,
    before: Option<Arc<ProcessingState>>,
    snapshot: Snapshot,
    facts: Facts,
    advanced: Advanced,
    /// For each perspective its state, its hash, and whether that differs from the stored one.
    states: Vec<(TeamId, DisplayState, String, bool)>,
    is_last: bool,
    lease_until: i64,
    token: String,
}

impl Jobs {
    /// Applies a snapshot. `is_last` for the tick that ends a match.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn tick(&self, snapshot: Snapshot, is_last: bool) -> Result<TickOutcome, StoreError> {
        match self.prepare(snapshot, is_last).await? {
            Ok(prepared) => self.commit(prepared).await,
            Err(reason) => Ok(TickOutcome::Skipped(reason)),
        }
    }

    /// Steps 1 to 3. Why there is nothing to do, if so.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn prepare(
        &self,
        snapshot: Snapshot,
        is_last: bool,
    ) -> Result<Result<Prepared, &'static str>, StoreError> {
        let Ok(id) = MatchId::new(snapshot.fixture.id.as_str()) else { return Ok(Err("no id")) };
        let lock = LockKey::of_match(&id);
        let service = self.service();
        let lease_until = match service.locks.acquire(&lock, self.owner(), LEASE).await? {
            Acquired::Held { expires_at } => expires_at,
            Acquired::Busy { owner, .. } if owner == *self.owner() => {
                // Reconciliation has it and ticks.
                match service.locks.extend(&lock, self.owner(), LEASE).await? {
                    Some(expires_at) => expires_at,
                    None => return Ok(Err("busy")),
                }
            }
            Acquired::Busy { .. } => return Ok(Err("busy")),
        };
        match self.read_and_decide(&id, snapshot, is_last, lease_until).await {
            Ok(Ok(prepared)) => Ok(Ok(prepared)),
            stopped => {
                // Without a release it expires.
                let _ = service.locks.release(&lock, self.owner()).await;
                stopped
            }
        }
    }

    async fn read_and_decide(
        &self,
        id: &MatchId,
        snapshot: Snapshot,
        is_last: bool,
        lease_until: i64,
    ) -> Result<Result<Prepared, &'static str>, StoreError> {
        let service = self.service();
        let Some(read) = service.fixtures.get_consistent(id).await? else {
            return Ok(Err("unknown"));
        };
        let age = self.now_ms() - snapshot.feed_at;
        let reason = match () {
            () if read.archived_at.is_some() => Some("archived"),
            () if read.ended_at.is_some() => Some("ended"),
            () if age > SNAPSHOT_MS_MAX => Some("old snapshot"),
            () if read.feed_at.is_some_and(|at| at >= snapshot.feed_at) => Some("not newer"),
            () => None,
        };
        if let Some(reason) = reason {
            return Ok(Err(reason));
        }
        let before = service.processing.get(id, read.sequence).await?;
        let [home, away] = service.names(std::slice::from_ref(&read)).await?.teams(&read);
        let known = StoredMatch {
            match_id: id.to_string(),
            league: read.league_code.to_string(),
            format: read.format,
            start_ms: read.start_time.as_millis(),
            home,
            away,
            phase: read.phase,
            status: read.status.clone(),
            day: read.day,
            toss: read.toss.clone(),
            innings: read.innings.clone(),
        };
        let progress = before.as_deref().map(progress_of);
        let confirming = progress.as_ref().and_then(|one| one.cooldowns.get(CONFIRMING).copied());
        let facts = read_facts(&known, &snapshot.fixture, snapshot.feed_ms, confirming);
        if facts.is_status_unknown {
            self.note_unknown_status(&facts.status);
        }
        let advanced = advance(&known, progress.as_ref(), &facts, snapshot.feed_ms, is_last);
        let view = MatchView::new(&known, &facts, advanced.progress.last_event.clone());
        let mut states: Vec<(TeamId, DisplayState, String, bool)> = Vec::with_capacity(3);
        for team in read.perspectives() {
            // Before its teams are known, a match may have one placeholder twice.
            if states.iter().any(|(known, _, _, _)| *known == team) {
                continue;
            }
            let state = display(&view, team.as_str());
            let hash = state.hash();
            let stored = service.hashes.get(id, &team).await?;
            let differs = stored.is_none_or(|stored| stored.hash != hash);
            states.push((team, state, hash, differs));
        }
        let token = service.random.uuid_v4().map_err(|_| singlet::Error::RandomUnavailable)?;
        Ok(Ok(Prepared {
            read,
            before,
            snapshot,
            facts,
            advanced,
            states,
            is_last,
            lease_until,
            token,
        }))
    }

    /// Steps 4 to 7.
    ///
    /// # Errors
    ///
    /// If the store fails. Then nothing was committed, or that is not known; the next tick finds
    /// out.
    pub async fn commit(&self, prepared: Prepared) -> Result<TickOutcome, StoreError> {
        let lock = LockKey::of_match(&prepared.read.match_id);
        let is_late = self.now_ms() + LEASE_MARGIN_MS > prepared.lease_until;
        let outcome = if is_late && self.0.checks_lease.load(Ordering::SeqCst) {
            Ok(TickOutcome::LeaseLost)
        } else {
            self.write(&prepared).await
        };
        if let Ok(TickOutcome::Committed { sequence }) = outcome {
            self.fill_caches(&prepared, sequence).await;
        }
        // Without a release it expires. Reconciliation goes on with it.
        if !prepared.is_last {
            let _ = self.service().locks.release(&lock, self.owner()).await;
        }
        match outcome {
            Ok(TickOutcome::Committed { sequence }) => self.order(&prepared, sequence),
            Ok(TickOutcome::Unchanged) => {
                self.start_activities_once(&prepared.read, &prepared.states_of())
            }
            _ => {}
        }
        outcome
    }

    async fn write(&self, prepared: &Prepared) -> Result<TickOutcome, StoreError> {
        let (service, read, facts) = (self.service(), &prepared.read, &prepared.facts);
        let now = service.db.now();
        let mut change = FixtureService::tick(read, prepared.snapshot.feed_at);
        if facts.phase.is_in_live_index() || read.live.is_some() {
            change = change.set(Fixture::LIVE, Live::Live).set(Fixture::LIVE_UPDATED_AT, now);
        }
        if !prepared.has_changed() {
            return Ok(match service.fixtures.update(change).await? {
                Updated::Done(_) => TickOutcome::Unchanged,
                Updated::NotThere => TickOutcome::Skipped("unknown"),
                Updated::Fenced => TickOutcome::Fenced,
            });
        }
        let sequence = read.sequence + 1;
        change = change
            .set(Fixture::SEQUENCE, sequence)
            .set(Fixture::STATUS, facts.status.clone())
            .set(Fixture::PHASE, facts.phase)
            .set(Fixture::DAY, facts.day)
            .set(Fixture::TOSS, facts.toss.clone())
            .set(Fixture::INNINGS, facts.innings.clone())
            .set(Fixture::TARGET, facts.target.clone())
            .set(Fixture::RESULT, facts.result.clone());
        if prepared.is_last {
            change = change.set(Fixture::ENDED_AT, now);
        }
        let state = prepared.processing_state(sequence, now);
        let kind = prepared.advanced.event.as_ref().map(|event| event.kind);
        let hashes: Vec<StateHash> = prepared
            .states
            .iter()
            .filter(|(_, _, _, differs)| *differs)
            .map(|(team, _, hash, _)| StateHash {
                match_id: read.match_id.clone(),
                team_id: team.clone(),
                hash: hash.clone(),
                sequence,
                event_kind: kind,
                pushed_at: now,
            })
            .collect();
        let mut transaction: Transaction<'_, _, singlet::Error> =
            service.db.transaction().once(prepared.token.clone());
        transaction.push(change);
        transaction.push(ProcessingService::put_operation(&state));
        for hash in &hashes {
            transaction.push(HashService::put_operation(hash));
        }
        match transaction.run().await {
            Ok(()) => {
                service.processing.remember(Arc::new(state));
                Ok(TickOutcome::Committed { sequence })
            }
            Err(singlet::Error::ConditionFailed { .. }) => Ok(TickOutcome::Fenced),
            Err(error) => Err(error.into()),
        }
    }

    /// Step 5: what is lost here is rebuilt.
    async fn fill_caches(&self, prepared: &Prepared, sequence: u64) {
        let (service, read) = (self.service(), &prepared.read);
        let is_final = prepared.is_last;
        for (team, state, _, _) in &prepared.states {
            let put =
                service.displays.put(&read.match_id, team, state.to_json(), sequence, is_final);
            if let Err(error) = put.await {
                tracing::warn!(%error, "a display state was not kept");
            }
        }
        if let Some(entry) = self.cache_entry(read, &prepared.snapshot, prepared.facts.phase)
            && let Err(error) = service.cache.put(&entry).await
        {
            tracing::warn!(%error, "a snapshot was not kept");
        }
    }

    /// What the cache keeps of a snapshot.
    pub(super) fn cache_entry(
        &self,
        read: &Fixture,
        snapshot: &Snapshot,
        phase: Phase,
    ) -> Option<CachedFixture> {
        Some(CachedFixture {
            match_id: read.match_id.clone(),
            league_id: read.league_id.clone(),
            starting_at: read.start_time,
            payload: snapshot.fixture.payload()?,
            feed_at: snapshot.feed_at,
            enrichment: None,
            enriched_at: None,
            expires: self.service().cache.expiry(phase),
        })
    }

    /// Step 7.
    fn order(&self, prepared: &Prepared, sequence: u64) {
        let states: Vec<(TeamId, DisplayState)> = prepared
            .states
            .iter()
            .filter(|(_, _, _, differs)| *differs)
            .map(|(team, state, _, _)| (team.clone(), state.clone()))
            .collect();
        let read = &prepared.read;
        self.0.orders.add(Order {
            match_id: read.match_id.clone(),
            sequence,
            event: prepared.advanced.event.clone(),
            states,
            committed_at: self.now_ms(),
        });
        if prepared.facts.phase == Phase::Live {
            let now_live = Fixture { phase: Phase::Live, day: prepared.facts.day, ..read.clone() };
            self.start_activities_once(&now_live, &prepared.states_of());
        }
    }
}

impl Prepared {
    /// The event that this tick fires, if any.
    #[must_use]
    pub fn event(&self) -> Option<&crate::rules::LastEvent> {
        self.advanced.event.as_ref()
    }

    /// Whether the result will not change any more.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.facts.result.as_ref().is_some_and(crate::rules::MatchResult::is_settled)
    }

    /// What the neutral display would show.
    #[must_use]
    pub fn neutral(&self) -> Option<&DisplayState> {
        let neutral = self.states.iter().find(|(team, _, _, _)| team.is_neutral());
        neutral.map(|(_, state, _, _)| state)
    }

    fn states_of(&self) -> Vec<(TeamId, DisplayState)> {
        self.states.iter().map(|(team, state, _, _)| (team.clone(), state.clone())).collect()
    }

    fn has_changed(&self) -> bool {
        let (read, facts) = (&self.read, &self.facts);
        let is_same = read.phase == facts.phase
            && read.status == facts.status
            && read.day == facts.day
            && read.toss == facts.toss
            && read.innings == facts.innings
            && read.target == facts.target
            && read.result == facts.result;
        let progress = self.before.as_deref().map(progress_of);
        let is_same = is_same && progress.as_ref() == Some(&self.advanced.progress);
        !is_same || self.is_last || self.states.iter().any(|(_, _, _, differs)| *differs)
    }

    fn processing_state(&self, sequence: u64, now: Timestamp) -> ProcessingState {
        let progress = self.advanced.progress.clone();
        let last = progress.last_processed_ball;
        ProcessingState {
            match_id: self.read.match_id.clone(),
            last_processed_ball: last.and_then(|id| BallId::new(id.to_string()).ok()),
            ball_by_ball: progress.ball_by_ball,
            players: progress.players,
            last_event: progress.last_event,
            fired: progress.fired,
            cooldowns: progress.cooldowns,
            sequence,
            expires_at: Expiry::at(now.after(ProcessingState::KEPT)),
        }
    }
}

/// What is stored, as the rules read it.
pub(super) fn progress_of(state: &ProcessingState) -> Progress {
    let last = state.last_processed_ball.as_ref();
    Progress {
        last_processed_ball: last.and_then(|id| id.as_str().parse().ok()),
        ball_by_ball: state.ball_by_ball.clone(),
        players: state.players.clone(),
        last_event: state.last_event.clone(),
        fired: state.fired.clone(),
        cooldowns: state.cooldowns.clone(),
    }
}
