//! Groups: making, changing and deleting them (P3).

use super::rights::{SQUASH, require_admin};
use super::task_run::{CountedDeletion, Outcome, READ_AT_ONCE, RefusedStep};
use super::{Service, group_name, texts};
use crate::design::{
    Group, GroupList, GroupName, GroupState, Membership, Profile, Task, TaskId, TaskKind,
};
use crate::error::Error;
use crate::rules::Permission;
use crate::view::GroupView;
use singlet::prelude::*;
use singlet_web::api::{Page, Paging};
use singlet_web::identity::Caller;
use singlet_web::problem::changed_meanwhile;
use std::collections::BTreeSet;

/// A group as an admin writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewGroup {
    /// What it is for.
    pub description: String,
    /// What its members may do.
    pub permissions: BTreeSet<Permission>,
}

/// Whether a name is that of the squash club's group, in any letter case.
fn is_reserved(name: &str) -> bool {
    name.eq_ignore_ascii_case(SQUASH)
}

/// A name that a new group can have.
fn new_name(text: &str) -> Result<GroupName, Error> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let is_name = (2..=40).contains(&text.len()) && text.bytes().all(is_allowed);
    let invalid = || Error::invalid("/name", "must be 2 to 40 letters, digits, _ or -");
    GroupName::new(text).ok().filter(|_| is_name).ok_or_else(invalid)
}

fn texts_of(permissions: &BTreeSet<Permission>) -> Vec<String> {
    permissions.iter().map(|one| one.as_str().to_owned()).collect()
}

/// The condition that a group is not being deleted.
pub(super) fn is_live_group() -> Condition<Group> {
    Condition::exists().and(Group::STATE.missing())
}

impl Service {
    /// Makes the group of the squash club, if it is missing.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn ensure_squash(&self) -> Result<(), Error> {
        let Ok(name) = GroupName::new(SQUASH) else {
            unreachable!("the constant is the name of a group");
        };
        if self.db.get(Group::key(&name).consistent()).await?.is_some() {
            return Ok(());
        }
        let group = self.new_group(name, "The squash club.".to_owned(), Vec::new());
        match self.db.run(create(&group)).await {
            // Another server was faster.
            Err(singlet::Error::ConditionFailed { .. }) => Ok(()),
            other => Ok(other?),
        }
    }

    fn new_group(&self, name: GroupName, description: String, permissions: Vec<String>) -> Group {
        let now = self.db.now();
        Group {
            name,
            entity_type: Some(GroupList::Group),
            description,
            permissions,
            member_count: 0,
            version: 1,
            state: None,
            task_id: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// 11: makes a group.
    ///
    /// # Errors
    ///
    /// [`Error::GroupBusy`] while one of the same name is being deleted, so that the new one gets
    /// none of its members.
    pub async fn create_group(
        &self,
        caller: &Caller,
        name: &str,
        new: &NewGroup,
    ) -> Result<GroupView, Error> {
        require_admin(caller)?;
        let name = new_name(name)?;
        if is_reserved(name.as_str()) {
            return Err(Error::GroupReserved);
        }
        let description = texts::lines("/description", &new.description, 0..=500)?;
        let rights = self.rights(caller).await?;
        if !new.permissions.iter().all(|one| rights.has(*one)) {
            return Err(Error::PermissionNotHeld);
        }
        let group = self.new_group(name, description, texts_of(&new.permissions));
        match self.db.run(create(&group)).await {
            Err(singlet::Error::ConditionFailed { .. }) => {
                let there = self.db.get(Group::key(&group.name).consistent()).await?;
                let is_busy = there.is_some_and(|there| there.state.is_some());
                Err(if is_busy { Error::GroupBusy } else { Error::GroupExists })
            }
            other => Ok(other.map(|()| GroupView::from(group))?),
        }
    }

    /// 12: changes what a group is for and what its members may do.
    ///
    /// # Errors
    ///
    /// [`Error::PermissionNotHeld`] if the caller adds a permission that they lack.
    pub async fn update_group(
        &self,
        caller: &Caller,
        name: &str,
        version: u64,
        new: &NewGroup,
    ) -> Result<GroupView, Error> {
        require_admin(caller)?;
        let description = texts::lines("/description", &new.description, 0..=500)?;
        let rights = self.rights(caller).await?;
        if is_reserved(name) {
            return Err(Error::GroupReserved);
        }
        let name = group_name(name)?;
        let group = self.live_group(&name).await?;
        let is_new = |one: &&Permission| !group.permissions.iter().any(|own| own == one.as_str());
        if !new.permissions.iter().filter(is_new).all(|one| rights.has(*one)) {
            return Err(Error::PermissionNotHeld);
        }
        if group.version != version {
            return Err(changed_meanwhile(version, group.version).into());
        }
        let changed = update(Group::key(&name))
            .set(Group::DESCRIPTION, description)
            .set(Group::PERMISSIONS, texts_of(&new.permissions))
            .set(Group::VERSION, version + 1)
            .set(Group::UPDATED_AT, self.db.now())
            .only_if(is_live_group().and(Group::VERSION.eq(version)));
        match self.db.run(changed.returning_new()).await {
            Err(singlet::Error::ConditionFailed { .. }) => {
                let stored = self.live_group(&name).await?.version;
                Err(changed_meanwhile(version, stored).into())
            }
            other => Ok(other?.into()),
        }
    }

    /// 13: deletes a group: its permissions stop counting when this returns. The task that is
    /// returned deletes the memberships.
    ///
    /// # Errors
    ///
    /// If there is none, or it is reserved.
    pub async fn delete_group(&self, caller: &Caller, name: &str) -> Result<TaskId, Error> {
        require_admin(caller)?;
        if is_reserved(name) {
            return Err(Error::GroupReserved);
        }
        let name = group_name(name)?;
        let task = self.new_task(TaskKind::GroupDelete, format!("GROUP#{name}"))?;
        let sealed = update(Group::key(&name))
            .set(Group::STATE, GroupState::Deleting)
            .set(Group::TASK_ID, &task.task_id)
            .remove(Group::ENTITY_TYPE)
            .only_if(is_live_group());
        let written = (sealed.or(Error::GroupNotFound), create(&task).or(Error::changed()));
        self.db.transact(written).await?;
        Ok(task.task_id)
    }

    /// P3, steps 2 and 3.
    pub(super) async fn continue_group_delete(
        &self,
        name: &GroupName,
        task: &TaskId,
    ) -> Result<Outcome, Error> {
        let of_task = async || -> Result<Option<Group>, Error> {
            let group = self.db.get(Group::key(name).consistent()).await?;
            Ok(group.filter(|group| group.task_id.as_ref() == Some(task)))
        };
        let mut deleted = 0;
        if of_task().await?.is_some() {
            let some = Membership::members_of(name).limit(READ_AT_ONCE);
            let members = self.db.query(some).all().await?;
            deleted = self.delete_memberships(name, task, &members).await?;
        }
        // Gone, or made anew: somebody else has ended the task.
        let Some(group) = of_task().await? else {
            self.db.run(delete(Task::key(task))).await?;
            return Ok(Outcome::Done);
        };
        if group.member_count > 0 {
            return Ok(Outcome::unfinished(deleted));
        }
        let is_empty = Group::STATE.eq(GroupState::Deleting).and(Group::MEMBER_COUNT.eq(0));
        let gone = delete(Group::key(name)).only_if(is_empty).or(Error::changed());
        self.db.transact((gone, delete(Task::key(task)))).await?;
        Ok(Outcome::Done)
    }

    async fn delete_memberships(
        &self,
        name: &GroupName,
        task: &TaskId,
        members: &[Membership],
    ) -> Result<usize, Error> {
        let key = |member: &Membership| Membership::key(&member.user_id, name);
        let plan = |some: &[Membership], count: i64, transaction: &mut CountedDeletion<'_>| {
            // A group of this name that was made meanwhile keeps its members.
            let counted = update(Group::key(name)).add(Group::MEMBER_COUNT, -count);
            transaction.push(counted.only_if(Group::TASK_ID.eq(task)).or(RefusedStep::Counter));
            for member in some {
                let gone = delete(key(member)).only_if(Condition::exists());
                transaction.push(gone.or(RefusedStep::Item));
                let left = update(Profile::key(&member.user_id)).add(Profile::GROUP_COUNT, -1);
                transaction.push(left.or(RefusedStep::Counter));
            }
        };
        self.delete_counted(members, key, plan).await
    }

    /// A group that is not being deleted.
    pub(super) async fn live_group(&self, name: &GroupName) -> Result<Group, Error> {
        let group = self.db.get(Group::key(name).consistent()).await?;
        group.filter(|group| group.state.is_none()).ok_or(Error::GroupNotFound)
    }

    /// R8: all groups, by name.
    ///
    /// # Errors
    ///
    /// If the caller may not see groups.
    pub async fn groups<const D: u32, const M: u32>(
        &self,
        caller: &Caller,
        paging: &Paging<D, M>,
    ) -> Result<Page<GroupView>, Error> {
        self.rights(caller).await?.require(Permission::ReadGroups)?;
        let all = Group::all(GroupList::Group).limit(paging.limit());
        let page = self.db.query(all).page(paging.cursor()?).await?;
        Ok(Page::from(page).map(GroupView::from))
    }

    /// R8: a group.
    ///
    /// # Errors
    ///
    /// If the caller may not see groups, or there is none of this name.
    pub async fn group(&self, caller: &Caller, name: &str) -> Result<GroupView, Error> {
        self.rights(caller).await?.require(Permission::ReadGroups)?;
        Ok(self.live_group(&group_name(name)?).await?.into())
    }
}
