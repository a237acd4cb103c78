//! Groups: creating, changing and deleting them (P3).

use super::rights::{SQUASH, require_admin};
use super::task_run::{Outcome, READ_AT_ONCE};
use super::{ListPaging, Service};
use crate::design::{
    FoldedName, Group, GroupClaim, GroupList, GroupName, GroupState, Membership, Profile, Task,
    TaskId, TaskKind,
};
use crate::error::{Error, Result};
use crate::rules::Permission;
use singlet::prelude::*;
use singlet_web::prelude::*;
use singlet_web::problem::changed_meanwhile;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGroup {
    /// 2 to 40 letters, digits, `_` and `-`. Cannot be changed later. Must be unique regardless of
    /// case.
    pub name: NewName,
    /// Purpose of the group, in at most 500 characters.
    #[serde(default)]
    pub description: CleanText<500, 0>,
    /// Permissions of its members.
    #[serde(default)]
    #[schemars(length(max = 4))]
    pub permissions: Vec<Permission>,
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupChange {
    /// Purpose of the group, in at most 500 characters.
    #[serde(default)]
    pub description: CleanText<500, 0>,
    /// Permissions of its members.
    #[serde(default)]
    #[schemars(length(max = 4))]
    pub permissions: Vec<Permission>,
}

/// The name of a new group.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
pub struct NewName(#[schemars(with = "String", length(min = 2, max = 40))] pub GroupName);

impl TryFrom<String> for NewName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let is_name = (2..=40).contains(&text.len()) && text.bytes().all(is_allowed);
        let name = GroupName::new(text).ok().filter(|_| is_name).map(Self);
        name.ok_or("must be 2 to 40 letters, digits, _ or -")
    }
}

/// Whether this is the squash club's group, in any letter case.
pub(super) fn is_reserved(name: &GroupName) -> bool {
    name.as_str().eq_ignore_ascii_case(SQUASH)
}

fn folded(name: &GroupName) -> Result<FoldedName> {
    FoldedName::new(name.as_str().to_ascii_lowercase()).map_err(|_| Error::GroupNotFound)
}

pub(super) fn squash_name() -> Result<GroupName> {
    GroupName::new(SQUASH).map_err(|_| Error::GroupNotFound)
}

fn each_once(permissions: Vec<Permission>) -> Vec<Permission> {
    permissions.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// The condition that a group is not being deleted.
pub(super) fn is_live_group() -> Condition<Group> {
    Condition::exists().and(Group::STATE.missing())
}

impl Service {
    /// Creates the squash club's group if it is missing.
    pub async fn ensure_squash(&self) -> Result<()> {
        let name = squash_name()?;
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

    fn new_group(
        &self,
        name: GroupName,
        description: String,
        permissions: Vec<Permission>,
    ) -> Group {
        let now = self.db.now();
        Group {
            name,
            entity_type: Some(GroupList::Group),
            description,
            permissions: each_once(permissions),
            member_count: 0,
            version: 1,
            state: None,
            task_id: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// 11: creates a group. Refused while a group of the same name is being deleted, so that the
    /// new one does not inherit its members.
    pub async fn create_group(&self, caller: &Caller, new: NewGroup) -> Result<Group> {
        require_admin(caller)?;
        let NewName(name) = new.name;
        if is_reserved(&name) {
            return Err(Error::GroupReserved);
        }
        self.rights(caller).await?.require_all(&new.permissions)?;
        let claim = GroupClaim { folded: folded(&name)?, name: name.clone() };
        let group = self.new_group(name, new.description.into_string(), new.permissions);
        let written =
            (create(&group).or(Error::GroupExists), create(&claim).or(Error::GroupExists));
        match self.db.transact(written).await {
            Err(Error::GroupExists) => {
                let taken = self.stored_group(&group.name).await?;
                let is_busy = taken.is_some_and(|group| group.state.is_some());
                Err(if is_busy { Error::GroupBusy } else { Error::GroupExists })
            }
            other => other.map(|()| group),
        }
    }

    /// 12: changes a group's description and permissions.
    pub async fn update_group(
        &self,
        caller: &Caller,
        name: &GroupName,
        version: u64,
        new: GroupChange,
    ) -> Result<Group> {
        require_admin(caller)?;
        let rights = self.rights(caller).await?;
        if is_reserved(name) {
            return Err(Error::GroupReserved);
        }
        let group = self.live_group(name).await?;
        rights
            .require_all(new.permissions.iter().filter(|one| !group.permissions.contains(*one)))?;
        if group.version != version {
            return Err(changed_meanwhile(version, group.version).into());
        }
        let changed = update(Group::key(&group.name))
            .set(Group::DESCRIPTION, new.description.into_string())
            .set(Group::PERMISSIONS, each_once(new.permissions))
            .set(Group::VERSION, version + 1)
            .set(Group::UPDATED_AT, self.db.now())
            .only_if(is_live_group().and(Group::VERSION.eq(version)));
        match self.db.run(changed.returning_new()).await {
            Err(singlet::Error::ConditionFailed { .. }) => {
                let stored = self.live_group(name).await?.version;
                Err(changed_meanwhile(version, stored).into())
            }
            other => Ok(other?),
        }
    }

    /// 13: deletes a group. Its permissions end when this returns; the returned task deletes the
    /// memberships.
    pub async fn delete_group(&self, caller: &Caller, name: &GroupName) -> Result<TaskId> {
        require_admin(caller)?;
        if is_reserved(name) {
            return Err(Error::GroupReserved);
        }
        let name = self.live_group(name).await?.name;
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
    ) -> Result<Outcome> {
        let of_task = async || -> Result<Option<Group>> {
            let group = self.db.get(Group::key(name).consistent()).await?;
            Ok(group.filter(|group| group.task_id.as_ref() == Some(task)))
        };
        let mut deleted = 0;
        if of_task().await?.is_some() {
            deleted = self.delete_memberships(name, task).await?;
        }
        // Deleted or recreated: another server finished the task.
        let Some(group) = of_task().await? else {
            self.db.run(delete(Task::key(task))).await?;
            return Ok(Outcome::Done);
        };
        if group.member_count > 0 {
            return Ok(Outcome::unfinished(deleted));
        }
        let is_empty = Group::STATE.eq(GroupState::Deleting).and(Group::MEMBER_COUNT.eq(0));
        let gone = delete(Group::key(name)).only_if(is_empty).or(Error::changed());
        let free = delete(GroupClaim::key(&folded(name)?));
        self.db.transact((gone, free, delete(Task::key(task)))).await?;
        Ok(Outcome::Done)
    }

    /// Deletes some memberships and returns the number deleted.
    async fn delete_memberships(&self, name: &GroupName, task: &TaskId) -> Result<usize> {
        let some = Membership::members_of(name).limit(READ_AT_ONCE);
        let key = |member: &Membership| Membership::key(&member.user_id, name);
        self.delete_counted(
            &self.db.query(some).all().await?,
            key,
            |count, to| {
                // A new group of the same name keeps its members.
                let counted = update(Group::key(name)).add(Group::MEMBER_COUNT, -count);
                to.push(counted.only_if(Group::TASK_ID.eq(task)).or(Error::changed()));
            },
            |member, to| {
                to.push(delete(key(member)).only_if(Condition::exists()).or(Error::changed()));
                let left = update(Profile::key(&member.user_id)).add(Profile::GROUP_COUNT, -1);
                to.push(left.or(Error::changed()));
            },
        )
        .await
    }

    /// A group that is not being deleted.
    pub(super) async fn live_group(&self, name: &GroupName) -> Result<Group> {
        let group = self.stored_group(name).await?;
        group.filter(|group| group.state.is_none()).ok_or(Error::GroupNotFound)
    }

    /// The group of this name, in any letter case.
    pub(super) async fn stored_group(&self, name: &GroupName) -> Result<Option<Group>> {
        if let Some(group) = self.db.get(Group::key(name).consistent()).await? {
            return Ok(Some(group));
        }
        let name = match self.db.get(GroupClaim::key(&folded(name)?).consistent()).await? {
            Some(claim) => claim.name,
            None if is_reserved(name) => squash_name()?,
            None => return Ok(None),
        };
        Ok(self.db.get(Group::key(&name).consistent()).await?)
    }

    /// R8: all groups, by name.
    pub async fn groups(&self, caller: &Caller, paging: &ListPaging) -> Result<Page<Group>> {
        self.rights(caller).await?.require(Permission::ReadGroups)?;
        let all = Group::all(GroupList::Group).limit(paging.limit());
        Ok(self.db.query(all).page(paging.cursor()?).await?.into())
    }

    /// R8: a group.
    pub async fn group(&self, caller: &Caller, name: &GroupName) -> Result<Group> {
        self.rights(caller).await?.require(Permission::ReadGroups)?;
        self.live_group(name).await
    }
}
