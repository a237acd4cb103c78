//! Polls the feed, ticks each match, and reconciles.
//!
//! One server holds the lock of the feed and polls. A pass comes every 2.5 s, so that the lock is
//! kept; it polls only when a poll is due. Matches that end do so in tasks of their own: a pass does
//! not wait for them.

use super::{Jobs, LEASE_MARGIN_MS};
use crate::design::{LockKey, MatchId};
use crate::feed::{Breaker, BreakerState, FeedError, Snapshot};
use crate::service::{Acquired, LEASE, StoreError, require_admin};
use futures_util::{StreamExt as _, stream};
use schemars::JsonSchema;
use serde::Serialize;
use singlet_web::identity::Caller;
use singlet_web::job::{JobError, JobRun, Next};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// How often a pass comes.
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
/// How many matches are ticked at once.
const TICKS_AT_ONCE_MAX: usize = 16;
/// Time limit of a tick.
const TICK_TIME_MAX: Duration = Duration::from_secs(8);

/// What one server remembers between two passes.
#[derive(Default)]
pub(super) struct LiveState {
    pub(super) breaker: Breaker,
    /// Until when the lock of the feed is held, and when it was extended.
    feed_lease: Option<(i64, i64)>,
    next_poll: i64,
    last_poll: Option<i64>,
    pub(super) absent: HashMap<MatchId, u32>,
    pub(super) look_again: HashMap<MatchId, i64>,
    pub(super) not_found: HashMap<MatchId, u32>,
    pub(super) stumped: HashSet<(MatchId, u32)>,
    pub(super) started: HashSet<(MatchId, u32)>,
    /// Matches that this server ends at this moment.
    pub(super) endings: HashSet<MatchId>,
    unknown_statuses: HashSet<String>,
}

/// What operators see of the feed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeedStatus {
    /// `replay` or `sportmonks`.
    pub feed: String,
    /// `log` or `apns`.
    pub push: String,
    /// `closed`, `open` or `probing`.
    pub breaker: String,
    /// Why it opened.
    pub reason: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// When the feed is asked again.
    pub retry_at: Option<String>,
    /// Calls that are left this hour.
    pub remaining: Option<u32>,
    /// When this server polled last.
    pub last_poll: Option<String>,
    /// Until when pushes are held back because a setting is wrong.
    pub push_closed_until: Option<String>,
}

impl Jobs {
    pub(super) async fn run_live_score(self, _run: JobRun) -> Result<Next, JobError> {
        self.live_score_pass().await?;
        Ok(Next::In(PASS_INTERVAL))
    }

    /// One pass: keeps the lock of the feed, polls if a poll is due, ticks, and begins to end matches
    /// that are over. Returns how many matches the feed listed, if it was asked.
    ///
    /// # Errors
    ///
    /// If the store or the feed fails.
    pub async fn live_score_pass(&self) -> Result<Option<usize>, JobError> {
        if !self.hold_feed_lock().await? {
            return Ok(None);
        }
        let now = self.now_ms();
        let may_poll = {
            let mut live = self.live();
            now + POLL_SLACK_MS >= live.next_poll && live.breaker.admit(now)
        };
        if !may_poll {
            return Ok(None);
        }
        let snapshots = match self.poll(now).await? {
            Ok(snapshots) => snapshots,
            Err(FeedError::Resting { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let count = snapshots.len();
        self.create_unknown(&snapshots).await?;
        let listed: Vec<String> = snapshots.iter().map(|one| one.fixture.id.clone()).collect();
        self.tick_all(snapshots).await;
        self.reconcile(&listed).await?;
        Ok(Some(count))
    }

    /// Polls, and notes how it went and when the next poll is due.
    async fn poll(&self, now: i64) -> Result<Result<Vec<Snapshot>, FeedError>, StoreError> {
        self.live().last_poll = Some(now);
        let answered = self.0.feed.live().await;
        let jitter = self.jitter();
        {
            let mut live = self.live();
            match &answered {
                Ok(_) => live.breaker.succeed(),
                Err(FeedError::Resting { until }) => {
                    live.next_poll = *until;
                    return Ok(answered);
                }
                Err(FeedError::Refused(_)) => live.breaker.trip(now, jitter, "token refused"),
                Err(FeedError::Failed(_)) => live.breaker.fail(now, jitter),
            }
        }
        let wait = self.poll_interval(answered.as_deref().map_or(0, <[Snapshot]>::len)).await?;
        self.live().next_poll = now + wait;
        Ok(answered)
    }

    async fn poll_interval(&self, listed: usize) -> Result<i64, StoreError> {
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
    async fn hold_feed_lock(&self) -> Result<bool, StoreError> {
        let (now, key) = (self.now_ms(), LockKey::feed());
        let held = self.live().feed_lease;
        let locks = &self.service().locks;
        if let Some((expires_at, extended_at)) = held
            && now + LEASE_MARGIN_MS < expires_at
        {
            if now - extended_at < EXTEND_AFTER_MS {
                return Ok(true);
            }
            if let Some(expires_at) = locks.extend(&key, self.owner(), LEASE).await? {
                self.live().feed_lease = Some((expires_at, now));
                return Ok(true);
            }
        }
        self.live().feed_lease = None;
        match locks.acquire(&key, self.owner(), LEASE).await? {
            Acquired::Held { expires_at } => {
                self.live().feed_lease = Some((expires_at, now));
                Ok(true)
            }
            // An answer that was lost, or a restart within this process.
            Acquired::Busy { owner, .. } if owner == *self.owner() => {
                let expires_at = locks.extend(&key, self.owner(), LEASE).await?;
                self.live().feed_lease = expires_at.map(|expires_at| (expires_at, now));
                Ok(expires_at.is_some())
            }
            Acquired::Busy { .. } => Ok(false),
        }
    }

    /// Gives the lock of the feed back, so that another server polls at once.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn release_feed_lock(&self) -> Result<bool, StoreError> {
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
            tracing::warn!(status, "the feed has a status that nobody knows");
        }
    }

    /// What an operator sees of the feed.
    ///
    /// # Errors
    ///
    /// [`Error::NotAnAdmin`](crate::error::Error::NotAnAdmin).
    pub fn feed_status_for(&self, caller: &Caller) -> Result<FeedStatus, crate::error::Error> {
        require_admin(caller)?;
        Ok(self.feed_status())
    }

    /// What operators see of the feed.
    #[must_use]
    pub fn feed_status(&self) -> FeedStatus {
        let text = |millis: i64| singlet::Timestamp::from_millis(millis).to_string();
        let closed = self.0.push_closed_until.load(std::sync::atomic::Ordering::SeqCst);
        let now = self.now_ms();
        let live = self.live();
        let (breaker, retry_at) = match live.breaker.state() {
            BreakerState::Closed => ("closed", None),
            BreakerState::Open { until } => ("open", Some(until)),
            BreakerState::Probing => ("probing", None),
        };
        let reason = live.breaker.reason();
        FeedStatus {
            feed: self.0.feed.name().to_owned(),
            push: self.0.sender.name().to_owned(),
            breaker: breaker.to_owned(),
            reason: (!reason.is_empty()).then(|| reason.to_owned()),
            failures: live.breaker.failures(),
            retry_at: retry_at.map(text),
            remaining: self.0.feed.remaining().map(|(remaining, _)| remaining),
            last_poll: live.last_poll.map(text),
            push_closed_until: (closed > now).then(|| text(closed)),
        }
    }
}
