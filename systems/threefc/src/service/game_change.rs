//! Changing a game: one transaction that writes what differs.
//!
//! Every change rewrites the game under its version, so all changes of a game have one order. What
//! else belongs to it (link, goals, markers, rosters, audit) follows from comparing the game before
//! and after; so do the standings and statistics, if the game counts before or after.

use super::Service;
use super::access::{Need, Scope};
use super::changes::Changes;
use crate::design::*;
use crate::error::{ApiError as _, Error, Result};
use crate::rules::{PlayerTally, RosterTeams, Tally, TeamTally, result_of, score_of, tally};
use crate::view::{GameContext, GameView, goal_view};
use serde::Serialize;
use serde_json::{Value, json};
use singlet::prelude::*;
use singlet_web::identity::Caller;
use singlet_web::problem::{INTERNAL, Problem};
use std::collections::HashMap;

/// A game that is about to be changed, as it was read.
pub(super) struct OpenGame {
    pub(super) scope: Scope,
    pub(super) before: GameItems,
    pub(super) context: GameContext,
    /// The marker of the goal that the change is about.
    pub(super) marker: Option<GoalMarker>,
    pub(super) now: Timestamp,
}

/// The outcome of a change of a game.
pub(super) struct Edit<'d> {
    pub(super) items: GameItems,
    pub(super) kind: EventKind,
    /// The goal that was entered or changed.
    pub(super) goal: Option<Goal>,
    /// The goal that was removed.
    pub(super) removed: Option<EventId>,
    /// Whose roster has changed, and the new team.
    pub(super) player: Option<(PlayerRef, Option<TeamId>)>,
    pub(super) audit: Option<Audit>,
    /// Writes and conditions besides those that follow from the items.
    pub(super) changes: Changes<'d>,
}

pub(super) struct Audit {
    action: AuditAction,
    event_id: Option<EventId>,
    /// Payloads before and after; those of the whole game by default.
    payloads: Option<[Option<Value>; 2]>,
}

impl Audit {
    pub(super) fn new<T: Serialize>(
        action: AuditAction,
        before: Option<&T>,
        after: Option<&T>,
    ) -> Self {
        let payloads = Some([before, after].map(|one| one.map(|one| json!(one))));
        Self { action, event_id: None, payloads }
    }

    pub(super) fn of_game(action: AuditAction) -> Self {
        Self { action, event_id: None, payloads: None }
    }

    pub(super) fn of_goal(
        action: AuditAction,
        before: Option<&Goal>,
        after: Option<&Goal>,
    ) -> Self {
        let event_id = before.or(after).map(|goal| goal.event_id.clone());
        Self { event_id, ..Self::new(action, before, after) }
    }
}

impl OpenGame {
    pub(super) fn game(&self) -> &Game {
        &self.before.game
    }

    /// Refuses changes of an abandoned game, and of a finished one by anybody but an admin.
    pub(super) fn require_open_or_admin(&self) -> Result<()> {
        match self.is_finished() && self.scope.is_admin() {
            true => Ok(()),
            false => self.require_open(),
        }
    }

    /// Refuses changes of a game that is over.
    pub(super) fn require_open(&self) -> Result<()> {
        match self.game().status {
            GameStatus::Abandoned => Err(Error::GameAbandoned),
            GameStatus::Finished => Err(Error::GameFinished),
            _ => Ok(()),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.game().status == GameStatus::Finished
    }

    pub(super) fn roster_teams(&self) -> RosterTeams {
        let entries = self.before.roster.iter();
        entries.map(|entry| (entry.player_id.clone(), entry.team_id.clone())).collect()
    }

    /// The version that the change gives the game and its items.
    pub(super) fn version(&self) -> Timestamp {
        next_version(self.game().updated_at, self.now)
    }

    /// The game as it is, for a change that changes nothing.
    pub(super) fn unchanged(&self) -> GameView {
        self.context.view(&self.before, self.scope.role(), self.now)
    }
}

impl Service {
    /// A game that the caller is about to change, and the marker of a goal in it.
    ///
    /// The game is read before and with its other items. If both reads show one version, no write
    /// came between the items; and the version guards every decision by them.
    pub(super) async fn open_game(
        &self,
        caller: &Caller,
        id: &GameId,
        need: Need,
        event_id: Option<&EventId>,
    ) -> Result<OpenGame> {
        let mut keys = Keys::new();
        keys.add(Game::key(id))?;
        if let Some(event_id) = event_id {
            keys.add(GoalMarker::key(id, event_id))?;
        }
        let (mut version, mut marker) = (None, None);
        for item in self.db.get_all(keys.consistent()).await? {
            match item {
                ThreeFcItem::Game(game) => version = Some(game.updated_at),
                ThreeFcItem::GoalMarker(found) => marker = Some(found),
                _ => {}
            }
        }
        let before = self.db.load(GameItems::of(id).consistent()).await?;
        let before = before.ok_or(Error::GameNotFound)?;
        let (context, scope) = self.context_of(&before, Some(caller)).await?;
        scope.require(need)?;
        match version == Some(before.game.updated_at) {
            true => Ok(OpenGame { scope, before, context, marker, now: self.db.now() }),
            false => Err(Error::changed()),
        }
    }

    pub(super) fn edit(&self, open: &OpenGame, kind: EventKind, items: GameItems) -> Edit<'_> {
        Edit {
            items,
            kind,
            goal: None,
            removed: None,
            player: None,
            audit: None,
            changes: Changes::as_of(&self.db, open.now),
        }
    }

    /// Writes a change of a game: all of it, or nothing. Returns the game as it was written.
    ///
    /// Markers and audit records are never deleted, and each has its own change. So the number of
    /// changes limits them.
    pub(super) async fn commit(&self, open: &OpenGame, edit: Edit<'_>) -> Result<GameView> {
        let before = &open.before;
        let Edit { items: mut after, kind, goal, removed, player, audit, mut changes } = edit;
        let ends_game = matches!(kind, EventKind::GameFinished | EventKind::GameAbandoned);
        if before.game.sequence >= CHANGES_MAX && !ends_game {
            return Err(Error::TooManyChanges);
        }
        after.goals.sort_by_key(|goal| (goal.third, goal.game_minute, goal.event_id.clone()));
        after.roster.sort_by_key(|entry| (entry.team_id.clone(), entry.player_id.clone()));
        let game = &mut after.game;
        game.score = score_of(&game.team_ids, &after.goals);
        game.goals = after.goals.len() as u32;
        game.result = (game.status == GameStatus::Finished).then(|| result_of(&game.score));
        game.sequence = before.game.sequence.saturating_add(1);
        let (player, team_id) = player.unzip();
        game.last_event = Message {
            goal: goal.map(|goal| goal_view(&goal, game.third_length_minutes, &open.context.names)),
            event_id: removed,
            player,
            team_id: team_id.flatten(),
            ..Message::new(kind, game, open.now)
        };
        let version = open.version();
        changes.rewrite(&after.game);
        changes.replace(&[before.game.link()], &[after.game.link()], version);
        changes.replace(&before.goals, &after.goals, version);
        changes.replace(&before.roster, &after.roster, version);
        let counted = |items: &GameItems| tally(&items.game, &items.goals, &items.roster);
        let change = counted(&after).since(&counted(before));
        if !self.count(&mut changes, &after.game.season_id, &change, open.now).await? {
            return Err(self.drifted(&before.game).await?);
        }
        if let Some(Audit { action, event_id, payloads }) = audit {
            let actor = open.scope.actor()?;
            let games = || [&before.game, &after.game].map(|game| Some(json!(game)));
            let [before, after_change] = payloads.unwrap_or_else(games);
            let record = AuditRecord {
                game_id: after.game.game_id.clone(),
                sequence: after.game.sequence,
                at: open.now,
                by_user_id: actor.user_id.clone(),
                by_name: actor.display_name.clone(),
                action,
                event_id,
                before,
                after: after_change,
                created_at: open.now,
                updated_at: open.now,
            };
            changes.create(&record, Error::changed());
        }
        changes.run().await?;
        Ok(open.context.view(&after, open.scope.role(), self.db.now()))
    }

    /// Why a count would be negative: the game has changed since it was read, or the tables have
    /// drifted from the games.
    async fn drifted(&self, seen: &Game) -> Result<Error> {
        let game = self.db.get(Game::key(&seen.game_id).consistent()).await?;
        if game.is_none_or(|game| game.updated_at != seen.updated_at) {
            return Ok(Error::changed());
        }
        tracing::error!(game = %seen.game_id, "a standing or statistic would be negative");
        Ok(Problem::new(&INTERNAL).into())
    }

    /// Adds what a game counts to the standings and statistics of its season. Returns false if a
    /// count would be negative.
    ///
    /// A row of zeros is deleted, and any game may create it again. Its new version must not be one
    /// that it had before, even when the clock stands still: another request may have read the first
    /// row and be about to rewrite it. So a deletion gives the season a later version than the row
    /// had, and a creation takes a version that is not before the season's.
    async fn count(
        &self,
        changes: &mut Changes<'_>,
        season_id: &SeasonId,
        change: &Tally,
        now: Timestamp,
    ) -> Result<bool> {
        if change.teams.is_empty() && change.players.is_empty() {
            return Ok(true);
        }
        let mut keys = Keys::new();
        keys.add(SeasonMirror::key(season_id))?;
        for team in change.teams.keys() {
            keys.add(Standing::key(season_id, team))?;
        }
        for player in change.players.keys() {
            keys.add(Statistic::key(season_id, player))?;
        }
        let mut season = None;
        let (mut standings, mut statistics) = (HashMap::new(), HashMap::new());
        for item in self.db.get_all(keys.consistent()).await? {
            match item {
                ThreeFcItem::SeasonMirror(found) => season = Some(found),
                ThreeFcItem::Standing(row) => drop(standings.insert(row.team_id.clone(), row)),
                ThreeFcItem::Statistic(row) => drop(statistics.insert(row.player_id.clone(), row)),
                _ => {}
            }
        }
        let mut rows = SeasonRows::new(season.ok_or_else(Error::changed)?, now);
        for (team, tally) in &change.teams {
            let stored = standings.remove(team);
            let is_new = stored.is_none();
            let row = stored.unwrap_or_else(|| TeamTally::new_row(season_id, team, now));
            let Some(row) = tally.added_to(row) else { return Ok(false) };
            rows.write(changes, &row, is_new, TeamTally::is_zero(&row));
        }
        for (player, tally) in &change.players {
            let stored = statistics.remove(player);
            let is_new = stored.is_none();
            let row = stored.unwrap_or_else(|| PlayerTally::new_row(season_id, player, now));
            let Some(row) = tally.added_to(row) else { return Ok(false) };
            rows.write(changes, &row, is_new, PlayerTally::is_zero(&row));
        }
        rows.guard(changes);
        Ok(true)
    }
}

/// The rows of a season's tables that are written, and the season that guards their versions.
struct SeasonRows {
    season: SeasonMirror,
    /// The version of rows that are created.
    created: Timestamp,
    has_created: bool,
    /// The latest version of rows that are deleted.
    deleted: Option<Timestamp>,
}

impl SeasonRows {
    fn new(season: SeasonMirror, now: Timestamp) -> Self {
        let created = now.max(season.updated_at);
        Self { season, created, has_created: false, deleted: None }
    }

    /// Writes a row. A row of zeros is not stored.
    fn write<E: Stamped>(
        &mut self,
        changes: &mut Changes<'_>,
        row: &E,
        is_new: bool,
        is_zero: bool,
    ) {
        match (is_new, is_zero) {
            (true, true) => {}
            (true, false) => {
                changes.create_at(row, self.created, Error::changed());
                self.has_created = true;
            }
            (false, true) => {
                changes.delete(row);
                self.deleted = self.deleted.max(Some(row.updated_at()));
            }
            (false, false) => changes.rewrite(row),
        }
    }

    /// Writes the season after rows were deleted, or checks it if some were created.
    fn guard(self, changes: &mut Changes<'_>) {
        match self.deleted {
            Some(deleted) => changes.rewrite_after(&self.season, deleted),
            None if self.has_created => changes.check(&self.season),
            None => {}
        }
    }
}
