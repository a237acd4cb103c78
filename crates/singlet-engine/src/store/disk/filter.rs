//! Which keys a top may hold.

use crate::store::keyspace::Keyspace;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes of rows there are for each byte of the filter. Rows of five hundred bytes have a
/// word of it each, and are all told apart; ten rows to a word are still told apart from nineteen
/// keys in twenty.
const ROW_BYTES_PER_BYTE: u64 = 64;

/// How many bits of its word a key sets.
const BITS_PER_KEY: u32 = 3;

/// A set of keys that knows all of its own and takes few others for them: a Bloom filter.
///
/// Most reads are of old rows, which no top holds. To search a tree for a key that is not there
/// waits for memory at every level; here that is once.
#[derive(Debug)]
pub(super) struct Filter {
    words: Box<[AtomicU64]>,
}

/// What a filter knows of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyHash(u64);

impl KeyHash {
    pub(super) fn new(keyspace: Keyspace, key: &[u8]) -> Self {
        let mut hasher = crc32fast::Hasher::new_with_initial(u32::from(keyspace.number()));
        hasher.update(key);
        // A product has bits of all of them at its upper end, where the word is chosen by.
        Self(u64::from(hasher.finalize()).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn bits(self) -> u64 {
        let bit = |number: u32| 1 << ((self.0 >> (number * u64::BITS.ilog2())) % 64);
        (0..BITS_PER_KEY).map(bit).fold(0, |bits, bit: u64| bits | bit)
    }
}

impl Filter {
    /// A filter without keys, for so many bytes of rows.
    pub(super) fn new(row_bytes: u64) -> Self {
        let words = row_bytes / ROW_BYTES_PER_BYTE / size_of::<u64>() as u64;
        Self { words: (0..words.max(1)).map(|_| AtomicU64::new(0)).collect() }
    }

    fn word(&self, key: KeyHash) -> Option<&AtomicU64> {
        let place = (u128::from(key.0) * self.words.len() as u128) >> u64::BITS;
        usize::try_from(place).ok().and_then(|place| self.words.get(place))
    }

    /// Adds a key, before anybody can see its row: whoever does sees this too.
    pub(super) fn add(&self, key: KeyHash) {
        if let Some(word) = self.word(key) {
            word.fetch_or(key.bits(), Ordering::Relaxed);
        }
    }

    /// Whether it may be one of the keys.
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

    /// Of a thousand other keys, how many a filter with these takes for its own.
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
        // However few bytes there are, no key is forgotten.
        assert!(mistaken(10_000, 0) <= 1000);
    }

    #[test]
    fn keyspaces_are_told_apart() {
        let filter = Filter::new(1 << 20);
        filter.add(hash(7));
        assert!(!filter.may_hold(KeyHash::new(Keyspace::Indexes, &7_u32.to_be_bytes())));
    }
}
