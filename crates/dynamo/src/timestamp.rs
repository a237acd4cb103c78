//! Moments, as answers tell them: seconds since 1970, and the labels of streams.

use std::fmt;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A moment, to the millisecond.
///
/// This crate has no clock: whoever carries out a request says what time it is.
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
    /// The moment so many milliseconds after 1970 began, UTC.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// The milliseconds since 1970 began, UTC.
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The seconds since 1970 began, with a fraction: how answers tell a moment.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// How many milliseconds this is after an earlier moment; negative if that was later.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// As the label of a stream: UTC, with milliseconds, without a zone.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0.div_euclid(DAY_MS));
        let in_day_ms = self.0.rem_euclid(DAY_MS);
        let (seconds, millis) = (in_day_ms / 1000, in_day_ms % 1000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}")
    }
}

/// Year, month and day in the Gregorian calendar of a day counted from 1970.
fn date(day: i64) -> (i64, i64, i64) {
    /// Days of four hundred years, after which the calendar repeats itself.
    const ERA: i64 = 146_097;
    /// Days from the first of March of the year 0 to the first of January of 1970. Counted from
    /// March, the leap day is the last of its year, and months have lengths that a line fits.
    const MARCH_OF_YEAR_0: i64 = 719_468;

    let day = day + MARCH_OF_YEAR_0;
    let era = day.div_euclid(ERA);
    let in_era = day.rem_euclid(ERA);
    let leap_days_passed = in_era / 1460 - in_era / 36_524 + in_era / 146_096;
    let year_in_era = (in_era - leap_days_passed) / 365;
    let in_year = in_era - (365 * year_in_era + year_in_era / 4 - year_in_era / 100);
    let month_from_march = (5 * in_year + 2) / 153;
    let day_of_month = in_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_in_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_month)
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
    fn days_follow_each_other_without_a_gap() {
        let mut before = date(-800_000);
        for day in -799_999..=800_000 {
            let (year, month, day_of_month) = date(day);
            let next_day = (before.0, before.1, before.2 + 1);
            let next_month = (before.0, before.1 + 1, 1);
            let next_year = (before.0 + 1, 1, 1);
            let found = (year, month, day_of_month);
            assert!([next_day, next_month, next_year].contains(&found), "{before:?} {found:?}");
            before = found;
        }
    }

    #[test]
    fn no_moment_is_too_far() {
        let _ = Timestamp::from_millis(i64::MIN).to_string();
        let _ = Timestamp::from_millis(i64::MAX).to_string();
        let wide = Timestamp::from_millis(i64::MIN).millis_since(Timestamp::from_millis(i64::MAX));
        assert_eq!(wide, i64::MIN);
    }
}
