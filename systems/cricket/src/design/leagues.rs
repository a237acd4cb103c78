//! `cricket-leagues`: the leagues.

use super::{LeagueCode, LeagueId, SeasonId};
use singlet::prelude::*;

/// The leagues.
#[table(name = "cricket-leagues", key = (leagueId), entities(League))]
pub struct Leagues;

/// A league. `active` is true when it is new, and the admin's from then on.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Leagues, key = ("{league_id}"), rename_all = "camelCase")]
pub struct League {
    /// The feed's id.
    pub league_id: LeagueId,
    /// Such as CTL.
    pub code: LeagueCode,
    /// Such as "Coastal T20 League".
    pub name: String,
    /// The current season.
    pub season_id: Option<SeasonId>,
    /// Its country, by the feed's id.
    pub country_id: Option<String>,
    /// The address of its badge.
    pub image_path: Option<String>,
    /// What the feed calls its kind.
    #[attribute(rename = "type")]
    pub kind: Option<String>,
    /// Whether its matches are fetched.
    pub active: bool,
    /// When the item was last written.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}
