//! With any subset of unsynced data after a crash, the store opens, and has every acknowledged
//! commit and no partial one.

use crate::small_store::{LOG, open};
use crate::workload::{Rows, batch, commit_number, rows};
use singlet_engine::store::Durability;
use singlet_testing::disk::{FaultDisk, Lie, Recording};
use singlet_testing::random::Random;

struct Workload {
    recording: Recording,
    /// The rows after each commit, starting with the empty store.
    states: Vec<Rows>,
    /// Number of disk changes after which a state was durable.
    safe: Vec<(usize, usize)>,
}

/// Commits to a store on this disk, with a durability per commit number.
fn work(disk: &FaultDisk, commits: u32, durability: impl Fn(u32) -> Durability) -> Workload {
    let mut random = Random::new(11);
    let store = open(disk).unwrap();
    disk.record();
    let mut states = vec![rows(&store.snapshot().unwrap()).unwrap()];
    let mut safe = vec![(0, 0)];
    for number in 1..=commits {
        let mut rows = states.last().unwrap().clone();
        let batch = batch(number, &mut random, &mut rows);
        states.push(rows);
        store.commit(&batch, durability(number)).unwrap();
        let synced = number % 10 == 0;
        if synced {
            store.sync().unwrap();
        }
        if synced || durability(number) == Durability::Full {
            safe.push((disk.recorded(), states.len() - 1));
        }
    }
    assert_eq!(rows(&store.snapshot().unwrap()).unwrap(), *states.last().unwrap());
    // The process dies here: the recording ends before the store is dropped.
    let recording = disk.recording();
    drop(store);
    Workload { recording, states, safe }
}

impl Workload {
    /// Crashes at this many points. Returns the first error.
    fn crash(&self, images: usize, random: &mut Random) -> Result<(), String> {
        let recording = &self.recording;
        let mut moments: Vec<_> = (0..images).map(|_| random.below(recording.len() + 1)).collect();
        moments.sort_unstable();
        let mut replay = recording.replay();
        for moment in moments {
            replay.advance(moment);
            let image = replay.crash(random);
            let least = self.safe.iter().rev().find(|(when, _)| *when <= moment).unwrap().1;
            self.check(&image, least, random).map_err(|what| format!("at {moment}: {what}"))?;
        }
        Ok(())
    }

    fn check(&self, image: &FaultDisk, least: usize, random: &mut Random) -> Result<(), String> {
        if random.percent(30) {
            // A second crash during recovery from the first.
            image.record();
            let opened = open(image).map_err(|error| error.to_string())?;
            drop(opened);
            let recovery = image.recording();
            let mut replay = recovery.replay();
            replay.advance(random.below(recovery.len() + 1));
            return self.check_once(&replay.crash(random), least);
        }
        self.check_once(image, least)
    }

    fn check_once(&self, image: &FaultDisk, least: usize) -> Result<(), String> {
        let store = open(image).map_err(|error| format!("does not open: {error}"))?;
        let found = store.snapshot().and_then(|snapshot| rows(&snapshot));
        let found = found.map_err(|error| format!("does not read: {error}"))?;
        let number = commit_number(&found);
        if number < least {
            return Err(format!("lost commit {least}, which was acknowledged; has {number}"));
        }
        if self.states.get(number) != Some(&found) {
            return Err(format!("has a part of commit {number}"));
        }
        store.verify().map_err(|error| format!("is not sound: {error}"))?;
        // It accepts writes.
        let mut after = found;
        let next = batch(9999, &mut Random::new(1), &mut after);
        store.commit(&next, Durability::Full).map_err(|error| error.to_string())?;
        store.close().map_err(|error| error.to_string())?;
        let store = open(image).map_err(|error| format!("does not reopen: {error}"))?;
        let again = store.snapshot().and_then(|snapshot| rows(&snapshot));
        match again {
            Ok(again) if again == after => Ok(()),
            _ => Err("lost what was written after the crash".to_owned()),
        }
    }
}

#[test]
fn acknowledged_commits_survive() {
    let disk = FaultDisk::new();
    let workload = work(&disk, 120, |_| Durability::Full);
    workload.crash(1_200, &mut Random::new(5)).unwrap();
}

#[test]
fn relaxed_commits_survive_from_their_sync_on() {
    let disk = FaultDisk::new();
    let workload =
        work(
            &disk,
            120,
            |number| {
                if number % 7 == 0 { Durability::Full } else { Durability::Relaxed }
            },
        );
    workload.crash(800, &mut Random::new(6)).unwrap();
}

#[test]
fn a_store_that_does_not_sync_is_caught() {
    let disk = FaultDisk::new();
    open(&disk).unwrap().close().unwrap();
    for log in LOG {
        disk.lie(log, Lie::NeverSyncs);
    }
    let workload = work(&disk, 120, |_| Durability::Full);
    workload.crash(50, &mut Random::new(5)).unwrap_err();
}
