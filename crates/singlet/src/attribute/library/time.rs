//! `time`: `OffsetDateTime`, which is stored in UTC, `UtcDateTime` and `Date`.

use super::moment::{date, moment};
use time::{Date, Month, OffsetDateTime, UtcDateTime};

fn from_parts(seconds: i64, nanos: u32) -> Option<OffsetDateTime> {
    let nanos = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()
}

moment!(OffsetDateTime, |own: &Self| (own.unix_timestamp(), own.nanosecond()), from_parts);

moment!(UtcDateTime, |own: &Self| (own.unix_timestamp(), own.nanosecond()), |seconds, nanos| {
    from_parts(seconds, nanos).map(OffsetDateTime::to_utc)
});

date!(
    Date,
    |own: &Self| (i64::from(own.year()), u8::from(own.month()).into(), own.day().into()),
    |year, month, day| {
        let month = Month::try_from(month).ok()?;
        Self::from_calendar_date(year.into(), month, day).ok()
    }
);
