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

/// What comes before the edits of a record.
pub(super) const HEADER_BYTES: usize = 44;

/// Where some fields of the header are.
const SEQUENCE_AT: usize = 16;
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

/// A record as it lies in a file, its checksum verified.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    /// The end of the chain once this record is part of it.
    pub(super) link: Link,
    /// The checksum of the record before it.
    previous: u32,
    /// How many records before it were not known to be on the disk when it was written.
    pub(super) unsynced: u32,
    edits: &'a [u8],
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

impl<'a> Record<'a> {
    /// The record that these bytes begin with, if there is one.
    pub(super) fn read(salt: u64, bytes: &'a [u8]) -> Option<Self> {
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
        let mut fields = header;
        if take!(fields, u64) != salt {
            return None;
        }
        let checksum = take!(fields, u32);
        if crc32fast::hash(fields) != checksum {
            return None;
        }
        let of_edits = take!(fields, u32);
        let sequence = take!(fields, u64);
        let length = usize::try_from(take!(fields, u64)).ok()?;
        let previous = take!(fields, u32);
        let unsynced = u32::from_le_bytes(*fields.first_chunk()?);
        let edits = rest.get(..length)?;
        let link = Link { sequence, checksum };
        (crc32fast::hash(edits) == of_edits).then_some(Self { link, previous, unsynced, edits })
    }

    /// The number of the record that these bytes seem to begin with, which is soon read.
    pub(super) fn peek_sequence(salt: u64, bytes: &[u8]) -> Option<u64> {
        let is_marked = bytes.first_chunk() == Some(&salt.to_le_bytes());
        let number = bytes.get(SEQUENCE_AT..)?.first_chunk()?;
        is_marked.then(|| u64::from_le_bytes(*number))
    }

    pub(super) fn follows(&self, link: Link) -> bool {
        self.previous == link.checksum && self.link.sequence == link.sequence + 1
    }

    /// How many bytes of the file it takes.
    pub(super) fn len(&self) -> usize {
        (HEADER_BYTES + self.edits.len()).next_multiple_of(ALIGNMENT)
    }

    /// Its edits, with values as [`top`] keeps them; nothing if they cannot be read.
    pub(super) fn edits(&self) -> Option<Vec<EditsOf<'a>>> {
        edits(self.edits)
    }
}

/// The edits of a record that has just been made.
pub(super) fn edits_of(record: &[u8]) -> Option<Vec<EditsOf<'_>>> {
    let (header, rest) = record.split_at_checked(HEADER_BYTES)?;
    let length = u64::from_le_bytes(*header.get(LENGTH_AT..)?.first_chunk()?);
    edits(rest.get(..usize::try_from(length).ok()?)?)
}

fn edits(bytes: &[u8]) -> Option<Vec<EditsOf<'_>>> {
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
        let record = Record::read(MARK.salt, &padded).unwrap();
        assert_eq!((record.link, record.unsynced, record.len()), (link, 3, bytes.len()));
        assert_eq!(Record::peek_sequence(MARK.salt, &bytes), Some(42));
        assert_eq!(Record::peek_sequence(MARK.salt + 1, &bytes), None);
        assert!(record.follows(START));
        assert!(!record.follows(Link { checksum: 2, ..START }));
        assert!(!record.follows(Link { sequence: 40, ..START }));
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
        assert_eq!(flat(record.edits().unwrap()), expected);
        assert_eq!(flat(edits_of(&bytes).unwrap()), expected);
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let (bytes, _) = encoded();
        let used = Record::read(MARK.salt, &bytes).unwrap().edits.len() + HEADER_BYTES;
        for bit in 0..used * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Record::read(MARK.salt, &damaged).is_none(), "bit {bit}");
        }
        for len in 0..used {
            assert!(Record::read(MARK.salt, &bytes[..len]).is_none(), "cut to {len}");
        }
    }

    #[test]
    fn another_log_or_another_life_is_another_record() {
        let (bytes, link) = encoded();
        assert!(Record::read(8, &bytes).is_none());
        let mut again = Vec::new();
        let other = encode(Mark { life: 10, ..MARK }, START, 3, &batch(), &mut again);
        assert_ne!(link, other);
        // Zeros, which is what a log grows by, are no record.
        assert!(Record::read(MARK.salt, &[0; 4096]).is_none());
    }
}
