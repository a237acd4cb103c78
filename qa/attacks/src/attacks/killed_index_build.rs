use crate::dynamodb::Requests;
use crate::http::Connection;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const TABLE: &str = "indexed";
const ITEMS: usize = 10_000;
const BATCH_ITEMS: usize = 25;
/// When the server is killed, after it was asked for an index.
const KILLED_AFTER_MS: [u64; 3] = [0, 10, 30];
/// How long the server may take to build an index after it was started again.
const BUILD_TIME_MAX: Duration = Duration::from_secs(10);

/// Asks for an index of a table with many items, and kills the server while it is built. At the next
/// start it must be completed, with every item. This held from the beginning.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let folder = round.path("data");
    let mut endpoint = round.endpoint_on(Kind::Folder, Some(&folder))?;
    fill(endpoint.requests)?;
    let mut interrupted = 0;
    for (number, after) in KILLED_AFTER_MS.into_iter().enumerate() {
        let name = format!("index{number}");
        create_index(endpoint.requests, &name)?;
        std::thread::sleep(Duration::from_millis(after));
        endpoint.server.kill();
        endpoint = round.endpoint_on(Kind::Folder, Some(&folder))?;
        let mut connection = victim::open(endpoint.requests)?;
        let begun = Instant::now();
        for attempt in 0.. {
            match status(&mut connection, endpoint.requests, &name)?.as_str() {
                "ACTIVE" => break,
                _ if begun.elapsed() > BUILD_TIME_MAX => {
                    return Err(format!("{name} is not built after {BUILD_TIME_MAX:?}"));
                }
                _ => interrupted += usize::from(attempt == 0),
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let found = count(&mut connection, endpoint.requests, &name)?;
        round.check(found == ITEMS, || format!("{name} has {found} of {ITEMS} items"));
    }
    round.check(interrupted > 0, || {
        "all indexes were built before the server was killed".to_owned()
    });
    round.note(format!("{interrupted} of {} builds were interrupted", KILLED_AFTER_MS.len()));
    Ok(())
}

fn fill(requests: Requests) -> Result<(), String> {
    victim::create_table(requests, TABLE)?;
    let mut connection = victim::open(requests)?;
    let keys: Vec<usize> = (0..ITEMS).collect();
    for batch in keys.chunks(BATCH_ITEMS) {
        let put = |key: &usize| {
            let item = json!({"pk": {"S": key.to_string()}, "b": {"S": "b"}});
            json!({"PutRequest": {"Item": item}})
        };
        let writes: Vec<Value> = batch.iter().map(put).collect();
        let body = json!({"RequestItems": {TABLE: writes}}).to_string();
        victim::ask(&mut connection, requests, "BatchWriteItem", &body)?;
    }
    Ok(())
}

fn create_index(requests: Requests, name: &str) -> Result<(), String> {
    let body = json!({
        "TableName": TABLE,
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "b", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": name,
            "KeySchema": [
                {"AttributeName": "b", "KeyType": "HASH"},
                {"AttributeName": "pk", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }}],
    });
    victim::ask(&mut victim::open(requests)?, requests, "UpdateTable", &body.to_string()).map(drop)
}

fn status(connection: &mut Connection, requests: Requests, name: &str) -> Result<String, String> {
    let body = json!({"TableName": TABLE}).to_string();
    let table = parsed(&victim::ask(connection, requests, "DescribeTable", &body)?.body)?;
    let mut indexes = table["Table"]["GlobalSecondaryIndexes"].as_array().into_iter().flatten();
    let index = indexes.find(|index| index["IndexName"] == name);
    let status = index.and_then(|index| index["IndexStatus"].as_str());
    status.map(str::to_owned).ok_or_else(|| format!("{name} is not there"))
}

/// How many items an index has.
fn count(connection: &mut Connection, requests: Requests, name: &str) -> Result<usize, String> {
    let mut body = json!({"TableName": TABLE, "IndexName": name, "Select": "COUNT"});
    let mut count = 0;
    // A page has at least one item.
    for _ in 0..ITEMS {
        let page = parsed(&victim::ask(connection, requests, "Scan", &body.to_string())?.body)?;
        count += page["Count"].as_u64().map_or(0, |count| count as usize);
        match page.get("LastEvaluatedKey") {
            Some(key) => body["ExclusiveStartKey"] = key.clone(),
            None => break,
        }
    }
    Ok(count)
}

fn parsed(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}
