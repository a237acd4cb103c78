//! Who may do what in a league.

use super::access::user_id;
use super::changes::Changes;
use super::input::GrantRole;
use super::league::is_last_admin;
use super::user::leave_league;
use super::{ATTEMPTS_MAX, Service};
use crate::design::{GRANTS_MAX, Grant, GrantMirror, Invitation, League, LeagueId, Role, UserId};
use crate::error::Error;
use crate::text::parse_text;
use singlet_web::identity::Caller;

/// Counts admins of a league whose role changes.
pub(super) fn count_admins(league: &mut League, before: Option<Role>, after: Option<Role>) {
    league.admins += u32::from(after == Some(Role::Admin));
    league.admins = league.admins.saturating_sub(u32::from(before == Some(Role::Admin)));
}

impl Service {
    /// The same grant by user.
    pub(super) async fn mirror_of(&self, grant: &Grant) -> Result<GrantMirror, Error> {
        let key = GrantMirror::key(&grant.user_id, &grant.league_id);
        self.db.get(key.consistent()).await?.ok_or_else(Error::changed)
    }

    /// Adds the rewrite of a grant and its mirror.
    pub(super) async fn rewrite_grant(
        &self,
        changes: &mut Changes<'_>,
        grant: &Grant,
    ) -> Result<(), Error> {
        let mirror = self.mirror_of(grant).await?;
        changes.rewrite(grant);
        changes.rewrite(&GrantMirror {
            created_at: mirror.created_at,
            updated_at: mirror.updated_at,
            ..GrantMirror::from(grant.clone())
        });
        Ok(())
    }

    /// Withdraws the invitations of somebody who is admin no longer: they know the codes.
    async fn withdraw_invites(
        &self,
        changes: &mut Changes<'_>,
        league: &mut League,
        before: &Grant,
    ) -> Result<(), Error> {
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

    /// 30: grantRole. Also says whether the grant is new. A new one is for people who have a role
    /// in some league; others are invited. The invitations of somebody who is admin no longer are
    /// withdrawn.
    ///
    /// # Errors
    ///
    /// [`Error::UserNotFound`], [`Error::LastAdmin`], [`Error::LimitReached`].
    pub async fn grant_role(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        user: &UserId,
        new: &GrantRole,
    ) -> Result<(Grant, bool), Error> {
        let work = |_| self.try_grant_role(caller, league_id, user, new);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_grant_role(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        user: &UserId,
        new: &GrantRole,
    ) -> Result<(Grant, bool), Error> {
        let scope = self.league_scope(league_id, caller, Role::Admin).await?;
        let mut league = scope.league;
        let name = new.display_name.as_deref();
        let name = name.map(|name| parse_text("/displayName", name, 1..=40)).transpose()?;
        let before = self.db.get(Grant::key(league_id, user).consistent()).await?;
        let mut changes = Changes::new(&self.db);
        let Some(before) = before else {
            let name = name.ok_or_else(|| Error::invalid("/displayName", "is missing"))?;
            if league.grants >= GRANTS_MAX {
                return Err(Error::limit(GRANTS_MAX, "people with a role in a league"));
            }
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
            league.grants += 1;
            count_admins(&mut league, None, Some(new.role));
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
        self.rewrite_grant(&mut changes, &grant).await?;
        changes.run().await?;
        Ok((grant, false))
    }

    /// 30: revokeRole: of others as an admin, of oneself always. The invitations of an admin are
    /// withdrawn.
    ///
    /// # Errors
    ///
    /// [`Error::LastAdmin`], [`Error::GrantNotFound`].
    pub async fn revoke_role(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        user: &UserId,
    ) -> Result<(), Error> {
        self.db.attempt(|_| self.try_revoke_role(caller, league_id, user)).times(ATTEMPTS_MAX).await
    }

    async fn try_revoke_role(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        user: &UserId,
    ) -> Result<(), Error> {
        let scope = self.scope(league_id, Some(caller), || Error::LeagueNotFound).await?;
        scope.require_admin_or_self(user)?;
        let mut league = scope.league;
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
        changes.delete(&self.mirror_of(&grant).await?);
        if let Some(user) = self.user(user).await? {
            leave_league(&mut changes, user);
        }
        changes.run().await
    }

    /// 30: listGrants, by user id.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`].
    pub async fn grants(&self, caller: &Caller, league_id: &LeagueId) -> Result<Vec<Grant>, Error> {
        self.league_scope(league_id, caller, Role::Admin).await?;
        Ok(self.db.query(Grant::of_league(league_id).consistent()).all().await?)
    }
}
