use crate::crowd::{Outcome, PATIENCE, crowd};
use crate::fixture;
use crate::http::Connection;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;
const TABLES_MAX: usize = 2_500;
/// How many tables each of them makes at least, if it is not refused: together more than there may be.
const TABLES_PER_CLIENT: usize = 330;
/// How long they may take for it, if that is longer than the attack.
const TIME_MAX: Duration = Duration::from_secs(3);
/// How long names may be: 255 bytes, less what makes them different.
const NAME_BYTES: usize = 250;
const PROJECTED: usize = 5;
const TAGS: usize = 50;
const TAG_KEY_BYTES: usize = 120;

/// CreateTable with bodies of 54 KB: twenty indexes with long names, a hundred projected attributes
/// and fifty tags. What a table is stays in memory, and there was no limit on their number: 12,000 in
/// 14 s took 1.6 GB. Now there may be 2,500, which is what DynamoDB allows an account by default, and
/// what describes all of them has a limit, too. Who is refused goes on.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    let long = "x".repeat(NAME_BYTES);
    let projection = |index: usize| {
        let names: Vec<String> =
            (0..PROJECTED).map(|name| format!("{index}-{name}{long}")).collect();
        json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names})
    };
    let tag = |number: usize| {
        let key = format!("{number}{}", "x".repeat(TAG_KEY_BYTES));
        json!({"Key": key, "Value": long})
    };
    let members = json!({
        "GlobalSecondaryIndexes": fixture::indexes(|index| format!("{index}{long}"), projection),
        "Tags": (0..TAGS).map(tag).collect::<Vec<Value>>(),
    });
    fixture::create_table_with(&mut victim::open(requests)?, requests, "first", &members)?;
    let body = fixture::table_body("NAME", &members).to_string();
    let mut outcome = Outcome::default();
    round.attack_endpoint(&mut endpoint, |until| {
        let end = Instant::now() + TIME_MAX;
        let outcomes = crowd(CLIENTS, |client| {
            let mut outcome = Outcome::default();
            let Ok(mut connection) = Connection::open(requests.address, PATIENCE) else {
                return outcome;
            };
            // Who is refused goes on as long as the attack does.
            for number in 0.. {
                let has_made_all = outcome.refused > 0 || number >= TABLES_PER_CLIENT;
                if until.is_over() && (has_made_all || Instant::now() > end) {
                    break;
                }
                let body = body.replacen("NAME", &format!("table-{client}-{number}"), 1);
                let asked = connection.ask(&requests.make("CreateTable", body));
                let Ok(answer) = asked else { break };
                outcome.add(&answer);
            }
            outcome
        });
        outcome = Outcome::sum(outcomes);
        Ok(())
    })?;
    let made = outcome.succeeded;
    round.check(made <= TABLES_MAX, || format!("{made} tables were made"));
    round.note(format!("tables: {outcome}"));
    Ok(())
}
