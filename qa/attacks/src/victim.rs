//! The victim at the DynamoDB endpoint: small requests, one after the other.

use crate::dynamodb::Requests;
use crate::http::{Answer, Connection};
use crate::tally::Tally;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TABLE: &str = "victim";
/// How often the victim asks on the connection that it keeps.
const KEPT_INTERVAL: Duration = Duration::from_millis(5);
/// How often it asks on a new connection.
const NEW_INTERVAL: Duration = Duration::from_millis(20);
/// After this a request counts as lost.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many keys the victim writes, again and again.
const KEYS: u64 = 200;

/// What was acknowledged: for each key, the number that was written last.
pub(crate) type Acknowledged = BTreeMap<u64, u64>;

/// Two threads that ask, until they are stopped.
pub(crate) struct Victim {
    stop: Arc<AtomicBool>,
    kept: JoinHandle<(Tally, Acknowledged)>,
    new: JoinHandle<Tally>,
}

impl Victim {
    /// Makes a table, and begins.
    pub(crate) fn start(requests: Requests) -> Result<Self, String> {
        create_table(requests, TABLE)?;
        put(&mut open(requests)?, requests, 0, 0)?;
        let stop = Arc::new(AtomicBool::new(false));
        let (of_kept, of_new) = (Arc::clone(&stop), Arc::clone(&stop));
        Ok(Self {
            stop,
            kept: std::thread::spawn(move || ask_on_one_connection(requests, &of_kept)),
            new: std::thread::spawn(move || ask_on_new_connections(requests, &of_new)),
        })
    }

    /// Ends, and says what it saw and what was acknowledged.
    pub(crate) fn stop(self) -> Result<(Tally, Acknowledged), String> {
        self.stop.store(true, Ordering::Relaxed);
        let (mut tally, acknowledged) = self.kept.join().map_err(|_| "the victim panicked")?;
        tally.join(self.new.join().map_err(|_| "the victim panicked")?);
        Ok((tally, acknowledged))
    }
}

fn ask_on_one_connection(requests: Requests, stop: &AtomicBool) -> (Tally, Acknowledged) {
    let (mut tally, mut acknowledged) = (Tally::default(), Acknowledged::new());
    let mut connection = None;
    let mut number = 0;
    for operation in ["PutItem", "GetItem", "Query"].into_iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if operation == "PutItem" {
            number += 1;
        }
        let key = number % KEYS;
        let begun = Instant::now();
        let asked = (|| {
            let connection = match &mut connection {
                Some(connection) => connection,
                none => none.insert(open(requests)?),
            };
            match operation {
                "PutItem" => put(connection, requests, key, number)
                    .map(|()| _ = acknowledged.insert(key, number)),
                // What was not acknowledged may be there or not.
                _ if acknowledged.get(&key) != Some(&number) => Ok(()),
                _ => expect(connection, requests, operation, key, number),
            }
        })();
        tally.add(begun.elapsed(), KEPT_INTERVAL);
        if let Err(refusal) = asked {
            tally.refuse(refusal);
            connection = None;
        }
        std::thread::sleep(KEPT_INTERVAL);
    }
    (tally, acknowledged)
}

fn ask_on_new_connections(requests: Requests, stop: &AtomicBool) -> Tally {
    let mut tally = Tally::default();
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let asked = open(requests).and_then(|mut connection| {
            let key = json!({"TableName": TABLE, "Key": {"pk": {"S": "0"}}}).to_string();
            ask(&mut connection, requests, "GetItem", &key)
        });
        tally.add(begun.elapsed(), NEW_INTERVAL);
        if let Err(refusal) = asked {
            tally.refuse(refusal);
        }
        std::thread::sleep(NEW_INTERVAL);
    }
    tally
}

/// Reads back what was acknowledged. A later number is as good: its answer may have been lost.
pub(crate) fn check_kept(requests: Requests, acknowledged: &Acknowledged) -> Result<(), String> {
    let mut connection = open(requests)?;
    for (key, number) in acknowledged {
        let found = number_of(&mut connection, requests, *key)?;
        if found.is_none_or(|found| found < *number) {
            return Err(format!("key {key} has {found:?} instead of the acknowledged {number}"));
        }
    }
    Ok(())
}

/// The number that a key has, in the table of the victim.
pub(crate) fn number_of(
    connection: &mut Connection,
    requests: Requests,
    key: u64,
) -> Result<Option<u64>, String> {
    let body = json!({"TableName": TABLE, "Key": {"pk": {"S": key.to_string()}}}).to_string();
    Ok(number_in(&ask(connection, requests, "GetItem", &body)?.text()))
}

/// Writes numbers to keys one by one until `count` are acknowledged.
pub(crate) fn write_acknowledged(requests: Requests, count: u64) -> Result<Acknowledged, String> {
    create_table(requests, TABLE)?;
    let mut connection = open(requests)?;
    let mut acknowledged = Acknowledged::new();
    for key in 0..count {
        put(&mut connection, requests, key, key)?;
        acknowledged.insert(key, key);
    }
    Ok(acknowledged)
}

/// Makes a table with the partition key `pk`.
pub(crate) fn create_table(requests: Requests, name: &str) -> Result<(), String> {
    let body = json!({
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    ask(&mut open(requests)?, requests, "CreateTable", &body.to_string()).map(drop)
}

/// A connection for well-behaved requests.
pub(crate) fn open(requests: Requests) -> Result<Connection, String> {
    Connection::open(requests.address, PATIENCE).map_err(|error| format!("cannot connect: {error}"))
}

/// Asks for an operation, which must succeed.
pub(crate) fn ask(
    connection: &mut Connection,
    requests: Requests,
    operation: &str,
    body: &str,
) -> Result<Answer, String> {
    let asked = connection.ask(&requests.make(operation, body));
    let answer = asked.map_err(|error| lost(operation, &error))?;
    match answer.status {
        200 => Ok(answer),
        _ => Err(format!("{operation}: {}", answer.shown())),
    }
}

/// Writes a number to a key, in the table of the victim.
pub(crate) fn put(
    connection: &mut Connection,
    requests: Requests,
    key: u64,
    number: u64,
) -> Result<(), String> {
    let item = json!({"pk": {"S": key.to_string()}, "n": {"N": number.to_string()}});
    let body = json!({"TableName": TABLE, "Item": item});
    ask(connection, requests, "PutItem", &body.to_string()).map(drop)
}

/// Writes an item of 300 KB, as somebody may who does nothing wrong.
pub(crate) fn put_large(requests: Requests) -> Result<(), String> {
    let item = json!({"pk": {"S": "large"}, "text": {"S": "a".repeat(300_000)}});
    let body = json!({"TableName": TABLE, "Item": item}).to_string();
    ask(&mut open(requests)?, requests, "PutItem", &body).map(drop)
}

fn expect(
    connection: &mut Connection,
    requests: Requests,
    operation: &str,
    key: u64,
    number: u64,
) -> Result<(), String> {
    let key = json!({"S": key.to_string()});
    let body = match operation {
        "GetItem" => json!({"TableName": TABLE, "Key": {"pk": key}, "ConsistentRead": true}),
        _ => json!({
            "TableName": TABLE,
            "KeyConditionExpression": "pk = :k",
            "ExpressionAttributeValues": {":k": key},
            "ConsistentRead": true,
        }),
    };
    let answer = ask(connection, requests, operation, &body.to_string())?;
    match number_in(&answer.text()) {
        Some(found) if found == number => Ok(()),
        found => Err(format!("{operation} found {found:?} instead of {number}")),
    }
}

/// The number of the one item in an answer.
fn number_in(text: &str) -> Option<u64> {
    let answer: Value = serde_json::from_str(text).ok()?;
    let item = answer.get("Item").or_else(|| answer.pointer("/Items/0"))?;
    item.pointer("/n/N")?.as_str()?.parse().ok()
}

fn lost(operation: &str, error: &io::Error) -> String {
    format!("{operation} got no answer: {error}")
}
