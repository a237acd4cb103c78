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

use crate::store::batch::{Batch, EditsOf};
use crate::store::error::Error;
use record::Mark;
use recovery::Chain;
use segment::Segment;
use std::hash::{BuildHasher, RandomState};
use std::io;

/// How much of the memory in which records are put together is kept from commit to commit.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// Where the log begins for whoever reads it: everything up to here is in the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// See [`Mark`].
    pub(super) salt: u64,
    /// The last record that is in the base.
    pub(super) last: Link,
    /// Which of the two files holds the next one, at its start.
    pub(super) segment: u8,
}

impl Anchor {
    /// The start of a new log.
    pub(super) fn new() -> Self {
        Self { salt: random(), last: Link { sequence: 0, checksum: 0 }, segment: 0 }
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
        let [segment @ (0 | 1)] = rest else { return None };
        let (sequence, checksum) = (u64::from_le_bytes(*sequence), u32::from_le_bytes(*checksum));
        let last = Link { sequence, checksum };
        Some(Self { salt: u64::from_le_bytes(*salt), last, segment: *segment })
    }
}

/// The standard library's only source of randomness: the keys of a new hasher.
fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A log that is written to.
#[derive(Debug)]
pub(super) struct Log {
    mark: Mark,
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
        segment_bytes: u64,
    ) -> Self {
        Self {
            mark: Mark { salt: anchor.salt, life: random() as u32 },
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

    /// Writes a commit.
    pub(super) fn append(&mut self, batch: &Batch) -> Result<(), Error> {
        if self.buffer.capacity() > BUFFER_BYTES_KEPT {
            self.buffer = Vec::new();
        }
        let unsynced = u32::try_from(self.last.sequence - self.synced).unwrap_or(u32::MAX);
        let link = record::encode(self.mark, self.last, unsynced, batch, &mut self.buffer);
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

    /// Brings everything that was written to the disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        if self.synced < self.last.sequence {
            self.active.sync()?;
            self.synced = self.last.sequence;
        }
        Ok(())
    }

    /// Goes on in the other file, of which nothing may be needed any more. Gives the anchor to be
    /// stored once all that was written so far is in the base.
    pub(super) fn switch(&mut self) -> io::Result<Anchor> {
        // A record in the new file says that those in the old one are on the disk.
        self.sync()?;
        self.other.restart(self.segment_bytes)?;
        std::mem::swap(&mut self.active, &mut self.other);
        self.number = 1 - self.number.min(1);
        self.start = self.last;
        Ok(Anchor { salt: self.mark.salt, last: self.last, segment: self.number })
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
        let chain = Chain::read(self.mark.salt, self.start, &self.active)?;
        if chain.last == self.last && chain.len as u64 == self.active.end() {
            Ok(())
        } else {
            let damaged = chain.last.sequence + 1;
            Err(Error::Corrupt(format!("record {damaged} of the log is damaged")))
        }
    }

    pub(super) fn close(&self) {
        self.active.close();
        self.other.close();
    }
}
