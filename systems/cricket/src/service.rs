//! One service per table, and the 57 operations: each a function whose comment begins with its
//! number in the specification.
//!
//! An expired item counts as absent everywhere. A failed condition is an answer, never an error.
//! Ticks read consistently, routes do not.

mod admin;
mod batch;
mod cache;
mod devices;
mod displays;
mod fixtures;
mod follows;
mod hashes;
mod leagues;
mod list_cursor;
mod locks;
mod matches;
mod names;
mod pages;
mod prematch;
mod processing;
mod remembered;
mod store_error;
mod subscriptions;
mod team_seasons;
mod teams;
mod users;

pub use admin::{ADMIN_GROUP, TeamChange, require_admin};
pub use cache::CacheService;
pub use devices::{DeviceService, NewDevice};
pub use displays::DisplayService;
pub use fixtures::{FixturePage, FixtureService, Updated};
pub use follows::FollowService;
pub use hashes::HashService;
pub use leagues::LeagueService;
pub use locks::{Acquired, JobLocks, LEASE, LockService};
pub use matches::{MatchFilter, MatchPage, MatchRecord};
pub use names::Names;
pub use prematch::PrematchService;
pub use processing::ProcessingService;
pub use store_error::StoreError;
pub use subscriptions::{Registered, SubscriptionService};
pub use team_seasons::TeamSeasonService;
pub use teams::TeamService;
pub use users::Followed;

use crate::design::{Cricket, Fixture};
use batch::Batches;
use singlet::prelude::*;
use singlet_web::random::Random;
use std::collections::BTreeSet;

/// All services of the tables. Clones are one: they share what is kept in memory.
#[derive(Clone)]
pub struct Service {
    /// The database, for transactions over several tables.
    pub db: Db<Cricket>,
    /// Random numbers.
    pub random: Random,
    /// The matches: operations 1 to 10.
    pub fixtures: FixtureService,
    /// The teams: operations 11 to 14.
    pub teams: TeamService,
    /// The standings: operations 15 and 16.
    pub team_seasons: TeamSeasonService,
    /// The leagues: operations 17 to 22.
    pub leagues: LeagueService,
    /// The phones: operations 23 to 26.
    pub devices: DeviceService,
    /// Who follows what: operations 27 to 32.
    pub follows: FollowService,
    /// The activities: operations 33 to 37.
    pub subscriptions: SubscriptionService,
    /// Which messages were sent: operations 38 and 39.
    pub prematch: PrematchService,
    /// The locks: operations 40 to 42.
    pub locks: LockService,
    /// What was given to be pushed: operations 43 to 45.
    pub hashes: HashService,
    /// What is shown: operations 46 and 47.
    pub displays: DisplayService,
    /// What the feed said: operations 48 to 54.
    pub cache: CacheService,
    /// How far ticks have come: operations 55 to 57.
    pub processing: ProcessingService,
}

impl Service {
    /// The services on a database that has the tables.
    #[must_use]
    pub fn new(db: Db<Cricket>, random: Random) -> Self {
        let batches = Batches::new(db.clone(), random.clone());
        Self {
            fixtures: FixtureService::new(db.clone(), batches.clone()),
            teams: TeamService::new(db.clone(), batches.clone()),
            team_seasons: TeamSeasonService::new(db.clone(), batches.clone()),
            leagues: LeagueService::new(db.clone()),
            devices: DeviceService::new(db.clone()),
            follows: FollowService::new(db.clone(), batches.clone()),
            subscriptions: SubscriptionService::new(db.clone(), batches.clone()),
            prematch: PrematchService::new(db.clone()),
            locks: LockService::new(db.clone()),
            hashes: HashService::new(db.clone()),
            displays: DisplayService::new(db.clone()),
            cache: CacheService::new(db.clone(), batches),
            processing: ProcessingService::new(db.clone()),
            db,
            random,
        }
    }

    /// Operation 4 over all active leagues (operation 19): matches that start between these
    /// moments and are neither live nor archived, by start time and id.
    pub async fn starting_soon(
        &self,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Fixture>, StoreError> {
        let leagues = self.leagues.active().await?;
        // Two leagues may have one code.
        let codes: BTreeSet<_> = leagues.iter().map(|league| league.code.clone()).collect();
        let codes: Vec<_> = codes.into_iter().collect();
        self.fixtures.starting_soon(&codes, from, until).await
    }
}
