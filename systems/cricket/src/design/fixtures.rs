//! `cricket-fixtures`: the matches.

use super::{LeagueCode, LeagueId, MatchId, SeasonId, TeamId};
use crate::rules::{Format, InningsScore, MatchResult, Phase, Target, Toss};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;
use std::time::Duration;

/// The matches. Both indexes hold all of an item; `live-index` has those in play only.
#[table(
    name = "cricket-fixtures",
    key = (matchId),
    index(
        "leagueCode-startTime-index" = (leagueCode, startTime),
        "live-index" = (live, startTime)
    ),
    stream,
    entities(Fixture)
)]
pub struct Fixtures;

/// What `live-index` is keyed by.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "UPPERCASE")]
pub enum Live {
    /// The match is in play, or in a break of it.
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
    /// The feed's fixture id.
    pub match_id: MatchId,
    /// The league's code.
    pub league_code: LeagueCode,
    /// The league.
    pub league_id: LeagueId,
    /// The season.
    pub season_id: SeasonId,
    /// Such as "Final".
    pub round: Option<String>,
    /// How long it is.
    pub format: Format,
    /// When it is scheduled to begin.
    pub start_time: Timestamp,
    /// The first team.
    pub home_team_id: TeamId,
    /// The second team.
    pub away_team_id: TeamId,
    /// Where it is played.
    pub venue: Option<String>,
    /// The feed's own text.
    pub status: String,
    /// What the status means.
    pub phase: Phase,
    /// Set with `live_updated_at` by a tick, and removed with it when the match is archived.
    pub live: Option<Live>,
    /// When the last tick was.
    pub live_updated_at: Option<Timestamp>,
    /// When it was archived.
    pub archived_at: Option<Timestamp>,
    /// When the final tick was committed.
    pub ended_at: Option<Timestamp>,
    /// Who won the toss.
    pub toss: Option<Toss>,
    /// When the followers were alerted of the toss.
    pub toss_notified_at: Option<Timestamp>,
    /// The innings so far, in their order.
    #[attribute(default)]
    pub innings: Vec<InningsScore>,
    /// What the side batting last needs.
    pub target: Option<Target>,
    /// The day, in formats of several days.
    pub day: Option<u32>,
    /// How it ended.
    pub result: Option<MatchResult>,
    /// 0 when created, and one more with every committed change.
    pub sequence: u64,
    /// The time of the snapshot that was applied last, in epoch milliseconds.
    pub feed_at: Option<i64>,
    /// How it is replayed, if it is a generated match.
    pub replay: Option<Replay>,
    /// When the item was last written.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

impl Fixture {
    /// Both teams, the home team first.
    #[must_use]
    pub fn teams(&self) -> [&TeamId; 2] {
        [&self.home_team_id, &self.away_team_id]
    }

    /// Whether a user may follow this team in this match: one of the two, or neutral.
    #[must_use]
    pub fn has_perspective(&self, team: &TeamId) -> bool {
        team.is_neutral() || self.teams().contains(&team)
    }

    /// The three perspectives: home, away, neutral.
    #[must_use]
    pub fn perspectives(&self) -> [TeamId; 3] {
        [self.home_team_id.clone(), self.away_team_id.clone(), TeamId::neutral()]
    }

    /// When follows and subscriptions of this match expire: 48 hours after its length.
    #[must_use]
    pub fn follows_expire(&self) -> Expiry {
        Expiry::at(self.start_time.after(self.format.length()).after(AFTER_THE_END))
    }
}

/// How long follows and subscriptions outlive the scheduled end of a match.
const AFTER_THE_END: Duration = Duration::from_hours(48);

/// How a generated match is replayed. The position follows from it and from the clock, so that all
/// servers agree.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The name of the tape, such as `t20-20`.
    pub tape: String,
    /// Whether time goes on.
    pub playing: bool,
    /// Where it was at the moment `at`, in milliseconds from the scheduled start.
    pub position_ms: i64,
    /// When `position_ms` was set.
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
