//! The feed that plays generated matches.
//!
//! A match with a `replay` map is one of its tapes. Where a tape stands follows from that map and
//! from the clock alone, so all servers agree, also after a restart.

use super::port::{Feed, FeedFuture, Snapshot};
use super::shape::FeedLeague;
use super::tape::Tape;
use crate::design::{Fixture, MatchId, Replay};
use crate::generate;
use crate::lock;
use crate::service::Service;
use serde::Deserialize;
use singlet::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

/// How long a match stays on the list of live ones after the last line of its tape.
const LISTED_AFTER_END_MS: i64 = 60_000;
/// How many tapes are kept in memory: more than are played at one time.
const TAPES_MAX: usize = 32;

/// Where a replay stands at a moment, on its timeline.
pub fn position_at(replay: &Replay, now: Timestamp) -> i64 {
    if !replay.playing {
        return replay.position_ms;
    }
    let elapsed = (now.as_millis() - replay.at.as_millis()).max(0);
    let speed = i64::from(replay.speed.clamp(1, 240));
    // Before the start time goes by as it does on a clock.
    let slow = (-replay.position_ms).max(0).min(elapsed);
    replay.position_ms + slow + (elapsed - slow).saturating_mul(speed)
}

/// A ball to seek: `innings:over.ball`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct SoughtBall {
    innings: u32,
    label: String,
}

impl SoughtBall {
    /// Its position on the timeline of a replay; `None` if the match has no such ball.
    pub(crate) fn position(&self, tape: &Tape, skip_breaks: bool) -> Option<i64> {
        let time = tape.time_of_ball(self.innings, &self.label)?;
        Some(tape.position_of(time, skip_breaks))
    }
}

impl TryFrom<String> for SoughtBall {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parts = || {
            let (innings, label) = text.split_once(':')?;
            let (over, ball) = label.split_once('.')?;
            let _: (u32, u32) = (over.parse().ok()?, ball.parse().ok()?);
            Some(Self { innings: innings.parse().ok()?, label: label.to_owned() })
        };
        parts().ok_or("must be a ball, as innings:over.ball")
    }
}

/// The feed of generated matches. Clones are one.
#[derive(Clone)]
pub struct ReplayFeed {
    service: Service,
    tapes: Arc<Mutex<HashMap<String, Arc<Tape>>>>,
}

impl ReplayFeed {
    pub fn new(service: Service) -> Self {
        Self { service, tapes: Arc::default() }
    }

    pub fn tape(&self, name: &str) -> Option<Arc<Tape>> {
        let tapes = || lock(&self.tapes);
        if let Some(tape) = tapes().get(name) {
            return Some(Arc::clone(tape));
        }
        let tape = Arc::new(Tape::parse(&generate::tape(name)?)?);
        let mut tapes = tapes();
        if tapes.len() >= TAPES_MAX {
            tapes.clear();
        }
        tapes.insert(name.to_owned(), Arc::clone(&tape));
        Some(tape)
    }

    /// All matches that are replays and not archived.
    pub async fn replays(&self) -> singlet::Result<Vec<Fixture>> {
        let is_replay = Fixture::REPLAY.exists().and(Fixture::ARCHIVED_AT.missing());
        let scan = Scan::<Fixture>::table().filter(is_replay);
        self.service.db.scan(scan).all().await
    }

    /// The tape of a match, and its time at which the match stands now.
    fn tape_of(&self, fixture: &Fixture) -> Option<(Arc<Tape>, i64)> {
        let replay = fixture.replay.as_ref()?;
        let tape = self.tape(&replay.tape)?;
        let position = position_at(replay, self.service.db.now());
        let time = tape.time_at(position, replay.skip_breaks);
        Some((tape, time))
    }

    pub fn snapshot_at(&self, fixture: &Fixture, tape: &Tape, time: i64) -> Option<Snapshot> {
        Some(Snapshot {
            fixture: tape.fold(time, fixture)?,
            feed_at: self.service.db.now().as_millis(),
            feed_ms: fixture.start_time.as_millis() + time,
        })
    }

    fn snapshot(&self, fixture: &Fixture) -> Option<Snapshot> {
        let (tape, time) = self.tape_of(fixture)?;
        self.snapshot_at(fixture, &tape, time)
    }
}

impl Feed for ReplayFeed {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn live(&self) -> FeedFuture<'_, Vec<Snapshot>> {
        Box::pin(async move {
            let replays = self.replays().await?;
            let mut live = Vec::new();
            for fixture in replays.iter().filter(|fixture| fixture.ended_at.is_none()) {
                let Some((tape, time)) = self.tape_of(fixture) else { continue };
                if !(0..=tape.duration_ms() + LISTED_AFTER_END_MS).contains(&time) {
                    continue;
                }
                live.extend(self.snapshot_at(fixture, &tape, time));
                // Folding takes its time: let others run.
                tokio::task::yield_now().await;
            }
            Ok(live)
        })
    }

    fn fixture<'a>(&'a self, id: &'a str) -> FeedFuture<'a, Option<Snapshot>> {
        Box::pin(async move {
            let Ok(id) = MatchId::new(id) else { return Ok(None) };
            let fixture = self.service.fixtures.get_consistent(&id).await?;
            Ok(fixture.as_ref().and_then(|fixture| self.snapshot(fixture)))
        })
    }

    fn fixtures<'a>(
        &'a self,
        leagues: &'a [String],
        from: Timestamp,
        to: Timestamp,
    ) -> FeedFuture<'a, Vec<Snapshot>> {
        Box::pin(async move {
            let replays = self.replays().await?;
            let asked = replays.iter().filter(|fixture| {
                let is_asked = leagues.iter().any(|league| league == fixture.league_id.as_str());
                is_asked && (from..=to).contains(&fixture.start_time)
            });
            let mut snapshots: Vec<Snapshot> =
                asked.filter_map(|fixture| self.snapshot(fixture)).collect();
            // Balls are for live scores.
            snapshots.iter_mut().for_each(|snapshot| snapshot.fixture.balls.clear());
            Ok(snapshots)
        })
    }

    /// By id alone: leagues, teams and standings are in the tables already.
    fn leagues(&self) -> FeedFuture<'_, Vec<FeedLeague>> {
        Box::pin(async move {
            let replays = self.replays().await?;
            let used: BTreeSet<_> = replays.iter().map(|one| one.league_id.to_string()).collect();
            Ok(used.into_iter().map(|id| FeedLeague { id, ..FeedLeague::default() }).collect())
        })
    }
}
