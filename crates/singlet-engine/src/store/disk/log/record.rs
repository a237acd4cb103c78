//! Log records: one per commit.
//!
//! Each record refers to its predecessor, and its checksum covers that reference, so records form a
//! chain. Bytes after the end of the chain, left over from an earlier use of the file or from a
//! crash, never continue it.
//!
//! docs/format.md has the layout.

use crate::store::batch::{Batch, Edit, EditsOf};
use crate::store::disk::memtable;
use crate::store::keyspace::Keyspace;
use std::ops::Range;

pub(super) const HEADER_BYTES: usize = 44;

/// Offset of the length of the edits.
const LENGTH_AT: usize = 24;

/// Records are aligned, so that a search need not look at every byte.
pub(super) const ALIGNMENT: usize = 8;

/// The end of a chain, which the next record refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::disk) struct Link {
    /// Records are numbered from one.
    pub(in crate::store::disk) sequence: u64,
    pub(in crate::store::disk) checksum: u32,
}

impl Link {
    /// The predecessor of the first record.
    pub(in crate::store::disk) const NONE: Self = Self { sequence: 0, checksum: 0 };
}

/// Fields shared by all records of one writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    /// Random, per log. Item contents come from users, and left-over bytes may lie where a record
    /// is expected. Every record starts with this secret number, so no item can pass for a record.
    pub(super) salt: u64,
    /// Random, per opening of the log. After a crash a record may be written again with the same
    /// contents in front of left-over records; this number makes it different, so that they do not
    /// follow it.
    pub(super) life: u32,
}

/// A record's header, verified by its own checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// The end of the chain including this record.
    pub(super) link: Link,
    /// The checksum of the previous record.
    previous: u32,
    /// Number of earlier records not known to be on disk when it was written.
    unsynced: u32,
    edits_len: usize,
    edits_checksum: u32,
}

/// Encodes a batch as the record after `after`.
pub(super) fn encode(
    stamp: Stamp,
    after: Link,
    unsynced: u32,
    batch: &Batch,
    out: &mut Vec<u8>,
) -> Link {
    out.clear();
    out.resize(HEADER_BYTES, 0);
    for (keyspace, edits) in batch.edits() {
        for Edit { key, value } in edits {
            let kept = value.map_or(0, <[u8]>::len) + 1;
            out.push(keyspace.number());
            // A batch rejects rows that are too long for this.
            out.extend_from_slice(&(key.len() as u32).to_le_bytes());
            out.extend_from_slice(&(kept as u32).to_le_bytes());
            out.extend_from_slice(key);
            out.extend_from_slice(value.unwrap_or_default());
            out.push(memtable::tag(value));
        }
    }
    let sequence = after.sequence + 1;
    let edits = out.get(HEADER_BYTES..).unwrap_or_default();
    let mut fields = Vec::with_capacity(HEADER_BYTES);
    fields.extend_from_slice(&crc32fast::hash(edits).to_le_bytes());
    fields.extend_from_slice(&sequence.to_le_bytes());
    fields.extend_from_slice(&(edits.len() as u64).to_le_bytes());
    fields.extend_from_slice(&after.checksum.to_le_bytes());
    fields.extend_from_slice(&unsynced.to_le_bytes());
    fields.extend_from_slice(&stamp.life.to_le_bytes());
    // Covers the whole record: the edits' checksum is one of the fields.
    let checksum = crc32fast::hash(&fields);
    let header = stamp.salt.to_le_bytes().into_iter().chain(checksum.to_le_bytes()).chain(fields);
    for (place, byte) in out.iter_mut().zip(header) {
        *place = byte;
    }
    out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
    Link { sequence, checksum }
}

/// Takes a number off the front of some bytes.
macro_rules! take {
    ($bytes:ident, $number:ty) => {{
        let (number, rest) = $bytes.split_first_chunk()?;
        $bytes = rest;
        <$number>::from_le_bytes(*number)
    }};
}

impl Header {
    /// The header at the start of these bytes, if valid.
    pub(super) fn read(salt: u64, bytes: &[u8]) -> Option<Self> {
        let mut fields = bytes.get(..HEADER_BYTES)?;
        if take!(fields, u64) != salt {
            return None;
        }
        let checksum = take!(fields, u32);
        if crc32fast::hash(fields) != checksum {
            return None;
        }
        let edits_checksum = take!(fields, u32);
        let sequence = take!(fields, u64);
        let edits_len = usize::try_from(take!(fields, u64)).ok()?;
        let previous = take!(fields, u32);
        let unsynced = u32::from_le_bytes(*fields.first_chunk()?);
        let link = Link { sequence, checksum };
        Some(Self { link, previous, unsynced, edits_len, edits_checksum })
    }

    pub(super) fn follows(&self, link: Link) -> bool {
        self.previous == link.checksum && self.link.sequence == link.sequence + 1
    }

    /// The last record known to be on disk when this one was written.
    pub(super) fn synced(&self) -> u64 {
        self.link.sequence.saturating_sub(1 + u64::from(self.unsynced))
    }

    /// The range of the edits in a record that starts here.
    pub(super) fn edits_at(&self, start: usize) -> Range<usize> {
        let edits = start.saturating_add(HEADER_BYTES);
        edits..edits.saturating_add(self.edits_len)
    }

    /// Whether these are its edits, undamaged.
    pub(super) fn is_of(&self, edits: &[u8]) -> bool {
        crc32fast::hash(edits) == self.edits_checksum
    }
}

/// The edits of a record just encoded.
pub(super) fn edits_of(record: &[u8]) -> Option<Vec<EditsOf<'_>>> {
    let (header, rest) = record.split_at_checked(HEADER_BYTES)?;
    let length = u64::from_le_bytes(*header.get(LENGTH_AT..)?.first_chunk()?);
    edits(rest.get(..usize::try_from(length).ok()?)?)
}

/// Decodes edits, with values tagged as in [`memtable`]; `None` if malformed.
pub(super) fn edits(bytes: &[u8]) -> Option<Vec<EditsOf<'_>>> {
    let mut rest = bytes;
    let mut edits: Vec<EditsOf<'_>> = Vec::new();
    while !rest.is_empty() {
        let number = take!(rest, u8);
        let keyspace = Keyspace::ALL.into_iter().find(|own| own.number() == number)?;
        let key_len = take!(rest, u32) as usize;
        let kept_len = take!(rest, u32) as usize;
        let (key, behind) = rest.split_at_checked(key_len)?;
        let (kept, behind) = behind.split_at_checked(kept_len)?;
        rest = behind;
        let edit = Edit { key, value: Some(kept) };
        match edits.last_mut() {
            Some((last, of_last)) if *last == keyspace => of_last.push(edit),
            _ => edits.push((keyspace, vec![edit])),
        }
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAMP: Stamp = Stamp { salt: 7, life: 9 };
    const START: Link = Link { sequence: 41, checksum: 1 };

    fn batch() -> Batch {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, b"a".to_vec(), b"value".to_vec());
        batch.delete(Keyspace::Items, b"b".to_vec());
        batch.put(Keyspace::Streams, Vec::new(), Vec::new());
        batch
    }

    fn read(salt: u64, bytes: &[u8]) -> Option<(Header, &[u8])> {
        let header = Header::read(salt, bytes)?;
        let edits = bytes.get(header.edits_at(0))?;
        header.is_of(edits).then_some((header, edits))
    }

    fn encoded() -> (Vec<u8>, Link) {
        let mut record = Vec::new();
        let link = encode(STAMP, START, 3, &batch(), &mut record);
        (record, link)
    }

    #[test]
    fn records_come_back() {
        let (bytes, link) = encoded();
        assert_eq!(bytes.len() % ALIGNMENT, 0);
        let padded = [bytes.as_slice(), &[1; 50]].concat();
        let (header, found) = read(STAMP.salt, &padded).unwrap();
        assert_eq!((header.link, header.synced()), (link, 38));
        assert!(header.follows(START));
        assert!(!header.follows(Link { checksum: 2, ..START }));
        assert!(!header.follows(Link { sequence: 40, ..START }));
        let flat = |edits: Vec<EditsOf<'_>>| -> Vec<_> {
            edits
                .into_iter()
                .flat_map(|(keyspace, edits)| edits.into_iter().map(move |edit| (keyspace, edit)))
                .map(|(keyspace, edit)| (keyspace, edit.key.to_vec(), edit.value.unwrap().to_vec()))
                .collect()
        };
        let expected = vec![
            (Keyspace::Items, b"a".to_vec(), b"value\x01".to_vec()),
            (Keyspace::Items, b"b".to_vec(), b"\0".to_vec()),
            (Keyspace::Streams, Vec::new(), b"\x01".to_vec()),
        ];
        assert_eq!(flat(edits(found).unwrap()), expected);
        assert_eq!(flat(edits_of(&bytes).unwrap()), expected);
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let (bytes, _) = encoded();
        let used = read(STAMP.salt, &bytes).unwrap().1.len() + HEADER_BYTES;
        for bit in 0..used * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(STAMP.salt, &damaged).is_none(), "bit {bit}");
        }
        for len in 0..used {
            assert!(read(STAMP.salt, &bytes[..len]).is_none(), "cut to {len}");
        }
    }

    #[test]
    fn another_log_or_another_life_is_another_record() {
        let (bytes, link) = encoded();
        assert!(read(8, &bytes).is_none());
        let mut again = Vec::new();
        let other = encode(Stamp { life: 10, ..STAMP }, START, 3, &batch(), &mut again);
        assert_ne!(link, other);
        // Zeros, which a log grows by, are not a record.
        assert!(read(STAMP.salt, &[0; 4096]).is_none());
    }
}
