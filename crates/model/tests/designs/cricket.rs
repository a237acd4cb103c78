//! Cricket, as its design document declares it: thirteen tables.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a design is declared as a system does"
)]

use singlet::prelude::*;
use std::collections::BTreeMap;

id!(
    MatchId,
    LeagueCode,
    LeagueId,
    TeamId,
    SeasonId,
    UserId,
    DeviceToken,
    PushToken,
    LockKey,
    Owner,
    BallId
);

design!(pub Cricket {
    Fixtures, Teams, TeamSeasons, Leagues, Devices, MatchFollows, ActivitySubscriptions,
    PrematchNotifications, Locks, StateHashes, DisplayStateCache, FixtureCache,
    MatchProcessingState,
});

#[table(
    name = "cricket-fixtures",
    key = (matchId),
    index(
        "leagueCode-startTime-index" = (leagueCode, startTime),
        "live-index" = (live, startTime)
    ),
    entities(Fixture)
)]
pub struct Fixtures;

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq)]
#[attribute(rename_all = "UPPERCASE")]
pub enum Live {
    Live,
}

/// The keys of both indexes are attributes of the fixture itself.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Fixtures,
    key = ("{match_id}"),
    "leagueCode-startTime-index" of_league = ("{league_code}", "{start_time}"),
    "live-index" live_now = ("{live}", "{start_time}"),
    rename_all = "camelCase"
)]
pub struct Fixture {
    pub match_id: MatchId,
    pub league_code: LeagueCode,
    pub league_id: LeagueId,
    pub start_time: Timestamp,
    pub live: Option<Live>,
    pub live_updated_at: Option<Timestamp>,
    pub archived_at: Option<Timestamp>,
}

#[table(name = "cricket-teams", key = (teamId), entities(Team))]
pub struct Teams;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Teams, key = ("{team_id}"), rename_all = "camelCase")]
pub struct Team {
    pub team_id: TeamId,
}

#[table(name = "cricket-team-seasons", key = (seasonId, teamId), entities(TeamSeason))]
pub struct TeamSeasons;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(TeamSeasons, key of_season = ("{season_id}", "{team_id}"), rename_all = "camelCase")]
pub struct TeamSeason {
    pub season_id: SeasonId,
    pub team_id: TeamId,
}

#[table(name = "cricket-leagues", key = (leagueId), entities(League))]
pub struct Leagues;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Leagues, key = ("{league_id}"), rename_all = "camelCase")]
pub struct League {
    pub league_id: LeagueId,
    pub active: bool,
}

#[table(name = "cricket-devices", key = (userId, deviceToken), ttl = expiresAt, entities(Device))]
pub struct Devices;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Devices, key of_user = ("{user_id}", "{device_token}"), rename_all = "camelCase")]
pub struct Device {
    pub user_id: UserId,
    pub device_token: DeviceToken,
    pub push_to_start_token: Option<PushToken>,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

#[table(name = "cricket-match-follows", key = (matchId, userId), ttl = expiresAt, entities(Follow))]
pub struct MatchFollows;

/// Expires 48 hours after the end of the match: its start, and the length of its format.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(MatchFollows, key followers_of = ("{match_id}", "{user_id}"), rename_all = "camelCase")]
pub struct Follow {
    pub match_id: MatchId,
    pub user_id: UserId,
    pub team_id: TeamId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

#[table(
    name = "cricket-activity-subscriptions",
    key = (matchId, pushToken),
    ttl = expiresAt,
    entities(Subscription)
)]
pub struct ActivitySubscriptions;

/// A user with two devices has two of them for one match.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    ActivitySubscriptions,
    key of_match = ("{match_id}", "{push_token}"),
    rename_all = "camelCase"
)]
pub struct Subscription {
    pub match_id: MatchId,
    pub push_token: PushToken,
    pub user_id: UserId,
    pub team_id: TeamId,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

#[table(
    name = "cricket-prematch-notifications",
    key = (matchId, userId),
    ttl = expiresAt,
    entities(Notification)
)]
pub struct PrematchNotifications;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(PrematchNotifications, key = ("{match_id}", "{user_id}"), rename_all = "camelCase")]
pub struct Notification {
    pub match_id: MatchId,
    pub user_id: UserId,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}

#[table(name = "cricket-locks", key = (lockKey), entities(Lock))]
pub struct Locks;

/// Released by itself in milliseconds, for which a time to live is too coarse.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Locks, key = ("{lock_key}"), rename_all = "camelCase")]
pub struct Lock {
    pub lock_key: LockKey,
    pub owner: Owner,
    pub expires_at: i64,
}

#[table(name = "cricket-state-hashes", key = (matchTeamKey), entities(StateHash))]
pub struct StateHashes;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(StateHashes, key = ("{match_id}#{team_id}"), rename_all = "camelCase")]
pub struct StateHash {
    #[attribute(in_key)]
    pub match_id: MatchId,
    #[attribute(in_key)]
    pub team_id: TeamId,
    pub hash: String,
}

#[table(name = "DisplayStateCache", key = (cacheKey), ttl = ttl, entities(DisplayState))]
pub struct DisplayStateCache;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(DisplayStateCache, key = ("DISPLAY#{match_id}#{team_id}"), rename_all = "camelCase")]
pub struct DisplayState {
    #[attribute(in_key)]
    pub match_id: MatchId,
    #[attribute(in_key)]
    pub team_id: TeamId,
    /// What is shown, as JSON text.
    pub state: String,
    #[attribute(ttl)]
    pub expires: Expiry,
}

#[table(
    name = "cricket-fixture-cache",
    key = (matchId),
    index("leagueId-startingAt-index" = (leagueId, startingAt)),
    ttl = ttl,
    entities(CachedFixture)
)]
pub struct FixtureCache;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    FixtureCache,
    key = ("{match_id}"),
    "leagueId-startingAt-index" of_league = ("{league_id}", "{starting_at}"),
    rename_all = "camelCase"
)]
pub struct CachedFixture {
    pub match_id: MatchId,
    pub league_id: LeagueId,
    pub starting_at: Timestamp,
    pub enrichment: Option<BTreeMap<String, String>>,
    #[attribute(ttl)]
    pub expires: Expiry,
}

#[table(
    name = "match-processing-state",
    key = (matchId),
    ttl = expiresAt,
    entities(ProcessingState)
)]
pub struct MatchProcessingState;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(MatchProcessingState, key = ("{match_id}"), rename_all = "camelCase")]
pub struct ProcessingState {
    pub match_id: MatchId,
    pub ball_by_ball: Vec<String>,
    pub last_processed_ball: BallId,
    #[attribute(ttl)]
    pub expires_at: Expiry,
}
