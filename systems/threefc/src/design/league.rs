//! Leagues: who they are, who may do what in them, and their players.

use super::{InviteHash, LeagueId, PlayerId, ThreeFc, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use singlet::prelude::*;

/// Who can see a league.
#[derive(
    Attribute, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema,
)]
#[attribute(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// Those who have a grant.
    Private,
}

singlet_web::roles! {
    /// A role in a league. Greater roles include lesser ones.
    #[derive(Attribute, Serialize, Deserialize, JsonSchema)]
    #[attribute(rename_all = "lowercase")]
    #[serde(rename_all = "lowercase")]
    pub enum Role { Viewer, Scorekeeper, Admin }
}

/// A league.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("LEAGUE#{league_id}", "METADATA"),
    discriminator = ("entityType", "league"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct League {
    /// Its id.
    pub league_id: LeagueId,
    /// Its name.
    pub name: String,
    /// Where it plays.
    pub city: Option<String>,
    /// Who can see it.
    pub visibility: Visibility,
    /// Who created it.
    pub created_by_user_id: UserId,
    /// How many admins it has.
    pub admins: u32,
    /// How many grants it has.
    pub grants: u32,
    /// How many open invitations it has.
    pub invites: u32,
    /// How many seasons it has.
    pub seasons: u32,
    /// How many players it has.
    pub players: u32,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A public league in the list of all of them.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key = ("LEAGUES", "LEAGUE#{league_id}"),
    discriminator = ("entityType", "leagueListing"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// The league.
    pub league_id: LeagueId,
    /// Its name.
    pub name: String,
    /// Where it plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// A user's role in a league.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_league = ("LEAGUE#{league_id}", "ACL#USER#{user_id}"),
    discriminator = ("entityType", "acl"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Grant {
    /// The league.
    pub league_id: LeagueId,
    /// Who has it.
    pub user_id: UserId,
    /// Their role.
    pub role: Role,
    /// Their display name in the league.
    pub display_name: String,
    /// Who gave it.
    pub granted_by_user_id: UserId,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// The same grant, by user: the leagues of somebody.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_user = ("USER#{user_id}", "ACL#LEAGUE#{league_id}"),
    discriminator = ("entityType", "acl"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct GrantMirror {
    /// The league.
    pub league_id: LeagueId,
    /// Who has it.
    pub user_id: UserId,
    /// Their role.
    pub role: Role,
    /// Their display name in the league.
    pub display_name: String,
    /// Who gave it.
    pub granted_by_user_id: UserId,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A user: a person with a role in at least one league. It is deleted with the last role.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("USER#{user_id}", "METADATA"),
    discriminator = ("entityType", "user"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct User {
    /// Who.
    pub user_id: UserId,
    /// The number of leagues in which they have a role.
    pub leagues: u32,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// An invitation to a league. Its code is stored nowhere.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_league = ("LEAGUE#{league_id}", "INVITE#{hash}"),
    discriminator = ("entityType", "invite"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Invitation {
    /// The league.
    pub league_id: LeagueId,
    /// The hash of its code.
    #[attribute(in_key)]
    pub hash: InviteHash,
    /// The role that it gives.
    pub role: Role,
    /// Who made it.
    pub created_by_user_id: UserId,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// A player.
#[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[entity(
    ThreeFc,
    key = ("PLAYER#{player_id}", "PROFILE"),
    discriminator = ("entityType", "player"),
    payload = "data",
    rename_all = "camelCase"
)]
#[serde(rename_all = "camelCase")]
pub struct Player {
    /// Its id.
    pub player_id: PlayerId,
    /// The league that created it.
    pub league_id: LeagueId,
    /// The player's nickname.
    pub nickname: String,
    /// The number on the shirt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
    /// Whether the player no longer plays.
    pub archived: bool,
    /// When it was created.
    #[attribute(created)]
    #[serde(skip)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    #[serde(skip)]
    pub updated_at: Timestamp,
}

/// The same player in the list of a league.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_league = ("LEAGUE#{league_id}", "PLAYER#{player_id}"),
    discriminator = ("entityType", "leaguePlayer"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct LeaguePlayer {
    /// Its id.
    pub player_id: PlayerId,
    /// The league that created it.
    pub league_id: LeagueId,
    /// The player's nickname.
    pub nickname: String,
    /// The number on the shirt.
    pub number: Option<u8>,
    /// Whether the player no longer plays.
    pub archived: bool,
    /// When it was created.
    #[attribute(created)]
    pub created_at: Timestamp,
    /// When it was last written: its version.
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

impl From<Grant> for GrantMirror {
    fn from(grant: Grant) -> Self {
        let Grant {
            league_id,
            user_id,
            role,
            display_name,
            granted_by_user_id,
            created_at,
            updated_at,
        } = grant;
        Self { league_id, user_id, role, display_name, granted_by_user_id, created_at, updated_at }
    }
}

impl From<Player> for LeaguePlayer {
    fn from(player: Player) -> Self {
        let Player { player_id, league_id, nickname, number, archived, created_at, updated_at } =
            player;
        Self { player_id, league_id, nickname, number, archived, created_at, updated_at }
    }
}

impl From<LeaguePlayer> for Player {
    fn from(player: LeaguePlayer) -> Self {
        let LeaguePlayer {
            player_id,
            league_id,
            nickname,
            number,
            archived,
            created_at,
            updated_at,
        } = player;
        Self { player_id, league_id, nickname, number, archived, created_at, updated_at }
    }
}
