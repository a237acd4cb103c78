//! Requests as bytes, prepared before the clock starts.

use crate::contender::Task;
use crate::sample::{self, TABLE};
use singlet_dynamo::Item;

/// A request for a task on this item.
pub(crate) fn bytes(task: Task, number: u64, version: u32) -> Vec<u8> {
    let increment =
        r#""UpdateExpression":"SET n = n + :one","ExpressionAttributeValues":{":one":{"N":"1"}}"#;
    let key = json(&sample::key(number));
    let (operation, body) = match task {
        Task::Get | Task::GetMap => {
            ("GetItem", format!(r#"{{"TableName":"{TABLE}","Key":{key}}}"#))
        }
        Task::Query | Task::QueryMaps => {
            let partition = json(&Item::from([(":pk", sample::partition(number))]));
            let condition = r#""KeyConditionExpression":"PK = :pk""#;
            let values = format!(r#""ExpressionAttributeValues":{partition}"#);
            ("Query", format!(r#"{{"TableName":"{TABLE}",{condition},{values}}}"#))
        }
        Task::Put => ("PutItem", format!(r#"{{"TableName":"{TABLE}",{}}}"#, item(number, version))),
        Task::Update => {
            ("UpdateItem", format!(r#"{{"TableName":"{TABLE}","Key":{key},{increment}}}"#))
        }
        Task::Transact => {
            let put = format!(r#"{{"TableName":"{TABLE}",{}}}"#, item(number, version));
            let other = json(&sample::key(number ^ 1));
            let update = format!(r#"{{"TableName":"{TABLE}","Key":{other},{increment}}}"#);
            let items = format!(r#"{{"Put":{put}}},{{"Update":{update}}}"#);
            ("TransactWriteItems", format!(r#"{{"TransactItems":[{items}]}}"#))
        }
    };
    http(operation, &body)
}

pub(crate) fn create_table() -> Vec<u8> {
    let attribute = |name| format!(r#"{{"AttributeName":"{name}","AttributeType":"S"}}"#);
    let key = |name, kind| format!(r#"{{"AttributeName":"{name}","KeyType":"{kind}"}}"#);
    http(
        "CreateTable",
        &format!(
            r#"{{"TableName":"{TABLE}","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{},{}],"KeySchema":[{},{}]}}"#,
            attribute("PK"),
            attribute("SK"),
            key("PK", "HASH"),
            key("SK", "RANGE"),
        ),
    )
}

/// A cheap request that every server supports.
pub(crate) fn list_tables() -> Vec<u8> {
    http("ListTables", "{}")
}

/// A request with an SDK's headers. None of the servers verifies the signature.
pub(crate) fn http(operation: &str, body: &str) -> Vec<u8> {
    let scope = "AKIDEXAMPLE/20261115/us-east-1/dynamodb/aws4_request";
    let signature = "0".repeat(64);
    format!(
        "POST / HTTP/1.1\r\n\
         host: localhost:8000\r\n\
         content-type: application/x-amz-json-1.0\r\n\
         x-amz-target: DynamoDB_20120810.{operation}\r\n\
         x-amz-date: 20261115T000000Z\r\n\
         authorization: AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature={signature}\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn item(number: u64, version: u32) -> String {
    format!(r#""Item":{}"#, json(&sample::item(number, version)))
}

fn json(item: &Item) -> String {
    String::from_utf8(item.to_json()).expect("JSON is text")
}
