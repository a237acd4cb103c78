//! The cost of hostile bodies: memory, time, and the length of the error message.
//!
//! A body of 16 MB with 5.2 million `{}` for indexes took 1.8 GB to parse, and the error repeated
//! 270 MB. These tests inflate every field of every operation and count the allocations.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic here is a failing test"
)]

mod hostile;

use hostile::{BODY_SIZE, Cost, alone, blown_up, cost, list, seeds};
use peak_alloc::PeakAlloc;
use singlet_dynamo::error::MESSAGE_SIZE_MAX;
use singlet_dynamo::operation::{TransactWriteItems, UpdateItem};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Item, Value};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum allocation per byte of the body.
const MEMORY_PER_BYTE_MAX: f64 = 8.0;
/// Allowed in addition, for small bodies: the kept part of lists that are too long.
const SMALL_MEMORY_MAX: usize = 3 << 20;
/// Allowed in addition, for large bodies: values built before they are found to be too large.
const LARGE_MEMORY_MAX: usize = 24 << 20;
/// A hundred times the cost in a release build.
const NANOSECONDS_PER_BYTE_MAX: f64 = 1_000.0;

/// Why a cost is too high, if it is.
fn excess(cost: &Cost, size: usize, memory_max: usize) -> Option<&'static str> {
    if cost.memory as f64 > size as f64 * MEMORY_PER_BYTE_MAX + memory_max as f64 {
        return Some("too much memory");
    }
    if cost.message > MESSAGE_SIZE_MAX {
        return Some("too long an error");
    }
    let nanoseconds = cost.time.as_nanos() as f64 / size as f64;
    (nanoseconds > NANOSECONDS_PER_BYTE_MAX).then_some("too slow")
}

fn factor(cost: &Cost, body: &str) -> f64 {
    cost.memory as f64 / body.len() as f64
}

/// Every list, map, string and number of a request of every operation, inflated in several ways.
#[test]
fn every_field_of_every_operation_is_inflated() {
    let _alone = alone();
    let is_long = std::env::var_os("SINGLET_TEST_LONG").is_some();
    let (size, memory_max) =
        if is_long { (4 << 20, LARGE_MEMORY_MAX) } else { (128 << 10, SMALL_MEMORY_MAX) };
    let mut count = 0;
    let mut worst: Vec<(f64, String)> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    for (operation, seed) in seeds() {
        // The seed itself must be valid, so that its fields are those of the operation.
        assert_eq!(cost(operation, seed).error, None, "{operation}");
        blown_up(seed, size, &mut |what, body| {
            let cost = cost(operation, body);
            let factor = factor(&cost, body);
            let what = format!("{operation}: {what}: {factor:.1} times {} bytes", body.len());
            if let Some(excess) = excess(&cost, body.len(), memory_max) {
                failures.push(format!("{excess}: {what}: {cost:?}"));
            }
            worst.push((factor, what));
            count += 1;
        });
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, what) in worst.iter().take(20) {
        println!("{what}");
    }
    println!("{count} bodies");
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 1000);
}

/// Lists above a limit: elements past it are parsed but not kept.
#[test]
fn elements_above_a_limit_are_not_kept() {
    let _alone = alone();
    let fill = |piece: &str| list(BODY_SIZE, |_| piece.to_owned());
    let table = r#""TableName":"ttt""#;
    let get = |rest: String| format!(r#"{{{table},"Key":{{"pk":{{"S":"a"}}}},{rest}}}"#);
    let put = |item: String| format!(r#"{{{table},"Item":{item}}}"#);
    let bodies: Vec<(&str, String)> = vec![
        ("CreateTable", format!(r#"{{{table},"GlobalSecondaryIndexes":[{}]}}"#, fill("{}"))),
        ("CreateTable", format!(r#"{{{table},"LocalSecondaryIndexes":[{}]}}"#, fill("{}"))),
        ("CreateTable", format!(r#"{{{table},"KeySchema":[{}]}}"#, fill("{}"))),
        ("CreateTable", format!(r#"{{{table},"AttributeDefinitions":[{}]}}"#, fill("{}"))),
        ("UpdateTable", format!(r#"{{{table},"GlobalSecondaryIndexUpdates":[{}]}}"#, fill("{}"))),
        ("TransactWriteItems", format!(r#"{{"TransactItems":[{}]}}"#, fill("{}"))),
        ("TransactWriteItems", format!(r#"{{"TransactItems":[{{{}}}]}}"#, fill(r#""Put":{}"#))),
        ("TransactGetItems", format!(r#"{{"TransactItems":[{}]}}"#, fill("{}"))),
        ("BatchGetItem", format!(r#"{{"RequestItems":{{"ttt":{{"Keys":[{}]}}}}}}"#, fill("{}"))),
        (
            "BatchGetItem",
            format!(r#"{{"RequestItems":{{{}}}}}"#, list(BODY_SIZE, |i| format!(r#""{i}":{{}}"#))),
        ),
        ("BatchWriteItem", format!(r#"{{"RequestItems":{{"ttt":[{}]}}}}"#, fill("{}"))),
        ("Scan", format!(r#"{{{table},"AttributesToGet":[{}]}}"#, fill(r#""""#))),
        (
            "GetItem",
            get(format!(
                r#""ExpressionAttributeNames":{{{}}}"#,
                list(BODY_SIZE, |i| format!(r##""#{i}":"a""##))
            )),
        ),
        (
            "Scan",
            format!(
                r#"{{{table},"ScanFilter":{{{}}}}}"#,
                list(BODY_SIZE, |i| format!(r#""{i}":{{}}"#))
            ),
        ),
        ("PutItem", put(format!(r#"{{"l":{{"L":[{}]}}}}"#, fill("{}")))),
        ("PutItem", put(format!(r#"{{"l":{{"L":[{}]}}}}"#, fill(r#"{"L":[{"S":""}]}"#)))),
        ("PutItem", put(format!(r#"{{"l":{{"L":[{}]}}}}"#, fill(r#"{"M":{"a":{"S":""}}}"#)))),
        (
            "PutItem",
            put(format!(r#"{{"s":{{"SS":[{}]}}}}"#, list(BODY_SIZE, |i| format!(r#""{i:x}""#)))),
        ),
        ("PutItem", put(format!("{{{}}}", list(BODY_SIZE, |i| format!(r#""{i:x}":{{"S":""}}"#))))),
    ];
    let allowed = |cost: &Cost, _: &str| cost.error.is_some() && cost.memory <= LARGE_MEMORY_MAX;
    check_all(&bodies, allowed);
}

/// Valid values: they take a small multiple of the body in memory.
#[test]
fn a_valid_request_takes_a_small_multiple_of_its_body() {
    let _alone = alone();
    // The size of 25 items, or of a body.
    let items = |attribute: &dyn Fn(usize) -> String| {
        let put = |_| format!(r#"{{"PutRequest":{{"Item":{{{}}}}}}}"#, attribute(BODY_SIZE / 25));
        let puts: Vec<String> = (0..25).map(put).collect();
        format!(r#"{{"RequestItems":{{"ttt":[{}]}}}}"#, puts.join(","))
    };
    let all = |piece: &'static str, size: usize| {
        items(&|room| {
            format!(
                r#""l":{{"L":[{}]}}"#,
                list(room.min(399_000 / size * piece.len()), |_| piece.to_owned())
            )
        })
    };
    let set = |kind: &str, piece: fn(usize) -> String, size: usize, len: usize| {
        items(&|room| {
            format!(r#""s":{{"{kind}":[{}]}}"#, list(room.min(399_000 / size * len), piece))
        })
    };
    let bodies: Vec<(&str, String)> = vec![
        ("BatchWriteItem", all(r#"{"S":""}"#, 1)),
        ("BatchWriteItem", all(r#"{"NULL":true}"#, 2)),
        ("BatchWriteItem", all(r#"{"N":"1"}"#, 3)),
        ("BatchWriteItem", all(r#"{"S":"a text of thirty characters."}"#, 31)),
        ("BatchWriteItem", all(r#"{"L":[{"S":""}]}"#, 5)),
        ("BatchWriteItem", all(r#"{"M":{"a":{"S":""}}}"#, 6)),
        ("BatchWriteItem", set("SS", |i| format!(r#""{i:04x}""#), 5, 7)),
        ("BatchWriteItem", set("NS", |i| format!(r#""{i}""#), 4, 7)),
        ("BatchWriteItem", set("BS", |i| format!(r#""{i:08}""#), 6, 11)),
        (
            "BatchWriteItem",
            items(&|room| list(room.min(1_000_000), |i| format!(r#""{i:x}":{{"S":""}}"#))),
        ),
    ];
    let allowed =
        |cost: &Cost, body: &str| cost.error.is_none() && factor(cost, body) <= MEMORY_PER_BYTE_MAX;
    check_all(&bodies, allowed);
}

/// An expression can use a placeholder of 2 MB 800 times, and each use made a copy.
#[test]
fn repeated_placeholders_are_bounded() {
    let _alone = alone();
    let value = format!(r#"{{"L":[{}]}}"#, list(1 << 20, |_| r#"{"S":""}"#.to_owned()));
    let update = |value: &str| {
        let actions = list(4000, |i| format!("a{i}=:v"));
        format!(
            r#""TableName":"ttt","Key":{{"pk":{{"S":"a"}}}},"UpdateExpression":"SET {actions}","ExpressionAttributeValues":{{":v":{value}}}"#
        )
    };
    // Few enough for one update, and too many for a hundred.
    let small = format!(r#"{{"L":[{}]}}"#, list(4000, |_| r#"{"S":""}"#.to_owned()));
    let transaction = list(1 << 20, |_| format!(r#"{{"Update":{{{}}}}}"#, update(&small)));
    let paths = list(4000, |_| ["#n"; 30].join("."));
    let name = "x".repeat(65_000);
    let bodies: Vec<(&str, String)> = vec![
        ("UpdateItem", format!("{{{}}}", update(&value))),
        ("TransactWriteItems", format!(r#"{{"TransactItems":[{transaction}]}}"#)),
        (
            "Scan",
            format!(
                r##"{{"TableName":"ttt","ProjectionExpression":"{paths}","ExpressionAttributeNames":{{"#n":"{name}"}}}}"##
            ),
        ),
    ];
    let allowed = |cost: &Cost, _: &str| cost.error.is_some() && cost.memory <= LARGE_MEMORY_MAX;
    check_all(&bodies, allowed);
}

fn check_all(bodies: &[(&str, String)], is_allowed: impl Fn(&Cost, &str) -> bool) {
    let mut failures: Vec<String> = Vec::new();
    for (operation, body) in bodies {
        let cost = cost(operation, body);
        let start: String = body.chars().take(100).collect();
        println!("{:5.1} {:?} {operation} {start}", factor(&cost, body), cost.time);
        let excess = excess(&cost, body.len(), LARGE_MEMORY_MAX)
            .or((!is_allowed(&cost, body)).then_some("not as it should be"));
        if let Some(excess) = excess {
            failures.push(format!("{excess}: {operation} {start}: {cost:?}"));
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

/// An update of an item with a list of nearly 400 KB, with one byte per element.
fn update_of_a_list(rest: &str) -> (UpdateItem, StoredItem, TableSchema) {
    let list = Value::L(vec![Value::from(""); 390_000]);
    let item = Item::from([("pk", Value::from("a")), ("l", list)]);
    let body = format!(r#"{{"TableName":"ttt","Key":{{"pk":{{"S":"a"}}}},{rest}}}"#);
    let key = KeySchema::simple(KeyAttribute::new("pk", KeyType::S), None);
    let schema = TableSchema { name: "ttt".into(), key, indexes: vec![] };
    (UpdateItem::from_json(body.as_bytes()).unwrap(), StoredItem::from(&item), schema)
}

/// The parts that an update returns used to be kept as a tree, of 13 MB for 400 KB.
#[test]
fn returned_parts_of_an_update_take_their_size() {
    let _alone = alone();
    let append = r#""UpdateExpression":"SET l = list_append(l, :e)",
        "ExpressionAttributeValues":{":e":{"L":[{"S":""}]}}"#;
    let remove = r#""UpdateExpression":"REMOVE l[0]""#;
    for (expression, values) in
        [(append, "UPDATED_NEW"), (append, "UPDATED_OLD"), (remove, "UPDATED_NEW")]
    {
        let rest = format!(r#"{expression},"ReturnValues":"{values}""#);
        let (request, old, schema) = update_of_a_list(&rest);
        let before = ALLOCATOR.current_usage();
        let updated = request.decide(Some(&old), &schema).unwrap();
        let taken = ALLOCATOR.current_usage() - before;
        let item = updated.item.unwrap().stored_bytes();
        let told = item + updated.attributes.unwrap().held_bytes();
        assert!(taken < told + 10_000, "{values} of {expression}: {taken} and not {told}");
    }
}

/// A body of 4 KB copied one list to hundreds of attributes, each copy a tree of 13 MB, before the
/// item was found to be too large.
#[test]
fn copies_of_one_attribute_are_not_all_kept() {
    let _alone = alone();
    let copies = (0..40).map(|number| format!("a{number} = l"));
    let copies = copies.collect::<Vec<String>>().join(", ");
    let (request, old, schema) = update_of_a_list(&format!(r#""UpdateExpression":"SET {copies}""#));
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let error = request.decide(Some(&old), &schema).unwrap_err();
    let memory = ALLOCATOR.peak_usage() - before;
    assert_eq!(error.message(), "Item size to update has exceeded the maximum allowed size");
    assert!(memory < 64 << 20, "{} MB", memory >> 20);
    // Other faults are found first, as in a small item.
    let (request, old, schema) =
        update_of_a_list(&format!(r#""UpdateExpression":"SET {copies}, b = absent""#));
    let error = request.decide(Some(&old), &schema).unwrap_err();
    assert!(error.message().contains("does not exist in the item"), "{}", error.message());
}

/// All values of a transaction with a token used to be copied before they were measured, on a
/// thread that serves sockets.
#[test]
fn expensive_transaction_parameters_are_not_copied() {
    let _alone = alone();
    let list = vec![r#"{"S":"a"}"#; 150_000].join(",");
    for expression in [
        r#""UpdateExpression":"SET l = :l""#,
        r#""UpdateExpression":"REMOVE l","ConditionExpression":"size(:l) > n""#,
        r#""UpdateExpression":"REMOVE l","ConditionExpression":"contains(:l, n)""#,
    ] {
        let body = format!(
            r#"{{"ClientRequestToken":"token","TransactItems":[{{"Update":{{
            "TableName":"ttt","Key":{{"pk":{{"S":"a"}}}},{expression},
            "ExpressionAttributeValues":{{":l":{{"L":[{list}]}}}}}}}}]}}"#
        );
        let request = TransactWriteItems::from_json(body.as_bytes()).unwrap();
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        assert_eq!(request.parameters_within(250_000), None);
        let memory = ALLOCATOR.peak_usage() - before;
        assert!(memory < 100_000, "{expression}: {memory} bytes");
        assert!(request.parameters_within(usize::MAX).is_some());
    }
}
