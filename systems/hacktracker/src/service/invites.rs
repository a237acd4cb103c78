//! Invites: everybody with the code of the link may join, once.

use super::members::write_membership;
use super::users::count_for_user;
use super::{Service, TeamAccess};
use crate::design::{
    Invite, InviteCode, MemberStatus, Membership, Player, PlayerId, PlayerStatus, Role, Team,
    TeamId, TeamType, User, UserId,
};
use crate::error::{Error, Result};
use crate::input::NewInvite;
use crate::limits::{INVITES_MAX, MEMBERS_MAX};
use crate::view::{InviteView, OpenInvite, TeamName, UserName, may_invite};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;
use std::time::Duration;

const INVITE_TIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const ALPHABET: &str = "abcdefghjkmnpqrstuvwxyz23456789";
const CODE_LEN: usize = 26;

impl Service {
    pub async fn invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        new: &NewInvite,
    ) -> Result<InviteView> {
        let work = async |_: &Db<_>| {
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
            let mut transaction = self.transaction(now);
            transaction.push(create(&invite));
            transaction.push(counted);
            transaction.run().await?;
            Ok(invite.into())
        };
        self.db.attempt(work).await
    }

    pub async fn invites(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        paging: &Paging<100, 100>,
    ) -> Result<Page<InviteView>> {
        let access = self.member(caller, team_id, Role::Manager).await?;
        access.require_managed()?;
        let open = Invite::invites_of(team_id).limit(paging.limit()).consistent();
        let page = Page::from(self.db.query(open).page(paging.cursor()?).await?);
        Ok(page.filter_map(|invite| {
            may_invite(access.role(), invite.role).then(|| InviteView::from(invite))
        }))
    }

    pub async fn withdraw_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<()> {
        let access = self.member(caller, team_id, Role::Manager).await?;
        access.require_managed()?;
        let Some(invite) = self.db.get(Invite::key(team_id, code).consistent()).await? else {
            return Ok(());
        };
        access.require_if(caller, may_invite(access.role(), invite.role), "an owner")?;
        Ok(self.db.run(delete(Invite::key(team_id, code))).await?)
    }

    pub(crate) async fn inviter_of(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        role: Role,
    ) -> Result<TeamAccess> {
        let access = self.member(caller, team_id, Role::Manager).await?;
        access.require_if(caller, may_invite(access.role(), role), "an owner")?;
        Ok(access)
    }

    pub async fn see_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<OpenInvite> {
        let _: UserId = caller.id()?;
        let (invite, team) = self.open_invite(team_id, code).await?;
        let inviter = self.db.get(User::key(&invite.invited_by)).await?;
        let player = match &invite.player_id {
            Some(player) => self.db.get(Player::key(team_id, player)).await?,
            None => None,
        };
        Ok(OpenInvite {
            team: TeamName { team_id: team.team_id, name: team.name },
            role: invite.role,
            player: player.map(Into::into),
            invited_by: inviter.map(UserName::from).unwrap_or_default(),
            expires_at: invite.expires_at.as_seconds(),
        })
    }

    async fn open_invite(&self, team_id: &TeamId, code: &InviteCode) -> Result<(Invite, Team)> {
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

    /// An active member without a player is only linked. A returning member gets the player that is
    /// still linked.
    pub async fn accept_invite(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        code: &InviteCode,
    ) -> Result<Membership> {
        let work = async |_: &Db<_>| {
            let user = self.profile(caller).await?;
            let (invite, team) = self.open_invite(team_id, code).await?;
            let before = self.membership(&user.user_id, team_id).await?;
            let roster = self.roster(team_id).await?;
            let is_own = |player: &&Player| player.user_id.as_ref() == Some(&user.user_id);
            let own = roster.iter().find(is_own).map(|player| player.player_id.clone());
            // Removed players are not linked.
            let is_there = |id: &PlayerId| roster.iter().any(|player| player.player_id == *id);
            let invited = invite.player_id.clone().filter(is_there);
            let link = own.clone().or_else(|| invited.clone());
            let now = self.db.now();
            let after = match &before {
                Some(before) if before.status == MemberStatus::Active => {
                    if before.player_id.is_some() || invited.is_none() {
                        return Err(Error::AlreadyMember);
                    }
                    // Linking does not change the role.
                    let player_id = link.clone();
                    Membership { player_id, updated_at: now, ..before.clone() }
                }
                _ => Membership {
                    user_id: user.user_id.clone(),
                    team_id: team_id.clone(),
                    role: invite.role,
                    status: MemberStatus::Active,
                    joined_at: before.as_ref().map_or(now, |before| before.joined_at),
                    invited_by: Some(invite.invited_by.clone()),
                    player_id: link.clone(),
                    created_at: before.as_ref().map_or(now, |before| before.created_at),
                    updated_at: now,
                },
            };
            let mut transaction = self.transaction(now);
            let used = delete(Invite::key(team_id, code)).only_if(Condition::exists());
            transaction.push(used.or(Error::InviteNotFound));
            write_membership(&mut transaction, before.as_ref(), &after);
            let owners = [before.as_ref(), Some(&after)];
            let counted = self.counted_owners(&mut transaction, &team, owners).await?;
            let is_new = before.is_none();
            if is_new && team.member_count >= MEMBERS_MAX {
                return Err(Error::TeamFull);
            }
            if is_new {
                let counted = counted.unwrap_or_else(|| update(Team::key(team_id)));
                let has_room = Team::MEMBER_COUNT.lt(MEMBERS_MAX);
                transaction.push(counted.add(Team::MEMBER_COUNT, 1).only_if(has_room));
            } else if let Some(counted) = counted {
                transaction.push(counted);
            }
            let is_linked_now = link.is_some() && own.is_none();
            if is_new || is_linked_now {
                let team = is_new.then_some(TeamType::Managed);
                transaction.push(count_for_user(&user, team, is_linked_now)?);
            }
            if let Some(player) = &link {
                let key = Player::key(team_id, player);
                match own.is_some() {
                    true => transaction.push(
                        update(key)
                            .set(Player::STATUS, PlayerStatus::Active)
                            .only_if(Player::USER_ID.eq(&user.user_id)),
                    ),
                    false => transaction.push(
                        link_update(team_id, player, &user.user_id, now).or(Error::PlayerLinked),
                    ),
                }
            }
            transaction.run().await?;
            Ok(after)
        };
        self.db.attempt(work).await
    }
}

/// Links a ghost to a user.
pub(super) fn link_update(
    team_id: &TeamId,
    player: &PlayerId,
    user_id: &UserId,
    now: Timestamp,
) -> Update<Player> {
    update(Player::key(team_id, player))
        .set(Player::IS_GHOST, false)
        .set(Player::USER_ID, user_id)
        .set(Player::LINKED_AT, now)
        .only_if(Player::IS_GHOST.eq(true))
}
