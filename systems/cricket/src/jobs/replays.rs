//! Generated matches: loading, controlling and deleting them, and starting the next one.

use super::Jobs;
use crate::demo;
use crate::design::{BallId, Fixture, MatchId, ProcessingState, Replay};
use crate::error::Error;
use crate::feed::{ReplayFeed, Snapshot, SoughtBall, position_at};
use crate::generate::{self, TapeName};
use crate::rules::{Delivery, Format, Phase, day_by_clock};
use crate::service::ProcessingService;
use crate::view::ReplayView;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use singlet::prelude::*;
use singlet_web::problem::ApiError as _;
use std::sync::Arc;
use std::time::Duration;

pub(super) const INTERVAL: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_secs(180);
const KEPT: Duration = Duration::from_secs(24 * 3600);
const ID_ATTEMPTS_MAX: i64 = 1_000;
/// Attempts to lock a replay that is deleted, and the pauses between them.
const LOCK_ATTEMPTS_MAX: u32 = 50;
const LOCK_WAIT: Duration = Duration::from_millis(100);

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ReplayChange {
    /// Whether time goes on.
    pub playing: Option<bool>,
    /// How many times faster than the match.
    #[serde(default)]
    #[schemars(schema_with = "speed")]
    pub speed: Option<u32>,
    /// Seeks to this position, in milliseconds from the scheduled start.
    #[schemars(range(min = -86_400_000, max = 864_000_000))]
    pub position_ms: Option<i64>,
    /// Seeks to this ball, as `innings:over.ball`.
    #[schemars(with = "Option<String>", length(min = 5, max = 12))]
    pub ball: Option<SoughtBall>,
}

fn speed(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["integer", "null"], "enum": [1, 4, 12, 30, 60, 240, null]})
}

impl Jobs {
    fn replay_feed(&self) -> Result<&ReplayFeed, Error> {
        self.0.replay.as_ref().ok_or(Error::NotAReplay)
    }

    /// Starts the next demo match, and deletes replays that have expired.
    pub async fn keep_replays(&self) -> singlet::Result<()> {
        let service = self.service();
        let now = service.db.now();
        let is_replay = Fixture::REPLAY.exists();
        let replays = service.db.scan(Scan::<Fixture>::table().filter(is_replay)).all().await?;
        for fixture in &replays {
            if fixture.replay.as_ref().is_some_and(|one| one.expires_at <= now) {
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
        let before = i64::try_from(start_time.since(now).as_millis()).unwrap_or(0);
        let tape = format!("t20-{}", seed + 1);
        let next = demo::new_replay(&new_id(now, 0), &tape, pair, start_time, -before);
        if let Some(next) = next {
            self.create_replay(next).await?;
        }
        Ok(())
    }

    /// Creates a replay from now on, unless there is a match with its id. `None` if there is.
    pub(crate) async fn create_replay(
        &self,
        mut fixture: Fixture,
    ) -> singlet::Result<Option<Fixture>> {
        let service = self.service();
        let feed = ReplayFeed::new(service.clone());
        let feed = self.0.replay.as_ref().unwrap_or(&feed);
        let Some(replay) = &mut fixture.replay else { return Ok(None) };
        let Some(tape) = feed.tape(&replay.tape) else { return Ok(None) };
        let end = tape.position_of(tape.duration_ms(), true);
        let (speed, position) = (i64::from(replay.speed.clamp(1, 240)), replay.position_ms);
        let left = (end - position.max(0)).max(0) / speed - position.min(0);
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        replay.at = service.db.now();
        replay.expires_at = replay.at.after(left).after(KEPT);
        Ok(service.fixtures.create(&fixture).await?.then_some(fixture))
    }

    /// How a match is replayed, with the length of its tape while it can be changed.
    pub(crate) fn replay_view(&self, fixture: &Fixture) -> Option<ReplayView> {
        let replay = fixture.replay.clone()?;
        let feed = self.0.replay.as_ref().filter(|_| !fixture.is_over());
        let tape = feed.and_then(|feed| feed.tape(&replay.tape));
        let duration_ms = tape.map(|tape| tape.position_of(tape.duration_ms(), replay.skip_breaks));
        Some(ReplayView { replay, duration_ms })
    }

    pub async fn load_replay(&self, tape: &TapeName, speed: u32) -> Result<Fixture, Error> {
        self.replay_feed()?;
        demo::create_leagues_and_teams(self.service()).await?;
        for number in 0..ID_ATTEMPTS_MAX {
            let now = self.service().db.now();
            let new = demo::new_replay(&new_id(now, number), tape.as_str(), None, now, 0);
            let mut new = new.ok_or(Error::NotAReplay)?;
            new.replay.iter_mut().for_each(|replay| replay.speed = speed);
            if let Some(fixture) = self.create_replay(new).await? {
                return Ok(fixture);
            }
        }
        Err(Error::invalid("/tape", "too many replays"))
    }

    pub async fn change_replay(
        &self,
        id: &MatchId,
        change: &ReplayChange,
    ) -> Result<Fixture, Error> {
        if change.position_ms.is_some() && change.ball.is_some() {
            return Err(Error::invalid("/ball", "must not be there together with positionMs"));
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
        if read.is_over() {
            return Err(Error::MatchOver);
        }
        let tape = feed.tape(&replay.tape).ok_or(Error::NotAReplay)?;
        let now = service.db.now();
        let here = position_at(&replay, now);
        let there = match (&change.ball, change.position_ms) {
            (Some(ball), _) => {
                let found = ball.position(&tape, replay.skip_breaks);
                let detail = "must be a ball of this match, as innings:over.ball";
                Some(found.ok_or_else(|| Error::invalid("/ball", detail))?)
            }
            (None, position) => position,
        };
        if there.is_some_and(|there| there < 0) && !read.phase.is_before_play() {
            let detail = "must not be before the start of a match that has begun";
            return Err(Error::invalid("/positionMs", detail));
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
        let mut changed = update(Fixture::key(id))
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
                let status = snapshot.fixture.status.as_deref().unwrap_or_default();
                let phase = Phase::from_feed(status).map_or(read.phase, |(phase, _)| phase);
                changed = changed
                    .set(Fixture::PHASE, phase)
                    .set(Fixture::DAY, day_by_clock(read.format, time));
            }
        }
        service.db.transact((changed, ProcessingService::put_operation(&state))).await?;
        service.processing.remember(Arc::new(state));
        service.fixtures.get_consistent(id).await?.ok_or(Error::MatchNotFound)
    }

    pub async fn remove_replay(&self, id: &MatchId) -> Result<(), Error> {
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

    async fn end_and_delete(&self, id: &MatchId) -> singlet::Result<bool> {
        let service = self.service();
        // First, so that no tick writes hashes again, and no user follows it.
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
        Err(singlet::Error::Conflict { subject: None })
    }

    /// Brings a match of a new replay up to where its tape stands, without pushing anything.
    pub(crate) async fn catch_up(&self, fixture: &Fixture) -> singlet::Result<()> {
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
fn new_id(now: Timestamp, number: i64) -> String {
    (now.as_millis() + number).to_string()
}

/// Seeking back: everything up to there counts as processed, and nothing as pushed.
fn go_back(state: &mut ProcessingState, snapshot: &Snapshot) {
    let balls: Vec<Delivery> =
        snapshot.fixture.balls.iter().filter_map(Delivery::from_feed).collect();
    state.last_processed_ball = balls.last().and_then(|ball| BallId::new(ball.id.to_string()).ok());
    state.ball_by_ball = balls.iter().map(ToString::to_string).collect();
    state.last_event = None;
    // The ends of innings before this one are known, and not pushed again.
    let innings = balls.last().map_or(0, |ball| ball.innings);
    let is_break = snapshot.fixture.status.as_deref() == Some("Innings Break");
    let over = if is_break { innings } else { innings.saturating_sub(1) };
    state.fired = (1..=over).map(|n| format!("inn:{n}")).collect();
    state.cooldowns.clear();
}
