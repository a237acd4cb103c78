//! Texts and ids that people choose.

use crate::error::Error;
use ring::digest::{SHA256, digest};
use singlet_web::text::DisplayName;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// How long a user id may be: the subject of a token has at most 255 characters, and each may be
/// percent-encoded.
const USER_ID_BYTES_MAX: usize = 3 * 255;
/// What looks like the sign of an e-mail address.
const AT_SIGNS: [char; 3] = ['@', '\u{fe6b}', '\u{ff20}'];
/// How many characters an id may have.
const ID_CHARACTERS: RangeInclusive<usize> = 2..=40;

/// A text as it is stored: one line, trimmed, in NFC, without invisible characters, and without `@`,
/// so that no e-mail address becomes public.
pub(crate) fn parse_text(
    field: &str,
    text: &str,
    characters: RangeInclusive<usize>,
) -> Result<String, Error> {
    let name = DisplayName::parse(text, characters)
        .map_err(|detail| Error::invalid(field, detail))?
        .into_string();
    if name.contains(AT_SIGNS) {
        return Err(Error::invalid(field, "must not contain @"));
    }
    Ok(name)
}

/// The same for a text that may be missing.
pub(crate) fn parse_optional(
    field: &str,
    text: Option<&str>,
    characters_max: usize,
) -> Result<Option<String>, Error> {
    text.map(|text| parse_text(field, text, 1..=characters_max)).transpose()
}

/// Whether a text can be an id that somebody chose.
pub(crate) fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    ID_CHARACTERS.contains(&text.len()) && text.bytes().all(is_allowed)
}

/// An id that somebody chose.
pub(crate) fn parse_id<I: FromStr>(field: &str, text: &str) -> Result<I, Error> {
    let rule = "must have 2 to 40 characters: small letters, digits and -";
    let id = is_id(text).then(|| text.parse().ok()).flatten();
    id.ok_or_else(|| Error::invalid(field, rule))
}

/// An id in a reference to something that should be there; `missing` if it cannot be one.
pub(crate) fn parse_reference<I: FromStr>(text: &str, missing: Error) -> Result<I, Error> {
    is_id(text).then(|| text.parse().ok()).flatten().ok_or(missing)
}

/// Whether a text can be the id of a user.
pub(crate) fn is_user_id(text: &str) -> bool {
    (1..=USER_ID_BYTES_MAX).contains(&text.len())
}

/// Whether a text can be the hash of an invitation's code.
pub(crate) fn is_sha256_hex(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A code of a team: two or three capitals and digits.
pub(crate) fn parse_code(field: &str, text: &str) -> Result<String, Error> {
    let is_allowed = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    if !(2..=3).contains(&text.len()) || !text.bytes().all(is_allowed) {
        return Err(Error::invalid(field, "must have 2 or 3 characters: A to Z and digits"));
    }
    Ok(text.to_owned())
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn sha256_hex(text: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in digest(&SHA256, text.as_bytes()).as_ref() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// 128 bits as 26 characters of Crockford's alphabet, in which no two look alike.
pub(crate) fn base32(bytes: [u8; 16]) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let mut number = u128::from_be_bytes(bytes);
    let mut text = [b'0'; 26];
    for character in text.iter_mut().rev() {
        *character = ALPHABET.get((number & 31) as usize).copied().unwrap_or(b'0');
        number >>= 5;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_have_no_at_sign() {
        assert_eq!(parse_text("/name", "  Tide\u{301}wall ", 1..=60).unwrap(), "Tid\u{e9}wall");
        for text in ["", " ", "ann@example.org", "ann\u{ff20}example.org", "a\u{202e}b"] {
            assert!(parse_text("/name", text, 1..=60).is_err(), "{text:?}");
        }
        assert!(parse_text("/name", &"x".repeat(61), 1..=60).is_err());
    }

    #[test]
    fn ids_and_codes_have_few_characters() {
        assert!(is_id("spring-2026") && is_id("ab") && is_id(&"a".repeat(40)));
        for text in ["a", "", "A1", "a b", "a#b", "\u{e4}\u{e4}", &"a".repeat(41)] {
            assert!(!is_id(text), "{text:?}");
        }
        assert!(parse_code("/code", "ANC").is_ok() && parse_code("/code", "A1").is_ok());
        for text in ["A", "ANCH", "anc", "A-C", ""] {
            assert!(parse_code("/code", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn codes_hold_all_bits() {
        assert_eq!(base32([0; 16]), "0".repeat(26));
        assert_eq!(base32([255; 16]), format!("7{}", "Z".repeat(25)));
    }
}
