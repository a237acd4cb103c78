use crate::crowd::{ask, crowd};
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;

const CLIENTS: usize = 2;
const VALUE_BYTES: usize = 1_000_000;
/// `IN` takes a hundred values, and an expression of 4 KB has room for ten of them.
const LISTS: usize = 10;
const USES: usize = 100;

/// Expressions that use one value of 1 MB a thousand times. Each use had a copy of its own: one
/// request took 1.1 GB and 18 s, on a table without items.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    victim::create_table(requests, "empty")?;
    let list = format!("b IN ({})", vec![":v"; USES].join(","));
    let body = json!({
        "TableName": "empty",
        "FilterExpression": vec![list; LISTS].join(" OR "),
        "ExpressionAttributeValues": {":v": {"S": "a".repeat(VALUE_BYTES)}},
    });
    let request = requests.make("Scan", body.to_string());
    let mut answers = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        answers = crowd(CLIENTS, |_| ask(requests.address, &request));
        Ok(())
    })?;
    for answer in answers.iter().flatten() {
        round.check_refusal("a thousand uses", answer);
    }
    Ok(())
}
