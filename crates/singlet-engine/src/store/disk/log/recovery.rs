//! Reading the log when a store is opened.
//!
//! Records after the last checkpoint are replayed until one is missing: either a crash interrupted
//! its commit, or the file is damaged. A crash only loses records that were not yet synced, and
//! every record states which of its predecessors were. So a later record that states that the
//! missing one was synced proves damage, and the store does not open. For the last records, the
//! [`high_water_mark`](crate::store::disk::high_water_mark) takes that role. Records beyond the
//! mark were not acknowledged, unless the power was lost just afterwards.

use super::record::{self, ALIGNMENT, HEADER_BYTES, Header, Link};
use super::segment::Segment;
use super::{Anchor, Log};
use crate::store::batch::Edit;
use crate::store::disk::file::StoreFile;
use crate::store::disk::high_water_mark::{HighWaterMark, MarkFile};
use crate::store::disk::memtable::{self, Memtable};
use crate::store::error::Error;
use crate::store::keyspace::PerKeyspace;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

const CHUNK_BYTES: usize = 1 << 20;

/// The part of the log that is not in the base.
pub(in crate::store::disk) struct Recovered {
    pub(in crate::store::disk) log: Log,
    /// The commits before the log switched files, if it did, with the anchor to store once they are
    /// in the base.
    pub(in crate::store::disk) frozen: Option<(Memtable, Anchor)>,
    pub(in crate::store::disk) active: Memtable,
}

/// Reads the log, starting at an anchor.
pub(in crate::store::disk) fn recover(
    files: [StoreFile; 2],
    anchor: Anchor,
    mark_file: &Arc<MarkFile>,
    segment_bytes: u64,
) -> Result<Recovered, Error> {
    let [zero, one] = files;
    let segments = [Segment::open(zero)?, Segment::open(one)?];
    let mark = check_files(&segments, anchor, mark_file)?;
    let [zero, one] = segments;
    let [mut first, mut second] = if anchor.segment == 0 { [zero, one] } else { [one, zero] };
    let salts = [anchor.salt_of(anchor.segment), anchor.salt_of(anchor.other_segment())];
    let [first_salt, second_salt] = salts;
    let older = Chain::read(first_salt, anchor.last, &first)?;
    // The log continues in its other file only if this one has records.
    let newer = if older.is_empty() {
        Chain::new(older.last)
    } else {
        Chain::read(second_salt, older.last, &second)?
    };
    let missing = newer.last.sequence + 1;
    if !is_reached(mark.last, anchor.last, [&older, &newer]) {
        return Err(damaged(missing));
    }
    // Both files are replayed in parallel.
    let (of_older, of_newer) = (Memtable::new(segment_bytes), Memtable::new(segment_bytes));
    std::thread::scope(|scope| -> Result<(), Error> {
        let thread = std::thread::Builder::new().name("singlet-replay".to_owned());
        let replaying = || older.replay(first_salt, &first, missing, &of_older);
        let replaying = thread.spawn_scoped(scope, replaying)?;
        newer.replay(second_salt, &second, missing, &of_newer)?;
        let panicked = |_| Err(Error::Corrupt("the log makes no sense".to_owned()));
        replaying.join().unwrap_or_else(panicked)
    })?;
    if !older.is_empty() {
        // The records may exist only in the page cache, and later records will state that they are
        // durable. An fsync is not enough: after a failed fsync the kernel considers the lost pages
        // clean.
        let synced = older.synced.max(newer.synced);
        older.write_again(synced, &first)?;
        newer.write_again(synced, &second)?;
        first.sync()?;
        second.sync()?;
    }
    let [zero_bytes, one_bytes] = mark.log_bytes;
    let certain =
        if anchor.segment == 0 { [zero_bytes, one_bytes] } else { [one_bytes, zero_bytes] };
    for ((segment, chain), bytes) in
        [(&mut first, &older), (&mut second, &newer)].into_iter().zip(certain)
    {
        segment.resume(chain.len as u64, bytes);
    }
    let settings = (segment_bytes, Arc::clone(mark_file));
    let recovered = if newer.is_empty() {
        let log = Log::resume(anchor, anchor.last, older.last, [first, second], settings);
        Recovered { log, frozen: None, active: of_older }
    } else {
        let anchor = Anchor { last: older.last, segment: anchor.other_segment(), ..anchor };
        let log = Log::resume(anchor, older.last, newer.last, [second, first], settings);
        Recovered { log, frozen: Some((of_older, anchor)), active: of_newer }
    };
    recovered.log.advance_mark()?;
    Ok(recovered)
}

/// Rejects foreign, truncated or swapped files, without reading their records. Returns the
/// high-water mark.
fn check_files(
    segments: &[Segment; 2],
    anchor: Anchor,
    mark_file: &MarkFile,
) -> Result<HighWaterMark, Error> {
    let mark = mark_file.read()?;
    mark.check_log(anchor.salt, segments.each_ref().map(Segment::len))?;
    for (segment, other) in segments.iter().zip([1, 0]) {
        // A used file starts with a record, because its first sector is written atomically.
        let mut header = [0; HEADER_BYTES];
        if segment.len() >= HEADER_BYTES as u64 {
            segment.read(0, &mut header)?;
        }
        if Header::read(anchor.salt_of(other), &header).is_some() {
            return Err(Error::Corrupt("the files of the log were exchanged".to_owned()));
        }
    }
    Ok(mark)
}

/// Whether the log reaches the high-water mark.
fn is_reached(mark: Link, anchor: Link, chains: [&Chain; 2]) -> bool {
    let mut links = chains.into_iter().flat_map(|chain| &chain.records).map(|record| record.link);
    mark.sequence < anchor.sequence || mark == anchor || links.any(|link| link == mark)
}

pub(super) fn damaged(sequence: u64) -> Error {
    Error::Corrupt(format!("record {sequence} of the log is missing or damaged"))
}

/// Consecutive records from the start of a file.
pub(super) struct Chain {
    /// The file up to their end, and perhaps some left-over bytes.
    bytes: Vec<u8>,
    records: Vec<Found>,
    pub(super) last: Link,
    /// The last record that one of these states to be on disk.
    synced: u64,
    /// Total length of the records.
    pub(super) len: usize,
}

struct Found {
    link: Link,
    edits: Range<usize>,
}

impl Chain {
    fn new(after: Link) -> Self {
        Self { bytes: Vec::new(), records: Vec::new(), last: after, synced: 0, len: 0 }
    }

    /// Reads no more of a file than needed: a reused file may have many left-over bytes.
    pub(super) fn read(salt: u64, after: Link, segment: &Segment) -> io::Result<Self> {
        let mut chain = Self::new(after);
        while let Some((header, edits)) = chain.next(salt, segment)? {
            chain.last = header.link;
            chain.synced = chain.synced.max(header.synced());
            chain.len = edits.end.next_multiple_of(ALIGNMENT);
            chain.records.push(Found { link: header.link, edits });
        }
        Ok(chain)
    }

    /// The next record, if any, and the range of its edits.
    fn next(&mut self, salt: u64, segment: &Segment) -> io::Result<Option<(Header, Range<usize>)>> {
        self.read_to(self.len.saturating_add(HEADER_BYTES), segment)?;
        let bytes = self.bytes.get(self.len..).unwrap_or_default();
        let Some(header) = Header::read(salt, bytes).filter(|header| header.follows(self.last))
        else {
            return Ok(None);
        };
        let edits = header.edits_at(self.len);
        self.read_to(edits.end, segment)?;
        let is_whole = self.bytes.get(edits.clone()).is_some_and(|edits| header.is_of(edits));
        Ok(is_whole.then_some((header, edits)))
    }

    /// Reads the file up to this offset, or to its end.
    fn read_to(&mut self, end: usize, segment: &Segment) -> io::Result<()> {
        let file_len = usize::try_from(segment.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let read = self.bytes.len();
        if end <= read || file_len <= read {
            return Ok(());
        }
        let whole_chunks = end.checked_next_multiple_of(CHUNK_BYTES).unwrap_or(file_len);
        if self.bytes.capacity() == 0 {
            // Reserved for the whole file; untouched memory costs nothing.
            let reserved = self.bytes.try_reserve_exact(file_len);
            reserved.map_err(|_| io::ErrorKind::OutOfMemory)?;
        }
        self.bytes.resize(whole_chunks.min(file_len), 0);
        segment.read(read as u64, self.bytes.get_mut(read..).unwrap_or_default())
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Writes the records after `synced` again, in place.
    fn write_again(&self, synced: u64, segment: &Segment) -> io::Result<()> {
        let Some(first) = self.records.iter().find(|record| record.link.sequence > synced) else {
            return Ok(());
        };
        let start = first.edits.start.saturating_sub(HEADER_BYTES);
        let end = self.len.min(self.bytes.len());
        segment.write(start as u64, self.bytes.get(start..end).unwrap_or_default())
    }

    /// Applies the records to a memtable, keeping the last edit of each key. Fails if the file
    /// proves that the `missing` record was on disk.
    fn replay(
        &self,
        salt: u64,
        segment: &Segment,
        missing: u64,
        memtable: &Memtable,
    ) -> Result<(), Error> {
        if proves(salt, segment, self.len as u64, missing)? {
            return Err(damaged(missing));
        }
        let mut newest: PerKeyspace<BTreeMap<&[u8], Edit<'_>>> = PerKeyspace::default();
        for Found { link, edits } in &self.records {
            let edits = self.bytes.get(edits.clone()).and_then(record::edits);
            let edits = edits.filter(|edits| memtable::are_tagged(edits)).ok_or_else(|| {
                Error::Corrupt(format!("record {} of the log makes no sense", link.sequence))
            })?;
            for (keyspace, edits) in edits {
                newest.get_mut(keyspace).extend(edits.into_iter().map(|edit| (edit.key, edit)));
            }
        }
        let edits = newest.iter();
        memtable.apply(
            edits.map(|(keyspace, rows)| (keyspace, rows.values().copied().collect())).collect(),
        )
    }
}

/// Whether a record after `start` states that the missing one was on disk. A valid header suffices,
/// even if its edits are damaged.
fn proves(salt: u64, segment: &Segment, start: u64, missing: u64) -> io::Result<bool> {
    let mut buffer = vec![0; CHUNK_BYTES + HEADER_BYTES];
    for chunk in (start..segment.len()).step_by(CHUNK_BYTES) {
        let len = usize::try_from(segment.len() - chunk).unwrap_or(usize::MAX).min(buffer.len());
        let bytes = buffer.get_mut(..len).unwrap_or_default();
        segment.read(chunk, bytes)?;
        let (words, _) = bytes.as_chunks::<ALIGNMENT>();
        // Cheap filter: records start with the salt.
        let marked = words.iter().enumerate().filter(|(_, word)| **word == salt.to_le_bytes());
        let mut headers = marked.filter_map(|(number, _)| {
            Header::read(salt, bytes.get(number * ALIGNMENT..).unwrap_or_default())
        });
        if headers.any(|header| header.synced() >= missing) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::batch::Batch;
    use crate::store::keyspace::Keyspace;
    use singlet_testing::disk::FaultDisk;
    use singlet_testing::random::Random;

    const SEGMENT_BYTES: u64 = 1000;
    const NAMES: [&str; 2] = ["log.0", "log.1"];

    fn open(disk: &FaultDisk, anchor: Anchor) -> Result<Recovered, Error> {
        let files = NAMES.map(|name| StoreFile::untimed(disk.file(name)));
        let mark_file = Arc::new(MarkFile::new(StoreFile::untimed(disk.file("reach"))));
        recover(files, anchor, &mark_file, SEGMENT_BYTES)
    }

    fn append(log: &mut Log, number: u8) {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, vec![number], vec![number; 600]);
        log.append(&batch).unwrap();
    }

    fn numbers(store: &Memtable) -> Vec<u8> {
        let snapshot = store.snapshot().unwrap();
        (0..=u8::MAX).filter(|number| snapshot.get(Keyspace::Items, &[*number]).is_some()).collect()
    }

    fn found(recovered: &Recovered) -> (Vec<u8>, Vec<u8>) {
        let frozen = recovered.frozen.as_ref().map(|(rows, _)| numbers(rows));
        (frozen.unwrap_or_default(), numbers(&recovered.active))
    }

    /// A log with these records, each of them synced.
    fn log_of(numbers: Range<u8>) -> (FaultDisk, Anchor, Log) {
        let (disk, anchor) = (FaultDisk::new(), Anchor::new());
        let mark = HighWaterMark { salt: anchor.salt, ..HighWaterMark::NONE };
        MarkFile::new(StoreFile::untimed(disk.file("reach"))).begin(mark).unwrap();
        let mut log = open(&disk, anchor).unwrap().log;
        for number in numbers {
            append(&mut log, number);
            log.sync().unwrap();
        }
        (disk, anchor, log)
    }

    #[test]
    fn records_are_found_in_both_files() {
        let (disk, first, mut log) = log_of(0..4);
        let second = log.switch(SEGMENT_BYTES).unwrap();
        assert_eq!(found(&open(&disk, first).unwrap()), (vec![], vec![0, 1, 2, 3]));
        append(&mut log, 4);
        let recovered = open(&disk, first).unwrap();
        assert_eq!(found(&recovered), (vec![0, 1, 2, 3], vec![4]));
        assert_eq!(recovered.frozen.unwrap().1, second);
        // After the checkpoint its records are skipped.
        assert_eq!(found(&open(&disk, second).unwrap()), (vec![], vec![4]));

        // The first file is reused. Its old contents are left over after the new record.
        let third = log.switch(SEGMENT_BYTES).unwrap();
        append(&mut log, 5);
        assert_eq!(found(&open(&disk, second).unwrap()), (vec![4], vec![5]));
        assert_eq!(found(&open(&disk, third).unwrap()), (vec![], vec![5]));
        assert_eq!(Anchor::from_bytes(&third.to_bytes()), Some(third));
    }

    #[test]
    fn a_log_goes_on_where_it_was_cut_off() {
        let (disk, anchor, mut log) = log_of(0..3);
        append(&mut log, 3);
        // The last record was not synced, so a crash may leave any of its sectors.
        let mut random = Random::new(1);
        let mut lost = 0;
        for _ in 0..50 {
            let image = disk.crash(&mut random);
            let mut recovered = open(&image, anchor).unwrap();
            let numbers = found(&recovered).1;
            assert!(numbers == [0, 1, 2] || numbers == [0, 1, 2, 3]);
            lost += usize::from(numbers.len() == 3);
            append(&mut recovered.log, 9);
            recovered.log.sync().unwrap();
            recovered.log.verify().unwrap();
            let after = found(&open(&image.crash(&mut random), anchor).unwrap()).1;
            assert_eq!(after, [numbers.as_slice(), &[9]].concat());
        }
        assert!(0 < lost && lost < 50, "{lost} of 50");
    }

    /// Damage to a record that others follow must not pass for a crash: they were acknowledged.
    #[test]
    fn a_damaged_record_with_others_behind_it_is_an_error() {
        for file in NAMES {
            let (disk, anchor, mut log) = log_of(0..2);
            log.switch(SEGMENT_BYTES).unwrap();
            for number in 2..4 {
                append(&mut log, number);
                log.sync().unwrap();
            }
            let image = disk.copy();
            image.flip_bit(file, 8 * 100);
            let Err(Error::Corrupt(what)) = open(&image, anchor) else {
                panic!("{file} was opened")
            };
            let damaged = if file == NAMES[0] { 1 } else { 3 };
            assert_eq!(what, format!("record {damaged} of the log is missing or damaged"));
        }
    }

    /// With relaxed durability several records are unsynced at once, and a crash may lose any of
    /// them. Records after a gap do not prove damage, and are never used.
    #[test]
    fn a_gap_that_a_crash_has_left_is_the_end() {
        let (disk, anchor, mut log) = log_of(0..2);
        for number in 2..8 {
            append(&mut log, number);
        }
        let mut random = Random::new(2);
        let mut gaps = 0;
        for round in 0..300 {
            let image = disk.crash(&mut random);
            let mut recovered = open(&image, anchor).unwrap();
            let numbers = found(&recovered).1;
            assert_eq!(numbers, (0..numbers.len() as u8).collect::<Vec<_>>());
            assert!(numbers.len() >= 2);
            let rest = image.contents(NAMES[0]);
            let rest = &rest[numbers.len() * 648..];
            gaps += usize::from(
                (0..rest.len())
                    .step_by(8)
                    .any(|at| Header::read(anchor.salt, &rest[at..]).is_some()),
            );
            // The client retries the same write: left-over records from before the crash must not
            // follow it.
            append(&mut recovered.log, numbers.len() as u8);
            recovered.log.sync().unwrap();
            let again = found(&open(&image, anchor).unwrap()).1;
            assert_eq!(again.len(), numbers.len() + 1, "round {round}");
        }
        assert!(gaps > 20, "only {gaps} images have a gap");
    }

    #[test]
    fn the_last_edit_of_a_key_counts() {
        let (disk, anchor, mut log) = log_of(0..3);
        let mut batch = Batch::new();
        batch.delete(Keyspace::Items, vec![1]);
        batch.put(Keyspace::Items, vec![2], b"new".to_vec());
        log.append(&batch).unwrap();
        let active = open(&disk, anchor).unwrap().active;
        let get = |key: u8| {
            let kept = active.snapshot().unwrap().get(Keyspace::Items, &[key]);
            kept.map(|kept| memtable::value(kept).map(|value| value.to_vec()))
        };
        assert_eq!(get(0), Some(Some(vec![0; 600])));
        assert_eq!(get(1), Some(None), "a deletion hides what the base may hold");
        assert_eq!(get(2), Some(Some(b"new".to_vec())));
        assert_eq!(get(3), None);
    }

    #[test]
    fn a_large_record_makes_a_file_grow_only_for_a_while() {
        let (disk, _, mut log) = log_of(0..1);
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, vec![1], vec![1; 3 << 20]);
        log.append(&batch).unwrap();
        assert!(log.is_full() && log.size_bytes() > 3 << 20);
        log.switch(SEGMENT_BYTES).unwrap();
        append(&mut log, 2);
        log.switch(SEGMENT_BYTES).unwrap();
        assert!(disk.contents(NAMES[0]).len() as u64 <= SEGMENT_BYTES);
        // The same when the limit is lowered.
        log.switch(SEGMENT_BYTES / 2).unwrap();
        assert!(disk.contents(NAMES[1]).len() as u64 <= SEGMENT_BYTES / 2);
    }
}
