//! Invitations: an admin does not know user ids, so people bring a code.

use super::access::user_id;
use super::changes::Changes;
use super::grant::count_admins;
use super::input::{AcceptInvite, NewInvite};
use super::{ATTEMPTS_MAX, Service};
use crate::design::{
    GRANTS_MAX, Grant, GrantMirror, INVITES_MAX, Invitation, InviteHash, League, LeagueId, Role,
};
use crate::error::Error;
use crate::text::{base32, parse_text, sha256_hex};
use crate::view::{InvitePreview, NewInviteView};
use singlet_web::identity::Caller;
use std::time::Duration;

/// How long an invitation can be accepted.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// The hash of a code as somebody types it.
fn hash_of(code: &str) -> Result<InviteHash, Error> {
    let code = code.trim().to_ascii_uppercase();
    InviteHash::new(sha256_hex(&code)).map_err(|_| Error::InviteNotFound)
}

impl Service {
    /// 31: invite. The code is answered once, and stored nowhere.
    ///
    /// # Errors
    ///
    /// [`Error::LimitReached`].
    pub async fn invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewInvite,
    ) -> Result<NewInviteView, Error> {
        let code = base32(self.random.bytes()?);
        let invite = Invitation {
            league_id: league_id.clone(),
            hash: hash_of(&code)?,
            role: new.role,
            created_by_user_id: user_id(caller)?,
            expires_at: self.db.now().after(LIFETIME),
            created_at: self.db.now(),
            updated_at: self.db.now(),
        };
        let work = |_| self.try_invite(caller, &invite);
        self.db.attempt(work).times(ATTEMPTS_MAX).await?;
        let Invitation { hash, role, expires_at, .. } = invite;
        Ok(NewInviteView { code, hash, role, expires_at })
    }

    async fn try_invite(&self, caller: &Caller, invite: &Invitation) -> Result<(), Error> {
        let scope = self.league_scope(&invite.league_id, caller, Role::Admin).await?;
        let mut league = scope.league;
        let stored = self.db.query(Invitation::of_league(&invite.league_id).consistent());
        let stored = stored.all().await?;
        let (expired, open): (Vec<_>, Vec<_>) =
            stored.into_iter().partition(|one| one.expires_at <= self.db.now());
        let open = open.len() as u32;
        if open >= INVITES_MAX {
            return Err(Error::limit(INVITES_MAX, "open invitations to a league"));
        }
        league.invites = open + 1;
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&league);
        // Those that nobody can accept any more make room.
        for old in &expired {
            changes.delete_guarded(old);
        }
        changes.create(invite, Error::changed());
        changes.run().await
    }

    /// 31: listInvites: those that can still be accepted.
    ///
    /// # Errors
    ///
    /// [`Error::LeagueNotFound`].
    pub async fn invites(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
    ) -> Result<Vec<Invitation>, Error> {
        self.league_scope(league_id, caller, Role::Admin).await?;
        let mut invites =
            self.db.query(Invitation::of_league(league_id).consistent()).all().await?;
        let now = self.db.now();
        invites.retain(|invite| invite.expires_at > now);
        Ok(invites)
    }

    /// 31: deleteInvite.
    ///
    /// # Errors
    ///
    /// [`Error::InviteNotFound`].
    pub async fn delete_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        hash: &InviteHash,
    ) -> Result<(), Error> {
        let work = |_| self.try_delete_invite(caller, league_id, hash);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_delete_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        hash: &InviteHash,
    ) -> Result<(), Error> {
        let scope = self.league_scope(league_id, caller, Role::Admin).await?;
        let invite = self.db.get(Invitation::key(league_id, hash).consistent()).await?;
        let invite = invite.ok_or(Error::InviteNotFound)?;
        let mut league = scope.league;
        league.invites = league.invites.saturating_sub(1);
        let mut changes = Changes::new(&self.db);
        changes.rewrite(&league);
        changes.delete(&invite);
        changes.run().await
    }

    /// The league and the open invitation with this code.
    async fn open_invite(
        &self,
        league_id: &LeagueId,
        code: &str,
    ) -> Result<(League, Invitation), Error> {
        let key = Invitation::key(league_id, &hash_of(code)?);
        let invite = self.db.get(key.consistent()).await?;
        let invite = invite.filter(|invite| invite.expires_at > self.db.now());
        let invite = invite.ok_or(Error::InviteNotFound)?;
        let league = self.db.get(League::key(league_id).consistent()).await?;
        Ok((league.ok_or(Error::InviteNotFound)?, invite))
    }

    /// 32: previewInvite, for signed-in people who have the code, also of a private league.
    ///
    /// # Errors
    ///
    /// [`Error::InviteNotFound`].
    pub async fn preview_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        code: &str,
    ) -> Result<InvitePreview, Error> {
        user_id(caller)?;
        let (league, invite) = self.open_invite(league_id, code).await?;
        Ok(InvitePreview { league_id: league.league_id, name: league.name, role: invite.role })
    }

    /// 32: acceptInvite. Whoever has a greater role keeps it.
    ///
    /// # Errors
    ///
    /// [`Error::InviteNotFound`], [`Error::LimitReached`].
    pub async fn accept_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        accept: &AcceptInvite,
    ) -> Result<Grant, Error> {
        let name = parse_text("/displayName", &accept.display_name, 1..=40)?;
        let work = |_| self.try_accept_invite(caller, league_id, &accept.code, &name);
        self.db.attempt(work).times(ATTEMPTS_MAX).await
    }

    async fn try_accept_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        code: &str,
        name: &str,
    ) -> Result<Grant, Error> {
        let (mut league, invite) = self.open_invite(league_id, code).await?;
        let user_id = user_id(caller)?;
        let before = self.db.get(Grant::key(league_id, &user_id).consistent()).await?;
        league.invites = league.invites.saturating_sub(1);
        let mut changes = Changes::new(&self.db);
        let grant = match before {
            Some(before) => {
                let role = before.role.max(invite.role);
                count_admins(&mut league, Some(before.role), Some(role));
                let granted_by_user_id = match role > before.role {
                    true => invite.created_by_user_id.clone(),
                    false => before.granted_by_user_id.clone(),
                };
                let display_name = name.to_owned();
                let grant = Grant { role, display_name, granted_by_user_id, ..before };
                changes.rewrite(&league);
                changes.delete(&invite);
                self.rewrite_grant(&mut changes, &grant).await?;
                grant
            }
            None => {
                if league.grants >= GRANTS_MAX {
                    return Err(Error::limit(GRANTS_MAX, "people with a role in a league"));
                }
                league.grants += 1;
                count_admins(&mut league, None, Some(invite.role));
                self.join_league(&mut changes, &user_id).await?;
                let now = self.db.now();
                let grant = Grant {
                    league_id: league_id.clone(),
                    user_id,
                    role: invite.role,
                    display_name: name.to_owned(),
                    granted_by_user_id: invite.created_by_user_id.clone(),
                    created_at: now,
                    updated_at: now,
                };
                changes.rewrite(&league);
                changes.delete(&invite);
                changes.create(&grant, Error::changed());
                changes.create(&GrantMirror::from(grant.clone()), Error::changed());
                grant
            }
        };
        changes.run().await?;
        Ok(grant)
    }
}
