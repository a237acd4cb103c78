//! A full disk rejects writes until there is room again, without a restart and without losing
//! acknowledged writes.

use crate::small_store::{self, open};
use crate::workload::{Rows, batch, rows};
use singlet_engine::store::{
    Batch, Checkpoints, DiskOptions, DiskStore, Durability, Error, Keyspace, Store,
};
use singlet_testing::disk::{Failure, Fault, FaultDisk, Operation};
use singlet_testing::random::Random;
use std::time::{Duration, Instant};

const COMMITS: u32 = 30;

/// Commits to a store whose disk is temporarily full: after a number of operations of a kind, the
/// next `failing` ones fail. Returns the number of rejected commits.
fn run(kind: Operation, after: u64, failing: u64) -> usize {
    let disk = FaultDisk::new();
    open(&disk).unwrap().close().unwrap();
    let disk = disk.copy();
    let store = open(&disk).unwrap();
    let first = disk.operations(Some(kind)) + after;
    for n in first..first + failing {
        disk.inject(Fault { kind: Some(kind), after: n, failure: Failure::Full, lasting: false });
    }
    let mut random = Random::new(11);
    let (mut expected, mut refused) = (Rows::new(), 0);
    for number in 1..=COMMITS {
        let mut tries = 0;
        // A rejected commit is retried, as a client would.
        loop {
            let mut after = expected.clone();
            let batch = batch(number, &mut random, &mut after);
            match store.commit(&batch, Durability::Full) {
                Ok(()) => {
                    store.check_writable().unwrap();
                    expected = after;
                    break;
                }
                Err(Error::Full) => {
                    assert!(matches!(store.check_writable(), Err(Error::Full)));
                    refused += 1;
                    tries += 1;
                    assert!(tries <= failing, "commit {number} is refused for ever");
                }
                Err(error) => panic!("{kind:?}, {failing} failing: {error}"),
            }
            assert!(rows(&store.snapshot().unwrap()).unwrap() == expected);
        }
    }
    assert!(rows(&store.snapshot().unwrap()).unwrap() == expected);
    store.verify().unwrap();
    let mut images: Vec<_> = (0..4).map(|_| disk.crash(&mut random)).collect();
    store.close().unwrap();
    images.extend((0..2).map(|_| disk.crash(&mut random)));
    for image in images {
        let store = open(&image).unwrap();
        assert!(rows(&store.snapshot().unwrap()).unwrap() == expected, "{kind:?} {after}: lost");
        store.verify().unwrap();
    }
    refused
}

#[test]
fn writes_go_on_when_there_is_room_again() {
    let (mut refused, mut cases) = (0, 0);
    for after in (0..200).step_by(13) {
        for failing in [1, 5, 20] {
            refused += run(Operation::Write, after, failing);
            cases += 1;
        }
    }
    assert!(refused > cases / 4, "only {refused} commits of {cases} runs met a full disk");
}

#[test]
fn a_file_that_could_not_grow_grows_later() {
    for after in 0..6 {
        for failing in [1, 3] {
            run(Operation::SetLen, after, failing);
        }
    }
}

/// A background thread makes checkpoints, and waits for room while commits are rejected. It retries
/// every second, which this test does not check.
#[test]
fn a_store_with_a_thread_of_its_own_goes_on_too() {
    const PATIENCE: Duration = Duration::from_secs(60);
    let options = DiskOptions { checkpoints: Checkpoints::InBackground, ..small_store::OPTIONS };
    let open = |disk: &FaultDisk| {
        DiskStore::with_files(small_store::files(disk), options).map(Store::Disk).unwrap()
    };
    for after in [3, 60, 120] {
        let disk = FaultDisk::new();
        let store = open(&disk);
        let first = disk.operations(Some(Operation::Write)) + after;
        for n in first..first + 3 {
            let (kind, failure) = (Some(Operation::Write), Failure::Full);
            disk.inject(Fault { kind, after: n, failure, lasting: false });
        }
        let begun = Instant::now();
        for number in 0..200_u32 {
            let mut batch = Batch::new();
            batch.put(Keyspace::Items, number.to_be_bytes().to_vec(), vec![7; 1000]);
            while let Err(error) = store.commit(&batch, Durability::Full) {
                assert!(matches!(error, Error::Full), "{error}");
                assert!(begun.elapsed() < PATIENCE, "commit {number} is refused for ever");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        store.check_writable().unwrap();
        store.close().unwrap();
        assert_eq!(rows(&open(&disk).snapshot().unwrap()).unwrap().len(), 200);
    }
}
