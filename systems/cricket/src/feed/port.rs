//! What a feed can be asked.

use super::shape::{FeedFixture, FeedLeague, FeedStanding, FeedTeam};
use singlet::Timestamp;
use singlet::backend::BoxFuture;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub fixture: FeedFixture,
    /// When it was read, by our clock, in epoch milliseconds.
    pub feed_at: i64,
    /// The feed's own time: in a replay that of the tape, else `feed_at`.
    pub feed_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeedError {
    Failed(String),
    Resting {
        /// In epoch milliseconds: not asked again before.
        until: i64,
    },
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

/// The tables of a replay may fail.
impl From<singlet::Error> for FeedError {
    fn from(error: singlet::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

pub type FeedFuture<'a, T> = BoxFuture<'a, Result<T, FeedError>>;

/// What a feed can be asked.
pub trait Feed: Send + Sync {
    fn name(&self) -> &'static str;

    fn live(&self) -> FeedFuture<'_, Vec<Snapshot>>;

    /// One match, with its balls; `None` if the feed does not know it.
    fn fixture<'a>(&'a self, id: &'a str) -> FeedFuture<'a, Option<Snapshot>>;

    /// The matches of these leagues that start between two moments.
    fn fixtures<'a>(
        &'a self,
        leagues: &'a [String],
        from: Timestamp,
        to: Timestamp,
    ) -> FeedFuture<'a, Vec<Snapshot>>;

    fn leagues(&self) -> FeedFuture<'_, Vec<FeedLeague>>;

    fn teams(&self) -> FeedFuture<'_, Vec<FeedTeam>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn standings<'a>(&'a self, _season: &'a str) -> FeedFuture<'a, Vec<FeedStanding>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// How many calls for live scores are left this hour, and whether that is few.
    fn remaining(&self) -> Option<(u32, bool)> {
        None
    }
}
