//! Leagues, and who may do what in them.

use crate::design::{
    Grant, Invitation, InviteHash, League, LeagueId, Role, Season, UserId, Visibility,
};
use schemars::JsonSchema;
use serde::Serialize;
use singlet::Timestamp;

/// A league.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeagueInfo {
    /// Its id.
    pub league_id: LeagueId,
    /// Its name.
    pub name: String,
    /// Where it plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Who can see it.
    pub visibility: Visibility,
    /// Who created it: for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by_user_id: Option<UserId>,
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
}

impl LeagueInfo {
    /// The league as somebody with this role sees it.
    #[must_use]
    pub fn new(league: &League, role: Option<Role>) -> Self {
        Self {
            league_id: league.league_id.clone(),
            name: league.name.clone(),
            city: league.city.clone(),
            visibility: league.visibility,
            created_by_user_id: (role == Some(Role::Admin))
                .then(|| league.created_by_user_id.clone()),
            admins: league.admins,
            grants: league.grants,
            invites: league.invites,
            seasons: league.seasons,
            players: league.players,
        }
    }
}

/// A league with its seasons.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeagueView {
    /// The league.
    pub league: LeagueInfo,
    /// Its seasons, newest first.
    pub seasons: Vec<Season>,
    /// The caller's role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_role: Option<Role>,
}

/// A user's role in a league.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantView {
    /// The league.
    pub league_id: LeagueId,
    /// Who: for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<UserId>,
    /// Their role.
    pub role: Role,
    /// Their display name in the league.
    pub display_name: String,
    /// Who gave it: for admins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by_user_id: Option<UserId>,
}

impl GrantView {
    /// The grant as an admin of the league sees it, or as everybody else does.
    #[must_use]
    pub fn new(grant: Grant, is_admin: bool) -> Self {
        Self {
            league_id: grant.league_id,
            user_id: is_admin.then_some(grant.user_id),
            role: grant.role,
            display_name: grant.display_name,
            granted_by_user_id: is_admin.then_some(grant.granted_by_user_id),
        }
    }
}

/// An open invitation, for admins.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InviteView {
    /// By which it is deleted.
    pub hash: InviteHash,
    /// The role that it gives.
    pub role: Role,
    /// Who made it.
    pub created_by_user_id: UserId,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
}

impl From<Invitation> for InviteView {
    fn from(invite: Invitation) -> Self {
        let Invitation { hash, role, created_by_user_id, expires_at, .. } = invite;
        Self { hash, role, created_by_user_id, expires_at }
    }
}

/// A new invitation, with its code.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewInviteView {
    /// The code that accepts it. It is answered only once.
    pub code: String,
    /// By which it is deleted.
    pub hash: InviteHash,
    /// The role that it gives.
    pub role: Role,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
}

/// The league and the role of an invitation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitePreview {
    /// The league.
    pub league_id: LeagueId,
    /// Its name.
    pub name: String,
    /// The role that it gives.
    pub role: Role,
}

/// The caller.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MeView {
    /// The caller's id.
    pub user_id: UserId,
    /// Leagues in which the caller has a role, by id.
    pub leagues: Vec<MyLeague>,
    /// Pass this as `cursor` to get more leagues. It is missing when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A league of the caller.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MyLeague {
    /// The league.
    pub league_id: LeagueId,
    /// Its name.
    pub name: String,
    /// The caller's role.
    pub role: Role,
}
