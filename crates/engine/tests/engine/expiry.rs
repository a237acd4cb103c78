//! Items whose time has come are deleted, at a cost of what is deleted.

use crate::house::{House, START_MS};
use singlet_engine::feed::Event;

fn expiring() -> House {
    let house = House::with_table("Hash");
    house.ask(
        "UpdateTimeToLive",
        r#"{"TableName":"Hash","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}}"#,
    );
    house.engine.maintain().unwrap();
    house
}

fn put(house: &House, key: &str, expires: &str) {
    house.put("Hash", &format!(r#"{{"pk":{{"S":"{key}"}},"expires":{expires}}}"#));
}

fn left(house: &House) -> Vec<String> {
    let mut keys: Vec<String> = house
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
    let house = expiring();
    let now = START_MS / 1000;
    let year = 365 * 24 * 60 * 60;
    put(&house, "past", &format!(r#"{{"N":"{}"}}"#, now - 1));
    put(&house, "past-fraction", &format!(r#"{{"N":"{}.5"}}"#, now - 1));
    put(&house, "future", &format!(r#"{{"N":"{}"}}"#, now + 60));
    put(&house, "text", &format!(r#"{{"S":"{}"}}"#, now - 1));
    put(&house, "long-past", &format!(r#"{{"N":"{}"}}"#, now - 6 * year));
    put(&house, "negative", r#"{"N":"-5"}"#);
    put(&house, "huge", r#"{"N":"1e30"}"#);
    house.put("Hash", r#"{"pk":{"S":"without"}}"#);
    house.engine.maintain().unwrap();
    assert_eq!(left(&house), ["future", "huge", "long-past", "negative", "text", "without"]);
    house.clock.advance(61_000);
    house.engine.maintain().unwrap();
    assert_eq!(left(&house), ["huge", "long-past", "negative", "text", "without"]);
    assert!(house.engine.check().unwrap().is_sound());
}

#[test]
fn a_second_that_was_changed_counts_as_it_is_now() {
    let house = expiring();
    let now = START_MS / 1000;
    put(&house, "renewed", &format!(r#"{{"N":"{}"}}"#, now + 10));
    put(&house, "renewed", &format!(r#"{{"N":"{}"}}"#, now + 100));
    put(&house, "kept", &format!(r#"{{"N":"{}"}}"#, now + 10));
    house.ask(
        "UpdateItem",
        r#"{"TableName":"Hash","Key":{"pk":{"S":"kept"}},"UpdateExpression":"REMOVE expires"}"#,
    );
    house.clock.advance(11_000);
    house.engine.maintain().unwrap();
    assert_eq!(left(&house), ["kept", "renewed"]);
    house.clock.advance(90_000);
    house.engine.maintain().unwrap();
    assert_eq!(left(&house), ["kept"]);
}

#[test]
fn nothing_goes_once_it_is_turned_off() {
    let house = expiring();
    put(&house, "a", &format!(r#"{{"N":"{}"}}"#, START_MS / 1000 + 10));
    house.ask(
        "UpdateTimeToLive",
        r#"{"TableName":"Hash","TimeToLiveSpecification":{"AttributeName":"expires","Enabled":false}}"#,
    );
    house.clock.advance(60_000);
    house.engine.maintain().unwrap();
    assert_eq!(left(&house), ["a"]);
    assert_eq!(house.engine.check().unwrap().expiry_rows, 0, "the row behind it was dropped");
}

#[test]
fn the_feed_tells_that_time_did_it() {
    let house = expiring();
    put(&house, "a", &format!(r#"{{"N":"{}"}}"#, START_MS / 1000 + 10));
    let subscription = house.engine.subscribe(Some("Hash"));
    house.clock.advance(11_000);
    house.engine.maintain().unwrap();
    match subscription.try_next() {
        Some(Event::Change(change)) => assert!(change.is_expiry && change.new.is_none()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn more_than_one_round_takes_are_all_deleted() {
    let house = expiring();
    for n in 0..1_200 {
        put(&house, &format!("k{n}"), &format!(r#"{{"N":"{}"}}"#, START_MS / 1000 + n % 7));
    }
    house.clock.advance(10_000);
    house.engine.maintain().unwrap();
    assert!(left(&house).is_empty());
}
