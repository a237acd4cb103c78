//! The engine as a system to be compared with the reference.

use singlet_dynamo::Error;
use singlet_dynamo::operation::{Answer, Request};
use singlet_engine::store::{DiskOptions, DiskStore, Store};
use singlet_engine::{Clock, Durability, Engine, Options};
use singlet_testing::differential::{START_MS, System, home};
use std::fs;
use std::path::{Path, PathBuf};

/// An engine with a fixed clock, and its folder, if any.
pub(crate) struct Subject {
    engine: Engine,
    options: Options,
    folder: Option<PathBuf>,
}

fn options(durability: Durability) -> Options {
    let clock = Clock::fixed(START_MS);
    Options { clock, durability, home: home(), background: false, ..Options::default() }
}

/// An engine with little memory, so that a sequence of a few hundred steps finds rows in all layers
/// and runs checkpoints.
fn open(folder: &Path, options: &Options) -> Engine {
    let disk = DiskOptions { recent_bytes: 32 << 10, chunk_bytes: 4 << 10, ..Default::default() };
    let store = Store::Disk(DiskStore::open(folder, disk).unwrap());
    Engine::on(store, options.clone()).unwrap()
}

impl Subject {
    pub(crate) fn memory() -> Self {
        let options = options(Durability::Full);
        let engine = Engine::memory_with(options.clone()).unwrap();
        Self { engine, options, folder: None }
    }

    /// An engine in a new folder of this name, which is deleted afterwards.
    pub(crate) fn disk(name: &str, durability: Durability) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        let options = options(durability);
        let engine = open(&folder, &options);
        Self { engine, options, folder: Some(folder) }
    }
}

impl System for Subject {
    fn run(&mut self, request: Request) -> Result<Answer, Error> {
        self.engine.execute(request).map_err(|error| match error.refusal() {
            Some(refusal) => refusal.clone(),
            None => panic!("the engine failed: {error}"),
        })
    }

    fn advance(&mut self, millis: i64) {
        self.options.clock.advance(millis);
    }

    fn maintain(&mut self) {
        self.engine.maintain().unwrap();
    }

    fn reopen(&mut self) {
        if let Some(folder) = &self.folder {
            self.engine.close().unwrap();
            self.engine = open(folder, &self.options);
        }
    }

    fn audit(&mut self) -> Vec<String> {
        self.engine.check().unwrap().problems
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = self.engine.close();
            let _ = fs::remove_dir_all(folder);
        }
    }
}
