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
mod github;
#[cfg(feature = "aws")]
mod remote;
mod restart;
mod sample;
mod stored;
mod stories;
mod sums;

use sample::World;
use singlet::backend::Embedded;
use singlet::engine::{Clock, Engine, Options};
use singlet::{CursorKey, Db, Declaration, Settings};
use std::time::{SystemTime, UNIX_EPOCH};

/// A failed story says why.
type Told = Result<(), Box<dyn std::error::Error>>;

/// Where a story is told.
struct Stage {
    db: Db<World>,
    place: Place,
    settings: Settings,
    /// Whether this is Amazon's DynamoDB Local.
    is_local: bool,
    /// The clock of the model. It stands still until it is moved, and begins at the real time, so
    /// that a server with a clock of its own does not delete what has expired only here.
    clock: Clock,
}

/// A backend.
enum Place {
    Embedded(Embedded),
    #[cfg(feature = "aws")]
    Aws(singlet::backend::Aws),
}

impl Stage {
    fn new(place: Place, environment: &str) -> Self {
        let clock = standing_clock();
        let settings = settings(&clock, environment);
        Self { db: place.open(&settings), place, settings, is_local: false, clock }
    }

    /// Another design, in the same place.
    fn open<D: Declaration>(&self) -> Db<D> {
        self.place.open(&self.settings)
    }
}

impl Place {
    fn open<D: Declaration>(&self, settings: &Settings) -> Db<D> {
        match self {
            Self::Embedded(embedded) => Db::on(embedded.clone(), settings.clone()),
            #[cfg(feature = "aws")]
            Self::Aws(aws) => Db::on(aws.clone(), settings.clone()),
        }
    }
}

/// A clock that begins at the real time and stands still, on a full second.
fn standing_clock() -> Clock {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    Clock::fixed(i64::try_from(now * 1000).unwrap())
}

fn settings(clock: &Clock, environment: &str) -> Settings {
    let cursor_key = Some(CursorKey::of_this_process());
    Settings { environment: environment.into(), clock: clock.clone(), cursor_key }
}

/// Names the stories to tell, by a part of their names; without it all are told.
const STORIES_VARIABLE: &str = "SINGLET_STORIES";

/// Tells all stories on one stage.
async fn tell_all(stage: &Stage) {
    let made = stage.db.provision().await.unwrap();
    assert_eq!(made.differences, [] as [String; 0]);
    let wanted = std::env::var(STORIES_VARIABLE).unwrap_or_default();
    for (name, story) in stories::ALL.iter().filter(|(name, _)| name.contains(&wanted)) {
        // These read what other stories have written. DynamoDB Local's GetRecords has values among
        // it that the SDK cannot read ("Union did not contain a valid variant").
        if stage.is_local && name.starts_with("positions::") {
            continue;
        }
        if let Err(error) = story(stage).await {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn in_memory() {
    let place = Place::Embedded(Embedded::new(Engine::memory().unwrap()));
    singlet::block_on(tell_all(&Stage::new(place, "suite")));
}

#[test]
fn in_a_folder() {
    let folder = std::env::temp_dir().join(format!("singlet-suite-{}", std::process::id()));
    let engine = Engine::open(&folder, Options::default()).unwrap();
    let place = Place::Embedded(Embedded::new(engine.clone()));
    singlet::block_on(tell_all(&Stage::new(place, "suite")));
    engine.close().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
