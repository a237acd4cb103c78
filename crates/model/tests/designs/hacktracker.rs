//! HackTracker, as its design document declares it: one table, five indexes.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a design is declared as a system does"
)]

use singlet::prelude::*;

id!(UserId, CognitoSub, TeamId, PlayerId, GameId, AtBatId, SeasonId);

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
    entities(User, Membership, TeamMember, Team, Player, PlayerNumber, Game, AtBat)
)]
pub struct HackTracker;

/// The Cognito sub is stored within the key of GSI1 and nowhere else, as the document shows it.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key = ("USER#{user_id}", "METADATA"),
    GSI1 by_cognito_sub = ("COGNITO#{cognito_sub}", "USER"),
    GSI2 all = ("ENTITY#USER", "METADATA#{user_id}"),
    rename_all = "camelCase"
)]
pub struct User {
    pub user_id: UserId,
    #[attribute(in_key)]
    pub cognito_sub: CognitoSub,
    pub email: String,
    pub first_name: String,
    pub last_name: String,
    pub phone_number: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum Role {
    Owner,
    Manager,
    Player,
    Scorekeeper,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key teams_of = ("USER#{user_id}", "TEAM#{team_id}"),
    rename_all = "camelCase"
)]
pub struct Membership {
    pub user_id: UserId,
    pub team_id: TeamId,
    pub role: Role,
    pub status: String,
    pub joined_at: Timestamp,
    #[attribute(null)]
    pub invited_by: Option<UserId>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// The members of a team: memberships the other way round.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key members_of = ("TEAM#{team_id}", "MEMBER#{user_id}"),
    rename_all = "camelCase"
)]
pub struct TeamMember {
    pub user_id: UserId,
    pub team_id: TeamId,
    pub role: Role,
    pub status: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "UPPERCASE")]
pub enum TeamType {
    Managed,
    Personal,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key = ("TEAM#{team_id}", "METADATA"),
    GSI2 all = ("ENTITY#TEAM", "METADATA#{team_id}"),
    rename_all = "camelCase"
)]
pub struct Team {
    pub team_id: TeamId,
    pub name: String,
    pub description: String,
    pub owner_id: UserId,
    #[attribute(rename = "team_type")]
    pub team_type: TeamType,
    pub deleted_at: Option<Timestamp>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum PlayerStatus {
    Active,
    Inactive,
    Sub,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key roster = ("TEAM#{team_id}", "PLAYER#{player_id}"),
    GSI4 of_user = ("USER#{user_id}", "PLAYER#{player_id}"),
    rename_all = "camelCase"
)]
pub struct Player {
    pub player_id: PlayerId,
    pub team_id: TeamId,
    pub first_name: String,
    pub last_name: String,
    pub player_number: u8,
    pub positions: Vec<String>,
    pub status: PlayerStatus,
    pub is_ghost: bool,
    #[attribute(null)]
    pub user_id: Option<UserId>,
    pub linked_at: Option<Timestamp>,
    #[attribute(created)]
    pub created_at: Timestamp,
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
    #[attribute(in_key)]
    pub team_id: TeamId,
    #[attribute(in_key)]
    pub player_number: u8,
    pub player_id: PlayerId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GameStatus {
    Scheduled,
    InProgress,
    Final,
    Postponed,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key = ("GAME#{game_id}", "METADATA"),
    GSI2 all = ("ENTITY#GAME", "METADATA#{game_id}"),
    GSI3 of_team = ("TEAM#{team_id}", "GAME#{game_id}"),
    rename_all = "camelCase"
)]
pub struct Game {
    pub game_id: GameId,
    pub team_id: TeamId,
    pub status: GameStatus,
    pub scheduled_start: Option<Timestamp>,
    pub opponent_name: Option<String>,
    pub location: Option<String>,
    pub season_id: Option<SeasonId>,
    pub team_score: u32,
    pub opponent_score: u32,
    pub lineup: Option<Vec<PlayerId>>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "UPPERCASE")]
pub enum AtBatResult {
    K,
    Bb,
    Hbp,
    #[attribute(rename = "1B")]
    Single,
    #[attribute(rename = "2B")]
    Double,
    #[attribute(rename = "3B")]
    Triple,
    Hr,
    Out,
    Sac,
    Fc,
    E,
}

/// Where on the field the ball landed, both from 0 to 1.
#[derive(Attribute, Clone, Copy, Debug, PartialEq)]
pub struct HitLocation {
    pub x: f64,
    pub y: f64,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    HackTracker,
    key of_game = ("GAME#{game_id}", "ATBAT#{at_bat_id}"),
    GSI5 of_player = ("PLAYER#{player_id}", "ATBAT#{at_bat_id}"),
    rename_all = "camelCase"
)]
pub struct AtBat {
    pub game_id: GameId,
    pub at_bat_id: AtBatId,
    pub player_id: PlayerId,
    pub team_id: TeamId,
    pub inning: u8,
    pub outs: u8,
    pub result: AtBatResult,
    pub rbis: u8,
    pub hit_location: Option<HitLocation>,
    pub hit_type: Option<String>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}
