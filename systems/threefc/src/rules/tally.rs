//! What a finished game counts for its teams and players.

use crate::design::{
    Game, GameStatus, Goal, PlayerId, RosterEntry, SeasonId, Standing, Statistic, TeamId,
    TeamOutcome,
};
use singlet::Timestamp;
use std::collections::BTreeMap;

/// Counts that a game adds to a stored row, or by how much they change.
macro_rules! tallies {
    ($($name:ident for $row:ident of $id:ident: $id_type:ty { $($field:ident),+ })+) => {
        $(
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $name {
                $(pub $field: i64),+
            }

            impl $name {
                fn subtract(&mut self, other: &Self) {
                    $(self.$field -= other.$field;)+
                }

                /// A row of zeros.
                pub fn new_row(season_id: &SeasonId, id: &$id_type, now: Timestamp) -> $row {
                    $row {
                        season_id: season_id.clone(),
                        $id: id.clone(),
                        $($field: 0,)+
                        created_at: now,
                        updated_at: now,
                    }
                }

                pub fn is_zero(row: &$row) -> bool {
                    $(row.$field == 0)&&+
                }

                /// The row after the change; `None` if a count would be negative.
                pub fn added_to(&self, row: $row) -> Option<$row> {
                    let sum = |stored: u32, change: i64| {
                        u32::try_from(i64::from(stored) + change).ok()
                    };
                    Some($row { $($field: sum(row.$field, self.$field)?,)+ ..row })
                }
            }
        )+
    };
}

tallies! {
    TeamTally for Standing of team_id: TeamId { played, wins, draws, losses, conceded, scored }
    PlayerTally for Statistic of player_id: PlayerId { games, goals, own_goals, assists }
}

/// What a game counts for all, or by how much that changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub teams: BTreeMap<TeamId, TeamTally>,
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
    pub fn since(&self, before: &Self) -> Self {
        let mut change = self.clone();
        for (team, row) in &before.teams {
            change.teams.entry(team.clone()).or_default().subtract(row);
        }
        for (player, row) in &before.players {
            change.players.entry(player.clone()).or_default().subtract(row);
        }
        change.teams.retain(|_, row| *row != TeamTally::default());
        change.players.retain(|_, row| *row != PlayerTally::default());
        change
    }
}
