//! One suite for all backends: each story runs on each of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cloned_ref_to_slice_refs,
    reason = "a panic here is a failing test, and a list of one reads better than a reference to it"
)]

mod faults;
mod github;
mod remote;
mod restart;
mod sample;
mod stored;
mod stories;
mod sums;

use sample::World;
use singlet::engine::{Clock, Engine, Options};
use singlet::{CursorKey, Db, Declaration, Settings};
use singlet_testing::TestStore;

/// A story that fails says why.
type TestResult = Result<(), Box<dyn std::error::Error>>;

/// What a story runs on.
struct Fixture {
    db: Db<World>,
    store: TestStore,
    settings: Settings,
    /// The clock of the model.
    clock: Clock,
}

impl Fixture {
    fn new(store: TestStore) -> Self {
        let (settings, clock) = (store.settings.clone(), store.clock.clone());
        Self { db: store.database(), store, settings, clock }
    }

    /// Another design, in the same store.
    fn open<D: Declaration>(&self) -> Db<D> {
        self.store.database()
    }
}

fn settings(clock: &Clock, environment: &str) -> Settings {
    let cursor_key = Some(CursorKey::of_this_process());
    Settings { environment: environment.into(), clock: clock.clone(), cursor_key }
}

/// Names the stories to run, by a part of their names; without it all run.
const STORIES_VARIABLE: &str = "SINGLET_STORIES";

/// Runs all stories on one store.
async fn run_all(fixture: &Fixture) {
    let made = fixture.db.provision().await.unwrap();
    assert_eq!(made.differences, [] as [String; 0]);
    let wanted = std::env::var(STORIES_VARIABLE).unwrap_or_default();
    for (name, story) in stories::ALL.iter().filter(|(name, _)| name.contains(&wanted)) {
        if let Err(error) = story(fixture).await {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn in_memory() {
    let store = TestStore::with_engine(Engine::memory().unwrap());
    singlet::block_on(run_all(&Fixture::new(store)));
}

#[test]
fn in_a_folder() {
    let folder = std::env::temp_dir().join(format!("singlet-suite-{}", std::process::id()));
    let engine = Engine::open(&folder, Options::default()).unwrap();
    singlet::block_on(run_all(&Fixture::new(TestStore::with_engine(engine.clone()))));
    engine.close().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
