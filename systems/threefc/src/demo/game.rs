//! Games of the demo data, goal by goal.

use super::people::{INES, PLAYERS};
use super::{Loader, MINUTE};
use crate::design::{EventId, GameId, SessionId, TeamId, TeamScore};
use crate::rules::result_of;
use crate::service::input::{GoalChange, NewGame, NewGoal};
use crate::view::{GameView, GoalView};
use singlet::Timestamp;
use singlet_web::api::Change;
use singlet_web::demo::DemoError;
use std::time::Duration;

/// A game to be created.
pub(super) struct ScheduledMatch<'f> {
    pub(super) session: &'f SessionId,
    pub(super) id: &'f str,
    pub(super) start: Timestamp,
    pub(super) teams: [&'static str; 3],
}

/// A game that was created.
pub(super) struct Match {
    pub(super) id: GameId,
    start: Timestamp,
    teams: [&'static str; 3],
    /// Whether the roster has names.
    named: [bool; 3],
}

/// Who scores against whom, by the places of the teams; nobody for an own goal.
#[derive(Clone, Copy)]
pub(super) struct GoalChoice {
    pub(super) conceding: usize,
    pub(super) scoring: Option<usize>,
    pub(super) is_named: bool,
}

impl ScheduledMatch<'_> {
    pub(super) async fn create(self, loader: &mut Loader<'_>) -> Result<Match, DemoError> {
        let new = NewGame {
            game_id: Some(self.id.to_owned()),
            game_start_ts: self.start,
            team_ids: self.teams.iter().map(|team| (*team).to_owned()).collect(),
            pitch: Some("Pitch 1".to_owned()),
            third_length_minutes: None,
        };
        let created = loader.service.create_game(&INES.caller(), self.session, &new).await?;
        let has_roster = |team: &str| {
            created.teams.iter().any(|one| one.team_id.as_str() == team && !one.roster.is_empty())
        };
        let named = self.teams.map(has_roster);
        Ok(Match { id: GameId::new(self.id)?, start: self.start, teams: self.teams, named })
    }
}

impl Match {
    fn team(&self, place: usize) -> &'static str {
        self.teams.get(place).copied().unwrap_or("anc")
    }

    pub(super) async fn start_third(
        &self,
        loader: &Loader<'_>,
        third: u8,
        at: Timestamp,
    ) -> Result<(), DemoError> {
        loader.demo.set_time(at);
        loader.service.start_third(&loader.scorekeeper(), &self.id, third, None).await?;
        Ok(())
    }

    pub(super) async fn finish_third(
        &self,
        loader: &Loader<'_>,
        third: u8,
        at: Timestamp,
    ) -> Result<(), DemoError> {
        loader.demo.set_time(at);
        loader.service.finish_third(&loader.scorekeeper(), &self.id, third, None).await?;
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
        let squad: Vec<&str> = PLAYERS
            .iter()
            .filter(|(team, ..)| *team == self.team(shooting))
            .map(|(_, nickname, _)| *nickname)
            .collect();
        let scorer = loader.demo.pick(&squad).filter(|_| choice.is_named && has_names);
        let scorer = scorer.map(|nickname| nickname.to_lowercase());
        let scoring = choice.scoring.map(|place| self.team(place));
        let conceding = self.team(choice.conceding);
        self.goal_of(loader, conceding, scoring, scorer.as_deref(), at).await
    }

    /// A goal by somebody, with an assist now and then.
    pub(super) async fn goal_of(
        &self,
        loader: &mut Loader<'_>,
        conceding: &str,
        scoring: Option<&str>,
        scorer: Option<&str>,
        at: Timestamp,
    ) -> Result<EventId, DemoError> {
        loader.demo.set_time(at);
        let mut assists = Vec::new();
        if let (Some(team), Some(scorer)) = (scoring, scorer)
            && loader.demo.below(2) == 0
        {
            let others: Vec<String> = PLAYERS
                .iter()
                .filter(|(of, ..)| *of == team)
                .map(|(_, nickname, _)| nickname.to_lowercase())
                .filter(|nickname| nickname != scorer)
                .collect();
            assists.extend(loader.demo.pick(&others).cloned());
        }
        let event_id = loader.service.new_event_id()?;
        let new = NewGoal {
            event_id: event_id.clone(),
            conceding_team_id: conceding.to_owned(),
            scoring_team_id: scoring.map(str::to_owned),
            own_goal: scoring.is_none(),
            scorer_player_id: scorer.map(str::to_owned),
            assist_player_ids: assists,
            third: None,
            occurred_at: None,
            game_minute: None,
        };
        loader.service.add_goal(&loader.scorekeeper(), &self.id, &new).await?;
        Ok(EventId::new(event_id)?)
    }
}

/// Plays a game to its end: two or three goals in a third.
pub(super) async fn play(loader: &mut Loader<'_>, game: &Match) -> Result<(), DemoError> {
    for third in 1..=3_u8 {
        let start = game.start.after(25 * MINUTE * u32::from(third - 1));
        game.start_third(loader, third, start).await?;
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
            game.goal(loader, choice, at).await?;
        }
        game.finish_third(loader, third, start.after(21 * MINUTE)).await?;
    }
    loader.service.finish_game(&loader.scorekeeper(), &game.id, false).await?;
    Ok(())
}

/// Lark plays for Cinder Lane in the third week, which has no squad.
pub(super) async fn lend_lark(loader: &mut Loader<'_>) -> Result<(), DemoError> {
    let (game, lark) = (GameId::new("spring-05")?, "lark".parse()?);
    loader.service.assign_roster(&INES.caller(), &game, &lark, &"cin".parse()?).await?;
    Ok(())
}

/// The admin finds that a goal of a finished game was an own goal, so another team wins or nobody.
pub(super) async fn correct(loader: &mut Loader<'_>, id: &str) -> Result<(), DemoError> {
    let id = GameId::new(id)?;
    let before = loader.service.game(Some(&INES.caller()), &id).await?;
    let (event_id, conceding) = find_correction(&before)
        .ok_or_else(|| DemoError::new("no correction changes the result"))?;
    let change = GoalChange {
        conceding_team_id: Some(conceding.to_string()),
        scoring_team_id: Change::Remove,
        own_goal: Some(true),
        scorer_player_id: Change::Remove,
        assist_player_ids: Some(Vec::new()),
        third: None,
        occurred_at: None,
        game_minute: None,
    };
    loader.service.edit_goal(&INES.caller(), &id, event_id, &change).await?;
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
