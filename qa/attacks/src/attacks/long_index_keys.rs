use crate::crowd::{Outcome, PATIENCE, crowd};
use crate::dynamodb::Requests;
use crate::fixture::{self, INDEXES_MAX};
use crate::http::Connection;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const TABLE: &str = "expiring";
/// How many items a transaction puts: a quarter of what it may. One commit has all of its 3 MB of
/// index rows, and a busy disk takes more than a tenth of a second for four times as much.
const PUTS: usize = 25;
/// Almost the 2,048 bytes that a partition key may have, and the 1,024 of a sort key.
const PARTITION_KEY_BYTES: usize = 2_000;
const SORT_KEY_BYTES: usize = 1_020;
/// How long the victim is looked at while items expire. They may take longer: expiry comes after what
/// clients want.
const EXPIRY_TIME_MAX: Duration = Duration::from_secs(2);

/// Items with keys of 3,000 bytes in a table with twenty indexes that have the same key, put in
/// transactions on one connection, and all of them expire in the same second. Puts of
/// others took 160 ms while they were written, and 1.3 s while they expired.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    let mut connection = victim::open(requests)?;
    create_table(&mut connection, requests)?;
    let (mut outcome, mut took, mut rest) = (Outcome::default(), Duration::ZERO, 0);
    round.attack_endpoint(&mut endpoint, |until| {
        let expiry = seconds_since_1970() + until.rest().as_secs() + 1;
        outcome = Outcome::sum(crowd(1, |_| write_until(requests, expiry)));
        let begun = Instant::now();
        loop {
            rest = count(&mut connection, requests)?;
            took = begun.elapsed();
            if rest == 0 || took > EXPIRY_TIME_MAX {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    })?;
    round.check(outcome.succeeded > 0, || format!("nothing was written: {outcome}"));
    round.note(format!(
        "transactions: {outcome}; {rest} items are there {took:.1?} after they expired"
    ));
    Ok(())
}

fn create_table(connection: &mut Connection, requests: Requests) -> Result<(), String> {
    let key = json!([
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]);
    let index = |number| {
        json!({
            "IndexName": format!("index{number}"),
            "KeySchema": key,
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        })
    };
    let members = json!({
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": key,
        "GlobalSecondaryIndexes": (0..INDEXES_MAX).map(index).collect::<Vec<Value>>(),
    });
    fixture::create_table_with(connection, requests, TABLE, &members)?;
    let expiry = json!({"Enabled": true, "AttributeName": "expiry"});
    let body = json!({"TableName": TABLE, "TimeToLiveSpecification": expiry}).to_string();
    victim::ask(connection, requests, "UpdateTimeToLive", &body).map(drop)
}

/// Puts items until the second in which they expire.
fn write_until(requests: Requests, expiry: u64) -> Outcome {
    let mut outcome = Outcome::default();
    let Ok(mut connection) = Connection::open(requests.address, PATIENCE) else { return outcome };
    let (partition, sort) = ("x".repeat(PARTITION_KEY_BYTES), "y".repeat(SORT_KEY_BYTES));
    for transaction in 0.. {
        if seconds_since_1970() >= expiry {
            break;
        }
        let put = |number: usize| {
            let item = json!({
                "pk": {"S": format!("{transaction}/{number}/{partition}")},
                "sk": {"S": sort},
                "expiry": {"N": expiry.to_string()},
            });
            json!({"Put": {"TableName": TABLE, "Item": item}})
        };
        let puts: Vec<Value> = (0..PUTS).map(put).collect();
        let body = json!({"TransactItems": puts}).to_string();
        let Ok(answer) = connection.ask(&requests.make("TransactWriteItems", body)) else { break };
        outcome.add(&answer);
    }
    outcome
}

/// How many items the table has.
fn count(connection: &mut Connection, requests: Requests) -> Result<u64, String> {
    let body = json!({"TableName": TABLE}).to_string();
    let answer = victim::ask(connection, requests, "DescribeTable", &body)?;
    let table: Value = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    let count = table.pointer("/Table/ItemCount").and_then(Value::as_u64);
    count.ok_or_else(|| "DescribeTable says no ItemCount".to_owned())
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
