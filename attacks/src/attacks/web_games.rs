use crate::crowd::{crowd, repeat};
use crate::dynamodb::Requests;
use crate::http::post;
use crate::round::Round;
use crate::victim;
use serde_json::{Value, json};

const CLIENTS: usize = 8;
/// How many games one caller may have made in the time of the attack. A person makes one in a
/// minute; what is needed is that the number does not grow with the speed of the attacker.
const GAMES_MAX: u64 = 1_000;
/// A game of one player has two items: the game and the player.
const ITEMS_PER_GAME: u64 = 2;

/// Makes as many games as possible. Each was kept for a day, and there was no bound: some gigabytes
/// an hour for whoever could reach the pages from this machine, or through a proxy on it.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let request = post(address, "/snakes/games", "", r#"{"name":"Eve"}"#);
    let mut answered = 0;
    round.attack_pages(&mut server, |until| {
        answered = crowd(CLIENTS, |_| repeat(address, &request, until)).into_iter().sum();
        Ok(())
    })?;
    let requests = Requests { address: server.endpoint()?, signed: false };
    let games = count_items(requests)? / ITEMS_PER_GAME;
    let text = format!("{games} games are kept after {answered} requests");
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
