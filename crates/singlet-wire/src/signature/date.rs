//! Timestamps in signatures: `20150830T123600Z`.

use singlet_dynamo::{Timestamp, calendar};
use std::fmt;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// A time, to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date {
    /// Since 1970.
    seconds: i64,
}

impl Date {
    pub(super) fn of(moment: Timestamp) -> Self {
        Self { seconds: moment.as_millis().div_euclid(1000) }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
        let number = |text: &str, from: usize, len: usize| -> Option<i64> {
            let digits = text.get(from..from + len)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        if day.len() != 8 || time.len() != 6 {
            return None;
        }
        let (year, month, day) = (number(day, 0, 4)?, number(day, 4, 2)?, number(day, 6, 2)?);
        let (hour, minute, second) =
            (number(time, 0, 2)?, number(time, 2, 2)?, number(time, 4, 2)?);
        // A leap second counts as the second before it.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let days = calendar::day(year, month, day)?;
        let in_day = hour * 3600 + minute * 60 + second.min(59);
        Some(Self { seconds: days * SECONDS_PER_DAY + in_day })
    }

    pub(super) fn minus_minutes(self, minutes: i64) -> Self {
        Self { seconds: self.seconds - minutes * 60 }
    }

    /// The day alone: `20150830`.
    pub(super) fn day(self) -> String {
        let (year, month, day) = calendar::date(self.seconds.div_euclid(SECONDS_PER_DAY));
        format!("{year:04}{month:02}{day:02}")
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = self.seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{}T{hour:02}{minute:02}{second:02}Z", self.day())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_round_trip() {
        for text in ["20150830T123600Z", "19700101T000000Z", "20000229T235959Z", "21000301T000000Z"]
        {
            assert_eq!(Date::parse(text).map(|date| date.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Date::parse("20150830T123600Z"), Some(Date { seconds: 1_440_938_160 }));
        assert_eq!(
            Date::of(Timestamp::from_millis(1_440_938_160_999)).to_string(),
            "20150830T123600Z"
        );
    }

    #[test]
    fn invalid_dates_are_refused() {
        for text in [
            "",
            "201",
            "20150830",
            "20150830T123600",
            "2015-08-30T12:36:00Z",
            "20150230T000000Z",
            "21000229T000000Z",
            "20151301T000000Z",
            "20150001T000000Z",
            "20150830T240000Z",
            "20150830T126000Z",
            "+0150830T123600Z",
            "20150830T1236é0Z",
            "Sun, 30 Aug 2015 12:36:00 GMT",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }
}
