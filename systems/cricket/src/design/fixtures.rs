//! `cricket-fixtures`: the matches.

use super::{LeagueCode, LeagueId, MatchId, SeasonId, TeamId};
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
    /// When the followers were told of the toss.
    pub toss_notified_at: Option<Timestamp>,
    /// The innings so far, in their order.
    #[attribute(default)]
    pub innings: Vec<Innings>,
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

/// How long a match is.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum Format {
    /// Ten overs a side.
    T10,
    /// Twenty overs a side.
    T20,
    /// A hundred balls a side: score and result only.
    Hundred,
    /// Fifty overs a side.
    Odi,
    /// First class: four days.
    Fc,
    /// Five days.
    Test,
}

impl Format {
    /// How long a match takes at most.
    #[must_use]
    pub const fn length(self) -> Duration {
        Duration::from_hours(match self {
            Self::T10 | Self::T20 | Self::Hundred => 5,
            Self::Odi => 10,
            Self::Fc => 96,
            Self::Test => 120,
        })
    }

    /// Whether it takes several days, with two innings a side.
    #[must_use]
    pub const fn has_days(self) -> bool {
        matches!(self, Self::Fc | Self::Test)
    }

    /// How many legal balls a side has; `None` where there is no quota.
    #[must_use]
    pub const fn quota_balls(self) -> Option<u32> {
        match self {
            Self::T10 => Some(60),
            Self::T20 => Some(120),
            Self::Hundred => Some(100),
            Self::Odi => Some(300),
            Self::Fc | Self::Test => None,
        }
    }
}

/// What a match is doing.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[attribute(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It has not begun.
    Scheduled,
    /// It has not begun, and the toss is known.
    Toss,
    /// It begins later than scheduled.
    Delayed,
    /// Balls are being bowled.
    Live,
    /// Between two innings.
    InningsBreak,
    /// Lunch, tea or dinner.
    Interval,
    /// Between two days.
    Stumps,
    /// Rain, as a rule.
    Interrupted,
    /// It is over.
    Finished,
    /// It was given up.
    Abandoned,
    /// It was never begun.
    Cancelled,
    /// It will be played at another time.
    Postponed,
}

impl Phase {
    /// Whether a match in this phase is in `live-index`.
    #[must_use]
    pub const fn is_in_play(self) -> bool {
        matches!(
            self,
            Self::Live | Self::InningsBreak | Self::Interval | Self::Stumps | Self::Interrupted
        )
    }

    /// Whether nothing comes after it.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Finished | Self::Abandoned | Self::Cancelled)
    }
}

/// Who won the toss, and what they chose.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Toss {
    /// Who won it.
    pub team_id: TeamId,
    /// What they chose.
    pub elected: Elected,
}

/// What the winner of a toss chose.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Elected {
    /// To bat first.
    Bat,
    /// To bowl first.
    Bowl,
}

/// One innings.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Innings {
    /// 1 to 4.
    pub n: u32,
    /// The batting side.
    pub team_id: TeamId,
    /// Runs.
    pub runs: u32,
    /// Wickets that fell.
    pub wickets: u32,
    /// Legal balls.
    pub balls: u32,
    /// Whether the side declared.
    pub declared: bool,
    /// Whether the side follows on.
    pub follow_on: bool,
    /// Whether it is one of a super over.
    pub super_over: bool,
}

/// What the side batting last needs.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// Runs to win.
    pub runs: u32,
    /// Legal balls that the side has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balls: Option<u32>,
    /// Whether the feed has revised it.
    pub revised: bool,
}

/// How a match ended.
#[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MatchResult {
    /// How.
    pub kind: ResultKind,
    /// Who won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner_team_id: Option<TeamId>,
    /// By how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<u32>,
    /// Of what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// As people read it.
    pub text: String,
}

/// The kinds of results.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum ResultKind {
    /// One side won.
    Won,
    /// Both have as many runs.
    Tied,
    /// Time ran out.
    Drawn,
    /// It could not be decided.
    NoResult,
    /// It was given up.
    Abandoned,
    /// It was never begun.
    Cancelled,
}

/// What a margin is counted in.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum Unit {
    /// Runs.
    Runs,
    /// Wickets.
    Wickets,
    /// Runs, and an innings.
    InningsAndRuns,
}

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
