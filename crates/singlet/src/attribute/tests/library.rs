//! Types of other libraries.

use super::{check_order, in_key, name, read, stored};
use crate::attribute::Attribute;
use crate::key::{KeyPart, Shape};
use chrono::{DateTime, NaiveDate, Utc};
use proptest::prelude::*;
use rust_decimal::Decimal;
use singlet_dynamo::Value;
use time::{OffsetDateTime, UtcDateTime, UtcOffset};
use uuid::Uuid;

/// The first and the last second of the years 0 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;
const SECOND_NS: u32 = 1_000_000_000;

fn chrono(seconds: i64, nanos: u32) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, nanos).unwrap()
}

fn time(seconds: i64, nanos: u32) -> OffsetDateTime {
    let nanos = i128::from(seconds) * i128::from(SECOND_NS) + i128::from(nanos);
    OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap()
}

fn jiff(seconds: i64, nanos: u32) -> jiff::Timestamp {
    let nanos = i128::from(seconds) * i128::from(SECOND_NS) + i128::from(nanos);
    jiff::Timestamp::from_nanosecond(nanos).unwrap()
}

/// One moment as a value of each library.
fn moments() -> impl Strategy<Value = (DateTime<Utc>, OffsetDateTime, jiff::Timestamp)> {
    // jiff does not support the last days of the year 9999.
    let seconds = *SECONDS.start()..=*SECONDS.end() - 3 * 24 * 60 * 60;
    let nanos = prop_oneof![Just(0), Just(999_999_999), 0..SECOND_NS];
    (seconds, nanos).prop_map(|(seconds, nanos)| {
        (chrono(seconds, nanos), time(seconds, nanos), jiff(seconds, nanos))
    })
}

proptest! {
    #[test]
    fn moments_sort_as_their_text(one in moments(), other in moments()) {
        check_order(&one.0, &other.0);
        check_order(&one.1, &other.1);
        check_order(&one.1.to_utc(), &other.1.to_utc());
        check_order(&one.2, &other.2);
        // All libraries store the same text.
        prop_assert_eq!(in_key(&one.0), in_key(&one.1));
        prop_assert_eq!(in_key(&one.0), in_key(&one.2));
        // Moments of one library also sort correctly in another zone.
        let zone = UtcOffset::from_hms(5, 30, 0).unwrap();
        if let Some(moved) = one.1.checked_to_offset(zone) {
            prop_assert_eq!(in_key(&moved), in_key(&one.1));
        }
    }

    #[test]
    fn days_sort_as_their_text(one in moments(), other in moments()) {
        check_order(&one.0.date_naive(), &other.0.date_naive());
        check_order(&one.1.date(), &other.1.date());
        let day = |moment: jiff::Timestamp| moment.to_zoned(jiff::tz::TimeZone::UTC).date();
        check_order(&day(one.2), &day(other.2));
        prop_assert_eq!(in_key(&one.0.date_naive()), in_key(&one.1.date()));
        prop_assert_eq!(in_key(&one.0.date_naive()), in_key(&day(one.2)));
    }

    #[test]
    fn uuids_sort_as_their_text(one: u128, other: u128) {
        let (one, other) = (Uuid::from_u128(one), Uuid::from_u128(other));
        check_order(&one, &other);
        prop_assert_eq!(name(&one), in_key(&one));
    }

    #[test]
    fn decimals_are_exact(low: i64, middle: u32, is_negative: bool, scale in 0_u32..=28) {
        let low = low.to_le_bytes();
        let word = |bytes: [u8; 4]| u32::from_le_bytes(bytes);
        let own = Decimal::from_parts(
            word([low[0], low[1], low[2], low[3]]),
            word([low[4], low[5], low[6], low[7]]),
            middle,
            is_negative,
            scale,
        );
        prop_assert!(matches!(stored(&own), Some(Value::N(_))));
    }

    #[test]
    fn bytes_are_read_back(own: Vec<u8>) {
        let shared = bytes::Bytes::from(own.clone());
        prop_assert_eq!(stored(&shared), Some(Value::B(own)));
    }
}

#[test]
fn what_they_are_stored_as() {
    let moment = "2026-01-31T09:30:00.000000007Z";
    assert_eq!(stored(&chrono(1_769_851_800, 7)), Some(Value::from(moment)));
    assert_eq!(stored(&UtcDateTime::UNIX_EPOCH), Some("1970-01-01T00:00:00.000000000Z".into()));
    let day = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
    assert_eq!(stored(&day), Some(Value::from("2026-01-31")));
    let id = Uuid::from_u128(0xF81D_4FAE_7DEC_11D0_A765_00A0_C91E_6BF6);
    assert_eq!(stored(&id), Some(Value::from("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")));
    assert_eq!(stored(&Decimal::new(1250, 2)), Some(Value::N("12.5".parse().unwrap())));
    assert_eq!(Decimal::SHAPE, Shape::Number);
    assert_eq!(bytes::Bytes::SHAPE, Shape::Bytes);
}

#[test]
fn what_others_have_written_is_read() {
    let moment = |text: &str| read::<DateTime<Utc>>(Some(&Value::from(text)));
    let expected = chrono(1_769_851_800, 500_000_000);
    for text in [
        "2026-01-31T09:30:00.5Z",
        "2026-01-31T09:30:00.500Z",
        "2026-01-31T09:30:00.500000000Z",
        "2026-01-31T09:30:00.5+00:00",
        "2026-01-31T15:00:00.5+05:30",
        "2026-01-31T01:30:00.5-08:00",
    ] {
        assert_eq!(moment(text), Ok(expected), "{text}");
    }
    for text in [
        "",
        "2026-01-31",
        "2026-01-31T09:30:00",
        "2026-01-31T09:30:00.Z",
        "2026-01-31T09:30:00.5",
        "2026-01-31T09:30:00.0000000001Z",
        "2026-01-31T09:30:60Z",
        "2026-02-30T09:30:00Z",
        "2026-01-31T09:30:00+5:30",
        "2026-01-31T09:30:00+24:00",
        "2026-01-31T09:30:00é",
    ] {
        let fault = moment(text).unwrap_err();
        assert_eq!(fault.to_string(), format!("expected a moment, found `{text}`"));
    }
    let id = read::<Uuid>(Some(&Value::from("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6")));
    assert_eq!(id, Ok(Uuid::from_u128(0xF81D_4FAE_7DEC_11D0_A765_00A0_C91E_6BF6)));
    // DynamoDB's sums can have more digits than fit, and must still be read.
    let long = Value::N("1.23456789012345678901234567890123".parse().unwrap());
    let rounded: Decimal = "1.2345678901234567890123456789".parse().unwrap();
    assert_eq!(read::<Decimal>(Some(&long)), Ok(rounded));
    let large = Value::N("1e30".parse().unwrap());
    assert!(read::<Decimal>(Some(&large)).is_err());
}

#[test]
fn what_has_no_text_that_sorts_is_refused() {
    let told = |fault: Result<_, crate::attribute::NotStorable>| fault.unwrap_err().to_string();
    let outside = "a moment outside the years 0 to 9999 has no text that sorts";
    assert_eq!(told(chrono(*SECONDS.start() - 1, 0).to_value()), outside);
    assert_eq!(told(chrono(*SECONDS.end() + 1, 0).to_value()), outside);
    assert_eq!(told(time(*SECONDS.start() - 1, 0).to_value()), outside);
    assert_eq!(told(jiff::Timestamp::MIN.to_value()), outside);
    let leap: DateTime<Utc> = "2016-12-31T23:59:60Z".parse().unwrap();
    assert_eq!(told(leap.to_value()), "a leap second has no text that sorts");
    let outside = "a day outside the years 0 to 9999 has no text that sorts";
    assert_eq!(told(NaiveDate::MAX.to_value()), outside);
    assert_eq!(told(::time::Date::MIN.to_value()), outside);
    assert_eq!(told(jiff::civil::Date::MIN.to_value()), outside);
}
