//! Who is in which group.

use super::rights::{Rights, SQUASH};
use super::{Service, group_name, parse_user};
use crate::design::{Group, GroupName, Membership, Profile, UserId};
use crate::error::Error;
use crate::rules::{Permission, Squash};
use crate::service::groups::is_live_group;
use crate::view::{MemberView, MembershipView};
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;

/// Somebody in a group, and whether they are new there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The member.
    pub member: MemberView,
    /// Whether they were not in the group before.
    pub is_new: bool,
}

/// What the transaction of a new member ran into.
enum Refused {
    /// There is no profile: nobody with this id has signed in.
    NoProfile,
    /// The group or the membership has changed.
    Changed,
    Store(singlet::Error),
}

impl From<singlet::Error> for Refused {
    fn from(error: singlet::Error) -> Self {
        Self::Store(error)
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::NoProfile => Self::UserNotFound,
            Refused::Changed => Self::changed(),
            Refused::Store(error) => error.into(),
        }
    }
}

/// Insists on the right to add and remove members of a group of this name.
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
    /// [`Error::PermissionNotHeld`] if the group has a permission that the caller lacks.
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
        let there = self.db.get(Membership::key(user, name).consistent()).await?;
        let (membership, is_new) = match there {
            Some(there) => (there, false),
            None => {
                let membership = Membership {
                    group_name: name.clone(),
                    user_id: user.clone(),
                    added_at: self.db.now(),
                    added_by: rights.user.clone(),
                };
                let counted = update(Group::key(name)).add(Group::MEMBER_COUNT, 1);
                let unchanged = is_live_group().and(Group::VERSION.eq(group.version));
                self.db
                    .transact((
                        create(&membership).or(Refused::Changed),
                        counted.only_if(unchanged).or(Refused::Changed),
                        check(Profile::key(user)).or(Refused::NoProfile),
                    ))
                    .await?;
                (membership, true)
            }
        };
        let people = self.profiles_of([user].into_iter()).await?;
        Ok(Added { member: MemberView::new(&membership, people.get(user)), is_new })
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
        let name = GroupName::new(name).map_err(|_| Error::MemberNotFound)?;
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
        self.db.transact((gone.or(Error::changed()), counted.or(Error::changed()))).await
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
        let groups = Membership::groups_of(&user).consistent().limit(paging.limit());
        let page = self.db.query(groups).page(paging.cursor()?).await?;
        let shown =
            page.items.iter().filter(|one| sees_squash || one.group_name.as_str() != SQUASH);
        let items = shown.map(|one| MembershipView {
            name: one.group_name.to_string(),
            added_at: one.added_at.to_string(),
        });
        Ok(Page { items: items.collect(), next: page.next.map(|cursor| cursor.to_string()) })
    }
}
