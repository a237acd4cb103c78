//! Seasons: table, leaderboards, sessions.

use super::{LeagueInfo, PlayerRef};
use crate::design::{Role, SeasonMirror, SessionId, Team};
use crate::rules::{Boards, StandingRow};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Date;

/// A season with all that its page shows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeasonView {
    /// The season.
    pub season: SeasonMirror,
    /// Its league.
    pub league: LeagueInfo,
    /// Its teams, by id.
    pub teams: Vec<Team>,
    /// The table.
    pub standings: Vec<StandingRow>,
    /// The leaderboards.
    pub boards: Boards<PlayerRef>,
    /// The sessions, by date.
    pub sessions: Vec<SessionRow>,
    /// The caller's role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_role: Option<Role>,
}

/// A session in the list of its season.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// Its id.
    pub session_id: SessionId,
    /// The day.
    pub session_date: Date,
    /// Where it is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// How many games it has.
    pub games: u32,
}

/// The table of a season.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StandingsView {
    /// The rows, the first one at the top.
    pub items: Vec<StandingRow>,
}
