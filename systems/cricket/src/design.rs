//! The thirteen tables, each in a file of its own.
//!
//! Times are ISO-8601 text in UTC with milliseconds, so that they sort; times to live are epoch
//! seconds; the times of locks are epoch milliseconds. Ids are text, also where the feed sends
//! numbers.

mod activity_subscriptions;
mod devices;
mod display_state_cache;
mod fixture_cache;
mod fixtures;
mod ids;
mod leagues;
mod locks;
mod match_follows;
mod match_processing_state;
mod prematch_notifications;
mod state_hashes;
mod team_seasons;
mod teams;

pub use activity_subscriptions::{ActivitySubscriptions, ActivitySubscriptionsItem, Subscription};
pub use devices::{Device, Devices, DevicesItem, Environment, Platform};
pub use display_state_cache::{DisplayStateCache, DisplayStateCacheItem, StoredDisplay};
pub use fixture_cache::{CachedFixture, Enrichment, FixtureCache, FixtureCacheItem};
pub use fixtures::{Fixture, Fixtures, FixturesItem, Live, Replay};
pub use ids::{
    BallId, ID_BYTES_MAX, LeagueCode, LeagueId, MatchId, PlayerId, PushToken, SeasonId, TeamId,
    UserId,
};
pub use leagues::{League, Leagues, LeaguesItem};
pub use locks::{Lock, LockKey, Locks, LocksItem, Owner};
pub use match_follows::{Follow, MatchFollows, MatchFollowsItem};
pub use match_processing_state::{MatchProcessingState, MatchProcessingStateItem, ProcessingState};
pub use prematch_notifications::{
    Claim, Notification, PrematchNotifications, PrematchNotificationsItem,
};
pub use state_hashes::{StateHash, StateHashes, StateHashesItem};
pub use team_seasons::{Form, TeamSeason, TeamSeasons, TeamSeasonsItem};
pub use teams::{Team, Teams, TeamsItem};

use singlet::prelude::*;

design!(
    /// All tables of cricket.
    pub Cricket {
        Fixtures, Teams, TeamSeasons, Leagues, Devices, MatchFollows, ActivitySubscriptions,
        PrematchNotifications, Locks, StateHashes, DisplayStateCache, FixtureCache,
        MatchProcessingState,
    }
);
