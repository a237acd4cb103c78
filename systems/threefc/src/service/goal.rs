//! Goals: entering, changing, removing and undoing them.

use super::game_change::{Audit, Edit, MarkerChange, goal_payload};
use super::input::{GoalChange, NewGoal};
use super::{ATTEMPTS_MAX, OpenGame, Service};
use crate::design::{
    AuditAction, EventId, GOALS_MAX, GameId, Goal, GoalMarker, PlayerId, Role, TeamId,
};
use crate::error::Error;
use crate::rules::{GoalFields, Timing, check_goal, latest, when_scored};
use crate::text::{parse_reference, sha256_hex};
use crate::view::{EventKind, GameView};
use singlet_web::api::Change;
use singlet_web::identity::Caller;
use singlet_web::problem::{ApiError as _, INTERNAL, Problem};
use singlet_web::random::is_uuid_v7;

fn team_id(text: &str) -> Result<TeamId, Error> {
    parse_reference(text, Error::TeamNotInGame)
}

fn player_id(text: &str) -> Result<PlayerId, Error> {
    parse_reference(text, Error::PlayerNotOnRoster)
}

fn fields_of(new: &NewGoal) -> Result<GoalFields, Error> {
    Ok(GoalFields {
        conceding_team_id: team_id(&new.conceding_team_id)?,
        scoring_team_id: new.scoring_team_id.as_deref().map(team_id).transpose()?,
        own_goal: new.own_goal,
        scorer_player_id: new.scorer_player_id.as_deref().map(player_id).transpose()?,
        assist_player_ids: new
            .assist_player_ids
            .iter()
            .map(|one| player_id(one))
            .collect::<Result<_, _>>()?,
    })
}

/// The fields of a goal after a change.
fn changed_fields(goal: &Goal, change: &GoalChange) -> Result<GoalFields, Error> {
    let mut fields = GoalFields::from(goal);
    if let Some(team) = &change.conceding_team_id {
        fields.conceding_team_id = team_id(team)?;
    }
    match &change.scoring_team_id {
        Change::Keep => {}
        Change::Remove => fields.scoring_team_id = None,
        Change::Set(team) => fields.scoring_team_id = Some(team_id(team)?),
    }
    fields.own_goal = change.own_goal.unwrap_or(fields.own_goal);
    match &change.scorer_player_id {
        Change::Keep => {}
        Change::Remove => fields.scorer_player_id = None,
        Change::Set(player) => fields.scorer_player_id = Some(player_id(player)?),
    }
    if let Some(players) = &change.assist_player_ids {
        let players = players.iter().map(|one| player_id(one));
        fields.assist_player_ids = players.collect::<Result<_, _>>()?;
    }
    Ok(fields)
}

/// Removing a goal: by its id, or as an undo of the latest.
#[derive(Clone, Copy)]
enum Removal {
    Delete,
    Undo,
}

impl Service {
    /// 19: addGoal. Also says whether it is new: the same goal sent again is one goal, also after it
    /// was removed.
    ///
    /// # Errors
    ///
    /// [`Error::EventIdTaken`], [`Error::NoThirdRunning`], [`Error::ThirdOutOfOrder`],
    /// [`Error::TeamNotInGame`], [`Error::PlayerNotOnRoster`], [`Error::LimitReached`].
    pub async fn add_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        new: &NewGoal,
    ) -> Result<(GameView, bool), Error> {
        let work = |_| self.try_add_goal(caller, id, new);
        let is_new = self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        Ok((self.game(Some(caller), id).await?, is_new))
    }

    async fn try_add_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        new: &NewGoal,
    ) -> Result<bool, Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        let event_id =
            EventId::new(new.event_id.as_str()).ok().filter(|_| is_uuid_v7(&new.event_id));
        let event_id =
            event_id.ok_or_else(|| Error::invalid("/eventId", "must be a UUID of version 7"))?;
        let sent = serde_json::to_string(new).map_err(|_| Problem::new(&INTERNAL))?;
        let fingerprint = sha256_hex(&sent);
        if let Some(marker) = self.marker(id, &event_id).await? {
            return match marker.fingerprint == fingerprint {
                true => Ok(false),
                false => Err(Error::EventIdTaken),
            };
        }
        open.require_open_or_admin()?;
        if open.game().goals >= GOALS_MAX {
            return Err(Error::limit(GOALS_MAX, "goals in a game"));
        }
        let fields = fields_of(new)?;
        check_goal(&fields, None, &open.game().team_ids, &open.roster_teams())?;
        let timing =
            Timing { third: new.third, occurred_at: new.occurred_at, game_minute: new.game_minute };
        let when = when_scored(open.game(), timing, open.scope.is_admin(), open.now)?;
        let goal = Goal {
            game_id: id.clone(),
            event_id: event_id.clone(),
            third: when.third,
            game_minute: when.game_minute,
            elapsed_seconds: when.elapsed_seconds,
            conceding_team_id: fields.conceding_team_id,
            scoring_team_id: fields.scoring_team_id,
            own_goal: fields.own_goal,
            scorer_player_id: fields.scorer_player_id,
            assist_player_ids: fields.assist_player_ids,
            entry: open.game().sequence.saturating_add(1),
            entered_by_user_id: open.scope.actor()?.user_id.clone(),
            created_at: open.now,
            updated_at: open.now,
        };
        let mut items = open.before.clone();
        items.goals.push(goal.clone());
        let mut edit = Edit::new(EventKind::GoalAdded, items);
        edit.marker = MarkerChange::Create(GoalMarker {
            game_id: id.clone(),
            event_id: event_id.clone(),
            goal_sk: goal.sort_key(),
            removed: false,
            fingerprint,
            created_at: open.now,
            updated_at: open.now,
        });
        edit.audit = open.is_finished().then(|| Audit {
            event_id: Some(event_id),
            ..Audit::new(AuditAction::GoalAddedAfterFinish, None, Some(goal_payload(&goal)))
        });
        edit.goal = Some(goal);
        self.commit(&open, edit).await?;
        Ok(true)
    }

    async fn marker(&self, id: &GameId, event_id: &EventId) -> Result<Option<GoalMarker>, Error> {
        Ok(self.db.get(GoalMarker::key(id, event_id).consistent()).await?)
    }

    /// 21: editGoal. A new third or minute moves it in the timeline.
    ///
    /// # Errors
    ///
    /// [`Error::GoalNotFound`], and those of [`Service::add_goal`].
    pub async fn edit_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
        change: &GoalChange,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_edit_goal(caller, id, event_id, change);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_edit_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
        change: &GoalChange,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        open.require_open_or_admin()?;
        let marker = self.marker(id, event_id).await?.ok_or(Error::GoalNotFound)?;
        let before = goal_in(&open, event_id).ok_or(Error::GoalNotFound)?;
        let fields = changed_fields(before, change)?;
        let (teams, roster) = (&open.game().team_ids, open.roster_teams());
        check_goal(&fields, Some(&GoalFields::from(before)), teams, &roster)?;
        let mut goal = before.clone();
        goal.conceding_team_id = fields.conceding_team_id;
        goal.scoring_team_id = fields.scoring_team_id;
        goal.own_goal = fields.own_goal;
        goal.scorer_player_id = fields.scorer_player_id;
        goal.assist_player_ids = fields.assist_player_ids;
        if let Some(timing) = changed_timing(before, change) {
            let when = when_scored(open.game(), timing, open.scope.is_admin(), open.now)?;
            goal.third = when.third;
            goal.game_minute = when.game_minute;
            goal.elapsed_seconds = when.elapsed_seconds;
        }
        if goal == *before {
            return Ok(());
        }
        let (old, new) = (Some(goal_payload(before)), Some(goal_payload(&goal)));
        let audit = Audit::new(AuditAction::GoalEdited, old, new);
        let mut items = open.before.clone();
        items.goals.retain(|other| other.event_id != *event_id);
        items.goals.push(goal.clone());
        let mut edit = Edit::new(EventKind::GoalChanged, items);
        edit.audit = Some(Audit { event_id: Some(event_id.clone()), ..audit });
        edit.marker = MarkerChange::Rewrite(GoalMarker { goal_sk: goal.sort_key(), ..marker });
        edit.goal = Some(goal);
        self.commit(&open, edit).await
    }

    /// 21: deleteGoal. One that was removed stays so.
    ///
    /// # Errors
    ///
    /// [`Error::GoalNotFound`].
    pub async fn delete_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_remove_goal(caller, id, event_id, Removal::Delete);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    /// 22: undoGoal: removes the goal that was entered last, if it is the expected one.
    ///
    /// # Errors
    ///
    /// [`Error::NotTheLatest`], [`Error::GoalNotFound`].
    pub async fn undo_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        expected: &EventId,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_remove_goal(caller, id, expected, Removal::Undo);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_remove_goal(
        &self,
        caller: &Caller,
        id: &GameId,
        event_id: &EventId,
        removal: Removal,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        let marker = self.marker(id, event_id).await?;
        if marker.as_ref().is_some_and(|marker| marker.removed) {
            return Ok(());
        }
        open.require_open_or_admin()?;
        let (Some(marker), Some(goal)) = (marker, goal_in(&open, event_id)) else {
            return Err(Error::GoalNotFound);
        };
        let action = match removal {
            Removal::Delete => AuditAction::GoalDeleted,
            Removal::Undo => {
                let last = latest(&open.before.goals);
                if let Some(last) = last.filter(|last| last.event_id != *event_id) {
                    return Err(Problem::new(Error::NotTheLatest.problem_type())
                        .detail("Another goal was entered after it.")
                        .with("latestEventId", &last.event_id)
                        .into());
                }
                AuditAction::GoalUndone
            }
        };
        let audit = Audit::new(action, Some(goal_payload(goal)), None);
        let mut items = open.before.clone();
        items.goals.retain(|other| other.event_id != *event_id);
        let mut edit = Edit::new(EventKind::GoalRemoved, items);
        edit.removed = Some(event_id.clone());
        edit.marker = MarkerChange::Rewrite(GoalMarker { removed: true, ..marker });
        edit.audit = Some(Audit { event_id: Some(event_id.clone()), ..audit });
        self.commit(&open, edit).await
    }
}

fn goal_in<'o>(open: &'o OpenGame, event_id: &EventId) -> Option<&'o Goal> {
    open.before.goals.iter().find(|goal| goal.event_id == *event_id)
}

/// When a goal was scored after a change; `None` if that is not changed. In another third, a minute
/// without more has no meaning, so the third alone is by the clock.
fn changed_timing(goal: &Goal, change: &GoalChange) -> Option<Timing> {
    let GoalChange { third, occurred_at, game_minute, .. } = *change;
    if third.is_none() && occurred_at.is_none() && game_minute.is_none() {
        return None;
    }
    if (third, occurred_at, game_minute) == (Some(goal.third), None, None) {
        return None;
    }
    Some(Timing { third: Some(third.unwrap_or(goal.third)), occurred_at, game_minute })
}
