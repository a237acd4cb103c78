//! Streams tell what happened to items, in order, for a day.

use crate::house::House;
use serde_json::{Value, json};
use singlet_dynamo::ErrorKind;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn streamed(view: &str) -> House {
    let house = House::with_table("Hash");
    house.ask(
        "UpdateTable",
        &format!(r#"{{"TableName":"Hash","StreamSpecification":{{"StreamEnabled":true,"StreamViewType":"{view}"}}}}"#),
    );
    house.engine.maintain().unwrap();
    house
}

fn arn(house: &House) -> String {
    let streams = house.json("ListStreams", "{}");
    streams["Streams"][0]["StreamArn"].as_str().unwrap().to_owned()
}

fn iterator(house: &House, arn: &str, place: &str) -> String {
    let described = house.json("DescribeStream", &json!({"StreamArn": arn}).to_string());
    let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
    let mut request = json!({"StreamArn": arn, "ShardId": shard});
    match place.split_once(' ') {
        None => request["ShardIteratorType"] = json!(place),
        Some((kind, number)) => {
            request["ShardIteratorType"] = json!(kind);
            request["SequenceNumber"] = json!(number);
        }
    }
    let answer = house.json("GetShardIterator", &request.to_string());
    answer["ShardIterator"].as_str().unwrap().to_owned()
}

fn records(house: &House, iterator: &str) -> (Vec<Value>, Option<String>) {
    let answer = house.json("GetRecords", &json!({"ShardIterator": iterator}).to_string());
    let records = answer["Records"].as_array().unwrap().clone();
    (records, answer["NextShardIterator"].as_str().map(str::to_owned))
}

fn names(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["eventName"].as_str().unwrap()).collect()
}

fn change_three_times(house: &House) {
    house.put("Hash", r#"{"pk":{"S":"a"},"n":{"N":"1"}}"#);
    house.put("Hash", r#"{"pk":{"S":"a"},"n":{"N":"2"}}"#);
    // What changes nothing leaves no record.
    house.put("Hash", r#"{"pk":{"S":"a"},"n":{"N":"2"}}"#);
    house.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"a"}}}"#);
    house.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"nobody"}}}"#);
}

#[test]
fn records_carry_the_images_that_the_view_asks_for() {
    for (view, has_old, has_new) in [
        ("KEYS_ONLY", false, false),
        ("NEW_IMAGE", false, true),
        ("OLD_IMAGE", true, false),
        ("NEW_AND_OLD_IMAGES", true, true),
    ] {
        let house = streamed(view);
        change_three_times(&house);
        let (records, next) = records(&house, &iterator(&house, &arn(&house), "TRIM_HORIZON"));
        assert_eq!(names(&records), ["INSERT", "MODIFY", "REMOVE"]);
        let modified = &records[1]["dynamodb"];
        assert_eq!(modified["Keys"], json!({"pk": {"S": "a"}}));
        let image = |n: &str| json!({"pk": {"S": "a"}, "n": {"N": n}});
        assert_eq!(modified["OldImage"], if has_old { image("1") } else { Value::Null }, "{view}");
        assert_eq!(modified["NewImage"], if has_new { image("2") } else { Value::Null }, "{view}");
        assert!(next.is_some(), "the shard is open");
    }
}

#[test]
fn iterators_begin_where_they_say() {
    let house = streamed("KEYS_ONLY");
    let arn = arn(&house);
    let latest = iterator(&house, &arn, "LATEST");
    change_three_times(&house);
    let (all, _) = records(&house, &latest);
    assert_eq!(names(&all), ["INSERT", "MODIFY", "REMOVE"]);
    let second = all[1]["dynamodb"]["SequenceNumber"].as_str().unwrap();
    let at = iterator(&house, &arn, &format!("AT_SEQUENCE_NUMBER {second}"));
    assert_eq!(names(&records(&house, &at).0), ["MODIFY", "REMOVE"]);
    let after = iterator(&house, &arn, &format!("AFTER_SEQUENCE_NUMBER {second}"));
    assert_eq!(names(&records(&house, &after).0), ["REMOVE"]);
    let end = iterator(&house, &arn, "LATEST");
    let (none, next) = records(&house, &end);
    assert!(none.is_empty());
    house.put("Hash", r#"{"pk":{"S":"b"}}"#);
    assert_eq!(names(&records(&house, &next.unwrap()).0), ["INSERT"]);
}

#[test]
fn a_disabled_stream_can_be_read_to_its_end_and_is_gone_after_a_day() {
    let house = streamed("KEYS_ONLY");
    let arn = arn(&house);
    change_three_times(&house);
    house.ask(
        "UpdateTable",
        r#"{"TableName":"Hash","StreamSpecification":{"StreamEnabled":false}}"#,
    );
    house.engine.maintain().unwrap();
    house.put("Hash", r#"{"pk":{"S":"unseen"}}"#);
    let (seen, next) = records(&house, &iterator(&house, &arn, "TRIM_HORIZON"));
    assert_eq!(names(&seen), ["INSERT", "MODIFY", "REMOVE"]);
    assert_eq!(next, None, "the shard is closed");
    house.clock.advance(DAY_MS + 1000);
    house.engine.maintain().unwrap();
    assert_eq!(house.json("ListStreams", "{}")["Streams"], json!([]));
}

/// Such a shard used to end before it began.
#[test]
fn a_stream_that_had_no_records_ends_where_it_began() {
    let house = streamed("KEYS_ONLY");
    let arn = arn(&house);
    house.ask(
        "UpdateTable",
        r#"{"TableName":"Hash","StreamSpecification":{"StreamEnabled":false}}"#,
    );
    house.engine.maintain().unwrap();
    let described = house.json("DescribeStream", &json!({"StreamArn": arn}).to_string());
    let range = &described["StreamDescription"]["Shards"][0]["SequenceNumberRange"];
    assert_eq!(range["StartingSequenceNumber"], range["EndingSequenceNumber"]);
    let (none, next) = records(&house, &iterator(&house, &arn, "TRIM_HORIZON"));
    assert!(none.is_empty());
    assert_eq!(next, None, "the shard is closed");
}

#[test]
fn records_are_kept_for_a_day() {
    let house = streamed("KEYS_ONLY");
    let arn = arn(&house);
    change_three_times(&house);
    house.clock.advance(DAY_MS - 1000);
    house.put("Hash", r#"{"pk":{"S":"young"}}"#);
    house.engine.maintain().unwrap();
    assert_eq!(records(&house, &iterator(&house, &arn, "TRIM_HORIZON")).0.len(), 4);
    house.clock.advance(2000);
    house.engine.maintain().unwrap();
    let (left, _) = records(&house, &iterator(&house, &arn, "TRIM_HORIZON"));
    assert_eq!(names(&left), ["INSERT"]);
}

#[test]
fn whoever_asks_for_records_that_are_gone_is_told_so() {
    // Once such an iterator read on from the next record that was there, or from the beginning.
    let house = streamed("KEYS_ONLY");
    let arn = arn(&house);
    house.put("Hash", r#"{"pk":{"S":"a"}}"#);
    let (first, _) = records(&house, &iterator(&house, &arn, "TRIM_HORIZON"));
    let number = first[0]["dynamodb"]["SequenceNumber"].as_str().unwrap();
    house.clock.advance(DAY_MS - 60_000);
    let before = iterator(&house, &arn, "TRIM_HORIZON");
    house.clock.advance(120_000);
    house.engine.maintain().unwrap();
    let read = json!({"ShardIterator": before}).to_string();
    let refused = house.try_ask("GetRecords", &read).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TrimmedDataAccess);
    let (none, _) = records(&house, &iterator(&house, &arn, "TRIM_HORIZON"));
    assert!(none.is_empty());
    let stream = house.json("DescribeStream", &json!({"StreamArn": arn}).to_string());
    let at = json!({
        "StreamArn": arn, "ShardId": stream["StreamDescription"]["Shards"][0]["ShardId"],
        "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": number
    });
    let refused = house.try_ask("GetShardIterator", &at.to_string()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TrimmedDataAccess);
}
