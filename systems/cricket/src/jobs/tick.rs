//! One snapshot, applied to one match.
//!
//! (1) The lock of the match. (2) Reads the match and its processing state. (3) Pure: facts,
//! event, three display states, their hashes. (4) One transaction. (5) Caches. (6) Releases the
//! lock. (7) Orders to push.

use super::{Jobs, LEASE_MARGIN_MS};
use crate::design::{
    CachedFixture, Fixture, Live, LockKey, MatchId, ProcessingState, StateHash, TeamId,
};
use crate::feed::Snapshot;
use crate::rules::{
    Advanced, CONFIRMING, DisplayState, MatchResult, MatchView, Phase, advance, display, read_facts,
};
use crate::service::{FixtureService, HashService, LEASE, ProcessingService, Updated};
use crate::view::match_view;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An older snapshot is not applied.
const SNAPSHOT_MS_MAX: i64 = 8_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TickOutcome {
    /// There was nothing to do, or another server does it.
    Skipped(&'static str),
    /// Only the time of the tick was written.
    Unchanged,
    Committed {
        sequence: u64,
    },
    /// Another server was ahead: nothing was written, nothing is pushed.
    Fenced,
    /// Too little of the lease is left: nothing was written.
    LeaseLost,
}

/// A tick after its third step: everything is known, nothing is written.
pub struct Prepared {
    read: Fixture,
    before: Option<Arc<ProcessingState>>,
    snapshot: Snapshot,
    /// The match after this tick.
    now: MatchView,
    advanced: Advanced,
    shown: Vec<Shown>,
    is_last: bool,
    lease_until: i64,
    token: String,
}

/// What one perspective shows after this tick.
struct Shown {
    team: TeamId,
    state: DisplayState,
    hash: String,
    /// Whether the stored hash is another one.
    differs: bool,
}

impl Jobs {
    /// Applies a snapshot. `is_last` for the tick that ends a match.
    pub async fn tick(&self, snapshot: Snapshot, is_last: bool) -> Result<TickOutcome> {
        match self.prepare(snapshot, is_last).await? {
            Ok(prepared) => self.commit(prepared).await,
            Err(reason) => Ok(TickOutcome::Skipped(reason)),
        }
    }

    /// Steps 1 to 3, or why there is nothing to do.
    pub async fn prepare(
        &self,
        snapshot: Snapshot,
        is_last: bool,
    ) -> Result<Result<Prepared, &'static str>> {
        let Ok(id) = MatchId::new(snapshot.fixture.id.as_str()) else { return Ok(Err("no id")) };
        let (locks, lock) = (&self.service().locks, LockKey::of_match(&id));
        // It may be ours: reconciliation has it and ticks.
        let Some(lease_until) = locks.hold(&lock, self.owner(), LEASE).await? else {
            return Ok(Err("busy"));
        };
        let prepared = self.read_and_decide(&id, snapshot, is_last, lease_until).await;
        if !matches!(prepared, Ok(Ok(_))) {
            // Without a release it expires.
            let _ = locks.release(&lock, self.owner()).await;
        }
        prepared
    }

    async fn read_and_decide(
        &self,
        id: &MatchId,
        snapshot: Snapshot,
        is_last: bool,
        lease_until: i64,
    ) -> Result<Result<Prepared, &'static str>> {
        let service = self.service();
        let Some(read) = service.fixtures.get_consistent(id).await? else {
            return Ok(Err("unknown"));
        };
        match () {
            () if read.archived_at.is_some() => return Ok(Err("archived")),
            () if read.ended_at.is_some() => return Ok(Err("ended")),
            () if self.now_ms() - snapshot.feed_at > SNAPSHOT_MS_MAX => {
                return Ok(Err("old snapshot"));
            }
            () if read.feed_at.is_some_and(|at| at >= snapshot.feed_at) => {
                return Ok(Err("not newer"));
            }
            () => {}
        }
        let before = service.processing.get(id, read.sequence).await?;
        let names = service.names(std::slice::from_ref(&read)).await?;
        let known = match_view(&read, None, None, &names);
        let confirming = before.as_ref().and_then(|one| one.cooldowns.get(CONFIRMING).copied());
        let mut facts = read_facts(&known, &snapshot.fixture, snapshot.feed_ms, confirming);
        if facts.is_status_unknown {
            self.note_unknown_status(&facts.view.status);
        }
        let advanced = advance(&known, before.as_deref(), &facts, snapshot.feed_ms, is_last);
        facts.view.last_event.clone_from(&advanced.progress.last_event);
        let mut shown: Vec<Shown> = Vec::with_capacity(3);
        for team in read.perspectives() {
            // Before its teams are known, a match may have one placeholder twice.
            if shown.iter().any(|one| one.team == team) {
                continue;
            }
            let state = display(&facts.view, team.as_str());
            let hash = state.hash();
            let stored = service.hashes.get(id, &team).await?;
            let differs = stored.is_none_or(|stored| stored.hash != hash);
            shown.push(Shown { team, state, hash, differs });
        }
        let token = service.random.uuid_v4().map_err(|_| Error::RandomUnavailable)?;
        let now = facts.view;
        Ok(Ok(Prepared {
            read,
            before,
            snapshot,
            now,
            advanced,
            shown,
            is_last,
            lease_until,
            token,
        }))
    }

    /// Steps 4 to 7. After an error nothing was committed, or that is not known; the next tick finds
    /// out.
    pub async fn commit(&self, prepared: Prepared) -> Result<TickOutcome> {
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
        let (id, now) = (&prepared.read.match_id, &prepared.now);
        if let Ok(TickOutcome::Committed { sequence }) = outcome {
            let (event, states) = (prepared.advanced.event.clone(), prepared.states(true));
            self.0.orders.add(id, (sequence, self.now_ms()), event, states);
        }
        if matches!(outcome, Ok(TickOutcome::Committed { .. } | TickOutcome::Unchanged)) {
            self.start_activities_once(id, now.phase, now.day, prepared.states(false));
        }
        outcome
    }

    async fn write(&self, prepared: &Prepared) -> Result<TickOutcome> {
        let (service, read, new) = (self.service(), &prepared.read, &prepared.now);
        let now = service.db.now();
        let mut change = FixtureService::tick(read, prepared.snapshot.feed_at);
        if new.phase.is_in_live_index() || read.live.is_some() {
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
            .set(Fixture::STATUS, new.status.clone())
            .set(Fixture::PHASE, new.phase)
            .set(Fixture::DAY, new.day)
            .set(Fixture::TOSS, new.toss.clone())
            .set(Fixture::INNINGS, new.innings.clone())
            .set(Fixture::TARGET, new.target.clone())
            .set(Fixture::RESULT, new.result.clone());
        if prepared.is_last {
            change = change.set(Fixture::ENDED_AT, now);
        }
        let state = ProcessingState {
            sequence,
            expires_at: Expiry::at(now.after(ProcessingState::KEPT)),
            ..prepared.advanced.progress.clone()
        };
        let changed = prepared.shown.iter().filter(|shown| shown.differs);
        let hashes = changed.map(|shown| StateHash {
            match_id: read.match_id.clone(),
            team_id: shown.team.clone(),
            hash: shown.hash.clone(),
            sequence,
            event_kind: prepared.advanced.event.as_ref().map(|event| event.kind),
            pushed_at: now,
        });
        let hashes: Vec<StateHash> = hashes.collect();
        let mut transaction: Transaction<'_, _, Error> =
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
            Err(Error::ConditionFailed { .. }) => Ok(TickOutcome::Fenced),
            Err(error) => Err(error),
        }
    }

    /// Step 5. A cache that is not written is rebuilt later.
    async fn fill_caches(&self, prepared: &Prepared, sequence: u64) {
        let (service, read, is_final) = (self.service(), &prepared.read, prepared.is_last);
        for Shown { team, state, .. } in &prepared.shown {
            let put =
                service.displays.put(&read.match_id, team, state.to_json(), sequence, is_final);
            if let Err(error) = put.await {
                tracing::warn!(%error, "a display state was not kept");
            }
        }
        if let Some(entry) = self.cache_entry(read, &prepared.snapshot, prepared.now.phase)
            && let Err(error) = service.cache.put(&entry).await
        {
            tracing::warn!(%error, "a snapshot was not kept");
        }
    }

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
}

impl Prepared {
    pub fn is_settled(&self) -> bool {
        self.now.result.as_ref().is_some_and(MatchResult::is_settled)
    }

    /// All states, or those that differ from what was pushed last.
    fn states(&self, must_differ: bool) -> Vec<(TeamId, DisplayState)> {
        let shown = self.shown.iter().filter(|shown| shown.differs || !must_differ);
        shown.map(|shown| (shown.team.clone(), shown.state.clone())).collect()
    }

    fn has_changed(&self) -> bool {
        self.read != self.now.fixture
            || self.before.as_deref() != Some(&self.advanced.progress)
            || self.is_last
            || self.shown.iter().any(|shown| shown.differs)
    }
}
