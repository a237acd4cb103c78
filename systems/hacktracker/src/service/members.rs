//! Members: roles, status, leaving. The last active owner stays.

use super::{Service, TeamAccess};
use crate::design::{
    MemberStatus, Membership, Player, PlayerStatus, Role, Team, TeamId, TeamMember, User, UserId,
};
use crate::error::Error;
use crate::input::MemberChange;
use crate::view::{MemberView, may_invite};
use singlet::operation::Update;
use singlet::prelude::*;
use singlet::transaction::Transaction;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;

impl Service {
    /// 9: the members with their names.
    ///
    /// # Errors
    ///
    /// [`Error::TeamNotFound`] for strangers.
    pub async fn members(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        paging: &Paging<100, 100>,
    ) -> Result<Page<MemberView>, Error> {
        self.member(caller, team_id, Role::Player).await?;
        let members = TeamMember::members_of(team_id).limit(paging.limit()).consistent();
        let page = Page::from(self.db.query(members).page(paging.cursor()?).await?);
        let keys = page.items.iter().map(|member| User::key(&member.user_id));
        let mut users = self.db.get_many(keys).await?.into_iter();
        Ok(page.map(|member| {
            let user = users.next().flatten();
            let (first_name, last_name) =
                user.map(|user| (user.first_name, user.last_name)).unwrap_or_default();
            MemberView {
                user_id: member.user_id,
                first_name,
                last_name,
                role: member.role,
                status: member.status,
                joined_at: member.joined_at,
            }
        }))
    }

    /// 12: changes a member's role or status.
    ///
    /// # Errors
    ///
    /// [`Error::LastOwner`] if no active owner would be left.
    pub async fn change_member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        user_id: &UserId,
        change: &MemberChange,
    ) -> Result<Membership, Error> {
        let work = async |_: &Db<_>| {
            let access = self.access(caller, team_id, Error::TeamNotFound).await?;
            access.require(caller, Role::Manager)?;
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
            let mut transaction = self.db.transaction::<Error>().at(now);
            transaction.push(
                update(Membership::key(user_id, team_id))
                    .set(Membership::ROLE, after.role)
                    .set(Membership::STATUS, after.status)
                    .only_if(is_membership(&before))
                    .or(Error::changed()),
            );
            transaction.push(
                update(TeamMember::key(team_id, user_id))
                    .set(TeamMember::ROLE, after.role)
                    .set(TeamMember::STATUS, after.status)
                    .only_if(is_member(&before))
                    .or(Error::changed()),
            );
            let counted =
                self.counted_owners(&mut transaction, &access.team, &before, Some(&after));
            if let Some(counted) = counted.await? {
                transaction.push(counted.or(Error::changed()));
            }
            transaction.run().await?;
            after.updated_at = now;
            Ok(after)
        };
        self.db.attempt(work).await
    }

    /// 13: removes a member, or leaves. The linked player stays on the roster, inactive.
    ///
    /// # Errors
    ///
    /// [`Error::LastOwner`] for the last active owner, [`Error::PersonalTeam`] for PERSONAL teams.
    pub async fn remove_member(
        &self,
        caller: &Caller,
        team_id: &TeamId,
        user_id: &UserId,
    ) -> Result<(), Error> {
        let work = async |_: &Db<_>| {
            let access = self.access(caller, team_id, Error::TeamNotFound).await?;
            let is_self = access.user_id == *user_id;
            if !is_self {
                access.require(caller, Role::Manager)?;
            }
            let Some(before) = self.membership(user_id, team_id).await? else { return Ok(()) };
            self.check_removal(caller, &access, &before)?;
            let mut transaction = self.db.transaction::<Error>();
            transaction.push(
                delete(Membership::key(user_id, team_id))
                    .only_if(
                        is_membership(&before)
                            .and(Membership::PLAYER_ID.eq(before.player_id.clone())),
                    )
                    .or(Error::changed()),
            );
            transaction.push(
                delete(TeamMember::key(team_id, user_id))
                    .only_if(is_member(&before))
                    .or(Error::changed()),
            );
            if let Some(player) = &before.player_id {
                transaction.push(
                    update(Player::key(team_id, player))
                        .set(Player::STATUS, PlayerStatus::Inactive)
                        .only_if(Player::USER_ID.eq(user_id))
                        .or(Error::changed()),
                );
            }
            let counted = self.counted_owners(&mut transaction, &access.team, &before, None);
            let counted = counted.await?.unwrap_or_else(|| update(Team::key(team_id)));
            transaction.push(counted.add(Team::MEMBER_COUNT, -1).or(Error::changed()));
            transaction
                .push(update(User::key(user_id)).add(User::TEAM_COUNT, -1).or(Error::changed()));
            transaction.run().await
        };
        self.db.attempt(work).await
    }

    fn check_removal(
        &self,
        caller: &Caller,
        access: &TeamAccess,
        before: &Membership,
    ) -> Result<(), Error> {
        if access.user_id == before.user_id {
            // Inactive members may leave, too.
            access.require_not_deleted()?;
        } else {
            let allowed = may_invite(access.role(), before.role);
            access.require_if(caller, allowed, "an owner")?;
        }
        access.require_managed()
    }

    pub(super) async fn membership(
        &self,
        user_id: &UserId,
        team_id: &TeamId,
    ) -> Result<Option<Membership>, Error> {
        Ok(self.db.get(Membership::key(user_id, team_id).consistent()).await?)
    }

    /// Counts active owners, and passes `ownerId` on to the longest-serving one who is left. `None`
    /// if their number stays.
    async fn counted_owners(
        &self,
        transaction: &mut Transaction<'_, crate::design::HackTracker, Error>,
        team: &Team,
        before: &Membership,
        after: Option<&Membership>,
    ) -> Result<Option<Update<Team>>, Error> {
        let counted = update(Team::key(&team.team_id));
        match (is_owner(before), after.is_some_and(is_owner)) {
            (false, true) => Ok(Some(counted.add(Team::OWNER_COUNT, 1))),
            (true, false) => {
                if team.owner_count <= 1 {
                    return Err(Error::LastOwner);
                }
                let mut counted = counted
                    .add(Team::OWNER_COUNT, -1)
                    .only_if(Team::OWNER_COUNT.gt(1).and(Team::OWNER_ID.eq(&team.owner_id)));
                if team.owner_id == before.user_id {
                    let heir = self.heir(&team.team_id, &before.user_id).await?;
                    counted = counted.set(Team::OWNER_ID, heir.user_id.clone());
                    let is_still = TeamMember::ROLE
                        .eq(Role::Owner)
                        .and(TeamMember::STATUS.eq(MemberStatus::Active));
                    transaction.push(
                        check(TeamMember::key(&team.team_id, &heir.user_id))
                            .only_if(is_still)
                            .or(Error::changed()),
                    );
                }
                Ok(Some(counted))
            }
            _ => Ok(None),
        }
    }

    /// The longest-serving active owner besides this one.
    async fn heir(&self, team_id: &TeamId, leaving: &UserId) -> Result<TeamMember, Error> {
        let members = self.db.query(TeamMember::members_of(team_id).consistent()).all().await?;
        let owners = members.into_iter().filter(|member| {
            let is_active = member.status == MemberStatus::Active;
            member.role == Role::Owner && is_active && member.user_id != *leaving
        });
        let heir = owners.min_by(|one, other| {
            (one.joined_at, &one.user_id).cmp(&(other.joined_at, &other.user_id))
        });
        // The team was read before somebody else left.
        heir.ok_or_else(Error::changed)
    }
}

fn is_owner(membership: &Membership) -> bool {
    membership.role == Role::Owner && membership.status == MemberStatus::Active
}

/// Role and status are as they were read.
pub(super) fn is_membership(read: &Membership) -> Condition<Membership> {
    Membership::ROLE.eq(read.role).and(Membership::STATUS.eq(read.status))
}

/// Role and status are as they were read.
pub(super) fn is_member(read: &Membership) -> Condition<TeamMember> {
    TeamMember::ROLE.eq(read.role).and(TeamMember::STATUS.eq(read.status))
}
