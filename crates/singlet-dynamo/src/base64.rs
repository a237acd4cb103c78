//! Base64 with padding, as strict as the service's for type B.

use std::fmt;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const INVALID: u8 = 255;

/// The value of each byte, [`INVALID`] for bytes outside the alphabet.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler, which would tell")]
const VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let mut i = 0;
    while i < 64 {
        values[ALPHABET[i] as usize] = i as u8;
        i += 1;
    }
    values
};

/// Why a text is not base64. Displays as the service's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base64Error {
    /// The length is not a multiple of four.
    Length(usize),
    /// A character outside the alphabet.
    Character(char),
    /// The last character before the padding has excess bits, or there is padding before the end.
    LastCharacter,
}

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(len) => {
                write!(
                    f,
                    "Base64 encoded length is expected a multiple of 4 bytes but found: {len}"
                )
            }
            Self::Character(c) => write!(f, "Invalid Base64 character: '{c}'"),
            // The misspelling is the service's.
            Self::LastCharacter => f.write_str("Invalid last non-pad Base64 character dectected"),
        }
    }
}

/// Encodes bytes as base64.
///
/// ```
/// assert_eq!(singlet_dynamo::base64::encode(b"Ada"), "QWRh");
/// assert_eq!(singlet_dynamo::base64::encode(b"Al"), "QWw=");
/// ```
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    push_encoded(bytes, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends bytes encoded as base64.
pub fn push_encoded(bytes: &[u8], out: &mut Vec<u8>) {
    let character = |index: u32| ALPHABET.get((index & 63) as usize).copied().unwrap_or(b'A');
    out.reserve(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let (a, b, c) = match *chunk {
            [a, b, c] => (a, Some(b), Some(c)),
            [a, b] => (a, Some(b), None),
            [a] => (a, None, None),
            _ => continue,
        };
        let bits = u32::from(a) << 16 | u32::from(b.unwrap_or(0)) << 8 | u32::from(c.unwrap_or(0));
        out.push(character(bits >> 18));
        out.push(character(bits >> 12));
        out.push(if b.is_some() { character(bits >> 6) } else { b'=' });
        out.push(if c.is_some() { character(bits) } else { b'=' });
    }
}

/// Decodes base64.
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return Err(Base64Error::Length(bytes.len()));
    }
    let padding = bytes.iter().rev().take(2).take_while(|&&b| b == b'=').count();
    let (content, _) = bytes.split_at(bytes.len() - padding);
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    for chunk in content.chunks(4) {
        let mut bits = 0_u32;
        for byte in chunk {
            let value = VALUES.get(usize::from(*byte)).copied().unwrap_or(INVALID);
            if value == INVALID {
                return Err(match foreign_character(text) {
                    Some(c) => Base64Error::Character(c),
                    None => Base64Error::LastCharacter,
                });
            }
            bits = bits << 6 | u32::from(value);
        }
        match chunk.len() {
            4 => out.extend_from_slice(&bits.to_be_bytes()[1..]),
            3 if bits & 0b11 == 0 => out.extend_from_slice(&(bits >> 2).to_be_bytes()[2..]),
            2 if bits & 0b1111 == 0 => out.extend_from_slice(&(bits >> 4).to_be_bytes()[3..]),
            _ => return Err(Base64Error::LastCharacter),
        }
    }
    Ok(out)
}

fn foreign_character(text: &str) -> Option<char> {
    text.chars().find(|c| !c.is_ascii_alphanumeric() && !"+/=".contains(*c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_strictly() {
        assert_eq!(decode(""), Ok(vec![]));
        assert_eq!(decode("YQ=="), Ok(b"a".to_vec()));
        assert_eq!(decode("YWI="), Ok(b"ab".to_vec()));
        assert_eq!(decode("+/+/"), Ok(vec![0xfb, 0xff, 0xbf]));
        assert_eq!(decode("YQ="), Err(Base64Error::Length(3)));
        assert_eq!(decode("YR=="), Err(Base64Error::LastCharacter));
        assert_eq!(decode("Y==="), Err(Base64Error::LastCharacter));
        assert_eq!(decode("=Q=="), Err(Base64Error::LastCharacter));
        assert_eq!(decode("Y-Q="), Err(Base64Error::Character('-')));
        assert_eq!(decode("Y\u{e9}="), Err(Base64Error::Character('\u{e9}')));
    }

    #[test]
    fn written_values_are_read_again() {
        for len in 0..70_u8 {
            let bytes: Vec<u8> = (0..len).map(|i| i.wrapping_mul(37)).collect();
            assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }
    }
}
