//! Every case of `cases/*.txt`, answered by the language alone.
//!
//! [`world`] carries out requests on a handful of items in memory, by nothing but the crate's
//! own functions, in the order in which a server would call them. What a case expects and what
//! came out are compared as JSON, in which objects and DynamoDB's sets have no order.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic here is a failing test"
)]

mod world;

use serde_json::Value;
use singlet_testkit::cases::{self, Answer, Case};
use world::World;

#[test]
fn every_case_is_answered_as_the_service_answers_it() {
    let cases = cases::load().unwrap();
    let failures: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    println!("{} of {} cases passed", cases.len() - failures.len(), cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn check(case: &Case) -> Result<(), String> {
    let mut world = World::new();
    for item in &case.given {
        world.store(case.table(), item);
    }
    for request in &case.after {
        world.done(&request.operation, &request.body);
    }
    let got = world.answer(&case.request.operation, &case.request.body);
    let same = match (&case.answer, &got) {
        (Answer::Accepted, Answer::Exactly(_)) => true,
        (Answer::Exactly(expected), Answer::Exactly(got)) => json(expected) == json(got),
        (
            Answer::Refused { code, message, details },
            Answer::Refused { code: got_code, message: got_message, details: got_details },
        ) => {
            (code, message) == (got_code, got_message)
                && details.as_deref().map(json) == got_details.as_deref().map(json)
        }
        _ => false,
    };
    if same { Ok(()) } else { Err(told(case, &got.to_string())) }
}

/// JSON in which sets are in order, and numbers are numbers however they are written.
fn json(text: &str) -> Value {
    fn normal(json: Value) -> Value {
        match json {
            Value::Number(number) => Value::from(number.as_f64()),
            Value::Array(values) => values.into_iter().map(normal).collect(),
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, value)| match value {
                    Value::Array(mut elements) if matches!(name.as_str(), "SS" | "NS" | "BS") => {
                        elements.sort_by_key(ToString::to_string);
                        (name, Value::Array(elements))
                    }
                    value => (name, normal(value)),
                });
                Value::Object(members.collect())
            }
            scalar => scalar,
        }
    }
    normal(serde_json::from_str(text).unwrap())
}

fn told(case: &Case, got: &str) -> String {
    let short = |text: &str| -> String {
        match text.char_indices().nth(600) {
            None => text.to_owned(),
            Some((end, _)) => format!("{}…", &text[..end]),
        }
    };
    format!(
        "{}: {}\n  request  {} {}\n  expected {}\n  got      {}",
        case.place,
        case.title,
        case.request.operation,
        short(&case.request.body),
        short(&case.answer.to_string()),
        short(got)
    )
}
