//! Demo data: what a system looks like when people use it.
//!
//! A loader fills an empty store through the services of its system, so the data keeps all their
//! rules. It sets the clock of its services, so what it makes is some hours or weeks old.

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

/// The same choices in every loading. Not for secrets, and not for ids of items that are secrets.
const SEED: u64 = 15;
/// The same ids, codes and numbers of services in every loading.
const SERVICE_SEED: u64 = 16;
/// How long a loader is believed to be at work.
const LOADING_TIME_MAX: Duration = Duration::from_secs(120);
/// How often a server looks whether another one has loaded the demo data.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

id! {
    /// The name of a system.
    SystemName,
}

/// Says that demo data was loaded, or began to be.
#[derive(Entity, Clone, Debug, PartialEq)]
#[entity(Web, key = ("DEMO#{system}"), rename_all = "camelCase")]
pub struct DemoMarker {
    /// The system.
    #[attribute(in_key)]
    pub system: SystemName,
    /// When loading began. So long ago that nobody waits for it, if it has failed.
    pub started_at: Timestamp,
    /// Whether it has ended.
    pub is_loaded: bool,
}

/// Whether demo data is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DemoPolicy {
    /// Not at all.
    #[default]
    Never,
    /// For each system whose tables are empty, once.
    IfEmpty,
}

/// Given to a demo loader: a clock that it sets, and random numbers from a fixed seed.
pub struct Demo {
    clock: Clock,
    loaded_at: Timestamp,
    random: ChaCha8Rng,
}

impl Demo {
    /// The moment of loading. All times of demo data are relative to it.
    #[must_use]
    pub fn loaded_at(&self) -> Timestamp {
        self.loaded_at
    }

    /// Sets the clock of the [`Resources`] that this loader was given, and so of its services.
    pub fn set_time(&self, at: Timestamp) {
        self.clock.set(at.as_millis());
    }

    /// A number below this bound: the same numbers in every loading. 0 if the bound is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let number = u64::from(self.random.next_u32());
        u32::try_from((number * u64::from(bound)) >> 32).unwrap_or(0)
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let number = self.below(u32::try_from(from.len()).unwrap_or(u32::MAX));
        from.get(number as usize)
    }

    /// The generator of random numbers.
    pub fn random(&mut self) -> &mut ChaCha8Rng {
        &mut self.random
    }
}

/// Why demo data was not loaded: a text. Every error converts into it by `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoError(String);

impl DemoError {
    /// An error with this text.
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

/// Loads the demo data of a system, if it has some, its tables are empty, and no other server does.
/// Waits for another server that does. Data that was loaded in part is left as it is, with a
/// warning.
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
        // The next start need not wait for this one.
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

/// The marker of this loading, if there is something to load.
///
/// The marker is read before the tables: data that was loaded in part is in them, too.
async fn begin(system: &System, resources: &Resources) -> Result<Option<DemoMarker>, DemoError> {
    let (name, waiting_since) = (system.name(), Instant::now());
    let id = SystemName::new(name)?;
    let mut is_waiting = false;
    loop {
        let found = find_marker(&id, resources).await?;
        let now = resources.web.now();
        let Some(found) = found else {
            if !has_empty_tables(system, resources).await? {
                // Another server may have begun to load since the marker was read.
                match find_marker(&id, resources).await? {
                    Some(_) => continue,
                    None => return Ok(None),
                }
            }
            let marker = DemoMarker { system: id.clone(), started_at: now, is_loaded: false };
            match resources.web.run(create(&marker)).await {
                Ok(()) => return Ok(Some(marker)),
                // Another server was faster.
                Err(singlet::Error::ConditionFailed { .. }) => continue,
                Err(error) => return Err(error.into()),
            }
        };
        if found.is_loaded {
            return Ok(None);
        }
        // The clock may stand still, or be another than that of the other server.
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
