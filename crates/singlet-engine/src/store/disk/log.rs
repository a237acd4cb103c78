//! The log: a record per commit, made durable by one fsync.
//!
//! It alternates between two files. When one is full, the log continues in the other, while a
//! checkpoint writes the rows of the first into the base. After that, the first file is reused from
//! its start.

mod record;
mod recovery;
mod segment;

pub(super) use record::Link;
pub(super) use recovery::{Recovered, recover};

use super::high_water_mark::MarkFile;
use crate::store::batch::{Batch, EditsOf};
use crate::store::error::Error;
use record::Stamp;
use recovery::Chain;
use segment::Segment;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;

/// Capacity of the record buffer kept between commits.
const BUFFER_BYTES_KEPT: usize = 1 << 20;

/// Where reading the log starts: everything before is in the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// See [`Stamp`].
    pub(super) salt: u64,
    /// The last record that is in the base.
    pub(super) last: Link,
    /// The file that holds the next record, at its start.
    pub(super) segment: u8,
}

impl Anchor {
    /// The start of a new log.
    pub(super) fn new() -> Self {
        Self { salt: random(), last: Link::NONE, segment: 0 }
    }

    fn salt_of(&self, segment: u8) -> u64 {
        salt_of(self.salt, segment)
    }

    fn other_segment(self) -> u8 {
        1 - self.segment.min(1)
    }

    /// Encodes the fields, followed by a checksum.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&self.salt.to_le_bytes());
        bytes.extend_from_slice(&self.last.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.last.checksum.to_le_bytes());
        bytes.extend_from_slice(&[self.segment, ANCHOR_VERSION]);
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// `None` if the checksum or version does not match.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, checksum) = bytes.split_last_chunk()?;
        if crc32fast::hash(numbers) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (salt, rest) = numbers.split_first_chunk()?;
        let (sequence, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let [segment @ (0 | 1), ANCHOR_VERSION] = rest else { return None };
        let (sequence, checksum) = (u64::from_le_bytes(*sequence), u32::from_le_bytes(*checksum));
        let last = Link { sequence, checksum };
        Some(Self { salt: u64::from_le_bytes(*salt), last, segment: *segment })
    }
}

/// Version of the anchor's encoding.
const ANCHOR_VERSION: u8 = 3;

/// The salt of a file's records. It differs between the files, so that swapped files are detected.
fn salt_of(salt: u64, segment: u8) -> u64 {
    if segment == 0 { salt } else { !salt }
}

/// The standard library's only source of randomness: the keys of a new hasher.
fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A log open for writing.
#[derive(Debug)]
pub(super) struct Log {
    /// See [`Stamp`]; that of the first file.
    salt: u64,
    life: u32,
    mark_file: Arc<MarkFile>,
    /// The file that commits go to, and its number.
    active: Segment,
    number: u8,
    /// The record before the first one in the active file.
    start: Link,
    last: Link,
    /// The last record known to be on disk.
    synced: u64,
    other: Segment,
    /// File length at which the log switches to the other file.
    segment_bytes: u64,
    buffer: Vec<u8>,
}

impl Log {
    /// Continues after the last record found. The first file given is the active one, whose number
    /// is in the anchor.
    fn resume(
        anchor: Anchor,
        start: Link,
        last: Link,
        [active, other]: [Segment; 2],
        (segment_bytes, mark_file): (u64, Arc<MarkFile>),
    ) -> Self {
        Self {
            salt: anchor.salt,
            life: random() as u32,
            mark_file,
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

    /// An anchor after the last record.
    fn anchor(&self) -> Anchor {
        Anchor { salt: self.salt, last: self.last, segment: self.number }
    }

    /// Advances the high-water mark. Call only after a successful fsync.
    fn advance_mark(&self) -> Result<(), Error> {
        match self.mark_file.record_log(self.last, self.log_bytes()).map_err(Error::from) {
            // Some file systems need space to overwrite. The old mark is still true, and the commit
            // is durable, so it succeeds.
            Ok(()) | Err(Error::Full) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The lengths of the files, in the order of their names.
    fn log_bytes(&self) -> [u64; 2] {
        self.in_order(self.active.len(), self.other.len())
    }

    fn in_order(&self, active: u64, other: u64) -> [u64; 2] {
        if self.number == 0 { [active, other] } else { [other, active] }
    }

    /// Checks whether there is room for a small commit.
    pub(super) fn probe(&mut self) -> io::Result<()> {
        self.active.reserve(record::HEADER_BYTES as u64)
    }

    /// Writes a commit. If the disk is full, it can be retried: the next record overwrites this
    /// one.
    pub(super) fn append(&mut self, batch: &Batch) -> Result<(), Error> {
        if self.buffer.capacity() > BUFFER_BYTES_KEPT {
            self.buffer = Vec::new();
        }
        let unsynced = u32::try_from(self.last.sequence - self.synced).unwrap_or(u32::MAX);
        let stamp = Stamp { salt: salt_of(self.salt, self.number), life: self.life };
        let link = record::encode(stamp, self.last, unsynced, batch, &mut self.buffer);
        self.active.append(&self.buffer)?;
        self.last = link;
        Ok(())
    }

    /// The edits of the last commit, with values tagged as in [`memtable`](super::memtable).
    pub(super) fn last_edits(&self) -> Result<Vec<EditsOf<'_>>, Error> {
        record::edits_of(&self.buffer)
            .ok_or_else(|| Error::Corrupt("a record was damaged while it was made".to_owned()))
    }

    /// Syncs the log and advances the high-water mark.
    pub(super) fn sync(&mut self) -> Result<(), Error> {
        if self.synced < self.last.sequence {
            self.active.sync()?;
            self.advance_mark()?;
            self.synced = self.last.sequence;
        }
        Ok(())
    }

    pub(super) fn mark_file(&self) -> Arc<MarkFile> {
        Arc::clone(&self.mark_file)
    }

    /// Continues in the other file, whose records must no longer be needed, up to this length.
    /// Returns the anchor to store once everything written so far is in the base.
    pub(super) fn switch(&mut self, segment_bytes: u64) -> Result<Anchor, Error> {
        // A record in the new file implies that those in the old one are durable.
        self.sync()?;
        self.segment_bytes = segment_bytes;
        if self.other.len() > self.segment_bytes {
            // Before truncating: the mark is a lower bound.
            let log_bytes = self.in_order(self.active.len(), self.segment_bytes);
            self.mark_file.record_log(self.last, log_bytes)?;
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

    /// Bytes left until it is time to switch.
    pub(super) fn room_bytes(&self) -> u64 {
        self.segment_bytes.saturating_sub(self.active.end())
    }

    /// Total length of both files.
    pub(super) fn size_bytes(&self) -> u64 {
        self.active.len() + self.other.len()
    }

    /// Reads and verifies the records of the active file.
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
        self.mark_file.close();
    }
}
