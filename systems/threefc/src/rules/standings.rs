//! The table of a season.

use crate::design::{Standing, Team, TeamId};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StandingRow {
    /// Teams that are equal share a position.
    pub position: u32,
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
}

/// The table: most wins, then most draws, fewest conceded, most scored, team id. Teams without
/// games are in it unless they are retired.
#[must_use]
pub fn standings(stored: &[Standing], teams: &[Team]) -> Vec<StandingRow> {
    let mut rows: Vec<StandingRow> = stored
        .iter()
        .map(|one| StandingRow {
            position: 0,
            team_id: one.team_id.clone(),
            played: one.played,
            wins: one.wins,
            draws: one.draws,
            losses: one.losses,
            conceded: one.conceded,
            scored: one.scored,
        })
        .collect();
    for team in teams.iter().filter(|team| !team.retired) {
        if !rows.iter().any(|row| row.team_id == team.team_id) {
            rows.push(StandingRow {
                position: 0,
                team_id: team.team_id.clone(),
                played: 0,
                wins: 0,
                draws: 0,
                losses: 0,
                conceded: 0,
                scored: 0,
            });
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Color, SeasonId};
    use singlet::Timestamp;

    fn standing(team: &str, [wins, draws, conceded, scored]: [u32; 4]) -> Standing {
        Standing {
            season_id: SeasonId::new("spring").unwrap(),
            team_id: TeamId::new(team).unwrap(),
            played: 6,
            wins,
            draws,
            losses: 6 - wins - draws,
            conceded,
            scored,
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MIN,
        }
    }

    fn team(id: &str, retired: bool) -> Team {
        Team {
            season_id: SeasonId::new("spring").unwrap(),
            team_id: TeamId::new(id).unwrap(),
            name: id.to_owned(),
            code: "XYZ".to_owned(),
            color: Color::Red,
            squad_player_ids: Vec::new(),
            retired,
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MIN,
        }
    }

    /// Draws count before goals conceded, and those before goals scored.
    #[test]
    fn each_number_is_compared_in_its_turn() {
        let stored = [
            standing("few-conceded", [2, 0, 1, 9]),
            standing("many-draws", [2, 1, 9, 1]),
            standing("many-scored", [2, 0, 2, 12]),
            standing("many-wins", [3, 0, 12, 0]),
        ];
        let rows = standings(&stored, &[]);
        let found: Vec<&str> = rows.iter().map(|row| row.team_id.as_str()).collect();
        assert_eq!(found, ["many-wins", "many-draws", "few-conceded", "many-scored"]);
    }

    /// The example of the specification, with teams that have not played.
    #[test]
    fn equal_teams_share_a_position() {
        let stored = [
            standing("dri", [2, 2, 5, 9]),
            standing("cin", [2, 2, 5, 9]),
            standing("bel", [3, 0, 9, 10]),
            standing("anc", [3, 0, 9, 12]),
        ];
        let teams = [team("anc", false), team("new", false), team("old", true)];
        let rows = standings(&stored, &teams);
        let found: Vec<(&str, u32)> =
            rows.iter().map(|row| (row.team_id.as_str(), row.position)).collect();
        assert_eq!(found, [("anc", 1), ("bel", 2), ("cin", 3), ("dri", 3), ("new", 5)]);
    }
}
