//! `cricket-team-seasons`: the standings of a season.

use super::{LeagueId, SeasonId, TeamId};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::prelude::*;

/// The standings, one partition per season.
#[table(name = "cricket-team-seasons", key = (seasonId, teamId), entities(TeamSeason))]
pub struct TeamSeasons;

/// A team's record in a season.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(TeamSeasons, key of_season = ("{season_id}", "{team_id}"), rename_all = "camelCase")]
pub struct TeamSeason {
    /// The season.
    pub season_id: SeasonId,
    /// The team.
    pub team_id: TeamId,
    /// The league.
    pub league_id: LeagueId,
    /// The place in the table, from 1.
    pub position: u32,
    /// Matches played.
    pub played: u32,
    /// Matches won.
    pub won: u32,
    /// Matches lost.
    pub lost: u32,
    /// Matches drawn.
    pub drawn: u32,
    /// Matches without a result.
    pub no_result: u32,
    /// Points.
    pub points: i32,
    /// Runs scored.
    pub runs_for: u32,
    /// Overs faced, base six: `263.5`.
    pub overs_for: String,
    /// Runs conceded.
    pub runs_against: u32,
    /// Overs bowled, base six.
    pub overs_against: String,
    /// Such as `+0.625`.
    pub net_run_rate: String,
    /// The last matches, the newest last.
    #[attribute(default)]
    pub form: Vec<Form>,
    /// When the item was last written.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// How a match of the recent form ended.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub enum Form {
    /// Won.
    #[attribute(rename = "W")]
    #[serde(rename = "W")]
    Won,
    /// Lost.
    #[attribute(rename = "L")]
    #[serde(rename = "L")]
    Lost,
    /// Drawn or tied.
    #[attribute(rename = "D")]
    #[serde(rename = "D")]
    Drawn,
    /// No result.
    #[attribute(rename = "N")]
    #[serde(rename = "N")]
    NoResult,
}
