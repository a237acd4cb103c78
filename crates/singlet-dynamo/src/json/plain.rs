//! Finds bytes of a string that need no escaping in JSON.

/// The length of the prefix that can be copied unchanged: everything before the first quotation
/// mark, backslash or control character.
///
/// Most of a request is plain text, so this checks eight bytes at a time: each test below sets the
/// highest bit of every byte that it finds.
pub(super) fn plain_len(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    for (place, word) in words.iter().enumerate() {
        let found = special_bytes(u64::from_le_bytes(*word));
        if found != 0 {
            return place * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |&byte: &u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    words.len() * 8 + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// The highest bit of each special byte. The lowest bit set is always right; higher ones may be
/// wrong, because the subtraction borrows from the next byte.
fn special_bytes(word: u64) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGHEST: u64 = EACH << 7;
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(EACH * u64::from(limit)) & !bytes;
    let equal = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    (below(word, 0x20) | equal(b'"') | equal(b'\\')) & HIGHEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_told_at_every_place() {
        for byte in 0..=u8::MAX {
            let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
            for place in 0..20 {
                // Special bytes that follow must not be found first.
                for follower in [b'a', 0, b'"', 0x80, 0xff] {
                    let mut text = vec![b' '; place];
                    text.push(byte);
                    text.extend_from_slice(&[follower; 3]);
                    let expected = text.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\');
                    assert_eq!(plain_len(&text), expected.unwrap_or(text.len()), "{text:?}");
                    if is_special {
                        assert_eq!(plain_len(&text), place);
                    }
                }
            }
        }
    }
}
