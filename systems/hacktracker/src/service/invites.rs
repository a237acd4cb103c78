//! Invites: a link carries a code, and whoever has it may join.

use super::users::{OneMore, count_for_user, team_member_of};
use super::{Service, TeamAccess};
use crate::design::{
    Invite, InviteCode, MemberStatus, Membership, Player, PlayerId, PlayerStatus, Role, Team,
    TeamId, User, UserId,
};
use crate::error::Error;
use crate::input::NewInvite;
use crate::limits::{INVITES_MAX, MEMBERS_MAX};
use crate::service::members::{is_member, is_membership};
use crate::view::{InviteView, List, OpenInvite, TeamName, UserName, may_invite};
use singlet::prelude::*;
use singlet_web::identity::Caller;
use std::time::Duration;

/// How long an invite is open.
const INVITE_TIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Letters and digits that nobody confuses.
const ALPHABET: &str = "abcdefghjkmnpqrstuvwxyz23456789";
/// How many characters a code has.
const CODE_LEN: usize = 26;

impl Service {
    /// 10: makes an invite.
    ///
    /// # Errors
    ///
    /// [`Error::PlayerLinked`] if the named player is no ghost, [`Error::TooManyInvites`] if the team
    /// has as many as it may have.
    pub async fn invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &NewInvite,
    ) -> Result<InviteView, Error> {
        let work = async |_: &Db<_>| self.try_invite(caller, team_id, new).await;
        self.db.attempt(work).await
    }

    async fn try_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &NewInvite,
    ) -> Result<InviteView, Error> {
        let access = self.inviter_of(caller, team_id, new.role).await?;
        access.require_managed()?;
        if let Some(player_id) = &new.player_id {
            let player = self.db.get(Player::key(team_id, player_id).consistent()).await?;
            let unknown = || Error::invalid("/playerId", "must be on the roster");
            if !player.ok_or_else(unknown)?.is_ghost {
                return Err(Error::PlayerLinked);
            }
        }
        let open = self.db.query(Invite::invites_of(team_id).consistent()).count().await?;
        if open >= INVITES_MAX {
            return Err(Error::TooManyInvites);
        }
        let now = self.db.now();
        let code = self.random.code(ALPHABET, CODE_LEN)?;
        let invite = Invite {
            team_id: team_id.clone(),
            code: InviteCode::new(code).map_err(|_| Error::InviteNotFound)?,
            role: new.role,
            player_id: new.player_id.clone(),
            invited_by: access.user_id,
            created_at: now,
            updated_at: now,
            expires_at: Expiry::at(now.after(INVITE_TIME)),
        };
        // Fails if another invite was made after the count.
        let counted = update(Team::key(team_id))
            .add(Team::INVITES_MADE, 1)
            .only_if(Team::INVITES_MADE.eq(access.team.invites_made));
        let written =
            self.db.transact((create(&invite).or(Error::changed()), counted.or(Error::changed())));
        written.await?;
        Ok(invite.into())
    }

    /// 10: open invites, as far as the caller may make them.
    ///
    /// # Errors
    ///
    /// 403 for players and scorekeepers.
    pub async fn invites(
        &self,
        caller: &Caller,
        team_id: &TeamId,
    ) -> Result<List<InviteView>, Error> {
        let access = self.inviter(caller, team_id).await?;
        access.require_managed()?;
        let open = Invite::invites_of(team_id).limit(INVITES_MAX).consistent();
        let open = self.db.query(open).all().await?;
        let shown = open.into_iter().filter(|invite| may_invite(access.role(), invite.role));
        Ok(List { items: shown.map(InviteView::from).collect() })
    }

    /// 10: withdraws an invite.
    ///
    /// # Errors
    ///
    /// 403 for a manager, if it is one for an owner or a manager.
    pub async fn withdraw_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<(), Error> {
        let access = self.inviter(caller, team_id).await?;
        access.require_managed()?;
        let Some(invite) = self.db.get(Invite::key(team_id, code).consistent()).await? else {
            return Ok(());
        };
        access.require_if(caller, may_invite(access.role(), invite.role), "an owner")?;
        Ok(self.db.run(delete(Invite::key(team_id, code))).await?)
    }

    /// Refuses callers who may not make an invite for this role.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers, 403 for members with a lesser role.
    pub async fn check_inviter(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        role: Role,
    ) -> Result<(), Error> {
        self.inviter_of(caller, team_id, role).await.map(|_| ())
    }

    async fn inviter_of(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        role: Role,
    ) -> Result<TeamAccess, Error> {
        let access = self.inviter(caller, team_id).await?;
        access.require_if(caller, may_invite(access.role(), role), "an owner")?;
        Ok(access)
    }

    async fn inviter(&self, caller: &Caller, team_id: &TeamId) -> Result<TeamAccess, Error> {
        self.member(caller, team_id, Role::Manager).await
    }

    /// 11: shows an invite to whoever is signed in and has its code.
    ///
    /// # Errors
    ///
    /// [`Error::InviteNotFound`] if it was used or withdrawn, or has expired.
    pub async fn see_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<OpenInvite, Error> {
        let _: UserId = caller.id()?;
        let (invite, team) = self.open_invite(team_id, code).await?;
        let inviter = self.db.get(User::key(&invite.invited_by)).await?;
        let invited_by =
            inviter.map(|user| UserName { first_name: user.first_name, last_name: user.last_name });
        let player = match &invite.player_id {
            Some(player) => self.db.get(Player::key(team_id, player)).await?,
            None => None,
        };
        Ok(OpenInvite {
            team: TeamName { team_id: team.team_id, name: team.name },
            role: invite.role,
            player: player.as_ref().map(Into::into),
            invited_by: invited_by.unwrap_or_default(),
            expires_at: invite.expires_at.as_seconds(),
        })
    }

    async fn open_invite(
        &self,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<(Invite, Team), Error> {
        let (invite, team) = futures_util::try_join!(
            self.db.get(Invite::key(team_id, code).consistent()),
            self.db.get(Team::key(team_id).consistent()),
        )?;
        let (invite, team) = invite.zip(team).ok_or(Error::InviteNotFound)?;
        match team.deleted_at {
            None => Ok((invite, team)),
            Some(_) => Err(Error::TeamDeleted),
        }
    }

    /// 11: accepts an invite. An active member without a player is only linked; who comes back gets
    /// the player that is still linked.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyMember`] if there is nothing to accept, [`Error::PlayerLinked`] if somebody
    /// else is the player meanwhile, [`Error::TeamFull`], [`Error::TooManyTeams`] and
    /// [`Error::TooManyLinks`] if there are as many as possible.
    pub async fn accept_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<Membership, Error> {
        let work = async |_: &Db<_>| self.try_accept(caller, team_id, code).await;
        self.db.attempt(work).await
    }

    async fn try_accept(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<Membership, Error> {
        let user = self.profile(caller).await?;
        let (invite, team) = self.open_invite(team_id, code).await?;
        let before = self.membership(&user.user_id, team_id).await?;
        let roster = self.roster(team_id).await?;
        let is_own = |player: &&Player| player.user_id.as_ref() == Some(&user.user_id);
        let own = roster.iter().find(is_own).map(|player| player.player_id.clone());
        // A player who was removed since is not linked.
        let is_there = |id: &PlayerId| roster.iter().any(|player| player.player_id == *id);
        let invited = invite.player_id.clone().filter(is_there);
        let now = self.db.now();
        let mut transaction = self.db.transaction::<Error>().at(now);
        transaction.push(
            delete(Invite::key(team_id, code))
                .only_if(Condition::exists())
                .or(Error::InviteNotFound),
        );
        let link = own.clone().or_else(|| invited.clone());
        let after = Membership {
            user_id: user.user_id.clone(),
            team_id: team_id.clone(),
            role: invite.role,
            status: MemberStatus::Active,
            joined_at: before.as_ref().map_or(now, |before| before.joined_at),
            invited_by: Some(invite.invited_by.clone()),
            player_id: link.clone(),
            created_at: before.as_ref().map_or(now, |before| before.created_at),
            updated_at: now,
        };
        let is_new = before.is_none();
        let mut is_new_owner = invite.role == Role::Owner;
        let after = match before {
            None => {
                transaction.push(create(&after).or(Error::changed()));
                transaction.push(create(&team_member_of(&after)).or(Error::changed()));
                after
            }
            Some(before) if before.status == MemberStatus::Inactive => {
                transaction.push(put(&after).only_if(is_membership(&before)).or(Error::changed()));
                transaction.push(
                    put(&team_member_of(&after)).only_if(is_member(&before)).or(Error::changed()),
                );
                after
            }
            Some(before) if before.player_id.is_some() || invited.is_none() => {
                return Err(Error::AlreadyMember);
            }
            Some(before) => {
                transaction.push(
                    update(Membership::key(&user.user_id, team_id))
                        .set(Membership::PLAYER_ID, link.clone())
                        .only_if(is_membership(&before).and(Membership::PLAYER_ID.missing()))
                        .or(Error::changed()),
                );
                // An invite that only links makes nobody an owner.
                is_new_owner = false;
                Membership { player_id: link.clone(), updated_at: now, ..before.clone() }
            }
        };
        if is_new && team.member_count >= MEMBERS_MAX {
            return Err(Error::TeamFull);
        }
        if is_new || is_new_owner {
            let mut counted = update(Team::key(team_id));
            if is_new_owner {
                counted = counted.add(Team::OWNER_COUNT, 1);
            }
            if is_new {
                let has_room = Team::MEMBER_COUNT.lt(MEMBERS_MAX);
                counted = counted.add(Team::MEMBER_COUNT, 1).only_if(has_room);
            }
            transaction.push(counted.or(Error::changed()));
        }
        let is_linked_now = link.is_some() && own.is_none();
        if is_new || is_linked_now {
            let more = OneMore { team: is_new, player: is_linked_now };
            transaction.push(count_for_user(&user, more)?.or(Error::changed()));
        }
        if let Some(player) = &link {
            let key = Player::key(team_id, player);
            let linked = match own.is_some() {
                true => update(key)
                    .set(Player::STATUS, PlayerStatus::Active)
                    .only_if(Player::USER_ID.eq(&user.user_id))
                    .or(Error::changed()),
                false => link_update(team_id, player, &user.user_id, now).or(Error::PlayerLinked),
            };
            transaction.push(linked);
        }
        transaction.run().await?;
        Ok(after)
    }
}

/// Links a ghost to a user.
pub(super) fn link_update(
    team_id: &TeamId,
    player: &PlayerId,
    user_id: &UserId,
    now: Timestamp,
) -> singlet::operation::Update<Player> {
    update(Player::key(team_id, player))
        .set(Player::IS_GHOST, false)
        .set(Player::USER_ID, user_id)
        .set(Player::LINKED_AT, now)
        .only_if(Player::IS_GHOST.eq(true))
}
