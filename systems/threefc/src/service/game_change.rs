//! Changing a game: one transaction that writes what differs.
//!
//! Every change rewrites the game under its version, so all changes of a game have one order. What
//! else belongs to it (link, goals, markers, rosters, audit) follows from comparing the game before
//! and after; so do the standings and statistics, if the game counts before or after.

use super::changes::Changes;
use super::read_game::players_of;
use super::{OpenGame, Service};
use crate::design::{
    AuditAction, AuditRecord, CHANGES_MAX, EventId, Game, GameId, GameItems, GameStatus, Goal,
    GoalMarker, Player, PlayerId, Role, RosterEntry, SeasonId, SeasonMirror, SessionMirror,
    Stamped, Standing, Statistic, Team, TeamId, next_version,
};
use crate::error::Error;
use crate::rules::{PlayerTally, RosterTeams, Tally, TeamTally, result_of, score_of, tally};
use crate::view::{EventKind, GoalView, Message, PlayerRef};
use serde_json::{Value, json};
use singlet::prelude::*;
use singlet_web::identity::Caller;
use singlet_web::problem::{INTERNAL, Problem};
use std::collections::HashMap;

/// The outcome of a change of a game: the new items, the message and the audit record.
pub(super) struct Edit {
    pub(super) items: GameItems,
    pub(super) kind: EventKind,
    /// The goal that was entered or changed.
    pub(super) goal: Option<Goal>,
    /// The goal that was removed.
    pub(super) removed: Option<EventId>,
    /// Whose roster has changed, and the team from now on.
    pub(super) player: Option<(PlayerRef, Option<TeamId>)>,
    pub(super) marker: MarkerChange,
    pub(super) audit: Option<Audit>,
    /// Sessions that gain or lose the game.
    pub(super) sessions: Vec<SessionMirror>,
    /// Teams by which the change was decided: nobody may have written them since.
    pub(super) seen_teams: Vec<Team>,
    /// The same for a player.
    pub(super) seen_player: Option<Player>,
}

/// What happens to the marker of a goal.
pub(super) enum MarkerChange {
    None,
    Create(GoalMarker),
    Rewrite(GoalMarker),
}

/// What an audit record says.
pub(super) struct Audit {
    pub(super) action: AuditAction,
    pub(super) event_id: Option<EventId>,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
}

impl Audit {
    pub(super) fn new(action: AuditAction, before: Option<Value>, after: Option<Value>) -> Self {
        Self { action, event_id: None, before, after }
    }
}

impl Edit {
    pub(super) fn new(kind: EventKind, items: GameItems) -> Self {
        Self {
            items,
            kind,
            goal: None,
            removed: None,
            player: None,
            marker: MarkerChange::None,
            audit: None,
            sessions: Vec::new(),
            seen_teams: Vec::new(),
            seen_player: None,
        }
    }

    pub(super) fn audit(self, audit: Audit) -> Self {
        Self { audit: Some(audit), ..self }
    }
}

impl OpenGame {
    /// Refuses what cannot be done to an abandoned game, and to a finished one by anybody but an
    /// admin.
    pub(super) fn require_open_or_admin(&self) -> Result<(), Error> {
        match self.game().status {
            GameStatus::Abandoned => Err(Error::GameAbandoned),
            GameStatus::Finished if !self.scope.is_admin() => Err(Error::GameFinished),
            _ => Ok(()),
        }
    }

    /// Refuses what cannot be done to a game that is over.
    pub(super) fn require_open(&self) -> Result<(), Error> {
        match self.game().status {
            GameStatus::Abandoned => Err(Error::GameAbandoned),
            GameStatus::Finished => Err(Error::GameFinished),
            _ => Ok(()),
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.game().status == GameStatus::Finished
    }

    /// The team of every player on a roster.
    pub(super) fn roster_teams(&self) -> RosterTeams {
        let entries = self.before.roster.iter();
        entries.map(|entry| (entry.player_id.clone(), entry.team_id.clone())).collect()
    }
}

impl Service {
    /// A game that the caller is about to change, with this role.
    ///
    /// The game is read before and with its other items. If both reads show one version, no write
    /// came between the items; and the version guards everything that is decided by them.
    pub(super) async fn open_game(
        &self,
        caller: &Caller,
        id: &GameId,
        role: Role,
    ) -> Result<OpenGame, Error> {
        let game = self.db.get(Game::key(id).consistent()).await?.ok_or(Error::GameNotFound)?;
        let scope = self.scope(&game.league_id, Some(caller), || Error::GameNotFound).await?;
        scope.require(role)?;
        let before = self.db.load(GameItems::of(id).consistent()).await?;
        let before = before.ok_or(Error::GameNotFound)?;
        if before.game.updated_at != game.updated_at {
            return Err(Error::changed());
        }
        Ok(OpenGame { scope, before, now: self.db.now() })
    }

    /// Writes a change of a game: all of it, or nothing.
    ///
    /// Markers and audit records are never deleted, and each has a change of its own. So the number
    /// of changes limits them.
    pub(super) async fn commit(&self, open: &OpenGame, edit: Edit) -> Result<(), Error> {
        let before = &open.before;
        let Edit {
            items: mut after,
            kind,
            goal,
            removed,
            player,
            marker,
            audit,
            sessions,
            seen_teams,
            seen_player,
        } = edit;
        let ends_game = matches!(kind, EventKind::GameFinished | EventKind::GameAbandoned);
        if before.game.sequence >= CHANGES_MAX && !ends_game {
            return Err(Error::TooManyChanges);
        }
        let version = next_version(before.game.updated_at, open.now);
        let game = &mut after.game;
        game.score = score_of(&game.team_ids, &after.goals);
        game.goals = after.goals.len() as u32;
        game.result = (game.status == GameStatus::Finished).then(|| result_of(&game.score));
        game.sequence = before.game.sequence.saturating_add(1);
        let mut message = Message::new(kind, game, open.now);
        if let Some(goal) = &goal {
            let names = self.names(players_of(goal)).await?;
            message.goal = Some(GoalView::new(goal, game.third_length_minutes, &names));
        }
        message.event_id = removed;
        if let Some((player, team)) = player {
            (message.player, message.team_id) = (Some(player), team);
        }
        game.last_event = message;

        let mut changes = Changes::new(&self.db);
        changes.rewrite(&after.game);
        write_link(&mut changes, &before.game, &after.game, version);
        write_goals(&mut changes, &before.goals, &after.goals, version);
        write_roster(&mut changes, &before.roster, &after.roster, version);
        match &marker {
            MarkerChange::None => {}
            MarkerChange::Create(marker) => changes.create(marker, Error::changed()),
            MarkerChange::Rewrite(marker) => changes.rewrite_guarded(marker, version),
        }
        for session in &sessions {
            changes.rewrite(session);
        }
        for team in &seen_teams {
            changes.check(team);
        }
        if let Some(player) = &seen_player {
            changes.check(player);
        }
        let counted = |items: &GameItems| tally(&items.game, &items.goals, &items.roster);
        let change = counted(&after).since(&counted(before));
        if !self.count(&mut changes, &after.game.season_id, &change, open.now).await? {
            return Err(self.drifted(&before.game).await?);
        }
        if let Some(audit) = audit {
            let actor = open.scope.actor()?;
            let record = AuditRecord {
                game_id: after.game.game_id.clone(),
                sequence: after.game.sequence,
                at: open.now,
                by_user_id: actor.user_id.clone(),
                by_name: actor.display_name.clone(),
                action: audit.action,
                event_id: audit.event_id,
                before: audit.before,
                after: audit.after,
                created_at: open.now,
                updated_at: open.now,
            };
            changes.create(&record, Error::changed());
        }
        changes.run().await
    }

    /// Why a count would be below zero: the game has changed since it was read, or the tables have
    /// drifted from the games.
    async fn drifted(&self, seen: &Game) -> Result<Error, Error> {
        let game = self.db.get(Game::key(&seen.game_id).consistent()).await?;
        if game.is_none_or(|game| game.updated_at != seen.updated_at) {
            return Ok(Error::changed());
        }
        tracing::error!(game = %seen.game_id, "a standing or statistic would be negative");
        Ok(Problem::new(&INTERNAL).into())
    }

    /// Adds what a game counts to the standings and statistics of its season. Returns false if a
    /// count would be below zero.
    ///
    /// A row of zeros is deleted, and may be created again by any game. Its new version must not be
    /// one that it had before, even when the clock stands still: somebody may have read the first row
    /// and be about to rewrite it. So a deletion gives the season a later version than the row had,
    /// and a creation takes a version that is not before the season's.
    async fn count(
        &self,
        changes: &mut Changes<'_>,
        season_id: &SeasonId,
        change: &Tally,
        now: Timestamp,
    ) -> Result<bool, Error> {
        if change.teams.is_empty() && change.players.is_empty() {
            return Ok(true);
        }
        let season = self.db.get(SeasonMirror::key(season_id).consistent()).await?;
        let mut rows = SeasonRows::new(season.ok_or_else(Error::changed)?, now);
        let keys = change.teams.keys().map(|team| Standing::key(season_id, team).consistent());
        let stored: Vec<Option<Standing>> = self.db.get_many(keys).await?;
        for ((team_id, tally), stored) in change.teams.iter().zip(stored) {
            let is_new = stored.is_none();
            let row = stored.unwrap_or_else(|| Standing {
                season_id: season_id.clone(),
                team_id: team_id.clone(),
                played: 0,
                wins: 0,
                draws: 0,
                losses: 0,
                conceded: 0,
                scored: 0,
                created_at: now,
                updated_at: now,
            });
            let Some(row) = with_team_tally(row, tally) else { return Ok(false) };
            let is_zero = (row.played, row.conceded, row.scored) == (0, 0, 0);
            rows.write(changes, &row, is_new, is_zero);
        }
        let keys = change.players.keys().map(|one| Statistic::key(season_id, one).consistent());
        let stored: Vec<Option<Statistic>> = self.db.get_many(keys).await?;
        for ((player_id, tally), stored) in change.players.iter().zip(stored) {
            let is_new = stored.is_none();
            let row = stored.unwrap_or_else(|| Statistic {
                season_id: season_id.clone(),
                player_id: player_id.clone(),
                games: 0,
                goals: 0,
                own_goals: 0,
                assists: 0,
                created_at: now,
                updated_at: now,
            });
            let Some(row) = with_player_tally(row, tally) else { return Ok(false) };
            let is_zero = (row.games, row.goals, row.own_goals, row.assists) == (0, 0, 0, 0);
            rows.write(changes, &row, is_new, is_zero);
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

/// A count after a change; `None` if it would be below zero.
fn counted(stored: u32, change: i64) -> Option<u32> {
    u32::try_from(i64::from(stored) + change).ok()
}

fn with_team_tally(row: Standing, tally: &TeamTally) -> Option<Standing> {
    Some(Standing {
        played: counted(row.played, tally.played)?,
        wins: counted(row.wins, tally.wins)?,
        draws: counted(row.draws, tally.draws)?,
        losses: counted(row.losses, tally.losses)?,
        conceded: counted(row.conceded, tally.conceded)?,
        scored: counted(row.scored, tally.scored)?,
        ..row
    })
}

fn with_player_tally(row: Statistic, tally: &PlayerTally) -> Option<Statistic> {
    Some(Statistic {
        games: counted(row.games, tally.games)?,
        goals: counted(row.goals, tally.goals)?,
        own_goals: counted(row.own_goals, tally.own_goals)?,
        assists: counted(row.assists, tally.assists)?,
        ..row
    })
}

/// The link has the start in its key: a game that moves gets another one.
fn write_link(changes: &mut Changes<'_>, before: &Game, after: &Game, version: Timestamp) {
    let (old, new) = (before.link(), after.link());
    if old == new {
        return;
    }
    if (&old.session_id, old.game_start_ts) == (&new.session_id, new.game_start_ts) {
        changes.rewrite_guarded(&new, version);
    } else {
        changes.delete_guarded(&old);
        changes.create_guarded(&new, version);
    }
}

/// The goals have third and minute in their keys: a goal that moves gets another one.
fn write_goals(changes: &mut Changes<'_>, before: &[Goal], after: &[Goal], version: Timestamp) {
    fn key(goal: &Goal) -> (u8, u16, &EventId) {
        (goal.third, goal.game_minute, &goal.event_id)
    }
    fn by_key(goals: &[Goal]) -> HashMap<(u8, u16, &EventId), &Goal> {
        goals.iter().map(|goal| (key(goal), goal)).collect()
    }
    let (old, new) = (by_key(before), by_key(after));
    for goal in before.iter().filter(|goal| !new.contains_key(&key(goal))) {
        changes.delete_guarded(goal);
    }
    for goal in after {
        match old.get(&key(goal)) {
            None => changes.create_guarded(goal, version),
            Some(stored) if *stored != goal => changes.rewrite_guarded(goal, version),
            Some(_) => {}
        }
    }
}

fn write_roster(
    changes: &mut Changes<'_>,
    before: &[RosterEntry],
    after: &[RosterEntry],
    version: Timestamp,
) {
    let has = |entries: &[RosterEntry], one: &RosterEntry| {
        entries.iter().any(|entry| is_same(entry, &one.team_id, &one.player_id))
    };
    for old in before.iter().filter(|old| !has(after, old)) {
        changes.delete_guarded(old);
    }
    for new in after.iter().filter(|new| !has(before, new)) {
        changes.create_guarded(new, version);
    }
}

fn is_same(entry: &RosterEntry, team: &TeamId, player: &PlayerId) -> bool {
    entry.team_id == *team && entry.player_id == *player
}

/// A goal as audit records keep it: its whole payload.
pub(super) fn goal_payload(goal: &Goal) -> Value {
    json!({
        "gameId": goal.game_id,
        "eventId": goal.event_id,
        "third": goal.third,
        "gameMinute": goal.game_minute,
        "elapsedSeconds": goal.elapsed_seconds,
        "concedingTeamId": goal.conceding_team_id,
        "scoringTeamId": goal.scoring_team_id,
        "ownGoal": goal.own_goal,
        "scorerPlayerId": goal.scorer_player_id,
        "assistPlayerIds": goal.assist_player_ids,
        "entry": goal.entry,
        "enteredByUserId": goal.entered_by_user_id,
    })
}
