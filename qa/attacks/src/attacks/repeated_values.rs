use crate::crowd::{ask, crowd};
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::json;

const VALUE_BYTES: usize = 1_000_000;
/// `IN` takes a hundred values, and an expression of 4 KB has room for ten of them.
const LISTS: usize = 10;
const LIST_USES: usize = 100;
/// How many attributes an update sets to the value.
const UPDATE_USES: usize = 300;

/// Expressions that use one value of 1 MB a thousand times. Each use had a copy of its own: one Scan
/// took 1.1 GB and 18 s on a table without items, and one UpdateItem that was too large in the end
/// as much, while all other writes waited.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Memory)?;
    let requests = endpoint.requests;
    victim::create_table(requests, "empty")?;
    let values = json!({":v": {"S": "a".repeat(VALUE_BYTES)}});
    let list = format!("b IN ({})", vec![":v"; LIST_USES].join(","));
    let scan = json!({
        "TableName": "empty",
        "FilterExpression": vec![list; LISTS].join(" OR "),
        "ExpressionAttributeValues": values,
    });
    let set: Vec<String> = (0..UPDATE_USES).map(|index| format!("a{index} = :v")).collect();
    let update = json!({
        "TableName": "empty",
        "Key": {"pk": {"S": "0"}},
        "UpdateExpression": format!("SET {}", set.join(",")),
        "ExpressionAttributeValues": values,
    });
    let hostile =
        [requests.make("Scan", scan.to_string()), requests.make("UpdateItem", update.to_string())];
    let mut answers = Vec::new();
    round.attack_endpoint(&mut endpoint, |_| {
        answers = crowd(hostile.len(), |index| ask(requests.address, &hostile[index]));
        Ok(())
    })?;
    for answer in answers.iter().flatten() {
        round.check_refusal("many uses of a value", answer);
    }
    Ok(())
}
