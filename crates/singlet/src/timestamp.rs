//! Timestamps in ISO 8601, in UTC and always of the same width.

use crate::attribute::{Attribute, Mismatch, NotStorable};
use crate::design::AttributeType;
use crate::key::{Form, KeyPart, Shape};
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::calendar;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

const SECOND_MS: i64 = 1000;
const DAY_MS: i64 = 24 * 60 * 60 * SECOND_MS;

/// A time with millisecond precision, stored as text that sorts in time order.
///
/// ```
/// use singlet::Timestamp;
///
/// let start = Timestamp::from_millis(1_767_225_600_000);
/// assert_eq!(start.to_string(), "2026-01-01T00:00:00.000Z");
/// // Without a fraction it is read too.
/// assert_eq!("2026-01-01T00:00:00Z".parse(), Ok(start));
/// // In JSON it may have an offset, and lack seconds.
/// assert_eq!(serde_json::from_str::<Timestamp>(r#""2026-01-01T01:00+01:00""#)?, start);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The start of the year 0: earlier times do not fit the width.
    pub const MIN: Self = Self(-62_167_219_200_000);
    /// The last millisecond of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// From milliseconds since 1970, UTC. Times outside the years 0 to 9999 are clamped.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        if millis < Self::MIN.0 {
            Self::MIN
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// The milliseconds since 1970, UTC.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The whole seconds since 1970, UTC, for comparisons with a time to live.
    #[must_use]
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(SECOND_MS)
    }

    /// Adds a duration.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Subtracts a duration.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_sub(millis))
    }

    /// The time since an earlier timestamp; zero if that one is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The text as bytes, all ASCII.
    fn text(self) -> [u8; 24] {
        let (year, month, day) = calendar::date(self.0.div_euclid(DAY_MS));
        let in_day_ms = self.0.rem_euclid(DAY_MS);
        let (seconds, millis) = (in_day_ms / SECOND_MS, in_day_ms % SECOND_MS);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        // Each field, by the position of its last digit.
        for (last, mut number) in [
            (3, year),
            (6, month),
            (9, day),
            (12, seconds / 3600),
            (15, seconds / 60 % 60),
            (18, seconds % 60),
            (22, millis),
        ] {
            let mut place = last;
            while number > 0 {
                if let Some(digit) = text.get_mut(place) {
                    *digit = b'0' + (number % 10) as u8;
                }
                number /= 10;
                place = place.wrapping_sub(1);
            }
        }
        text
    }
}

/// The text is not an ISO 8601 date and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseTimestampError;

impl fmt::Display for ParseTimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a date and time, such as 2026-01-31T09:30:00Z")
    }
}

impl std::error::Error for ParseTimestampError {}

impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    /// Reads ISO 8601 in UTC, with or without a fraction; digits beyond milliseconds are dropped.
    fn from_str(text: &str) -> Result<Self, ParseTimestampError> {
        let (local, zone) = text.split_at_checked(19).ok_or(ParseTimestampError)?;
        let millis = parse(local.as_bytes(), zone.strip_suffix('Z').map(str::as_bytes));
        millis.map(Self).ok_or(ParseTimestampError)
    }
}

/// Reads RFC 3339, with any offset, and also without seconds. Stored texts have only one form;
/// input from clients is converted to it.
fn parse_rfc_3339(text: &str) -> Option<Timestamp> {
    let (text, offset_min) = match text.strip_suffix('Z') {
        Some(text) => (text, 0),
        None => {
            let (text, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
            let (hours, minutes) = offset.get(1..)?.split_once(':')?;
            let number = |text: &str, max: i64| -> Option<i64> {
                let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|number| is_number && *number <= max)
            };
            let minutes = number(hours, 23)? * 60 + number(minutes, 59)?;
            match offset.get(..1)? {
                "+" => (text, minutes),
                "-" => (text, -minutes),
                _ => return None,
            }
        }
    };
    let millis = match text.len() {
        16 => parse(format!("{text}:00").as_bytes(), Some(b"")),
        _ => text
            .split_at_checked(19)
            .and_then(|(local, fraction)| parse(local.as_bytes(), Some(fraction.as_bytes()))),
    };
    let millis = millis?.checked_sub(offset_min * 60 * SECOND_MS)?;
    let range = Timestamp::MIN.0..=Timestamp::MAX.0;
    range.contains(&millis).then_some(Timestamp(millis))
}

/// Parses a date and time to the second, and a fraction that begins with its point.
fn parse(whole: &[u8], fraction: Option<&[u8]>) -> Option<i64> {
    let digits = |from: usize, to: usize| {
        whole.get(from..to)?.iter().try_fold(0_i64, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
        })
    };
    let signs = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !signs.iter().all(|(place, sign)| whole.get(*place) == Some(sign)) {
        return None;
    }
    let (year, month, day_of_month) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    let (hour, minute, second) = (digits(11, 13)?, digits(14, 16)?, digits(17, 19)?);
    let days = calendar::day(year, month, day_of_month)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let millis = match fraction? {
        b"" => 0,
        [b'.', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            (0..3).fold(0, |millis, place| {
                millis * 10 + i64::from(digits.get(place).unwrap_or(&b'0') - b'0')
            })
        }
        _ => return None,
    };
    let seconds = (hour * 60 + minute) * 60 + second;
    Some(days * DAY_MS + seconds * SECOND_MS + millis)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.text()).unwrap_or_default())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Attribute for Timestamp {
    const KIND: AttributeType = AttributeType::Timestamp;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        let text = std::str::from_utf8(&self.text()).unwrap_or_default().to_owned();
        Ok(Some(Value::S(text)))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::S(text)) => {
                text.parse().map_err(|_| Mismatch::new("a timestamp", format!("`{text}`")))
            }
            other => Err(Mismatch::of("a timestamp", other)),
        }
    }
}

impl KeyPart for Timestamp {
    const SHAPE: Shape = Shape::Text(Form::Timestamp);
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_rfc_3339(&text).ok_or(ParseTimestampError).map_err(serde::de::Error::custom)
    }
}

/// When an item expires, in seconds since 1970: DynamoDB's time to live.
///
/// DynamoDB deletes expired items some time later; the model's reads skip them at once.
///
/// ```
/// use singlet::{Expiry, Timestamp};
/// use std::time::Duration;
///
/// let now = Timestamp::from_millis(1_767_225_600_000);
/// let expiry = Expiry::at(now.after(Duration::from_secs(24 * 60 * 60)));
/// assert_eq!(expiry.as_seconds(), 1_767_312_000);
/// assert!(!expiry.has_passed(now));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expiry(i64);

impl Expiry {
    /// Expires at this time, rounded up to the second, so that nothing expires early.
    #[must_use]
    pub const fn at(moment: Timestamp) -> Self {
        let millis = moment.as_millis();
        Self(millis.div_euclid(SECOND_MS) + (millis.rem_euclid(SECOND_MS) != 0) as i64)
    }

    /// From seconds since 1970, UTC.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The seconds since 1970, UTC.
    #[must_use]
    pub const fn as_seconds(self) -> i64 {
        self.0
    }

    /// Whether an item with this time to live is expired.
    #[must_use]
    pub const fn has_passed(self, now: Timestamp) -> bool {
        self.0 <= now.as_seconds()
    }
}

impl Attribute for Expiry {
    const KIND: AttributeType = AttributeType::EpochSeconds;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::from(self.0)))
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        i64::from_value(value).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_is_read_back() {
        let mut millis = Timestamp::MIN.0;
        while millis <= Timestamp::MAX.0 {
            let moment = Timestamp(millis);
            assert_eq!(moment.to_string().parse(), Ok(moment), "{millis}");
            assert_eq!(moment.to_string().len(), 24);
            // A prime, so that all hours, minutes, seconds and milliseconds occur.
            millis += 86_400_000_011;
        }
        assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00+01:00",
            "2026-02-30T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.00xZ",
            "２026-01-01T00:00:00Z",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(ParseTimestampError), "{text}");
        }
        let fine: Timestamp = "2026-01-01T00:00:00.123456Z".parse().unwrap();
        assert_eq!(fine.to_string(), "2026-01-01T00:00:00.123Z");
    }

    /// Regression: clients could only send UTC.
    #[test]
    fn json_may_have_an_offset_and_lack_seconds() {
        let read = |text: &str| serde_json::from_value::<Timestamp>(text.into()).ok();
        let same = [
            "2026-11-17T08:00:00.000Z",
            "2026-11-17T08:00:00Z",
            "2026-11-17T08:00Z",
            "2026-11-17T10:00:00+02:00",
            "2026-11-17T10:00+02:00",
            "2026-11-17T02:15:00.0-05:45",
            "2026-11-18T07:59:00+23:59",
            "2026-11-17T08:00:00-00:00",
        ];
        for text in same {
            let read = read(text).map(|moment| moment.to_string());
            assert_eq!(read.as_deref(), Some("2026-11-17T08:00:00.000Z"), "{text}");
        }
        for text in [
            "2026-11-17T08:00",
            "2026-11-17T08:00:00",
            "2026-11-17T08:00:00+2:00",
            "2026-11-17T08:00:00+24:00",
            "2026-11-17T08:00:00+02:60",
            "2026-11-17T08:00:00 02:00",
            "2026-11-17T08:00:00+02-00",
            "2026-11-17T08:00:00++1:00",
            "2026-11-17T08Z",
            "2026-11-17T08:00:Z",
            "9999-12-31T23:59:59-00:01",
            "0000-01-01T00:00:00+00:01",
            "+02:00",
            "é+02:00",
            "Z",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        // Stored texts have only one form.
        assert!("2026-11-17T10:00:00+02:00".parse::<Timestamp>().is_err());
        assert!("2026-11-17T08:00Z".parse::<Timestamp>().is_err());
    }

    /// Compares our own calendar with jiff's.
    #[cfg(feature = "jiff")]
    #[test]
    fn calendar_agrees_with_jiff() {
        let mut date = jiff::civil::Date::new(1800, 1, 1).unwrap();
        let end = jiff::civil::Date::new(2200, 12, 31).unwrap();
        let mut day = calendar::day(1800, 1, 1).unwrap();
        while date <= end {
            let parts = (i64::from(date.year()), i64::from(date.month()), i64::from(date.day()));
            assert_eq!(calendar::date(day), parts);
            assert_eq!(calendar::day(parts.0, parts.1, parts.2), Some(day));
            let midnight = Timestamp::from_millis(day * DAY_MS);
            assert_eq!(midnight.to_string(), format!("{date}T00:00:00.000Z"));
            (date, day) = (date.tomorrow().unwrap(), day + 1);
        }
        // More than 400 years, after which the calendar repeats.
        assert_eq!(day - calendar::day(1800, 1, 1).unwrap(), 146_462);
    }
}
