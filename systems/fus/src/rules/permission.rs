//! Permissions beyond access to one's own data.

use singlet::Attribute;
use singlet_web::prelude::*;
use std::collections::BTreeSet;
use std::fmt;

/// What a group can let its members do.
#[derive(
    Attribute,
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub enum Permission {
    /// Remove comments, with a reason.
    #[attribute(rename = "comments.moderate")]
    #[serde(rename = "comments.moderate")]
    ModerateComments,
    /// See groups, their members, and people.
    #[attribute(rename = "groups.read")]
    #[serde(rename = "groups.read")]
    ReadGroups,
    /// Add and remove members.
    #[attribute(rename = "members.manage")]
    #[serde(rename = "members.manage")]
    ManageMembers,
    /// See when and from where others signed in.
    #[attribute(rename = "logins.read")]
    #[serde(rename = "logins.read")]
    ReadLogins,
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A role from the token's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub enum Role {
    /// Manages the squash club, if in its group.
    #[serde(rename = "manager")]
    Manager,
    /// Manages sites and groups.
    #[serde(rename = "admin")]
    Admin,
    /// May do everything.
    SuperAdmin,
}

impl Role {
    pub fn among(groups: &BTreeSet<String>) -> BTreeSet<Self> {
        let known =
            [("manager", Self::Manager), ("admin", Self::Admin), ("SuperAdmin", Self::SuperAdmin)];
        known.into_iter().filter(|(name, _)| groups.contains(*name)).map(|(_, role)| role).collect()
    }

    fn permissions(self) -> &'static [Permission] {
        use Permission::{ManageMembers, ModerateComments, ReadGroups, ReadLogins};
        match self {
            Self::SuperAdmin => &[ModerateComments, ReadGroups, ManageMembers, ReadLogins],
            Self::Admin => &[ModerateComments, ReadGroups, ManageMembers],
            Self::Manager => &[ModerateComments, ReadGroups],
        }
    }
}

/// The union of all permissions granted by these roles and groups.
pub fn combine<'a>(
    roles: &'a BTreeSet<Role>,
    of_groups: impl IntoIterator<Item = &'a Permission>,
) -> BTreeSet<Permission> {
    roles.iter().flat_map(|role| role.permissions()).chain(of_groups).copied().collect()
}

/// Access to the squash club.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Squash {
    /// Nothing.
    None,
    /// See players, matches and standings.
    Read,
    /// Change them.
    Write,
}

pub fn squash_access(roles: &BTreeSet<Role>, is_in_group: bool) -> Squash {
    if roles.contains(&Role::SuperAdmin) {
        return Squash::Write;
    }
    match (is_in_group, roles.contains(&Role::Manager)) {
        (true, true) => Squash::Write,
        (true, false) => Squash::Read,
        (false, _) => Squash::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Permission::{ManageMembers, ModerateComments, ReadGroups, ReadLogins};

    fn roles(names: &[&str]) -> BTreeSet<Role> {
        Role::among(&names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn permissions_are_those_of_roles_and_groups() {
        type Row<'a> = (&'a [&'a str], &'a [Permission], &'a [Permission]);
        let rows: [Row<'_>; 8] = [
            (&["SuperAdmin"], &[], &[ModerateComments, ReadGroups, ManageMembers, ReadLogins]),
            (&["admin"], &[], &[ModerateComments, ReadGroups, ManageMembers]),
            (&["manager"], &[], &[ModerateComments, ReadGroups]),
            (&["superadmin", "Admin", "other"], &[], &[]),
            // Moderators and Librarians; then Moderators is sealed and its permissions are dropped.
            (&[], &[ModerateComments, ReadGroups], &[ModerateComments, ReadGroups]),
            (&[], &[ReadGroups], &[ReadGroups]),
            (&["manager"], &[ReadLogins], &[ModerateComments, ReadGroups, ReadLogins]),
            // In Squash, which has none.
            (&[], &[], &[]),
        ];
        for (names, of_groups, expected) in rows {
            let combined = combine(&roles(names), of_groups);
            assert_eq!(combined, expected.iter().copied().collect(), "{names:?} {of_groups:?}");
        }
    }
}
