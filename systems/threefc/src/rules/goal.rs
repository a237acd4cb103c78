//! Goals: who may have scored them, and the score that they add up to.

use crate::design::{Goal, PlayerId, TeamId, TeamScore};
use crate::error::{ApiError as _, Error, Result};
use singlet_web::validate::FieldErrors;
use std::collections::BTreeMap;

/// The team of every player on a roster of the game.
pub type RosterTeams = BTreeMap<PlayerId, TeamId>;

/// Adds the fields of a goal that cannot be together, in any game.
pub fn check_fields(goal: &Goal, errors: &mut FieldErrors) {
    let field = "/scoringTeamId";
    match &goal.scoring_team_id {
        Some(_) if goal.own_goal => errors.add(field, "must be null for an own goal"),
        Some(team) if *team == goal.conceding_team_id => errors.add(field, "must be another team"),
        None if !goal.own_goal => errors.add(field, "is needed unless it is an own goal"),
        _ => {}
    }
    let (field, assists) = ("/assistPlayerIds", &goal.assist_player_ids);
    if goal.own_goal && !assists.is_empty() {
        errors.add(field, "must be empty for an own goal");
    } else if goal.scorer_player_id.as_ref().is_some_and(|scorer| assists.contains(scorer)) {
        errors.add(field, "must not name the scorer");
    }
}

/// Checks a goal against the teams and rosters of its game. `before` is the goal that is edited:
/// players whom it names already may stay, whatever roster they are on by now.
pub fn check_goal(
    goal: &Goal,
    before: Option<&Goal>,
    teams: &[TeamId],
    roster: &RosterTeams,
) -> Result<()> {
    // The team of the player who put the ball in.
    let team = goal.scoring_team_id.as_ref().unwrap_or(&goal.conceding_team_id);
    if !teams.contains(&goal.conceding_team_id) || !teams.contains(team) {
        return Err(Error::TeamNotInGame);
    }
    let same_side = before.is_some_and(|before| {
        before.own_goal == goal.own_goal
            && before.scoring_team_id == goal.scoring_team_id
            && (!goal.own_goal || before.conceding_team_id == goal.conceding_team_id)
    });
    if let Some(scorer) = &goal.scorer_player_id {
        let is_kept = same_side
            && before.is_some_and(|before| before.scorer_player_id == goal.scorer_player_id);
        if !is_kept && roster.get(scorer) != Some(team) {
            return Err(Error::PlayerNotOnRoster.because("The scorer is not on the team's roster."));
        }
    }
    for assist in &goal.assist_player_ids {
        let is_kept = before.is_some_and(|before| before.assist_player_ids.contains(assist));
        if !is_kept && !roster.contains_key(assist) {
            return Err(Error::PlayerNotOnRoster.because("An assist is on no roster of the game."));
        }
    }
    Ok(())
}

/// The score that goals add up to, in the order of the teams. An own goal is conceded, and nobody
/// has scored it.
pub fn score_of<'g>(teams: &[TeamId], goals: impl IntoIterator<Item = &'g Goal>) -> Vec<TeamScore> {
    let mut score: Vec<TeamScore> = teams
        .iter()
        .map(|team| TeamScore { team_id: team.clone(), conceded: 0, scored: 0 })
        .collect();
    for goal in goals {
        for team in &mut score {
            team.conceded += u32::from(team.team_id == goal.conceding_team_id);
            team.scored += u32::from(Some(&team.team_id) == goal.scoring_team_id.as_ref());
        }
    }
    score
}

/// The goal that was entered last, wherever it is in the timeline.
pub fn latest(goals: &[Goal]) -> Option<&Goal> {
    goals.iter().max_by_key(|goal| goal.entry)
}
