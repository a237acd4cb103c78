//! Indexes come and go on a table that is in use.

use crate::house::House;
use serde_json::json;

const ADD: &str = r#"{"TableName":"Hash","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"colour","AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byColour","KeySchema":[{"AttributeName":"colour","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#;
const DROP: &str =
    r#"{"TableName":"Hash","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byColour"}}]}"#;
const QUERY: &str = r#"{"TableName":"Hash","IndexName":"byColour","KeyConditionExpression":"colour = :c","ExpressionAttributeValues":{":c":{"S":"red"}},"Select":"COUNT"}"#;

fn painted(count: usize) -> House {
    let house = House::with_table("Hash");
    for n in 0..count {
        let colour = if n % 2 == 0 { "red" } else { "blue" };
        house.put("Hash", &format!(r#"{{"pk":{{"S":"k{n}"}},"colour":{{"S":"{colour}"}}}}"#));
    }
    house
}

fn status(house: &House) -> serde_json::Value {
    let table = house.json("DescribeTable", r#"{"TableName":"Hash"}"#);
    table["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"].clone()
}

#[test]
fn a_new_index_is_filled_and_can_then_be_read() {
    // More items than one task looks at, so that it takes several.
    let house = painted(1_300);
    house.ask("UpdateTable", ADD);
    assert_eq!(status(&house), json!("CREATING"));
    let refused = house.try_ask("Query", QUERY).unwrap_err();
    assert_eq!(refused.message(), "Cannot read from backfilling global secondary index: byColour");
    // What is written meanwhile is in the index too, and what is deleted is not.
    house.put("Hash", r#"{"pk":{"S":"late"},"colour":{"S":"red"}}"#);
    house.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"k0"}}}"#);
    house.engine.maintain().unwrap();
    assert_eq!(status(&house), json!("ACTIVE"));
    assert_eq!(house.json("Query", QUERY)["Count"], json!(650));
    let report = house.engine.check().unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.index_rows, 1_300);
}

/// The counts of indexes used to be told as zero. While an index is filled they are kept exactly,
/// although items that it has not come to are changed and deleted meanwhile.
#[test]
fn what_an_index_holds_is_counted() {
    let counts = |house: &House| {
        let table = house.json("DescribeTable", r#"{"TableName":"Hash"}"#);
        let index = &table["Table"]["GlobalSecondaryIndexes"][0];
        (index["ItemCount"].clone(), index["IndexSizeBytes"].clone())
    };
    let house = painted(2);
    house.put("Hash", r#"{"pk":{"S":"bare"}}"#);
    house.ask("UpdateTable", &ADD.replace("\"ALL\"", "\"KEYS_ONLY\""));
    assert_eq!(counts(&house), (json!(0), json!(0)));
    // Changed without its index's key, and deleted, before the index has come to them.
    house.put("Hash", r#"{"pk":{"S":"k0"},"colour":{"S":"red"},"note":{"S":"not projected"}}"#);
    house.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"k1"}}}"#);
    house.put("Hash", r#"{"pk":{"S":"late"},"colour":{"S":"green"}}"#);
    house.engine.maintain().unwrap();
    let size = "pkk0colourred".len() + "pklatecolourgreen".len();
    assert_eq!(counts(&house), (json!(2), json!(size)));

    house.put("Hash", r#"{"pk":{"S":"k0"},"colour":{"S":"blue"}}"#);
    assert_eq!(counts(&house), (json!(2), json!(size + 1)));
    house.put("Hash", r#"{"pk":{"S":"k0"}}"#);
    assert_eq!(counts(&house), (json!(1), json!("pklatecolourgreen".len())));
    house.ask("UpdateTable", DROP);
    house.engine.maintain().unwrap();
    house.ask("UpdateTable", ADD);
    house.engine.maintain().unwrap();
    assert_eq!(counts(&house), (json!(1), json!("pklatecolourgreen".len())));
}

#[test]
fn items_that_do_not_fit_a_new_index_are_not_in_it() {
    let house = painted(2);
    house.put("Hash", r#"{"pk":{"S":"empty"},"colour":{"S":""}}"#);
    house.put("Hash", r#"{"pk":{"S":"number"},"colour":{"N":"7"}}"#);
    house.put(
        "Hash",
        &format!(r#"{{"pk":{{"S":"long"}},"colour":{{"S":"{}"}}}}"#, "x".repeat(2049)),
    );
    house.ask("UpdateTable", ADD);
    house.engine.maintain().unwrap();
    assert_eq!(house.all("Hash", Some("byColour")).len(), 2);
    assert_eq!(house.all("Hash", None).len(), 5);
    assert!(house.engine.check().unwrap().is_sound());
}

#[test]
fn a_dropped_index_leaves_nothing_and_can_come_again() {
    let house = painted(1_300);
    house.ask("UpdateTable", ADD);
    house.engine.maintain().unwrap();
    house.ask("UpdateTable", DROP);
    assert_eq!(status(&house), json!("DELETING"));
    assert!(house.try_ask("Query", QUERY).is_err());
    house.put("Hash", r#"{"pk":{"S":"late"},"colour":{"S":"red"}}"#);
    // Its rows are not kept up any more, which is nothing to complain of.
    house.ask("DeleteItem", r#"{"TableName":"Hash","Key":{"pk":{"S":"k1"}}}"#);
    assert!(house.engine.check().unwrap().is_sound());
    house.engine.maintain().unwrap();
    assert_eq!(status(&house), json!(null));
    assert_eq!(house.engine.check().unwrap().index_rows, 0);
    house.ask("UpdateTable", ADD);
    house.engine.maintain().unwrap();
    assert_eq!(house.json("Query", QUERY)["Count"], json!(651));
}

#[test]
fn a_deleted_table_leaves_nothing_and_its_name_is_free() {
    let house = painted(1_300);
    house.ask("UpdateTable", ADD);
    house.engine.maintain().unwrap();
    house.ask("DeleteTable", r#"{"TableName":"Hash"}"#);
    let refused = house.try_ask("Scan", r#"{"TableName":"Hash"}"#).unwrap_err();
    assert_eq!(refused.message(), "Requested resource not found");
    house.engine.maintain().unwrap();
    assert_eq!(house.json("ListTables", "{}")["TableNames"], json!([]));
    let report = house.engine.check().unwrap();
    assert_eq!((report.items, report.index_rows), (0, 0));
    house.ask(
        "CreateTable",
        r#"{"TableName":"Hash","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}"#,
    );
    house.engine.maintain().unwrap();
    assert!(house.all("Hash", None).is_empty());
}

#[test]
fn items_that_are_left_out_of_an_index_cost_nothing_there() {
    let house = House::with_table("Hash");
    let values = [json!({"N": "1"}), json!({"S": ""}), json!({"S": "x".repeat(2049)})];
    for (n, colour) in values.iter().enumerate() {
        house.put("Hash", &json!({"pk": {"S": n.to_string()}, "colour": colour}).to_string());
    }
    house.ask("UpdateTable", ADD);
    house.engine.maintain().unwrap();
    for n in 0..values.len() {
        let request = json!({
            "TableName": "Hash", "Key": {"pk": {"S": n.to_string()}},
            "ReturnConsumedCapacity": "INDEXES"
        });
        let answer = house.json("DeleteItem", &request.to_string());
        assert_eq!(answer["ConsumedCapacity"]["GlobalSecondaryIndexes"], json!(null));
    }
}
