//! Table changes are complete when the request is answered.
//!
//! They used to take effect a moment later, after another commit. SDK waiters ask at once, and if
//! the table is not there yet, again after 20 seconds; on a folder they nearly always had to.
//! Programs written against other endpoints put the first item without waiting.

use crate::fixed_engine::FixedEngine;
use serde_json::{Value, json};
use singlet_dynamo::ErrorKind;

const CREATE: &str = r#"{"TableName":"Mine","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"colour","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"byColour","KeySchema":[{"AttributeName":"colour","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}"#;
const NAMED: &str = r#"{"TableName":"Mine"}"#;

fn described(fixed: &FixedEngine) -> Value {
    fixed.json("DescribeTable", NAMED)["Table"].clone()
}

#[test]
fn a_new_table_and_its_indexes_can_be_used_at_once() {
    let fixed = FixedEngine::new();
    let answer = fixed.json("CreateTable", CREATE);
    assert_eq!(answer["TableDescription"]["TableStatus"], json!("CREATING"));
    assert_eq!(described(&fixed)["TableStatus"], json!("ACTIVE"));
    fixed.put("Mine", r#"{"pk":{"S":"a"},"colour":{"S":"red"}}"#);
    assert_eq!(fixed.all("Mine", Some("byColour")).len(), 1);
}

#[test]
fn a_change_that_needs_no_work_is_made_at_once() {
    let fixed = FixedEngine::new();
    fixed.ask("CreateTable", CREATE);
    let answer = fixed.json(
        "UpdateTable",
        r#"{"TableName":"Mine","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#,
    );
    assert_eq!(answer["TableDescription"]["TableStatus"], json!("UPDATING"));
    assert_eq!(described(&fixed)["TableStatus"], json!("ACTIVE"));
    // An index that must be filled or cleared takes time.
    fixed.put("Mine", r#"{"pk":{"S":"a"},"colour":{"S":"red"}}"#);
    fixed.ask(
        "UpdateTable",
        r#"{"TableName":"Mine","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byColour"}}]}"#,
    );
    assert_eq!(described(&fixed)["TableStatus"], json!("UPDATING"));
    fixed.engine.maintain().unwrap();
    assert_eq!(described(&fixed)["TableStatus"], json!("ACTIVE"));
    assert_eq!(described(&fixed)["GlobalSecondaryIndexes"], json!(null));
}

#[test]
fn the_stream_of_a_table_is_not_taken_for_that_of_the_one_before() {
    // Regression: both were created in the same millisecond, so both streams had the same ARN, and
    // requests for the second reached the first.
    const STREAMED: &str = r#"{"TableName":"Mine","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#;
    let fixed = FixedEngine::new();
    let mut arns = Vec::new();
    for _ in 0..3 {
        let answer = fixed.json("CreateTable", STREAMED);
        let arn = answer["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned();
        assert_eq!(described(&fixed)["LatestStreamArn"], json!(arn));
        let stream = fixed.json("DescribeStream", &format!(r#"{{"StreamArn":"{arn}"}}"#));
        assert_eq!(stream["StreamDescription"]["StreamStatus"], json!("ENABLED"));
        arns.push(arn);
        fixed.ask("DeleteTable", NAMED);
    }
    let listed = fixed.json("ListStreams", NAMED)["Streams"].as_array().unwrap().len();
    assert_eq!(listed, 3, "{arns:?}");
}

#[test]
fn a_deleted_table_is_gone_at_once_and_its_name_is_free() {
    let fixed = FixedEngine::new();
    fixed.ask("CreateTable", CREATE);
    // More than one task clears at a time.
    for number in 0..1_200 {
        fixed.put("Mine", &format!(r#"{{"pk":{{"S":"{number}"}},"colour":{{"S":"red"}}}}"#));
    }
    let answer = fixed.json("DeleteTable", NAMED);
    assert_eq!(answer["TableDescription"]["TableStatus"], json!("DELETING"));
    assert_eq!(answer["TableDescription"]["TableName"], json!("Mine"));
    assert_eq!(answer["TableDescription"]["ItemCount"], json!(1_200));
    let missing = fixed.try_ask("DescribeTable", NAMED).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::ResourceNotFound);
    assert_eq!(fixed.json("ListTables", "{}")["TableNames"], json!([]));

    // A second table with this name is empty, and keeps its own items.
    fixed.ask("CreateTable", CREATE);
    assert!(fixed.all("Mine", None).is_empty());
    assert!(fixed.all("Mine", Some("byColour")).is_empty());
    fixed.put("Mine", r#"{"pk":{"S":"7"},"colour":{"S":"blue"}}"#);
    fixed.ask("DeleteTable", NAMED);
    fixed.ask("CreateTable", CREATE);
    fixed.put("Mine", r#"{"pk":{"S":"8"},"colour":{"S":"blue"}}"#);
    fixed.engine.maintain().unwrap();
    assert_eq!(fixed.all("Mine", None).len(), 1);
    assert_eq!(fixed.json("ListTables", "{}")["TableNames"], json!(["Mine"]));
    let report = fixed.engine.check().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.items, report.index_rows), (1, 1));
}
