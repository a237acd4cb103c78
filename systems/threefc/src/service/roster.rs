//! Rosters: who plays for whom in one game.

use super::game_change::{Audit, Edit};
use super::read_game::players_of;
use super::{ATTEMPTS_MAX, Service};
use crate::design::{AuditAction, GameId, Player, PlayerId, ROSTER_MAX, Role, RosterEntry, TeamId};
use crate::error::Error;
use crate::view::{EventKind, GameView, PlayerRef};
use serde_json::json;
use singlet_web::identity::Caller;

impl Service {
    /// 26: assignRoster. A player plays for one team at a time; goals stay with the team for which
    /// they were scored.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`], [`Error::PlayerArchived`], [`Error::TeamNotInGame`],
    /// [`Error::RosterFull`].
    pub async fn assign_roster(
        &self,
        caller: &Caller,
        id: &GameId,
        player: &PlayerId,
        team: &TeamId,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_assign_roster(caller, id, player, team);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_assign_roster(
        &self,
        caller: &Caller,
        id: &GameId,
        player_id: &PlayerId,
        team_id: &TeamId,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        open.require_open_or_admin()?;
        if !open.game().team_ids.contains(team_id) {
            return Err(Error::TeamNotInGame);
        }
        let before = open.roster_teams().remove(player_id);
        if before.as_ref() == Some(team_id) {
            return Ok(());
        }
        let player = self.db.get(Player::key(player_id).consistent()).await?;
        let player = player.filter(|player| player.league_id == open.game().league_id);
        let player = player.ok_or(Error::PlayerNotFound)?;
        if player.archived {
            return Err(Error::PlayerArchived);
        }
        let of_team = open.before.roster.iter().filter(|entry| entry.team_id == *team_id);
        if of_team.count() >= ROSTER_MAX {
            return Err(Error::RosterFull);
        }
        let mut items = open.before.clone();
        items.roster.retain(|entry| entry.player_id != *player_id);
        items.roster.push(RosterEntry {
            game_id: id.clone(),
            team_id: team_id.clone(),
            player_id: player_id.clone(),
            created_at: open.now,
            updated_at: open.now,
        });
        let mut edit = Edit::new(EventKind::RosterChanged, items);
        edit.player = Some((PlayerRef::from(&player), Some(team_id.clone())));
        edit.audit = open.is_finished().then(|| audit(player_id, before.as_ref(), Some(team_id)));
        edit.seen_player = Some(player);
        self.commit(&open, edit).await
    }

    /// 26: removeRoster.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerNotFound`] for somebody who is on no roster; [`Error::PlayerHasGoals`].
    pub async fn remove_roster(
        &self,
        caller: &Caller,
        id: &GameId,
        player: &PlayerId,
    ) -> Result<GameView, Error> {
        let work = |_| self.try_remove_roster(caller, id, player);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        self.game(Some(caller), id).await
    }

    async fn try_remove_roster(
        &self,
        caller: &Caller,
        id: &GameId,
        player_id: &PlayerId,
    ) -> Result<(), Error> {
        let open = self.open_game(caller, id, Role::Scorekeeper).await?;
        open.require_open_or_admin()?;
        let before = open.roster_teams().remove(player_id).ok_or(Error::PlayerNotFound)?;
        if open.before.goals.iter().flat_map(players_of).any(|one| one == player_id) {
            return Err(Error::PlayerHasGoals);
        }
        let names = self.names([player_id]).await?;
        let mut items = open.before.clone();
        items.roster.retain(|entry| entry.player_id != *player_id);
        let mut edit = Edit::new(EventKind::RosterChanged, items);
        edit.player = Some((crate::view::name_of(&names, player_id), None));
        edit.audit = open.is_finished().then(|| audit(player_id, Some(&before), None));
        self.commit(&open, edit).await
    }
}

/// Who played for whom before and after.
fn audit(player: &PlayerId, before: Option<&TeamId>, after: Option<&TeamId>) -> Audit {
    let payload = |team: &TeamId| json!({"playerId": player, "teamId": team});
    Audit::new(AuditAction::RosterChanged, before.map(payload), after.map(payload))
}
