//! Moments as signatures write them: `20150830T123600Z`.

use singlet_dynamo::Timestamp;
use std::fmt;

const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// A moment, to the second.
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
        // A leap second is the last one but one again.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let days = days_since_1970(year, month, day);
        let date =
            Self { seconds: days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second.min(59) };
        // A day that its month does not have would come out as one of the next.
        (calendar(days) == (year, month, day)).then_some(date)
    }

    pub(super) fn minus_minutes(self, minutes: i64) -> Self {
        Self { seconds: self.seconds - minutes * 60 }
    }

    /// The day alone: `20150830`.
    pub(super) fn day(self) -> String {
        let (year, month, day) = calendar(self.seconds.div_euclid(SECONDS_PER_DAY));
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

/// Years begin in March here, so that the day that only some of them have is their last.
const DAYS_PER_ERA: i64 = 400 * 365 + 97;
/// From 1 March of the year 0 to 1 January 1970.
const DAYS_TO_1970: i64 = 719_468;

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * DAYS_PER_ERA + year * 365 + year / 4 - year / 100 + day_of_year - DAYS_TO_1970
}

fn calendar(days_since_1970: i64) -> (i64, i64, i64) {
    let days = days_since_1970 + DAYS_TO_1970;
    let (era, days) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let year = (days - days / 1460 + days / 36_524 - days / 146_096) / 365;
    let day_of_year = days - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_back_as_they_were_written() {
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
    fn every_day_of_eight_centuries_comes_back() {
        for days in -146_097..146_097 {
            let (year, month, day) = calendar(days);
            assert_eq!(days_since_1970(year, month, day), days);
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
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
