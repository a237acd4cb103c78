use crate::crowd::{Outcome, crowd, repeat_in_turn};
use crate::fixture;
use crate::round::{Kind, Round};
use crate::victim;
use serde_json::{Value, json};

const CLIENTS: usize = 32;
const TABLES: usize = 300;
/// As many as a transaction may have.
const ENTRIES: usize = 100;
/// How many clients make the tables.
const MAKERS: usize = 8;

/// Transactions of a hundred tiny puts, each into another table with twenty indexes, on 32
/// connections. Each of these tables and indexes has a count of its items, which changed with each
/// transaction; that was not counted among the work of a commit. With sixteen connections, puts of
/// others took up to 370 ms.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut endpoint = round.endpoint(Kind::Folder)?;
    let requests = endpoint.requests;
    let keys_only = |_| json!({"ProjectionType": "KEYS_ONLY"});
    let indexes = fixture::indexes(|index| format!("index{index}"), keys_only);
    let members = json!({"GlobalSecondaryIndexes": indexes});
    let made = crowd(MAKERS, |maker| {
        let mut connection = victim::open(requests)?;
        (maker..TABLES).step_by(MAKERS).try_for_each(|table| {
            fixture::create_table_with(&mut connection, requests, &name(table), &members)
        })
    });
    made.into_iter().collect::<Result<(), String>>()?;
    let write = |client: usize, is_put: bool| {
        let entry = |number: usize| {
            let table = (client * ENTRIES + number) % TABLES;
            let key = json!({"pk": {"S": client.to_string()}});
            match is_put {
                true => json!({"Put": {"TableName": name(table), "Item": key}}),
                false => json!({"Delete": {"TableName": name(table), "Key": key}}),
            }
        };
        let entries: Vec<Value> = (0..ENTRIES).map(entry).collect();
        requests.make("TransactWriteItems", json!({"TransactItems": entries}).to_string())
    };
    let mut outcome = Outcome::default();
    round.attack_endpoint(&mut endpoint, |until| {
        outcome = Outcome::sum(crowd(CLIENTS, |client| {
            let writes = [write(client, true), write(client, false)];
            repeat_in_turn(requests.address, &writes, until)
        }));
        Ok(())
    })?;
    round.check(outcome.succeeded > 0, || format!("nothing was written: {outcome}"));
    round.note(format!("transactions: {outcome}"));
    Ok(())
}

fn name(table: usize) -> String {
    format!("counted-{table}")
}
