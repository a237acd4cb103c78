//! What a finished game counts for its teams and players.

use crate::design::{Game, GameStatus, Goal, PlayerId, RosterEntry, TeamId, TeamOutcome};
use std::collections::BTreeMap;

/// What a game counts for a team, or by how much that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields of a standing")]
pub struct TeamTally {
    pub played: i64,
    pub wins: i64,
    pub draws: i64,
    pub losses: i64,
    pub conceded: i64,
    pub scored: i64,
}

/// What a game counts for a player, or by how much that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields of a statistic")]
pub struct PlayerTally {
    pub games: i64,
    pub goals: i64,
    pub own_goals: i64,
    pub assists: i64,
}

/// What a game counts for all, or by how much that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// By team.
    pub teams: BTreeMap<TeamId, TeamTally>,
    /// By player.
    pub players: BTreeMap<PlayerId, PlayerTally>,
}

/// What a game counts. One that is not finished counts nothing.
pub fn tally<'g>(
    game: &Game,
    goals: impl IntoIterator<Item = &'g Goal>,
    roster: impl IntoIterator<Item = &'g RosterEntry>,
) -> Tally {
    let mut tally = Tally::default();
    let Some(result) = game.result.as_ref().filter(|_| game.status == GameStatus::Finished) else {
        return tally;
    };
    for team in &result.teams {
        let row = tally.teams.entry(team.team_id.clone()).or_default();
        row.played += 1;
        match team.outcome {
            TeamOutcome::Win => row.wins += 1,
            TeamOutcome::Draw => row.draws += 1,
            TeamOutcome::Loss => row.losses += 1,
        }
    }
    for team in &game.score {
        let row = tally.teams.entry(team.team_id.clone()).or_default();
        row.conceded += i64::from(team.conceded);
        row.scored += i64::from(team.scored);
    }
    for entry in roster {
        tally.players.entry(entry.player_id.clone()).or_default().games += 1;
    }
    for goal in goals {
        if let Some(scorer) = &goal.scorer_player_id {
            let row = tally.players.entry(scorer.clone()).or_default();
            match goal.own_goal {
                true => row.own_goals += 1,
                false => row.goals += 1,
            }
        }
        for assist in &goal.assist_player_ids {
            tally.players.entry(assist.clone()).or_default().assists += 1;
        }
    }
    tally
}

impl Tally {
    /// By how much this differs from the tally before it, without what does not change.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let mut change = self.clone();
        for (team, row) in &before.teams {
            let sum = change.teams.entry(team.clone()).or_default();
            sum.played -= row.played;
            sum.wins -= row.wins;
            sum.draws -= row.draws;
            sum.losses -= row.losses;
            sum.conceded -= row.conceded;
            sum.scored -= row.scored;
        }
        for (player, row) in &before.players {
            let sum = change.players.entry(player.clone()).or_default();
            sum.games -= row.games;
            sum.goals -= row.goals;
            sum.own_goals -= row.own_goals;
            sum.assists -= row.assists;
        }
        change.teams.retain(|_, row| *row != TeamTally::default());
        change.players.retain(|_, row| *row != PlayerTally::default());
        change
    }
}
