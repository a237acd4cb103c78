//! Matches, data derived from them, and the locks under which they change.

use super::{BallId, LeagueCode, LeagueId, MatchId, SeasonId, TeamId};
use crate::rules::{EventKind, Format, InningsScore, LastEvent, MatchResult, Phase, Target, Toss};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// Both indexes hold whole items; `live-index` has matches in play only.
#[table(
    name = "cricket-fixtures",
    elsewhere = "cricket-fixtures-{env}",
    key = (matchId),
    index(
        "leagueCode-startTime-index" = (leagueCode, startTime),
        "live-index" = (live, startTime)
    ),
    stream,
    entities(Fixture)
)]
pub struct Fixtures;

/// The partition of `live-index`.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "UPPERCASE")]
pub enum Live {
    Live,
}

/// A match. The keys of both indexes are attributes of the match itself.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fixtures,
    key = ("{match_id}"),
    "leagueCode-startTime-index" of_league = ("{league_code}", "{start_time}"),
    "live-index" live_now = ("{live}", "{start_time}"),
    rename_all = "camelCase"
)]
pub struct Fixture {
    pub match_id: MatchId,
    pub league_code: LeagueCode,
    pub league_id: LeagueId,
    pub season_id: SeasonId,
    pub round: Option<String>,
    pub format: Format,
    pub start_time: Timestamp,
    pub home_team_id: TeamId,
    pub away_team_id: TeamId,
    pub venue: Option<String>,
    /// The feed's own text.
    pub status: String,
    pub phase: Phase,
    /// Set with `live_updated_at` by a tick, and removed with it when the match is archived.
    pub live: Option<Live>,
    pub live_updated_at: Option<Timestamp>,
    pub archived_at: Option<Timestamp>,
    /// When the final tick was committed.
    pub ended_at: Option<Timestamp>,
    pub toss: Option<Toss>,
    pub toss_notified_at: Option<Timestamp>,
    #[attribute(default)]
    pub innings: Vec<InningsScore>,
    pub target: Option<Target>,
    /// In formats of several days.
    pub day: Option<u32>,
    pub result: Option<MatchResult>,
    /// 0 when created, and one more with every committed change.
    pub sequence: u64,
    /// The time of the snapshot that was applied last, in epoch milliseconds.
    pub feed_at: Option<i64>,
    /// Generated matches only.
    pub replay: Option<Replay>,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

impl Fixture {
    /// A match that has not begun.
    pub fn scheduled(
        match_id: MatchId,
        (league_code, league_id, season_id): (LeagueCode, LeagueId, SeasonId),
        format: Format,
        start_time: Timestamp,
        [home_team_id, away_team_id]: [TeamId; 2],
    ) -> Self {
        Self {
            match_id,
            league_code,
            league_id,
            season_id,
            round: None,
            format,
            start_time,
            home_team_id,
            away_team_id,
            venue: None,
            status: "NS".to_owned(),
            phase: Phase::Scheduled,
            live: None,
            live_updated_at: None,
            archived_at: None,
            ended_at: None,
            toss: None,
            toss_notified_at: None,
            innings: Vec::new(),
            target: None,
            day: None,
            result: None,
            sequence: 0,
            feed_at: None,
            replay: None,
            updated_at: start_time,
        }
    }

    /// Both teams, the home team first.
    pub fn teams(&self) -> [&TeamId; 2] {
        [&self.home_team_id, &self.away_team_id]
    }

    /// Whether a user may follow this team in this match: one of the two, or neutral.
    pub fn has_perspective(&self, team: &TeamId) -> bool {
        team.is_neutral() || self.teams().contains(&team)
    }

    /// Home, away, neutral.
    pub fn perspectives(&self) -> [TeamId; 3] {
        [self.home_team_id.clone(), self.away_team_id.clone(), TeamId::neutral()]
    }

    /// When follows and subscriptions expire: 48 hours after the match.
    pub fn follows_expire(&self) -> Expiry {
        Expiry::at(self.start_time.after(self.format.expiry()))
    }

    pub fn is_over(&self) -> bool {
        self.archived_at.is_some() || self.ended_at.is_some()
    }
}

/// How a generated match is replayed. The position follows from it and from the clock, so that all
/// servers agree.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// Such as `t20-20`.
    pub tape: String,
    pub playing: bool,
    /// The position at the moment `at`, in milliseconds from the scheduled start.
    pub position_ms: i64,
    pub at: Timestamp,
    /// How many times faster than the tape.
    pub speed: u32,
    /// Whether long gaps are shortened.
    pub skip_breaks: bool,
    /// How often it was changed.
    pub revision: u64,
    /// When the match is deleted.
    pub expires_at: Timestamp,
}

/// How far ticks have come. Written in the transaction of the tick.
#[table(
    name = "match-processing-state",
    elsewhere = "match-processing-state-{env}",
    key = (matchId),
    ttl = expiresAt,
    stream,
    entities(ProcessingState)
)]
pub struct MatchProcessingState;

/// How far the balls of a match are processed.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(MatchProcessingState, key = ("{match_id}"), rename_all = "camelCase")]
pub struct ProcessingState {
    pub match_id: MatchId,
    /// The last ball whose events were considered; missing before the first.
    pub last_processed_ball: Option<BallId>,
    /// All deliveries, one text each: 3,500 at most, 230 KB, more than a Test can have.
    #[attribute(default)]
    pub ball_by_ball: Vec<String>,
    /// The short names of the players.
    #[attribute(default)]
    pub players: BTreeMap<String, String>,
    /// The event that is shown for some deliveries.
    pub last_event: Option<LastEvent>,
    /// The keys of events that fire once.
    #[attribute(default)]
    pub fired: Vec<String>,
    /// When events with a cooldown last fired, in epoch milliseconds of feed time.
    #[attribute(default)]
    pub cooldowns: BTreeMap<String, i64>,
    /// The fixture's sequence of this state.
    pub sequence: u64,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

impl ProcessingState {
    pub const KEPT: Duration = Duration::from_hours(7 * 24);

    /// Before the first ball, and not yet stored.
    pub fn new(match_id: MatchId) -> Self {
        Self {
            match_id,
            last_processed_ball: None,
            ball_by_ball: Vec::new(),
            players: BTreeMap::new(),
            last_event: None,
            fired: Vec::new(),
            cooldowns: BTreeMap::new(),
            sequence: 0,
            expires_at: Expiry::from_seconds(0),
        }
    }
}

/// Hashes of the states that were pushed last. Only ticks, the push job and reconciliation touch
/// them.
#[table(
    name = "cricket-state-hashes",
    elsewhere = "cricket-state-hashes-{env}",
    key = (matchTeamKey),
    entities(StateHash)
)]
pub struct StateHashes;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(StateHashes, key = ("{match_id}#{team_id}"), rename_all = "camelCase")]
pub struct StateHash {
    #[attribute(in_key)]
    pub match_id: MatchId,
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// SHA-256 of the state, in 64 hexadecimal digits.
    pub hash: String,
    /// The fixture's sequence of that state.
    pub sequence: u64,
    pub event_kind: Option<EventKind>,
    pub pushed_at: Timestamp,
}

#[table(
    name = "DisplayStateCache",
    elsewhere = "DisplayStateCache-{env}",
    key = (cacheKey),
    ttl = ttl,
    entities(StoredDisplay)
)]
pub struct DisplayStateCache;

/// A display state from one perspective.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(DisplayStateCache, key = ("DISPLAY#{match_id}#{team_id}"), rename_all = "camelCase")]
pub struct StoredDisplay {
    #[attribute(in_key)]
    pub match_id: MatchId,
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// JSON without `updatedAt` and `stale`.
    pub state: String,
    /// The fixture's sequence of that state.
    pub sequence: u64,
    /// A minute later, or a day once it is final.
    #[attribute(ttl)]
    pub expires: Expiry,
}

/// The last snapshots of the feed.
#[table(
    name = "cricket-fixture-cache",
    elsewhere = "cricket-fixture-cache-{env}",
    key = (matchId),
    index("leagueId-startingAt-index" = (leagueId, startingAt)),
    ttl = ttl,
    entities(CachedFixture)
)]
pub struct FixtureCache;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    FixtureCache,
    key = ("{match_id}"),
    "leagueId-startingAt-index" of_league = ("{league_id}", "{starting_at}"),
    rename_all = "camelCase"
)]
pub struct CachedFixture {
    pub match_id: MatchId,
    pub league_id: LeagueId,
    pub starting_at: Timestamp,
    /// The feed's JSON without `balls`, at most 100 KB.
    pub payload: String,
    /// In epoch milliseconds.
    pub feed_at: i64,
    pub enrichment: Option<Enrichment>,
    pub enriched_at: Option<Timestamp>,
    /// An hour later while live, a day while scheduled, seven days once final.
    #[attribute(ttl)]
    pub expires: Expiry,
}

/// Names and positions of the teams of a match, so that lists need no other table.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Default)]
#[attribute(rename_all = "camelCase")]
pub struct Enrichment {
    pub home_name: String,
    pub home_code: String,
    pub away_name: String,
    pub away_code: String,
    pub league_name: String,
    pub league_code: String,
    pub home_position: Option<u32>,
    pub away_position: Option<u32>,
}

id! {
    /// `match:{matchId}`, `feed:livescores`, `job:{name}`.
    LockKey,
    /// `{host}-{pid}-{8 hex}`.
    Owner,
}

/// No time to live: an expired lock is free at its very millisecond.
#[table(
    name = "cricket-locks",
    elsewhere = "cricket-locks-{env}",
    key = (lockKey),
    entities(Lock)
)]
pub struct Locks;

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(Locks, key = ("{lock_key}"), rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Lock {
    pub lock_key: LockKey,
    pub owner: Owner,
    /// In epoch milliseconds. At that millisecond it is free.
    pub expires_at: i64,
}

impl LockKey {
    /// The lock of one match, which a tick holds.
    pub fn of_match(id: &MatchId) -> Self {
        Self(format!("match:{id}"))
    }

    /// Its holder polls the feed.
    pub fn feed() -> Self {
        Self("feed:livescores".to_owned())
    }

    pub fn of_job(name: &str) -> Self {
        Self(format!("job:{name}").replace('#', "-"))
    }

    /// The kit calls the lease of a job by the system and the job: `cricket.league-sync`.
    pub(crate) fn of_lease(name: &str) -> Self {
        Self::of_job(name.split_once('.').map_or(name, |(_, job)| job))
    }
}

impl Owner {
    pub(crate) fn named(name: &str) -> Self {
        Self(name.replace('#', "-"))
    }
}
