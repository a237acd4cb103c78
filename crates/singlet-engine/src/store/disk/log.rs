//! The log: commits, one behind the other, made durable by one fsync each.
//!
//! It has two files, used in turn. Commits go to one of them until it is full; then the log goes
//! on in the other, while a checkpoint brings what the first one holds into the base. When that
//! is done, the first one may be used again from its start.

mod record;
mod recovery;
mod segment;

pub(super) use record::Link;
pub(super) use recovery::{Recovered, recover};

use super::reach::{Known, Reach};
use crate::store::batch::{Batch, EditsOf};
use crate::store::error::Error;
use record::Mark;
use recovery::Chain;
use segment::Segment;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;

/// How much of the memory in which records are put together is kept from commit to commit.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// Which rules a log was written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Those of format 2, without the file `reach`: where the log ends is not known.
    WithoutReach,
    /// Those of today.
    WithReach,
}

/// Where the log begins for whoever reads it: everything up to here is in the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    pub(super) rules: Rules,
    /// See [`Mark`].
    pub(super) salt: u64,
    /// The last record that is in the base.
    pub(super) last: Link,
    /// Which of the two files holds the next one, at its start.
    pub(super) segment: u8,
}

impl Anchor {
    /// The start of a new log. It gets its file `reach` as an old one does: see
    /// [`Log::begin_reach`].
    pub(super) fn new() -> Self {
        Self { rules: Rules::WithoutReach, salt: random(), last: Link::NONE, segment: 0 }
    }

    /// What the records in a file begin with.
    fn salt_of(&self, segment: u8) -> u64 {
        match self.rules {
            Rules::WithoutReach => self.salt,
            Rules::WithReach => salt_of(self.salt, segment),
        }
    }

    fn other_segment(self) -> u8 {
        1 - self.segment.min(1)
    }

    /// As it is stored in the base: the numbers, and a checksum of them.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&self.salt.to_le_bytes());
        bytes.extend_from_slice(&self.last.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.last.checksum.to_le_bytes());
        bytes.push(self.segment);
        if self.rules == Rules::WithReach {
            bytes.push(WITH_REACH);
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// What was stored so; nothing if it was not.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, checksum) = bytes.split_last_chunk()?;
        if crc32fast::hash(numbers) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (salt, rest) = numbers.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (segment, rules) = match rest {
            [segment @ (0 | 1)] => (segment, Rules::WithoutReach),
            [segment @ (0 | 1), WITH_REACH] => (segment, Rules::WithReach),
            _ => return None,
        };
        let (sequence, checksum) = (u64::from_le_bytes(*sequence), u32::from_le_bytes(*checksum));
        let last = Link { sequence, checksum };
        Some(Self { rules, salt: u64::from_le_bytes(*salt), last, segment: *segment })
    }
}

/// The byte by which an anchor says that there is a file `reach`.
const WITH_REACH: u8 = 3;

/// What the records in a file begin with: another number in each, so that files that were exchanged
/// are noticed.
fn salt_of(salt: u64, segment: u8) -> u64 {
    if segment == 0 { salt } else { !salt }
}

/// The standard library's only source of randomness: the keys of a new hasher.
fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A log that is written to.
#[derive(Debug)]
pub(super) struct Log {
    /// See [`Mark`]; that of the first file.
    salt: u64,
    life: u32,
    reach: Arc<Reach>,
    /// The file that commits go to, and its number.
    active: Segment,
    number: u8,
    /// The record before the first one in the active file.
    start: Link,
    last: Link,
    /// The last record that is on the disk for certain.
    synced: u64,
    other: Segment,
    /// How long a file is when the log should go on in the other.
    segment_bytes: u64,
    buffer: Vec<u8>,
}

impl Log {
    /// Goes on behind the last record that was found. The first of the files is the active one,
    /// whose number the anchor tells.
    fn resume(
        anchor: Anchor,
        start: Link,
        last: Link,
        [active, other]: [Segment; 2],
        (segment_bytes, reach): (u64, Arc<Reach>),
    ) -> Self {
        Self {
            salt: anchor.salt,
            life: random() as u32,
            reach,
            active,
            number: anchor.segment,
            start,
            last,
            synced: last.sequence,
            other,
            segment_bytes,
            buffer: Vec::new(),
        }
    }

    /// Makes a log from before the file `reach`, or a new one, a log of today. Gives the anchor to
    /// be stored once all that was written so far is in the base. Its salt is another one, so that
    /// what was written before is no record of this log.
    pub(super) fn begin_reach(&mut self) -> Result<Anchor, Error> {
        if !self.is_empty() {
            self.switch(self.segment_bytes)?;
        }
        self.salt = random();
        // No length is known for certain before something was written and synced.
        self.active.resume(0, 0);
        self.other.resume(0, 0);
        let (last, log_bytes) = (self.last, self.log_bytes());
        self.reach.begin(Known { salt: self.salt, last, log_bytes, data_bytes: 0 })?;
        Ok(self.anchor())
    }

    /// Where the log begins if nothing is needed of what was written so far.
    fn anchor(&self) -> Anchor {
        Anchor { rules: Rules::WithReach, salt: self.salt, last: self.last, segment: self.number }
    }

    /// Records that all that was written is on the disk, which is so.
    fn record_reach(&self) -> Result<(), Error> {
        match self.reach.record_log(self.last, self.log_bytes()).map_err(Error::from) {
            // There are disks on which bytes that replace others need room. What is recorded is
            // less then, and still true; what was written is durable, and is not refused.
            Ok(()) | Err(Error::Full) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// How long the files are, in the order of their names.
    fn log_bytes(&self) -> [u64; 2] {
        self.in_order(self.active.len(), self.other.len())
    }

    fn in_order(&self, active: u64, other: u64) -> [u64; 2] {
        if self.number == 0 { [active, other] } else { [other, active] }
    }

    /// Whether there is room for a small commit, or room can be made.
    pub(super) fn probe(&mut self) -> io::Result<()> {
        self.active.reserve(record::HEADER_BYTES as u64)
    }

    /// Writes a commit. If that fails because the disk is full, it can be tried again: the place of
    /// the record is written over then.
    pub(super) fn append(&mut self, batch: &Batch) -> Result<(), Error> {
        if self.buffer.capacity() > BUFFER_BYTES_KEPT {
            self.buffer = Vec::new();
        }
        let unsynced = u32::try_from(self.last.sequence - self.synced).unwrap_or(u32::MAX);
        let mark = Mark { salt: salt_of(self.salt, self.number), life: self.life };
        let link = record::encode(mark, self.last, unsynced, batch, &mut self.buffer);
        self.active.append(&self.buffer)?;
        self.last = link;
        Ok(())
    }

    /// The edits of the last commit as they lie in its record, with values as [`top`](super::top)
    /// keeps them.
    pub(super) fn last_edits(&self) -> Result<Vec<EditsOf<'_>>, Error> {
        record::edits_of(&self.buffer)
            .ok_or_else(|| Error::Corrupt("a record was damaged while it was made".to_owned()))
    }

    /// Brings everything that was written to the disk, and records that it is there.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        if self.synced < self.last.sequence {
            self.active.sync()?;
            self.record_reach()?;
            self.synced = self.last.sequence;
        }
        Ok(())
    }

    /// Where it is recorded how far the log reaches.
    pub(super) fn reach(&self) -> Arc<Reach> {
        Arc::clone(&self.reach)
    }

    /// Goes on in the other file, of which nothing may be needed any more, up to this length. Gives
    /// the anchor to be stored once all that was written so far is in the base.
    pub(super) fn switch(&mut self, segment_bytes: u64) -> Result<Anchor, Error> {
        // A record in the new file says that those in the old one are on the disk.
        self.sync()?;
        self.segment_bytes = segment_bytes;
        if self.other.len() > self.segment_bytes {
            // Before it is true of the file: what is recorded is the least that there is.
            let log_bytes = self.in_order(self.active.len(), self.segment_bytes);
            self.reach.record_log(self.last, log_bytes)?;
        }
        self.other.restart(self.segment_bytes)?;
        std::mem::swap(&mut self.active, &mut self.other);
        self.number = 1 - self.number.min(1);
        self.start = self.last;
        Ok(self.anchor())
    }

    /// Whether the active file has no records.
    pub(super) fn is_empty(&self) -> bool {
        self.active.end() == 0
    }

    /// Whether it is time to switch.
    pub(super) fn is_full(&self) -> bool {
        !self.is_empty() && self.room_bytes() == 0
    }

    /// How many bytes may be written until it is time to switch.
    pub(super) fn room_bytes(&self) -> u64 {
        self.segment_bytes.saturating_sub(self.active.end())
    }

    /// How long both files are.
    pub(super) fn size_bytes(&self) -> u64 {
        self.active.len() + self.other.len()
    }

    /// Reads the records of the active file again.
    pub(super) fn verify(&self) -> Result<(), Error> {
        let chain = Chain::read(salt_of(self.salt, self.number), self.start, &self.active)?;
        if chain.last == self.last && chain.len as u64 == self.active.end() {
            Ok(())
        } else {
            let damaged = chain.last.sequence + 1;
            Err(recovery::damaged(damaged))
        }
    }

    pub(super) fn close(&self) {
        self.active.close();
        self.other.close();
        self.reach.close();
    }
}
