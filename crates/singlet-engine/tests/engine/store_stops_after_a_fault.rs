//! A disk failure gives a typed error, no more writes, and no acknowledged write is lost.

use crate::small_store::{DATA, open};
use crate::workload::{Rows, batch, commit_number, rows};
use singlet_engine::store::{Batch, Durability, Error, Store};
use singlet_testing::disk::{Failure, Fault, FaultDisk, Lie, Operation};
use singlet_testing::random::Random;

/// The progress of a store until its disk failed.
struct Run {
    disk: FaultDisk,
    /// The rows after each attempted commit.
    states: Vec<Rows>,
    /// How many of them were acknowledged.
    acknowledged: usize,
    error: Option<Error>,
}

/// Commits and reads until something fails.
fn run(disk: &FaultDisk) -> (Option<Store>, Run) {
    let mut run =
        Run { disk: disk.clone(), states: vec![Rows::new()], acknowledged: 0, error: None };
    let store = match open(disk) {
        Ok(store) => store,
        Err(error) => {
            run.error = Some(error);
            return (None, run);
        }
    };
    let mut random = Random::new(11);
    for number in 1..=40 {
        let mut after = run.states.last().unwrap().clone();
        let batch = batch(number, &mut random, &mut after);
        run.states.push(after);
        match store.commit(&batch, Durability::Full) {
            Ok(()) => run.acknowledged = run.states.len() - 1,
            Err(error) => {
                run.error = Some(error);
                break;
            }
        }
        match store.snapshot().and_then(|snapshot| rows(&snapshot)) {
            Ok(found) => assert!(found == run.states[run.acknowledged], "a wrong row"),
            Err(error) => {
                run.error = Some(error);
                break;
            }
        }
    }
    (Some(store), run)
}

impl Run {
    /// Every possible disk image contains the acknowledged writes.
    fn check(&self, images: usize) -> Result<(), String> {
        let mut random = Random::new(2);
        let whole = self.disk.copy();
        let images = (0..images).map(|_| self.disk.crash(&mut random));
        for image in std::iter::once(whole).chain(images) {
            let store = open(&image).map_err(|error| error.to_string())?;
            let found = store.snapshot().and_then(|snapshot| rows(&snapshot));
            let found = found.map_err(|error| error.to_string())?;
            let number = commit_number(&found);
            if number < self.acknowledged {
                return Err(format!("lost commit {}, has {number}", self.acknowledged));
            }
            if found != self.states[number] {
                return Err(format!("has a part of commit {number}"));
            }
            store.verify().map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

fn made() -> FaultDisk {
    let disk = FaultDisk::new();
    open(&disk).unwrap().close().unwrap();
    disk.copy()
}

/// After a failed fsync the page cache shows data that never reached the disk, and a second fsync
/// succeeds. A process restarted on the same machine reads that data and builds on it.
#[test]
fn what_a_failed_sync_has_left_in_memory_is_brought_to_the_disk() {
    let mut failed = 0;
    for after in 0..60 {
        let disk = made();
        let (failure, lasting) = (Failure::Io, false);
        disk.inject(Fault { kind: Some(Operation::Sync), after, failure, lasting });
        let (store, run) = run(&disk);
        drop(store);
        failed += usize::from(run.error.is_some());

        let store = open(&disk).unwrap();
        let mut expected = rows(&store.snapshot().unwrap()).unwrap();
        let mut random = Random::new(after);
        let first = commit_number(&expected);
        assert!(first >= run.acknowledged, "fsync {after}: lost commit {}", run.acknowledged);
        for number in first + 1..first + 4 {
            let batch = batch(number.try_into().unwrap(), &mut random, &mut expected);
            store.commit(&batch, Durability::Full).unwrap();
        }
        for _ in 0..5 {
            let image = disk.crash(&mut random);
            let store = open(&image).unwrap_or_else(|error| panic!("fsync {after}: {error}"));
            assert!(rows(&store.snapshot().unwrap()).unwrap() == expected, "fsync {after}");
        }
    }
    assert!(failed > 20, "only {failed} fsyncs failed");
}

#[test]
fn every_operation_may_fail() {
    let kinds = [Operation::Read, Operation::Write, Operation::SetLen, Operation::Sync];
    let mut failed = 0;
    for kind in kinds {
        let total = {
            let disk = made();
            let (store, run) = run(&disk);
            assert!(run.error.is_none());
            drop(store);
            disk.operations(Some(kind))
        };
        assert!(total > 0, "{kind:?} does not happen");
        let mut random = Random::new(kind as u64);
        for round in 0..30 {
            let is_full = random.percent(50) && kind != Operation::Read;
            let failure = if is_full { Failure::Full } else { Failure::Io };
            let lasting = random.percent(50);
            let after = random.below(total as usize) as u64;
            let disk = made();
            disk.inject(Fault { kind: Some(kind), after, failure, lasting });
            let (store, run) = run(&disk);
            let Some(error) = &run.error else {
                // Only closing the store hit the fault. It reports no error, but nothing depended
                // on it.
                drop(store);
                run.check(3).unwrap();
                continue;
            };
            failed += 1;
            let first = match error {
                // A checkpoint failed, and this is the first commit after it.
                Error::Poisoned(first) => first,
                error => error,
            };
            match (first, failure) {
                (Error::Io(_), Failure::Io) => {}
                // A failure that cannot be retried is never reported as a full disk.
                (Error::Io(_), Failure::Full) if kind == Operation::Sync => {}
                (Error::Full, Failure::Full) if kind != Operation::Sync => {}
                _ => panic!("{kind:?} {after} {failure:?}: {error:?}"),
            }
            if let Some(store) = store {
                if kind != Operation::Read {
                    // Readers continue, also from the disk, and see nothing of the failed commit.
                    let found = store.snapshot().and_then(|snapshot| rows(&snapshot)).unwrap();
                    assert!(found == run.states[run.acknowledged], "{kind:?} {after}: wrong rows");
                }
                if matches!(first, Error::Full) {
                    // It continues when there is room: see the test full_disk.
                    drop(store);
                    run.check(3).unwrap();
                    continue;
                }
                let mut batch = Batch::new();
                batch.put(singlet_engine::store::Keyspace::Items, vec![1], vec![2]);
                for _ in 0..2 {
                    let refused = store.commit(&batch, Durability::Full).unwrap_err();
                    assert!(matches!(refused, Error::Poisoned(_)), "{refused}");
                    assert!(matches!(store.sync().unwrap_err(), Error::Poisoned(_)));
                }
                assert!(store.close().is_err());
                assert!(matches!(store.snapshot().unwrap_err(), Error::Closed));
            }
            assert!(disk.is_closed(DATA), "the file is let go of");
            run.check(3).unwrap_or_else(|what| panic!("{kind:?} {after} round {round}: {what}"));
        }
    }
    assert!(failed > 80, "only {failed} of the faults were met");
}

#[test]
fn a_store_that_syncs_again_after_a_failure_is_caught() {
    let caught = (60..80).any(|after| {
        let disk = made();
        for file in disk.names() {
            disk.lie(&file, Lie::RepeatsFailedSyncs);
        }
        let kind = Some(Operation::Sync);
        disk.inject(Fault { kind, after, failure: Failure::Io, lasting: false });
        let (store, run) = run(&disk);
        assert!(run.error.is_none(), "the mistake hides the failure");
        // The process dies without closing the file.
        std::mem::forget(store);
        run.check(10).is_err()
    });
    assert!(caught);
}
