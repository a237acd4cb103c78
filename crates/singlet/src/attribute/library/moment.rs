//! Timestamps and dates of other libraries, as text that sorts in time order.
//!
//! A timestamp is RFC 3339 in UTC with nine fractional digits, the precision of the libraries: it
//! round-trips exactly, and all texts have the same width. Timestamps that other code wrote with
//! fewer digits or in another zone are read as well.

use crate::attribute::{Mismatch, NotStorable, text};
use crate::date::Date;
use crate::timestamp::Timestamp;
use singlet_dynamo::Value;
use singlet_dynamo::binary::ValueRef;

const SECOND_NS: u32 = 1_000_000_000;
/// Fractional digits of a second.
const FRACTION_DIGITS: usize = 9;
/// Length of a timestamp without fraction and zone: `2026-01-31T09:30:00`.
const WHOLE_SIZE: usize = 19;

/// Formats seconds and nanoseconds since 1970, UTC.
pub(super) fn write(seconds: i64, nanos: u32) -> Result<Option<Value>, NotStorable> {
    let years = Timestamp::MIN.as_seconds()..=Timestamp::MAX.as_seconds();
    if !years.contains(&seconds) {
        return Err(NotStorable::new(
            "a moment outside the years 0 to 9999 has no text that sorts",
        ));
    }
    if nanos >= SECOND_NS {
        return Err(NotStorable::new("a leap second has no text that sorts"));
    }
    let mut text = Timestamp::from_millis(seconds.saturating_mul(1000)).to_string();
    text.truncate(WHOLE_SIZE);
    text.push_str(&format!(".{nanos:09}Z"));
    Ok(Some(Value::S(text)))
}

/// Reads a timestamp, unless it is out of the library's range.
pub(super) fn read<T>(
    value: Option<ValueRef<'_>>,
    make: impl FnOnce(i64, u32) -> Option<T>,
) -> Result<T, Mismatch> {
    let text = text(value, "a moment")?;
    let read = parse(text).and_then(|(seconds, nanos)| make(seconds, nanos));
    read.ok_or_else(|| Mismatch::new("a moment", format!("`{text}`")))
}

fn parse(text: &str) -> Option<(i64, u32)> {
    let (whole, rest) = text.split_at_checked(WHOLE_SIZE)?;
    let moment: Timestamp = format!("{whole}Z").parse().ok()?;
    let (nanos, zone) = match rest.strip_prefix('.') {
        None => (0, rest),
        Some(rest) => {
            let len = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, zone) = rest.split_at_checked(len)?;
            if digits.is_empty() || len > FRACTION_DIGITS {
                return None;
            }
            (format!("{digits:0<9}").parse().ok()?, zone)
        }
    };
    Some((moment.as_seconds().checked_sub(offset(zone)?)?, nanos))
}

/// A zone's offset from UTC in seconds.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let (sign, digits) = zone.split_at_checked(1)?;
    let (hours, minutes) = digits.split_once(':')?;
    let two = |digits: &str, max: i64| {
        let is_two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|number| is_two && *number <= max)
    };
    let seconds = two(hours, 23)? * 3600 + two(minutes, 59)? * 60;
    match sign {
        "+" => Some(seconds),
        "-" => Some(-seconds),
        _ => None,
    }
}

/// Formats a Gregorian date.
pub(super) fn write_date(year: i64, month: u32, day: u32) -> Result<Option<Value>, NotStorable> {
    if !(0..=9999).contains(&year) {
        return Err(NotStorable::new("a day outside the years 0 to 9999 has no text that sorts"));
    }
    Ok(Some(Value::S(format!("{year:04}-{month:02}-{day:02}"))))
}

/// Reads a date, unless it is out of the library's range.
pub(super) fn read_date<T>(
    value: Option<ValueRef<'_>>,
    make: impl FnOnce(i16, u8, u8) -> Option<T>,
) -> Result<T, Mismatch> {
    let text = text(value, "a date")?;
    let read = || {
        let _: Date = text.parse().ok()?;
        let mut parts = text.split('-');
        make(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?)
    };
    read().ok_or_else(|| Mismatch::new("a date", format!("`{text}`")))
}

/// Implements the traits of a timestamp type.
macro_rules! moment {
    ($own:ty, $write:expr, $read:expr) => {
        impl crate::Attribute for $own {
            const KIND: crate::design::AttributeType = crate::design::AttributeType::TimestampNanos;

            fn to_value(
                &self,
            ) -> Result<Option<singlet_dynamo::Value>, crate::attribute::NotStorable> {
                let (seconds, nanos) = $write(self);
                super::moment::write(seconds, nanos)
            }

            fn from_value(
                value: Option<singlet_dynamo::binary::ValueRef<'_>>,
            ) -> Result<Self, crate::attribute::Mismatch> {
                super::moment::read(value, $read)
            }
        }

        impl crate::KeyPart for $own {
            const SHAPE: crate::key::Shape =
                crate::key::Shape::Text(crate::key::Form::TimestampNanos);
        }

        impl crate::query::FixedWidth for $own {}
        impl crate::field::Textual for $own {}
    };
}

/// Implements the traits of a date type.
macro_rules! date {
    ($own:ty, $write:expr, $read:expr) => {
        impl crate::Attribute for $own {
            const KIND: crate::design::AttributeType = crate::design::AttributeType::Date;

            fn to_value(
                &self,
            ) -> Result<Option<singlet_dynamo::Value>, crate::attribute::NotStorable> {
                let (year, month, day) = $write(self);
                super::moment::write_date(year, month, day)
            }

            fn from_value(
                value: Option<singlet_dynamo::binary::ValueRef<'_>>,
            ) -> Result<Self, crate::attribute::Mismatch> {
                super::moment::read_date(value, $read)
            }
        }

        impl crate::KeyPart for $own {
            const SHAPE: crate::key::Shape = crate::key::Shape::Text(crate::key::Form::Date);
        }

        impl crate::query::FixedWidth for $own {}
        impl crate::field::Textual for $own {}
    };
}

pub(super) use {date, moment};
