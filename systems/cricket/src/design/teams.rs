//! `cricket-teams`: the teams.

use super::TeamId;
use singlet::prelude::*;

/// The teams.
#[table(name = "cricket-teams", key = (teamId), entities(Team))]
pub struct Teams;

/// A team. The feed knows most of it; an admin gives it a short name and a colour.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Teams, key = ("{team_id}"), rename_all = "camelCase")]
pub struct Team {
    /// The feed's id.
    pub team_id: TeamId,
    /// Such as "Harbour Hawks".
    pub name: String,
    /// Such as HAR.
    pub code: String,
    /// The address of its badge.
    pub image_path: Option<String>,
    /// Its country, by the feed's id.
    pub country_id: Option<String>,
    /// Whether it is a national team.
    pub national: bool,
    /// A name for small places, given by an admin.
    pub short_name: Option<String>,
    /// `#rrggbb`, given by an admin.
    pub colour: Option<String>,
    /// When the item was last written.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}
