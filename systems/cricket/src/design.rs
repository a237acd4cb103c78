//! The thirteen tables.
//!
//! Times are ISO-8601 text in UTC with milliseconds, so that they sort; times to live are epoch
//! seconds; the times of locks are epoch milliseconds. Ids are text, also where the feed sends
//! numbers. Names are the source's in the default environment; others append their own.

mod leagues;
mod matches;
mod people;

pub use leagues::{Form, League, Leagues, Team, TeamSeason, TeamSeasons, Teams};
pub use matches::{
    CachedFixture, DisplayStateCache, Enrichment, Fixture, FixtureCache, Fixtures, FixturesItem,
    Live, Lock, LockKey, Locks, MatchProcessingState, MatchProcessingStateItem, Owner,
    ProcessingState, Replay, StateHash, StateHashes, StoredDisplay,
};
pub use people::{
    ActivitySubscriptions, Claim, Device, Devices, Environment, Follow, MatchFollows, Notification,
    Platform, PrematchNotifications, Subscription,
};

use serde::{Deserialize, Deserializer};
use singlet::design::Acceptance;
use singlet::prelude::*;

design!(
    pub Cricket {
        Fixtures, Teams, TeamSeasons, Leagues, Devices, MatchFollows, ActivitySubscriptions,
        PrematchNotifications, Locks, StateHashes, DisplayStateCache, FixtureCache,
        MatchProcessingState,
    }
);

id! {
    /// The feed's fixture id.
    MatchId,
    /// Such as CTL.
    LeagueCode,
    LeagueId,
    /// The feed's id, or `neutral` for followers of a match but no side.
    TeamId,
    SeasonId,
    /// The subject of the token.
    UserId,
    PlayerId,
    BallId,
    /// Where pushes are sent: to a device, to an activity, or to start an activity.
    PushToken,
}

/// How many bytes an id from a client may have. Keys of tables take 1,024.
pub const ID_BYTES_MAX: usize = 128;

/// The team of a follower without a side.
pub const NEUTRAL: &str = "neutral";

impl TeamId {
    pub fn neutral() -> Self {
        Self(NEUTRAL.to_owned())
    }

    pub fn is_neutral(&self) -> bool {
        self.0 == NEUTRAL
    }
}

impl PushToken {
    pub const CHARS_MAX: usize = 200;

    /// Those of Apple are hexadecimal, ours have a word before a UUID.
    pub fn from_client<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let is_allowed = |one: char| one.is_ascii_alphanumeric() || "-_.:=".contains(one);
        let token = Self::new(text.as_str()).ok().filter(|_| text.chars().all(is_allowed));
        let detail = "must consist of letters, digits, and the characters -_.:=";
        token.ok_or_else(|| serde::de::Error::custom(detail))
    }

    /// The token as logs and pages may show it: `…` and its last four characters.
    pub fn end(&self) -> String {
        let skipped = self.0.chars().count().saturating_sub(4);
        format!("…{}", self.0.chars().skip(skipped).collect::<String>())
    }
}

/// Accepted findings of `singlet check`.
#[must_use]
pub fn accepted() -> Vec<Acceptance> {
    let because = "the index holds only the matches in play, of which there are few";
    vec![Acceptance::new("SD204", because).entity("Fixture").index("live-index")]
}
