//! Expired items are deleted, at a cost proportional to their number.

use crate::fixed_engine::{FixedEngine, START_MS};
use singlet_engine::feed::Event;

fn expiring() -> FixedEngine {
    let fixed = FixedEngine::with_table("Hash");
    fixed.ask(
        "UpdateTimeToLive",
        r#"{"TableName":"Hash","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}}"#,
    );
    fixed.engine.maintain().unwrap();
    fixed
}

fn put(fixed: &FixedEngine, key: &str, expires: &str) {
    fixed.put("Hash", &format!(r#"{{"pk":{{"S":"{key}"}},"expires":{expires}}}"#));
}

fn left(fixed: &FixedEngine) -> Vec<String> {
    let mut keys: Vec<String> = fixed
        .all("Hash", None)
        .iter()
        .map(|item| match item.get("pk") {
            Some(singlet_dynamo::Value::S(key)) => key.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    keys.sort();
    keys
}

#[test]
fn only_what_has_a_second_in_the_past_goes() {
    let fixed = expiring();
    let now = START_MS / 1000;
    let year = 365 * 24 * 60 * 60;
    put(&fixed, "past", &format!(r#"{{"N":"{}"}}"#, now - 1));
    put(&fixed, "past-fraction", &format!(r#"{{"N":"{}.5"}}"#, now - 1));
    put(&fixed, "future", &format!(r#"{{"N":"{}"}}"#, now + 60));
    put(&fixed, "text", &format!(r#"{{"S":"{}"}}"#, now - 1));
    put(&fixed, "long-past", &format!(r#"{{"N":"{}"}}"#, now - 6 * year));
    put(&fixed, "negative", r#"{"N":"-5"}"#);
    put(&fixed, "huge", r#"{"N":"1e30"}"#);
    fixed.put("Hash", r#"{"pk":{"S":"without"}}"#);
    fixed.engine.maintain().unwrap();
    assert_eq!(left(&fixed), ["future", "huge", "long-past", "negative", "text", "without"]);
    fixed.clock.advance(61_000);
    fixed.engine.maintain().unwrap();
    assert_eq!(left(&fixed), ["huge", "long-past", "negative", "text", "without"]);
    assert!(fixed.engine.check().unwrap().is_sound());
}

#[test]
fn a_second_that_was_changed_counts_as_it_is_now() {
    let fixed = expiring();
    let now = START_MS / 1000;
    put(&fixed, "renewed", &format!(r#"{{"N":"{}"}}"#, now + 10));
    put(&fixed, "renewed", &format!(r#"{{"N":"{}"}}"#, now + 100));
    put(&fixed, "kept", &format!(r#"{{"N":"{}"}}"#, now + 10));
    fixed.ask(
        "UpdateItem",
        r#"{"TableName":"Hash","Key":{"pk":{"S":"kept"}},"UpdateExpression":"REMOVE expires"}"#,
    );
    fixed.clock.advance(11_000);
    fixed.engine.maintain().unwrap();
    assert_eq!(left(&fixed), ["kept", "renewed"]);
    fixed.clock.advance(90_000);
    fixed.engine.maintain().unwrap();
    assert_eq!(left(&fixed), ["kept"]);
}

#[test]
fn nothing_goes_once_it_is_turned_off() {
    let fixed = expiring();
    put(&fixed, "a", &format!(r#"{{"N":"{}"}}"#, START_MS / 1000 + 10));
    fixed.ask(
        "UpdateTimeToLive",
        r#"{"TableName":"Hash","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":false}}"#,
    );
    fixed.clock.advance(60_000);
    fixed.engine.maintain().unwrap();
    assert_eq!(left(&fixed), ["a"]);
    assert_eq!(fixed.engine.check().unwrap().expiry_rows, 0, "the row behind it was dropped");
}

#[test]
fn the_feed_tells_that_time_did_it() {
    let fixed = expiring();
    put(&fixed, "a", &format!(r#"{{"N":"{}"}}"#, START_MS / 1000 + 10));
    let subscription = fixed.engine.subscribe(Some("Hash"));
    fixed.clock.advance(11_000);
    fixed.engine.maintain().unwrap();
    match subscription.try_next() {
        Some(Event::Change(change)) => assert!(change.is_expiry && change.new.is_none()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn more_than_one_round_takes_are_all_deleted() {
    let fixed = expiring();
    for n in 0..1_200 {
        put(&fixed, &format!("k{n}"), &format!(r#"{{"N":"{}"}}"#, START_MS / 1000 + n % 7));
    }
    fixed.clock.advance(10_000);
    fixed.engine.maintain().unwrap();
    assert!(left(&fixed).is_empty());
}

/// Regression: expiry rows of a deleted table stayed until they came due.
#[test]
fn a_deleted_table_leaves_no_rows() {
    let fixed = expiring();
    let before = fixed.engine.size_bytes().unwrap();
    let far = START_MS / 1000 + 100_000_000_000;
    for number in 0..100 {
        put(&fixed, &format!("{number:0>2000}"), &format!(r#"{{"N":"{far}"}}"#));
    }
    fixed.ask("DeleteTable", r#"{"TableName":"Hash"}"#);
    fixed.engine.maintain().unwrap();
    let after = fixed.engine.size_bytes().unwrap();
    assert!(after <= before, "{before} bytes before, {after} after");
}
