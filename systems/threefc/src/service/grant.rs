//! Roles in a league.

use super::access::user_id;
use super::changes::Changes;
use super::input::GrantRole;
use super::user::leave_league;
use super::{ADMIN, Service};
use crate::design::{GRANTS_MAX, Grant, GrantMirror, Invitation, League, LeagueId, Role, UserId};
use crate::error::{ApiError as _, Error, Result};
use singlet_web::identity::Caller;

/// Counts the admins of a league in which a role changes.
pub(super) fn count_admins(league: &mut League, before: Option<Role>, after: Option<Role>) {
    league.admins += u32::from(after == Some(Role::Admin));
    league.admins = league.admins.saturating_sub(u32::from(before == Some(Role::Admin)));
}

/// Counts a new grant, if there is room for it.
pub(super) fn count_grant(league: &mut League, role: Role) -> Result<()> {
    if league.grants >= GRANTS_MAX {
        return Err(Error::limit(GRANTS_MAX, "people with a role in a league"));
    }
    league.grants += 1;
    count_admins(league, None, Some(role));
    Ok(())
}

fn is_last_admin(league: &League, grant: &Grant) -> bool {
    grant.role == Role::Admin && league.admins <= 1
}

impl Service {
    /// Withdraws the invitations of a person who is no longer an admin: they know the codes.
    async fn withdraw_invites(
        &self,
        changes: &mut Changes<'_>,
        league: &mut League,
        before: &Grant,
    ) -> Result<()> {
        if before.role != Role::Admin {
            return Ok(());
        }
        let invites = self.db.query(Invitation::of_league(&league.league_id).consistent());
        let invites = invites.all().await?;
        for invite in invites.iter().filter(|one| one.created_by_user_id == before.user_id) {
            changes.delete(invite);
            league.invites = league.invites.saturating_sub(1);
        }
        Ok(())
    }

    /// 30: grantRole. Also returns whether the grant is new. A new one is for people who have a role
    /// in some league; others are invited.
    pub async fn grant_role(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        user: &UserId,
        new: &GrantRole,
    ) -> Result<(Grant, bool)> {
        self.attempt(async |_| {
            let mut league = self.league_for(Some(caller), league_id, ADMIN).await?.league;
            let name = new.display_name.clone().map(String::from);
            let before = self.db.get(Grant::key(league_id, user).consistent()).await?;
            let mut changes = Changes::new(&self.db);
            let Some(before) = before else {
                let name = name.ok_or_else(|| Error::invalid("/displayName", "is missing"))?;
                count_grant(&mut league, new.role)?;
                let now = self.db.now();
                let grant = Grant {
                    league_id: league_id.clone(),
                    user_id: user.clone(),
                    role: new.role,
                    display_name: name,
                    granted_by_user_id: user_id(caller)?,
                    created_at: now,
                    updated_at: now,
                };
                changes.rewrite(&league);
                changes.create(&grant, Error::changed());
                changes.create(&GrantMirror::from(grant.clone()), Error::changed());
                self.add_to_league(&mut changes, user).await?;
                changes.run().await?;
                return Ok((grant, true));
            };
            let mut grant = before.clone();
            grant.role = new.role;
            grant.display_name = name.unwrap_or(grant.display_name);
            if grant == before {
                return Ok((grant, false));
            }
            if grant.role != Role::Admin {
                if is_last_admin(&league, &before) {
                    return Err(Error::LastAdmin);
                }
                self.withdraw_invites(&mut changes, &mut league, &before).await?;
            }
            grant.granted_by_user_id = user_id(caller)?;
            count_admins(&mut league, Some(before.role), Some(grant.role));
            changes.rewrite(&league);
            changes.rewrite_both(&grant, &GrantMirror::from(grant.clone()));
            changes.run().await?;
            Ok((grant, false))
        })
        .await
    }

    /// 30: revokeRole: of others as an admin, of oneself always.
    pub async fn revoke_role(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        user: &UserId,
    ) -> Result<()> {
        self.attempt(async |_| {
            let mut league = self.league_of_user(caller, league_id, user).await?.league;
            let grant = self.db.get(Grant::key(league_id, user).consistent()).await?;
            let grant = grant.ok_or(Error::GrantNotFound)?;
            if is_last_admin(&league, &grant) {
                return Err(Error::LastAdmin);
            }
            league.grants = league.grants.saturating_sub(1);
            count_admins(&mut league, Some(grant.role), None);
            let mut changes = Changes::new(&self.db);
            self.withdraw_invites(&mut changes, &mut league, &grant).await?;
            changes.rewrite(&league);
            changes.delete(&grant);
            changes.delete_guarded(&GrantMirror::from(grant));
            if let Some(user) = self.user(user).await? {
                leave_league(&mut changes, user);
            }
            changes.run().await
        })
        .await
    }

    /// 30: listGrants, by user id.
    pub async fn grants(&self, caller: &Caller, league_id: &LeagueId) -> Result<Vec<Grant>> {
        self.league_for(Some(caller), league_id, ADMIN).await?;
        Ok(self.db.query(Grant::of_league(league_id).consistent()).all().await?)
    }
}
