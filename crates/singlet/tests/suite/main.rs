//! One suite for all backends: each story is a test on each of them.

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
use singlet::engine::Clock;
use singlet::{CursorKey, Db, Declaration, Settings};
use singlet_testing::TestStore;

/// A failing story returns the reason.
type TestResult = Result<(), Box<dyn std::error::Error>>;

/// Environment of a story.
struct Fixture {
    db: Db<World>,
    store: TestStore,
    settings: Settings,
    /// The library's clock.
    clock: Clock,
}

impl Fixture {
    async fn new(store: TestStore) -> Self {
        let (settings, clock) = (store.settings.clone(), store.clock.clone());
        let db = store.database();
        db.provision().await.unwrap();
        Self { db, store, settings, clock }
    }

    /// Opens another design in the same store.
    fn open<D: Declaration>(&self) -> Db<D> {
        self.store.database()
    }
}

fn settings(clock: &Clock, environment: &str) -> Settings {
    let cursor_key = Some(CursorKey::of_this_process());
    Settings {
        environment: environment.into(),
        clock: clock.clone(),
        cursor_key,
        ..Settings::default()
    }
}
