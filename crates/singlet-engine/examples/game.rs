//! A game stored in a folder: two players roll at the same time, one wins the turn, and
//! acknowledged writes survive a restart.
//!
//! ```console
//! $ cargo run --quiet --example game
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use singlet_dynamo::operation::{Answer, CreateTable, Request};
use singlet_engine::{Engine, Error, Options};
use std::thread;

fn main() -> Result<(), Error> {
    let folder = std::env::temp_dir().join(format!("singlet-example-{}", std::process::id()));
    let engine = Engine::open(&folder, Options::default())?;
    engine.create_table(CreateTable::from_json(
        br#"{"TableName": "games", "BillingMode": "PAY_PER_REQUEST",
             "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"},
                                      {"AttributeName": "SK", "AttributeType": "S"}],
             "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"},
                           {"AttributeName": "SK", "KeyType": "RANGE"}]}"#,
    )?)?;
    engine.wait_until_active("games")?;
    ask(
        &engine,
        "PutItem",
        r#"{"TableName": "games", "Item": {"PK": {"S": "GAME#1"}, "SK": {"S": "METADATA"}, "turn": {"N": "7"}}}"#,
    )?;

    // Both want turn 7. Commits are serial, so exactly one condition holds.
    let outcomes: Vec<Result<Answer, Error>> = thread::scope(|scope| {
        let rolls = ["Ada", "Zoë"].map(|player| {
            let engine = &engine;
            scope.spawn(move || {
                let body = format!(
                    r##"{{"TransactItems": [
                        {{"Update": {{"TableName": "games", "Key": {{"PK": {{"S": "GAME#1"}}, "SK": {{"S": "METADATA"}}}},
                          "UpdateExpression": "SET turn = turn + :one", "ConditionExpression": "turn = :mine",
                          "ExpressionAttributeValues": {{":one": {{"N": "1"}}, ":mine": {{"N": "7"}}}}}}}},
                        {{"Put": {{"TableName": "games", "Item": {{"PK": {{"S": "GAME#1"}}, "SK": {{"S": "MOVE#7"}}, "by": {{"S": "{player}"}}}}}}}}
                    ]}}"##
                );
                ask(engine, "TransactWriteItems", &body)
            })
        });
        rolls.into_iter().filter_map(|roll| roll.join().ok()).collect()
    });
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    println!("{won} of {} rolls counted", outcomes.len());
    for refusal in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        println!("refused: {refusal}");
    }
    engine.close()?;

    let engine = Engine::open(&folder, Options::default())?;
    let query = r#"{"TableName": "games", "KeyConditionExpression": "PK = :game",
                    "ExpressionAttributeValues": {":game": {"S": "GAME#1"}}, "ProjectionExpression": "SK, turn"}"#;
    if let Answer::Page(page) = ask(&engine, "Query", query)? {
        for item in page.items.unwrap_or_default() {
            println!("stored: {}", String::from_utf8_lossy(&item.to_item().to_json()));
        }
    }
    let report = engine.check()?;
    println!("{} items checked, {} problems", report.items, report.problem_count);
    drop(engine);
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}

fn ask(engine: &Engine, operation: &str, body: &str) -> Result<Answer, Error> {
    engine.execute(Request::from_json(operation, body.as_bytes())?)
}
