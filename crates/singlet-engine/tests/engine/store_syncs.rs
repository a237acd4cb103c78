//! A commit costs one fsync, regardless of its size; a relaxed one costs none until `sync`. The
//! store's statistics count all of its files.

use crate::small_store;

use singlet_engine::store::{Batch, Durability, Keyspace, Store};
use singlet_testing::disk::{FaultDisk, Operation};

fn put(store: &Store, rows: u8, durability: Durability) {
    let mut batch = Batch::new();
    for row in 0..rows {
        batch.put(Keyspace::Items, vec![row], vec![row; 50]);
        batch.put(Keyspace::Streams, vec![row], vec![row; 100]);
    }
    store.commit(&batch, durability).unwrap();
}

/// The number of fsyncs that the store reports.
fn told(store: &Store) -> u64 {
    store.sync_micros().unwrap().buckets().last().unwrap().1
}

#[test]
fn a_commit_is_one_fsync() {
    let disk = FaultDisk::new();
    let store = small_store::open(&disk).unwrap();
    // A log file that grows takes one more, for its length in the file `reach`.
    put(&store, 1, Durability::Full);
    for rows in [1, 20] {
        let before = (disk.operations(Some(Operation::Sync)), told(&store));
        put(&store, rows, Durability::Full);
        put(&store, rows, Durability::Relaxed);
        put(&store, rows, Durability::Relaxed);
        let after = (disk.operations(Some(Operation::Sync)), told(&store));
        assert_eq!(after, (before.0 + 1, before.1 + 1));
        store.sync().unwrap();
        store.sync().unwrap();
        assert_eq!(told(&store), after.1 + 1, "there was one thing to sync");
    }
}

#[test]
fn the_size_is_that_of_the_log_and_the_base() {
    let disk = FaultDisk::new();
    let store = small_store::open(&disk).unwrap();
    put(&store, 20, Durability::Full);
    let log: u64 = small_store::LOG.map(|log| disk.contents(log).len() as u64).iter().sum();
    let data = disk.contents(small_store::DATA).len() as u64;
    let size = store.size_bytes().unwrap();
    // Includes the base as redb sees it, without the pages of checksums.
    assert!(log > 0 && size > log + data / 2 && size <= log + data, "{size} of {log} and {data}");
}
