//! What is in the tables that attackers read, and requests that cost a lot.

use crate::dynamodb::Requests;
use crate::http::Connection;
use crate::victim;
use serde_json::{Value, json};

/// How many global secondary indexes a table may have.
pub(crate) const INDEXES_MAX: usize = 20;
/// The table of large items.
const LARGE: &str = "large";
/// How many large items there are: more than the 16 MB that one answer may have.
const LARGE_ITEMS: usize = 45;
/// How many bytes each of them has, almost the 400 KB that an item may have.
const LARGE_ITEM_BYTES: usize = 390_000;
/// The table of items with one long list.
const LISTS: &str = "lists";
const LISTED_ITEMS: usize = 4;
/// The table of many small items.
const SMALL: &str = "small";
/// How many small items there are, in batches of 25.
const SMALL_ITEMS: usize = 2_000;
/// How many conditions there are. With what joins them, and one more, they fit into the 300 operators
/// that an expression may have.
const CONDITIONS: usize = 148;
/// How long the values of an expression are together. They may have 2 MB.
const VALUES_BYTES: usize = 1_500_000;

/// How long a list is in which is searched; its elements have 3 bytes each.
const LIST_LEN: usize = 400_000;

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

/// Makes the table of lists.
pub(crate) fn fill_lists(requests: Requests) -> Result<(), String> {
    victim::create_table(requests, LISTS)?;
    let mut connection = victim::open(requests)?;
    let list = vec![r#"{"S":"a"}"#; LARGE_ITEM_BYTES / 2].join(",");
    for key in 0..LISTED_ITEMS {
        let item = format!(r#"{{"pk":{{"S":"{key}"}},"l":{{"L":[{list}]}}}}"#);
        let body = format!(r#"{{"TableName":"{LISTS}","Item":{item}}}"#);
        victim::ask(&mut connection, requests, "PutItem", &body)?;
    }
    Ok(())
}

/// The body of an UpdateItem that changes an item with a list of 195,000 texts.
pub(crate) fn list_update(key: usize) -> String {
    json!({
        "TableName": LISTS,
        "Key": {"pk": {"S": (key % LISTED_ITEMS).to_string()}},
        "UpdateExpression": "SET n = :n",
        "ExpressionAttributeValues": {":n": {"N": "1"}},
    })
    .to_string()
}

/// The body of an UpdateItem that changes an item of 390 KB, and returns it or not (`ReturnValues`).
pub(crate) fn large_update(key: usize, returned: &str) -> String {
    json!({
        "TableName": LARGE,
        "Key": {"pk": {"S": (key % LARGE_ITEMS).to_string()}},
        "UpdateExpression": "SET n = :n",
        "ExpressionAttributeValues": {":n": {"N": "1"}},
        "ReturnValues": returned,
    })
    .to_string()
}

/// Makes a table with the partition key `pk`. `members` are further members of the request.
pub(crate) fn create_table_with(
    connection: &mut Connection,
    requests: Requests,
    name: &str,
    members: &Value,
) -> Result<(), String> {
    let body = table_body(name, members).to_string();
    victim::ask(connection, requests, "CreateTable", &body).map(drop)
}

/// The body of a CreateTable with the partition key `pk`, unless `members` say otherwise.
pub(crate) fn table_body(name: &str, members: &Value) -> Value {
    let mut body = json!({
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    for (member, value) in members.as_object().into_iter().flatten() {
        body[member] = value.clone();
    }
    body
}

/// As many indexes as a table may have, each with the partition key `pk`.
pub(crate) fn indexes(
    name: impl Fn(usize) -> String,
    projection: impl Fn(usize) -> Value,
) -> Value {
    let index = |number| {
        json!({
            "IndexName": name(number),
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "Projection": projection(number),
        })
    };
    (0..INDEXES_MAX).map(index).collect()
}

/// The body of a transaction that sets a number in each of the first items of a table.
pub(crate) fn updates(table: &str, items: usize, number: usize) -> Value {
    let update = |key: usize| {
        json!({"Update": {
            "TableName": table,
            "Key": {"pk": {"S": key.to_string()}},
            "UpdateExpression": "SET n = :n",
            "ExpressionAttributeValues": {":n": {"N": number.to_string()}},
        }})
    };
    json!({"TransactItems": (0..items).map(update).collect::<Vec<Value>>()})
}

/// The body of a Scan whose page has a megabyte.
pub(crate) fn large_scan() -> String {
    json!({"TableName": LARGE}).to_string()
}

/// Makes the table of small items. Each has a text to search for, and a number.
pub(crate) fn fill_small(requests: Requests) -> Result<(), String> {
    victim::create_table(requests, SMALL)?;
    let mut connection = victim::open(requests)?;
    let keys: Vec<usize> = (0..SMALL_ITEMS).collect();
    for batch in keys.chunks(25) {
        let put = |key: &usize| {
            let item = json!({"pk": {"S": key.to_string()}, "b": {"S": "ababax"}, "n": {"N": "2"}});
            json!({"PutRequest": {"Item": item}})
        };
        let writes: Vec<Value> = batch.iter().map(put).collect();
        let body = json!({"RequestItems": {SMALL: writes}}).to_string();
        victim::ask(&mut connection, requests, "BatchWriteItem", &body)?;
    }
    Ok(())
}

/// 148 conditions with a text of their own each, which none of them finds: values of one expression
/// may have 2 MB together.
fn conditions(condition: impl Fn(&str) -> String) -> String {
    let conditions: Vec<String> =
        (0..CONDITIONS).map(|number| condition(&format!(":v{number}"))).collect();
    conditions.join(" OR ")
}

/// The texts of the conditions, which are 1.5 MB together.
fn texts() -> Value {
    let text = "ab".repeat(VALUES_BYTES / CONDITIONS / 2) + "c";
    (0..CONDITIONS).map(|number| (format!(":v{number}"), json!({"S": text}))).collect()
}

/// The body of a Scan that searches 1.5 MB for each item.
pub(crate) fn heavy_scan() -> Value {
    json!({
        "TableName": SMALL,
        "FilterExpression": conditions(|text| format!("contains({text}, b)")),
        "ExpressionAttributeValues": texts(),
    })
}

/// The body of a Scan that searches each large item 148 times, for texts that nearly fit at every
/// place.
pub(crate) fn heavy_needle_scan() -> Value {
    json!({
        "TableName": LARGE,
        "FilterExpression": conditions(|text| format!("contains(b, {text})")),
        "ExpressionAttributeValues": texts(),
    })
}

/// Makes sure that a scan is one that the endpoint carries out, by asking for one item of it. An
/// attack that is refused at once would show nothing.
pub(crate) fn check_scan(requests: Requests, scan: &Value) -> Result<(), String> {
    let mut scan = scan.clone();
    scan["Limit"] = json!(1);
    let mut connection = victim::open(requests)?;
    victim::ask(&mut connection, requests, "Scan", &scan.to_string()).map(drop)
}

/// The body of a Scan that looks for a number in a list of 400,000 numbers, for each item.
pub(crate) fn long_list_scan() -> Value {
    json!({
        "TableName": SMALL,
        "FilterExpression": "contains(:l, n)",
        "ExpressionAttributeValues": {":l": {"L": vec![json!({"N": "1"}); LIST_LEN]}},
    })
}

/// The body of a PutItem whose condition searches 1.5 MB, and holds in the end.
pub(crate) fn heavy_put() -> Value {
    let condition = conditions(|text| format!("contains({text}, b)"));
    json!({
        "TableName": SMALL,
        "Item": {"pk": {"S": "0"}, "b": {"S": "ababax"}},
        "ConditionExpression": format!("{condition} OR attribute_exists(pk)"),
        "ExpressionAttributeValues": texts(),
    })
}
