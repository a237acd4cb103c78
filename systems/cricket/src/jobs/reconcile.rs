//! Ends matches that are over, and archives them.
//!
//! Absence from the list of live matches only makes us read the match itself: a Test leaves the
//! list every evening. Archiving is the last step, so that a crash anywhere is found again in the
//! live index; `endedAt` keeps the result from being pushed twice.

use super::Jobs;
use super::tick::TickOutcome;
use crate::design::{Fixture, LockKey, MatchId};
use crate::feed::{FeedError, Snapshot};
use crate::rules::{Phase, ResultKind};
use crate::service::{Acquired, LEASE, StoreError, Updated};
use singlet::prelude::*;

/// So many times in a row a match must be absent.
const ABSENT_MIN: u32 = 2;
/// So many times the feed must not know a match.
const NOT_FOUND_MIN: u32 = 3;
/// A match that is absent and not over is looked at again after this.
const LOOK_AGAIN_MS: i64 = 300_000;

impl Jobs {
    /// After a poll that listed these matches: looks at every match in the live index that was
    /// absent twice, or is over.
    pub(super) async fn reconcile(&self, listed: &[String]) -> Result<(), StoreError> {
        let now = self.now_ms();
        let live = self.service().fixtures.live().await?;
        self.forget_others(&live);
        for fixture in live {
            let id = &fixture.match_id;
            let is_listed = listed.iter().any(|listed| listed == id.as_str());
            let absent = {
                let mut state = self.live();
                let absent = state.absent.entry(id.clone()).or_default();
                *absent = if is_listed { 0 } else { *absent + 1 };
                *absent
            };
            if fixture.phase == Phase::Stumps {
                self.end_the_day(&fixture).await?;
            }
            let is_over = fixture.phase.is_final() || fixture.ended_at.is_some();
            let is_due = self.live().look_again.get(id).is_none_or(|at| now >= *at);
            if (is_over || (absent >= ABSENT_MIN && is_due))
                && let Err(error) = self.reconcile_match(&fixture).await
            {
                tracing::warn!(%error, %id, "a match was not reconciled");
            }
        }
        Ok(())
    }

    /// What is remembered of matches that are not live any more is forgotten.
    fn forget_others(&self, live: &[Fixture]) {
        let is_live = |id: &MatchId| live.iter().any(|one| one.match_id == *id);
        let mut state = self.live();
        state.absent.retain(|id, _| is_live(id));
        state.look_again.retain(|id, _| is_live(id));
        state.not_found.retain(|id, _| is_live(id));
        state.stumped.retain(|(id, _)| is_live(id));
        state.started.retain(|(id, _)| is_live(id));
    }

    /// At stumps activities are ended; follows stay.
    async fn end_the_day(&self, fixture: &Fixture) -> Result<(), StoreError> {
        let key = (fixture.match_id.clone(), fixture.day.unwrap_or(1));
        if self.live().stumped.contains(&key) {
            return Ok(());
        }
        // What was ordered before must not come after the end.
        self.push_orders().await?;
        self.end_all(fixture).await?;
        self.service().subscriptions.remove_all(&fixture.match_id).await?;
        self.live().stumped.insert(key);
        Ok(())
    }

    /// Looks at one match: if it is over and its result is settled, ends and archives it.
    ///
    /// # Errors
    ///
    /// If the store or the feed fails.
    pub async fn reconcile_match(&self, fixture: &Fixture) -> Result<bool, StoreError> {
        let (service, id) = (self.service(), &fixture.match_id);
        let lock = LockKey::of_match(id);
        match service.locks.acquire(&lock, self.owner(), LEASE).await? {
            Acquired::Held { .. } => {}
            Acquired::Busy { .. } => return Ok(false),
        }
        let is_archived = self.end_if_over(fixture).await;
        // Without a release it expires.
        let _ = service.locks.release(&lock, self.owner()).await;
        is_archived
    }

    async fn end_if_over(&self, fixture: &Fixture) -> Result<bool, StoreError> {
        let (service, id) = (self.service(), &fixture.match_id);
        let expiry = fixture.start_time.after(fixture.format.expiry());
        let is_expired = service.db.now() >= expiry;
        if fixture.ended_at.is_none() && !is_expired {
            let snapshot = match self.0.feed.fixture(id.as_str()).await {
                Ok(Some(snapshot)) => snapshot,
                Ok(None) => return self.cancel_if_unknown(fixture).await,
                Err(FeedError::Resting { .. }) => return Ok(false),
                Err(error) => {
                    tracing::warn!(%error, %id, "a match could not be read");
                    return Ok(false);
                }
            };
            let status = snapshot.fixture.status.as_deref().unwrap_or_default();
            let phase = Phase::from_feed(status).map(|(phase, _)| phase);
            if !phase.is_some_and(Phase::is_final) {
                let again = self.now_ms() + LOOK_AGAIN_MS;
                self.live().look_again.insert(id.clone(), again);
                return Ok(false);
            }
            if !self.last_tick(fixture, snapshot).await? {
                return Ok(false);
            }
        }
        self.clean_up(id).await?;
        service.fixtures.archive(id).await?;
        Ok(true)
    }

    /// The tick that sets `endedAt` and pushes the result, once that is settled.
    async fn last_tick(&self, fixture: &Fixture, snapshot: Snapshot) -> Result<bool, StoreError> {
        let newest = fixture.feed_at.map_or(i64::MIN, |at| at + 1);
        let snapshot = Snapshot { feed_at: snapshot.feed_at.max(newest), ..snapshot };
        let prepared = match self.prepare(snapshot.clone(), true).await? {
            Ok(prepared) => prepared,
            Err(reason) => {
                tracing::debug!(reason, id = %fixture.match_id, "no last tick");
                return Ok(reason == "ended");
            }
        };
        if !prepared.is_settled() {
            // The result is being confirmed: note since when.
            let Ok(prepared) = self.prepare(snapshot, false).await? else { return Ok(false) };
            self.commit(prepared).await?;
            return Ok(false);
        }
        Ok(matches!(self.commit(prepared).await?, TickOutcome::Committed { .. }))
    }

    async fn cancel_if_unknown(&self, fixture: &Fixture) -> Result<bool, StoreError> {
        let (service, id) = (self.service(), &fixture.match_id);
        let count = {
            let mut state = self.live();
            let count = state.not_found.entry(id.clone()).or_default();
            *count += 1;
            *count
        };
        if count < NOT_FOUND_MIN {
            return Ok(false);
        }
        let result = crate::rules::MatchResult {
            kind: ResultKind::Cancelled,
            winner_team_id: None,
            margin: None,
            unit: None,
            text: "Match cancelled".to_owned(),
        };
        let change = update(Fixture::key(id))
            .set(Fixture::PHASE, Phase::Cancelled)
            .set(Fixture::RESULT, result)
            .set(Fixture::ENDED_AT, service.db.now())
            .add(Fixture::SEQUENCE, 1)
            .only_if(Fixture::SEQUENCE.eq(fixture.sequence));
        // A tick that was ahead has it from the feed: the match is known again.
        let Updated::Done(_) = service.fixtures.update(change).await? else { return Ok(false) };
        self.clean_up(id).await?;
        service.fixtures.archive(id).await
    }

    /// Ends all activities, then removes subscriptions, follows and hashes.
    pub(super) async fn clean_up(&self, id: &MatchId) -> Result<(), StoreError> {
        let service = self.service();
        // The result is pushed before the activities end.
        self.push_orders().await?;
        let Some(fixture) = service.fixtures.get_consistent(id).await? else { return Ok(()) };
        let lock = LockKey::of_match(id);
        let extend = || service.locks.extend(&lock, self.owner(), LEASE);
        extend().await?;
        self.end_all(&fixture).await?;
        extend().await?;
        service.subscriptions.remove_all(id).await?;
        service.follows.remove_all(id).await?;
        for team in fixture.perspectives() {
            service.hashes.delete(id, &team).await?;
        }
        self.0.orders.forget(id);
        Ok(())
    }
}
