//! Key heads and fingerprints, which save most key comparisons of a search.

/// The first eight bytes as a number with the same order. Shorter keys are padded with zeros, so
/// different keys may have equal heads, but never in the wrong order.
pub(super) fn head(key: &[u8]) -> u64 {
    match key.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => key.iter().fold(0, |head, byte| head << 8 | u64::from(*byte)) << padding(key.len()),
    }
}

/// Number of unused bits after fewer than eight bytes.
fn padding(bytes: usize) -> u32 {
    // An empty key would need a shift by 64, which overflows; shifting zero by zero is the same.
    u32::try_from(8 - bytes).unwrap_or(0) * 8 % 64
}

/// A 16-bit hash of a key.
///
/// One multiplication per eight bytes mixes well enough: a collision costs one key comparison.
pub(super) fn fingerprint(key: &[u8]) -> u16 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = key.as_chunks::<8>();
    let mut hash = key.len() as u64;
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(ODD);
        hash ^= hash >> 32;
    }
    hash = (hash ^ head(rest)).wrapping_mul(ODD);
    (hash >> 48) as u16
}

pub(super) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// The shortest key that is greater than `left` and at most `right`. `left` must be smaller than
/// `right`.
pub(super) fn separator<'k>(left: &[u8], right: &'k [u8]) -> &'k [u8] {
    right.get(..=common_prefix(left, right)).unwrap_or(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Keys that are often prefixes of each other, with many zeros and large bytes.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![Just(0), Just(1), Just(0xff), any::<u8>()], 0..12)
    }

    proptest! {
        #[test]
        fn heads_sort_as_keys_do(a in key(), b in key()) {
            if head(&a) < head(&b) {
                prop_assert!(a < b);
            }
            if a.len() >= 8 && b.len() >= 8 && a[..8] < b[..8] {
                prop_assert!(head(&a) < head(&b));
            }
        }

        #[test]
        fn separators_separate(a in key(), b in key()) {
            prop_assume!(a != b);
            let (left, right) = if a < b { (a, b) } else { (b, a) };
            let separator = separator(&left, &right);
            prop_assert!(&left[..] < separator && separator <= &right[..]);
        }
    }

    #[test]
    fn an_empty_key_has_the_smallest_head() {
        assert_eq!(head(b""), 0);
        assert_eq!(head(b"\x01"), 1 << 56);
        assert_eq!(head(b"\x00\x00\x00\x00\x00\x00\x00\x02more"), 2);
    }
}
