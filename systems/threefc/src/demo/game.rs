//! Games of the demo data, goal by goal.

use super::people::{INES, TOMASZ};
use super::{Loader, MINUTE, squad};
use crate::design::{EventId, GameId, PlayerId, TeamId, TeamScore};
use crate::rules::result_of;
use crate::view::{GameView, GoalView};
use serde_json::{from_value, json};
use singlet::Timestamp;
use singlet_web::demo::DemoError;
use std::time::Duration;

pub(super) struct Match {
    pub(super) id: GameId,
    pub(super) start: Timestamp,
    pub(super) teams: [&'static str; 3],
    /// Whether the roster has names.
    pub(super) named: [bool; 3],
}

/// Who scores against whom, by the places of the teams; nobody for an own goal.
#[derive(Clone, Copy)]
pub(super) struct GoalChoice {
    pub(super) conceding: usize,
    pub(super) scoring: Option<usize>,
    pub(super) is_named: bool,
}

impl Match {
    fn team(&self, place: usize) -> &'static str {
        self.teams.get(place).copied().unwrap_or("anc")
    }

    /// Starts or finishes a third.
    pub(super) async fn third(
        &self,
        loader: &Loader<'_>,
        third: u8,
        at: Timestamp,
        starts: bool,
    ) -> Result<(), DemoError> {
        loader.demo.set_time(at);
        let (service, by) = (loader.service, TOMASZ.caller());
        match starts {
            true => service.start_third(&by, &self.id, third, None).await?,
            false => service.finish_third(&by, &self.id, third, None).await?,
        };
        Ok(())
    }

    /// A goal by a player of the squad, if it has names.
    pub(super) async fn goal(
        &self,
        loader: &mut Loader<'_>,
        choice: GoalChoice,
        at: Timestamp,
    ) -> Result<EventId, DemoError> {
        let shooting = choice.scoring.unwrap_or(choice.conceding);
        let has_names = self.named.get(shooting).copied().unwrap_or(false);
        let squad = squad(self.team(shooting))?;
        let scorer = loader.demo.pick(&squad).filter(|_| choice.is_named && has_names);
        let scoring = choice.scoring.map(|place| self.team(place));
        let conceding = self.team(choice.conceding);
        self.goal_of(loader, conceding, scoring, scorer.cloned(), at).await
    }

    /// A goal by this player, with an assist now and then.
    pub(super) async fn goal_of(
        &self,
        loader: &mut Loader<'_>,
        conceding: &str,
        scoring: Option<&str>,
        scorer: Option<PlayerId>,
        at: Timestamp,
    ) -> Result<EventId, DemoError> {
        loader.demo.set_time(at);
        let mut assists = Vec::new();
        if let (Some(team), Some(scorer)) = (scoring, &scorer)
            && loader.demo.below(2) == 0
        {
            let mut others = squad(team)?;
            others.retain(|player| player != scorer);
            assists.extend(loader.demo.pick(&others).cloned());
        }
        let event_id = loader.service.new_event_id()?;
        let new = from_value(json!({
            "eventId": event_id,
            "concedingTeamId": conceding,
            "scoringTeamId": scoring,
            "ownGoal": scoring.is_none(),
            "scorerPlayerId": scorer,
            "assistPlayerIds": assists,
        }))?;
        loader.service.add_goal(&TOMASZ.caller(), &self.id, &new).await?;
        Ok(event_id.parse()?)
    }

    /// Plays a game to its end: one to three goals in a third.
    pub(super) async fn play(&self, loader: &mut Loader<'_>) -> Result<(), DemoError> {
        for third in 1..=3_u8 {
            let start = self.start.after(25 * MINUTE * u32::from(third - 1));
            self.third(loader, third, start, true).await?;
            let goals = 1 + loader.demo.below(3);
            for number in 0..goals {
                let minute = 6 * number + loader.demo.below(6);
                let at = start.after(MINUTE * minute + Duration::from_secs(20));
                let conceding = loader.demo.below(3) as usize;
                let scoring = (conceding + 1 + loader.demo.below(2) as usize) % 3;
                let is_own_goal = loader.demo.below(12) == 0;
                let choice = GoalChoice {
                    conceding,
                    scoring: (!is_own_goal).then_some(scoring),
                    is_named: loader.demo.below(10) > 0,
                };
                self.goal(loader, choice, at).await?;
            }
            self.third(loader, third, start.after(21 * MINUTE), false).await?;
        }
        loader.service.finish_game(&TOMASZ.caller(), &self.id, false).await?;
        Ok(())
    }
}

/// The admin finds that a goal of a finished game was an own goal, so another team wins or nobody.
pub(super) async fn correct(loader: &mut Loader<'_>, id: &str) -> Result<(), DemoError> {
    let id = GameId::new(id)?;
    let before = loader.service.game(Some(&INES.caller()), &id).await?;
    let (event_id, conceding) = find_correction(&before)
        .ok_or_else(|| DemoError::new("no correction changes the result"))?;
    let change = json!({"concedingTeamId": conceding, "scoringTeamId": null, "ownGoal": true, "scorerPlayerId": null, "assistPlayerIds": []});
    loader.service.edit_goal(&INES.caller(), &id, event_id, &from_value(change)?).await?;
    Ok(())
}

/// A goal that has another winner once it is an own goal of this team.
fn find_correction(game: &GameView) -> Option<(&EventId, &TeamId)> {
    let score: Vec<TeamScore> = game
        .teams
        .iter()
        .map(|team| TeamScore {
            team_id: team.team_id.clone(),
            conceded: team.conceded,
            scored: team.scored,
        })
        .collect();
    let winner = result_of(&score).winner_team_id;
    let goals = game.goals.iter().filter(|goal| !goal.own_goal);
    let mut choices =
        goals.flat_map(|goal| game.teams.iter().map(move |team| (goal, &team.team_id)));
    let is_decisive = |(goal, conceding): &(&GoalView, &TeamId)| {
        let mut score = score.clone();
        for team in &mut score {
            let (was, is) = (team.team_id == goal.conceding_team_id, team.team_id == **conceding);
            team.conceded = team.conceded + u32::from(is) - u32::from(was);
            team.scored -= u32::from(goal.scoring_team_id.as_ref() == Some(&team.team_id));
        }
        result_of(&score).winner_team_id != winner
    };
    choices.find(is_decisive).map(|(goal, conceding)| (&goal.event_id, conceding))
}
