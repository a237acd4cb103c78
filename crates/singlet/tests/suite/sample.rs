//! Tables that use every feature of the model.

#![allow(
    unreachable_pub,
    missing_docs,
    dead_code,
    reason = "declared as a program declares its design"
)]

use singlet::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

id!(SiteId, UserId, CommentId, GoalId, MatchId, SessionId, LeagueId, PlayerId);

design!(pub World { Sample, Readings, Blobs });

#[table(
    name = "{env}-sample",
    key = (PK, SK),
    index(
        GSI1 = (GSI1PK, GSI1SK),
        byStars = (starRating: N, siteId),
        "live-index" = (live, startTime) projecting("status")
    ),
    ttl = TTL,
    stream,
    entities(Site, Rating, Comment, Profile, Match, Goal, Session, League, Season, Loan, Reminder)
)]
pub struct Sample;

#[derive(Attribute, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[attribute(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    Scheduled,
    InProgress,
    #[attribute(rename = "FINAL")]
    Over,
}

#[derive(Attribute, Clone, Debug, Default, PartialEq)]
#[attribute(rename_all = "camelCase")]
pub struct Location {
    pub street_name: String,
    pub number: Option<u32>,
    #[attribute(null)]
    pub district: Option<String>,
    #[attribute(default)]
    pub floor: i32,
}

/// Attributes of every type, managed fields, and a version.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key = ("SITE#{id}", "METADATA"), GSI1 by_owner = ("OWNER#{owner}", "SITE#{id}"), rename_all = "camelCase")]
pub struct Site {
    pub id: SiteId,
    pub owner: UserId,
    pub title: String,
    #[attribute(null)]
    pub description: Option<String>,
    pub rating: Option<f64>,
    pub visits: u64,
    pub is_public: bool,
    pub tags: BTreeSet<String>,
    pub history: Vec<String>,
    pub counts: BTreeMap<String, i64>,
    pub location: Option<Location>,
    pub thumbnail: Option<Bytes>,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
    #[attribute(version)]
    pub version: u64,
}

/// A numeric index key that repeats a field; fields stored only in the key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key = ("USER#{user}", "SITE#{site}"), byStars by_stars = ("{stars}", "SITE#{site}"))]
pub struct Rating {
    #[attribute(in_key)]
    pub user: UserId,
    #[attribute(in_key)]
    pub site: SiteId,
    pub stars: u8,
    pub note: Option<String>,
}

/// Shares its sort key prefix with [`Rating`].
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Sample,
    key = ("USER#{user}", "SITE#{site}#COMMENT#{id}"),
    GSI1 of_site = ("SITE#{site}", "COMMENT#{written_at}#{id}")
)]
pub struct Comment {
    pub user: UserId,
    pub site: SiteId,
    pub id: CommentId,
    pub body: String,
    pub written_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key = ("USER#{user}", "PROFILE"))]
pub struct Profile {
    pub user: UserId,
    pub about: String,
}

/// Index keys with several and with optional fields, and index attributes that are plain fields.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Sample,
    key = ("MATCH#{id}", "METADATA"),
    GSI1 by_day = ("DAY#{day}", "{hour:02}#{field}"),
    "live-index" live_now = ("{live}", "{start_time}"),
    rename_all = "camelCase"
)]
pub struct Match {
    pub id: MatchId,
    pub day: Option<SiteId>,
    pub hour: u8,
    pub field: PlayerId,
    pub live: Option<String>,
    pub start_time: Timestamp,
    pub status: Status,
}

/// Numbers within a key.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key timeline = ("MATCH#{game}", "GOAL#{third:01}#{minute:04}#{id}"))]
pub struct Goal {
    pub game: MatchId,
    pub third: u8,
    pub minute: u16,
    pub id: GoalId,
    pub scorer: Option<PlayerId>,
}

#[derive(Collection, Debug, PartialEq)]
pub struct Scoreboard {
    pub game: Match,
    pub goals: Vec<Goal>,
}

#[derive(Collection, Debug, PartialEq)]
pub struct Account {
    pub profile: Option<Profile>,
    pub ratings: Vec<Rating>,
    pub comments: Vec<Comment>,
}

/// Expires.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key = ("USER#{user}", "SESSION#{id}"), GSI1 all_sessions = ("SESSIONS", "{opened_at}"))]
pub struct Session {
    pub user: UserId,
    pub id: SessionId,
    pub device: String,
    pub seen: Option<u32>,
    #[attribute(created)]
    pub opened_at: Timestamp,
    #[attribute(ttl)]
    pub expires: Option<Expiry>,
}

/// In an index only while it is due; the partition of the index key is always known.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key = ("MEMBER#{member}", "LOAN#{book}"), GSI1 by_due = ("MEMBER#{member}", "DUE#{due}"))]
pub struct Loan {
    pub member: UserId,
    pub book: SiteId,
    pub due: Option<Timestamp>,
    pub note: Option<String>,
}

/// In an index only while it is due; the sort key of the index is the field alone.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key = ("USER#{user}", "REMINDER#{id}"), GSI1 by_time = ("REMINDERS#{user}", "{due}"))]
pub struct Reminder {
    pub user: UserId,
    pub id: SiteId,
    pub due: Option<Timestamp>,
}

/// A payload in an envelope.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(
    Sample,
    key = ("LEAGUE#{id}", "METADATA"),
    discriminator = ("entityType", "LEAGUE"),
    payload = "data",
    rename_all = "camelCase"
)]
pub struct League {
    pub id: LeagueId,
    pub full_name: String,
    pub teams: Vec<String>,
    pub founded: Option<u32>,
    pub budget: f64,
    #[attribute(created)]
    pub created_at: Timestamp,
    #[attribute(updated)]
    pub updated_at: Timestamp,
}

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Sample, key seasons_of = ("LEAGUE#{league}", "SEASON#{number:03}"), discriminator = "entityType", payload = "data")]
pub struct Season {
    pub league: LeagueId,
    pub number: u32,
    pub title: String,
}

#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(Site)]
pub struct SiteTitle {
    pub id: SiteId,
    pub title: String,
}

#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(League)]
pub struct LeagueName {
    pub id: LeagueId,
    pub full_name: String,
}

#[derive(Projection, Clone, Debug, PartialEq)]
#[projection(Rating)]
pub struct Stars {
    pub site: SiteId,
    pub stars: u8,
}

/// Numeric keys, and provisioned throughput.
#[table(name = "{env}-readings", key = (sensor: N, at: N), provisioned(5, 5), entities(Reading))]
pub struct Readings;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Readings, key = ("{sensor}", "{at}"))]
pub struct Reading {
    pub sensor: u32,
    pub at: i64,
    pub value: f64,
}

/// A binary key, without a sort key.
#[table(name = "{env}-blobs", key = (hash: B), entities(Blob))]
pub struct Blobs;

#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Blobs, key = ("{hash}"))]
pub struct Blob {
    pub hash: Bytes,
    pub size: u64,
}
