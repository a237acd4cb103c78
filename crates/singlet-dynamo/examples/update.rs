//! Executes an UpdateItem with the language crate alone: no store, no network. Run it with `cargo
//! run --quiet --example update`.
#![allow(clippy::print_stdout, reason = "an example shows what it does by printing")]

use singlet_dynamo::capacity::write_units;
use singlet_dynamo::operation::{CreateTable, UpdateItem};
use singlet_dynamo::schema::TableSchema;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Error, Item};

fn main() -> Result<(), Error> {
    let games = CreateTable::from_json(
        br#"{
            "TableName": "games",
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}]
        }"#,
    )?
    .schema;
    let stored = Item::from_json(br#"{"PK": {"S": "GAME#1"}, "turn": {"N": "7"}}"#)?;

    // The same move twice: the second one comes too late.
    let mut stored = StoredItem::from(&stored);
    for _ in 0..2 {
        match take_turn(&games, &stored) {
            Ok(new) => stored = new,
            Err(error) => println!("refused: {}: {}", error.kind().name(), error.message()),
        }
    }

    // Invalid expressions get the service's error messages.
    for expression in ["SET turn = turn + :one, turn = :one", "SET turn = turn + :two"] {
        let body = format!(
            r#"{{"TableName": "games", "Key": {{"PK": {{"S": "GAME#1"}}}},
                "UpdateExpression": "{expression}",
                "ExpressionAttributeValues": {{":one": {{"N": "1"}}}}}}"#
        );
        if let Err(error) = UpdateItem::from_json(body.as_bytes()) {
            println!("refused: {}: {}", error.kind().name(), error.message());
        }
    }
    Ok(())
}

/// Parses a request, checks it against the table, and applies it to the item.
fn take_turn(games: &TableSchema, stored: &StoredItem) -> Result<StoredItem, Error> {
    let request = UpdateItem::from_json(
        br##"{
            "TableName": "games",
            "Key": {"PK": {"S": "GAME#1"}},
            "UpdateExpression": "SET turn = turn + :one, #last = :player",
            "ConditionExpression": "turn = :turn AND attribute_not_exists(winner)",
            "ExpressionAttributeNames": {"#last": "last"},
            "ExpressionAttributeValues": {
                ":one": {"N": "1"}, ":turn": {"N": "7.0"}, ":player": {"S": "Zo\u00eb"}
            }
        }"##,
    )?;
    request.check(games)?;
    let updated = request.decide(Some(stored), games)?;
    // An update never deletes an existing item.
    let new = updated.item.unwrap_or_else(|| stored.clone());
    let item = new.as_item().to_item();
    println!("stored: {}", String::from_utf8_lossy(&item.to_json()));
    println!("        {} bytes, {} write unit", item.size(), write_units(item.size()));
    Ok(new)
}
