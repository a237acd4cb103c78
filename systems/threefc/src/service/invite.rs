//! Invitations: an admin does not know user ids, so people bring a code.

use super::access::user_id;
use super::changes::Changes;
use super::grant::{count_admins, count_grant};
use super::input::{AcceptInvite, NewInvite};
use super::{ADMIN, Service};
use crate::design::{Grant, GrantMirror, INVITES_MAX, Invitation, InviteHash, League, LeagueId};
use crate::error::{ApiError as _, Error, Result};
use crate::text::sha256_hex;
use crate::view::{InvitePreview, NewInviteView};
use singlet_web::identity::Caller;
use std::time::Duration;

/// Crockford's alphabet, in which no two look alike: 26 of them have 130 bits.
const ALPHABET: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LEN: usize = 26;
/// How long an invitation can be accepted.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

fn hash_of(code: &str) -> Result<InviteHash> {
    let code = code.trim().to_ascii_uppercase();
    InviteHash::new(sha256_hex(&code)).map_err(|_| Error::InviteNotFound)
}

impl Service {
    /// 31: invite. The code is answered once, and stored nowhere.
    pub async fn invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        new: &NewInvite,
    ) -> Result<NewInviteView> {
        let code = self.random.code(ALPHABET, CODE_LEN)?;
        let now = self.db.now();
        let invite = Invitation {
            league_id: league_id.clone(),
            hash: hash_of(&code)?,
            role: new.role,
            created_by_user_id: user_id(caller)?,
            expires_at: now.after(LIFETIME),
            created_at: now,
            updated_at: now,
        };
        self.attempt(async |_| {
            let mut league = self.league_for(Some(caller), league_id, ADMIN).await?.league;
            let stored = self.db.query(Invitation::of_league(league_id).consistent()).all().await?;
            let (expired, open): (Vec<_>, Vec<_>) =
                stored.into_iter().partition(|one| one.expires_at <= self.db.now());
            let open = open.len() as u32;
            if open >= INVITES_MAX {
                return Err(Error::limit(INVITES_MAX, "open invitations to a league"));
            }
            league.invites = open + 1;
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&league);
            for old in &expired {
                changes.delete_guarded(old);
            }
            changes.create(&invite, Error::changed());
            changes.run().await
        })
        .await?;
        let Invitation { hash, role, expires_at, .. } = invite;
        Ok(NewInviteView { code, hash, role, expires_at })
    }

    /// 31: listInvites: those that can still be accepted.
    pub async fn invites(&self, caller: &Caller, league_id: &LeagueId) -> Result<Vec<Invitation>> {
        self.league_for(Some(caller), league_id, ADMIN).await?;
        let invites = self.db.query(Invitation::of_league(league_id).consistent());
        let mut invites = invites.all().await?;
        let now = self.db.now();
        invites.retain(|invite| invite.expires_at > now);
        Ok(invites)
    }

    /// 31: deleteInvite.
    pub async fn delete_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        hash: &InviteHash,
    ) -> Result<()> {
        self.attempt(async |_| {
            let mut league = self.league_for(Some(caller), league_id, ADMIN).await?.league;
            let invite = self.db.get(Invitation::key(league_id, hash).consistent()).await?;
            let invite = invite.ok_or(Error::InviteNotFound)?;
            league.invites = league.invites.saturating_sub(1);
            let mut changes = Changes::new(&self.db);
            changes.rewrite(&league);
            changes.delete(&invite);
            changes.run().await
        })
        .await
    }

    /// The league and the open invitation with this code.
    async fn open_invite(&self, league_id: &LeagueId, code: &str) -> Result<(League, Invitation)> {
        let key = Invitation::key(league_id, hash_of(code)?);
        let invite = self.db.get(key.consistent()).await?;
        let invite = invite.filter(|invite| invite.expires_at > self.db.now());
        let invite = invite.ok_or(Error::InviteNotFound)?;
        let league = self.db.get(League::key(league_id).consistent()).await?;
        Ok((league.ok_or(Error::InviteNotFound)?, invite))
    }

    /// 32: previewInvite, for signed-in people who have the code, also of a private league.
    pub async fn preview_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        code: &str,
    ) -> Result<InvitePreview> {
        user_id(caller)?;
        let (league, invite) = self.open_invite(league_id, code).await?;
        Ok(InvitePreview { league_id: league.league_id, name: league.name, role: invite.role })
    }

    /// 32: acceptInvite. A greater role than the invitation's is kept.
    pub async fn accept_invite(
        &self,
        caller: &Caller,
        league_id: &LeagueId,
        accept: &AcceptInvite,
    ) -> Result<Grant> {
        self.attempt(async |_| {
            let (mut league, invite) = self.open_invite(league_id, &accept.code).await?;
            let user_id = user_id(caller)?;
            let before = self.db.get(Grant::key(league_id, &user_id).consistent()).await?;
            league.invites = league.invites.saturating_sub(1);
            let mut changes = Changes::new(&self.db);
            changes.delete(&invite);
            let now = self.db.now();
            let granted = Grant {
                league_id: league_id.clone(),
                user_id,
                role: invite.role,
                display_name: accept.display_name.clone().into(),
                granted_by_user_id: invite.created_by_user_id,
                created_at: now,
                updated_at: now,
            };
            let grant = match before {
                Some(before) => {
                    let Grant { role, granted_by_user_id, .. } = match invite.role > before.role {
                        true => granted.clone(),
                        false => before.clone(),
                    };
                    count_admins(&mut league, Some(before.role), Some(role));
                    let display_name = granted.display_name;
                    let grant = Grant { role, display_name, granted_by_user_id, ..before };
                    changes.rewrite_both(&grant, &GrantMirror::from(grant.clone()));
                    grant
                }
                None => {
                    count_grant(&mut league, granted.role)?;
                    self.join_league(&mut changes, &granted.user_id).await?;
                    changes.create(&granted, Error::changed());
                    changes.create(&GrantMirror::from(granted.clone()), Error::changed());
                    granted
                }
            };
            changes.rewrite(&league);
            changes.run().await?;
            Ok(grant)
        })
        .await
    }
}
