//! The fault disk fails in every documented way, and catches code that relies on too much.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic here is a failing test"
)]

use redb::StorageBackend;
use singlet_testing::disk::{Failure, Fault, FaultDisk, Operation, SECTOR_BYTES};
use singlet_testing::random::Random;
use std::collections::BTreeSet;
use std::io;

const NAME: &str = "data";

fn with_contents(contents: Vec<u8>) -> FaultDisk {
    FaultDisk::with_file(NAME, contents)
}

fn images(disk: &FaultDisk, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    (0..count).map(|_| disk.crash(&mut random).contents(NAME)).collect()
}

#[test]
fn what_was_synced_survives_every_crash() {
    let disk = with_contents(Vec::new());
    disk.file(NAME).write(0, &[7; 3000]).unwrap();
    disk.file(NAME).sync_data().unwrap();
    assert!(images(&disk, 100).iter().all(|image| image == &[7; 3000]));
}

#[test]
fn each_sector_survives_or_not_on_its_own() {
    let disk = with_contents(vec![0; 4 * SECTOR_BYTES]);
    disk.file(NAME).write(0, &[1; 4 * SECTOR_BYTES]).unwrap();
    let seen: BTreeSet<Vec<u8>> = images(&disk, 1000)
        .iter()
        .map(|image| {
            let sectors: Vec<_> = image.chunks(SECTOR_BYTES).collect();
            assert!(sectors.iter().all(|s| s.iter().all(|byte| *byte == s[0])), "a torn sector");
            sectors.iter().map(|sector| sector[0]).collect()
        })
        .collect();
    assert_eq!(seen.len(), 16, "all combinations of four sectors");
}

#[test]
fn a_sector_is_as_one_of_the_writes_has_left_it() {
    let disk = with_contents(vec![0; SECTOR_BYTES]);
    disk.file(NAME).write(0, &[1; 10]).unwrap();
    disk.file(NAME).write(10, &[2; 10]).unwrap();
    let seen: BTreeSet<(u8, u8)> =
        images(&disk, 200).iter().map(|image| (image[0], image[10])).collect();
    // The second write went to the same sector as the first, so it never appears alone.
    assert_eq!(seen, BTreeSet::from([(0, 0), (1, 0), (1, 2)]));
}

#[test]
fn a_length_survives_or_not() {
    let disk = with_contents(vec![9; 600]);
    disk.file(NAME).set_len(2000).unwrap();
    disk.file(NAME).write(1990, &[1; 10]).unwrap();
    disk.file(NAME).set_len(300).unwrap();
    disk.file(NAME).set_len(700).unwrap();
    assert_eq!(disk.contents(NAME)[300..], [0; 400], "what was cut off reads as zeros");
    let lengths: BTreeSet<usize> = images(&disk, 200).iter().map(Vec::len).collect();
    assert_eq!(lengths, BTreeSet::from([300, 600, 700, 2000]));
    disk.file(NAME).sync_data().unwrap();
    assert!(images(&disk, 50).iter().all(|image| *image == disk.contents(NAME)));
}

#[test]
fn one_seed_gives_one_image() {
    let disk = with_contents(vec![0; 100 * SECTOR_BYTES]);
    disk.file(NAME).write(0, &vec![1; 100 * SECTOR_BYTES]).unwrap();
    assert_eq!(images(&disk, 20), images(&disk, 20));
    let different: BTreeSet<_> = images(&disk, 20).into_iter().collect();
    assert!(different.len() > 10);
}

#[test]
fn a_sync_that_succeeds_after_one_that_failed_proves_nothing() {
    let disk = with_contents(vec![0; 2 * SECTOR_BYTES]);
    disk.file(NAME).write(0, &[1; SECTOR_BYTES]).unwrap();
    disk.inject(Fault {
        kind: Some(Operation::Sync),
        after: 0,
        failure: Failure::Io,
        lasting: false,
    });
    disk.file(NAME).sync_data().unwrap_err();
    disk.file(NAME).write(SECTOR_BYTES as u64, &[1; SECTOR_BYTES]).unwrap();
    disk.file(NAME).sync_data().unwrap();
    let seen: BTreeSet<_> =
        images(&disk, 100).iter().map(|image| (image[0], image[SECTOR_BYTES])).collect();
    assert_eq!(seen, BTreeSet::from([(0, 1), (1, 1)]));

    // Writing it again makes it dirty again.
    disk.file(NAME).write(0, &[2; SECTOR_BYTES]).unwrap();
    disk.file(NAME).sync_data().unwrap();
    assert!(images(&disk, 100).iter().all(|image| image[0] == 2));
}

#[test]
fn operations_fail_as_planned() {
    let disk = with_contents(vec![0; 4096]);
    let mut buffer = [0; 16];
    disk.inject(Fault { kind: None, after: 1, failure: Failure::Full, lasting: false });
    disk.inject(Fault {
        kind: Some(Operation::Write),
        after: 1,
        failure: Failure::Io,
        lasting: true,
    });
    disk.file(NAME).read(0, &mut buffer).unwrap();
    let full = disk.file(NAME).write(0, &[1; 1024]).unwrap_err();
    assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    assert_eq!(disk.contents(NAME)[..1024], [[1; 512], [0; 512]].concat(), "done in part");
    for _ in 0..3 {
        assert_eq!(disk.file(NAME).write(0, &[1]).unwrap_err().raw_os_error(), Some(5));
    }
    disk.file(NAME).sync_data().unwrap();
    disk.file(NAME).set_len(8192).unwrap();
    assert_eq!(disk.operations(None), 7);
    assert_eq!(disk.operations(Some(Operation::Write)), 4);
    disk.file(NAME).read(8190, &mut buffer).unwrap_err();
}

#[test]
fn a_flipped_bit_stays_flipped() {
    let disk = with_contents(vec![0; 1000]);
    disk.file(NAME).write(512, &[0; 10]).unwrap();
    disk.flip_bit(NAME, 8 * 513 + 3);
    assert_eq!(disk.contents(NAME)[513], 8);
    assert!(images(&disk, 50).iter().all(|image| image[513] == 8));
}

/// Stores one number in two slots; the slot with the larger version is current. Some variants cut
/// corners.
struct Register<'d> {
    disk: &'d FaultDisk,
    version: u8,
    mistake: Mistake,
}

#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    None,
    AcknowledgesBeforeSync,
    RetriesFailedSync,
    UsesOnePlace,
}

impl Register<'_> {
    /// Returns whether the value is durable.
    fn set(&mut self, value: u8) -> bool {
        self.version += 1;
        let place = if self.mistake == Mistake::UsesOnePlace { 0 } else { self.version % 2 };
        // Two sectors, so that a write can be torn; the number is in the second.
        let mut bytes = [0; 2 * SECTOR_BYTES];
        (bytes[0], bytes[1], bytes[SECTOR_BYTES]) = (self.version, value, value);
        self.disk.file(NAME).write(u64::from(place) * bytes.len() as u64, &bytes).unwrap();
        match self.mistake {
            Mistake::AcknowledgesBeforeSync => {
                !self.version.is_multiple_of(4) || self.disk.file(NAME).sync_data().is_ok()
            }
            Mistake::RetriesFailedSync => {
                self.disk.file(NAME).sync_data().is_ok() || self.disk.file(NAME).sync_data().is_ok()
            }
            Mistake::None | Mistake::UsesOnePlace => self.disk.file(NAME).sync_data().is_ok(),
        }
    }

    fn get(image: &[u8]) -> u8 {
        let valid = image
            .chunks(2 * SECTOR_BYTES)
            .filter(|place| place.len() == 2 * SECTOR_BYTES && place[1] == place[SECTOR_BYTES]);
        valid.max_by_key(|place| place[0]).map_or(0, |place| place[SECTOR_BYTES])
    }
}

/// Crashes the register at every step and returns whether it ever lost an acknowledged number.
fn loses(mistake: Mistake, faulty: bool) -> bool {
    let disk = with_contents(vec![0; 4 * SECTOR_BYTES]);
    disk.record();
    if faulty {
        let kind = Some(Operation::Sync);
        disk.inject(Fault { kind, after: 7, failure: Failure::Io, lasting: false });
    }
    let mut register = Register { disk: &disk, version: 0, mistake };
    let mut acknowledged = vec![(0, 0)];
    for value in 1..20 {
        if !register.set(value) {
            break;
        }
        acknowledged.push((disk.recorded(), value));
    }
    let recording = disk.recording();
    let mut replay = recording.replay();
    let mut random = Random::new(3);
    (0..=recording.len()).any(|moment| {
        replay.advance(moment);
        let safe = acknowledged.iter().rev().find(|(when, _)| *when <= moment).unwrap().1;
        (0..50).any(|_| Register::get(&replay.crash(&mut random).contents(NAME)) < safe)
    })
}

#[test]
fn careful_stores_lose_nothing() {
    assert!(!loses(Mistake::None, false));
    assert!(!loses(Mistake::None, true));
}

#[test]
fn mistakes_are_revealed() {
    assert!(loses(Mistake::AcknowledgesBeforeSync, false));
    assert!(loses(Mistake::RetriesFailedSync, true));
    assert!(loses(Mistake::UsesOnePlace, false));
}
