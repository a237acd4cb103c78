//! 3FC, as its design document declares it: one table, every item an envelope around its payload.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a design is declared as a system does"
)]

use singlet::prelude::*;

id!(LeagueId, SeasonId, TeamId, SessionId, GameId, EventId, PlayerId, UserId);

#[table(
    name = "3fc-{env}-app",
    key = (pk, sk),
    entities(
        League, Season, SeasonScope, Team, Session, SessionScope, Game, Goal, RosterEntry,
        SessionGame, AclGrant, AclOfUser, Player
    )
)]
pub struct ThreeFc;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("LEAGUE#{league_id}", "METADATA"),
    discriminator = ("entityType", "league"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct League {
    pub league_id: LeagueId,
    pub name: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_league = ("LEAGUE#{league_id}", "SEASON#{season_id}"),
    discriminator = ("entityType", "season"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Season {
    pub league_id: LeagueId,
    pub season_id: SeasonId,
    pub name: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// Which league a season is of.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("SEASON#{season_id}", "METADATA"),
    discriminator = ("entityType", "season"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct SeasonScope {
    pub season_id: SeasonId,
    pub league_id: LeagueId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_season = ("SEASON#{season_id}", "TEAM#{team_id}"),
    discriminator = ("entityType", "team"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Team {
    pub season_id: SeasonId,
    pub team_id: TeamId,
    pub name: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_season = ("SEASON#{season_id}", "SESSION#{session_id}"),
    discriminator = ("entityType", "session"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Session {
    pub season_id: SeasonId,
    pub session_id: SessionId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// Which season a session is of.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("SESSION#{session_id}", "METADATA"),
    discriminator = ("entityType", "session"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct SessionScope {
    pub session_id: SessionId,
    pub season_id: SeasonId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("GAME#{game_id}", "METADATA"),
    discriminator = ("entityType", "game"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Game {
    pub game_id: GameId,
    pub session_id: SessionId,
    pub game_start_ts: Timestamp,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key timeline = ("GAME#{game_id}", "GOAL#{third:01}#{game_minute:04}#{event_id}"),
    discriminator = ("entityType", "goal"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Goal {
    pub game_id: GameId,
    pub third: u8,
    pub game_minute: u16,
    pub event_id: EventId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key roster = ("GAME#{game_id}", "ROSTER#{team_id}#{player_id}"),
    discriminator = ("entityType", "roster"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct RosterEntry {
    pub game_id: GameId,
    pub team_id: TeamId,
    pub player_id: PlayerId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// The games of a session, in the order of their start.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_session = ("SESSION#{session_id}", "GAME#{game_start_ts}#{game_id}"),
    discriminator = ("entityType", "sessionGame"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct SessionGame {
    pub session_id: SessionId,
    pub game_start_ts: Timestamp,
    pub game_id: GameId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "lowercase")]
pub enum Role {
    Admin,
    Scorekeeper,
    Viewer,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_league = ("LEAGUE#{league_id}", "ACL#USER#{user_id}"),
    discriminator = ("entityType", "acl"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct AclGrant {
    pub league_id: LeagueId,
    pub user_id: UserId,
    pub role: Role,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

/// The leagues that a user may see.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key of_user = ("USER#{user_id}", "ACL#LEAGUE#{league_id}"),
    discriminator = ("entityType", "acl"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct AclOfUser {
    pub user_id: UserId,
    pub league_id: LeagueId,
    pub role: Role,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ThreeFc,
    key = ("PLAYER#{player_id}", "PROFILE"),
    discriminator = ("entityType", "player"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct Player {
    pub player_id: PlayerId,
    pub nickname: String,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}
