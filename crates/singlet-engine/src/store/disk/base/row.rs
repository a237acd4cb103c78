//! Rows on disk: the value, followed by a checksum.
//!
//! Page checksums detect damaged pages. This one also covers the keyspace and the key, so it
//! detects a valid value stored in the wrong place, whichever layer put it there.

use crate::store::bytes::{Bytes, Row};
use crate::store::error::Error;
use crate::store::keyspace::Keyspace;
use std::sync::Arc;

const CHECKSUM: usize = size_of::<u32>();

fn checksum(keyspace: Keyspace, key: &[u8], value: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[keyspace.number()]);
    // Without the length, a byte could move from the key to the value.
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(value);
    hasher.finalize()
}

/// Writes the stored form of a value to `sealed`.
pub(super) fn seal(keyspace: Keyspace, key: &[u8], value: &[u8], sealed: &mut Vec<u8>) {
    sealed.clear();
    sealed.extend_from_slice(value);
    sealed.extend_from_slice(&checksum(keyspace, key, value).to_le_bytes());
}

/// The value, if its checksum matches the key.
fn value_of<'a>(keyspace: Keyspace, key: &[u8], sealed: &'a [u8]) -> Result<&'a [u8], Error> {
    match sealed.split_last_chunk::<CHECKSUM>() {
        Some((value, stored)) if *stored == checksum(keyspace, key, value).to_le_bytes() => {
            Ok(value)
        }
        _ => Err(Error::Corrupt(format!(
            "a row of the keyspace {} has a wrong checksum; its key is \"{}\"",
            keyspace.name(),
            key.escape_ascii()
        ))),
    }
}

pub(super) fn open_value(keyspace: Keyspace, key: &[u8], sealed: &[u8]) -> Result<Bytes, Error> {
    let value = value_of(keyspace, key, sealed)?;
    Ok(Bytes::new(Arc::from(value), 0..offset(value.len())))
}

/// Key and value, copied. `scratch` is a buffer reused across rows.
pub(super) fn open(
    keyspace: Keyspace,
    key: &[u8],
    sealed: &[u8],
    scratch: &mut Vec<u8>,
) -> Result<Row, Error> {
    let value = value_of(keyspace, key, sealed)?;
    scratch.clear();
    scratch.extend_from_slice(key);
    scratch.extend_from_slice(value);
    let end = offset(scratch.len());
    Ok(Row::new(Arc::from(scratch.as_slice()), 0, offset(key.len()), end))
}

/// Written rows are at most [`ROW_BYTES_MAX`](crate::store::ROW_BYTES_MAX) long, and read rows have
/// passed their checksum.
fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(keyspace: Keyspace, key: &[u8], value: &[u8]) -> Vec<u8> {
        let mut sealed = Vec::new();
        seal(keyspace, key, value, &mut sealed);
        sealed
    }

    fn opened(keyspace: Keyspace, key: &[u8], stored: &[u8]) -> Result<Row, Error> {
        open(keyspace, key, stored, &mut b"left over from another row".to_vec())
    }

    #[test]
    fn rows_come_back() {
        for (key, value) in [(&b"key"[..], &b"value"[..]), (b"key", b""), (b"", b"value")] {
            let stored = sealed(Keyspace::Items, key, value);
            let row = opened(Keyspace::Items, key, &stored).unwrap();
            assert_eq!((row.key(), row.value()), (key, value));
            assert_eq!(*open_value(Keyspace::Items, key, &stored).unwrap(), *value);
        }
    }

    #[test]
    fn a_row_in_the_wrong_place_is_refused() {
        let stored = sealed(Keyspace::Items, b"key", b"value");
        assert!(opened(Keyspace::Indexes, b"key", &stored).is_err());
        assert!(opened(Keyspace::Items, b"kez", &stored).is_err());
        // A byte that moves from the key to the value.
        let moved = sealed(Keyspace::Items, b"keyv", b"alue");
        let moved = [b"value", moved.split_last_chunk::<4>().unwrap().1.as_slice()].concat();
        assert!(opened(Keyspace::Items, b"key", &moved).is_err());
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let stored = sealed(Keyspace::Items, b"key", b"value");
        for bit in 0..stored.len() * 8 {
            let mut damaged = stored.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open_value(Keyspace::Items, b"key", &damaged).is_err());
        }
        assert!(open_value(Keyspace::Items, b"key", &[]).is_err());
    }
}
