//! Ends matches that are over, and archives them.
//!
//! Absence from the list of live matches only makes us read the match itself: a Test leaves the
//! list every evening. Archiving is the last step, so that a crash anywhere is found again in the
//! live index; `endedAt` keeps the result from being pushed twice.
//!
//! A match is ended in a separate task, which may wait for slow pushes: it holds the lock of the
//! match, extends it every 3 s, and stops when another server has it.

use super::Jobs;
use super::tick::TickOutcome;
use crate::design::{Fixture, LockKey, MatchId};
use crate::feed::{FeedError, Snapshot};
use crate::rules::{MatchResult, Phase, ResultKind};
use crate::service::{Acquired, LEASE, Updated};
use singlet::prelude::*;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

/// How many times in a row a match must be absent.
const ABSENT_MIN: u32 = 2;
/// How many times the feed must not know a match.
const NOT_FOUND_MIN: u32 = 3;
/// A match that is absent and not over is looked at again after this.
const LOOK_AGAIN_MS: i64 = 300_000;
/// How many matches are ended at once; others wait for a later pass.
const ENDINGS_MAX: usize = 16;
/// How often a lock is extended while a match is ended.
const EXTEND_EVERY: Duration = Duration::from_secs(3);

/// A match that is being ended, until this is dropped.
struct Ending {
    jobs: Jobs,
    match_id: MatchId,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.jobs.live().endings.remove(&self.match_id);
        self.jobs.0.ending_done.notify_waiters();
    }
}

impl Jobs {
    /// After a poll that listed these matches: begins to look at every match in the live index that
    /// was absent twice, or is over. [`endings_done`](Self::endings_done) waits for the end of that.
    pub(super) async fn reconcile(&self, listed: &[String]) -> singlet::Result<()> {
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
            let is_day_over =
                fixture.phase == Phase::Stumps && !self.live().stumped.contains(&day_of(&fixture));
            let is_over = fixture.phase.is_final() || fixture.ended_at.is_some();
            let is_due = self.live().look_again.get(id).is_none_or(|at| now >= *at);
            let is_to_reconcile = is_over || (absent >= ABSENT_MIN && is_due);
            if is_day_over || is_to_reconcile {
                self.end_in_background(fixture, is_day_over, is_to_reconcile);
            }
        }
        Ok(())
    }

    /// Ends the day or the match in a separate task, unless one is running.
    fn end_in_background(&self, fixture: Fixture, is_day_over: bool, is_to_reconcile: bool) {
        if self.live().endings.len() >= ENDINGS_MAX {
            return;
        }
        let Some(ending) = self.begin_ending(&fixture.match_id) else { return };
        let jobs = self.clone();
        tokio::spawn(async move {
            let id = &fixture.match_id;
            if is_day_over && let Err(error) = jobs.end_the_day(&fixture).await {
                tracing::warn!(%error, %id, "the activities of a day were not ended");
            }
            if is_to_reconcile && let Err(error) = jobs.reconcile_now(&fixture).await {
                tracing::warn!(%error, %id, "a match was not reconciled");
            }
            drop(ending);
        });
    }

    /// `None` if this server is ending the match already.
    fn begin_ending(&self, id: &MatchId) -> Option<Ending> {
        let is_first = self.live().endings.insert(id.clone());
        is_first.then(|| Ending { jobs: self.clone(), match_id: id.clone() })
    }

    pub(super) fn is_ending(&self, id: &str) -> bool {
        self.live().endings.iter().any(|ending| ending.as_str() == id)
    }

    /// Waits until this server ends no match.
    pub async fn endings_done(&self) {
        loop {
            let mut done = pin!(self.0.ending_done.notified());
            // From here on no notification is missed.
            done.as_mut().enable();
            if self.live().endings.is_empty() {
                return;
            }
            done.await;
        }
    }

    /// Runs `work` with the lock of a match. `None` if the lock is busy.
    pub(super) async fn with_match_lock<T>(
        &self,
        id: &MatchId,
        work: impl Future<Output = singlet::Result<T>>,
    ) -> singlet::Result<Option<T>> {
        let (locks, lock) = (&self.service().locks, LockKey::of_match(id));
        match locks.acquire(&lock, self.owner(), LEASE).await? {
            Acquired::Held { .. } => {}
            Acquired::Busy { .. } => return Ok(None),
        }
        let done = work.await;
        // Without a release it expires.
        let _ = locks.release(&lock, self.owner()).await;
        done.map(Some)
    }

    /// Extends the lock of a match, then every 3 s until `work` is done. `None` if the lock was lost:
    /// then `work` was not begun, or stopped.
    async fn while_extending<T>(
        &self,
        id: &MatchId,
        work: impl Future<Output = singlet::Result<T>>,
    ) -> singlet::Result<Option<T>> {
        let lock = LockKey::of_match(id);
        let mut work = pin!(work);
        while self.service().locks.extend(&lock, self.owner(), LEASE).await?.is_some() {
            if let Ok(done) = tokio::time::timeout(EXTEND_EVERY, &mut work).await {
                return done.map(Some);
            }
        }
        tracing::warn!(%id, "the lock of a match was lost while it ended");
        Ok(None)
    }

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
    async fn end_the_day(&self, fixture: &Fixture) -> singlet::Result<()> {
        let is_ended = self.with_match_lock(&fixture.match_id, self.end_all_activities(fixture));
        if is_ended.await? == Some(true) {
            self.live().stumped.insert(day_of(fixture));
        }
        Ok(())
    }

    /// Ends all activities of a match after its orders are sent, and removes their
    /// subscriptions. `false` if the lock of the match was lost.
    async fn end_all_activities(&self, fixture: &Fixture) -> singlet::Result<bool> {
        let id = &fixture.match_id;
        let pushed = async {
            self.push_all_of(id).await;
            Ok(())
        };
        if self.while_extending(id, pushed).await?.is_none() {
            return Ok(false);
        }
        if self.while_extending(id, self.end_all(fixture)).await?.is_none() {
            return Ok(false);
        }
        let removed = self.while_extending(id, self.service().subscriptions.remove_all(id));
        Ok(removed.await?.is_some())
    }

    /// Looks at one match: if it is over and its result is settled, ends and archives it. Returns
    /// whether it did.
    pub async fn reconcile_match(&self, fixture: &Fixture) -> singlet::Result<bool> {
        let Some(_ending) = self.begin_ending(&fixture.match_id) else { return Ok(false) };
        self.reconcile_now(fixture).await
    }

    async fn reconcile_now(&self, fixture: &Fixture) -> singlet::Result<bool> {
        let is_archived = self.with_match_lock(&fixture.match_id, self.end_if_over(fixture));
        Ok(is_archived.await? == Some(true))
    }

    async fn end_if_over(&self, fixture: &Fixture) -> singlet::Result<bool> {
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
        Ok(self.clean_up(id).await? && service.fixtures.archive(id).await?)
    }

    /// The tick that sets `endedAt` and pushes the result, once that is settled.
    async fn last_tick(&self, fixture: &Fixture, snapshot: Snapshot) -> singlet::Result<bool> {
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

    async fn cancel_if_unknown(&self, fixture: &Fixture) -> singlet::Result<bool> {
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
        let result = MatchResult::plain(ResultKind::Cancelled, "Match cancelled");
        let change = update(Fixture::key(id))
            .set(Fixture::PHASE, Phase::Cancelled)
            .set(Fixture::RESULT, result)
            .set(Fixture::ENDED_AT, service.db.now())
            .add(Fixture::SEQUENCE, 1)
            .only_if(Fixture::SEQUENCE.eq(fixture.sequence));
        // A tick that was ahead has it from the feed: the match is known again.
        let Updated::Done(_) = service.fixtures.update(change).await? else { return Ok(false) };
        Ok(self.clean_up(id).await? && service.fixtures.archive(id).await?)
    }

    /// Ends all activities, then removes subscriptions, follows and hashes. Its caller has the lock of
    /// the match; `false` if that was lost, so that something may be left.
    pub(super) async fn clean_up(&self, id: &MatchId) -> singlet::Result<bool> {
        let service = self.service();
        let Some(fixture) = service.fixtures.get_consistent(id).await? else { return Ok(true) };
        // The result is pushed before the activities end, and before its followers are forgotten.
        if !self.end_all_activities(&fixture).await? {
            return Ok(false);
        }
        let removed = async {
            service.follows.remove_all(id).await?;
            for team in fixture.perspectives() {
                service.hashes.delete(id, &team).await?;
            }
            Ok(())
        };
        if self.while_extending(id, removed).await?.is_none() {
            return Ok(false);
        }
        self.0.orders.forget(id);
        Ok(true)
    }
}

fn day_of(fixture: &Fixture) -> (MatchId, u32) {
    (fixture.match_id.clone(), fixture.day.unwrap_or(1))
}
