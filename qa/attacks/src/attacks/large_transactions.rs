use crate::crowd::{ask, crowd, repeat};
use crate::fixture;
use crate::round::{Kind, Round};
use serde_json::{Value, json};

const CLIENTS: usize = 48;
/// The table that [`fixture::fill_large`] makes, and how many of its items a request is about.
const TABLE: &str = "large";
const ITEMS: usize = 45;

/// Transactions with bodies of a few KB that read 17 MB of items, and make as much. A condition
/// fails in the end, so that they leave nothing. Each kept all of that until it was decided, and
/// thirty-two were decided together.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    fixture::fill_large(requests)?;
    let key = |number: usize| json!({"pk": {"S": number.to_string()}});
    let check = json!({"ConditionCheck": {
        "TableName": TABLE,
        "Key": {"pk": {"S": "none"}},
        "ConditionExpression": "attribute_exists(pk)",
    }});
    let mut writes = fixture::updates(TABLE, ITEMS, 1);
    if let Some(writes) = writes["TransactItems"].as_array_mut() {
        writes.push(check);
    }
    let write = requests.make("TransactWriteItems", writes.to_string());
    let get = |number: usize| json!({"Get": {"TableName": TABLE, "Key": key(number)}});
    let gets: Vec<Value> = (0..ITEMS).map(get).collect();
    let read = requests.make("TransactGetItems", json!({"TransactItems": gets}).to_string());
    for (request, refusal) in
        [(&write, "TransactionCanceledException"), (&read, "Payload in response is too large")]
    {
        let answer = ask(requests.address, request).map_err(|error| error.to_string())?;
        let body = answer.text();
        if !body.contains(refusal) {
            return Err(format!("the attack is not carried out: {body}"));
        }
    }
    round.attack_endpoint(&mut endpoint, |until| {
        crowd(CLIENTS, |client| {
            let request = if client % 4 == 0 { &read } else { &write };
            repeat(requests.address, request, until)
        });
        Ok(())
    })
}
