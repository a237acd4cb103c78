//! Leagues: people with roles in them, invitations, players.

use super::{InviteHash, LeagueId, PlayerId, ThreeFc, UserId, items, values};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;

values! {
    "lowercase"
    /// A private league is visible to people with a role in it.
    #[derive(Copy, Default)]
    pub enum Visibility { #[default] Public, Private };
}

singlet_web::roles! {
    /// A role in a league. Greater roles include lesser ones.
    #[derive(Attribute, Serialize, Deserialize, JsonSchema)]
    #[attribute(rename_all = "lowercase")]
    #[serde(rename_all = "lowercase")]
    pub enum Role { Viewer, Scorekeeper, Admin }
}

/// The same fields for an item and its mirror in another partition.
macro_rules! mirrored {
    ($kind:literal / $mirror_kind:literal
        $name:ident ($($key:tt)+) / $mirror:ident ($($mirror_key:tt)+) { $($(#[$attribute:meta])* $field:ident: $type:ty,)+ }
    ) => {
        items! {
            #[item($kind, $($key)+)]
            pub struct $name { $($(#[$attribute])* pub $field: $type,)+ }

            #[item($mirror_kind, $($mirror_key)+)]
            pub struct $mirror { $($(#[$attribute])* pub $field: $type,)+ }
        }

        impl From<$name> for $mirror {
            fn from(one: $name) -> Self {
                let $name { $($field,)+ created_at, updated_at } = one;
                Self { $($field,)+ created_at, updated_at }
            }
        }

        impl From<$mirror> for $name {
            fn from(one: $mirror) -> Self {
                let $mirror { $($field,)+ created_at, updated_at } = one;
                Self { $($field,)+ created_at, updated_at }
            }
        }
    };
}

mirrored! {
    "acl" / "acl"
    Grant (key of_league = ("LEAGUE#{league_id}", "ACL#USER#{user_id}")) /
    GrantMirror (key of_user = ("USER#{user_id}", "ACL#LEAGUE#{league_id}")) {
        league_id: LeagueId,
        user_id: UserId,
        role: Role,
        display_name: String,
        granted_by_user_id: UserId,
    }
}

mirrored! {
    "player" / "leaguePlayer"
    Player (key = ("PLAYER#{player_id}", "PROFILE")) /
    LeaguePlayer (key of_league = ("LEAGUE#{league_id}", "PLAYER#{player_id}")) {
        player_id: PlayerId,
        league_id: LeagueId,
        nickname: String,
        /// The number on the shirt.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u8>,
        archived: bool,
    }
}

items! {
    #[item("league", key = ("LEAGUE#{league_id}", "METADATA"))]
    pub struct League {
        pub league_id: LeagueId,
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub city: Option<String>,
        pub visibility: Visibility,
        #[serde(skip)]
        pub created_by_user_id: UserId,
        pub admins: u32,
        /// The number of people with a role in it.
        pub grants: u32,
        /// The number of open invitations.
        pub invites: u32,
        pub seasons: u32,
        pub players: u32,
    }

    /// A public league in the list of all of them.
    #[item("leagueListing", key = ("LEAGUES", "LEAGUE#{league_id}"))]
    pub struct Listing {
        pub league_id: LeagueId,
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub city: Option<String>,
    }

    /// A person with a role in at least one league. It is deleted with the last role.
    #[item("user", key = ("USER#{user_id}", "METADATA"))]
    pub struct User {
        pub user_id: UserId,
        /// The number of leagues in which they have a role.
        pub leagues: u32,
    }

    /// An invitation to a league. Its code is stored nowhere.
    #[item("invite", key of_league = ("LEAGUE#{league_id}", "INVITE#{hash}"))]
    pub struct Invitation {
        #[serde(skip)]
        pub league_id: LeagueId,
        /// The hash of its code.
        #[attribute(in_key)]
        pub hash: InviteHash,
        pub role: Role,
        pub created_by_user_id: UserId,
        pub expires_at: Timestamp,
    }
}

impl From<&League> for Listing {
    fn from(league: &League) -> Self {
        let League { league_id, name, city, created_at, updated_at, .. } = league.clone();
        Self { league_id, name, city, created_at, updated_at }
    }
}
