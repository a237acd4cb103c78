//! What the log is made of: a record for each commit.
//!
//! A record says which one it follows, and its checksum covers that too, so that the records of
//! a log form a chain. What lies behind the end of the chain, left over from an earlier use of the
//! file or from a crash, never fits on.
//!
//! docs/format.md has the layout.

use crate::store::batch::{Batch, Edit, EditsOf};
use crate::store::disk::top;
use crate::store::keyspace::Keyspace;
use std::ops::Range;

/// What comes before the edits of a record.
pub(super) const HEADER_BYTES: usize = 44;

/// Where the header has the length of the edits.
const LENGTH_AT: usize = 24;

/// Records begin at multiples of this, so that a search for one need not look at every byte.
pub(super) const ALIGNMENT: usize = 8;

/// The end of a chain: the record that the next one follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::disk) struct Link {
    /// Records are numbered from one on.
    pub(in crate::store::disk) sequence: u64,
    pub(in crate::store::disk) checksum: u32,
}

impl Link {
    /// What the first record follows.
    pub(in crate::store::disk) const NONE: Self = Self { sequence: 0, checksum: 0 };
}

/// What all records that are written have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Random and for the whole log. Items are made by whoever uses the engine, and left-over
    /// bytes of one may lie where a record is looked for. Every record begins with this number,
    /// which they do not know, so that no item passes for a record.
    pub(super) salt: u64,
    /// Random and for one opening of the log. After a crash a record may be written again as it
    /// was, where others of before lie behind it; this number makes it another.
    pub(super) life: u32,
}

/// What a record says of itself, before its edits; verified by a checksum of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// The end of the chain once this record is part of it.
    pub(super) link: Link,
    /// The checksum of the record before it.
    previous: u32,
    /// How many records before it were not known to be on the disk when it was written.
    unsynced: u32,
    edits_len: usize,
    edits_checksum: u32,
}

/// Makes `out` the record of a batch, which follows another.
pub(super) fn encode(
    mark: Mark,
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
            // A batch refuses rows that are too long for this.
            out.extend_from_slice(&(key.len() as u32).to_le_bytes());
            out.extend_from_slice(&(kept as u32).to_le_bytes());
            out.extend_from_slice(key);
            out.extend_from_slice(value.unwrap_or_default());
            out.push(top::mark(value));
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
    fields.extend_from_slice(&mark.life.to_le_bytes());
    // Of all of the record: the edits' own checksum is one of the fields.
    let checksum = crc32fast::hash(&fields);
    let header = mark.salt.to_le_bytes().into_iter().chain(checksum.to_le_bytes()).chain(fields);
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
    /// The header that these bytes begin with, if there is one.
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

    /// The last record that was known to be on the disk when this one was written.
    pub(super) fn synced(&self) -> u64 {
        self.link.sequence.saturating_sub(1 + u64::from(self.unsynced))
    }

    /// Where the edits are in a record that begins here.
    pub(super) fn edits_at(&self, start: usize) -> Range<usize> {
        let edits = start.saturating_add(HEADER_BYTES);
        edits..edits.saturating_add(self.edits_len)
    }

    /// Whether these are its edits, undamaged.
    pub(super) fn is_of(&self, edits: &[u8]) -> bool {
        crc32fast::hash(edits) == self.edits_checksum
    }
}

/// The edits of a record that has just been made.
pub(super) fn edits_of(record: &[u8]) -> Option<Vec<EditsOf<'_>>> {
    let (header, rest) = record.split_at_checked(HEADER_BYTES)?;
    let length = u64::from_le_bytes(*header.get(LENGTH_AT..)?.first_chunk()?);
    edits(rest.get(..usize::try_from(length).ok()?)?)
}

/// The edits in these bytes, with values as [`top`] keeps them; nothing if they cannot be read.
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

    const MARK: Mark = Mark { salt: 7, life: 9 };
    const START: Link = Link { sequence: 41, checksum: 1 };

    fn batch() -> Batch {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, b"a".to_vec(), b"value".to_vec());
        batch.delete(Keyspace::Items, b"b".to_vec());
        batch.put(Keyspace::Streams, Vec::new(), Vec::new());
        batch
    }

    /// A record as a whole.
    fn read(salt: u64, bytes: &[u8]) -> Option<(Header, &[u8])> {
        let header = Header::read(salt, bytes)?;
        let edits = bytes.get(header.edits_at(0))?;
        header.is_of(edits).then_some((header, edits))
    }

    fn encoded() -> (Vec<u8>, Link) {
        let mut record = Vec::new();
        let link = encode(MARK, START, 3, &batch(), &mut record);
        (record, link)
    }

    #[test]
    fn records_come_back() {
        let (bytes, link) = encoded();
        assert_eq!(bytes.len() % ALIGNMENT, 0);
        let padded = [bytes.as_slice(), &[1; 50]].concat();
        let (header, found) = read(MARK.salt, &padded).unwrap();
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
        let used = read(MARK.salt, &bytes).unwrap().1.len() + HEADER_BYTES;
        for bit in 0..used * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(MARK.salt, &damaged).is_none(), "bit {bit}");
        }
        for len in 0..used {
            assert!(read(MARK.salt, &bytes[..len]).is_none(), "cut to {len}");
        }
    }

    #[test]
    fn another_log_or_another_life_is_another_record() {
        let (bytes, link) = encoded();
        assert!(read(8, &bytes).is_none());
        let mut again = Vec::new();
        let other = encode(Mark { life: 10, ..MARK }, START, 3, &batch(), &mut again);
        assert_ne!(link, other);
        // Zeros, which is what a log grows by, are no record.
        assert!(read(MARK.salt, &[0; 4096]).is_none());
    }
}
