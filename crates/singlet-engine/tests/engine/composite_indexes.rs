//! Global indexes whose keys have several attributes.
//!
//! The table `Composite` of the case files has the key `pk` (S), `sk` (N) and three indexes:
//! `byAll` with the partition attributes `h1` (S), `h2` (N) and the sort attributes `r1` (S), `r2`
//! (N), `r3` (B); `byHashes` with `h1`, `h2`; `bySome` with `h1` and the sort attributes `r1`, `r2`.

use crate::fixed_engine::FixedEngine;
use serde_json::{Value, json};

/// An engine with numbered items `pk` = "p" in the index partition `h1` = "h", `h2` = 1.
fn filled(sort_keys: &[(&str, i64, &str)]) -> FixedEngine {
    let fixed = FixedEngine::with_table("Composite");
    for (number, (r1, r2, r3)) in sort_keys.iter().enumerate() {
        put(&fixed, &row(number, r1, *r2, r3));
    }
    fixed
}

fn row(number: usize, r1: &str, r2: i64, r3: &str) -> Value {
    json!({
        "pk": {"S": "p"}, "sk": {"N": number.to_string()},
        "h1": {"S": "h"}, "h2": {"N": "1"},
        "r1": {"S": r1}, "r2": {"N": r2.to_string()}, "r3": {"B": r3},
    })
}

fn put(fixed: &FixedEngine, item: &Value) {
    fixed.put("Composite", &item.to_string());
}

fn update(fixed: &FixedEngine, number: usize, expression: &str, values: &Value) {
    let mut body = json!({
        "TableName": "Composite",
        "Key": {"pk": {"S": "p"}, "sk": {"N": number.to_string()}},
        "UpdateExpression": expression,
    });
    if !values.is_null() {
        body["ExpressionAttributeValues"] = values.clone();
    }
    fixed.ask("UpdateItem", &body.to_string());
}

/// A query of `byAll` for the partition `h`, 1 with this sort key condition.
fn query_body(sort: &str) -> Value {
    let values = json!({
        ":h": {"S": "h"}, ":1": {"N": "1"}, ":2": {"N": "2"}, ":3": {"N": "3"},
        ":a": {"S": "a"}, ":ab": {"S": "ab"}, ":b": {"S": "b"}, ":01": {"B": "AQ=="},
    });
    let condition = format!("h1 = :h AND h2 = :1{sort}");
    let words: Vec<&str> = condition.split([' ', ',', '(', ')']).collect();
    let used =
        values.as_object().unwrap().iter().filter(|(name, _)| words.contains(&name.as_str()));
    let used: serde_json::Map<String, Value> =
        used.map(|(name, value)| (name.clone(), value.clone())).collect();
    json!({
        "TableName": "Composite", "IndexName": "byAll",
        "KeyConditionExpression": condition, "ExpressionAttributeValues": used,
    })
}

/// The numbers of the items in an answer.
fn numbers(answer: &Value) -> Vec<usize> {
    let items = answer["Items"].as_array().unwrap().iter();
    items.map(|item| item["sk"]["N"].as_str().unwrap().parse().unwrap()).collect()
}

fn query(fixed: &FixedEngine, sort: &str) -> Vec<usize> {
    numbers(&fixed.json("Query", &query_body(sort).to_string()))
}

fn count(fixed: &FixedEngine, index: &str) -> usize {
    fixed.all("Composite", Some(index)).len()
}

fn assert_sound(fixed: &FixedEngine) {
    let report = fixed.engine.check().unwrap();
    assert!(report.is_sound(), "{report:?}");
}

#[test]
fn rows_sort_by_each_attribute_in_turn() {
    let fixed = filled(&[
        ("b", -5, "AQ=="),
        ("a", 10, "AQ=="),
        // By value, not by digits.
        ("a", 9, "/w=="),
        ("a", -1, "AQ=="),
        // The same first attributes: the last one decides, a prefix first.
        ("a", 9, "/wA="),
        ("a", 9, "AA=="),
        // A string that extends another, and one followed by a zero.
        ("ab", -100, "AQ=="),
        ("a\0", 100, "AQ=="),
        ("a\0b", -7, "AQ=="),
    ]);
    assert_eq!(query(&fixed, ""), [3, 5, 2, 4, 1, 7, 8, 6, 0]);
    let mut backwards = query_body("");
    backwards["ScanIndexForward"] = json!(false);
    let backwards = fixed.json("Query", &backwards.to_string());
    assert_eq!(numbers(&backwards), [0, 6, 8, 7, 1, 4, 2, 5, 3]);
}

#[test]
fn a_query_has_equalities_and_then_one_range() {
    let fixed = filled(&[
        ("a", 1, "AQ=="),
        ("a", 2, "AQ=="),
        ("a", 2, "AQI="),
        ("a", 2, "Ag=="),
        ("a", 3, "AQ=="),
        ("ab", 2, "AQ=="),
        ("b", 2, "AQ=="),
    ]);
    let other = json!({"pk": {"S": "q"}, "sk": {"N": "99"}, "h1": {"S": "h"}, "h2": {"N": "2"},
        "r1": {"S": "a"}, "r2": {"N": "2"}, "r3": {"B": "AQ=="}});
    put(&fixed, &other);
    for (sort, expected) in [
        ("", &[0, 1, 2, 3, 4, 5, 6][..]),
        (" AND r1 = :a", &[0, 1, 2, 3, 4]),
        (" AND r1 > :a", &[5, 6]),
        (" AND r1 < :ab", &[0, 1, 2, 3, 4]),
        (" AND begins_with(r1, :a)", &[0, 1, 2, 3, 4, 5]),
        (" AND r1 BETWEEN :ab AND :b", &[5, 6]),
        (" AND r1 = :a AND r2 = :2", &[1, 2, 3]),
        (" AND r1 = :a AND r2 >= :2", &[1, 2, 3, 4]),
        (" AND r1 = :a AND r2 < :2", &[0]),
        (" AND r1 = :a AND r2 BETWEEN :1 AND :2", &[0, 1, 2, 3]),
        (" AND r1 = :a AND r2 > :3", &[]),
        (" AND r1 = :a AND r2 = :2 AND r3 = :01", &[1]),
        (" AND r1 = :a AND r2 = :2 AND r3 > :01", &[2, 3]),
        (" AND r1 = :a AND r2 = :2 AND begins_with(r3, :01)", &[1, 2]),
    ] {
        assert_eq!(query(&fixed, sort), expected, "{sort}");
    }
}

#[test]
fn an_item_that_lacks_an_attribute_is_not_in_the_index() {
    let fixed = FixedEngine::with_table("Composite");
    let whole = row(0, "a", 1, "AQ==");
    for missing in ["h1", "h2", "r1", "r2", "r3"] {
        let mut item = whole.clone();
        item.as_object_mut().unwrap().remove(missing);
        put(&fixed, &item);
        let counts = ["byAll", "byHashes", "bySome"].map(|index| count(&fixed, index));
        let expected = match missing {
            "h1" => [0, 0, 0],
            "h2" => [0, 0, 1],
            "r3" => [0, 1, 1],
            _ => [0, 1, 0],
        };
        assert_eq!(counts, expected, "{missing}");
    }
    put(&fixed, &whole);
    assert_eq!(["byAll", "byHashes", "bySome"].map(|index| count(&fixed, index)), [1, 1, 1]);
    assert_sound(&fixed);
}

#[test]
fn updates_move_rows() {
    let fixed = filled(&[("a", 1, "AQ=="), ("a", 2, "AQ==")]);
    let set = |number, name: &str, value: Value| {
        update(&fixed, number, &format!("SET {name} = :v"), &json!({":v": value}));
    };
    // Moves within the partition, by an attribute in the middle of the key.
    set(0, "r2", json!({"N": "3"}));
    assert_eq!(query(&fixed, ""), [1, 0]);
    // Leaves the partition by its second attribute, and returns.
    set(1, "h2", json!({"N": "2"}));
    assert_eq!(query(&fixed, ""), [0]);
    assert_eq!(count(&fixed, "byAll"), 2);
    set(1, "h2", json!({"N": "1"}));
    assert_eq!(query(&fixed, ""), [1, 0]);
    // Leaves the index, and returns.
    update(&fixed, 0, "REMOVE r3", &Value::Null);
    assert_eq!(query(&fixed, ""), [1]);
    set(0, "r3", json!({"B": "AA=="}));
    assert_eq!(query(&fixed, ""), [1, 0]);
    fixed.ask("DeleteItem", r#"{"TableName":"Composite","Key":{"pk":{"S":"p"},"sk":{"N":"1"}}}"#);
    assert_eq!(query(&fixed, ""), [0]);
    assert_sound(&fixed);
}

#[test]
fn batches_and_transactions_keep_the_index() {
    let fixed = filled(&[("a", 1, "AQ=="), ("a", 2, "AQ==")]);
    let key = |number: usize| json!({"pk": {"S": "p"}, "sk": {"N": number.to_string()}});
    let batch = json!({"RequestItems": {"Composite": [
        {"PutRequest": {"Item": row(2, "a", 0, "AQ==")}},
        {"DeleteRequest": {"Key": key(0)}},
    ]}});
    fixed.ask("BatchWriteItem", &batch.to_string());
    assert_eq!(query(&fixed, ""), [2, 1]);
    let transaction = json!({"TransactItems": [
        {"Put": {"TableName": "Composite", "Item": row(3, "b", 0, "AQ==")}},
        {"Delete": {"TableName": "Composite", "Key": key(2)}},
        {"Update": {"TableName": "Composite", "Key": key(1), "UpdateExpression": "SET r1 = :c",
            "ExpressionAttributeValues": {":c": {"S": "c"}}}},
    ]});
    fixed.ask("TransactWriteItems", &transaction.to_string());
    assert_eq!(query(&fixed, ""), [3, 1]);
    assert_sound(&fixed);
}

#[test]
fn pages_go_on_where_they_ended() {
    // Several rows share all key attributes of the index.
    let fixed = filled(&[("a", 1, "AQ=="), ("a", 1, "AQ=="), ("a", 1, "Ag=="), ("b", 0, "AQ==")]);
    put(
        &fixed,
        &json!({"pk": {"S": "o"}, "sk": {"N": "9"}, "h1": {"S": "h"}, "h2": {"N": "1"},
        "r1": {"S": "a"}, "r2": {"N": "1"}, "r3": {"B": "AQ=="}}),
    );
    let expected = [9, 0, 1, 2, 3];
    assert_eq!(query(&fixed, ""), expected);
    let read = |operation: &str, mut body: Value| {
        body["Limit"] = json!(1);
        let mut read = Vec::new();
        loop {
            let page = fixed.json(operation, &body.to_string());
            read.extend(numbers(&page));
            let Some(key) = page.get("LastEvaluatedKey") else { return read };
            let mut names: Vec<&str> =
                key.as_object().unwrap().keys().map(String::as_str).collect();
            names.sort_unstable();
            assert_eq!(names, ["h1", "h2", "pk", "r1", "r2", "r3", "sk"]);
            body["ExclusiveStartKey"] = key.clone();
        }
    };
    assert_eq!(read("Query", query_body("")), expected);
    assert_eq!(read("Query", query_body(" AND r1 = :a AND r2 = :1")), expected[..4]);
    let mut backwards = query_body("");
    backwards["ScanIndexForward"] = json!(false);
    let reversed: Vec<usize> = expected.iter().rev().copied().collect();
    assert_eq!(read("Query", backwards), reversed);
    assert_eq!(read("Scan", json!({"TableName": "Composite", "IndexName": "byAll"})), expected);
}

#[test]
fn an_index_holds_the_attributes_of_its_key() {
    let fixed = FixedEngine::with_table("Composite");
    let mut item = row(0, "a", 1, "AQ==");
    item["note"] = json!({"S": "projected by bySome"});
    item["more"] = json!({"S": "projected by byAll"});
    put(&fixed, &item);
    for (index, left_out) in [
        ("byAll", &[][..]),
        ("byHashes", &["r1", "r2", "r3", "note", "more"]),
        ("bySome", &["h2", "r3", "more"]),
    ] {
        let scan = json!({"TableName": "Composite", "IndexName": index}).to_string();
        let mut expected = item.clone();
        expected.as_object_mut().unwrap().retain(|name, _| !left_out.contains(&name.as_str()));
        assert_eq!(fixed.json("Scan", &scan)["Items"], json!([expected]), "{index}");
    }
}

#[test]
fn writes_cost_what_they_do_to_the_index() {
    let fixed = filled(&[("a", 1, "AQ==")]);
    let cost = |expression: &str, values: Value| {
        let body = json!({
            "TableName": "Composite", "Key": {"pk": {"S": "p"}, "sk": {"N": "0"}},
            "UpdateExpression": expression, "ExpressionAttributeValues": values,
            "ReturnConsumedCapacity": "INDEXES",
        });
        let answer = fixed.json("UpdateItem", &body.to_string());
        let indexes = &answer["ConsumedCapacity"]["GlobalSecondaryIndexes"];
        ["byAll", "byHashes", "bySome"].map(|index| indexes[index]["CapacityUnits"].as_f64())
    };
    // A row that moves is deleted and written.
    assert_eq!(cost("SET r2 = :v", json!({":v": {"N": "2"}})), [Some(2.0), None, Some(2.0)]);
    assert_eq!(cost("SET h2 = :v", json!({":v": {"N": "2"}})), [Some(2.0), Some(2.0), None]);
    // A row that stays is written only if it projects the changed attribute.
    assert_eq!(cost("SET more = :v", json!({":v": {"N": "2"}})), [Some(1.0), None, None]);
    assert_eq!(cost("SET note = :v", json!({":v": {"N": "2"}})), [Some(1.0), None, Some(1.0)]);
}

#[test]
fn a_new_index_is_filled_with_items_that_fit() {
    let fixed = FixedEngine::with_table("Hash");
    let items = [
        json!({"pk": {"S": "0"}, "t": {"S": "t"}, "u": {"N": "1"}, "v": {"B": "AQ=="}}),
        json!({"pk": {"S": "1"}, "t": {"S": "t"}, "u": {"N": "1"}, "v": {"B": "AA=="}}),
        // Lacks an attribute.
        json!({"pk": {"S": "2"}, "t": {"S": "t"}, "u": {"N": "1"}}),
        // Wrong type.
        json!({"pk": {"S": "3"}, "t": {"S": "t"}, "u": {"S": "1"}, "v": {"B": "AA=="}}),
        json!({"pk": {"S": "4"}, "t": {"S": ""}, "u": {"N": "1"}, "v": {"B": "AA=="}}),
        // Too long together: 2047 bytes, and two for the number.
        json!({"pk": {"S": "5"}, "t": {"S": "t".repeat(2047)}, "u": {"N": "1"}, "v": {"B": "AA=="}}),
    ];
    for item in &items {
        fixed.put("Hash", &item.to_string());
    }
    let define = |(name, kind)| json!({"AttributeName": name, "AttributeType": kind});
    let definitions = [("pk", "S"), ("t", "S"), ("u", "N"), ("v", "B")].map(define);
    let element = |(name, role)| json!({"AttributeName": name, "KeyType": role});
    let key = [("t", "HASH"), ("u", "HASH"), ("v", "RANGE")].map(element);
    let add = json!({
        "TableName": "Hash",
        "AttributeDefinitions": definitions,
        "GlobalSecondaryIndexUpdates": [{"Create": {
            "IndexName": "new", "KeySchema": key, "Projection": {"ProjectionType": "ALL"},
        }}],
    });
    fixed.ask("UpdateTable", &add.to_string());
    fixed.engine.maintain().unwrap();
    let described = fixed.json("DescribeTable", r#"{"TableName":"Hash"}"#);
    let index = &described["Table"]["GlobalSecondaryIndexes"][0];
    assert_eq!((&index["IndexStatus"], &index["KeySchema"]), (&json!("ACTIVE"), &json!(key)));
    let query = json!({
        "TableName": "Hash", "IndexName": "new", "KeyConditionExpression": "t = :t AND u = :u",
        "ExpressionAttributeValues": {":t": {"S": "t"}, ":u": {"N": "1"}},
    });
    assert_eq!(fixed.json("Query", &query.to_string())["Items"], json!([items[1], items[0]]));
    assert_eq!(fixed.all("Hash", Some("new")).len(), 2);
    assert_sound(&fixed);
    // With the index in place, such items are rejected.
    let put = json!({"TableName": "Hash", "Item": items[5]}).to_string();
    assert_eq!(
        fixed.try_ask("PutItem", &put).unwrap_err().message(),
        "Aggregate size for HASH key attributes t, u of index new has exceeded limit 2048 bytes, with actual size 2049 bytes"
    );
}
