//! Demo data.
//!
//! A loader fills an empty store through the services of its system, so the data obeys their rules.
//! It sets the clock of the services, so the data can be hours or weeks old.

use crate::Web;
use crate::random::Random;
use crate::store::Store;
use crate::system::{OpenError, Resources, System};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use singlet::engine::Clock;
use singlet::prelude::*;
use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

/// Seed of the loader's choices. Not for secrets, or ids that are secrets.
const SEED: u64 = 15;
/// Seed of ids, codes and numbers that services generate.
const SERVICE_SEED: u64 = 16;
/// After this time a loader is considered dead.
const LOADING_TIME_MAX: Duration = Duration::from_secs(120);
/// How often to check whether another server has finished loading.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

id! {
    /// The name of a system.
    SystemName,
}

/// Marks that demo data was loaded, or started to be.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("DEMO#{system}"), rename_all = "camelCase")]
pub struct DemoMarker {
    /// The system.
    #[attribute(in_key)]
    pub system: SystemName,
    /// When loading started. Backdated if it failed, so that other servers do not wait.
    pub started_at: Timestamp,
    /// Whether loading is complete.
    pub is_loaded: bool,
}

/// Whether to load demo data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DemoPolicy {
    /// Not at all.
    #[default]
    Never,
    /// Once for each system whose tables are empty.
    IfEmpty,
}

/// Passed to a demo loader: a settable clock, and random numbers from a fixed seed.
pub struct Demo {
    clock: Clock,
    loaded_at: Timestamp,
    random: ChaCha8Rng,
}

impl Demo {
    /// The time of loading. All times of demo data are relative to it.
    #[must_use]
    pub fn loaded_at(&self) -> Timestamp {
        self.loaded_at
    }

    /// Sets the clock of the loader's [`Resources`], and so of its services.
    pub fn set_time(&self, at: Timestamp) {
        self.clock.set(at.as_millis());
    }

    /// A repeatable number below `bound`; 0 if the bound is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let number = u64::from(self.random.next_u32());
        u32::try_from((number * u64::from(bound)) >> 32).unwrap_or(0)
    }

    /// Picks one element.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let number = self.below(u32::try_from(from.len()).unwrap_or(u32::MAX));
        from.get(number as usize)
    }

    /// The random number generator.
    pub fn random(&mut self) -> &mut ChaCha8Rng {
        &mut self.random
    }
}

/// Why demo data was not loaded. Any error converts into it with `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoError(String);

impl DemoError {
    /// An error with this message.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Not an [`Error`] itself, so that every error converts into it.
impl<E: Error> From<E> for DemoError {
    fn from(error: E) -> Self {
        Self(crate::system::in_full(&error))
    }
}

impl fmt::Display for DemoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Loads the demo data of a system once, if its tables are empty. Waits if another server is
/// loading. Partially loaded data is left alone, with a warning.
pub(crate) async fn load(system: &System, resources: &Resources) -> Result<(), DemoError> {
    let Some(loader) = &system.demo else { return Ok(()) };
    let Some(marker) = begin(system, resources).await? else { return Ok(()) };
    let loaded_at = resources.now();
    let clock = Clock::fixed(loaded_at.as_millis());
    let store: Store = resources.store.with_clock(clock.clone());
    let demo = Demo { clock, loaded_at, random: ChaCha8Rng::seed_from_u64(SEED) };
    let random = Random::seeded(SERVICE_SEED);
    let loaded = loader(Resources { store, random, ..resources.clone() }, demo).await;
    let key = DemoMarker::key(&marker.system);
    if let Err(error) = loaded {
        // Do not make the next start wait.
        let long_ago = marker.started_at.before(LOADING_TIME_MAX);
        let noted = resources.web.run(update(key).set(DemoMarker::STARTED_AT, long_ago)).await;
        if let Err(error) = noted {
            tracing::warn!(system = system.name(), %error, "cannot note that loading has failed");
        }
        return Err(error);
    }
    resources.web.run(update(key).set(DemoMarker::IS_LOADED, true)).await?;
    tracing::info!(system = system.name(), "demo data loaded");
    Ok(())
}

/// Claims the marker, if there is something to load. The marker is read before the tables, because
/// they may hold partially loaded data.
async fn begin(system: &System, resources: &Resources) -> Result<Option<DemoMarker>, DemoError> {
    let (name, waiting_since) = (system.name(), Instant::now());
    let id = SystemName::new(name)?;
    let mut is_waiting = false;
    loop {
        let found = find_marker(&id, resources).await?;
        let now = resources.web.now();
        let Some(found) = found else {
            if !has_empty_tables(system, resources).await? {
                // Another server may have started loading since the marker was read.
                match find_marker(&id, resources).await? {
                    Some(_) => continue,
                    None => return Ok(None),
                }
            }
            let marker = DemoMarker { system: id.clone(), started_at: now, is_loaded: false };
            match resources.web.run(create(&marker)).await {
                Ok(()) => return Ok(Some(marker)),
                // Another server was first.
                Err(singlet::Error::ConditionFailed { .. }) => continue,
                Err(error) => return Err(error.into()),
            }
        };
        if found.is_loaded {
            return Ok(None);
        }
        // The clock may be fixed, or differ from the other server's.
        let is_old = now >= found.started_at.after(LOADING_TIME_MAX)
            || waiting_since.elapsed() >= LOADING_TIME_MAX;
        if is_old {
            let remedy = match resources.store.is_embedded() {
                true => "Delete the folder to load it again.",
                false => "Delete its tables and its DEMO item to load it again.",
            };
            tracing::warn!(system = name, "The demo data of {name} is incomplete. {remedy}");
            return Ok(None);
        }
        if !is_waiting {
            tracing::info!(system = name, "waits for another server, which loads the demo data");
            is_waiting = true;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn find_marker(
    system: &SystemName,
    resources: &Resources,
) -> Result<Option<DemoMarker>, singlet::Error> {
    resources.web.get(DemoMarker::key(system).consistent()).await
}

async fn has_empty_tables(system: &System, resources: &Resources) -> Result<bool, OpenError> {
    for design in &system.designs {
        if !(design.is_empty)(resources.store.clone()).await? {
            return Ok(false);
        }
    }
    Ok(true)
}
