//! Demo data: what a system looks like when people use it.
//!
//! A loader fills an empty store through the services of its system, so the data keeps all their
//! rules. It sets the clock of its services, so what it makes is some hours or weeks old.

use crate::Web;
use crate::store::Store;
use crate::system::{Resources, System};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use singlet::engine::Clock;
use singlet::prelude::*;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// The same choices in every loading. Not for secrets, and not for ids of items that are secrets.
const SEED: u64 = 15;
/// How long a loader is believed to be at work.
const LOADING_TIME_MAX: Duration = Duration::from_secs(120);

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
    /// When loading began.
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
pub(crate) async fn load(system: &System, resources: &Resources) -> Result<(), DemoError> {
    let Some(loader) = &system.demo else { return Ok(()) };
    let name = system.name();
    for design in &system.designs {
        if !(design.is_empty)(resources.store.clone()).await? {
            return Ok(());
        }
    }
    let id = SystemName::new(name)?;
    let started_at = resources.web.now();
    let marker = DemoMarker { system: id.clone(), started_at, is_loaded: false };
    match resources.web.run(create(&marker)).await {
        Ok(()) => {}
        Err(singlet::Error::ConditionFailed { .. }) => {
            let marker = resources.web.get(DemoMarker::key(&id).consistent()).await?;
            report(name, marker, started_at);
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    }
    let loaded_at = resources.now();
    let clock = Clock::fixed(loaded_at.as_millis());
    let store: Store = resources.store.with_clock(clock.clone());
    let demo = Demo { clock, loaded_at, random: ChaCha8Rng::seed_from_u64(SEED) };
    loader(Resources { store, ..resources.clone() }, demo).await?;
    resources.web.run(update(DemoMarker::key(&id)).set(DemoMarker::IS_LOADED, true)).await?;
    tracing::info!(system = name, "demo data loaded");
    Ok(())
}

/// Says why a system without items gets no demo data.
fn report(system: &str, marker: Option<DemoMarker>, now: Timestamp) {
    match marker {
        // It was loaded, and somebody has deleted it.
        Some(DemoMarker { is_loaded: true, .. }) => {}
        Some(marker) if now < marker.started_at.after(LOADING_TIME_MAX) => {
            tracing::info!(system, "another server loads the demo data");
        }
        _ => tracing::warn!(
            system,
            "loading the demo data was interrupted; delete the folder of the data to load it again"
        ),
    }
}
