//! Tables are there, changed or gone as soon as the request for it is answered.
//!
//! They used to be so a moment later: active or gone after a commit of their own. Clients that
//! wait for a table ask at once, and if it is not there yet, all SDKs ask again after 20 seconds;
//! on a folder they nearly always had to. And programs written against other endpoints put the
//! first item without waiting.

use crate::house::House;
use serde_json::{Value, json};
use singlet_dynamo::ErrorKind;

const CREATE: &str = r#"{"TableName":"Mine","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"colour","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"byColour","KeySchema":[{"AttributeName":"colour","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}]}"#;
const NAMED: &str = r#"{"TableName":"Mine"}"#;

fn described(house: &House) -> Value {
    house.json("DescribeTable", NAMED)["Table"].clone()
}

#[test]
fn a_new_table_and_its_indexes_can_be_used_at_once() {
    let house = House::new();
    let answer = house.json("CreateTable", CREATE);
    assert_eq!(answer["TableDescription"]["TableStatus"], json!("CREATING"));
    assert_eq!(described(&house)["TableStatus"], json!("ACTIVE"));
    house.put("Mine", r#"{"pk":{"S":"a"},"colour":{"S":"red"}}"#);
    assert_eq!(house.all("Mine", Some("byColour")).len(), 1);
}

#[test]
fn a_change_that_needs_no_work_is_made_at_once() {
    let house = House::new();
    house.ask("CreateTable", CREATE);
    let answer = house.json(
        "UpdateTable",
        r#"{"TableName":"Mine","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#,
    );
    assert_eq!(answer["TableDescription"]["TableStatus"], json!("UPDATING"));
    assert_eq!(described(&house)["TableStatus"], json!("ACTIVE"));
    // An index that has to be filled or cleared is work.
    house.put("Mine", r#"{"pk":{"S":"a"},"colour":{"S":"red"}}"#);
    house.ask(
        "UpdateTable",
        r#"{"TableName":"Mine","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byColour"}}]}"#,
    );
    assert_eq!(described(&house)["TableStatus"], json!("UPDATING"));
    house.engine.maintain().unwrap();
    assert_eq!(described(&house)["TableStatus"], json!("ACTIVE"));
    assert_eq!(described(&house)["GlobalSecondaryIndexes"], json!(null));
}

#[test]
fn the_stream_of_a_table_is_not_taken_for_that_of_the_one_before() {
    // Both were made in the same millisecond, so both streams had one ARN, and whoever asked for
    // the second got the first.
    const STREAMED: &str = r#"{"TableName":"Mine","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#;
    let house = House::new();
    let mut arns = Vec::new();
    for _ in 0..3 {
        let answer = house.json("CreateTable", STREAMED);
        let arn = answer["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned();
        assert_eq!(described(&house)["LatestStreamArn"], json!(arn));
        let stream = house.json("DescribeStream", &format!(r#"{{"StreamArn":"{arn}"}}"#));
        assert_eq!(stream["StreamDescription"]["StreamStatus"], json!("ENABLED"));
        arns.push(arn);
        house.ask("DeleteTable", NAMED);
    }
    let listed = house.json("ListStreams", NAMED)["Streams"].as_array().unwrap().len();
    assert_eq!(listed, 3, "{arns:?}");
}

#[test]
fn a_deleted_table_is_gone_at_once_and_its_name_is_free() {
    let house = House::new();
    house.ask("CreateTable", CREATE);
    // More than one task clears away at a time.
    for number in 0..1_200 {
        house.put("Mine", &format!(r#"{{"pk":{{"S":"{number}"}},"colour":{{"S":"red"}}}}"#));
    }
    let answer = house.json("DeleteTable", NAMED);
    assert_eq!(answer["TableDescription"]["TableStatus"], json!("DELETING"));
    assert_eq!(answer["TableDescription"]["TableName"], json!("Mine"));
    assert_eq!(answer["TableDescription"]["ItemCount"], json!(1_200));
    let missing = house.try_ask("DescribeTable", NAMED).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::ResourceNotFound);
    assert_eq!(house.json("ListTables", "{}")["TableNames"], json!([]));

    // A second table of this name has nothing of the first, and keeps what it gets.
    house.ask("CreateTable", CREATE);
    assert!(house.all("Mine", None).is_empty());
    assert!(house.all("Mine", Some("byColour")).is_empty());
    house.put("Mine", r#"{"pk":{"S":"7"},"colour":{"S":"blue"}}"#);
    house.ask("DeleteTable", NAMED);
    house.ask("CreateTable", CREATE);
    house.put("Mine", r#"{"pk":{"S":"8"},"colour":{"S":"blue"}}"#);
    house.engine.maintain().unwrap();
    assert_eq!(house.all("Mine", None).len(), 1);
    assert_eq!(house.json("ListTables", "{}")["TableNames"], json!(["Mine"]));
    let report = house.engine.check().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.items, report.index_rows), (1, 1));
}
