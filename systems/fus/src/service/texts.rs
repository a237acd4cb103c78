//! Texts that people write, checked and as they are stored.

use crate::error::Error;
use singlet_web::text::{DisplayName, clean_text};
use std::ops::RangeInclusive;
use unicode_normalization::char::is_combining_mark;

/// A text of one line with so many characters.
pub(super) fn line(
    field: &str,
    text: &str,
    characters: RangeInclusive<usize>,
) -> Result<String, Error> {
    let line = clean_text(text).split_whitespace().collect::<Vec<_>>().join(" ");
    checked(field, line, characters)
}

/// A text of several lines with so many characters.
pub(super) fn lines(
    field: &str,
    text: &str,
    characters: RangeInclusive<usize>,
) -> Result<String, Error> {
    checked(field, clean_text(text), characters)
}

fn checked(field: &str, text: String, characters: RangeInclusive<usize>) -> Result<String, Error> {
    if *characters.start() > 0 && !is_visible(&text) {
        return Err(Error::invalid(field, "must not be empty"));
    }
    if !characters.contains(&text.chars().count()) {
        let (min, max) = (characters.start(), characters.end());
        return Err(Error::invalid(field, format!("must have {min} to {max} characters")));
    }
    Ok(text)
}

/// The name of a person.
pub(super) fn name(field: &str, text: &str, max: usize) -> Result<String, Error> {
    let name = DisplayName::parse(text, 1..=max);
    let name = name.map_err(|detail| Error::invalid(field, detail))?.into_string();
    if !is_visible(&name) {
        return Err(Error::invalid(field, "must not be empty"));
    }
    Ok(name)
}

/// Whether there is anything to see: one character that could be a name of its own. Accents alone
/// are not, although they are characters.
fn is_visible(text: &str) -> bool {
    let is_seen = |character: char| {
        let alone = DisplayName::parse(character.encode_utf8(&mut [0; 4]), 1..=1);
        !is_combining_mark(character) && alone.is_ok()
    };
    text.chars().any(is_seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_nobody_sees_are_empty() {
        for seen in ["a", "é", "日", "😀", "#", "\u{feff}a", "e\u{301}"] {
            assert!(line("/title", seen, 1..=10).is_ok(), "{seen:?}");
            assert!(lines("/body", seen, 1..=10).is_ok(), "{seen:?}");
        }
        let unseen =
            ["", " ", "\u{feff}", "\u{200b}", "\u{200b}\n\u{2060}", "\u{301}\u{301}", "\u{3164}"];
        for unseen in unseen {
            assert!(line("/title", unseen, 1..=10).is_err(), "{unseen:?}");
            assert!(lines("/body", unseen, 1..=10).is_err(), "{unseen:?}");
            assert!(name("/name", unseen, 10).is_err(), "{unseen:?}");
            // Where nothing needs to be said, that is fine.
            assert!(lines("/note", unseen, 0..=10).is_ok(), "{unseen:?}");
        }
    }
}
