//! A short run of every fuzz target: nothing panics, and time is linear in the input. Inputs follow
//! from a fixed seed, so failures are reproducible.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic in a test is a failing test")]

use singlet_testing::fuzz::{Random, TARGETS, growth, mutate, processor_time};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Inputs per target.
const ROUNDS: usize = 20_000;
/// Inputs per target with `cargo xtask test --long`.
const ROUNDS_LONG: usize = 5_000_000;
/// How many times longer than the slowest seed an input may take, for each started block of bytes.
/// Only superlinear work exceeds it.
const SLOWDOWN_MAX: u32 = 500;
const BLOCK_BYTES: usize = 4_096;

fn rounds() -> usize {
    if std::env::var_os("SINGLET_TEST_LONG").is_some() { ROUNDS_LONG } else { ROUNDS }
}

fn fuzz(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    let time = |seed: &Vec<u8>| (0..3).map(|_| processor_time(|| (target.run)(seed))).max();
    let slowest = seeds.iter().filter_map(time).max().expect("a seed");
    let mut random = Random::new(0x51_4e_47_4c_45_54);
    let mut tried = seeds.clone();
    for round in 0..rounds() {
        let input = tried.pop().unwrap_or_else(|| mutate(&seeds, &mut random));
        let shown = input.escape_ascii();
        let run = || {
            processor_time(|| {
                let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
                assert!(outcome.is_ok(), "{name}, round {round}: panicked on b\"{shown}\"");
            })
        };
        let blocks = u32::try_from(input.len() / BLOCK_BYTES).unwrap() + 1;
        let budget = slowest * SLOWDOWN_MAX * blocks;
        // One slow run may be the machine's fault; five in a row are not.
        let in_time = (0..5).any(|_| run() <= budget);
        assert!(in_time, "{name}, round {round}: over {budget:?} for b\"{shown}\"");
    }
}

#[test]
fn json() {
    fuzz("json");
}

#[test]
fn binary() {
    fuzz("binary");
}

#[test]
fn expression() {
    fuzz("expression");
}

#[test]
fn key() {
    fuzz("key");
}

#[test]
fn number() {
    fuzz("number");
}

#[test]
fn request() {
    fuzz("request");
}

/// Checks that a target's time grows linearly with the inputs that `input` makes.
fn check_growth(name: &str, what: &str, n: usize, input: impl Fn(usize) -> String) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let found = growth(n, |n| input(n).into_bytes(), target.run);
    assert!(found.is_linear(), "{name}: {what}: {found:?}");
}

fn list(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().join(",")
}

#[test]
fn json_costs_what_it_weighs() {
    let check = |what, n, input: fn(usize) -> String| check_growth("json", what, n, input);
    check("a long text", 50_000, |n| format!(r#"{{"a":{{"S":"{}"}}}}"#, "x".repeat(n)));
    check("escapes", 10_000, |n| format!(r#"{{"a":{{"S":"{}"}}}}"#, r"\u00e9\n".repeat(n)));
    check("a long blob", 10_000, |n| format!(r#"{{"a":{{"B":"{}"}}}}"#, "AAAA".repeat(n)));
    check("space", 100_000, |n| format!("{}{{}}", " ".repeat(n)));
    check("names ascending", 1_000, |n| {
        format!("{{{}}}", list(n, |i| format!(r#""{i:09}":{{"S":"x"}}"#)))
    });
    check("names descending", 1_000, |n| {
        format!("{{{}}}", list(n, |i| format!(r#""{:09}":{{"S":"x"}}"#, n - i)))
    });
    check("one name many times", 1_000, |n| {
        format!("{{{}}}", list(n, |i| format!(r#""a":{{"N":"{i}"}}"#)))
    });
    check("a long list", 1_000, |n| {
        format!(r#"{{"a":{{"L":[{}]}}}}"#, list(n, |_| r#"{"BOOL":true}"#.to_owned()))
    });
    check("a large set", 1_000, |n| {
        format!(r#"{{"a":{{"SS":[{}]}}}}"#, list(n, |i| format!(r#""{}""#, n - i)))
    });
    check("a set of equals", 1_000, |n| {
        format!(r#"{{"a":{{"SS":[{}]}}}}"#, list(n, |_| r#""x""#.to_owned()))
    });
    check("a set of numbers", 1_000, |n| {
        format!(r#"{{"a":{{"NS":[{}]}}}}"#, list(n, |i| format!(r#""{}""#, n - i)))
    });
    check("too deep", 2_000, |n| r#"{"a":{"M":"#.repeat(n));
    check("too deep, and skipped", 10_000, |n| "[".repeat(n));
    check("many types in one value", 1_000, |n| {
        format!(r#"{{"a":{{{}}}}}"#, list(n, |_| r#""S":"x","unknown":[[]]"#.to_owned()))
    });
}

#[test]
fn numbers_cost_what_they_weigh() {
    let check = |what, n, input: fn(usize) -> String| check_growth("number", what, n, input);
    check("digits", 50_000, |n| "9".repeat(n));
    check("leading zeros", 50_000, |n| "0".repeat(n) + "1");
    check("trailing zeros", 50_000, |n| format!("1.{}", "0".repeat(n)));
    check("a large exponent", 50_000, |n| format!("1e{}", "9".repeat(n)));
}

/// Longer expressions are rejected, but only after measuring their length.
#[test]
fn expressions_cost_what_they_weigh() {
    let check = |what, n, input: fn(usize) -> String| check_growth("expression", what, n, input);
    check("AND", 30, |n| vec!["a = :b"; n].join(" AND "));
    check("OR", 30, |n| vec!["#a < :b"; n].join(" OR "));
    check("NOT", 30, |n| "NOT ".repeat(n) + "a = :b");
    check("parentheses", 250, |n| format!("{}a = :b{}", "(".repeat(n), ")".repeat(n)));
    check("open parentheses", 500, |n| "(".repeat(n));
    check("IN", 60, |n| format!("a IN ({})", vec![":b"; n].join(", ")));
    check("a deep path", 200, |n| format!("attribute_exists({})", vec!["a"; n].join(".")));
    check("indexes", 150, |n| format!("attribute_exists(a{})", "[0]".repeat(n)));
    check("paths", 60, |n| list(n, |i| format!("a{i}")));
    check("paths of one attribute", 60, |n| list(n, |i| format!("a.b{i}")));
    check("actions", 40, |n| format!("SET {}", list(n, |i| format!("a{i} = :b"))));
    check("actions of one list", 40, |n| format!("REMOVE {}", list(n, |i| format!("a[{i}]"))));
    check("a long name", 500, |n| "a".repeat(n));
    check("space", 500, |n| " ".repeat(n) + "a");
    check("too long", 5_000, |n| format!("a = {}", ":b".repeat(n)));
}

#[test]
fn requests_cost_what_they_weigh() {
    let check = |what, n, input: fn(usize) -> String| check_growth("request", what, n, input);
    check("names", 500, |n| {
        let names = list(n, |i| format!(r##""#{i}":"a{i}""##));
        format!(r#"GetItem {{"TableName":"t","Key":{{}},"ExpressionAttributeNames":{{{names}}}}}"#)
    });
    check("values", 500, |n| {
        let values = list(n, |i| format!(r#"":{i}":{{"N":"{i}"}}"#));
        format!(
            r#"Scan {{"TableName":"ttt","FilterExpression":"a = :1","ExpressionAttributeValues":{{{values}}}}}"#
        )
    });
    check("attributes to get", 500, |n| {
        let names = list(n, |i| format!(r#""a{i}""#));
        format!(r#"Scan {{"TableName":"ttt","AttributesToGet":[{names}]}}"#)
    });
    check("expectations", 300, |n| {
        let expected = list(n, |i| format!(r#""a{i}":{{"Value":{{"N":"1"}}}}"#));
        format!(
            r#"PutItem {{"TableName":"Indexed","Item":{{"pk":{{"S":"a"}},"sk":{{"S":"a"}}}},"Expected":{{{expected}}}}}"#
        )
    });
    check("attribute updates", 300, |n| {
        let updates = list(n, |i| format!(r#""a{i}":{{"Value":{{"N":"1"}}}}"#));
        format!(
            r#"UpdateItem {{"TableName":"Indexed","Key":{{"pk":{{"S":"a"}},"sk":{{"S":"b"}}}},"AttributeUpdates":{{{updates}}}}}"#
        )
    });
    check("attribute definitions", 300, |n| {
        let attributes = list(n, |i| format!(r#"{{"AttributeName":"a{i}","AttributeType":"S"}}"#));
        format!(
            r#"CreateTable {{"TableName":"ttt","AttributeDefinitions":[{attributes}],"KeySchema":[{{"AttributeName":"a0","KeyType":"HASH"}}]}}"#
        )
    });
    check("indexes", 100, |n| {
        let attributes = list(n, |i| format!(r#"{{"AttributeName":"a{i}","AttributeType":"S"}}"#));
        let indexes = list(n, |i| {
            format!(
                r#"{{"IndexName":"index{i}","KeySchema":[{{"AttributeName":"a{i}","KeyType":"HASH"}}],"Projection":{{"ProjectionType":"ALL"}}}}"#
            )
        });
        format!(
            r#"CreateTable {{"TableName":"ttt","AttributeDefinitions":[{attributes}],"KeySchema":[{{"AttributeName":"a0","KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{indexes}]}}"#
        )
    });
    check("index updates", 300, |n| {
        let updates = list(n, |i| format!(r#"{{"Delete":{{"IndexName":"index{i}"}}}}"#));
        format!(r#"UpdateTable {{"TableName":"ttt","GlobalSecondaryIndexUpdates":[{updates}]}}"#)
    });
    check("tables of a batch", 500, |n| {
        let tables = list(n, |i| format!(r#""table{i}":{{"Keys":[{{"pk":{{"S":"a"}}}}]}}"#));
        format!(r#"BatchGetItem {{"RequestItems":{{{tables}}}}}"#)
    });
    check("writes of a batch", 300, |n| {
        let writes =
            list(n, |i| format!(r#"{{"DeleteRequest":{{"Key":{{"pk":{{"N":"{i}"}}}}}}}}"#));
        format!(r#"BatchWriteItem {{"RequestItems":{{"ttt":[{writes}]}}}}"#)
    });
    check("actions of a transaction", 300, |n| {
        let actions = list(n, |i| {
            format!(r#"{{"Delete":{{"TableName":"ttt","Key":{{"pk":{{"N":"{i}"}}}}}}}}"#)
        });
        format!(r#"TransactWriteItems {{"TransactItems":[{actions}]}}"#)
    });
    check("one table many times", 500, |n| {
        let tables = list(n, |_| r#""ttt":{"Keys":[{"pk":{"S":"a"}}]}"#.to_owned());
        format!(r#"BatchGetItem {{"RequestItems":{{{tables}}}}}"#)
    });
    check("two hundred tables many times", 500, |n| {
        let tables = list(n, |i| format!(r#""table{}":{{"Keys":[]}}"#, i % 200));
        format!(r#"BatchGetItem {{"RequestItems":{{{tables}}}}}"#)
    });
    check("keys of a batch", 500, |n| {
        let keys = list(n, |i| format!(r#"{{"pk":{{"N":"{i}"}}}}"#));
        format!(r#"BatchGetItem {{"RequestItems":{{"ttt":{{"Keys":[{keys}]}}}}}}"#)
    });
    check("gets of a transaction", 300, |n| {
        let gets =
            list(n, |i| format!(r#"{{"Get":{{"TableName":"ttt","Key":{{"pk":{{"N":"{i}"}}}}}}}}"#));
        format!(r#"TransactGetItems {{"TransactItems":[{gets}]}}"#)
    });
    check("one action many times", 300, |n| {
        let actions = list(n, |_| r#""Put":{"TableName":"ttt"}"#.to_owned());
        format!(r#"TransactWriteItems {{"TransactItems":[{{{actions}}}]}}"#)
    });
    check("one name many times", 1_000, |n| {
        let names = list(n, |i| format!(r##""#{}":"a{i}""##, i % 3));
        format!(
            r#"GetItem {{"TableName":"ttt","Key":{{}},"ProjectionExpression":"a","ExpressionAttributeNames":{{{names}}}}}"#
        )
    });
    check("values of one condition", 1_000, |n| {
        let values = list(n, |i| format!(r#"{{"N":"{i}"}}"#));
        format!(
            r#"Scan {{"TableName":"ttt","ScanFilter":{{"a":{{"ComparisonOperator":"IN","AttributeValueList":[{values}]}}}}}}"#
        )
    });
    check("conditions of a filter", 300, |n| {
        let conditions = list(n, |i| format!(r#""a{i}":{{"ComparisonOperator":"NULL"}}"#));
        format!(r#"Scan {{"TableName":"ttt","ScanFilter":{{{conditions}}}}}"#)
    });
    check("attributes of a start key", 500, |n| {
        let key = list(n, |i| format!(r#""a{i}":{{"S":"x"}}"#));
        format!(r#"Scan {{"TableName":"ttt","ExclusiveStartKey":{{{key}}}}}"#)
    });
    check("elements of a key schema", 500, |n| {
        let elements = list(n, |i| format!(r#"{{"AttributeName":"a{i}","KeyType":"HASH"}}"#));
        format!(r#"CreateTable {{"TableName":"ttt","KeySchema":[{elements}]}}"#)
    });
    check("attributes that are projected", 1_000, |n| {
        let names = list(n, |i| format!(r#""a{i}""#));
        format!(
            r#"CreateTable {{"TableName":"ttt","LocalSecondaryIndexes":[{{"Projection":{{"NonKeyAttributes":[{names}]}}}}]}}"#
        )
    });
    check("keys of tags", 1_000, |n| {
        let keys = list(n, |i| format!(r#""k{i}""#));
        let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/ttt";
        format!(r#"UntagResource {{"ResourceArn":"{arn}","TagKeys":[{keys}]}}"#)
    });
    check("a value of one update, used again and again", 500, |n| {
        let actions = list(400, |i| format!("a{i} = :v"));
        let value = list(n, |_| r#"{"S":""}"#.to_owned());
        format!(
            r#"UpdateItem {{"TableName":"ttt","Key":{{}},"UpdateExpression":"SET {actions}","ExpressionAttributeValues":{{":v":{{"L":[{value}]}}}}}}"#
        )
    });
    check("tags", 500, |n| {
        let tags = list(n, |i| format!(r#"{{"Key":"k{i}","Value":"v"}}"#));
        let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/ttt";
        format!(r#"TagResource {{"ResourceArn":"{arn}","Tags":[{tags}]}}"#)
    });
    check("unknown members", 1_000, |n| {
        format!("ListTables {{{}}}", list(n, |i| format!(r#""x{i}":[{{}}]"#)))
    });
}

#[test]
fn keys_cost_what_they_weigh() {
    let check = |what, n, input: fn(usize) -> String| check_growth("key", what, n, input);
    check("zeros", 50_000, |n| "\0".repeat(n));
    check("escaped zeros", 20_000, |n| "\0\u{7f}".repeat(n));
    check("a long text", 50_000, |n| "x".repeat(n) + "\0\0");
}

#[test]
fn every_target_has_its_program_for_cargo_fuzz() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../qa/fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for target in TARGETS {
        let name = target.name;
        let program = std::fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs")));
        assert!(program.unwrap().contains(&format!("fuzz::{name}(input)")), "{name}");
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
}
