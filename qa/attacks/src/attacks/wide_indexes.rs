use crate::crowd::attack_by_one;
use crate::fixture;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;

const TABLE: &str = "wide";
/// With so many attributes, a transaction may change no more: it may have 4 MB with their contents.
const ITEMS: usize = 12;
/// How many attributes an item has. With names of four bytes, 65,000 fit into the 400 KB of an item.
const ATTRIBUTES: usize = 60_000;
/// A projection names at most 100 attributes in all indexes of a table together.
const PROJECTED: usize = 5;

/// A transaction that sets a number in items with tens of thousands of attributes, of a table with
/// twenty indexes that each project five others, and asks for the capacity of each index. One
/// connection with a hundred items of 65,000 attributes had all other writes wait for 6 to 14 s.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    let mut connection = victim::open(requests)?;
    let projection = |index: usize| {
        let names: Vec<String> = (0..PROJECTED).map(|name| format!("zz{index}{name}")).collect();
        json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names})
    };
    let indexes = fixture::indexes(|index| format!("index{index}"), projection);
    let members = json!({"GlobalSecondaryIndexes": indexes});
    fixture::create_table_with(&mut connection, requests, TABLE, &members)?;
    let attributes = (0..ATTRIBUTES).map(|name| format!(r#""{name:04x}":{{"NULL":true}}"#));
    let attributes = attributes.collect::<Vec<String>>().join(",");
    for key in 0..ITEMS {
        let item = format!(r#"{{"pk":{{"S":"{key}"}},{attributes}}}"#);
        let put = format!(r#"{{"TableName":"{TABLE}","Item":{item}}}"#);
        victim::ask(&mut connection, requests, "PutItem", &put)?;
    }
    let update = |number| {
        let mut update = fixture::updates(TABLE, ITEMS, number);
        update["ReturnConsumedCapacity"] = json!("INDEXES");
        requests.make("TransactWriteItems", update.to_string())
    };
    let updates: Vec<Vec<u8>> = (0..2).map(update).collect();
    attack_by_one(round, &mut endpoint, &updates)
}
