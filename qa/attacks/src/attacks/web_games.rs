use crate::crowd::{PATIENCE, crowd};
use crate::dynamodb::Requests;
use crate::http::{Connection, post};
use crate::round::Round;
use crate::victim;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;
/// How many games are asked for: more than may be kept.
const REQUESTS: usize = 3_200;
/// How long they may take. A server that is slow keeps few games in this time, too.
const TIME_MAX: Duration = Duration::from_secs(8);
/// How many games may be kept: those that all callers may create in an hour, which docs/systems
/// says, the one of the victim, and a few for a budget that is shared out in parts.
const GAMES_MAX: u64 = 2_100;
/// A game of one player has two items: the game and the player.
const ITEMS_PER_GAME: u64 = 2;

/// Makes as many games as possible. Each was kept for a day, and there was no bound: some gigabytes
/// an hour for whoever could reach the pages from this machine, or through a proxy on it.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let request = post(address, "/snakes/games", "", r#"{"name":"Eve"}"#);
    let mut made = 0;
    round.attack_pages(&mut server, |_| {
        let end = Instant::now() + TIME_MAX;
        let counts = crowd(CLIENTS, |_| {
            let mut made = 0;
            let Ok(mut connection) = Connection::open(address, PATIENCE) else { return 0 };
            for _ in 0..REQUESTS / CLIENTS {
                match connection.ask(&request) {
                    Ok(answer) if Instant::now() < end => made += usize::from(answer.status == 201),
                    _ => break,
                }
            }
            made
        });
        made = counts.into_iter().sum();
        Ok(())
    })?;
    let requests = Requests { address: server.endpoint()?, signed: false };
    let games = count_items(requests)? / ITEMS_PER_GAME;
    let text = format!("{games} games are kept, {made} of {REQUESTS} requests made one");
    match games <= GAMES_MAX {
        true => round.note(text),
        false => round.faults.push(text),
    }
    Ok(())
}

/// How many items the table of the game has.
fn count_items(requests: Requests) -> Result<u64, String> {
    let mut connection = victim::open(requests)?;
    let (mut count, mut start) = (0, Value::Null);
    loop {
        let mut body = json!({"TableName": "snakes-dev", "Select": "COUNT"});
        if !start.is_null() {
            body["ExclusiveStartKey"] = start;
        }
        let answer = victim::ask(&mut connection, requests, "Scan", &body.to_string())?;
        let mut page: Value = serde_json::from_str(&answer.text()).unwrap_or_default();
        count += page["Count"].as_u64().unwrap_or_default();
        start = page["LastEvaluatedKey"].take();
        if start.is_null() {
            return Ok(count);
        }
    }
}
