//! Goals: entering, changing, removing and undoing them.

use super::game_change::{Audit, OpenGame};
use super::input::{GoalChange, NewEventId, NewGoal};
use super::{SCOREKEEPER, Service};
use crate::design::{AuditAction, EventId, EventKind, GOALS_MAX, GameId, Goal, GoalMarker};
use crate::error::{ApiError as _, Error, Result};
use crate::rules::{Timing, check_fields, check_goal, check_timing, latest, when_scored};
use crate::text::sha256_hex;
use crate::view::GameView;
use singlet::Key;
use singlet_web::identity::Caller;
use singlet_web::problem::{INTERNAL, Problem};
use singlet_web::validate::FieldErrors;

impl Service {
    /// 19: addGoal. Also returns whether it is new: the same goal sent again is one goal, also after
    /// it was removed.
    pub async fn add_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        new: &NewGoal,
    ) -> Result<(GameView, bool)> {
        let NewEventId(event_id) = &new.event_id;
        let sent = serde_json::to_string(new).map_err(|_| Problem::new(&INTERNAL))?;
        let fingerprint = sha256_hex(&sent);
        self.attempt(async |_| {
            let open = self.open_game(caller, id, SCOREKEEPER, Some(event_id)).await?;
            match &open.marker {
                Some(marker) if marker.fingerprint == fingerprint => {
                    return Ok((open.unchanged(), false));
                }
                Some(_) => return Err(Error::EventIdTaken),
                None => open.require_open_or_admin()?,
            }
            if open.game().goals >= GOALS_MAX {
                return Err(Error::limit(GOALS_MAX, "goals in a game"));
            }
            let mut goal = Goal {
                game_id: id.clone(),
                event_id: event_id.clone(),
                third: 0,
                game_minute: 0,
                elapsed_seconds: None,
                conceding_team_id: new.conceding_team_id.clone(),
                scoring_team_id: new.scoring_team_id.clone(),
                own_goal: new.own_goal,
                scorer_player_id: new.scorer_player_id.clone(),
                assist_player_ids: new.assist_player_ids.to_vec(),
                entry: open.game().sequence.saturating_add(1),
                entered_by_user_id: open.scope.actor()?.user_id.clone(),
                created_at: open.now,
                updated_at: open.now,
            };
            let NewGoal { third, occurred_at, game_minute, .. } = *new;
            let timing = Timing { third, occurred_at, game_minute };
            open.place_goal(&mut goal, None, Some(timing))?;
            let mut items = open.before.clone();
            items.goals.push(goal.clone());
            let mut edit = self.edit(&open, EventKind::GoalAdded, items);
            let marker = GoalMarker {
                game_id: id.clone(),
                event_id: event_id.clone(),
                goal_sk: sort_key(&goal)?,
                removed: false,
                fingerprint: fingerprint.clone(),
                created_at: open.now,
                updated_at: open.now,
            };
            edit.changes.create(&marker, Error::changed());
            edit.audit = open
                .is_finished()
                .then(|| Audit::of_goal(AuditAction::GoalAddedAfterFinish, None, Some(&goal)));
            edit.goal = Some(goal);
            Ok((self.commit(&open, edit).await?, true))
        })
        .await
    }

    /// 21: editGoal. A new third or minute moves it in the timeline.
    pub async fn edit_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
        change: &GoalChange,
    ) -> Result<GameView> {
        self.attempt(async |_| {
            let open = self.open_game(caller, id, SCOREKEEPER, Some(event_id)).await?;
            open.require_open_or_admin()?;
            let (marker, before) = open.marked_goal(event_id)?;
            let mut goal = before.clone();
            if let Some(team) = &change.conceding_team_id {
                goal.conceding_team_id = team.clone();
            }
            goal.scoring_team_id = change.scoring_team_id.clone().apply(goal.scoring_team_id);
            goal.own_goal = change.own_goal.unwrap_or(goal.own_goal);
            goal.scorer_player_id = change.scorer_player_id.clone().apply(goal.scorer_player_id);
            if let Some(players) = &change.assist_player_ids {
                goal.assist_player_ids = players.to_vec();
            }
            open.place_goal(&mut goal, Some(before), changed_timing(before, change))?;
            if goal == *before {
                return Ok(open.unchanged());
            }
            let mut items = open.before.clone();
            items.goals.retain(|other| other.event_id != *event_id);
            items.goals.push(goal.clone());
            let mut edit = self.edit(&open, EventKind::GoalChanged, items);
            let moved = GoalMarker { goal_sk: sort_key(&goal)?, ..marker.clone() };
            edit.changes.rewrite_guarded(&moved, open.version());
            edit.audit = Some(Audit::of_goal(AuditAction::GoalEdited, Some(before), Some(&goal)));
            edit.goal = Some(goal);
            self.commit(&open, edit).await
        })
        .await
    }

    /// 21: deleteGoal. A goal that was removed stays removed.
    pub async fn delete_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
    ) -> Result<GameView> {
        self.remove_goal(caller, id, event_id, AuditAction::GoalDeleted).await
    }

    /// 22: undoGoal: removes the goal that was entered last, if it is the expected one.
    pub async fn undo_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        expected: &EventId,
    ) -> Result<GameView> {
        self.remove_goal(caller, id, expected, AuditAction::GoalUndone).await
    }

    async fn remove_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
        action: AuditAction,
    ) -> Result<GameView> {
        self.attempt(async |_| {
            let open = self.open_game(caller, id, SCOREKEEPER, Some(event_id)).await?;
            if open.marker.as_ref().is_some_and(|marker| marker.removed) {
                return Ok(open.unchanged());
            }
            open.require_open_or_admin()?;
            let (marker, goal) = open.marked_goal(event_id)?;
            let last = latest(&open.before.goals).filter(|last| last.event_id != *event_id);
            if let (AuditAction::GoalUndone, Some(last)) = (action, last) {
                return Err(Error::NotTheLatest
                    .because("Another goal was entered after it.")
                    .with("latestEventId", &last.event_id));
            }
            let mut items = open.before.clone();
            items.goals.retain(|other| other.event_id != *event_id);
            let mut edit = self.edit(&open, EventKind::GoalRemoved, items);
            edit.removed = Some(event_id.clone());
            let removed = GoalMarker { removed: true, ..marker.clone() };
            edit.changes.rewrite_guarded(&removed, open.version());
            edit.audit = Some(Audit::of_goal(action, Some(goal), None));
            self.commit(&open, edit).await
        })
        .await
    }
}

impl OpenGame {
    fn marked_goal(&self, event_id: &EventId) -> Result<(&GoalMarker, &Goal)> {
        let goal = self.before.goals.iter().find(|goal| goal.event_id == *event_id);
        self.marker.as_ref().zip(goal).ok_or(Error::GoalNotFound)
    }

    /// Checks a new or edited goal, and sets when it was scored unless that stays.
    fn place_goal(
        &self,
        goal: &mut Goal,
        before: Option<&Goal>,
        timing: Option<Timing>,
    ) -> Result<()> {
        let game = self.game();
        let mut errors = FieldErrors::default();
        check_fields(goal, &mut errors);
        if let Some(timing) = timing {
            check_timing(timing, game.third_length_minutes, &mut errors);
        }
        errors.refuse()?;
        check_goal(goal, before, &game.team_ids, &self.roster_teams())?;
        let Some(timing) = timing else { return Ok(()) };
        let when = when_scored(game, timing, self.scope.is_admin(), self.now)?;
        goal.third = when.third;
        goal.game_minute = when.game_minute;
        goal.elapsed_seconds = when.elapsed_seconds;
        Ok(())
    }
}

fn sort_key(goal: &Goal) -> Result<String> {
    let key = Key::of(goal).sort_text().map_err(singlet::Error::from)?;
    Ok(key.ok_or_else(|| Problem::new(&INTERNAL))?)
}

/// When a goal was scored after a change; `None` if that does not change. In another third, the old
/// minute has no meaning, so the third alone is by the clock.
fn changed_timing(goal: &Goal, change: &GoalChange) -> Option<Timing> {
    let GoalChange { third, occurred_at, game_minute, .. } = *change;
    let is_same_third = third.is_none_or(|third| third == goal.third);
    if is_same_third && occurred_at.is_none() && game_minute.is_none() {
        return None;
    }
    Some(Timing { third: Some(third.unwrap_or(goal.third)), occurred_at, game_minute })
}
