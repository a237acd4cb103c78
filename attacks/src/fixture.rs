//! What is in the tables that attackers read, and requests that cost a lot.

use crate::dynamodb::Requests;
use crate::victim;
use serde_json::{Value, json};

/// The table of large items.
const LARGE: &str = "large";
/// How many large items there are: more than the 16 MB that one answer may have.
const LARGE_ITEMS: usize = 45;
/// How many bytes each of them has, almost the 400 KB that an item may have.
const LARGE_ITEM_BYTES: usize = 390_000;
/// The table of many small items.
const SMALL: &str = "small";
/// How many small items there are, in batches of 25.
const SMALL_ITEMS: usize = 2_000;
/// How many conditions fit into the 300 operators that an expression may have.
const CONDITIONS: usize = 150;
/// How long the text is in which is searched. Values of one expression may have 2 MB.
const HAYSTACK_BYTES: usize = 1_500_000;

/// Makes the table of large items.
pub(crate) fn fill_large(requests: Requests) -> Result<(), String> {
    victim::create_table(requests, LARGE)?;
    let mut connection = victim::open(requests)?;
    for key in 0..LARGE_ITEMS {
        let text = "ab".repeat(LARGE_ITEM_BYTES / 2);
        let item = json!({"pk": {"S": key.to_string()}, "b": {"S": text}});
        let body = json!({"TableName": LARGE, "Item": item}).to_string();
        victim::ask(&mut connection, requests, "PutItem", &body)?;
    }
    Ok(())
}

/// The body of a BatchGetItem whose answer has 16 MB.
pub(crate) fn large_batch() -> String {
    let keys: Vec<Value> =
        (0..LARGE_ITEMS).map(|key| json!({"pk": {"S": key.to_string()}})).collect();
    json!({"RequestItems": {LARGE: {"Keys": keys}}}).to_string()
}

/// The body of a GetItem whose answer has 390 KB.
pub(crate) fn large_get() -> String {
    json!({"TableName": LARGE, "Key": {"pk": {"S": "0"}}}).to_string()
}

/// Makes the table of small items. Each has a text to search for, and a number.
pub(crate) fn fill_small(requests: Requests) -> Result<(), String> {
    victim::create_table(requests, SMALL)?;
    let mut connection = victim::open(requests)?;
    let keys: Vec<usize> = (0..SMALL_ITEMS).collect();
    for batch in keys.chunks(25) {
        let put = |key: &usize| {
            let item = json!({"pk": {"S": key.to_string()}, "b": {"S": "ababac"}, "n": {"N": "2"}});
            json!({"PutRequest": {"Item": item}})
        };
        let writes: Vec<Value> = batch.iter().map(put).collect();
        let body = json!({"RequestItems": {SMALL: writes}}).to_string();
        victim::ask(&mut connection, requests, "BatchWriteItem", &body)?;
    }
    Ok(())
}

/// 150 searches for an attribute in a text of 1.5 MB, none of which finds it.
fn conditions() -> String {
    vec!["contains(:h, b)"; CONDITIONS].join(" OR ")
}

fn haystack() -> Value {
    json!({":h": {"S": "ab".repeat(HAYSTACK_BYTES / 2)}})
}

/// The body of a Scan that searches 1.5 MB 150 times for each item.
pub(crate) fn heavy_scan() -> String {
    json!({
        "TableName": SMALL,
        "FilterExpression": conditions(),
        "ExpressionAttributeValues": haystack(),
    })
    .to_string()
}

/// The body of a Scan that searches each large item 150 times for a text that is nearly as long.
pub(crate) fn heavy_needle_scan() -> String {
    let needle = "ab".repeat(LARGE_ITEM_BYTES / 2 - 1_000) + "c";
    json!({
        "TableName": LARGE,
        "FilterExpression": vec!["contains(b, :n)"; CONDITIONS].join(" OR "),
        "ExpressionAttributeValues": {":n": {"S": needle}},
    })
    .to_string()
}

/// The body of a Scan that looks for a number in a list of 600,000 numbers, for each item.
pub(crate) fn long_list_scan() -> String {
    let list = vec![r#"{"N":"1"}"#; 600_000].join(",");
    format!(
        r#"{{"TableName":"{SMALL}","FilterExpression":"contains(:l, n)",
            "ExpressionAttributeValues":{{":l":{{"L":[{list}]}}}}}}"#
    )
}

/// The body of a PutItem whose condition searches 1.5 MB 150 times.
pub(crate) fn heavy_put() -> String {
    json!({
        "TableName": SMALL,
        "Item": {"pk": {"S": "0"}, "b": {"S": "ababac"}},
        "ConditionExpression": conditions(),
        "ExpressionAttributeValues": haystack(),
    })
    .to_string()
}
