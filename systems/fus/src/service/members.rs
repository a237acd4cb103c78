//! Group membership.

use super::groups::{is_live_group, is_reserved, squash_name};
use super::rights::Rights;
use super::{ListPaging, Service};
use crate::design::{Group, GroupName, Membership, Profile, UserId};
use crate::error::{Error, Result};
use crate::rules::{Permission, Squash};
use crate::view::{MemberView, MembershipView};
use singlet::prelude::*;
use singlet_web::prelude::*;

/// Maximum number of groups per user: rights are read on every request, with one BatchGetItem for
/// the groups.
pub const GROUPS_OF_USER_MAX: u64 = 100;

/// A membership, and whether this call created it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    pub member: MemberView,
    pub is_new: bool,
}

/// Fails without the right to add and remove members of a group of this name.
fn require_manager(rights: &Rights, name: &GroupName) -> Result<()> {
    match is_reserved(name) {
        true => rights.require_squash(Squash::Write),
        false => rights.require(Permission::ManageMembers),
    }
}

/// Fails unless the caller may see the group's members. Only the club sees members of Squash.
fn require_reader(rights: &Rights, name: &GroupName) -> Result<()> {
    match is_reserved(name) {
        true => rights.require_squash(Squash::Read),
        false => rights.require(Permission::ReadGroups),
    }
}

impl Service {
    /// 14: adds a user to a group. Users cannot add themselves.
    pub async fn add_member(
        &self,
        caller: &Caller,
        name: &GroupName,
        user: &UserId,
    ) -> Result<Added> {
        let rights = self.rights(caller).await?;
        require_manager(&rights, name)?;
        if rights.user == *user {
            return Err(Error::SelfJoin);
        }
        self.db
            .attempt(async |_| {
                let group = self.live_group(name).await?;
                let name = &group.name;
                rights.require_all(&group.permissions)?;
                let profile = self.db.get(Profile::key(user).consistent()).await?;
                let profile = profile.ok_or(Error::UserNotFound)?;
                if let Some(there) = self.db.get(Membership::key(user, name).consistent()).await? {
                    return Ok(Added {
                        member: MemberView::new(there, Some(&profile)),
                        is_new: false,
                    });
                }
                if profile.group_count >= GROUPS_OF_USER_MAX {
                    return Err(Error::TooManyGroups);
                }
                let membership = Membership {
                    group_name: name.clone(),
                    user_id: user.clone(),
                    added_at: self.db.now(),
                    added_by: rights.user.clone(),
                };
                let unchanged = is_live_group().and(Group::VERSION.eq(group.version));
                let counted =
                    update(Group::key(name)).add(Group::MEMBER_COUNT, 1).only_if(unchanged);
                let has_room = Profile::GROUP_COUNT.lt(GROUPS_OF_USER_MAX);
                let joined =
                    update(Profile::key(user)).add(Profile::GROUP_COUNT, 1).only_if(has_room);
                self.db
                    .transact((
                        create(&membership).or(Error::changed()),
                        counted.or(Error::changed()),
                        joined.or(Error::changed()),
                    ))
                    .await?;
                Ok(Added { member: MemberView::new(membership, Some(&profile)), is_new: true })
            })
            .await
    }

    /// 15: removes a user from a group. Members may always leave.
    pub async fn remove_member(
        &self,
        caller: &Caller,
        name: &GroupName,
        user: &UserId,
    ) -> Result<()> {
        let rights = self.rights(caller).await?;
        let leaves = rights.user == *user;
        if !leaves {
            require_manager(&rights, name)?;
        }
        self.db
            .attempt(async |_| {
                let group = self.stored_group(name).await?.ok_or(Error::MemberNotFound)?;
                let name = &group.name;
                if !leaves {
                    rights.require_all(&group.permissions)?;
                }
                let there = self.db.get(Membership::key(user, name).consistent()).await?;
                there.ok_or(Error::MemberNotFound)?;
                let gone = delete(Membership::key(user, name)).only_if(Condition::exists());
                let counted = update(Group::key(name))
                    .add(Group::MEMBER_COUNT, -1)
                    .only_if(Group::VERSION.eq(group.version));
                let left = update(Profile::key(user)).add(Profile::GROUP_COUNT, -1);
                self.db
                    .transact((
                        gone.or(Error::changed()),
                        counted.or(Error::changed()),
                        left.or(Error::changed()),
                    ))
                    .await
            })
            .await
    }

    /// R8: a member of a group. Managers of a group may read its memberships.
    pub async fn member(
        &self,
        caller: &Caller,
        name: &GroupName,
        user: &UserId,
    ) -> Result<MemberView> {
        let rights = self.rights(caller).await?;
        if rights.user != *user && require_manager(&rights, name).is_err() {
            require_reader(&rights, name)?;
        }
        let name = self.live_group(name).await?.name;
        let there = self.db.get(Membership::key(user, &name).consistent()).await?;
        let profile = self.db.get(Profile::key(user)).await?;
        Ok(MemberView::new(there.ok_or(Error::MemberNotFound)?, profile.as_ref()))
    }

    /// R8: the members of a group.
    pub async fn members(
        &self,
        caller: &Caller,
        name: &GroupName,
        paging: &ListPaging,
    ) -> Result<Page<MemberView>> {
        require_reader(&self.rights(caller).await?, name)?;
        let name = self.live_group(name).await?.name;
        let members = Membership::members_of(&name).limit(paging.limit());
        let page = self.db.query(members).page(paging.cursor()?).await?;
        let people = self.profiles_of(page.items.iter().map(|one| &one.user_id)).await?;
        Ok(Page::from(page).map(|one| {
            let profile = people.get(&one.user_id);
            MemberView::new(one, profile)
        }))
    }

    /// R9: a user's groups. Membership in Squash is visible to the club only.
    pub async fn groups_of(
        &self,
        caller: &Caller,
        user: &UserId,
        paging: &ListPaging,
    ) -> Result<Page<MembershipView>> {
        let rights = self.rights(caller).await?;
        let is_own = rights.user == *user;
        if !is_own {
            rights.require(Permission::ReadGroups)?;
        }
        let mut groups = Membership::groups_of(user).consistent().limit(paging.limit());
        if !is_own && rights.squash == Squash::None {
            // Filtered by the query: a short page or a cursor naming the group would leak the
            // membership.
            groups = groups.filter(Membership::GROUP_NAME.ne(squash_name()?));
        }
        let page = self.db.query(groups).page(paging.cursor()?).await?;
        if page.items.is_empty() && !is_own {
            self.user(None, user).await?;
        }
        Ok(Page::from(page)
            .map(|one| MembershipView { name: one.group_name, added_at: one.added_at }))
    }
}
