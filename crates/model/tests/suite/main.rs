//! One suite for all backends: each story is told on each of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cloned_ref_to_slice_refs,
    reason = "a panic here is a failing test, and a list of one reads better than a reference to it"
)]

mod designs;
mod faults;
mod sample;
mod stored;
mod stories;

use sample::World;
use singlet::backend::Embedded;
use singlet::engine::{Clock, Engine, Options};
use singlet::{Db, Settings};
use std::time::{SystemTime, UNIX_EPOCH};

/// A failed story says why.
type Told = Result<(), Box<dyn std::error::Error>>;

/// Where a story is told.
struct Stage {
    db: Db<World>,
    /// The clock of the model. It stands still until it is moved, and begins at the real time, so
    /// that a server with a clock of its own does not delete what has expired only here.
    clock: Clock,
}

/// A clock that begins at the real time and stands still, on a full second.
fn standing_clock() -> Clock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    Clock::fixed(i64::try_from(now * 1000).unwrap())
}

fn settings(clock: &Clock) -> Settings {
    Settings { environment: "suite".into(), clock: clock.clone(), ..Settings::default() }
}

/// Tells all stories on one stage.
async fn tell_all(stage: &Stage) {
    let made = stage.db.provision().await.unwrap();
    assert_eq!(made.differences, [] as [String; 0]);
    for (name, story) in stories::ALL {
        if let Err(error) = story(stage).await {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn in_memory() {
    let clock = standing_clock();
    let engine = Engine::memory().unwrap();
    let db = Db::on(Embedded::new(engine), settings(&clock));
    singlet::block_on(tell_all(&Stage { db, clock }));
}

#[test]
fn in_a_folder() {
    let folder = std::env::temp_dir().join(format!("singlet-suite-{}", std::process::id()));
    let clock = standing_clock();
    let engine = Engine::open(&folder, Options::default()).unwrap();
    let db = Db::on(Embedded::new(engine.clone()), settings(&clock));
    singlet::block_on(tell_all(&Stage { db, clock }));
    engine.close().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
