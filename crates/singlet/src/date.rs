//! Dates in ISO 8601, always of the same width.

use crate::attribute::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use crate::field::Textual;
use crate::key::{Form, KeyPart, Shape};
use crate::query::FixedWidth;
use crate::timestamp::{ParseTimestampError, Timestamp};
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;
use std::fmt;
use std::str::FromStr;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A date, stored as text that sorts in date order.
///
/// ```
/// use singlet::{Date, Timestamp};
///
/// let day: Date = "2026-01-31".parse()?;
/// assert_eq!(day.to_string(), "2026-01-31");
/// assert_eq!(day.next().to_string(), "2026-02-01");
/// assert_eq!(Date::of(Timestamp::from_millis(1_769_817_600_000)), day);
/// # Ok::<(), singlet::ParseDateError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// Days since 1970.
    day: i64,
}

impl Date {
    /// The date of a timestamp, in UTC.
    #[must_use]
    pub const fn of(moment: Timestamp) -> Self {
        Self { day: moment.as_millis().div_euclid(DAY_MS) }
    }

    /// The start of the day, in UTC.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        Timestamp::from_millis(self.day.saturating_mul(DAY_MS))
    }

    /// The next day. The last day of the year 9999 stays the same.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::of(Timestamp::from_millis((self.day + 1).saturating_mul(DAY_MS)))
    }

    /// The previous day. The first day of the year 0 stays the same.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self::of(Timestamp::from_millis((self.day - 1).saturating_mul(DAY_MS)))
    }
}

/// The text is not an ISO 8601 date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseDateError;

impl fmt::Display for ParseDateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a day, such as 2026-01-31")
    }
}

impl std::error::Error for ParseDateError {}

impl FromStr for Date {
    type Err = ParseDateError;

    fn from_str(text: &str) -> Result<Self, ParseDateError> {
        let midnight: Result<Timestamp, ParseTimestampError> = format!("{text}T00:00:00Z").parse();
        midnight.map(Self::of).map_err(|_| ParseDateError)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.start().to_string();
        f.write_str(text.split('T').next().unwrap_or_default())
    }
}

impl fmt::Debug for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Attribute for Date {
    const KIND: AttributeType = AttributeType::Date;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::S(self.to_string())))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::S(text)) => {
                text.parse().map_err(|_| Mismatch::new("a date", format!("`{text}`")))
            }
            other => Err(Mismatch::of("a date", other)),
        }
    }
}

impl KeyPart for Date {
    const SHAPE: Shape = Shape::Text(Form::Date);
}

impl FixedWidth for Date {}
impl Textual for Date {}

impl serde::Serialize for Date {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Date {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_they_are_written_and_in_no_other_way() {
        for text in ["2026-01-31", "2024-02-29", "0000-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().map(|day| day.to_string()), Ok(text.to_owned()));
        }
        for text in
            ["", "2026-1-31", "2026-02-30", "20260131", "2026-01-31 ", "2026-01-31T00:00:00Z"]
        {
            assert_eq!(text.parse::<Date>(), Err(ParseDateError), "{text}");
        }
    }

    #[test]
    fn days_follow_each_other_until_the_calendar_ends() {
        let after = |text: &str| text.parse::<Date>().map(|day| day.next().to_string());
        let before = |text: &str| text.parse::<Date>().map(|day| day.previous().to_string());
        assert_eq!(after("2024-02-28"), Ok("2024-02-29".to_owned()));
        assert_eq!(before("2026-01-01"), Ok("2025-12-31".to_owned()));
        assert_eq!(after("9999-12-31"), Ok("9999-12-31".to_owned()));
        assert_eq!(before("0000-01-01"), Ok("0000-01-01".to_owned()));
    }
}
