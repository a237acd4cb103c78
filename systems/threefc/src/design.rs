//! The table: every item is an envelope of six texts, with its fields as JSON in `data`.
//!
//! DynamoDB cannot look into `data`, so conditions use the envelope: `updatedAt` is the version of
//! an item. [`Stamped`] gives it to all entities.

mod event;
mod game;
mod league;
mod season;

pub use event::{EventKind, GoalView, Message, PlayerRef};
pub use game::{
    AbandonReason, Abandoned, AuditAction, AuditRecord, DrawKind, Game, GameItems, GameLink,
    GameResult, GameStatus, Goal, GoalMarker, Outcome, RosterEntry, SessionGames, TeamOutcome,
    TeamResult, TeamScore, Third,
};
pub use league::{
    Grant, GrantMirror, Invitation, League, LeaguePlayer, Listing, Player, Role, User, Visibility,
};
pub use season::{
    Color, Season, SeasonMirror, SeasonTables, Session, SessionMirror, Standing, Statistic, Team,
};

use singlet::design::Acceptance;
use singlet::prelude::*;
use std::time::Duration;

id! {
    LeagueId, SeasonId, SessionId, GameId, PlayerId,
    /// Unique within its season.
    TeamId,
    /// The entry of a goal: a UUIDv7 that the client makes.
    EventId,
    /// The subject of the token, with `%` and `#` percent-encoded.
    UserId,
    /// The SHA-256 of an invitation's code, in hexadecimal digits.
    InviteHash,
}

#[table(
    name = "3fc-{env}-app",
    key = (pk, sk),
    stream,
    entities(
        League, Season, SeasonMirror, Team, Session, SessionMirror, Game, Goal, RosterEntry,
        GameLink, Grant, GrantMirror, Player, LeaguePlayer, Listing, Invitation, GoalMarker,
        AuditRecord, Standing, Statistic, User
    )
)]
pub struct ThreeFc;

// Limits. Each is kept by a count in an item that is rewritten with every addition.
pub const LEAGUES_MAX: u32 = 200;
/// From this number on, a user joins leagues only by accepting invitations: other people cannot use
/// up the rest.
pub const LEAGUES_GRANTED_MAX: u32 = 100;
pub const GRANTS_MAX: u32 = 40;
pub const INVITES_MAX: u32 = 15;
pub const SEASONS_MAX: u32 = 60;
pub const PLAYERS_MAX: u32 = 500;
pub const TEAMS_MAX: u32 = 24;
pub const SESSIONS_MAX: u32 = 400;
/// In a session.
pub const GAMES_MAX: u32 = 50;
/// In a game.
pub const GOALS_MAX: u32 = 200;
/// Changes of a game. It can be finished or abandoned once more after that.
pub const CHANGES_MAX: u32 = 10_000;
/// In a squad, and on the roster of a team in a game.
pub const ROSTER_MAX: usize = 15;

/// An entity whose `updatedAt` is its version.
pub trait Stamped: Entity<Table = ThreeFc> {
    fn updated_at(&self) -> Timestamp;

    /// The condition that the item was not written since.
    fn unchanged_since(seen: Timestamp) -> Condition<Self>;
}

/// Declares items: the value of `entityType`, the key, and the fields in `data`. The envelope is
/// added, and is not part of the entity's own JSON.
macro_rules! items {
    ($(
        $(#[doc = $doc:literal])*
        #[item($kind:literal, $($key:tt)+)]
        pub struct $name:ident { $($fields:tt)+ }
    )+) => {
        $(
            $(#[doc = $doc])*
            #[derive(Entity, Clone, Debug, PartialEq, Serialize, JsonSchema)]
            #[entity(
                ThreeFc,
                $($key)+,
                discriminator = ("entityType", $kind),
                payload = "data",
                rename_all = "camelCase"
            )]
            #[serde(rename_all = "camelCase")]
            pub struct $name {
                $($fields)+
                #[attribute(created)]
                #[serde(skip)]
                pub created_at: Timestamp,
                #[attribute(updated)]
                #[serde(skip)]
                pub updated_at: Timestamp,
            }

            impl $crate::design::Stamped for $name {
                fn updated_at(&self) -> Timestamp {
                    self.updated_at
                }

                fn unchanged_since(seen: Timestamp) -> Condition<Self> {
                    Self::UPDATED_AT.eq(seen)
                }
            }
        )+
    };
}

/// Declares types of values within `data`, which clients see as they are stored.
macro_rules! values {
    ($($case:literal $($(#[$attribute:meta])* pub $kind:ident $name:ident $body:tt)+;)+) => {
        $($(
            $(#[$attribute])*
            #[derive(Attribute, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
            #[attribute(rename_all = $case)]
            #[serde(rename_all = $case)]
            pub $kind $name $body
        )+)+
    };
}
use {items, values};

/// The version that a rewrite gives an item: later than the one seen, also when the clock stands
/// still.
pub fn next_version(seen: Timestamp, now: Timestamp) -> Timestamp {
    now.max(seen.after(Duration::from_millis(1)))
}

/// Accepted findings of `singlet check`.
#[must_use]
pub fn accepted() -> Vec<Acceptance> {
    let because = "a listing is written only when a league is created, renamed or hidden";
    vec![Acceptance::new("SD204", because).entity("Listing")]
}
