//! What a feed can be asked.

use super::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use singlet::Timestamp;
use singlet::backend::BoxFuture;
use std::fmt;

/// A match as the feed had it at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The match.
    pub fixture: FeedFixture,
    /// When it was read, by our clock, in epoch milliseconds.
    pub feed_at: i64,
    /// The feed's own time: in a replay that of the tape, else `feed_at`.
    pub feed_ms: i64,
}

/// Why a feed did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeedError {
    /// No answer, or one that cannot be read. The breaker counts it.
    Failed(String),
    /// Our calls of this hour are used up, or the feed said so. No failure.
    Resting {
        /// In epoch milliseconds: not asked again before.
        until: i64,
    },
    /// The feed does not accept our token.
    Refused(String),
}

impl fmt::Display for FeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) => write!(f, "the feed failed: {why}"),
            Self::Resting { until } => {
                write!(f, "the feed is not asked before {}", Timestamp::from_millis(*until))
            }
            Self::Refused(why) => write!(f, "token refused: {why}"),
        }
    }
}

impl std::error::Error for FeedError {}

/// What a feed can be asked.
pub trait Feed: Send + Sync {
    /// Its name, for admins.
    fn name(&self) -> &'static str;

    /// All matches in play, with their balls.
    fn live(&self) -> BoxFuture<'_, Result<Vec<Snapshot>, FeedError>>;

    /// One match, with its balls; `None` if the feed does not know it.
    fn fixture<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Snapshot>, FeedError>>;

    /// The matches of these leagues that start between two moments.
    fn fixtures<'a>(
        &'a self,
        leagues: &'a [String],
        from: Timestamp,
        to: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Snapshot>, FeedError>>;

    /// All leagues.
    fn leagues(&self) -> BoxFuture<'_, Result<Vec<FeedLeague>, FeedError>>;

    /// All teams.
    fn teams(&self) -> BoxFuture<'_, Result<Vec<FeedTeam>, FeedError>>;

    /// The standings of a season.
    fn standings<'a>(
        &'a self,
        season: &'a str,
    ) -> BoxFuture<'a, Result<Vec<FeedStanding>, FeedError>>;

    /// How many calls for live scores are left this hour, and whether that is few.
    fn remaining(&self) -> Option<(u32, bool)> {
        None
    }
}
