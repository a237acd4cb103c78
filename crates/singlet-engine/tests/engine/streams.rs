//! Streams record the changes of items, in order, for a day.

use crate::fixed_engine::FixedEngine;
use serde_json::{Value, json};
use singlet_dynamo::ErrorKind;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn streamed(view: &str) -> FixedEngine {
    let fixed = FixedEngine::with_table("Hash");
    fixed.ask(
        "UpdateTable",
        &format!(r#"{{"TableName":"Hash","StreamSpecification":{{"StreamEnabled":true,"StreamViewType":"{view}"}}}}"#),
    );
    fixed.engine.maintain().unwrap();
    fixed
}

fn arn(fixed: &FixedEngine) -> String {
    let streams = fixed.json("ListStreams", "{}");
    streams["Streams"][0]["StreamArn"].as_str().unwrap().to_owned()
}

fn iterator(fixed: &FixedEngine, arn: &str, place: &str) -> String {
    let described = fixed.json("DescribeStream", &json!({"StreamArn": arn}).to_string());
    let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
    let mut request = json!({"StreamArn": arn, "ShardId": shard});
    match place.split_once(' ') {
        None => request["ShardIteratorType"] = json!(place),
        Some((kind, number)) => {
            request["ShardIteratorType"] = json!(kind);
            request["SequenceNumber"] = json!(number);
        }
    }
    let answer = fixed.json("GetShardIterator", &request.to_string());
    answer["ShardIterator"].as_str().unwrap().to_owned()
}

fn records(fixed: &FixedEngine, iterator: &str) -> (Vec<Value>, Option<String>) {
    let answer = fixed.json("GetRecords", &json!({"ShardIterator": iterator}).to_string());
    let records = answer["Records"].as_array().unwrap().clone();
    (records, answer["NextShardIterator"].as_str().map(str::to_owned))
}

fn names(records: &[Value]) -> Vec<&str> {
    records.iter().map(|record| record["eventName"].as_str().unwrap()).collect()
}

fn change_three_times(fixed: &FixedEngine) {
    fixed.put("Hash", r#"{"pk":{"S":"a"},"n":{"N":"1"}}"#);
    fixed.put("Hash", r#"{"pk":{"S":"a"},"n":{"N":"2"}}"#);
    // A write that changes nothing leaves no record.
    fixed.put("Hash", r#"{"pk":{"S":"a"},"n":{"N":"2"}}"#);
    fixed.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"a"}}}"#);
    fixed.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"nobody"}}}"#);
}

#[test]
fn records_carry_the_images_that_the_view_asks_for() {
    for (view, has_old, has_new) in [
        ("KEYS_ONLY", false, false),
        ("NEW_IMAGE", false, true),
        ("OLD_IMAGE", true, false),
        ("NEW_AND_OLD_IMAGES", true, true),
    ] {
        let fixed = streamed(view);
        change_three_times(&fixed);
        let (records, next) = records(&fixed, &iterator(&fixed, &arn(&fixed), "TRIM_HORIZON"));
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
    let fixed = streamed("KEYS_ONLY");
    let arn = arn(&fixed);
    let latest = iterator(&fixed, &arn, "LATEST");
    change_three_times(&fixed);
    let (all, _) = records(&fixed, &latest);
    assert_eq!(names(&all), ["INSERT", "MODIFY", "REMOVE"]);
    let second = all[1]["dynamodb"]["SequenceNumber"].as_str().unwrap();
    let at = iterator(&fixed, &arn, &format!("AT_SEQUENCE_NUMBER {second}"));
    assert_eq!(names(&records(&fixed, &at).0), ["MODIFY", "REMOVE"]);
    let after = iterator(&fixed, &arn, &format!("AFTER_SEQUENCE_NUMBER {second}"));
    assert_eq!(names(&records(&fixed, &after).0), ["REMOVE"]);
    let end = iterator(&fixed, &arn, "LATEST");
    let (none, next) = records(&fixed, &end);
    assert!(none.is_empty());
    fixed.put("Hash", r#"{"pk":{"S":"b"}}"#);
    assert_eq!(names(&records(&fixed, &next.unwrap()).0), ["INSERT"]);
}

#[test]
fn a_disabled_stream_can_be_read_to_its_end_and_is_gone_after_a_day() {
    let fixed = streamed("KEYS_ONLY");
    let arn = arn(&fixed);
    change_three_times(&fixed);
    fixed.ask(
        "UpdateTable",
        r#"{"TableName":"Hash","StreamSpecification":{"StreamEnabled":false}}"#,
    );
    fixed.engine.maintain().unwrap();
    fixed.put("Hash", r#"{"pk":{"S":"unseen"}}"#);
    let (seen, next) = records(&fixed, &iterator(&fixed, &arn, "TRIM_HORIZON"));
    assert_eq!(names(&seen), ["INSERT", "MODIFY", "REMOVE"]);
    assert_eq!(next, None, "the shard is closed");
    fixed.clock.advance(DAY_MS + 1000);
    fixed.engine.maintain().unwrap();
    assert_eq!(fixed.json("ListStreams", "{}")["Streams"], json!([]));
}

/// Regression: such a shard ended before it began.
#[test]
fn a_stream_that_had_no_records_ends_where_it_began() {
    let fixed = streamed("KEYS_ONLY");
    let arn = arn(&fixed);
    fixed.ask(
        "UpdateTable",
        r#"{"TableName":"Hash","StreamSpecification":{"StreamEnabled":false}}"#,
    );
    fixed.engine.maintain().unwrap();
    let described = fixed.json("DescribeStream", &json!({"StreamArn": arn}).to_string());
    let range = &described["StreamDescription"]["Shards"][0]["SequenceNumberRange"];
    assert_eq!(range["StartingSequenceNumber"], range["EndingSequenceNumber"]);
    let (none, next) = records(&fixed, &iterator(&fixed, &arn, "TRIM_HORIZON"));
    assert!(none.is_empty());
    assert_eq!(next, None, "the shard is closed");
}

#[test]
fn records_are_kept_for_a_day() {
    let fixed = streamed("KEYS_ONLY");
    let arn = arn(&fixed);
    change_three_times(&fixed);
    fixed.clock.advance(DAY_MS - 1000);
    fixed.put("Hash", r#"{"pk":{"S":"young"}}"#);
    fixed.engine.maintain().unwrap();
    assert_eq!(records(&fixed, &iterator(&fixed, &arn, "TRIM_HORIZON")).0.len(), 4);
    fixed.clock.advance(2000);
    fixed.engine.maintain().unwrap();
    let (left, _) = records(&fixed, &iterator(&fixed, &arn, "TRIM_HORIZON"));
    assert_eq!(names(&left), ["INSERT"]);
}

#[test]
fn whoever_asks_for_records_that_are_gone_is_told_so() {
    // Regression: such an iterator continued at the next record that existed, or at the beginning.
    let fixed = streamed("KEYS_ONLY");
    let arn = arn(&fixed);
    fixed.put("Hash", r#"{"pk":{"S":"a"}}"#);
    let (first, _) = records(&fixed, &iterator(&fixed, &arn, "TRIM_HORIZON"));
    let number = first[0]["dynamodb"]["SequenceNumber"].as_str().unwrap();
    fixed.clock.advance(DAY_MS - 60_000);
    let before = iterator(&fixed, &arn, "TRIM_HORIZON");
    fixed.clock.advance(120_000);
    fixed.engine.maintain().unwrap();
    let read = json!({"ShardIterator": before}).to_string();
    let refused = fixed.try_ask("GetRecords", &read).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TrimmedDataAccess);
    let (none, _) = records(&fixed, &iterator(&fixed, &arn, "TRIM_HORIZON"));
    assert!(none.is_empty());
    let stream = fixed.json("DescribeStream", &json!({"StreamArn": arn}).to_string());
    let at = json!({
        "StreamArn": arn, "ShardId": stream["StreamDescription"]["Shards"][0]["ShardId"],
        "ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": number
    });
    let refused = fixed.try_ask("GetShardIterator", &at.to_string()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::TrimmedDataAccess);
}
