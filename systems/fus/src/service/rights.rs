//! What a caller may do, read anew for each request.

use super::{Service, user_of};
use crate::design::{Group, Membership, UserId};
use crate::error::Error;
use crate::rules::{Permission, Role, Squash, combine, squash_access};
use singlet_web::access::Access;
use singlet_web::identity::Caller;
use std::collections::BTreeSet;

/// The group of the squash club.
pub(super) const SQUASH: &str = "Squash";

singlet_web::roles! {
    /// The kit wants an ordered role; FUS has permissions instead, so this has one value.
    enum SignedInRole { SignedIn }
}

/// What a caller may do.
#[derive(Clone, Debug)]
pub struct Rights {
    /// The caller.
    pub user: UserId,
    /// What the issuer of tokens says about them.
    pub roles: BTreeSet<Role>,
    /// What they may do.
    pub permissions: BTreeSet<Permission>,
    /// What they may do in the squash club.
    pub squash: Squash,
    /// Their groups that are not being deleted.
    pub groups: Vec<Group>,
    access: Access<SignedInRole>,
}

impl Rights {
    /// Whether they have a permission.
    #[must_use]
    pub fn has(&self, permission: Permission) -> bool {
        self.permissions.contains(&permission)
    }

    /// Fails without a permission.
    pub(super) fn require(&self, permission: Permission) -> Result<(), Error> {
        let who = format!("somebody with the permission {}", permission.as_str());
        Ok(self.access.require_if(self.has(permission), who)?)
    }

    /// Fails without all permissions of a group.
    pub(super) fn require_all_of(&self, group: &Group) -> Result<(), Error> {
        let is_held = |text: &String| Permission::parse(text).is_none_or(|one| self.has(one));
        if group.permissions.iter().all(is_held) { Ok(()) } else { Err(Error::PermissionNotHeld) }
    }

    /// Fails without a right in the squash club, before any id is looked at.
    pub(super) fn require_squash(&self, needed: Squash) -> Result<(), Error> {
        if self.squash >= needed { Ok(()) } else { Err(Error::SquashOnly) }
    }
}

/// Fails without the role of an admin, for which nothing is read.
pub(crate) fn require_admin(caller: &Caller) -> Result<UserId, Error> {
    let user = user_of(caller)?;
    let roles = Role::among(&caller.groups);
    let is_admin = roles.contains(&Role::Admin) || roles.contains(&Role::SuperAdmin);
    Access::new(Some(caller), Some(SignedInRole::SignedIn)).require_if(is_admin, "an admin")?;
    Ok(user)
}

impl Service {
    /// R10: what a caller may do. Groups that are being deleted do not count.
    ///
    /// # Errors
    ///
    /// If the store fails, or the token's subject is no id.
    pub async fn rights(&self, caller: &Caller) -> Result<Rights, Error> {
        let user = user_of(caller)?;
        let memberships = self.db.query(Membership::groups_of(&user).consistent()).all().await?;
        let keys = memberships.iter().map(|one| Group::key(&one.group_name).consistent());
        let found: Vec<Option<Group>> = self.db.get_many(keys).await?;
        let groups: Vec<Group> =
            found.into_iter().flatten().filter(|group| group.state.is_none()).collect();
        let roles = Role::among(&caller.groups);
        let of_groups = groups.iter().flat_map(|group| &group.permissions).map(String::as_str);
        Ok(Rights {
            permissions: combine(&roles, of_groups),
            squash: squash_access(&roles, groups.iter().any(|one| one.name.as_str() == SQUASH)),
            access: Access::new(Some(caller), Some(SignedInRole::SignedIn)),
            groups,
            roles,
            user,
        })
    }

    /// Refuses callers who are not in the squash club.
    ///
    /// # Errors
    ///
    /// [`Error::SquashOnly`] for them.
    pub async fn require_squash_read(&self, caller: &Caller) -> Result<(), Error> {
        self.squash(caller, Squash::Read).await.map(|_| ())
    }

    /// Refuses callers who may not change anything in the squash club.
    ///
    /// # Errors
    ///
    /// [`Error::SquashOnly`] for them.
    pub async fn require_squash_write(&self, caller: &Caller) -> Result<(), Error> {
        self.squash(caller, Squash::Write).await.map(|_| ())
    }

    /// Fails without a right in the squash club.
    pub(super) async fn squash(&self, caller: &Caller, needed: Squash) -> Result<Rights, Error> {
        let rights = self.rights(caller).await?;
        rights.require_squash(needed)?;
        Ok(rights)
    }
}
