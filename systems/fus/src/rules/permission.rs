//! Who may do what, beyond what everybody may do with their own things.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a group can let its members do. There is nothing else.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Permission {
    /// Remove comments, with a reason.
    #[serde(rename = "comments.moderate")]
    ModerateComments,
    /// See groups, their members, and people.
    #[serde(rename = "groups.read")]
    ReadGroups,
    /// Add and remove members.
    #[serde(rename = "members.manage")]
    ManageMembers,
    /// See when and from where others signed in.
    #[serde(rename = "logins.read")]
    ReadLogins,
}

impl Permission {
    /// All permissions.
    pub const ALL: [Self; 4] =
        [Self::ModerateComments, Self::ReadGroups, Self::ManageMembers, Self::ReadLogins];

    /// The permission as it is stored.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ModerateComments => "comments.moderate",
            Self::ReadGroups => "groups.read",
            Self::ManageMembers => "members.manage",
            Self::ReadLogins => "logins.read",
        }
    }

    /// The permission of this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// What an issuer of tokens says about somebody: a group of the token.
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
    /// The roles among the groups of a token.
    #[must_use]
    pub fn among(groups: &BTreeSet<String>) -> BTreeSet<Self> {
        let known =
            [("manager", Self::Manager), ("admin", Self::Admin), ("SuperAdmin", Self::SuperAdmin)];
        known.into_iter().filter(|(name, _)| groups.contains(*name)).map(|(_, role)| role).collect()
    }

    fn permissions(self) -> &'static [Permission] {
        use Permission::{ManageMembers, ModerateComments, ReadGroups};
        match self {
            Self::SuperAdmin => &Permission::ALL,
            Self::Admin => &[ModerateComments, ReadGroups, ManageMembers],
            Self::Manager => &[ModerateComments, ReadGroups],
        }
    }
}

/// All permissions of somebody with these roles, in groups with these permissions. Nothing
/// subtracts.
pub fn combine<'a>(
    roles: &BTreeSet<Role>,
    of_groups: impl IntoIterator<Item = &'a str>,
) -> BTreeSet<Permission> {
    let of_roles = roles.iter().flat_map(|role| role.permissions().iter().copied());
    of_roles.chain(of_groups.into_iter().filter_map(Permission::parse)).collect()
}

/// What somebody may do in the squash club.
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

/// What somebody with these roles may do in the squash club.
#[must_use]
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
        type Row<'a> = (&'a [&'a str], &'a [&'a str], &'a [Permission]);
        let rows: [Row<'_>; 8] = [
            (&["SuperAdmin"], &[], &[ModerateComments, ReadGroups, ManageMembers, ReadLogins]),
            (&["admin"], &[], &[ModerateComments, ReadGroups, ManageMembers]),
            (&["manager"], &[], &[ModerateComments, ReadGroups]),
            (&["superadmin", "Admin", "other"], &[], &[]),
            // Moderators and Librarians; then Moderators is sealed, and its permissions are not
            // among those of the groups any more.
            (&[], &["comments.moderate", "groups.read"], &[ModerateComments, ReadGroups]),
            (&[], &["groups.read"], &[ReadGroups]),
            (&["manager"], &["logins.read"], &[ModerateComments, ReadGroups, ReadLogins]),
            // In Squash, which has none.
            (&[], &[], &[]),
        ];
        for (names, of_groups, expected) in rows {
            let combined = combine(&roles(names), of_groups.iter().copied());
            assert_eq!(combined, expected.iter().copied().collect(), "{names:?} {of_groups:?}");
        }
    }

    #[test]
    fn unknown_permissions_give_nothing() {
        assert_eq!(combine(&roles(&[]), ["everything", ""]), BTreeSet::new());
        for permission in Permission::ALL {
            assert_eq!(Permission::parse(permission.as_str()), Some(permission));
        }
    }

    #[test]
    fn squash_is_for_its_members_and_managers_among_them() {
        let rows: [(&[&str], bool, Squash); 8] = [
            (&["SuperAdmin"], false, Squash::Write),
            (&["SuperAdmin"], true, Squash::Write),
            (&["manager"], true, Squash::Write),
            (&["manager"], false, Squash::None),
            (&["admin"], true, Squash::Read),
            (&["admin"], false, Squash::None),
            (&[], true, Squash::Read),
            (&[], false, Squash::None),
        ];
        for (names, is_in_group, expected) in rows {
            assert_eq!(squash_access(&roles(names), is_in_group), expected, "{names:?}");
        }
    }
}
