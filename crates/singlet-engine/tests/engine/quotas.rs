//! Limits on tables and streams, and on the items of a transaction.

use crate::fixed_engine::FixedEngine;
use serde_json::json;
use singlet_dynamo::{Error, ErrorKind};

fn create(fixed: &FixedEngine, name: &str, names: &[String]) -> Result<(), Error> {
    let mut body = json!({
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    if !names.is_empty() {
        let indexes = names.chunks(20).enumerate().map(|(number, names)| {
            json!({
                "IndexName": format!("index-{number}"),
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": names},
            })
        });
        body["GlobalSecondaryIndexes"] = indexes.collect();
    }
    fixed.try_ask("CreateTable", &body.to_string()).map(drop)
}

/// Regression: 12,000 tables with long descriptions took 1.6 GB.
#[test]
fn there_are_2500_tables_and_then_no_more() {
    let fixed = FixedEngine::new();
    for number in 0..2_500 {
        create(&fixed, &format!("table-{number}"), &[]).unwrap();
    }
    let refused = create(&fixed, "another", &[]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
    assert_eq!(
        refused.message(),
        "Subscriber limit exceeded: There is a limit of 2500 tables per subscriber"
    );
    // A deleted table frees its place once its rows are cleared.
    fixed.ask("DeleteTable", r#"{"TableName":"table-7"}"#);
    fixed.engine.maintain().unwrap();
    create(&fixed, "another", &[]).unwrap();
    assert!(create(&fixed, "one-more", &[]).is_err());
}

#[test]
fn all_descriptions_have_a_limit() {
    let fixed = FixedEngine::new();
    let names: Vec<String> = (0..100).map(|number| format!("{number:0>250}")).collect();
    let mut count = 0;
    let refused = loop {
        match create(&fixed, &format!("table-{count}"), &names) {
            Ok(()) => count += 1,
            Err(refused) => break refused,
        }
    };
    assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
    assert!((1_000..1_400).contains(&count), "{count}");
    let delete = |number: i32| format!(r#"{{"TableName":"table-{number}"}}"#);
    fixed.ask("DeleteTable", &delete(0));
    fixed.engine.maintain().unwrap();
    create(&fixed, "another", &names).unwrap();
}

/// Regression: every toggle of a stream left one behind, and each table change scanned all of them.
#[test]
fn a_table_has_100_streams_in_a_day() {
    let fixed = FixedEngine::with_table("Hash");
    let turn = |is_on: bool| {
        let specification = match is_on {
            true => json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}),
            false => json!({"StreamEnabled": false}),
        };
        let body = json!({"TableName": "Hash", "StreamSpecification": specification}).to_string();
        fixed.clock.advance(1);
        fixed.try_ask("UpdateTable", &body).map(drop)
    };
    for _ in 0..100 {
        turn(true).unwrap();
        turn(false).unwrap();
    }
    let refused = turn(true).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LimitExceeded);
    // A day later the old ones are deleted, although each round checks only some.
    fixed.clock.advance(25 * 60 * 60 * 1000);
    for _ in 0..4 {
        fixed.engine.maintain().unwrap();
    }
    let streams = fixed.json("ListStreams", r#"{"TableName":"Hash"}"#);
    assert_eq!(streams["Streams"].as_array().unwrap().len(), 0);
    turn(true).unwrap();
}

/// Regression: a transaction of 12 KB could write 40 MB of items, and 120 MB with their stream.
#[test]
fn a_transaction_has_4_mb_of_items() {
    let fixed = FixedEngine::with_table("Hash");
    let text = "a".repeat(390_000);
    for number in 0..11 {
        fixed.put("Hash", &format!(r#"{{"pk":{{"S":"{number}"}},"text":{{"S":"{text}"}}}}"#));
    }
    let update = |number: i32| {
        json!({"Update": {
            "TableName": "Hash", "Key": {"pk": {"S": number.to_string()}},
            "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}},
        }})
    };
    let delete = |number: i32| json!({"Delete": {"TableName": "Hash", "Key": {"pk": {"S": number.to_string()}}}});
    let check = |number: i32| {
        json!({"ConditionCheck": {
            "TableName": "Hash", "Key": {"pk": {"S": number.to_string()}},
            "ConditionExpression": "attribute_exists(pk)",
        }})
    };
    let transact = |actions: Vec<serde_json::Value>| {
        let body = json!({"TransactItems": actions}).to_string();
        fixed.try_ask("TransactWriteItems", &body).map(drop)
    };
    transact((0..10).map(update).collect()).unwrap();
    transact((0..5).map(update).chain((5..11).map(check)).collect()).unwrap();
    for actions in [(0..11).map(update).collect::<Vec<_>>(), (0..11).map(delete).collect()] {
        let refused = transact(actions).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation);
        assert!(refused.message().starts_with("Transaction payload size cannot exceed 4MB"));
    }
    assert_eq!(fixed.all("Hash", None).len() + 8, 11, "a page has a megabyte");
}
