//! Generated matches: loading, controlling and deleting them, and starting the next one.

use super::Jobs;
use super::tick::progress_of;
use crate::demo::{self, DemoLeague};
use crate::design::{BallId, Fixture, LockKey, MatchId, ProcessingState, Replay};
use crate::error::Error;
use crate::feed::{ReplayFeed, Snapshot, position_at, seek_position};
use crate::generate;
use crate::rules::{Delivery, Format, Phase};
use crate::service::{ProcessingService, StoreError, require_admin};
use crate::view::ReplayView;
use singlet::prelude::*;
use singlet_web::identity::Caller;
use singlet_web::job::{JobError, JobRun, Next};
use singlet_web::prelude::FieldLocation;
use singlet_web::problem::Problem;
use std::sync::Arc;
use std::time::Duration;

/// How often the keeper of replays runs.
pub(super) const INTERVAL: Duration = Duration::from_secs(10);
/// How long after a demo match the next one starts.
const PAUSE: Duration = Duration::from_secs(180);
/// How long a replay is kept after its end.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// How many ids are tried.
const ID_ATTEMPTS_MAX: i64 = 1_000;
/// How often, and with which pauses, the lock of a replay is tried that is to be deleted.
const LOCK_ATTEMPTS_MAX: u32 = 50;
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// What an operator changes of a replay.
#[derive(Clone, Debug, Default)]
pub struct ReplayChange {
    /// Whether time goes on.
    pub playing: Option<bool>,
    /// 1, 4, 12, 30, 60 or 240.
    pub speed: Option<u32>,
    /// Where to go, in milliseconds of its timeline.
    pub position_ms: Option<i64>,
    /// Where to go: `innings:over.ball`.
    pub ball: Option<String>,
}

/// A new replay.
#[derive(Clone, Debug)]
pub(crate) struct NewReplay {
    pub(crate) id: MatchId,
    pub(crate) tape: String,
    pub(crate) league: &'static DemoLeague,
    pub(crate) teams: [&'static str; 2],
    pub(crate) start_time: Timestamp,
    pub(crate) position_ms: i64,
    pub(crate) speed: u32,
    pub(crate) playing: bool,
}

impl Jobs {
    pub(super) async fn run_replay_keeper(self, _run: JobRun) -> Result<Next, JobError> {
        self.keep_replays().await?;
        Ok(Next::Interval)
    }

    fn replay_feed(&self) -> Result<&ReplayFeed, Error> {
        self.0.replay.as_ref().ok_or(Error::NotAReplay)
    }

    /// Starts the next demo match, and deletes replays that have expired.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn keep_replays(&self) -> Result<(), StoreError> {
        let service = self.service();
        let now = service.db.now();
        let is_replay = Fixture::REPLAY.exists();
        let replays = service.db.scan(Scan::<Fixture>::table().filter(is_replay)).all().await?;
        for fixture in &replays {
            let is_expired = fixture.replay.as_ref().is_some_and(|one| one.expires_at <= now);
            if is_expired {
                self.end_and_delete(&fixture.match_id).await?;
            }
        }
        // The newest demo match of twenty overs that has begun, or is about to.
        let twenty = |fixture: &&Fixture| {
            fixture.format == Format::T20 && fixture.start_time <= now.after(2 * PAUSE)
        };
        let Some(last) = replays.iter().filter(twenty).max_by_key(|fixture| fixture.start_time)
        else {
            return Ok(());
        };
        let Some(ended_at) = last.ended_at else { return Ok(()) };
        let seed = last.replay.as_ref().and_then(|one| generate::parse_name(&one.tape));
        let Some((_, seed)) = seed else { return Ok(()) };
        let start_time = ended_at.after(PAUSE).max(now);
        let pair = demo::T20_PAIRS.get(seed as usize % demo::T20_PAIRS.len()).copied();
        let (Some(id), Some(teams)) = (new_id(now, 0), pair) else { return Ok(()) };
        let before = i64::try_from(start_time.since(now).as_millis()).unwrap_or(0);
        self.create_replay(&NewReplay {
            id,
            tape: format!("t20-{}", seed + 1),
            league: &demo::T20_LEAGUE,
            teams,
            start_time,
            position_ms: -before,
            speed: 12,
            playing: true,
        })
        .await?;
        Ok(())
    }

    /// Creates a replay, unless there is a match with its id. `None` if there is, or if there is
    /// no such tape.
    pub(crate) async fn create_replay(
        &self,
        new: &NewReplay,
    ) -> Result<Option<Fixture>, StoreError> {
        let service = self.service();
        let feed = ReplayFeed::new(service.clone());
        let feed = self.0.replay.as_ref().unwrap_or(&feed);
        let Some(tape) = feed.tape(&new.tape) else { return Ok(None) };
        let Some((format, _)) = generate::parse_name(&new.tape) else { return Ok(None) };
        let now = service.db.now();
        let end = tape.position_of(tape.duration_ms(), true);
        let speed = i64::from(new.speed.clamp(1, 240));
        let left = (end - new.position_ms.max(0)).max(0) / speed - new.position_ms.min(0);
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        let [home, away] = new.teams;
        let Some(fixture) =
            demo::new_fixture(&new.id, new.league, format, [home, away], new.start_time)
        else {
            return Ok(None);
        };
        let fixture = Fixture {
            replay: Some(Replay {
                tape: new.tape.clone(),
                playing: new.playing,
                position_ms: new.position_ms,
                at: now,
                speed: new.speed,
                skip_breaks: true,
                revision: 0,
                expires_at: now.after(left).after(KEPT),
            }),
            ..fixture
        };
        Ok(service.fixtures.create(&fixture).await?.then_some(fixture))
    }

    /// How a match is replayed, with the length of its tape while it can be changed.
    #[must_use]
    pub(crate) fn replay_view(&self, fixture: &Fixture) -> Option<ReplayView> {
        let replay = fixture.replay.clone()?;
        let is_over = fixture.archived_at.is_some() || fixture.ended_at.is_some();
        let feed = self.0.replay.as_ref().filter(|_| !is_over);
        let tape = feed.and_then(|feed| feed.tape(&replay.tape));
        let duration_ms = tape.map(|tape| tape.position_of(tape.duration_ms(), replay.skip_breaks));
        Some(ReplayView { replay, duration_ms })
    }

    /// Loads a tape: it starts at once.
    ///
    /// # Errors
    ///
    /// If the caller is not an admin, there is no such tape, or the store fails.
    pub async fn load_replay(
        &self,
        caller: &Caller,
        tape: &str,
        speed: u32,
    ) -> Result<Fixture, Error> {
        require_admin(caller)?;
        self.replay_feed()?;
        let unknown = || {
            let detail = "must be a tape, such as t20-20, odi-50 or test-5";
            Problem::invalid_field(FieldLocation::Body, "/tape", detail)
        };
        let (format, _) = generate::parse_name(tape).ok_or_else(unknown)?;
        let (league, teams) = demo::sides_of(format);
        demo::create_leagues_and_teams(self.service()).await?;
        for number in 0..ID_ATTEMPTS_MAX {
            let now = self.service().db.now();
            let Some(id) = new_id(now, number) else { continue };
            let new = NewReplay {
                id,
                tape: tape.to_owned(),
                league,
                teams,
                start_time: now,
                position_ms: 0,
                speed,
                playing: true,
            };
            if let Some(fixture) = self.create_replay(&new).await? {
                return Ok(fixture);
            }
        }
        Err(Problem::invalid_field(FieldLocation::Body, "/tape", "too many replays").into())
    }

    /// Plays, pauses, seeks, or changes the speed of a replay.
    ///
    /// # Errors
    ///
    /// If the caller is not an admin; if the match is not a replay, or is over; if there is no such
    /// ball.
    pub async fn change_replay(
        &self,
        caller: &Caller,
        id: &MatchId,
        change: &ReplayChange,
    ) -> Result<Fixture, Error> {
        require_admin(caller)?;
        if change.position_ms.is_some() && change.ball.is_some() {
            let detail = "must not be there together with positionMs";
            return Err(Problem::invalid_field(FieldLocation::Body, "/ball", detail).into());
        }
        let feed = self.replay_feed()?;
        // A tick may be ahead of us.
        self.service().db.attempt(|_| self.change_replay_once(feed, id, change)).await
    }

    /// Changes a replay as it is read; fails if a tick was ahead.
    async fn change_replay_once(
        &self,
        feed: &ReplayFeed,
        id: &MatchId,
        change: &ReplayChange,
    ) -> Result<Fixture, Error> {
        let service = self.service();
        let read = service.fixtures.get_consistent(id).await?.ok_or(Error::MatchNotFound)?;
        let replay = read.replay.clone().ok_or(Error::NotAReplay)?;
        if read.archived_at.is_some() || read.ended_at.is_some() {
            return Err(Error::MatchOver);
        }
        let tape = feed.tape(&replay.tape).ok_or(Error::NotAReplay)?;
        let now = service.db.now();
        let here = position_at(&replay, now);
        let there = match (&change.ball, change.position_ms) {
            (Some(ball), _) => {
                let found = seek_position(&tape, ball, replay.skip_breaks);
                Some(found.ok_or_else(|| {
                    let detail = "must be a ball of this match, as innings:over.ball";
                    Problem::invalid_field(FieldLocation::Body, "/ball", detail)
                })?)
            }
            (None, position) => position,
        };
        if there.is_some_and(|there| there < 0) && !read.phase.is_before_play() {
            let detail = "must not be before the start of a match that has begun";
            return Err(Problem::invalid_field(FieldLocation::Body, "/positionMs", detail).into());
        }
        let end = tape.position_of(tape.duration_ms(), replay.skip_breaks);
        let position_ms = there.unwrap_or(here).min(end);
        let new = Replay {
            playing: change.playing.unwrap_or(replay.playing),
            speed: change.speed.unwrap_or(replay.speed),
            position_ms,
            at: now,
            revision: replay.revision + 1,
            ..replay.clone()
        };
        let changed = update(Fixture::key(id))
            .set(Fixture::REPLAY, new.clone())
            .set(Fixture::SEQUENCE, read.sequence + 1)
            .only_if(Fixture::SEQUENCE.eq(read.sequence));
        let before = service.processing.get(id, read.sequence).await?;
        let Some(before) = before else {
            return Ok(service.db.run(changed.returning_new()).await?);
        };
        let mut state = ProcessingState { sequence: read.sequence + 1, ..(*before).clone() };
        if position_ms < here {
            let time = tape.time_at(position_ms, new.skip_breaks);
            if let Some(snapshot) = feed.snapshot_at(&read, &tape, time) {
                go_back(&mut state, &snapshot);
            }
        }
        service.db.transact((changed, ProcessingService::put_operation(&state))).await?;
        service.processing.remember(Arc::new(state));
        service.fixtures.get_consistent(id).await?.ok_or(Error::MatchNotFound)
    }

    /// Ends a replay, and deletes it.
    ///
    /// # Errors
    ///
    /// If the caller is not an admin, or the match is not a replay.
    pub async fn remove_replay(&self, caller: &Caller, id: &MatchId) -> Result<(), Error> {
        require_admin(caller)?;
        let service = self.service();
        let read = service.fixtures.get_consistent(id).await?.ok_or(Error::MatchNotFound)?;
        if read.replay.is_none() {
            return Err(Error::NotAReplay);
        }
        match self.end_and_delete(id).await? {
            true => Ok(()),
            false => Err(Error::MatchNotFound),
        }
    }

    /// Ends a replay, and deletes it. `false` if it is gone.
    async fn end_and_delete(&self, id: &MatchId) -> Result<bool, StoreError> {
        let service = self.service();
        // First, so that no tick puts hashes back, and nobody follows it any more.
        service.fixtures.archive(id).await?;
        for _ in 0..LOCK_ATTEMPTS_MAX {
            let deleted = self.with_match_lock(id, async {
                if !self.clean_up(id).await? {
                    return Ok(None);
                }
                service.processing.forget(id);
                service.fixtures.delete_replay(id).await.map(Some)
            });
            if let Some(Some(is_deleted)) = deleted.await? {
                return Ok(is_deleted);
            }
            tokio::time::sleep(LOCK_WAIT).await;
        }
        Err(StoreError::StoreBusy { not_done: vec![LockKey::of_match(id).to_string()] })
    }

    /// Brings a match of a new replay up to where its tape stands, without pushing anything.
    pub(crate) async fn catch_up(&self, fixture: &Fixture) -> Result<(), StoreError> {
        let Some(feed) = &self.0.replay else { return Ok(()) };
        use crate::feed::Feed as _;
        let Ok(Some(snapshot)) = feed.fixture(fixture.match_id.as_str()).await else {
            return Ok(());
        };
        let status = snapshot.fixture.status.as_deref().unwrap_or_default();
        let is_final = Phase::from_feed(status).is_some_and(|(phase, _)| phase.is_final());
        if is_final {
            self.reconcile_match(fixture).await?;
        } else {
            self.tick(snapshot, false).await?;
        }
        // What happened before the demo began is not pushed.
        self.0.orders.take(self.now_ms());
        Ok(())
    }
}

/// The id of a new replay: the millisecond in which it is made. The id of one that was deleted must
/// not come back, because the state, the claims and the cache of that match outlive it.
fn new_id(now: Timestamp, number: i64) -> Option<MatchId> {
    MatchId::new((now.as_millis() + number).to_string()).ok()
}

/// Seeking back: everything up to there counts as processed, and nothing as pushed.
fn go_back(state: &mut ProcessingState, snapshot: &Snapshot) {
    let mut progress = progress_of(state);
    let balls: Vec<Delivery> =
        snapshot.fixture.balls.iter().filter_map(Delivery::from_feed).collect();
    progress.last_processed_ball = balls.last().map(|ball| ball.id);
    state.last_processed_ball =
        progress.last_processed_ball.and_then(|id| BallId::new(id.to_string()).ok());
    state.ball_by_ball = balls.iter().map(ToString::to_string).collect();
    state.last_event = None;
    // The ends of innings before this one are known, and not pushed again.
    let innings = balls.last().map_or(0, |ball| ball.innings);
    let is_break = snapshot.fixture.status.as_deref() == Some("Innings Break");
    let over = if is_break { innings } else { innings.saturating_sub(1) };
    state.fired = (1..=over).map(|n| format!("inn:{n}")).collect();
    state.cooldowns.clear();
}
