//! The table of a season.

use super::TeamTally;
use crate::design::{Standing, Team};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;
use std::cmp::Reverse;
use std::ops::Deref;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StandingRow {
    /// Teams that are equal share a position.
    pub position: u32,
    #[serde(flatten)]
    pub standing: Standing,
}

impl Deref for StandingRow {
    type Target = Standing;

    fn deref(&self) -> &Standing {
        &self.standing
    }
}

/// The table: most wins, then most draws, fewest conceded, most scored, team id. Teams without
/// games are in it unless they are retired.
pub fn standings(stored: &[Standing], teams: &[Team]) -> Vec<StandingRow> {
    let has_row = |team: &&Team| stored.iter().any(|row| row.team_id == team.team_id);
    let idle = teams.iter().filter(|team| !team.retired && !has_row(team));
    let idle = idle.map(|team| TeamTally::new_row(&team.season_id, &team.team_id, Timestamp::MIN));
    let mut rows: Vec<StandingRow> = stored
        .iter()
        .cloned()
        .chain(idle)
        .map(|standing| StandingRow { position: 0, standing })
        .collect();
    let merit = |row: &StandingRow| {
        (Reverse(row.wins), Reverse(row.draws), row.conceded, Reverse(row.scored))
    };
    rows.sort_by(|one, other| {
        merit(one).cmp(&merit(other)).then_with(|| one.team_id.cmp(&other.team_id))
    });
    let mut last = None;
    for (place, row) in (1..).zip(&mut rows) {
        let position = match last {
            Some((position, merits)) if merits == merit(row) => position,
            _ => place,
        };
        row.position = position;
        last = Some((position, merit(row)));
    }
    rows
}
