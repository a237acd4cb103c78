//! Expensive request bodies, and a measurement of their cost.

use super::ALLOCATOR;
use serde_json::Value as Json;
use singlet_dynamo::operation::Request;
use singlet_testing::fuzz::processor_time;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The endpoint's maximum body size.
pub(crate) const BODY_SIZE: usize = 16 << 20;

/// The cost of parsing a body.
#[derive(Debug)]
pub(crate) struct Cost {
    /// Peak allocation in bytes, without the body.
    pub(crate) memory: usize,
    pub(crate) time: Duration,
    /// The length of the error message.
    pub(crate) message: usize,
    /// The beginning of the message.
    pub(crate) error: Option<String>,
}

/// Held by a test while it measures: the allocator counts for the whole process, including other
/// tests.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parses a request of an operation.
pub(crate) fn cost(operation: &str, body: &str) -> Cost {
    let mut outcome = None;
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let time = processor_time(|| outcome = Some(Request::from_json(operation, body.as_bytes())));
    let memory = ALLOCATOR.peak_usage() - before;
    let error = outcome.and_then(Result::err);
    let message = error.as_ref().map_or(0, |error| error.message().len());
    let error = error.map(|error| error.message().chars().take(200).collect());
    Cost { memory, time, message, error }
}

/// Pieces separated by commas, about this many bytes in total.
pub(crate) fn list(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut all = piece(0);
    for place in 1.. {
        let next = piece(place);
        if all.len() + next.len() >= size {
            break;
        }
        all.push(',');
        all.push_str(&next);
    }
    all
}

/// Variants of the body of about this size, in each of which one field is long.
pub(crate) fn blown_up(seed: &str, size: usize, with: &mut impl FnMut(&str, &str)) {
    let seed: Json = serde_json::from_str(seed).unwrap();
    let mut paths = Vec::new();
    collect("", &seed, &mut paths);
    for path in paths {
        for (how, long) in long_variants(seed.pointer(&path).unwrap(), size) {
            // The long part is inserted as text: building a tree of it would take longer than the
            // test.
            let mut body = seed.clone();
            *body.pointer_mut(&path).unwrap() = Json::String("LONG".to_owned());
            let body = body.to_string().replacen("\"LONG\"", &long, 1);
            with(&format!("{path}: {how}"), &body);
        }
    }
}

/// The paths of all nodes but the outermost, which must stay an object.
fn collect(path: &str, node: &Json, paths: &mut Vec<String>) {
    let mut child = |name: &str, node: &Json| {
        let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
        paths.push(path.clone());
        collect(&path, node, paths);
    };
    match node {
        Json::Array(elements) => {
            for (place, element) in elements.iter().enumerate() {
                child(&place.to_string(), element);
            }
        }
        Json::Object(members) => {
            for (name, member) in members {
                child(name, member);
            }
        }
        _ => {}
    }
}

fn long_variants(node: &Json, size: usize) -> Vec<(&'static str, String)> {
    let array = |piece: &dyn Fn(usize) -> String| format!("[{}]", list(size, piece));
    let object = |piece: &dyn Fn(usize) -> String| format!("{{{}}}", list(size, piece));
    match node {
        Json::String(text) => vec![
            ("a long text", format!("\"{}{}\"", text, "x".repeat(size))),
            ("control characters", format!("\"{}\"", "\\u0001".repeat(size / 6))),
            ("a long placeholder", format!("\"#{}\"", "x".repeat(size))),
            ("a long number", format!("\"{}\"", "9".repeat(size))),
            ("many paths", format!("\"{}\"", list(size, |i| format!("a{i}")))),
        ],
        Json::Array(elements) => {
            let element = elements.first().map_or("{}".to_owned(), Json::to_string);
            let mut all = vec![
                ("elements like the first", array(&|_| element.clone())),
                ("empty objects", array(&|_| "{}".to_owned())),
                ("nulls", array(&|_| "null".to_owned())),
                ("empty texts", array(&|_| "\"\"".to_owned())),
                ("distinct texts", array(&|i| format!("\"{i:x}\""))),
                ("distinct numbers", array(&|i| format!("\"{i}\""))),
                ("distinct blobs", array(&|i| format!("\"{:08}\"", i))),
                ("empty values", array(&|_| r#"{"S":""}"#.to_owned())),
                ("lists of one value", array(&|_| r#"{"L":[{"S":""}]}"#.to_owned())),
                ("maps of one value", array(&|_| r#"{"M":{"a":{"S":""}}}"#.to_owned())),
            ];
            if elements.iter().any(Json::is_string) {
                all.push(("equal texts", array(&|_| "\"x\"".to_owned())));
            }
            all
        }
        Json::Object(members) => {
            let member = members.values().next().map_or("{}".to_owned(), Json::to_string);
            let name = members.keys().next().map_or("a".to_owned(), Clone::clone);
            let sign = name.chars().next().filter(|sign| "#:".contains(*sign));
            let sign = sign.map(String::from).unwrap_or_default();
            vec![
                ("members like the first", object(&|i| format!(r#""{sign}n{i}":{member}"#))),
                ("the first member again", object(&|_| format!(r#""{name}":{member}"#))),
                ("empty members", object(&|i| format!(r#""{sign}{i:x}":{{}}"#))),
                ("members that are null", object(&|i| format!(r#""{sign}{i:x}":null"#))),
                ("empty values", object(&|i| format!(r#""{sign}{i:x}":{{"S":""}}"#))),
                ("unknown members", object(&|i| format!(r#""?{i}":[[],{{}}]"#))),
                ("a long name", format!(r#"{{"{}":{member}}}"#, "x".repeat(size))),
                ("a deep value", format!(r#"{{"{name}":{}"#, r#"{"L":["#.repeat(size / 6))),
                ("a deep unknown", format!(r#"{{"?":{}"#, "[".repeat(size))),
            ]
        }
        Json::Number(_) => vec![("digits", format!("1{}", "0".repeat(size)))],
        Json::Bool(_) | Json::Null => vec![("a long word", format!("\"{}\"", "x".repeat(size)))],
    }
}

/// A request of every operation, with as many members as can be combined.
pub(crate) fn seeds() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "BatchGetItem",
            r##"{"RequestItems":{"ttt":{"Keys":[{"pk":{"S":"a"}}],"ConsistentRead":true,"ProjectionExpression":"#a, b","ExpressionAttributeNames":{"#a":"x"}}},"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "BatchGetItem",
            r#"{"RequestItems":{"ttt":{"Keys":[{"pk":{"S":"a"}}],"AttributesToGet":["x"]}}}"#,
        ),
        (
            "BatchWriteItem",
            r#"{"RequestItems":{"ttt":[{"PutRequest":{"Item":{"pk":{"S":"a"},"ss":{"SS":["a","b"]},"l":{"L":[{"S":""}]}}}},{"DeleteRequest":{"Key":{"pk":{"S":"b"}}}}]},"ReturnConsumedCapacity":"NONE","ReturnItemCollectionMetrics":"SIZE"}"#,
        ),
        (
            "CreateTable",
            r#"{"TableName":"ttt","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"N"}],"KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],"GlobalSecondaryIndexes":[{"IndexName":"ggg","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]},"ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}],"LocalSecondaryIndexes":[{"IndexName":"lll","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},{"AttributeName":"b","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},"TableClass":"STANDARD","DeletionProtectionEnabled":true,"Tags":[{"Key":"k","Value":"v"}]}"#,
        ),
        (
            "DeleteItem",
            r##"{"TableName":"ttt","Key":{"pk":{"S":"a"}},"ConditionExpression":"#a = :a","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":a":{"S":"x"}},"ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"TOTAL","ReturnItemCollectionMetrics":"SIZE","ReturnValuesOnConditionCheckFailure":"NONE"}"##,
        ),
        (
            "DeleteItem",
            r#"{"TableName":"ttt","Key":{"pk":{"S":"a"}},"Expected":{"a":{"Value":{"S":"x"},"Exists":true},"b":{"AttributeValueList":[{"S":"x"}],"ComparisonOperator":"EQ"}},"ConditionalOperator":"AND"}"#,
        ),
        ("DeleteTable", r#"{"TableName":"ttt"}"#),
        ("DescribeEndpoints", r#"{}"#),
        ("DescribeLimits", r#"{}"#),
        (
            "DescribeStream",
            r#"{"StreamArn":"arn:aws:dynamodb:us-east-1:123456789012:table/ttt/stream/2026-11-15T00:00:00.000","Limit":1,"ExclusiveStartShardId":"shardId-00000000000000000000-00000000"}"#,
        ),
        ("DescribeTable", r#"{"TableName":"ttt"}"#),
        ("DescribeTimeToLive", r#"{"TableName":"ttt"}"#),
        (
            "GetItem",
            r##"{"TableName":"ttt","Key":{"pk":{"S":"a"}},"ConsistentRead":true,"ProjectionExpression":"#a, b","ExpressionAttributeNames":{"#a":"x"},"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        ("GetItem", r#"{"TableName":"ttt","Key":{"pk":{"S":"a"}},"AttributesToGet":["x"]}"#),
        (
            "ListStreams",
            r#"{"TableName":"ttt","ExclusiveStartStreamArn":"arn:aws:dynamodb:us-east-1:123456789012:table/ttt/stream/2026-11-15T00:00:00.000","Limit":1}"#,
        ),
        ("ListTables", r#"{"ExclusiveStartTableName":"ttt","Limit":1}"#),
        (
            "ListTagsOfResource",
            r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/ttt"}"#,
        ),
        (
            "PutItem",
            r##"{"TableName":"ttt","Item":{"s":{"S":"a"},"n":{"N":"1"},"b":{"B":"YQ=="},"t":{"BOOL":true},"z":{"NULL":true},"m":{"M":{"a":{"L":[{"S":"x"},{"M":{"b":{"N":"1"}}}]}}},"l":{"L":[{"N":"1"}]},"ss":{"SS":["a","b"]},"ns":{"NS":["1","2"]},"bs":{"BS":["YQ==","Yg=="]}},"ConditionExpression":"#a = :a","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":a":{"L":[{"S":"x"}]}},"ReturnValues":"ALL_OLD"}"##,
        ),
        (
            "PutItem",
            r#"{"TableName":"ttt","Item":{"pk":{"S":"a"}},"Expected":{"a":{"AttributeValueList":[{"S":"x"}],"ComparisonOperator":"IN"}}}"#,
        ),
        (
            "Query",
            r##"{"TableName":"ttt","IndexName":"iii","KeyConditionExpression":"pk = :a","FilterExpression":"#a = :b","ProjectionExpression":"#a, b","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":a":{"S":"x"},":b":{"SS":["x"]}},"ExclusiveStartKey":{"pk":{"S":"a"}},"Limit":1,"ScanIndexForward":true,"ConsistentRead":false,"Select":"SPECIFIC_ATTRIBUTES","ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "Query",
            r#"{"TableName":"ttt","KeyConditions":{"pk":{"AttributeValueList":[{"S":"a"}],"ComparisonOperator":"EQ"}},"QueryFilter":{"x":{"AttributeValueList":[{"S":"a"}],"ComparisonOperator":"IN"},"y":{"ComparisonOperator":"NULL"}},"ConditionalOperator":"OR","AttributesToGet":["x"]}"#,
        ),
        (
            "Scan",
            r##"{"TableName":"ttt","IndexName":"iii","FilterExpression":"#a = :b","ProjectionExpression":"#a, b","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":b":{"M":{"x":{"S":""}}}},"ExclusiveStartKey":{"pk":{"S":"a"}},"Limit":1,"Segment":0,"TotalSegments":2}"##,
        ),
        (
            "Scan",
            r#"{"TableName":"ttt","ScanFilter":{"x":{"AttributeValueList":[{"S":"a"}],"ComparisonOperator":"IN"}},"AttributesToGet":["x"]}"#,
        ),
        (
            "TagResource",
            r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/ttt","Tags":[{"Key":"k","Value":"v"}]}"#,
        ),
        (
            "TransactGetItems",
            r##"{"TransactItems":[{"Get":{"TableName":"ttt","Key":{"pk":{"S":"a"}},"ProjectionExpression":"#a","ExpressionAttributeNames":{"#a":"x"}}}],"ReturnConsumedCapacity":"TOTAL"}"##,
        ),
        (
            "TransactWriteItems",
            r##"{"TransactItems":[{"Put":{"TableName":"ttt","Item":{"pk":{"S":"a"}},"ConditionExpression":"#a = :a","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":a":{"S":"x"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},{"Update":{"TableName":"ttt","Key":{"pk":{"S":"b"}},"UpdateExpression":"SET a = :a, b = :a","ExpressionAttributeValues":{":a":{"S":"x"}}}},{"Delete":{"TableName":"ttt","Key":{"pk":{"S":"c"}}}},{"ConditionCheck":{"TableName":"ttt","Key":{"pk":{"S":"d"}},"ConditionExpression":"attribute_exists(a)"}}],"ClientRequestToken":"token","ReturnConsumedCapacity":"TOTAL","ReturnItemCollectionMetrics":"SIZE"}"##,
        ),
        (
            "UntagResource",
            r#"{"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/ttt","TagKeys":["k"]}"#,
        ),
        (
            "UpdateItem",
            r##"{"TableName":"ttt","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET #a = :a, b = if_not_exists(b, :a)","ConditionExpression":"c BETWEEN :b AND :c","ExpressionAttributeNames":{"#a":"x"},"ExpressionAttributeValues":{":a":{"NS":["1"]},":b":{"N":"1"},":c":{"N":"2"}},"ReturnValues":"ALL_NEW"}"##,
        ),
        (
            "UpdateItem",
            r#"{"TableName":"ttt","Key":{"pk":{"S":"a"}},"AttributeUpdates":{"a":{"Value":{"S":"x"},"Action":"PUT"},"b":{"Value":{"L":[{"S":""}]},"Action":"ADD"}},"Expected":{"a":{"Exists":false}}}"#,
        ),
        (
            "UpdateTable",
            r#"{"TableName":"ttt","AttributeDefinitions":[{"AttributeName":"a","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"ggg","KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],"Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]}}},{"Update":{"IndexName":"hhh","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}},{"Delete":{"IndexName":"iii"}}],"BillingMode":"PAY_PER_REQUEST"}"#,
        ),
        (
            "UpdateTimeToLive",
            r#"{"TableName":"ttt","TimeToLiveSpecification":{"AttributeName":"a","Enabled":true}}"#,
        ),
    ]
}
