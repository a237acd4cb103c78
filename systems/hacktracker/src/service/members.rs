//! Members: roles, status, leaving. The last active owner stays.

use super::{Service, Writes};
use crate::design::{
    MemberStatus, Membership, Player, PlayerStatus, Role, Team, TeamId, TeamMember, User, UserId,
};
use crate::error::{Error, Result};
use crate::input::MemberChange;
use crate::view::{MemberView, UserName, may_invite};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::ApiError as _;

impl Service {
    pub async fn members(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        paging: &Paging<100, 100>,
    ) -> Result<Page<MemberView>> {
        self.member(caller, team_id, Role::Player).await?;
        let members = TeamMember::members_of(team_id).limit(paging.limit()).consistent();
        let page = Page::from(self.db.query(members).page(paging.cursor()?).await?);
        let keys = page.items.iter().map(|member| User::key(&member.user_id));
        let mut users = self.db.get_many(keys).await?.into_iter();
        Ok(page.map(|member| {
            let user = users.next().flatten();
            MemberView {
                user_id: member.user_id,
                name: user.map(UserName::from).unwrap_or_default(),
                role: member.role,
                status: member.status,
                joined_at: member.joined_at,
            }
        }))
    }

    pub async fn change_member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        user_id: &UserId,
        change: &MemberChange,
    ) -> Result<Membership> {
        let work = async |_: &Db<_>| {
            let access = self.member(caller, team_id, Role::Manager).await?;
            let before = self.membership(user_id, team_id).await?.ok_or(Error::MemberNotFound)?;
            let mut after = before.clone();
            after.role = change.role.unwrap_or(before.role);
            after.status = change.status.unwrap_or(before.status);
            let allowed =
                may_invite(access.role(), before.role) && may_invite(access.role(), after.role);
            access.require_if(caller, allowed, "an owner")?;
            if after == before {
                return Ok(before);
            }
            let now = self.db.now();
            let mut transaction = self.transaction(now);
            after.updated_at = now;
            write_membership(&mut transaction, Some(&before), &after);
            let (team, owners) = (&access.team, [Some(&before), Some(&after)]);
            if let Some(counted) = self.counted_owners(&mut transaction, team, owners).await? {
                transaction.push(counted);
            }
            transaction.run().await?;
            Ok(after)
        };
        self.db.attempt(work).await
    }

    /// Removes a member, or leaves. The linked player stays on the roster, inactive.
    pub async fn remove_member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        user_id: &UserId,
    ) -> Result<()> {
        let work = async |_: &Db<_>| {
            let access = self.access(caller, team_id, Error::TeamNotFound).await?;
            let is_self = access.user_id == *user_id;
            if !is_self {
                access.require(caller, Role::Manager)?;
            }
            let Some(before) = self.membership(user_id, team_id).await? else { return Ok(()) };
            match is_self {
                // Inactive members may leave, too.
                true => access.require_not_deleted()?,
                false => {
                    let allowed = may_invite(access.role(), before.role);
                    access.require_if(caller, allowed, "an owner")?;
                }
            }
            access.require_managed()?;
            let mut transaction = self.transaction(self.db.now());
            let key = Membership::key(user_id, team_id);
            transaction.push(delete(key).only_if(is_membership(&before)));
            transaction.push(delete(TeamMember::key(team_id, user_id)).only_if(is_member(&before)));
            if let Some(player) = &before.player_id {
                transaction.push(
                    update(Player::key(team_id, player))
                        .set(Player::STATUS, PlayerStatus::Inactive)
                        .only_if(Player::USER_ID.eq(user_id)),
                );
            }
            let owners = [Some(&before), None];
            let counted = self.counted_owners(&mut transaction, &access.team, owners).await?;
            let counted = counted.unwrap_or_else(|| update(Team::key(team_id)));
            transaction.push(counted.add(Team::MEMBER_COUNT, -1));
            transaction.push(update(User::key(user_id)).add(User::TEAM_COUNT, -1));
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    pub(super) async fn membership(
        &self,
        user_id: &UserId,
        team_id: &TeamId,
    ) -> Result<Option<Membership>> {
        Ok(self.db.get(Membership::key(user_id, team_id).consistent()).await?)
    }

    /// Counts active owners before and after a change. If the one in `ownerId` leaves, the
    /// longest-serving owner takes over. `None` if the number stays.
    pub(super) async fn counted_owners(
        &self,
        transaction: &mut Writes<'_>,
        team: &Team,
        [before, after]: [Option<&Membership>; 2],
    ) -> Result<Option<Update<Team>>> {
        let counted = update(Team::key(&team.team_id));
        let leaving = before.filter(|before| is_owner(before));
        match (leaving, after.is_some_and(is_owner)) {
            (None, true) => Ok(Some(counted.add(Team::OWNER_COUNT, 1))),
            (Some(_), false) if team.owner_count <= 1 => Err(Error::LastOwner),
            (Some(leaving), false) => {
                let counted = counted
                    .add(Team::OWNER_COUNT, -1)
                    .only_if(Team::OWNER_COUNT.gt(1).and(Team::OWNER_ID.eq(&team.owner_id)));
                if team.owner_id != leaving.user_id {
                    return Ok(Some(counted));
                }
                let heir = self.heir(&team.team_id, &leaving.user_id).await?;
                let is_still = TeamMember::ROLE
                    .eq(Role::Owner)
                    .and(TeamMember::STATUS.eq(MemberStatus::Active));
                transaction.push(check(TeamMember::key(&team.team_id, &heir)).only_if(is_still));
                Ok(Some(counted.set(Team::OWNER_ID, heir)))
            }
            _ => Ok(None),
        }
    }

    async fn heir(&self, team_id: &TeamId, leaving: &UserId) -> Result<UserId> {
        let members = self.db.query(TeamMember::members_of(team_id).consistent()).all().await?;
        let owners = members.into_iter().filter(|member| {
            let is_active = member.status == MemberStatus::Active;
            member.role == Role::Owner && is_active && member.user_id != *leaving
        });
        let heir = owners.map(|owner| (owner.joined_at, owner.user_id)).min();
        // Another owner left after the team was read.
        heir.map(|(_, heir)| heir).ok_or_else(Error::changed)
    }
}

pub(super) fn is_owner(membership: &Membership) -> bool {
    membership.role == Role::Owner && membership.status == MemberStatus::Active
}

/// Writes a membership and the team's member, if they are as they were read.
pub(super) fn write_membership(
    transaction: &mut Writes<'_>,
    before: Option<&Membership>,
    after: &Membership,
) {
    let is_membership = before.map_or_else(Condition::missing, is_membership);
    transaction.push(put(after).only_if(is_membership));
    let is_member = before.map_or_else(Condition::missing, is_member);
    transaction.push(put(&TeamMember::from(after)).only_if(is_member));
}

fn is_membership(read: &Membership) -> Condition<Membership> {
    let player = Membership::PLAYER_ID.eq(read.player_id.clone());
    Membership::ROLE.eq(read.role).and(Membership::STATUS.eq(read.status)).and(player)
}

fn is_member(read: &Membership) -> Condition<TeamMember> {
    TeamMember::ROLE.eq(read.role).and(TeamMember::STATUS.eq(read.status))
}
