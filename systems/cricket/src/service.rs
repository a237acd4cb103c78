//! One service per table, and the 57 operations: each a function whose comment begins with its
//! number in the specification.
//!
//! An expired item counts as absent everywhere. A failed condition is an answer, never an error.
//! Ticks read consistently, routes do not.

mod caches;
mod fixtures;
mod leagues;
mod locks;
mod matches;
mod names;
mod people;
mod users;

pub use caches::ProcessingService;
pub use fixtures::Updated;
pub use leagues::{LeagueService, TeamService};
pub use locks::{Acquired, JobLocks, LEASE};
pub use matches::{MatchFilter, MatchPage, MatchRecord};
pub use names::Names;
pub use people::{NewDevice, Registered};
pub use users::Followed;

use crate::design::{Cricket, Fixture, LeagueCode};
use futures_util::{StreamExt, TryStreamExt, stream};
use singlet::prelude::*;
use singlet::table::{Contains, StoredIn};
use singlet::{Batch, Error, Get, Result};
use singlet_web::random::Random;
use std::collections::BTreeSet;

/// How many keys a BatchGetItem takes.
const GETS_MAX: usize = 100;
const BATCHES_AT_ONCE_MAX: usize = 4;

macro_rules! services {
    ($($service:ident)+) => {
        $(
            #[derive(Clone)]
            pub struct $service {
                db: Db<Cricket>,
            }
        )+
    };
}

services! {
    FixtureService TeamSeasonService DeviceService FollowService SubscriptionService
    PrematchService LockService HashService DisplayService CacheService
}

/// All services of the tables. Clones share their memory.
#[derive(Clone)]
pub struct Service {
    /// For transactions over several tables.
    pub db: Db<Cricket>,
    pub random: Random,
    pub fixtures: FixtureService,
    pub teams: TeamService,
    pub team_seasons: TeamSeasonService,
    pub leagues: LeagueService,
    pub devices: DeviceService,
    pub follows: FollowService,
    pub subscriptions: SubscriptionService,
    pub prematch: PrematchService,
    pub locks: LockService,
    pub hashes: HashService,
    pub displays: DisplayService,
    pub cache: CacheService,
    pub processing: ProcessingService,
}

impl Service {
    pub fn new(db: Db<Cricket>, random: Random) -> Self {
        Self {
            fixtures: FixtureService { db: db.clone() },
            teams: TeamService::new(db.clone()),
            team_seasons: TeamSeasonService { db: db.clone() },
            leagues: LeagueService::new(db.clone()),
            devices: DeviceService { db: db.clone() },
            follows: FollowService { db: db.clone() },
            subscriptions: SubscriptionService { db: db.clone() },
            prematch: PrematchService { db: db.clone() },
            locks: LockService { db: db.clone() },
            hashes: HashService { db: db.clone() },
            displays: DisplayService { db: db.clone() },
            cache: CacheService { db: db.clone() },
            processing: ProcessingService::new(db.clone()),
            db,
            random,
        }
    }

    /// Operation 4 over all active leagues (operation 19): matches that start between these
    /// moments and are neither live nor archived, by start time and id.
    pub async fn starting_soon(&self, from: Timestamp, until: Timestamp) -> Result<Vec<Fixture>> {
        self.fixtures.starting_soon(&self.active_codes().await?, from, until).await
    }

    /// Two leagues may have one code.
    async fn active_codes(&self) -> Result<Vec<LeagueCode>> {
        let leagues = self.leagues.active().await?;
        let codes: BTreeSet<_> = leagues.iter().map(|league| league.code.clone()).collect();
        Ok(codes.into_iter().collect())
    }
}

/// What an operation gave; `None` if its condition did not hold.
fn held<T>(outcome: Result<T>) -> Result<Option<T>> {
    match outcome {
        Ok(given) => Ok(Some(given)),
        Err(Error::ConditionFailed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The items with these keys that there are, in no order.
async fn get_all<E>(db: &Db<Cricket>, mut keys: Vec<Get<E>>) -> Result<Vec<E>>
where
    E: StoredIn<Cricket> + Projection<Entity = E>,
{
    let mut reads = Vec::new();
    while !keys.is_empty() {
        let rest = keys.split_off(keys.len().min(GETS_MAX));
        reads.push(db.get_many(std::mem::replace(&mut keys, rest)));
    }
    let found: Vec<Vec<Option<E>>> =
        stream::iter(reads).buffer_unordered(BATCHES_AT_ONCE_MAX).boxed().try_collect().await?;
    Ok(found.into_iter().flatten().flatten().collect())
}

async fn put_all<'a, E: Entity + 'a>(
    db: &Db<Cricket>,
    entities: impl IntoIterator<Item = &'a E>,
) -> Result<usize>
where
    Cricket: Contains<E::Table>,
{
    write_all(db, entities, |batch, entity| batch.put(entity)).await
}

/// Carries out writes in a batch. Returns how many there were.
async fn write_all<'d, T>(
    db: &'d Db<Cricket>,
    writes: impl IntoIterator<Item = T>,
    add: impl Fn(&mut Batch<'d, Cricket>, T) -> Result<()>,
) -> Result<usize> {
    let mut batch = db.batch();
    for write in writes {
        add(&mut batch, write)?;
    }
    let count = batch.len();
    batch.run().await?;
    Ok(count)
}
