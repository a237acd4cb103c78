//! Both endpoints, sent the same requests.

use crate::connection::Connection;
use crate::difference::Exchange;
use crate::outcome::{Outcome, canonical, sort_key};
use serde_json::{Map, Value, json};
use singlet_testing::generator::{Call, Order, STORY, Step};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The maximum number of pages. Stories have a few dozen items.
const PAGES_MAX: usize = 200;
/// Local's refusal of a second index while it is still creating one.
const LOCAL_IS_BEHIND: &str = "Only 1 online index can be created or deleted simultaneously";
/// Timeout for table changes.
const SETTLING_MAX: Duration = Duration::from_secs(240);

pub(crate) struct Stage {
    pub(crate) ours: Connection,
    pub(crate) local: Connection,
    /// Requests sent to each.
    pub(crate) requests: usize,
    /// Make the names of this run and of each story unique.
    run: u64,
    performances: u64,
    /// Whether to print every exchange.
    pub(crate) shows: bool,
}

/// The result of a step.
pub(crate) enum Scene {
    Played(Box<Exchange>),
    Settled,
    /// Local does not finish a table change.
    LocalIsStuck,
}

impl Stage {
    pub(crate) fn open(ours: &str, local: &str) -> Result<Self, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            ours: Connection::open(ours)?,
            local: Connection::open(local)?,
            requests: 0,
            run: now.as_secs(),
            performances: 0,
            shows: false,
        })
    }

    /// Deletes all tables of both and switches to new names.
    pub(crate) fn set(&mut self) -> Result<(), String> {
        self.performances += 1;
        let alias = format!("{STORY}{}n{}", self.run, self.performances);
        for endpoint in [&mut self.ours, &mut self.local] {
            clear(endpoint)?;
            endpoint.rename(&alias);
        }
        Ok(())
    }

    /// Runs a step on both.
    pub(crate) fn play(&mut self, step: &Step) -> Result<Scene, String> {
        let exchange = match step {
            Step::Ask(call) => self.ask(call)?,
            Step::Pages { call, order } => self.pages(call, order)?,
            Step::Records(table) => self.records(table)?,
            Step::Settle(table) => {
                if !settles(&mut self.ours, table)? {
                    return Err(format!("{table} did not settle in {SETTLING_MAX:?}"));
                }
                // Local almost never finishes such an index. On a busy machine it once did, with
                // different rows, so do not depend on it.
                return Ok(match has_misfits(&mut self.ours, table)? {
                    true => Scene::LocalIsStuck,
                    false if settles(&mut self.local, table)? => Scene::Settled,
                    false => return Err(format!("Local's {table} did not settle")),
                });
            }
        };
        if self.shows {
            println!("{step}\n  ours:  {}\n  Local: {}", exchange.ours, exchange.local);
        }
        Ok(Scene::Played(Box::new(exchange)))
    }

    fn ask(&mut self, call: &Call) -> Result<Exchange, String> {
        self.requests += 1;
        self.local.send(call.operation, &call.body)?;
        let ours = self.ours.ask(call.operation, &call.body)?;
        let mut local = self.local.receive()?;
        let begun = Instant::now();
        // On a busy machine Local describes a new index as ACTIVE and still counts it as being
        // created for a moment.
        while ours.status == 200 && local.body.contains(LOCAL_IS_BEHIND) {
            if begun.elapsed() > SETTLING_MAX {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            local = self.local.ask(call.operation, &call.body)?;
        }
        let outcome = |response| Outcome::of(call.operation, &response);
        Ok(exchange(call.operation, &call.body, outcome(ours), outcome(local)))
    }

    fn pages(&mut self, call: &Call, order: &Order) -> Result<Exchange, String> {
        let (ours, count) = all_pages(&mut self.ours, call, order)?;
        let (local, _) = all_pages(&mut self.local, call, order)?;
        self.requests += count;
        Ok(exchange(call.operation, &call.body, ours, local))
    }

    fn records(&mut self, table: &str) -> Result<Exchange, String> {
        let body = json!({"TableName": table}).to_string();
        let read = |endpoint| {
            let mut reading = Reading { endpoint, count: 0 };
            let outcome = match reading.streams(table) {
                Ok(streams) => Outcome::Accepted(streams),
                Err(Trouble::Refused(outcome)) => outcome,
                Err(Trouble::Broken(problem)) => return Err(problem),
            };
            Ok((outcome, reading.count))
        };
        let (ours, count) = read(&mut self.ours)?;
        let (local, _) = read(&mut self.local)?;
        self.requests += count;
        Ok(exchange("GetRecords", &body, ours, local))
    }
}

fn clear(endpoint: &mut Connection) -> Result<(), String> {
    loop {
        let listed = endpoint.ask("ListTables", "{}")?;
        let listed: Value = serde_json::from_str(&listed.body).unwrap_or_default();
        let names: Vec<&str> = list(&listed["TableNames"]).filter_map(Value::as_str).collect();
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            let unprotected = json!({"TableName": name, "DeletionProtectionEnabled": false});
            endpoint.ask("UpdateTable", &unprotected.to_string())?;
            endpoint.ask("DeleteTable", &json!({"TableName": name}).to_string())?;
            if !settles(endpoint, name)? {
                return Err(format!("{name} is still there"));
            }
        }
    }
}

fn exchange(operation: &str, body: &str, ours: Outcome, local: Outcome) -> Exchange {
    let request = serde_json::from_str(body).unwrap_or_default();
    Exchange { operation: operation.to_owned(), body: body.to_owned(), request, ours, local }
}

/// Waits until a table is idle; false after a timeout.
fn settles(endpoint: &mut Connection, table: &str) -> Result<bool, String> {
    let body = json!({"TableName": table}).to_string();
    let begun = Instant::now();
    while begun.elapsed() < SETTLING_MAX {
        let response = endpoint.ask("DescribeTable", &body)?;
        let described: Value = serde_json::from_str(&response.body).unwrap_or_default();
        let table = &described["Table"];
        let is_active = table["TableStatus"] == "ACTIVE"
            && list(&table["GlobalSecondaryIndexes"]).all(|index| index["IndexStatus"] == "ACTIVE");
        if response.status != 200 || is_active {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(false)
}

/// Whether a table has items in which an index key attribute has a non-key type. Such items are
/// older than the index, which would refuse them.
fn has_misfits(endpoint: &mut Connection, table: &str) -> Result<bool, String> {
    let body = json!({"TableName": table}).to_string();
    let described: Value =
        serde_json::from_str(&endpoint.ask("DescribeTable", &body)?.body).unwrap_or_default();
    let keys: Vec<&str> = list(&described["Table"]["GlobalSecondaryIndexes"])
        .flat_map(|index| list(&index["KeySchema"]))
        .filter_map(|key| key["AttributeName"].as_str())
        .collect();
    if keys.is_empty() {
        return Ok(false);
    }
    let scanned: Value =
        serde_json::from_str(&endpoint.ask("Scan", &body)?.body).unwrap_or_default();
    let is_misfit = |value: &Value| {
        value.is_object() && ["S", "N", "B"].iter().all(|tag| value.get(tag).is_none())
    };
    Ok(list(&scanned["Items"]).any(|item| keys.iter().any(|key| is_misfit(&item[*key]))))
}

/// All pages as one answer, and their number.
fn all_pages(
    endpoint: &mut Connection,
    call: &Call,
    order: &Order,
) -> Result<(Outcome, usize), String> {
    let mut body = call.body.clone();
    let mut pages = Vec::new();
    loop {
        let response = endpoint.ask(call.operation, &body)?;
        let page = match Outcome::of(call.operation, &response) {
            Outcome::Accepted(page) => page,
            refused if pages.is_empty() => return Ok((refused, 1)),
            // A key from the endpoint itself must be valid.
            refused => {
                return Ok((
                    Outcome::Accepted(json!({"after": pages, "refused": refused.to_string()})),
                    pages.len(),
                ));
            }
        };
        // Send the key as received, not in its normalized form.
        let answer: Value = serde_json::from_str(&response.body).unwrap_or_default();
        pages.push(page);
        let request = serde_json::from_str(&call.body);
        match (answer.get("LastEvaluatedKey"), request) {
            (Some(next), Ok(Value::Object(mut request))) if pages.len() < PAGES_MAX => {
                request.insert("ExclusiveStartKey".to_owned(), next.clone());
                body = Value::Object(request).to_string();
            }
            _ => break,
        }
    }
    let count = pages.len();
    let answer = match order {
        Order::Total => Value::Array(pages),
        Order::Index(sort) => together(pages, sort),
        Order::Own => together(pages, &[]),
    };
    Ok((Outcome::Accepted(answer), count))
}

/// Merges all pages, because page breaks may differ.
fn together(pages: Vec<Value>, sort: &[&str]) -> Value {
    let mut items = Vec::new();
    let (mut count, mut scanned) = (0, 0);
    let number = pages.len();
    let mut capacity = Value::Null;
    for page in pages {
        count += page["Count"].as_u64().unwrap_or_default();
        scanned += page["ScannedCount"].as_u64().unwrap_or_default();
        capacity = page["ConsumedCapacity"].clone();
        if let Some(own) = page["Items"].as_array() {
            items.extend(own.iter().cloned());
        }
    }
    let values = |item: &Value| sort.iter().map(|name| item[*name].clone()).collect();
    let order: Vec<Value> = match sort {
        [] => Vec::new(),
        _ => items.iter().map(values).collect(),
    };
    let items = by_key(items);
    let mut answer = json!({"Items": items, "Count": count, "ScannedCount": scanned, "Pages": number, "Order": order});
    // The capacity of a page depends on its items.
    if number == 1 {
        answer["ConsumedCapacity"] = capacity;
    }
    answer
}

/// Sorts items by key, or by all attributes if the key is missing.
fn by_key(mut items: Vec<Value>) -> Value {
    items.sort_by_cached_key(sort_key);
    let mut keyed = Map::new();
    for item in items {
        let key = match (&item["pk"], &item["sk"]) {
            (Value::Null, _) => "?".to_owned(),
            (partition, Value::Null) => sort_key(partition),
            (partition, sort) => sort_key(partition) + &sort_key(sort),
        };
        let number = (0..).find(|number| !keyed.contains_key(&format!("{key}#{number}")));
        keyed.insert(format!("{key}#{}", number.unwrap_or_default()), item);
    }
    Value::Object(keyed)
}

enum Trouble {
    Refused(Outcome),
    Broken(String),
}

struct Reading<'a> {
    endpoint: &'a mut Connection,
    count: usize,
}

impl Reading<'_> {
    fn ask(&mut self, operation: &str, body: Value) -> Result<Value, Trouble> {
        self.count += 1;
        let response = self.endpoint.ask(operation, &body.to_string()).map_err(Trouble::Broken)?;
        match Outcome::of(operation, &response) {
            Outcome::Accepted(_) => Ok(serde_json::from_str(&response.body).unwrap_or_default()),
            refused => Err(Trouble::Refused(refused)),
        }
    }

    fn streams(&mut self, table: &str) -> Result<Value, Trouble> {
        let listed = self.ask("ListStreams", json!({"TableName": table}))?;
        let mut arns: Vec<String> = list(&listed["Streams"])
            .filter_map(|stream| Some(stream["StreamArn"].as_str()?.to_owned()))
            .collect();
        arns.sort();
        let mut streams = Vec::new();
        for arn in arns {
            streams.push(self.stream(&arn)?);
        }
        Ok(Value::Array(streams))
    }

    fn stream(&mut self, arn: &str) -> Result<Value, Trouble> {
        let described = self.ask("DescribeStream", json!({"StreamArn": arn}))?;
        let description = &described["StreamDescription"];
        let mut records = Vec::new();
        for shard in list(&description["Shards"]) {
            let opened = self.ask(
                "GetShardIterator",
                json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}),
            )?;
            let mut iterator = opened["ShardIterator"].clone();
            while iterator.is_string() {
                let page = self.ask("GetRecords", json!({"ShardIterator": iterator}))?;
                let count = records.len();
                records.extend(list(&page["Records"]).map(record));
                iterator = match records.len() - count {
                    0 => Value::Null,
                    _ => page["NextShardIterator"].clone(),
                };
            }
        }
        // Only the changes of one item have a guaranteed order.
        records.sort_by_key(|record: &Value| sort_key(&record["dynamodb"]["Keys"]));
        Ok(json!({
            "StreamViewType": description["StreamViewType"],
            "StreamStatus": description["StreamStatus"],
            "KeySchema": description["KeySchema"],
            "Records": records,
        }))
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A record without values that are specific to an endpoint.
fn record(record: &Value) -> Value {
    let mut record = canonical(record.clone());
    if let Some(members) = record.as_object_mut() {
        for own in ["eventID", "awsRegion"] {
            members.remove(own);
        }
        if let Some(Value::Object(change)) = members.get_mut("dynamodb") {
            change.remove("SequenceNumber");
        }
    }
    record
}
