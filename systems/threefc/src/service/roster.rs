//! Rosters: who plays for whom in one game.

use super::game_change::Audit;
use super::{SCOREKEEPER, Service};
use crate::design::*;
use crate::error::{Error, Result};
use crate::view::{GameView, name_of};
use serde_json::json;
use singlet_web::identity::Caller;

impl Service {
    /// 26: assignRoster. A player plays for one team at a time; goals stay with the team for which
    /// they were scored.
    pub async fn assign_roster(
        &self,
        caller: &Caller,
        id: &GameId,
        player_id: &PlayerId,
        team_id: &TeamId,
    ) -> Result<GameView> {
        self.attempt(async |_| {
            let mut open = self.open_game(caller, id, SCOREKEEPER, None).await?;
            open.require_open_or_admin()?;
            if !open.game().team_ids.contains(team_id) {
                return Err(Error::TeamNotInGame);
            }
            let before = open.roster_teams().remove(player_id);
            if before.as_ref() == Some(team_id) {
                return Ok(open.unchanged());
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
            let name = PlayerRef::from(&player);
            open.context.names.insert(player_id.clone(), name.clone());
            let mut items = open.before.clone();
            items.roster.retain(|entry| entry.player_id != *player_id);
            items.roster.push(RosterEntry {
                game_id: id.clone(),
                team_id: team_id.clone(),
                player_id: player_id.clone(),
                created_at: open.now,
                updated_at: open.now,
            });
            let mut edit = self.edit(&open, EventKind::RosterChanged, items);
            edit.player = Some((name, Some(team_id.clone())));
            let audit = || audit(player_id, before.as_ref(), Some(team_id));
            edit.audit = open.is_finished().then(audit);
            edit.changes.check(&player);
            self.commit(&open, edit).await
        })
        .await
    }

    /// 26: removeRoster.
    pub async fn remove_roster(
        &self,
        caller: &Caller,
        id: &GameId,
        player_id: &PlayerId,
    ) -> Result<GameView> {
        self.attempt(async |_| {
            let open = self.open_game(caller, id, SCOREKEEPER, None).await?;
            open.require_open_or_admin()?;
            let before = open.roster_teams().remove(player_id).ok_or(Error::PlayerNotFound)?;
            if open.before.goals.iter().flat_map(Goal::players).any(|one| one == player_id) {
                return Err(Error::PlayerHasGoals);
            }
            let mut items = open.before.clone();
            items.roster.retain(|entry| entry.player_id != *player_id);
            let mut edit = self.edit(&open, EventKind::RosterChanged, items);
            edit.player = Some((name_of(&open.context.names, player_id), None));
            edit.audit = open.is_finished().then(|| audit(player_id, Some(&before), None));
            self.commit(&open, edit).await
        })
        .await
    }
}

/// Who played for whom before and after.
fn audit(player: &PlayerId, before: Option<&TeamId>, after: Option<&TeamId>) -> Audit {
    let payload = |team: &TeamId| json!({"playerId": player, "teamId": team});
    let (before, after) = (before.map(payload), after.map(payload));
    Audit::new(AuditAction::RosterChanged, before.as_ref(), after.as_ref())
}
