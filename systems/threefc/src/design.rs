//! The table: every item is an envelope of six texts, with what it holds as JSON in `data`.
//!
//! DynamoDB cannot look into `data`, so conditions use the envelope: `updatedAt` is the version of
//! an item. [`Stamped`] says so for all entities.

mod game;
mod league;
mod season;

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

use singlet::prelude::*;
use std::time::Duration;

id! {
    /// A league.
    LeagueId,
    /// A season of a league.
    SeasonId,
    /// A team, within its season.
    TeamId,
    /// A session: one match day.
    SessionId,
    /// A game.
    GameId,
    /// The entry of a goal: a UUIDv7 that the client makes.
    EventId,
    /// A player.
    PlayerId,
    /// A user: the subject of the token, with `%` and `#` percent-encoded.
    UserId,
    /// The SHA-256 of an invitation's code, in hexadecimal digits.
    InviteHash,
}

/// The one table.
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

/// How many leagues a user has at most.
pub const LEAGUES_MAX: u32 = 200;
/// Nobody is added by others to a further league from this number on; an invitation, which they
/// accept themselves, still works. So nobody can use up the leagues of somebody else.
pub const LEAGUES_GRANTED_MAX: u32 = 100;
/// How many grants a league has at most.
pub const GRANTS_MAX: u32 = 40;
/// How many open invitations a league has at most.
pub const INVITES_MAX: u32 = 15;
/// How many seasons a league has at most.
pub const SEASONS_MAX: u32 = 60;
/// How many players a league has at most.
pub const PLAYERS_MAX: u32 = 500;
/// How many teams a season has at most.
pub const TEAMS_MAX: u32 = 24;
/// How many sessions a season has at most.
pub const SESSIONS_MAX: u32 = 400;
/// How many games a session has at most.
pub const GAMES_MAX: u32 = 50;
/// How many goals a game has at most.
pub const GOALS_MAX: u32 = 200;
/// How often a game can be changed. It can be finished or abandoned once more after that.
pub const CHANGES_MAX: u32 = 10_000;
/// How many players a squad, and the roster of a team in a game, have at most.
pub const ROSTER_MAX: usize = 15;

/// An entity whose `updatedAt` is its version.
pub trait Stamped: Entity<Table = ThreeFc> {
    /// When the item was last written, as it was read.
    fn updated_at(&self) -> Timestamp;

    /// That nobody has written the item since.
    fn unchanged_since(seen: Timestamp) -> Condition<Self>;
}

macro_rules! stamped {
    ($($entity:ident),+ $(,)?) => {
        $(
            impl Stamped for $entity {
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

stamped!(
    League,
    Season,
    SeasonMirror,
    Team,
    Session,
    SessionMirror,
    Game,
    Goal,
    RosterEntry,
    GameLink,
    Grant,
    GrantMirror,
    Player,
    LeaguePlayer,
    Listing,
    Invitation,
    GoalMarker,
    AuditRecord,
    Standing,
    Statistic,
    User,
);

/// The version that a rewrite gives an item: later than the one that was seen, also when the clock
/// stands still.
#[must_use]
pub fn next_version(seen: Timestamp, now: Timestamp) -> Timestamp {
    now.max(seen.after(Duration::from_millis(1)))
}
