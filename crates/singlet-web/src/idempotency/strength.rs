//! Detects guessable keys.

use std::collections::BTreeSet;

/// Minimum number of distinct characters. Sixteen random hex digits have fewer once in two million
/// times, a random UUID practically never.
const CHARACTERS_MIN: usize = 5;
/// Minimum number of distinct steps between adjacent characters: fewer means a sequence.
const STEPS_MIN: usize = 5;

/// Whether a key is obviously guessable: few distinct characters, mostly one character, a sequence,
/// or a repeated text. A key that passes may still be guessable.
pub(super) fn is_guessable(key: &str) -> bool {
    let bytes = key.as_bytes();
    let characters: BTreeSet<u8> = bytes.iter().copied().collect();
    let steps: BTreeSet<i16> =
        bytes.iter().zip(bytes.iter().skip(1)).map(|(one, next)| step(*one, *next)).collect();
    let is_most = |one: &u8| 2 * bytes.iter().filter(|byte| *byte == one).count() > bytes.len();
    characters.len() < CHARACTERS_MIN
        || characters.iter().any(is_most)
        || steps.len() < STEPS_MIN
        || is_repetition(bytes)
}

fn step(one: u8, next: u8) -> i16 {
    i16::from(next) - i16::from(one)
}

/// Whether a text repeats a shorter one.
fn is_repetition(bytes: &[u8]) -> bool {
    let repeats = |period: usize| bytes.iter().zip(bytes.iter().skip(period)).all(|(a, b)| a == b);
    (1..=bytes.len() / 2).any(repeats)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_follow_a_pattern_are_guessable() {
        for key in [
            // One character, or few.
            "aaaaaaaaaaaaaaaa",
            "abcdabcdbcdaacdb",
            // Mostly one character.
            "0000000000017f3c",
            // Ascending, descending, and in steps.
            "abcdefghijklmnop",
            "ponmlkjihgfedcba",
            "acegikmoqsuwyACE",
            // A repeated text, also if the last repetition is cut off.
            "k7Qx2mPzk7Qx2mPz",
            "k7Qx2mk7Qx2mk7Qx",
        ] {
            assert!(is_guessable(key), "{key}");
        }
    }

    #[test]
    fn uuids_and_tokens_pass() {
        for key in [
            "0199f3a2-7c1e-7d40-9b52-3f6a8c0e14d7",
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "k7Qx2mPz9LwT4bVn",
        ] {
            assert!(!is_guessable(key), "{key}");
        }
    }

    #[test]
    fn random_keys_pass() {
        let mut state = 7_u64;
        for _ in 0..20_000 {
            // An LCG is random enough for this.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mixed = (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let key = format!("{:016x}", mixed ^ (mixed >> 32));
            assert!(!is_guessable(&key), "{key}");
        }
    }
}
