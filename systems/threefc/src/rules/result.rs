//! Who has won: the team that conceded fewest, then the one that scored most.

use crate::design::{DrawKind, GameResult, Outcome, TeamOutcome, TeamResult, TeamScore};
use std::cmp::Reverse;

/// The result of a score. Teams that are equal in goals conceded and scored share a rank.
#[must_use]
pub fn result_of(score: &[TeamScore]) -> GameResult {
    // The lesser, the better.
    let merit = |team: &TeamScore| (team.conceded, Reverse(team.scored));
    let rank = |team: &TeamScore| {
        let better = score.iter().filter(|other| merit(other) < merit(team)).count();
        u8::try_from(better + 1).unwrap_or(u8::MAX)
    };
    let first = score.iter().filter(|team| rank(team) == 1).count();
    let outcome_at = |rank: u8| match (rank, first) {
        (1, 1) => TeamOutcome::Win,
        (1, _) => TeamOutcome::Draw,
        _ => TeamOutcome::Loss,
    };
    let winner = score.iter().find(|team| first == 1 && rank(team) == 1);
    let draw_kind = match first {
        0 | 1 => None,
        2 => Some(DrawKind::TwoWay),
        _ => Some(DrawKind::ThreeWay),
    };
    GameResult {
        outcome: if winner.is_some() { Outcome::Win } else { Outcome::Draw },
        winner_team_id: winner.map(|team| team.team_id.clone()),
        draw_kind,
        teams: score
            .iter()
            .map(|team| TeamResult {
                team_id: team.team_id.clone(),
                rank: rank(team),
                outcome: outcome_at(rank(team)),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::TeamId;

    fn score(conceded: [u32; 3], scored: [u32; 3]) -> Vec<TeamScore> {
        let teams = ["red", "blue", "yellow"].into_iter().zip(conceded).zip(scored);
        teams
            .map(|((team, conceded), scored)| TeamScore {
                team_id: TeamId::new(team).unwrap(),
                conceded,
                scored,
            })
            .collect()
    }

    /// The table of results of the specification.
    #[test]
    fn the_table_of_results() {
        use TeamOutcome::{Draw, Loss, Win};
        let two = Some(DrawKind::TwoWay);
        for (conceded, scored, ranks, outcomes, winner, draw) in [
            ([1, 2, 3], [3, 2, 1], [1, 2, 3], [Win, Loss, Loss], Some("red"), None),
            ([2, 2, 3], [4, 3, 0], [1, 2, 3], [Win, Loss, Loss], Some("red"), None),
            ([2, 2, 3], [3, 3, 1], [1, 1, 3], [Draw, Draw, Loss], None, two),
            ([1, 3, 3], [3, 2, 2], [1, 2, 2], [Win, Loss, Loss], Some("red"), None),
            ([2, 2, 2], [3, 2, 1], [1, 2, 3], [Win, Loss, Loss], Some("red"), None),
            ([1, 1, 1], [1, 1, 0], [1, 1, 3], [Draw, Draw, Loss], None, two),
            ([2, 2, 2], [2, 2, 2], [1, 1, 1], [Draw; 3], None, Some(DrawKind::ThreeWay)),
        ] {
            let result = result_of(&score(conceded, scored));
            let case = format!("{conceded:?} {scored:?}");
            let found: Vec<u8> = result.teams.iter().map(|team| team.rank).collect();
            assert_eq!(found, ranks, "{case}");
            let found: Vec<TeamOutcome> = result.teams.iter().map(|team| team.outcome).collect();
            assert_eq!(found, outcomes, "{case}");
            assert_eq!(result.winner_team_id.as_ref().map(TeamId::as_str), winner, "{case}");
            assert_eq!(result.draw_kind, draw, "{case}");
            let outcome = if winner.is_some() { Outcome::Win } else { Outcome::Draw };
            assert_eq!(result.outcome, outcome, "{case}");
        }
    }
}
