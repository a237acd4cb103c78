//! `chrono`: `DateTime<Utc>` and `NaiveDate`.

use super::moment::{date, moment};
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};

moment!(
    DateTime<Utc>,
    |own: &Self| (own.timestamp(), own.timestamp_subsec_nanos()),
    Self::from_timestamp
);

date!(
    NaiveDate,
    |own: &Self| (i64::from(own.year()), own.month(), own.day()),
    |year, month, day| Self::from_ymd_opt(year.into(), month.into(), day.into())
);
