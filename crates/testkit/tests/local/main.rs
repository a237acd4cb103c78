//! The cases that were seen from DynamoDB Local are sent to it again, so that no text in
//! them is a typing mistake, and a new release of it shows what it changed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic in a test is a failing test")]

mod endpoint;

use endpoint::Endpoint;
use serde_json::Value;
use singlet_testkit::cases::{self, Answer, Case};

/// There are more cases than this; fewer would mean that they are not found.
const REPLAYED_MIN: usize = 1000;

#[test]
#[ignore = "needs DynamoDB Local: cargo xtask test local"]
fn dynamodb_local_says_what_the_cases_say() {
    let mut endpoint = Endpoint::from_environment();
    let tables: Vec<Value> = serde_json::from_str(&cases::tables().unwrap()).unwrap();
    let mut replayed = 0;
    let mut differences = Vec::new();
    let mut is_fresh = false;
    for case in cases::load().unwrap().iter().filter(|case| was_seen_from_local(case)) {
        if !is_fresh {
            start_afresh(&mut endpoint, &tables);
        }
        let found = replay(&endpoint, case);
        is_fresh = case.given.is_empty() && case.after.is_empty() && found.status != 200;
        let expected = case.local.as_ref().unwrap_or(&case.answer);
        if !agrees(&found, expected) {
            differences.push(format!("{} {}\n  {expected}\n  {found}", case.place, case.title));
        }
        replayed += 1;
    }
    assert!(
        differences.is_empty(),
        "{} of {replayed} cases differ: what the case says, and what DynamoDB Local says:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(replayed >= REPLAYED_MIN, "only {replayed} cases");
}

/// Whether the case tells what Local says, of itself or of things that it has too: its
/// account is not the one in the cases' ARNs.
fn was_seen_from_local(case: &Case) -> bool {
    let told = case.local.is_some() || case.source.contains("DynamoDB Local");
    told && !case.request.body.contains("arn:")
}

/// Makes the tables that the cases speak of, as a user who has none yet.
fn start_afresh(endpoint: &mut Endpoint, tables: &[Value]) {
    endpoint.become_another_user();
    for table in tables {
        let created = endpoint.call("CreateTable", &table.to_string());
        assert_eq!(created.status, 200, "{created}");
    }
}

fn replay(endpoint: &Endpoint, case: &Case) -> endpoint::Response {
    for request in &case.after {
        let answer = endpoint.call(&request.operation, &request.body);
        assert_eq!(answer.status, 200, "{}: after: {answer}", case.place);
    }
    for item in &case.given {
        let put = format!(r#"{{"TableName":"{}","Item":{item}}}"#, case.table());
        let answer = endpoint.call("PutItem", &put);
        assert_eq!(answer.status, 200, "{}: given: {answer}", case.place);
    }
    endpoint.call(&case.request.operation, &case.request.body)
}

fn agrees(found: &endpoint::Response, expected: &Answer) -> bool {
    match expected {
        Answer::Accepted => found.status == 200,
        Answer::Exactly(json) => {
            let expected: Value = serde_json::from_str(json).unwrap();
            // The time at which a table was made, and whose it is, are the endpoint's own.
            let is_own = |text: &str| text.contains("arn:") || text.contains("DateTime");
            found.status == 200 && (is_own(json) || in_order(found.json()) == in_order(expected))
        }
        Answer::Refused { code, message, details } => {
            if found.status == 200 {
                return false;
            }
            let mut body = found.json();
            let members = body.as_object_mut().unwrap();
            let own_code = members.remove("__type").unwrap_or_default();
            let own_code = own_code.as_str().unwrap_or_default();
            let own_message =
                members.remove("message").or_else(|| members.remove("Message")).unwrap_or_default();
            own_code.rsplit('#').next() == Some(code)
                && own_message.as_str().filter(|text| !text.is_empty()) == message.as_deref()
                && details.as_ref().is_none_or(|details| {
                    in_order(serde_json::from_str(details).unwrap()) == in_order(body)
                })
        }
    }
}

/// The JSON with the elements of sets in order, since they come in any.
fn in_order(json: Value) -> Value {
    match json {
        Value::Array(values) => values.into_iter().map(in_order).collect(),
        Value::Object(members) => {
            let ordered = members.into_iter().map(|(name, value)| match value {
                Value::Array(mut elements) if matches!(name.as_str(), "SS" | "NS" | "BS") => {
                    elements.sort_by_key(ToString::to_string);
                    (name, Value::Array(elements))
                }
                value => (name, in_order(value)),
            });
            Value::Object(ordered.collect())
        }
        scalar => scalar,
    }
}
