//! Shared by the durability tests: a workload of all kinds of writes, and a comparison of an
//! engine's visible contents.
#![allow(dead_code, unused_imports, reason = "each test file uses its part of this")]
#![allow(unreachable_pub, reason = "a module of tests has no outside")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic here is a failing test")]

mod contents;
mod run;
#[path = "../small_store/mod.rs"]
pub mod small_store;
mod workload;

pub use contents::Contents;
pub use run::Run;
pub use workload::Workload;

use singlet_engine::{Clock, Durability, Engine, Error, Options, Random};
use singlet_testing::disk::FaultDisk;

/// Start time of the tests' clocks.
pub const START_MS: i64 = 1_767_225_600_000;

/// Deterministic options: nothing runs in the background.
pub fn options(clock: &Clock, durability: Durability) -> Options {
    Options {
        durability,
        clock: clock.clone(),
        random: Random::seeded(1),
        background: false,
        ..Options::default()
    }
}

/// An engine on a simulated disk.
pub fn open(disk: &FaultDisk, options: Options) -> Result<Engine, Error> {
    Engine::on(small_store::open(disk)?, options)
}

/// Multiplier for long runs.
pub fn times(long: usize) -> usize {
    if std::env::var_os("SINGLET_TEST_LONG").is_some() { long } else { 1 }
}

pub fn check_sound(engine: &Engine) -> Result<(), String> {
    let report = engine.check().map_err(|error| format!("cannot be checked: {error}"))?;
    if report.is_sound() { Ok(()) } else { Err(format!("is not sound: {:?}", report.problems)) }
}
