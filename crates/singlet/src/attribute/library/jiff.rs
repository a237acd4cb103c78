//! `jiff`: `Timestamp` and `civil::Date`.

use super::moment::{date, moment};
use jiff::Timestamp;
use jiff::civil::Date;

const SECOND_NS: i128 = 1_000_000_000;

/// Whole seconds rounded down, and the remaining nanoseconds.
fn parts(moment: &Timestamp) -> (i64, u32) {
    let nanos = moment.as_nanosecond();
    let (seconds, nanos) = (nanos.div_euclid(SECOND_NS), nanos.rem_euclid(SECOND_NS));
    // Both fit: a timestamp has less than 300 billion seconds.
    (i64::try_from(seconds).unwrap_or(i64::MAX), u32::try_from(nanos).unwrap_or(0))
}

moment!(Timestamp, parts, |seconds, nanos| {
    Self::from_nanosecond(i128::from(seconds) * SECOND_NS + i128::from(nanos)).ok()
});

date!(
    Date,
    |own: &Self| (
        i64::from(own.year()),
        own.month().unsigned_abs().into(),
        own.day().unsigned_abs().into()
    ),
    |year, month, day| { Self::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok() }
);
