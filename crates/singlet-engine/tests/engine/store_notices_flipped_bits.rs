//! With one bit of the file flipped, every read is right or an error.

use crate::small_store::{DATA, LOG, open};
use crate::workload::{Rows, batch, commit_number, rows};
use singlet_engine::store::{Direction, Durability, Error, Keyspace};
use singlet_testing::disk::FaultDisk;
use singlet_testing::random::Random;
use std::ops::Bound;

/// The sector with redb's header follows the first page of checksums.
const HEADER_START: usize = 4096;
const SECTOR_BYTES: usize = 512;

/// A store with some hundred rows in all keyspaces that the workload uses.
fn file() -> (FaultDisk, Rows) {
    let disk = FaultDisk::new();
    let store = open(&disk).unwrap();
    let mut rows = Rows::new();
    let mut random = Random::new(4);
    for number in 1..=80 {
        let batch = batch(number, &mut random, &mut rows);
        store.commit(&batch, Durability::Full).unwrap();
    }
    store.close().unwrap();
    assert_eq!(commit_number(&rows), 80);
    (disk.copy(), rows)
}

#[derive(Clone, Copy, PartialEq)]
enum When {
    /// The file is damaged before it is opened.
    BeforeOpening,
    /// It is damaged while the store is open. With debug assertions redb reads the whole file at
    /// open, so only this tests the detection by reads.
    AfterOpening,
}

/// Whether the store detected the damage. Panics on a wrong answer.
fn noticed(image: &FaultDisk, expected: &Rows, bit: usize, when: When) -> bool {
    let disk = image.copy();
    if when == When::BeforeOpening {
        disk.flip_bit(DATA, bit as u64);
    }
    let store = match open(&disk) {
        Ok(store) => store,
        Err(error) => {
            assert!(matches!(error, Error::Corrupt(_)), "bit {bit}: {error:?}");
            return true;
        }
    };
    if when == When::AfterOpening {
        disk.flip_bit(DATA, bit as u64);
    }
    let mut noticed = false;
    let snapshot = store.snapshot().unwrap();
    for ((keyspace, key), value) in expected {
        match snapshot.get(*keyspace, key) {
            Ok(found) => assert_eq!(found.as_deref(), Some(&value[..]), "bit {bit}"),
            Err(Error::Corrupt(_) | Error::Poisoned(_)) => noticed = true,
            Err(error) => panic!("bit {bit}: {error:?}"),
        }
    }
    match rows(&snapshot) {
        Ok(found) => assert!(found == *expected, "bit {bit}"),
        Err(_) => noticed = true,
    }
    if noticed {
        // A store with detected damage writes nothing.
        assert!(matches!(store.sync(), Err(Error::Poisoned(_))));
    }
    noticed
}

#[test]
fn wherever_the_bit_is() {
    let (image, expected) = file();
    let mut random = Random::new(8);
    for when in [When::BeforeOpening, When::AfterOpening] {
        let flips = 200;
        let seen = (0..flips).filter(|_| {
            let bit = random.below(image.contents(DATA).len() * 8);
            noticed(&image, &expected, bit, when)
        });
        // The others are in free pages.
        let seen = seen.count();
        assert!(seen > flips / 10, "only {seen} of {flips}");
    }
}

#[test]
fn in_the_header() {
    let (image, expected) = file();
    let bits = HEADER_START * 8..(HEADER_START + SECTOR_BYTES) * 8;
    for bit in bits.step_by(5) {
        assert!(noticed(&image, &expected, bit, When::BeforeOpening), "bit {bit}");
    }
}

/// A killed process leaves commits in the log. A flipped bit in it is detected, or lies in unused
/// space; also in the last commit, which the file `reach` knows.
#[test]
fn in_the_log() {
    let disk = FaultDisk::new();
    let store = open(&disk).unwrap();
    let mut states = vec![Rows::new()];
    let mut random = Random::new(5);
    for number in 1..=70 {
        let mut rows = states.last().unwrap().clone();
        store.commit(&batch(number, &mut random, &mut rows), Durability::Full).unwrap();
        states.push(rows);
    }
    let mut noticed = 0;
    let killed = disk.copy();
    for round in 0..300 {
        let log = round % 2;
        let contents = killed.contents(LOG[log]);
        let written: Vec<_> = (0..contents.len()).filter(|at| contents[*at] != 0).collect();
        let byte = *random.one_of(&written).unwrap();
        let image = killed.copy();
        image.flip_bit(LOG[log], (byte * 8 + random.below(8)) as u64);
        let found = match open(&image) {
            Ok(store) => rows(&store.snapshot().unwrap()).unwrap(),
            Err(error) => {
                assert!(matches!(error, Error::Corrupt(_)), "{error}");
                noticed += 1;
                continue;
            }
        };
        assert!(found == states[70], "byte {byte} of {}", LOG[log]);
    }
    assert!(noticed > 50, "only {noticed} flips were noticed");
}

#[test]
fn verify_finds_what_nobody_has_read() {
    let (image, expected) = file();
    let mut random = Random::new(9);
    let mut found = 0;
    for _ in 0..60 {
        let bit = random.below(image.contents(DATA).len() * 8);
        let disk = image.copy();
        let store = open(&disk).unwrap();
        disk.flip_bit(DATA, bit as u64);
        let verified = store.verify();
        found += usize::from(verified.is_err());
        if verified.is_ok() {
            let when = When::AfterOpening;
            assert!(!noticed(&image, &expected, bit, when), "bit {bit} was not found");
        }
    }
    assert!(found > 5, "only {found}");
}

#[test]
fn a_range_ends_with_its_first_error() {
    let (image, expected) = file();
    let items: Vec<_> = expected.iter().filter(|((k, _), _)| *k == Keyspace::Items).collect();
    let damaged = &items[items.len() / 2].0.1;
    let disk = image.copy();
    let store = open(&disk).unwrap();
    let data = image.contents(DATA);
    for place in (0..data.len()).filter(|place| data[*place..].starts_with(damaged)) {
        disk.flip_bit(DATA, place as u64 * 8);
    }
    let snapshot = store.snapshot().unwrap();
    let all = Bound::Unbounded;
    let mut range = snapshot.range(Keyspace::Items, all, all, Direction::Forward).unwrap();
    let sound: Vec<_> = range.by_ref().map_while(Result::ok).collect();
    assert!(!sound.is_empty() && sound.len() < items.len(), "{}", sound.len());
    assert!(sound.iter().zip(&items).all(|(row, item)| row.value() == item.1));
    assert!(range.next().is_none());
}
