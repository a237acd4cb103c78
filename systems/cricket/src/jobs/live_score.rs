//! Polls the feed, ticks each match, and reconciles.
//!
//! One server holds the lock of the feed and polls. A pass comes every 2.5 s, so that the lock is
//! kept; it polls only when a poll is due. Matches end in separate tasks: a pass does not wait
//! for them.

use super::{Jobs, LEASE_MARGIN_MS};
use crate::design::{LockKey, MatchId};
use crate::feed::{FeedError, Snapshot};
use crate::service::LEASE;
use futures_util::{StreamExt as _, stream};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;
use singlet_web::job::JobError;
use singlet_web::outbound::BreakerState;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

pub(super) const PASS_INTERVAL: Duration = Duration::from_millis(2_500);
const EXTEND_AFTER_MS: i64 = 3_000;
/// How often the feed is polled: while a match is live, while one is due soon, else.
const LIVE_POLL_MS: i64 = 2_500;
const DUE_POLL_MS: i64 = 10_000;
const IDLE_POLL_MS: i64 = 60_000;
/// A match is due soon if it starts within this time.
const DUE_WITHIN: Duration = Duration::from_secs(600);
/// Passes are not exactly as long as planned.
const POLL_SLACK_MS: i64 = 100;
const TICKS_AT_ONCE_MAX: usize = 16;
const TICK_TIME_MAX: Duration = Duration::from_secs(8);

/// What one server remembers between two passes.
#[derive(Default)]
pub(super) struct LiveState {
    feed_lease: Option<(i64, i64)>,
    next_poll: i64,
    last_poll: Option<i64>,
    pub(super) absent: HashMap<MatchId, u32>,
    pub(super) look_again: HashMap<MatchId, i64>,
    pub(super) not_found: HashMap<MatchId, u32>,
    pub(super) stumped: HashSet<(MatchId, u32)>,
    pub(super) started: HashSet<(MatchId, u32)>,
    pub(super) endings: HashSet<MatchId>,
    unknown_statuses: HashSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedStatus {
    /// `replay` or `sportmonks`.
    pub feed: String,
    /// `log` or `apns`.
    pub push: String,
    /// `closed`, `open` or `probing`.
    pub breaker: String,
    pub reason: Option<String>,
    pub failures: u32,
    pub retry_at: Option<Timestamp>,
    pub remaining: Option<u32>,
    pub last_poll: Option<Timestamp>,
    pub push_closed_until: Option<Timestamp>,
}

impl Jobs {
    /// One pass: keeps the lock of the feed, polls if a poll is due, ticks, and begins to end matches
    /// that are over. Returns how many matches the feed listed, if it was asked.
    pub async fn live_score_pass(&self) -> Result<Option<usize>, JobError> {
        if !self.hold_feed_lock().await? {
            return Ok(None);
        }
        let now = self.now_ms();
        if now + POLL_SLACK_MS < self.live().next_poll {
            return Ok(None);
        }
        let Ok(permit) = self.0.breaker.admit() else { return Ok(None) };
        self.live().last_poll = Some(now);
        let answered = self.0.feed.live().await;
        match &answered {
            Err(FeedError::Resting { until }) => {
                self.live().next_poll = *until;
                return Ok(None);
            }
            Err(FeedError::Refused(_)) => self.0.breaker.trip("token refused"),
            _ => permit.report(answered.is_err()),
        }
        let wait = self.poll_interval(answered.as_deref().map_or(0, <[Snapshot]>::len)).await?;
        self.live().next_poll = now + wait;
        let snapshots = answered?;
        let count = snapshots.len();
        self.create_unknown(&snapshots).await?;
        let listed: Vec<String> = snapshots.iter().map(|one| one.fixture.id.clone()).collect();
        self.tick_all(snapshots).await;
        self.reconcile(&listed).await?;
        Ok(Some(count))
    }

    async fn poll_interval(&self, listed: usize) -> singlet::Result<i64> {
        let is_scarce = self.0.feed.remaining().is_some_and(|(_, is_few)| is_few);
        if listed > 0 || !self.service().fixtures.live().await?.is_empty() {
            return Ok(if is_scarce { DUE_POLL_MS } else { LIVE_POLL_MS });
        }
        let now = self.service().db.now();
        // A match may begin late.
        let soon = self.service().starting_soon(now.before(DUE_WITHIN), now.after(DUE_WITHIN));
        Ok(if soon.await?.is_empty() { IDLE_POLL_MS } else { DUE_POLL_MS })
    }

    /// Acquires or extends the feed lock; `false` if another server holds it. It is extended after
    /// 3 s; a holder stops 2 s before its lease ends.
    async fn hold_feed_lock(&self) -> singlet::Result<bool> {
        let (now, key, locks) = (self.now_ms(), LockKey::feed(), &self.service().locks);
        let mut expires_at = None;
        let held = self.live().feed_lease;
        if let Some((until, extended_at)) = held
            && now + LEASE_MARGIN_MS < until
        {
            if now - extended_at < EXTEND_AFTER_MS {
                return Ok(true);
            }
            expires_at = locks.extend(&key, self.owner(), LEASE).await?;
        }
        if expires_at.is_none() {
            // It may be ours: an answer was lost, or a restart within this process.
            expires_at = locks.hold(&key, self.owner(), LEASE).await?;
        }
        self.live().feed_lease = expires_at.map(|expires_at| (expires_at, now));
        Ok(expires_at.is_some())
    }

    /// Gives the lock of the feed back, so that another server polls at once.
    pub async fn release_feed_lock(&self) -> singlet::Result<bool> {
        self.live().feed_lease = None;
        self.service().locks.release(&LockKey::feed(), self.owner()).await
    }

    /// Ticks all matches, 16 at once. One that panics or hangs does not stop the others.
    async fn tick_all(&self, mut snapshots: Vec<Snapshot>) {
        // A tick would release the lock of a match that is being ended.
        snapshots.retain(|snapshot| !self.is_ending(&snapshot.fixture.id));
        let ticks = snapshots.into_iter().map(|snapshot| {
            let jobs = self.clone();
            async move {
                let id = snapshot.fixture.id.clone();
                let tick = tokio::spawn(async move { jobs.tick(snapshot, false).await });
                let abort = tick.abort_handle();
                match tokio::time::timeout(TICK_TIME_MAX, tick).await {
                    Ok(Ok(Ok(_))) => {}
                    Ok(Ok(Err(error))) => tracing::warn!(%error, id, "a tick failed"),
                    Ok(Err(error)) => tracing::error!(%error, id, "a tick panicked"),
                    Err(_) => {
                        abort.abort();
                        tracing::error!(id, "a tick took too long");
                    }
                }
            }
        });
        stream::iter(ticks).buffer_unordered(TICKS_AT_ONCE_MAX).boxed().collect::<Vec<()>>().await;
    }

    pub(super) fn note_unknown_status(&self, status: &str) {
        let mut live = self.live();
        if live.unknown_statuses.len() < 100 && live.unknown_statuses.insert(status.to_owned()) {
            tracing::warn!(status, "the feed has an unknown status");
        }
    }

    pub fn feed_status(&self) -> FeedStatus {
        let at = Timestamp::from_millis;
        let closed = self.0.push_closed_until.load(std::sync::atomic::Ordering::SeqCst);
        let (breaker, retry_at, reason) = match self.0.breaker.state() {
            BreakerState::Open { until, reason } => ("open", Some(until), Some(reason)),
            BreakerState::Probing => ("probing", None, None),
            _ => ("closed", None, None),
        };
        FeedStatus {
            feed: self.0.feed.name().to_owned(),
            push: self.0.sender.name().to_owned(),
            breaker: breaker.to_owned(),
            reason,
            failures: self.0.breaker.failures(),
            retry_at,
            remaining: self.0.feed.remaining().map(|(remaining, _)| remaining),
            last_poll: self.live().last_poll.map(at),
            push_closed_until: (closed > self.now_ms()).then(|| at(closed)),
        }
    }
}
