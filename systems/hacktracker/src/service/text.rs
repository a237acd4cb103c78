//! Texts that people write: trimmed, and without control characters.

use crate::design::Position;
use crate::error::Error;
use singlet_web::text::{DisplayName, clean_text};
use std::ops::RangeInclusive;

/// How long names of people are.
pub(super) const NAME: RangeInclusive<usize> = 1..=50;
/// How long names of teams are.
pub(super) const TEAM_NAME: RangeInclusive<usize> = 3..=50;
/// How long names of opponents and locations are.
pub(super) const LABEL: RangeInclusive<usize> = 1..=100;
/// How long names of seasons are.
pub(super) const SEASON: RangeInclusive<usize> = 1..=40;
/// How long a description is.
const DESCRIPTION_CHARS_MAX: usize = 500;
/// How long an e-mail address is.
const EMAIL_CHARS_MAX: usize = 254;

/// One line of text.
pub(super) fn line(
    field: &str,
    text: &str,
    characters: RangeInclusive<usize>,
) -> Result<String, Error> {
    match DisplayName::parse(text, characters) {
        Ok(name) => Ok(name.into_string()),
        Err(why) => Err(Error::invalid(field, why)),
    }
}

/// The same of a field that may be missing.
pub(super) fn optional_line(
    field: &str,
    text: Option<&str>,
    characters: RangeInclusive<usize>,
) -> Result<Option<String>, Error> {
    text.map(|text| line(field, text, characters)).transpose()
}

/// A description; none if it is empty.
pub(super) fn description(text: Option<&str>) -> Result<Option<String>, Error> {
    let Some(text) = text.map(clean_text).filter(|text| !text.is_empty()) else { return Ok(None) };
    match text.chars().count() <= DESCRIPTION_CHARS_MAX {
        true => Ok(Some(text)),
        false => Err(Error::invalid("/description", "must have at most 500 characters")),
    }
}

/// An e-mail address in lower case.
pub(super) fn email(text: &str) -> Result<String, Error> {
    let text = text.trim().to_lowercase();
    let is_plain = |one: char| !one.is_whitespace() && !one.is_control();
    let parts = text.split_once('@');
    let is_address = parts
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'));
    match is_address && text.chars().all(is_plain) && text.chars().count() <= EMAIL_CHARS_MAX {
        true => Ok(text),
        false => Err(Error::invalid("/email", "must be an e-mail address")),
    }
}

/// A phone number as E.164 writes it.
pub(super) fn phone_number(text: &str) -> Result<String, Error> {
    let digits = text.trim().strip_prefix('+').unwrap_or_default();
    let is_number = (2..=15).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !digits.starts_with('0');
    match is_number {
        true => Ok(format!("+{digits}")),
        false => Err(Error::invalid("/phoneNumber", "must be a number such as +15555551234")),
    }
}

/// Up to three different positions.
pub(super) fn positions(field: &str, positions: Vec<Position>) -> Result<Vec<Position>, Error> {
    let is_twice = |(index, one): (usize, &Position)| {
        positions.iter().skip(index + 1).any(|other| other == one)
    };
    if positions.len() > 3 || positions.iter().enumerate().any(is_twice) {
        return Err(Error::invalid(field, "must be up to three different positions"));
    }
    Ok(positions)
}
