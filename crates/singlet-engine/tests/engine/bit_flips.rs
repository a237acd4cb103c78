//! A flipped bit on disk is harmless or causes an error. It never produces wrong data or a crash.

use crate::durability::{Contents, START_MS, Workload, check_sound, open, options, times};
use singlet_engine::{Clock, Durability, Error};
use singlet_testing::disk::FaultDisk;
use singlet_testing::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// The engine did not open.
    Refused,
    /// Something could not be read.
    ReadFailed,
    /// Reads were right, and a check reported the damage.
    Reported,
    /// The bit is in unused space.
    Harmless,
    /// Undetected damage.
    Silent,
}

/// Opens an image and compares its contents.
fn open_and_read(image: &FaultDisk, clock: &Clock, expected: &Contents) -> Outcome {
    let engine = match open(image, options(clock, Durability::Full)) {
        Ok(engine) => engine,
        Err(Error::Store(_)) => return Outcome::Refused,
        Err(_) => return Outcome::Silent,
    };
    let found = match Contents::read(&engine) {
        Ok(found) => found,
        Err(Error::Store(_)) => return Outcome::ReadFailed,
        // A missing table or index is wrong data, too.
        Err(_) => return Outcome::Silent,
    };
    match (found == *expected, check_sound(&engine)) {
        (true, Ok(())) => Outcome::Harmless,
        (_, Err(_)) => Outcome::Reported,
        (false, Ok(())) => Outcome::Silent,
    }
}

/// The state in which the engine left its files.
#[derive(Clone, Copy, PartialEq)]
enum Left {
    Closed,
    /// With commits in its log.
    Killed,
}

fn flip_bits(left: Left, seeds: std::ops::Range<u64>) {
    let (disk, clock) = (FaultDisk::new(), Clock::fixed(START_MS));
    let engine = open(&disk, options(&clock, Durability::Full)).unwrap();
    let mut workload = Workload::new(5, &clock);
    for _ in 0..150 {
        workload.step(&engine).unwrap();
    }
    let expected = Contents::read(&engine).unwrap();
    if left == Left::Closed {
        engine.close().unwrap();
    }
    let left_disk = disk.copy();
    let files: Vec<_> =
        disk.names().into_iter().map(|name| (left_disk.contents(&name), name)).collect();
    // Most of a young file is empty: three of four flips hit used bytes.
    let written = |contents: &[u8]| -> Vec<usize> {
        (0..contents.len()).filter(|at| contents.get(*at) != Some(&0)).collect()
    };
    let written: Vec<_> = files.iter().map(|(contents, _)| written(contents)).collect();

    let mut outcomes = Vec::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        // Half of the flips are in the base.
        let file = *random.one_of(&[0, 0, 0, 1, 2, 3]).unwrap();
        let (contents, name) = &files[file];
        let byte = match random.percent(75) {
            true => *random.one_of(&written[file]).unwrap(),
            false => random.below(contents.len()),
        };
        let image = left_disk.copy();
        image.flip_bit(name, byte as u64 * 8 + random.below(8) as u64);
        let outcome = catch_unwind(AssertUnwindSafe(|| open_and_read(&image, &clock, &expected)));
        let Ok(outcome) = outcome else { panic!("seed {seed}, byte {byte} of {name}: a panic") };
        assert_ne!(outcome, Outcome::Silent, "seed {seed}, byte {byte} of {name}");
        outcomes.push(outcome);
    }
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    let noticed = outcomes.len() - count(Outcome::Harmless);
    assert!(noticed > outcomes.len() / 20, "only {noticed} flips hit anything");
}

#[test]
fn no_flipped_bit_of_a_closed_folder_goes_unnoticed() {
    flip_bits(Left::Closed, 0..200 * times(20) as u64);
}

#[test]
fn no_flipped_bit_of_a_killed_process_goes_unnoticed() {
    flip_bits(Left::Killed, 1_000_000..1_000_000 + 200 * times(20) as u64);
}
