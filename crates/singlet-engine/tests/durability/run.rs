//! A recorded workload, which can be crashed at any point afterwards.

use super::{Contents, START_MS, Workload, check_sound, open, options};
use singlet_dynamo::operation::{GetItem, PutItem};
use singlet_dynamo::{Item, Value};
use singlet_engine::{Clock, Durability, Engine};
use singlet_testing::disk::{FaultDisk, Lie, Recording};
use singlet_testing::random::Random;
use std::ops::RangeInclusive;

/// A recording of the disk, with the states acknowledged over time.
pub struct Run {
    recording: Recording,
    clock: Clock,
    /// The contents after each step, starting with an empty engine.
    states: Vec<Contents>,
    /// Position in the recording at which each state was acknowledged.
    moments: Vec<usize>,
    /// For each state, the oldest one that a crash may fall back to.
    floors: Vec<usize>,
}

impl Run {
    /// Runs a workload on an engine with a new disk.
    pub fn new(seed: u64, steps: usize, durability: Durability) -> Self {
        Self::with_lies(&[], seed, steps, durability)
    }

    /// The same with a disk whose files misbehave.
    pub fn with_lies(
        lies: &[(&str, Lie)],
        seed: u64,
        steps: usize,
        durability: Durability,
    ) -> Self {
        let (disk, clock) = (FaultDisk::new(), Clock::fixed(START_MS));
        // A data file is renamed when complete, so a crash before that leaves none.
        open(&disk, options(&clock, durability)).unwrap().close().unwrap();
        disk.record();
        for (name, lie) in lies {
            disk.lie(name, *lie);
        }
        let engine = open(&disk, options(&clock, durability)).unwrap();
        let mut workload = Workload::new(seed, &clock);
        let mut states = vec![Contents::read(&engine).unwrap()];
        let (mut moments, mut floors) = (vec![0], vec![0]);
        for step in 1..=steps {
            let syncs = workload.step(&engine).unwrap();
            moments.push(disk.recorded());
            states.push(Contents::read(&engine).unwrap());
            floors.push(match durability {
                Durability::Full => step,
                // Maintenance starts with a sync; its own changes are relaxed.
                Durability::Relaxed if syncs => step - 1,
                Durability::Relaxed => floors[step - 1],
            });
        }
        // Crash during close, too.
        engine.close().unwrap();
        Self { recording: disk.recording(), clock, states, moments, floors }
    }

    /// The same run, as if every write had been acknowledged as durable.
    pub fn with_full_promises(mut self) -> Self {
        self.floors = (0..self.states.len()).collect();
        self
    }

    /// The states possible after a crash at this position: from the last durable one to the one in
    /// progress.
    fn possible(&self, moment: usize) -> RangeInclusive<usize> {
        let acknowledged = self.moments.partition_point(|when| *when <= moment) - 1;
        self.floors[acknowledged]..=(acknowledged + 1).min(self.states.len() - 1)
    }

    /// Crashes at this many positions. An error describes a bad image.
    pub fn crash(&self, images: usize, seed: u64) -> Result<(), String> {
        let mut random = Random::new(seed);
        let mut moments: Vec<_> =
            (0..images).map(|_| random.below(self.recording.len() + 1)).collect();
        moments.sort_unstable();
        let mut replay = self.recording.replay();
        for moment in moments {
            replay.advance(moment);
            let mut image = replay.crash(&mut random);
            if random.percent(25) {
                image = self.crash_again(&image, &mut random)?;
            }
            self.check(&image, self.possible(moment))
                .map_err(|what| format!("an image of moment {moment} {what}"))?;
        }
        Ok(())
    }

    /// A second crash while the engine opens or closes the first image.
    fn crash_again(&self, image: &FaultDisk, random: &mut Random) -> Result<FaultDisk, String> {
        image.record();
        let engine = self.open(image)?;
        drop(engine);
        let recovery = image.recording();
        let mut replay = recovery.replay();
        replay.advance(random.below(recovery.len() + 1));
        Ok(replay.crash(random))
    }

    fn open(&self, image: &FaultDisk) -> Result<Engine, String> {
        open(image, options(&self.clock, Durability::Full))
            .map_err(|error| format!("does not open: {error}"))
    }

    /// Checks that an image is exactly one of the possible states, sound, and writable.
    pub fn check(&self, image: &FaultDisk, possible: RangeInclusive<usize>) -> Result<(), String> {
        let engine = self.open(image)?;
        let found = Contents::read(&engine).map_err(|error| format!("cannot be read: {error}"))?;
        if !self.states[possible.clone()].contains(&found) {
            return Err(match self.states.iter().position(|state| *state == found) {
                Some(other) => format!("has state {other}, and not one of {possible:?}"),
                None => format!("is in a state that never was, near {possible:?}"),
            });
        }
        check_sound(&engine)?;
        if found.items_of("Orders").is_empty() {
            // There may be no table yet.
            return Ok(());
        }
        let key = Item::from([("pk", Value::from("after")), ("sk", Value::from("crash"))]);
        engine
            .put_item(PutItem::new("Orders", key.clone()))
            .map_err(|error| format!("takes no writes: {error}"))?;
        engine.close().map_err(|error| format!("cannot be closed: {error}"))?;
        let engine = self.open(image)?;
        match engine.get_item(&GetItem::new("Orders", key)) {
            Ok(answer) if answer.item.is_some() => Ok(()),
            _ => Err("loses what is written to it".to_owned()),
        }
    }
}
