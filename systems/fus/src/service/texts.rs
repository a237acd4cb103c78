//! Texts that people write, checked and as they are stored.

use crate::error::Error;
use singlet_web::text::{DisplayName, clean_text};
use std::ops::RangeInclusive;

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
    if text.is_empty() && *characters.start() > 0 {
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
    Ok(name.map_err(|detail| Error::invalid(field, detail))?.into_string())
}
