//! Seasons: their teams and sessions, and what is counted in them.

use super::{LeagueId, PlayerId, SeasonId, SessionId, TeamId, ThreeFc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;

/// The colour of a team.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "colours are what they are called")]
pub enum Color {
    Red,
    Blue,
    Yellow,
    Green,
    Orange,
    Purple,
    Black,
    White,
}

/// A season, in the list of its league.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key of_league = ("LEAGUE#{league_id}", "SEASON#{season_id}"),
    discriminator = ("entityType", "season"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Season {
    /// The league.
    pub league_id: LeagueId,
    /// Its id.
    pub season_id: SeasonId,
    /// Its name.
    pub name: String,
    /// Its first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_on: Option<Date>,
    /// Its last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_on: Option<Date>,
    /// How long a third of its games is.
    pub third_length_minutes: u8,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// The same season, by its id.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key = ("SEASON#{season_id}", "METADATA"),
    discriminator = ("entityType", "season"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct SeasonMirror {
    /// The league.
    pub league_id: LeagueId,
    /// Its id.
    pub season_id: SeasonId,
    /// Its name.
    pub name: String,
    /// Its first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_on: Option<Date>,
    /// Its last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_on: Option<Date>,
    /// How long a third of its games is.
    pub third_length_minutes: u8,
    /// How many teams it has.
    pub teams: u32,
    /// How many sessions it has.
    pub sessions: u32,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A team of a season.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key of_season = ("SEASON#{season_id}", "TEAM#{team_id}"),
    discriminator = ("entityType", "team"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Team {
    /// The season.
    pub season_id: SeasonId,
    /// Its id, within the season.
    pub team_id: TeamId,
    /// Its name.
    pub name: String,
    /// Two or three letters and digits that stand for it, unique in the season.
    pub code: String,
    /// Its colour.
    pub color: Color,
    /// Its usual players.
    pub squad_player_ids: Vec<PlayerId>,
    /// Whether it no longer plays.
    pub retired: bool,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A session, in the list of its season.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key of_season = ("SEASON#{season_id}", "SESSION#{session_id}"),
    discriminator = ("entityType", "session"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The season.
    pub season_id: SeasonId,
    /// Its id.
    pub session_id: SessionId,
    /// The day.
    pub session_date: Date,
    /// Where it is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// The same session, by its id.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key = ("SESSION#{session_id}", "METADATA"),
    discriminator = ("entityType", "session"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct SessionMirror {
    /// The season.
    pub season_id: SeasonId,
    /// Its id.
    pub session_id: SessionId,
    /// The day.
    pub session_date: Date,
    /// Where it is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// How many games it has.
    pub games: u32,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// The row of a team in the standings of its season. A row of zeros is not stored.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_season = ("SEASON#{season_id}", "STANDING#{team_id}"),
    discriminator = ("entityType", "standing"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Standing {
    /// The season.
    pub season_id: SeasonId,
    /// The team.
    pub team_id: TeamId,
    /// Finished games.
    pub played: u32,
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// Goals conceded.
    pub conceded: u32,
    /// Goals scored.
    pub scored: u32,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// The statistics of a player in a season. A row of zeros is not stored.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_season = ("SEASON#{season_id}", "STAT#{player_id}"),
    discriminator = ("entityType", "playerStat"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Statistic {
    /// The season.
    pub season_id: SeasonId,
    /// The player.
    pub player_id: PlayerId,
    /// Finished games on a roster.
    pub games: u32,
    /// Goals scored.
    pub goals: u32,
    /// Own goals.
    pub own_goals: u32,
    /// Assists.
    pub assists: u32,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// The tables and teams of a season: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct SeasonTables {
    /// By team id; teams without finished games are missing.
    pub standings: Vec<Standing>,
    /// By player id; players without anything to count are missing.
    pub statistics: Vec<Statistic>,
    /// By id.
    pub teams: Vec<Team>,
}

impl From<&SeasonMirror> for Season {
    fn from(mirror: &SeasonMirror) -> Self {
        Self {
            league_id: mirror.league_id.clone(),
            season_id: mirror.season_id.clone(),
            name: mirror.name.clone(),
            starts_on: mirror.starts_on,
            ends_on: mirror.ends_on,
            third_length_minutes: mirror.third_length_minutes,
            created_at: mirror.created_at,
            updated_at: mirror.updated_at,
        }
    }
}

impl From<&SessionMirror> for Session {
    fn from(mirror: &SessionMirror) -> Self {
        Self {
            season_id: mirror.season_id.clone(),
            session_id: mirror.session_id.clone(),
            session_date: mirror.session_date,
            venue: mirror.venue.clone(),
            created_at: mirror.created_at,
            updated_at: mirror.updated_at,
        }
    }
}
