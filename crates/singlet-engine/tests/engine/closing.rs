//! Stores and engines that are closed, or whose disk fails, while in use: every call returns, and
//! no acknowledged write is lost.

use crate::small_store;

use singlet_dynamo::operation::{CreateTable, PutItem};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::{Item, Value};
use singlet_engine::store::{
    Batch, Checkpoints, DiskOptions, DiskStore, Durability, Keyspace, Store,
};
use singlet_engine::{Engine, Options};
use singlet_testing::disk::{Failure, Fault, FaultDisk, Operation};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

/// Far longer than anything here takes.
const FOR_EVER: Duration = Duration::from_secs(60);

/// Runs work in a thread, and panics if it does not end.
fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let _ = sender.send(work());
    });
    receiver.recv_timeout(FOR_EVER).unwrap_or_else(|error| panic!("{what}: {error}"))
}

fn in_background(disk: &FaultDisk) -> Store {
    let files = small_store::files(disk);
    let options = DiskOptions { checkpoints: Checkpoints::InBackground, ..small_store::OPTIONS };
    Store::Disk(DiskStore::with_files(files, options).unwrap())
}

fn batch(number: u32, bytes: usize) -> Batch {
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, number.to_be_bytes().to_vec(), vec![7; bytes]);
    batch
}

#[test]
fn an_engine_closes_while_others_write() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("closing");
    for round in 0..10 {
        let _ = std::fs::remove_dir_all(&folder);
        let engine = Engine::open(&folder, Options::default()).unwrap();
        let key = KeySchema::simple(KeyAttribute::new("pk", KeyType::S), None);
        let schema = TableSchema { name: "Closing".to_owned(), key, indexes: Vec::new() };
        engine.create_table(CreateTable::new(schema)).unwrap();
        engine.wait_until_active("Closing").unwrap();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let engine = engine.clone();
                std::thread::spawn(move || {
                    let item = Item::from([("pk", Value::from(format!("{writer}").as_str()))]);
                    while engine.put_item(PutItem::new("Closing", item.clone())).is_ok() {}
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(20));
        in_time(&format!("closing in round {round}"), move || engine.close().unwrap());
        for writer in writers {
            in_time("a writer", move || writer.join().unwrap());
        }
    }
}

/// A failed sync is reported to its caller, but a writer that waits for a checkpoint meanwhile must
/// also return. Each commit here fills a log file, so the next one waits.
#[test]
fn nobody_waits_for_a_checkpoint_that_nobody_makes() {
    const FILLING: usize = small_store::OPTIONS.recent_bytes as usize;
    for round in 0..40 {
        let disk = FaultDisk::new();
        let store = std::sync::Arc::new(in_background(&disk));
        let (kind, failure, lasting) = (Some(Operation::Sync), Failure::Io, false);
        let after = disk.operations(kind) + round;
        disk.inject(Fault { kind, after, failure, lasting });
        let writing = std::sync::Arc::clone(&store);
        let writer = std::thread::spawn(move || {
            for number in 0.. {
                if writing.commit(&batch(number, FILLING), Durability::Relaxed).is_err() {
                    break;
                }
            }
        });
        in_time("the syncs", move || while store.sync().is_ok() {});
        in_time(&format!("the writer of round {round}"), move || writer.join().unwrap());
    }
}

#[test]
fn two_that_close_a_store_at_once_lose_nothing() {
    const COMMITS: u32 = 60;
    for _ in 0..50 {
        let disk = FaultDisk::new();
        let store = in_background(&disk);
        for number in 0..COMMITS {
            store.commit(&batch(number, 1000), Durability::Full).unwrap();
        }
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| store.close().unwrap());
            }
        });
        drop(store);
        let store = in_background(&disk);
        let snapshot = store.snapshot().unwrap();
        for number in 0..COMMITS {
            let row = snapshot.get(Keyspace::Items, &number.to_be_bytes()).unwrap();
            assert!(row.is_some(), "commit {number} is lost");
        }
    }
}

#[test]
fn a_checkpoint_without_room_for_a_row_goes_on_row_by_row() {
    let disk = FaultDisk::new();
    let files = small_store::files(&disk);
    let options = DiskOptions { chunk_bytes: 0, ..small_store::OPTIONS };
    let store = Store::Disk(DiskStore::with_files(files, options).unwrap());
    in_time("closing", move || {
        for number in 0..100 {
            store.commit(&batch(number, 1000), Durability::Full).unwrap();
        }
        store.close().unwrap();
    });
}

/// A health check reports a failure as soon as any thread has seen it.
#[test]
fn a_failure_that_no_write_has_met_is_told() {
    let disk = FaultDisk::new();
    let store = small_store::open(&disk).unwrap();
    store.commit(&batch(1, 1000), Durability::Relaxed).unwrap();
    store.check_writable().unwrap();
    let kind = Some(Operation::Sync);
    let (after, failure, lasting) = (disk.operations(kind), Failure::Io, false);
    disk.inject(Fault { kind, after, failure, lasting });
    store.sync().unwrap_err();
    store.check_writable().unwrap_err();
}
