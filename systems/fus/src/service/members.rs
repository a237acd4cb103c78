//! Who is in which group.

use super::rights::{Rights, SQUASH};
use super::{Service, group_name, parse_id, parse_user};
use crate::design::{Group, GroupName, Membership, Profile, UserId};
use crate::error::Error;
use crate::rules::{Permission, Squash};
use crate::service::groups::is_live_group;
use crate::view::{MemberView, MembershipView};
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;

/// How many groups somebody is in at most: the rights of a caller are read for each request, and
/// their groups are one BatchGetItem.
pub const GROUPS_OF_USER_MAX: u64 = 100;

/// Somebody in a group, and whether they are new there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The member.
    pub member: MemberView,
    /// Whether they were not in the group before.
    pub is_new: bool,
}

/// Fails without the right to add and remove members of a group of this name.
fn require_manager(rights: &Rights, name: &str) -> Result<(), Error> {
    match name {
        SQUASH => rights.require_squash(Squash::Write),
        _ => rights.require(Permission::ManageMembers),
    }
}

impl Service {
    /// 14: adds somebody to a group. Nobody adds themselves.
    ///
    /// # Errors
    ///
    /// [`Error::PermissionNotHeld`] if the group has a permission that the caller lacks, and
    /// [`Error::TooManyGroups`] if they are in a hundred groups.
    pub async fn add_member(
        &self,
        caller: &Caller,
        name: &str,
        member: &str,
    ) -> Result<Added, Error> {
        let rights = self.rights(caller).await?;
        require_manager(&rights, name)?;
        if rights.user.as_str() == member {
            return Err(Error::SelfJoin);
        }
        let name = group_name(name)?;
        let user = parse_user(member);
        self.retrying(|| self.try_add_member(&rights, &name, user.as_ref())).await
    }

    async fn try_add_member(
        &self,
        rights: &Rights,
        name: &GroupName,
        user: Option<&UserId>,
    ) -> Result<Added, Error> {
        let group = self.live_group(name).await?;
        rights.require_all_of(&group)?;
        let user = user.ok_or(Error::UserNotFound)?;
        let profile = self.db.get(Profile::key(user).consistent()).await?;
        let profile = profile.ok_or(Error::UserNotFound)?;
        let there = self.db.get(Membership::key(user, name).consistent()).await?;
        if let Some(there) = there {
            return Ok(Added { member: MemberView::new(&there, Some(&profile)), is_new: false });
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
        let counted = update(Group::key(name)).add(Group::MEMBER_COUNT, 1).only_if(unchanged);
        let has_room = Profile::GROUP_COUNT.lt(GROUPS_OF_USER_MAX);
        let joined = update(Profile::key(user)).add(Profile::GROUP_COUNT, 1).only_if(has_room);
        self.db
            .transact((
                create(&membership).or(Error::changed()),
                counted.or(Error::changed()),
                joined.or(Error::changed()),
            ))
            .await?;
        Ok(Added { member: MemberView::new(&membership, Some(&profile)), is_new: true })
    }

    /// 15: takes somebody out of a group. Everybody may leave.
    ///
    /// # Errors
    ///
    /// [`Error::MemberNotFound`] if they are not in it.
    pub async fn remove_member(
        &self,
        caller: &Caller,
        name: &str,
        member: &str,
    ) -> Result<(), Error> {
        let rights = self.rights(caller).await?;
        let leaves = rights.user.as_str() == member;
        if !leaves {
            require_manager(&rights, name)?;
        }
        let name: GroupName = parse_id(name).ok_or(Error::MemberNotFound)?;
        let user = parse_user(member).ok_or(Error::MemberNotFound)?;
        self.retrying(|| self.try_remove_member(&rights, &name, &user, leaves)).await
    }

    async fn try_remove_member(
        &self,
        rights: &Rights,
        name: &GroupName,
        user: &UserId,
        leaves: bool,
    ) -> Result<(), Error> {
        let group = self.db.get(Group::key(name).consistent()).await?;
        let group = group.ok_or(Error::MemberNotFound)?;
        if !leaves {
            rights.require_all_of(&group)?;
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
    }

    /// R8: the members of a group. Those of the squash club are for the club.
    ///
    /// # Errors
    ///
    /// If the caller may not see them, or there is no such group.
    pub async fn members<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        name: &str,
        paging: &Paging<D, M>,
    ) -> Result<Page<MemberView>, Error> {
        let rights = self.rights(caller).await?;
        match name {
            SQUASH => rights.require_squash(Squash::Read)?,
            _ => rights.require(Permission::ReadGroups)?,
        }
        let name = group_name(name)?;
        self.live_group(&name).await?;
        let members = Membership::members_of(&name).limit(paging.limit());
        let page = self.db.query(members).page(paging.cursor()?).await?;
        let people = self.profiles_of(page.items.iter().map(|one| &one.user_id)).await?;
        Ok(Page::from(page).map(|one| MemberView::new(&one, people.get(&one.user_id))))
    }

    /// R9: the groups that somebody is in. That others are in the squash club is for the club.
    ///
    /// # Errors
    ///
    /// If the caller may not see those of others.
    pub async fn groups_of<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        user: &str,
        paging: &Paging<D, M>,
    ) -> Result<Page<MembershipView>, Error> {
        let rights = self.rights(caller).await?;
        let is_own = rights.user.as_str() == user;
        if !is_own {
            rights.require(Permission::ReadGroups)?;
        }
        let sees_squash = is_own || rights.squash >= Squash::Read;
        let user = parse_user(user).ok_or(Error::UserNotFound)?;
        let mut groups = Membership::groups_of(&user).consistent().limit(paging.limit());
        if !sees_squash {
            // By a filter: a page that is short, or a cursor that names the group, would tell.
            groups = groups.filter(Membership::GROUP_NAME.ne(group_name(SQUASH)?));
        }
        let page = self.db.query(groups).page(paging.cursor()?).await?;
        Ok(Page::from(page).map(|one| MembershipView {
            name: one.group_name.to_string(),
            added_at: one.added_at.to_string(),
        }))
    }
}
