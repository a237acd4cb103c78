//! Requests that are cheap to send and costly to carry out.

use crate::dynamodb::{Requests, table_body};
use crate::frames;
use crate::http::{Connection, PATIENCE};
use crate::in_flight::keep_in_flight;
use crate::load::{Hostile, Outcome, STREAMS, ask, connect_many, converse, crowd};
use crate::round::{Round, Target};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How many global secondary indexes a table may have.
const INDEXES_MAX: usize = 20;
/// How many items the table `large` has: more than the 16 MB that one answer may have.
const LARGE_ITEMS: usize = 45;
/// How many bytes each of them has, almost the 400 KB that an item may have.
const LARGE_ITEM_BYTES: usize = 390_000;
const SMALL_ITEMS: usize = 2_000;
const LISTED_ITEMS: usize = 4;
/// With what joins them, and one more, they fit into the 300 operators that an expression may have.
const CONDITIONS: usize = 148;
/// How long the values of an expression are together. They may have 2 MB.
const VALUES_BYTES: usize = 1_500_000;

/// Frames of a request for a client and a stream.
type Frames = Box<dyn Fn(usize, u32) -> Vec<u8> + Sync>;

fn one(target: &Target, what: &'static str, operation: &str, body: &Value) -> Vec<Hostile> {
    vec![Hostile { what, bytes: target.requests.make(operation, body.to_string()) }]
}

/// Makes a table, and puts items into it in batches.
pub(super) fn fill(
    requests: Requests,
    table: &str,
    items: usize,
    item: impl Fn(usize) -> Value,
) -> Result<(), String> {
    requests.create_table(table)?;
    let mut connection = requests.open()?;
    let keys: Vec<usize> = (0..items).collect();
    for batch in keys.chunks(25) {
        let put = |key: &usize| json!({"PutRequest": {"Item": item(*key)}});
        let writes: Vec<Value> = batch.iter().map(put).collect();
        let body = json!({"RequestItems": {table: writes}}).to_string();
        requests.ask(&mut connection, "BatchWriteItem", &body)?;
    }
    Ok(())
}

/// Makes the table `large`.
pub(super) fn fill_large(requests: Requests) -> Result<(), String> {
    let text = "ab".repeat(LARGE_ITEM_BYTES / 2);
    fill(
        requests,
        "large",
        LARGE_ITEMS,
        |key| json!({"pk": {"S": key.to_string()}, "b": {"S": text}}),
    )
}

/// Makes the table `small`, whose items have a text to search for, and a number.
fn fill_small(requests: Requests) -> Result<(), String> {
    fill(
        requests,
        "small",
        SMALL_ITEMS,
        |key| json!({"pk": {"S": key.to_string()}, "b": {"S": "ababax"}, "n": {"N": "2"}}),
    )
}

/// A list as JSON, with so many elements.
fn list(element: &str, len: usize) -> String {
    format!(r#"{{"L":[{}]}}"#, vec![element; len].join(","))
}

/// Puts an item with this member.
fn put_one(requests: Requests, table: &str, key: usize, member: &str) -> Result<(), String> {
    let body = format!(r#"{{"TableName":"{table}","Item":{{"pk":{{"S":"{key}"}},{member}}}}}"#);
    requests.ask(&mut requests.open()?, "PutItem", &body).map(drop)
}

/// The body of a GetItem whose answer has 390 KB.
pub(super) fn large_get() -> String {
    json!({"TableName": "large", "Key": {"pk": {"S": "0"}}}).to_string()
}

/// The body of a BatchGetItem whose answer has 16 MB.
pub(super) fn large_batch() -> String {
    let keys: Vec<Value> =
        (0..LARGE_ITEMS).map(|key| json!({"pk": {"S": key.to_string()}})).collect();
    json!({"RequestItems": {"large": {"Keys": keys}}}).to_string()
}

/// The body of an UpdateItem that sets a number in an item.
fn update(table: &str, key: usize, returned: &str) -> String {
    json!({
        "TableName": table,
        "Key": {"pk": {"S": key.to_string()}},
        "UpdateExpression": "SET n = :n",
        "ExpressionAttributeValues": {":n": {"N": "1"}},
        "ReturnValues": returned,
    })
    .to_string()
}

/// Makes frames of one operation. Each client has one of the bodies. Each body must succeed once
/// before the attack.
fn frames_of(
    requests: Requests,
    operation: &'static str,
    bodies: Vec<String>,
) -> Result<Frames, String> {
    let mut connection = requests.open()?;
    for body in &bodies {
        requests.ask(&mut connection, operation, body)?;
    }
    Ok(Box::new(move |client, stream| {
        frames::request(&requests, stream, operation, bodies[client % bodies.len()].as_bytes())
    }))
}

/// A ping or another request showed that the client was there, so the answers were held for five
/// minutes.
pub(super) fn large_batches(target: &Target) -> Result<Frames, String> {
    fill_large(target.requests)?;
    frames_of(target.requests, "BatchGetItem", vec![large_batch()])
}

/// Updates of 200 bytes that ask for the item of 390 KB that they change. A write that is done cannot
/// be refused, so all of these answers were held, without a bound.
pub(super) fn returned_updates(target: &Target) -> Result<Frames, String> {
    fill_large(target.requests)?;
    let bodies = (0..LARGE_ITEMS).map(|key| update("large", key, "ALL_NEW"));
    frames_of(target.requests, "UpdateItem", bodies.collect())
}

/// Updates of 200 bytes, each of which writes an item of 390 KB. All that waited were carried out
/// before the later requests of other clients. Half of the items are lists, so that an update of
/// them takes long to decide and comes to the queue from the lane of heavy requests.
pub(super) fn large_updates(target: &Target) -> Result<Vec<String>, String> {
    let requests = target.requests;
    fill_large(requests)?;
    requests.create_table("lists")?;
    let member = format!(r#""l":{}"#, list(r#"{"S":"a"}"#, LARGE_ITEM_BYTES / 2));
    for key in 0..LISTED_ITEMS {
        put_one(requests, "lists", key, &member)?;
    }
    let body = |client: usize| match client % 2 {
        0 => update("large", client, "NONE"),
        _ => update("lists", client % LISTED_ITEMS, "NONE"),
    };
    Ok((0..8).map(body).collect())
}

/// Scans of 50 bytes whose pages have a megabyte: cheap enough to stay on the threads that serve
/// sockets.
pub(super) fn large_scans(target: &Target) -> Result<Frames, String> {
    fill_large(target.requests)?;
    frames_of(target.requests, "Scan", vec![json!({"TableName": "large"}).to_string()])
}

/// Conditions with a different text each, none of which holds.
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

/// A scan as a request. One item of it must be found before: an attack that is refused at once would
/// show nothing.
fn scan(target: &Target, what: &'static str, mut scan: Value) -> Result<Hostile, String> {
    scan["Limit"] = json!(1);
    target.requests.ask_json("Scan", &scan)?;
    scan.as_object_mut().and_then(|scan| scan.remove("Limit"));
    Ok(Hostile { what, bytes: target.requests.make("Scan", scan.to_string()) })
}

/// Scans whose filters search 1.5 MB for each item, or search each item of 390 KB 148 times. One page
/// took seconds on a thread that other requests waited for; a few clients stopped all of them.
pub(super) fn heavy_filters(target: &Target) -> Result<Vec<Hostile>, String> {
    fill_small(target.requests)?;
    fill_large(target.requests)?;
    let filter = |table: &str, filter: String| {
        json!({
            "TableName": table,
            "FilterExpression": filter,
            "ExpressionAttributeValues": texts(),
        })
    };
    let in_texts = filter("small", conditions(|text| format!("contains({text}, b)")));
    let in_items = filter("large", conditions(|text| format!("contains(b, {text})")));
    Ok(vec![scan(target, "long texts", in_texts)?, scan(target, "long items", in_items)?])
}

/// Scans that look for a number in a list of 400,000 numbers, for each item. One page took seconds on
/// a thread that other requests waited for.
pub(super) fn long_lists(target: &Target) -> Result<Vec<Hostile>, String> {
    fill_small(target.requests)?;
    let filter = json!({
        "TableName": "small",
        "FilterExpression": "contains(:l, n)",
        "ExpressionAttributeValues": {":l": {"L": vec![json!({"N": "1"}); 400_000]}},
    });
    Ok(vec![scan(target, "long list", filter)?])
}

/// Writes whose conditions search 1.5 MB, and hold in the end. Writes are evaluated one after the
/// other, so that all others waited for these.
pub(super) fn heavy_conditions(target: &Target) -> Result<Vec<Hostile>, String> {
    fill_small(target.requests)?;
    let condition = conditions(|text| format!("contains({text}, b)"));
    let put = json!({
        "TableName": "small",
        "Item": {"pk": {"S": "0"}, "b": {"S": "ababax"}},
        "ConditionExpression": format!("{condition} OR attribute_exists(pk)"),
        "ExpressionAttributeValues": texts(),
    });
    Ok(one(target, "heavy condition", "PutItem", &put))
}

/// The body of a transaction that sets a number in each of the first items of a table.
fn updates(table: &str, items: usize, number: usize) -> Value {
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

/// Transactions with bodies of a few KB that read 17 MB of items, and make as much. A condition
/// fails in the end, so that they leave nothing. Each kept all of that until it was decided, and
/// thirty-two were decided together.
pub(super) fn large_transactions(target: &Target) -> Result<Vec<Hostile>, String> {
    fill_large(target.requests)?;
    let mut writes = updates("large", LARGE_ITEMS, 1);
    writes["TransactItems"][LARGE_ITEMS - 1] = json!({"ConditionCheck": {
        "TableName": "large",
        "Key": {"pk": {"S": "none"}},
        "ConditionExpression": "attribute_exists(pk)",
    }});
    let get =
        |key: usize| json!({"Get": {"TableName": "large", "Key": {"pk": {"S": key.to_string()}}}});
    let gets = json!({"TransactItems": (0..LARGE_ITEMS).map(get).collect::<Vec<Value>>()});
    let mut requests = Vec::new();
    for (what, operation, body, refusal) in [
        ("reads", "TransactGetItems", gets, "Payload in response is too large"),
        ("writes", "TransactWriteItems", writes, "TransactionCanceledException"),
    ] {
        let bytes = target.requests.make(operation, body.to_string());
        let answer = ask(target.address(), &bytes)?.text();
        if !answer.contains(refusal) {
            return Err(format!("the attack is not carried out: {answer}"));
        }
        // Three of four write.
        let count = if what == "reads" { 1 } else { 3 };
        requests.extend((0..count).map(|_| Hostile { what, bytes: bytes.clone() }));
    }
    Ok(requests)
}

/// Writes of items with one list of 195,000 texts each. They were charged as one attribute, encoded
/// and dropped while all other writes waited; in memory by a thread that serves connections.
pub(super) fn large_writes(target: &Target) -> Result<Vec<Hostile>, String> {
    /// Nearly the 16 MB that a body may have.
    const ITEMS: usize = 7;
    let requests = target.requests;
    requests.create_table("nested")?;
    let list = list(r#"{"S":"a"}"#, 195_000);
    let item = |key: usize| format!(r#"{{"pk":{{"S":"{key}"}},"l":{list}}}"#);
    let joined = |entry: &dyn Fn(String) -> String| {
        (0..ITEMS).map(|key| entry(item(key))).collect::<Vec<String>>().join(",")
    };
    let puts = joined(&|item| format!(r#"{{"PutRequest":{{"Item":{item}}}}}"#));
    let actions = joined(&|item| format!(r#"{{"Put":{{"TableName":"nested","Item":{item}}}}}"#));
    // A token, which SDKs always send, is computed of all values.
    let transaction = format!(r#"{{"ClientRequestToken":"token","TransactItems":[{actions}]}}"#);
    let bodies = [
        ("PutItem", format!(r#"{{"TableName":"nested","Item":{}}}"#, item(0))),
        ("BatchWriteItem", format!(r#"{{"RequestItems":{{"nested":[{puts}]}}}}"#)),
        ("TransactWriteItems", transaction),
    ];
    let mut connection = requests.open()?;
    for (operation, body) in &bodies {
        requests.ask(&mut connection, operation, body)?;
    }
    let make = |(what, body)| Hostile { what, bytes: requests.make(what, body) };
    Ok(bodies.map(make).into())
}

/// As many indexes as a table may have, each with the partition key `pk`.
fn indexes(name: impl Fn(usize) -> String, projection: impl Fn(usize) -> Value) -> Value {
    let index = |number| {
        json!({
            "IndexName": name(number),
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "Projection": projection(number),
        })
    };
    (0..INDEXES_MAX).map(index).collect()
}

/// Five attributes for each index, as many as a table may project: a hundred.
fn projected(name: impl Fn(usize, usize) -> String) -> impl Fn(usize) -> Value {
    move |index| {
        let names: Vec<String> = (0..5).map(|number| name(index, number)).collect();
        json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names})
    }
}

/// Transactions of a hundred tiny puts, each into another table with twenty indexes. Each of these
/// tables and indexes has a count of its items, which changed with each transaction; that was not
/// counted among the work of a commit. Puts of others took up to 370 ms.
pub(super) fn many_counts(target: &Target) -> Result<Vec<Hostile>, String> {
    const TABLES: usize = 300;
    const ENTRIES: usize = 100;
    const MAKERS: usize = 8;
    let requests = target.requests;
    let name = |table: usize| format!("counted-{table}");
    let keys_only = |_| json!({"ProjectionType": "KEYS_ONLY"});
    let members =
        json!({"GlobalSecondaryIndexes": indexes(|index| format!("index{index}"), keys_only)});
    let made = crowd(MAKERS, |maker| {
        let mut tables = (maker..TABLES).step_by(MAKERS);
        tables.try_for_each(|table| requests.create_table_with(&name(table), &members))
    });
    made.into_iter().collect::<Result<(), String>>()?;
    let mut writes = Vec::new();
    for client in 0..32 {
        for what in ["puts", "deletes"] {
            let entry = |number: usize| {
                let table = name((client * ENTRIES + number) % TABLES);
                let key = json!({"pk": {"S": client.to_string()}});
                match what {
                    "puts" => json!({"Put": {"TableName": table, "Item": key}}),
                    _ => json!({"Delete": {"TableName": table, "Key": key}}),
                }
            };
            let entries: Vec<Value> = (0..ENTRIES).map(entry).collect();
            let body = json!({"TransactItems": entries}).to_string();
            writes.push(Hostile { what, bytes: requests.make("TransactWriteItems", body) });
        }
    }
    Ok(writes)
}

/// Transactions that set a number in items with tens of thousands of attributes, of a table with
/// twenty indexes that each project five others, and ask for the capacity of each index. One
/// connection with a hundred items had all other writes wait for 6 to 14 s.
pub(super) fn wide_indexes(target: &Target) -> Result<Vec<Hostile>, String> {
    /// With so many attributes, a transaction may change no more: it may have 4 MB with their contents.
    const ITEMS: usize = 12;
    /// With names of four bytes, 65,000 fit into the 400 KB of an item.
    const ATTRIBUTES: usize = 60_000;
    let requests = target.requests;
    let projection = projected(|index, name| format!("zz{index}{name}"));
    let members =
        json!({"GlobalSecondaryIndexes": indexes(|index| format!("index{index}"), projection)});
    requests.create_table_with("wide", &members)?;
    let attributes = (0..ATTRIBUTES).map(|name| format!(r#""{name:04x}":{{"NULL":true}}"#));
    let attributes = attributes.collect::<Vec<String>>().join(",");
    for key in 0..ITEMS {
        put_one(requests, "wide", key, &attributes)?;
    }
    let update = |number| {
        let mut update = updates("wide", ITEMS, number);
        update["ReturnConsumedCapacity"] = json!("INDEXES");
        one(target, "wide items", "TransactWriteItems", &update)
    };
    Ok((0..2).flat_map(update).collect())
}

/// Transactions that change a hundred items of 395 KB, or five, in a table whose stream has new and
/// old images. A body of 20 KB made 40 MB of items and 80 MB of images. Puts of others waited for
/// 1.4 s, and the server took 880 MB more than before. One commit of 6 MB is one turn.
pub(super) fn stream_transactions(target: &Target) -> Result<Vec<Hostile>, String> {
    const ITEMS: usize = 100;
    /// Half as many as fit into the 4 MB of a transaction.
    const ALLOWED_ITEMS: usize = 5;
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    let members = json!({"StreamSpecification": stream});
    target.requests.create_table_with("streamed", &members)?;
    let text = format!(r#""b":{{"S":"{}"}}"#, "a".repeat(395 << 10));
    for key in 0..ITEMS {
        put_one(target.requests, "streamed", key, &text)?;
    }
    let numbers = [(ALLOWED_ITEMS, 0), (ITEMS, 1), (ALLOWED_ITEMS, 2), (ITEMS, 3)];
    let update = |(items, number)| {
        one(target, "images", "TransactWriteItems", &updates("streamed", items, number))
    };
    Ok(numbers.into_iter().flat_map(update).collect())
}

/// Makes a table of items with a list of 190,000 elements each.
fn fill_lists(requests: Requests, items: usize) -> Result<(), String> {
    requests.create_table("list")?;
    let member = format!(r#""l":{}"#, list(r#"{"NULL":true}"#, 190_000));
    (0..items).try_for_each(|key| put_one(requests, "list", key, &member))
}

/// The body of a Scan that looks through each of these lists so many times: up to 140, for which an
/// expression has room. That takes about a third of a second for each list.
fn search(times: usize) -> Value {
    json!({
        "TableName": "list",
        "FilterExpression": vec!["contains(l,:v)"; times].join(" OR "),
        "ExpressionAttributeValues": {":v": {"S": "x"}},
    })
}

/// Scans that look through a list of 190,000 elements 140 times, 120 at a time on each of eight
/// HTTP/2 connections, and sent again when they are throttled. Each newcomer pushed another request
/// out of the lane of heavy requests, and 120 came at once: 0 of 52 scans of another client
/// succeeded, and small reads took 0.9 s. The victim waits for a turn of each connection, and 120
/// throttled requests are one turn.
pub(super) fn full_lane(round: &mut Round, mut target: Target) -> Result<(), String> {
    /// How long another client may take until one of its scans succeeds.
    const TIME_MAX: Duration = Duration::from_secs(240);
    let requests = target.requests;
    fill_lists(requests, 1)?;
    let (hostile, other) = (search(140), search(20));
    for scan in [&hostile, &other] {
        requests.ask_json("Scan", scan)?;
    }
    let (hostile, other) = (hostile.to_string(), requests.make("Scan", other.to_string()));
    let (attackers, others) = round.attack(&mut target, |until| {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let attackers = scope.spawn(|| {
                let is_over = || is_over.load(Ordering::Relaxed);
                let scan = ("Scan", hostile.as_bytes());
                Outcome::sum(crowd(8, |_| keep_in_flight(&requests, scan, STREAMS, is_over)))
            });
            let begun = Instant::now();
            let mut others = Outcome::default();
            while !until.is_over() || (others.succeeded == 0 && begun.elapsed() < TIME_MAX) {
                if let Ok(answer) = ask(requests.address, &other) {
                    others.add(&answer);
                }
                // A client that does nothing wrong waits before it tries again.
                std::thread::sleep(Duration::from_millis(10));
            }
            is_over.store(true, Ordering::Relaxed);
            let attackers = attackers.join().map_err(|_| "an attacker panicked")?;
            Ok((attackers, others))
        })
    })?;
    round.check(others.succeeded > 0, || "no scan of the other client succeeded".to_owned());
    round.note(format!("attackers: {attackers}"));
    round.note(format!("another client: {others}"));
    Ok(())
}

/// Starts as many scans as the lane takes, each on a connection. On two cores they take half a minute
/// together, since half of the cores carry them out.
fn start_scans(target: &Target) -> Result<Vec<Connection>, String> {
    const SCANS: usize = 32;
    // As many items as a page has.
    fill_lists(target.requests, 3)?;
    let scan = target.requests.make("Scan", search(140).to_string());
    let before = target.server.processor_time();
    let mut connections = connect_many(target.address(), SCANS);
    for connection in &mut connections {
        connection.send(&scan).map_err(|error| error.to_string())?;
    }
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let (Some(before), Some(now)) = (before, target.server.processor_time()) else {
            return Ok(connections);
        };
        if now.saturating_sub(before) > Duration::from_millis(500) {
            return Ok(connections);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("the scans do not run".to_owned())
}

/// Costly scans whose clients leave. The server went on computing, for minutes, answers without
/// a reader. A client that closes its side may wait for its answer for 2 s.
pub(super) fn abandoned_scans(round: &mut Round, target: Target) -> Result<(), String> {
    /// The server is still at work if it has computed for so long, and for so long after they left.
    const TIME_MAX: Duration = Duration::from_secs(10);
    const OBSERVED_TIME: Duration = Duration::from_millis(300);
    const IDLE_TIME_MAX: Duration = Duration::from_millis(30);
    drop(start_scans(&target)?);
    let begun = Instant::now();
    let left = target.server.processor_time();
    let mut before = left;
    loop {
        std::thread::sleep(OBSERVED_TIME);
        let now = target.server.processor_time();
        let since = |then: Option<Duration>| {
            now.unwrap_or_default().saturating_sub(then.unwrap_or_default())
        };
        let used = since(left);
        if since(before) <= IDLE_TIME_MAX {
            round.note(format!("{used:?} of processor time after they left"));
            return Ok(());
        }
        if used > TIME_MAX && begun.elapsed() > TIME_MAX {
            return Err(format!("still computing, {used:?} of processor time after they left"));
        }
        before = now;
    }
}

/// SIGTERM while costly scans run. The process ended when they did, which took minutes. Now they have
/// 10 s and are cut off.
pub(super) fn stop_during_scans(round: &mut Round, mut target: Target) -> Result<(), String> {
    /// Far more than requests in flight have, since a busy machine is late. Where all scans take less,
    /// nothing is cut off.
    const TIME_MAX: Duration = Duration::from_secs(20);
    let mut connections = start_scans(&target)?;
    let begun = Instant::now();
    target.server.terminate()?;
    let status = target.server.wait()?;
    let took = begun.elapsed();
    let answered = connections.iter_mut().filter_map(|connection| connection.answer().ok());
    let completed = answered.filter(|answer| answer.status == 200).count();
    let has_waited = completed == connections.len() && took > TIME_MAX;
    round.check(!has_waited, || format!("it waited {took:.1?} for all scans"));
    round.check(status.success(), || format!("it ended badly ({status})"));
    round.note(format!("ended {took:.1?} after SIGTERM, {completed} scans were completed"));
    Ok(())
}

/// CreateTable with bodies of 54 KB: twenty indexes with long names, a hundred projected attributes
/// and fifty tags. What describes a table stays in memory, and there was no limit on their number:
/// 12,000 in 14 s took 1.6 GB. Now there may be 2,500, as many as DynamoDB allows an account by
/// default, and their descriptions have a limit, too.
pub(super) fn many_tables(round: &mut Round, mut target: Target) -> Result<(), String> {
    const TABLES_MAX: usize = 2_500;
    /// Each client goes on after the attack until it is refused or has made so many: together more
    /// than there may be.
    const TABLES_PER_CLIENT: usize = 330;
    const CLIENTS: usize = 8;
    let requests = target.requests;
    // Names may have 255 bytes.
    let long = "x".repeat(250);
    let tag = |number: usize| json!({"Key": format!("{number}{}", "x".repeat(120)), "Value": long});
    let projection = projected(|index, name| format!("{index}-{name}{long}"));
    let members = json!({
        "GlobalSecondaryIndexes": indexes(|index| format!("{index}{long}"), projection),
        "Tags": (0..50).map(tag).collect::<Vec<Value>>(),
    });
    requests.create_table_with("first", &members)?;
    let body = table_body("NAME", &members).to_string();
    let outcome = round.attack(&mut target, |until| {
        Ok(converse(requests.address, CLIENTS, |client, number, outcome| {
            let has_made_all = outcome.refused > 0 || number >= TABLES_PER_CLIENT;
            let name = format!("table-{client}-{number}");
            let make = || requests.make("CreateTable", body.replacen("NAME", &name, 1));
            (!until.is_over() || !has_made_all).then(make)
        }))
    })?;
    let (made, refused) = (outcome.succeeded, outcome.refused);
    round.check(made <= TABLES_MAX && refused > 0, || format!("{made} tables were made"));
    round.note(format!("tables: {outcome}"));
    Ok(())
}

/// Turns the stream of a table on and off as fast as one connection can. Each time made a stream that
/// was kept. After 30 s there were 20,000, and the p99 of puts was 29 ms and growing.
pub(super) fn many_streams(round: &mut Round, mut target: Target) -> Result<(), String> {
    /// How many times the stream is turned on and off before an answer is read.
    const AT_ONCE: usize = 8;
    const STREAMS_MAX: usize = 100;
    let requests = target.requests;
    requests.create_table("streamed")?;
    let turn = |stream: Value| {
        let body = json!({"TableName": "streamed", "StreamSpecification": stream});
        requests.make("UpdateTable", body.to_string())
    };
    let on = turn(json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}));
    let off = turn(json!({"StreamEnabled": false}));
    let both = [on, off].concat().repeat(AT_ONCE);
    let outcome = round.attack(&mut target, |until| {
        Ok(Outcome::sum(crowd(1, |_| {
            let mut outcome = Outcome::default();
            // On a busy machine the attack may be over before the first answer.
            let begun = Instant::now();
            let is_going =
                |succeeded| !until.is_over() || (succeeded == 0 && begun.elapsed() < PATIENCE);
            while is_going(outcome.succeeded) {
                let Ok(mut connection) = requests.open() else { continue };
                while is_going(outcome.succeeded) && connection.send(&both).is_ok() {
                    let answers = (0..2 * AT_ONCE).map_while(|_| connection.answer().ok());
                    answers.for_each(|answer| outcome.add(&answer));
                }
            }
            outcome
        })))
    })?;
    let mut kept = 0;
    let mut body = json!({"TableName": "streamed"});
    // A page has a hundred streams.
    for _ in 0..100 {
        let page = requests.ask_json("ListStreams", &body)?;
        kept += page["Streams"].as_array().map_or(0, Vec::len);
        match page.get("LastEvaluatedStreamArn") {
            Some(last) => body["ExclusiveStartStreamArn"] = last.clone(),
            None => break,
        }
    }
    round.check(outcome.succeeded > 0, || "the stream was never turned on or off".to_owned());
    round.check(kept <= STREAMS_MAX, || format!("{kept} streams of one table are kept"));
    round.note(format!("{kept} streams are kept; turned on or off: {outcome}"));
    Ok(())
}

/// Nine hundred connections with one update each, of 200 bytes that write 390 KB, all sent at the same
/// moment; when they are answered, others take their place. Each was a client that had cost nothing
/// so far, so its large write came before the small one of a client that was there already. In the
/// order of arrival, small writes took 17 to 20 times as long as alone.
pub(super) fn many_clients(round: &mut Round, mut target: Target) -> Result<(), String> {
    let requests = target.requests;
    fill_large(requests)?;
    // Of the 1024 that there may be, the victim needs some.
    let count = round.allowed_connections(900);
    let make = |client| requests.make("UpdateItem", update("large", client % LARGE_ITEMS, "NONE"));
    let updates: Vec<Vec<u8>> = (0..count).map(make).collect();
    let outcome = round.attack(&mut target, |until| {
        Ok(Outcome::sum(crowd(1, |_| {
            let mut outcome = Outcome::default();
            let begun = Instant::now();
            while !until.is_over() || (outcome.succeeded == 0 && begun.elapsed() < PATIENCE) {
                let mut connections = connect_many(requests.address, count);
                for (connection, update) in connections.iter_mut().zip(&updates) {
                    // A server that closes the connection has held this off.
                    let _ = connection.send(update);
                }
                // Requests that are not answered when the attack ends are left alone, but for one.
                for connection in &mut connections {
                    let patience = if outcome.succeeded == 0 { PATIENCE } else { until.rest() };
                    let asked = connection.set_patience(patience);
                    let Ok(answer) = asked.and_then(|()| connection.answer()) else { break };
                    outcome.add(&answer);
                }
            }
            outcome
        })))
    })?;
    round.check(outcome.succeeded > 0, || format!("nothing was written: {outcome}"));
    round.note(format!("updates: {outcome}"));
    Ok(())
}

/// Items with keys of 3,000 bytes in a table with twenty indexes that have the same key, put in
/// transactions on one connection, and all of them expire in the same second. Puts of others took
/// 160 ms while they were written, and 1.3 s while they expired.
pub(super) fn long_index_keys(round: &mut Round, mut target: Target) -> Result<(), String> {
    /// How long the victim is observed while items expire. They may take longer: expiry comes after
    /// the requests of clients.
    const EXPIRY_TIME: Duration = Duration::from_secs(2);
    let requests = target.requests;
    let key = json!([
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]);
    let mut indexes =
        indexes(|index| format!("index{index}"), |_| json!({"ProjectionType": "KEYS_ONLY"}));
    for index in indexes.as_array_mut().into_iter().flatten() {
        index["KeySchema"] = key.clone();
    }
    let members = json!({
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": key,
        "GlobalSecondaryIndexes": indexes,
    });
    requests.create_table_with("expiring", &members)?;
    let expiry = json!({"Enabled": true, "AttributeName": "expiry"});
    let body = json!({"TableName": "expiring", "TimeToLiveSpecification": expiry});
    requests.ask_json("UpdateTimeToLive", &body)?;
    let (outcome, rest) = round.attack(&mut target, |until| {
        let expiry = seconds_since_1970() + until.rest().as_secs() + 1;
        let outcome = write_until(requests, expiry);
        while seconds_since_1970() < expiry {
            std::thread::sleep(Duration::from_millis(20));
        }
        let begun = Instant::now();
        loop {
            let table = requests.ask_json("DescribeTable", &json!({"TableName": "expiring"}))?;
            let rest = table["Table"]["ItemCount"].as_u64().unwrap_or(u64::MAX);
            if rest == 0 || begun.elapsed() > EXPIRY_TIME {
                return Ok((outcome, rest));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    })?;
    round.check(outcome.succeeded > 0, || format!("nothing was written: {outcome}"));
    round.note(format!("transactions: {outcome}; {rest} items are left after they expired"));
    Ok(())
}

/// Puts items with long keys until the second in which they expire.
fn write_until(requests: Requests, expiry: u64) -> Outcome {
    /// A quarter of what a transaction may have, with 3 MB of index rows.
    const PUTS: usize = 25;
    /// Each takes 10 MB of memory until it is in the data.
    const TRANSACTIONS_MAX: usize = 20;
    // Almost the 2,048 bytes that a partition key may have, and the 1,024 of a sort key.
    let (partition, sort) = ("x".repeat(2_000), "y".repeat(1_020));
    converse(requests.address, 1, |_, transaction, _| {
        let put = |number: usize| {
            let item = json!({
                "pk": {"S": format!("{transaction}/{number}/{partition}")},
                "sk": {"S": sort},
                "expiry": {"N": expiry.to_string()},
            });
            json!({"Put": {"TableName": "expiring", "Item": item}})
        };
        let puts: Vec<Value> = (0..PUTS).map(put).collect();
        let body = json!({"TransactItems": puts}).to_string();
        let is_enough = transaction == TRANSACTIONS_MAX || seconds_since_1970() >= expiry;
        (!is_enough).then(|| requests.make("TransactWriteItems", body))
    })
}

pub(super) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
