//! Leagues, teams and standings, as the feed knows them. Clients see them as they are stored.

use super::{LeagueCode, LeagueId, SeasonId, TeamId};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::prelude::*;

#[table(
    name = "cricket-leagues",
    elsewhere = "cricket-leagues-{env}",
    key = (leagueId),
    entities(League)
)]
pub struct Leagues;

/// A league. `active` is true when it is new, and the admin's from then on.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(Leagues, key = ("{league_id}"), rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct League {
    pub league_id: LeagueId,
    /// Such as CTL.
    pub code: LeagueCode,
    pub name: String,
    /// The current season.
    pub season_id: Option<SeasonId>,
    #[serde(skip)]
    pub country_id: Option<String>,
    /// The address of its badge.
    pub image_path: Option<String>,
    /// The feed's name for its kind.
    #[attribute(rename = "type")]
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Whether its matches are fetched.
    pub active: bool,
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

#[table(
    name = "cricket-teams",
    elsewhere = "cricket-teams-{env}",
    key = (teamId),
    entities(Team)
)]
pub struct Teams;

#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(Teams, key = ("{team_id}"), rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Team {
    pub team_id: TeamId,
    pub name: String,
    /// Such as HAR.
    pub code: String,
    /// The address of its badge.
    pub image_path: Option<String>,
    #[serde(skip)]
    pub country_id: Option<String>,
    /// Whether it plays for a country.
    pub national: bool,
    /// A name for small places, given by an admin.
    pub short_name: Option<String>,
    /// `#rrggbb`, given by an admin.
    pub colour: Option<String>,
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// One partition per season.
#[table(
    name = "cricket-team-seasons",
    elsewhere = "cricket-team-seasons-{env}",
    key = (seasonId, teamId),
    entities(TeamSeason)
)]
pub struct TeamSeasons;

/// A team's record in a season.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(TeamSeasons, key of_season = ("{season_id}", "{team_id}"), rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct TeamSeason {
    #[serde(skip)]
    pub season_id: SeasonId,
    pub team_id: TeamId,
    #[serde(skip)]
    pub league_id: LeagueId,
    /// From 1.
    pub position: u32,
    pub played: u32,
    pub won: u32,
    pub lost: u32,
    pub drawn: u32,
    pub no_result: u32,
    pub points: i32,
    #[serde(skip)]
    pub runs_for: u32,
    /// Base six: `263.5`.
    #[serde(skip)]
    pub overs_for: String,
    #[serde(skip)]
    pub runs_against: u32,
    #[serde(skip)]
    pub overs_against: String,
    /// Such as `+0.625`.
    pub net_run_rate: String,
    /// The last matches, the newest last: W won, L lost, D drawn or tied, N no result.
    #[attribute(default)]
    pub form: Vec<Form>,
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// How a match of the recent form ended: won, lost, drawn or tied, no result.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Form {
    W,
    L,
    D,
    N,
}
