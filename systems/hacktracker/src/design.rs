//! The table: users, teams with members and rosters, games and at-bats.
//!
//! As the source declares it, with GSI4 and GSI5 filled. Three entities are ours: [`TeamMember`],
//! [`PlayerNumber`] and [`Invite`] answer questions that the source has no key for, and the
//! attributes of a [`Game`] from `homeAway` on make its one item the place where every change of
//! the game is ordered.

mod game;

pub use game::{
    AtBat, AtBatResult, Book, EventKind, Game, GameState, GameStatus, Half, HandScore, HitLocation,
    HitType, HomeAway, How, LastEvent, Move,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::design::Acceptance;
use singlet::prelude::*;

id!(UserId, TeamId, PlayerId, GameId, AtBatId, InviteCode);

#[table(
    name = "hacktracker-{environment}",
    key = (PK, SK),
    index(
        GSI1 = (GSI1PK, GSI1SK),
        GSI2 = (GSI2PK, GSI2SK),
        GSI3 = (GSI3PK, GSI3SK),
        GSI4 = (GSI4PK, GSI4SK),
        GSI5 = (GSI5PK, GSI5SK)
    ),
    ttl = expiresAt,
    stream,
    entities(User, Membership, TeamMember, Team, Player, PlayerNumber, Invite, Game, AtBat)
)]
pub struct HackTracker;

/// Declares items: keys, and fields besides the times of creation and of the last change. A field
/// with `?` is left out when it has no value.
macro_rules! items {
    ($(
        $(#[$attribute:meta])*
        $name:ident ($($keys:tt)+) {
            $($(#[$field_attribute:meta])* $field:ident
                $(?: $optional:ty)? $(| null: $nullable:ty)? $(: $type:ty)?,)+
        }
    )+) => {
        $(
            #[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
            $(#[$attribute])*
            #[entity(HackTracker, $($keys)+, rename_all = "camelCase")]
            #[serde(rename_all = "camelCase")]
            pub struct $name {
                $(
                    $(#[$field_attribute])*
                    $(pub $field: $type,)?
                    $(
                        #[attribute(null)]
                        pub $field: Option<$nullable>,
                    )?
                    $(
                        #[serde(skip_serializing_if = "Option::is_none")]
                        pub $field: Option<$optional>,
                    )?
                )+
                #[attribute(created)]
                pub created_at: Timestamp,
                #[attribute(updated)]
                pub updated_at: Timestamp,
            }
        )+
    };
}

/// Declares enums by the names that are stored and sent.
macro_rules! names {
    ($(
        $(#[$attribute:meta])*
        $name:ident { $($(#[$variant_attribute:meta])* $variant:ident = $text:literal),+ $(,)? }
    )+) => {
        $(
            #[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
            $(#[$attribute])*
            pub enum $name {
                $(
                    $(#[$variant_attribute])*
                    #[attribute(rename = $text)]
                    #[serde(rename = $text)]
                    $variant,
                )+
            }

            impl $name {
                pub fn name(self) -> &'static str {
                    match self {
                        $(Self::$variant => $text,)+
                    }
                }
            }
        )+
    };
}
use {items, names};

singlet_web::roles! {
    #[derive(Attribute, Serialize, Deserialize, JsonSchema)]
    #[attribute(rename_all = "lowercase")]
    #[serde(rename_all = "lowercase")]
    pub enum Role { Player, Scorekeeper, Manager, Owner }
}

names! {
    MemberStatus { Active = "active", Inactive = "inactive" }

    #[derive(Default)]
    TeamType {
        #[default]
        Managed = "MANAGED",
        /// A label for one's own at-bats: one owner, who is its one player.
        Personal = "PERSONAL",
    }

    Position {
        P = "P", C = "C", First = "1B", Second = "2B", Third = "3B", Ss = "SS",
        Lf = "LF", Lc = "LC", Cf = "CF", Rc = "RC", Rf = "RF", Of = "OF",
        /// The short fielder, the tenth of slow-pitch.
        Sf = "SF",
        Dh = "DH", Dp = "DP", Eh = "EH", Util = "UTIL",
    }

    PlayerStatus { Active = "active", Inactive = "inactive", Sub = "sub" }
}

items! {
    /// A user. The id is the subject of the token, so that the primary key allows one user per subject.
    User (
        key = ("USER#{user_id}", "METADATA"),
        GSI1 by_sub = ("COGNITO#{user_id}", "USER"),
        GSI2 all = ("ENTITY#USER", "METADATA#{user_id}")
    ) {
        user_id: UserId,
        /// In lower case. Shown to the user and to admins.
        email: String,
        first_name: String,
        last_name: String,
        /// In the form of E.164. Shown to the user and to admins.
        phone_number?: String,
        /// How many teams the user is a member of. Counts are for [`limits`](crate::limits).
        team_count: u32,
        /// How many PERSONAL teams the user has that are not deleted: 1 to 10. Users of older versions
        /// have no count.
        #[attribute(default)]
        personal_count: u32,
        player_count: u32,
    }

    Membership (key teams_of = ("USER#{user_id}", "TEAM#{team_id}")) {
        user_id: UserId,
        team_id: TeamId,
        role: Role,
        status: MemberStatus,
        joined_at: Timestamp,
        /// Null for the creator of a team.
        invited_by | null: UserId,
        player_id?: PlayerId,
    }

    /// A team's member: the [`Membership`] the other way round, written in the same transactions.
    TeamMember (key members_of = ("TEAM#{team_id}", "MEMBER#{user_id}")) {
        user_id: UserId,
        team_id: TeamId,
        role: Role,
        status: MemberStatus,
        joined_at: Timestamp,
    }

    Team (
        key = ("TEAM#{team_id}", "METADATA"),
        GSI2 all = ("ENTITY#TEAM", "METADATA#{team_id}")
    ) {
        team_id: TeamId,
        name: String,
        description?: String,
        owner_id: UserId,
        #[attribute(rename = "team_type")]
        #[serde(rename = "team_type")]
        team_type: TeamType,
        /// How many active owners there are: guards the last one.
        owner_count: u32,
        member_count: u32,
        player_count: u32,
        game_count: u32,
        /// How many invites were ever made: guards the number of open ones.
        #[serde(skip)]
        invites_made: u64,
        deleted_at?: Timestamp,
        deleted_by?: UserId,
        #[serde(skip)]
        purged_at: Option<Timestamp>,
    }

    /// A player on a roster. One who is not linked to a user is a ghost.
    Player (
        key roster = ("TEAM#{team_id}", "PLAYER#{player_id}"),
        GSI4 of_user = ("USER#{user_id}", "PLAYER#{player_id}")
    ) {
        player_id: PlayerId,
        team_id: TeamId,
        first_name: String,
        last_name?: String,
        /// The number on the shirt, 0 to 99, once in a team.
        player_number?: u8,
        /// Up to five different ones.
        positions: Vec<Position>,
        status: PlayerStatus,
        is_ghost: bool,
        /// Null for a ghost.
        user_id | null: UserId,
        linked_at?: Timestamp,
        /// Whether it has had an at-bat. Set in the at-bat's transaction, because an index lags.
        batted?: bool,
        at_bat_count: u32,
    }

    /// Keeps a number from being given twice in a team.
    PlayerNumber (key numbers_of = ("TEAM#{team_id}", "NUMBER#{player_number:02}")) {
        #[attribute(in_key)]
        team_id: TeamId,
        #[attribute(in_key)]
        player_number: u8,
        player_id: PlayerId,
    }

    Invite (key invites_of = ("TEAM#{team_id}", "INVITE#{code}")) {
        #[attribute(in_key)]
        team_id: TeamId,
        code: InviteCode,
        role: Role,
        /// The ghost to link.
        player_id: Option<PlayerId>,
        invited_by: UserId,
        #[attribute(ttl)]
        #[serde(skip)]
        expires_at: Expiry,
    }
}

impl From<&Membership> for TeamMember {
    fn from(of: &Membership) -> Self {
        let Membership {
            user_id, team_id, role, status, joined_at, created_at, updated_at, ..
        } = of.clone();
        Self { user_id, team_id, role, status, joined_at, created_at, updated_at }
    }
}

/// A team with its members, its roster and its invites: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct TeamPartition {
    pub team: Team,
    pub members: Vec<TeamMember>,
    pub players: Vec<Player>,
    pub numbers: Vec<PlayerNumber>,
    pub invites: Vec<Invite>,
}

/// Accepted findings of `singlet check`.
#[must_use]
pub fn accepted() -> Vec<Acceptance> {
    let because =
        "the source lists all entities of a type in one partition, and admins alone read it";
    vec![Acceptance::new("SD204", because).index("GSI2")]
}
