//! The feed that plays generated matches.
//!
//! A match with a `replay` map is one of its tapes. Where a tape stands follows from that map and
//! from the clock alone, so all servers agree, also after a restart.

use super::port::{Feed, FeedError, Snapshot};
use super::shape::{FeedLeague, FeedStanding, FeedTeam};
use super::tape::{Tape, TapeTeams};
use crate::design::{Fixture, MatchId, Replay, SeasonId};
use crate::generate;
use crate::service::{Service, StoreError};
use singlet::backend::BoxFuture;
use singlet::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// How long a match stays on the list of live ones after the last line of its tape.
const LISTED_AFTER_END_MS: i64 = 60_000;
/// How many tapes are kept in memory: more than are played at one time.
const TAPES_MAX: usize = 32;

/// Where a replay stands at a moment, on its timeline.
#[must_use]
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

/// The position of `innings:over.ball` on the timeline of a replay.
#[must_use]
pub fn seek_position(tape: &Tape, ball: &str, skip_breaks: bool) -> Option<i64> {
    let (innings, label) = ball.split_once(':')?;
    let time = tape.time_of_ball(innings.parse().ok()?, label)?;
    Some(tape.position_of(time, skip_breaks))
}

/// The feed of generated matches. Clones are one.
#[derive(Clone)]
pub struct ReplayFeed {
    service: Service,
    tapes: Arc<Mutex<HashMap<String, Arc<Tape>>>>,
}

impl ReplayFeed {
    /// The feed of the matches that these services store.
    #[must_use]
    pub fn new(service: Service) -> Self {
        Self { service, tapes: Arc::default() }
    }

    /// A tape by its name; `None` if there is no such tape.
    #[must_use]
    pub fn tape(&self, name: &str) -> Option<Arc<Tape>> {
        let tapes = || self.tapes.lock().unwrap_or_else(PoisonError::into_inner);
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
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn replays(&self) -> Result<Vec<Fixture>, StoreError> {
        let is_replay = Fixture::REPLAY.exists().and(Fixture::ARCHIVED_AT.missing());
        let scan = Scan::<Fixture>::table().filter(is_replay);
        Ok(self.service.db.scan(scan).all().await?)
    }

    /// The tape's time at which a replay stands now.
    #[must_use]
    pub fn tape_time(&self, replay: &Replay, tape: &Tape) -> i64 {
        let position = position_at(replay, self.service.db.now());
        tape.time_at(position, replay.skip_breaks)
    }

    /// A replay as the feed has it at a time of its tape.
    #[must_use]
    pub fn snapshot_at(&self, fixture: &Fixture, tape: &Tape, time: i64) -> Option<Snapshot> {
        let start_ms = fixture.start_time.as_millis();
        let teams = TapeTeams {
            match_id: fixture.match_id.to_string(),
            league_id: fixture.league_id.to_string(),
            season_id: fixture.season_id.to_string(),
            home: fixture.home_team_id.to_string(),
            away: fixture.away_team_id.to_string(),
            start_ms,
        };
        Some(Snapshot {
            fixture: tape.fold(time, &teams)?,
            feed_at: self.service.db.now().as_millis(),
            feed_ms: start_ms + time,
        })
    }

    fn snapshot(&self, fixture: &Fixture) -> Option<(i64, i64, Snapshot)> {
        let replay = fixture.replay.as_ref()?;
        let tape = self.tape(&replay.tape)?;
        let time = self.tape_time(replay, &tape);
        Some((time, tape.duration_ms(), self.snapshot_at(fixture, &tape, time)?))
    }
}

fn failed(error: &StoreError) -> FeedError {
    FeedError::Failed(error.to_string())
}

impl Feed for ReplayFeed {
    fn name(&self) -> &'static str {
        "replay"
    }

    fn live(&self) -> BoxFuture<'_, Result<Vec<Snapshot>, FeedError>> {
        Box::pin(async move {
            let replays = self.replays().await.map_err(|error| failed(&error))?;
            let mut live = Vec::new();
            for fixture in replays.iter().filter(|fixture| fixture.ended_at.is_none()) {
                let Some(replay) = &fixture.replay else { continue };
                let Some(tape) = self.tape(&replay.tape) else { continue };
                let time = self.tape_time(replay, &tape);
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

    fn fixture<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, FeedError>> {
        Box::pin(async move {
            let Ok(id) = MatchId::new(id) else { return Ok(None) };
            let fixture = self.service.fixtures.get_consistent(&id).await;
            let fixture = fixture.map_err(|error| failed(&error))?;
            let found = fixture.as_ref().and_then(|fixture| self.snapshot(fixture));
            Ok(found.map(|(_, _, snapshot)| snapshot))
        })
    }

    fn fixtures<'a>(
        &'a self,
        leagues: &'a [String],
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Snapshot>, FeedError>> {
        Box::pin(async move {
            let replays = self.replays().await.map_err(|error| failed(&error))?;
            let asked = replays.iter().filter(|fixture| {
                let is_asked = leagues.iter().any(|league| league == fixture.league_id.as_str());
                is_asked && (from..=to).contains(&fixture.start_time)
            });
            // Balls are for live scores.
            let snapshots = asked.filter_map(|fixture| self.snapshot(fixture));
            Ok(snapshots
                .map(|(_, _, mut snapshot)| {
                    snapshot.fixture.balls.clear();
                    snapshot
                })
                .collect())
        })
    }

    fn leagues(&self) -> BoxFuture<'_, Result<Vec<FeedLeague>, FeedError>> {
        Box::pin(async move {
            let replays = self.replays().await.map_err(|error| failed(&error))?;
            let used: BTreeSet<_> = replays.iter().map(|one| one.league_id.clone()).collect();
            let leagues = self.service.leagues.all().await.map_err(|error| failed(&error))?;
            let leagues = leagues.iter().filter(|league| used.contains(&league.league_id));
            Ok(leagues
                .map(|league| FeedLeague {
                    id: league.league_id.to_string(),
                    name: Some(league.name.clone()),
                    code: Some(league.code.to_string()),
                    season_id: league.season_id.as_ref().map(ToString::to_string),
                    country_id: league.country_id.clone(),
                    image_path: league.image_path.clone(),
                    kind: league.kind.clone(),
                })
                .collect())
        })
    }

    fn teams(&self) -> BoxFuture<'_, Result<Vec<FeedTeam>, FeedError>> {
        Box::pin(async move {
            let teams = self.service.teams.all().await.map_err(|error| failed(&error))?;
            Ok(teams
                .iter()
                .map(|team| FeedTeam {
                    id: team.team_id.to_string(),
                    name: Some(team.name.clone()),
                    code: Some(team.code.clone()),
                    image_path: team.image_path.clone(),
                    country_id: team.country_id.clone(),
                    national_team: team.national,
                })
                .collect())
        })
    }

    fn standings<'a>(
        &'a self,
        season: &'a str,
    ) -> BoxFuture<'a, Result<Vec<FeedStanding>, FeedError>> {
        Box::pin(async move {
            let Ok(season) = SeasonId::new(season) else { return Ok(Vec::new()) };
            let records = self.service.team_seasons.of_season(&season).await;
            let records = records.map_err(|error| failed(&error))?;
            Ok(records
                .iter()
                .map(|record| FeedStanding {
                    team_id: record.team_id.to_string(),
                    league_id: Some(record.league_id.to_string()),
                    position: record.position,
                    points: i64::from(record.points),
                    played: record.played,
                    won: record.won,
                    lost: record.lost,
                    draw: record.drawn,
                    noresult: record.no_result,
                    runs_for: record.runs_for,
                    overs_for: record.overs_for.clone(),
                    runs_against: record.runs_against,
                    overs_against: record.overs_against.clone(),
                    netto_run_rate: Some(record.net_run_rate.clone()),
                    recent_form: record.form.iter().map(|form| form.as_str().to_owned()).collect(),
                })
                .collect())
        })
    }
}
