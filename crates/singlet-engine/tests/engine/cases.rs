//! Runs every case file through the engine.
//!
//! The case files in `crates/singlet-dynamo/tests/cases` are plain DynamoDB requests; here they go
//! through tables, rows and commits.

use singlet_dynamo::arn::Home;
use singlet_dynamo::operation::{Answer, CreateTable, PutItem, Request};
use singlet_dynamo::{Error, Item};
use singlet_engine::{Clock, Engine, Options};
use singlet_testing::cases::{self, Case};

/// 2026-01-01T00:00:00.000, the time of all cases.
const NOW_MS: i64 = 1_767_225_600_000;

fn engine() -> Engine {
    let options = Options {
        clock: Clock::fixed(NOW_MS),
        home: Home { region: "us-east-1".into(), account: "123456789012".into() },
        background: false,
        ..Options::default()
    };
    let engine = Engine::memory_with(options).unwrap();
    let tables: Vec<serde_json::Value> = serde_json::from_str(&cases::tables().unwrap()).unwrap();
    for table in tables {
        let request = CreateTable::from_json(table.to_string().as_bytes()).unwrap();
        engine.create_table(request).unwrap();
    }
    engine.maintain().unwrap();
    engine
}

fn carry_out(engine: &Engine, request: &cases::Request) -> Result<Answer, Error> {
    let request = Request::from_json(&request.operation, request.body.as_bytes())?;
    engine.execute(request).map_err(|error| error.to_dynamo())
}

fn check(case: &Case) -> Result<(), String> {
    let engine = engine();
    for item in &case.given {
        let item = Item::from_json(item.as_bytes()).unwrap();
        engine.put_item(PutItem::new(case.table(), item)).unwrap();
    }
    for request in &case.after {
        carry_out(&engine, request).unwrap_or_else(|error| panic!("{}: {error}", case.place));
        engine.maintain().unwrap();
    }
    let mut answered = cases::Answer::of(&carry_out(&engine, &case.request));
    if let cases::Answer::Exactly(json) = &mut answered {
        forget_table_id(json);
    }
    case.check(&answered)
}

/// Replaces the random table id with the one in the cases.
fn forget_table_id(json: &mut String) {
    let member = "\"TableId\":\"";
    if let Some(found) = json.find(member) {
        let start = found + member.len();
        json.replace_range(start..start + 36, "00000000-0000-4000-8000-000000000000");
    }
}

#[test]
fn every_case_is_answered_as_the_service_answers_it() {
    let cases = cases::load().unwrap();
    let failures: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    println!("{} of {} cases passed", cases.len() - failures.len(), cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
