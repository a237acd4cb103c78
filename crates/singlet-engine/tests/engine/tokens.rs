//! A transaction that is sent again runs only once.

use crate::fixed_engine::FixedEngine;
use serde_json::json;
use singlet_dynamo::ErrorKind;

fn add(amount: u32, token: &str) -> String {
    json!({
        "ClientRequestToken": token,
        "TransactItems": [{"Update": {
            "TableName": "Hash", "Key": {"pk": {"S": "a"}}, "UpdateExpression": "ADD n :n",
            "ExpressionAttributeValues": {":n": {"N": amount.to_string()}}
        }}]
    })
    .to_string()
}

fn total(fixed: &FixedEngine) -> serde_json::Value {
    let answer = fixed.json("GetItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"a"}}}"#);
    answer["Item"]["n"]["N"].clone()
}

#[test]
fn the_same_token_counts_once_for_ten_minutes() {
    let fixed = FixedEngine::with_table("Hash");
    fixed.ask("TransactWriteItems", &add(1, "token"));
    fixed.ask("TransactWriteItems", &add(1, "token"));
    assert_eq!(total(&fixed), json!("1"));
    fixed.ask("TransactWriteItems", &add(1, "another"));
    assert_eq!(total(&fixed), json!("2"));
    fixed.clock.advance(10 * 60 * 1000 - 1);
    fixed.engine.maintain().unwrap();
    fixed.ask("TransactWriteItems", &add(1, "token"));
    assert_eq!(total(&fixed), json!("2"));
    fixed.clock.advance(1);
    fixed.engine.maintain().unwrap();
    fixed.ask("TransactWriteItems", &add(1, "token"));
    assert_eq!(total(&fixed), json!("3"));
}

#[test]
fn the_same_token_with_another_request_is_refused() {
    let fixed = FixedEngine::with_table("Hash");
    fixed.ask("TransactWriteItems", &add(1, "token"));
    let refused = fixed.try_ask("TransactWriteItems", &add(2, "token")).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::IdempotentParameterMismatch);
    assert_eq!(total(&fixed), json!("1"));
}

#[test]
fn a_refused_transaction_writes_nothing_and_its_token_is_free() {
    let fixed = FixedEngine::with_table("Hash");
    let request = |condition: &str| {
        json!({
            "ClientRequestToken": "token",
            "TransactItems": [
                {"Put": {"TableName": "Hash", "Item": {"pk": {"S": "first"}}}},
                {"Put": {"TableName": "Hash", "Item": {"pk": {"S": "second"}}, "ConditionExpression": condition}}
            ]
        })
        .to_string()
    };
    let refused =
        fixed.try_ask("TransactWriteItems", &request("attribute_exists(pk)")).unwrap_err();
    let codes: Vec<_> = refused.cancellation_reasons().iter().map(|reason| reason.code()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
    assert!(fixed.all("Hash", None).is_empty());
    fixed.ask("TransactWriteItems", &request("attribute_not_exists(pk)"));
    assert_eq!(fixed.all("Hash", None).len(), 2);
}

#[test]
fn a_transaction_that_is_sent_again_costs_what_reading_its_items_costs() {
    // Recorded from the service by the DynamoDB conformance suite of ParitySuite, pull request 74.
    let fixed = FixedEngine::with_table("Hash");
    let request = json!({
        "ClientRequestToken": "token", "ReturnConsumedCapacity": "TOTAL",
        "TransactItems": [{"Put": {
            "TableName": "Hash", "Item": {"pk": {"S": "a"}, "x": {"S": "x".repeat(1500)}}
        }}]
    });
    let cost = || fixed.json("TransactWriteItems", &request.to_string())["ConsumedCapacity"].take();
    let first = json!([{"TableName": "Hash", "CapacityUnits": 4.0, "WriteCapacityUnits": 4.0}]);
    assert_eq!(cost(), first);
    let again = json!([{"TableName": "Hash", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}]);
    assert_eq!(cost(), again);
}
