//! Who has won: the team that conceded fewest, then the one that scored most.

use crate::design::{DrawKind, GameResult, Outcome, TeamOutcome, TeamResult, TeamScore};
use std::cmp::Reverse;

/// The result of a score. Teams that are equal in goals conceded and scored share a rank.
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
