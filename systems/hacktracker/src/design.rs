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
use singlet::prelude::*;

id! {
    /// A user: the subject of their tokens.
    UserId,
    /// A team.
    TeamId,
    /// A player of one team.
    PlayerId,
    /// A game of one team.
    GameId,
    /// An at-bat of one game. A runner is named by the at-bat that put him on base.
    AtBatId,
    /// The code of an invite, which is in its link.
    InviteCode,
}

/// The one table.
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

/// A user. The id is the subject of the token, so that the primary key allows one user per subject.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    HackTracker,
    key = ("USER#{user_id}", "METADATA"),
    GSI1 by_sub = ("COGNITO#{user_id}", "USER"),
    GSI2 all = ("ENTITY#USER", "METADATA#{user_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// By which others know them.
    pub user_id: UserId,
    /// In lower case. Shown to the user and to admins.
    pub email: String,
    /// The first name.
    pub first_name: String,
    /// The last name.
    pub last_name: String,
    /// In the form of E.164. Shown to the user and to admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// How many teams the user is a member of: see [`limits`](crate::limits).
    pub team_count: u32,
    /// How many players the user is linked to.
    pub player_count: u32,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

singlet_web::roles! {
    /// What a member is to a team, the least first.
    #[derive(Attribute, Serialize, Deserialize, JsonSchema)]
    #[attribute(rename_all = "lowercase")]
    #[serde(rename_all = "lowercase")]
    pub enum Role {
        /// Sees everything, and edits the own player's name and positions.
        Player,
        /// Scores games.
        Scorekeeper,
        /// Manages roster, games, players and scorekeepers.
        Manager,
        /// Does everything.
        Owner,
    }
}

/// Whether a member may use the team.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum MemberStatus {
    /// May use it.
    Active,
    /// May not.
    Inactive,
}

/// A user's membership of a team.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    HackTracker,
    key teams_of = ("USER#{user_id}", "TEAM#{team_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Membership {
    /// The user.
    pub user_id: UserId,
    /// The team.
    pub team_id: TeamId,
    /// What the user is there.
    pub role: Role,
    /// Whether the user may use the team.
    pub status: MemberStatus,
    /// When the user joined.
    pub joined_at: Timestamp,
    /// Who invited the user; nobody for the creator of a team.
    #[attribute(null)]
    pub invited_by: Option<UserId>,
    /// The player that is linked to this user here. At most one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_id: Option<PlayerId>,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A team's member: the [`Membership`] the other way round, written in the same transactions.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    HackTracker,
    key members_of = ("TEAM#{team_id}", "MEMBER#{user_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct TeamMember {
    /// The user.
    pub user_id: UserId,
    /// The team.
    pub team_id: TeamId,
    /// What the user is there.
    pub role: Role,
    /// Whether the user may use the team.
    pub status: MemberStatus,
    /// When the user joined.
    pub joined_at: Timestamp,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// What a team is for.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum TeamType {
    /// A roster, lineups, and games scored at-bat by at-bat.
    Managed,
    /// One user's own at-bats.
    Personal,
}

/// A team.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    HackTracker,
    key = ("TEAM#{team_id}", "METADATA"),
    GSI2 all = ("ENTITY#TEAM", "METADATA#{team_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Team {
    /// By which it is known.
    pub team_id: TeamId,
    /// What it is called.
    pub name: String,
    /// What there is to say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The owner who joined the team first.
    pub owner_id: UserId,
    /// What it is for.
    #[attribute(rename = "team_type")]
    #[serde(rename = "team_type")]
    pub team_type: TeamType,
    /// How many active owners there are: guards the last one.
    pub owner_count: u32,
    /// How many members there are: see [`limits`](crate::limits).
    pub member_count: u32,
    /// How many players there are.
    pub player_count: u32,
    /// How many games there are.
    pub game_count: u32,
    /// How many invites were ever made: guards the number of open ones.
    #[serde(skip)]
    pub invites_made: u64,
    /// When it was deleted. It can be recovered for thirty days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Who deleted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_by: Option<UserId>,
    /// When members and invites of the deleted team were removed.
    #[serde(skip)]
    pub purged_at: Option<Timestamp>,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// Where a player plays.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "the names are those of the game")]
pub enum Position {
    #[attribute(rename = "1B")]
    #[serde(rename = "1B")]
    First,
    #[attribute(rename = "2B")]
    #[serde(rename = "2B")]
    Second,
    #[attribute(rename = "3B")]
    #[serde(rename = "3B")]
    Third,
    Ss,
    Of,
    C,
    P,
    Dh,
    Util,
}

/// Whether a player plays.
#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum PlayerStatus {
    /// Plays.
    Active,
    /// Does not play at the moment.
    Inactive,
    /// Plays when somebody is missing.
    Sub,
}

/// A player on a roster. One who is not linked to a user is a ghost.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    HackTracker,
    key roster = ("TEAM#{team_id}", "PLAYER#{player_id}"),
    GSI4 of_user = ("USER#{user_id}", "PLAYER#{player_id}"),
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Player {
    /// By which it is known.
    pub player_id: PlayerId,
    /// The team.
    pub team_id: TeamId,
    /// The first name.
    pub first_name: String,
    /// The last name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// The number on the shirt, 0 to 99, once in a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player_number: Option<u8>,
    /// Where it plays: up to three.
    pub positions: Vec<Position>,
    /// Whether it plays.
    pub status: PlayerStatus,
    /// Whether no user is linked to it.
    pub is_ghost: bool,
    /// The linked user.
    #[attribute(null)]
    pub user_id: Option<UserId>,
    /// When the user was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked_at: Option<Timestamp>,
    /// Whether it has had an at-bat. Set in the at-bat's transaction, because an index lags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batted: Option<bool>,
    /// How many at-bats it has: see [`limits`](crate::limits).
    pub at_bat_count: u32,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// Keeps a number from being given twice in a team.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key numbers_of = ("TEAM#{team_id}", "NUMBER#{player_number:02}"),
    rename_all = "camelCase"
)]
pub struct PlayerNumber {
    /// The team.
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// The number.
    #[attribute(in_key)]
    pub player_number: u8,
    /// Who has it.
    pub player_id: PlayerId,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// An invite: whoever has its code may join the team.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key invites_of = ("TEAM#{team_id}", "INVITE#{code}"),
    rename_all = "camelCase"
)]
pub struct Invite {
    /// The team.
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// What the link carries.
    pub code: InviteCode,
    /// What the user will be.
    pub role: Role,
    /// The ghost to link.
    pub player_id: Option<PlayerId>,
    /// Who made it.
    pub invited_by: UserId,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[attribute(updated)]
    pub updated_at: Timestamp,
    /// When it is gone.
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

/// A team with its members, its roster and its invites: one Query.
#[derive(Collection, Clone, Debug, PartialEq)]
pub struct TeamPartition {
    /// The team.
    pub team: Team,
    /// Its members, by user.
    pub members: Vec<TeamMember>,
    /// Its players, by id.
    pub players: Vec<Player>,
    /// The numbers that are taken.
    pub numbers: Vec<PlayerNumber>,
    /// Its open invites.
    pub invites: Vec<Invite>,
}
