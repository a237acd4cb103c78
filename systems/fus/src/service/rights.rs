//! A caller's rights, read on every request.

use super::{Service, user_of};
use crate::design::{Group, Membership, UserId};
use crate::error::{Error, Result};
use crate::rules::{Permission, Role, Squash, combine, squash_access};
use singlet_web::prelude::*;
use singlet_web::problem::FORBIDDEN;
use std::collections::BTreeSet;
use std::fmt;

/// The group of the squash club.
pub(super) const SQUASH: &str = "Squash";

fn only_for(who: impl fmt::Display) -> Error {
    Problem::new(&FORBIDDEN).detail(format!("Only {who} can do this.")).into()
}

/// What a caller may do.
#[derive(Clone, Debug)]
pub struct Rights {
    pub user: UserId,
    pub roles: BTreeSet<Role>,
    pub permissions: BTreeSet<Permission>,
    pub squash: Squash,
    /// Their groups that are not being deleted.
    pub groups: Vec<Group>,
}

impl Rights {
    pub fn has(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    pub(super) fn require(&self, permission: Permission) -> Result<()> {
        let refused = || only_for(format_args!("somebody with the permission {permission}"));
        self.has(permission).then_some(()).ok_or_else(refused)
    }

    /// Users can grant only permissions they hold.
    pub(super) fn require_all<'p>(
        &self,
        permissions: impl IntoIterator<Item = &'p Permission>,
    ) -> Result<()> {
        let holds = permissions.into_iter().all(|one| self.has(*one));
        if holds { Ok(()) } else { Err(Error::PermissionNotHeld) }
    }

    /// Fails without a right in the squash club, before anything is looked up.
    pub(super) fn require_squash(&self, needed: Squash) -> Result<()> {
        match self.squash {
            held if held >= needed => Ok(()),
            Squash::None => Err(Error::SquashOnly),
            _ => Err(Error::SquashManagersOnly),
        }
    }
}

/// Fails unless the caller is an admin. Reads nothing from the store.
pub(crate) fn require_admin(caller: &Caller) -> Result<()> {
    user_of(caller)?;
    let roles = Role::among(&caller.groups);
    let is_admin = roles.contains(&Role::Admin) || roles.contains(&Role::SuperAdmin);
    is_admin.then_some(()).ok_or_else(|| only_for("an admin"))
}

impl Service {
    /// R10: what a caller may do. Groups that are being deleted do not count.
    pub async fn rights(&self, caller: &Caller) -> Result<Rights> {
        let user = user_of(caller)?;
        let memberships = self.db.query(Membership::groups_of(&user).consistent()).all().await?;
        let keys = memberships.iter().map(|one| Group::key(&one.group_name).consistent());
        let found: Vec<Option<Group>> = self.db.get_many(keys).await?;
        let groups: Vec<Group> =
            found.into_iter().flatten().filter(|group| group.state.is_none()).collect();
        let roles = Role::among(&caller.groups);
        Ok(Rights {
            permissions: combine(&roles, groups.iter().flat_map(|group| &group.permissions)),
            squash: squash_access(&roles, groups.iter().any(|one| one.name.as_str() == SQUASH)),
            groups,
            roles,
            user,
        })
    }

    /// Fails without a right in the squash club.
    pub async fn squash(&self, caller: &Caller, needed: Squash) -> Result<Rights> {
        let rights = self.rights(caller).await?;
        rights.require_squash(needed)?;
        Ok(rights)
    }
}
