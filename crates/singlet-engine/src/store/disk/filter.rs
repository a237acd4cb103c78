//! A Bloom filter of the keys of a memtable.

use crate::store::keyspace::Keyspace;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of rows per byte of the filter. Rows of 500 bytes get about one word each, with
/// practically no false positives; with ten rows per word the rate is about 5 %.
const ROW_BYTES_PER_BYTE: u64 = 64;

/// Bits set per key, within one word.
const BITS_PER_KEY: u32 = 3;

/// A Bloom filter.
///
/// Most reads are of old rows, which no memtable holds. Searching a tree for a missing key costs a
/// cache miss per level; the filter costs one.
#[derive(Debug)]
pub(super) struct Filter {
    words: Box<[AtomicU64]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct KeyHash(u64);

impl KeyHash {
    pub(super) fn new(keyspace: Keyspace, key: &[u8]) -> Self {
        let mut hasher = crc32fast::Hasher::new_with_initial(u32::from(keyspace.number()));
        hasher.update(key);
        // The upper bits of the product depend on all bits; they select the word.
        Self(u64::from(hasher.finalize()).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn bits(self) -> u64 {
        let bit = |number: u32| 1 << ((self.0 >> (number * u64::BITS.ilog2())) % 64);
        (0..BITS_PER_KEY).map(bit).fold(0, |bits, bit: u64| bits | bit)
    }
}

impl Filter {
    /// An empty filter, sized for this many bytes of rows.
    pub(super) fn new(row_bytes: u64) -> Self {
        let words = row_bytes / ROW_BYTES_PER_BYTE / size_of::<u64>() as u64;
        Self { words: (0..words.max(1)).map(|_| AtomicU64::new(0)).collect() }
    }

    fn word(&self, key: KeyHash) -> Option<&AtomicU64> {
        let place = (u128::from(key.0) * self.words.len() as u128) >> u64::BITS;
        usize::try_from(place).ok().and_then(|place| self.words.get(place))
    }

    /// Adds a key. Must happen before its row becomes visible.
    pub(super) fn add(&self, key: KeyHash) {
        if let Some(word) = self.word(key) {
            word.fetch_or(key.bits(), Ordering::Relaxed);
        }
    }

    /// Whether the key may have been added.
    pub(super) fn may_hold(&self, key: KeyHash) -> bool {
        let bits = key.bits();
        self.word(key).is_none_or(|word| word.load(Ordering::Relaxed) & bits == bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: u32) -> KeyHash {
        KeyHash::new(Keyspace::Items, &number.to_be_bytes())
    }

    /// False positives among a thousand other keys.
    fn mistaken(keys: u32, row_bytes: u64) -> usize {
        let filter = Filter::new(row_bytes);
        (0..keys).for_each(|key| filter.add(hash(key)));
        assert!((0..keys).all(|key| filter.may_hold(hash(key))), "no key is forgotten");
        (keys..keys + 1000).filter(|key| filter.may_hold(hash(*key))).count()
    }

    #[test]
    fn few_other_keys_are_taken_for_its_own() {
        assert_eq!(mistaken(0, 64 << 20), 0);
        assert!(mistaken(10_000, 10_000 * 512) < 10);
        assert!(mistaken(10_000, 10_000 * 50) < 100);
        // Even an undersized filter has no false negatives.
        assert!(mistaken(10_000, 0) <= 1000);
    }

    #[test]
    fn keyspaces_are_told_apart() {
        let filter = Filter::new(1 << 20);
        filter.add(hash(7));
        assert!(!filter.may_hold(KeyHash::new(Keyspace::Indexes, &7_u32.to_be_bytes())));
    }
}
