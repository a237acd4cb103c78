//! Timestamps: seconds since 1970 in responses, and the labels of streams.

use crate::calendar;
use std::fmt;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A time, to the millisecond.
///
/// This crate has no clock: callers pass in the time.
///
/// ```
/// use singlet_dynamo::Timestamp;
///
/// let moment = Timestamp::from_millis(1_767_225_600_123);
/// assert_eq!(moment.to_string(), "2026-01-01T00:00:00.123");
/// assert_eq!(moment.seconds(), 1_767_225_600.123);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The time this many milliseconds after 1970-01-01 UTC.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// The milliseconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The seconds since 1970-01-01 UTC with a fraction, as in responses.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// The time of a number of seconds in a response.
    pub(crate) fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1000.0).round() as i64)
    }

    /// The time in a stream's label, the inverse of `Display`.
    ///
    /// ```
    /// use singlet_dynamo::Timestamp;
    ///
    /// let moment = Timestamp::from_label("2026-01-01T00:00:00.123");
    /// assert_eq!(moment, Some(Timestamp::from_millis(1_767_225_600_123)));
    /// assert_eq!(Timestamp::from_label("2026-01-01"), None);
    /// ```
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let mut parts = label.split(['-', 'T', ':', '.']).map(str::parse::<i64>);
        let mut next = || parts.next()?.ok();
        let day = calendar::day(next()?, next()?, next()?)?;
        let in_day_ms = ((next()? * 60 + next()?) * 60 + next()?) * 1000 + next()?;
        let moment = Self(day * DAY_MS + in_day_ms);
        // Only the exact form is a label.
        (moment.to_string() == label).then_some(moment)
    }

    /// Milliseconds since an earlier time; negative if that was later.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// As in a stream's label: UTC, with milliseconds, without a zone.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = calendar::date(self.0.div_euclid(DAY_MS));
        let in_day_ms = self.0.rem_euclid(DAY_MS);
        let (seconds, millis) = (in_day_ms / 1000, in_day_ms % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        let text = |millis| Timestamp::from_millis(millis).to_string();
        assert_eq!(text(0), "1970-01-01T00:00:00.000");
        assert_eq!(text(-1), "1969-12-31T23:59:59.999");
        assert_eq!(text(951_782_400_000), "2000-02-29T00:00:00.000");
        assert_eq!(text(951_868_800_000), "2000-03-01T00:00:00.000");
        assert_eq!(text(4_107_542_399_999), "2100-02-28T23:59:59.999");
        assert_eq!(text(4_107_542_400_000), "2100-03-01T00:00:00.000");
    }

    #[test]
    fn no_moment_is_too_far() {
        let _ = Timestamp::from_millis(i64::MIN).to_string();
        let _ = Timestamp::from_millis(i64::MAX).to_string();
        let wide = Timestamp::from_millis(i64::MIN).millis_since(Timestamp::from_millis(i64::MAX));
        assert_eq!(wide, i64::MIN);
    }
}
