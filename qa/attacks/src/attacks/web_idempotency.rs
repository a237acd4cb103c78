use crate::crowd::ask;
use crate::http::{Answer, post};
use crate::round::Round;
use crate::web_victim::{Game, create_game};
use serde_json::Value;
use std::net::SocketAddr;

const KEY: &str = "5a1b7c3d-9e2f-4a6b-8c0d-1e3f5a7b9c2d";
/// Keys that anybody could come upon, and with them the answers of others.
const TRIVIAL_KEYS: [&str; 5] =
    ["1", "test", "aaaaaaaaaaaaaaaa", "0000000000000000", "1234567890123456"];

/// Sends the Idempotency-Key of somebody else. The answer that is kept under it may hold a secret, so
/// nobody else may be told it: neither with another request, nor as another player. Keys that can be
/// guessed are no keys.
pub(super) fn run(round: &mut Round) -> Result<(), String> {
    let mut server = round.pages()?;
    let address = server.address()?;
    let game = create_game(address)?;
    let guest = join(address, &game, "Guest")?;
    let start = format!("/snakes/games/{}/start", game.code);
    act(address, &start, &game.secret, "")?;
    let key = format!("Idempotency-Key: {KEY}\r\n");
    let mut faults = Vec::new();
    round.attack_pages(&mut server, |_| {
        let create = |key: &str, name: &str| {
            let body = format!(r#"{{"name":"{name}"}}"#);
            let headers = format!("Idempotency-Key: {key}\r\n");
            ask(address, &post(address, "/snakes/games", &headers, &body))
                .map_err(|error| error.to_string())
        };
        let first = create(KEY, "Ann")?;
        if first.status != 201 {
            return Err(format!("a game with a key: {}", first.shown()));
        }
        let other = create(KEY, "Eve")?;
        if is_replayed(&other) || other.status < 400 {
            faults.push(format!("another request with the same key: {}", other.shown()));
        }
        let roll = format!("/snakes/games/{}/roll", game.code);
        let own = act(address, &roll, &game.secret, &key)?;
        let foreign = act(address, &roll, &guest, &key)?;
        if own.status != 200 || is_replayed(&foreign) {
            faults.push(format!("another player with the same key: {}", foreign.shown()));
        }
        for trivial in TRIVIAL_KEYS {
            let answer = create(trivial, "Ann")?;
            if answer.status < 400 {
                faults.push(format!("the key {trivial} is taken: {}", answer.status));
            }
        }
        Ok(())
    })?;
    round.faults.extend(faults);
    Ok(())
}

fn is_replayed(answer: &Answer) -> bool {
    answer.head.to_lowercase().contains("idempotency-replayed")
}

/// Joins a game, and says the secret of the new player.
fn join(address: SocketAddr, game: &Game, name: &str) -> Result<String, String> {
    let players = format!("/snakes/games/{}/players", game.code);
    let body = format!(r#"{{"name":"{name}"}}"#);
    let answer = ask(address, &post(address, &players, "", &body));
    let answer = answer.map_err(|error| error.to_string())?;
    let joined: Value = serde_json::from_str(&answer.text()).unwrap_or_default();
    let secret = joined["secret"].as_str().map(str::to_owned);
    secret.ok_or_else(|| format!("joining: {}", answer.shown()))
}

/// A request of a player.
fn act(address: SocketAddr, path: &str, secret: &str, headers: &str) -> Result<Answer, String> {
    let headers = format!("Player-Secret: {secret}\r\n{headers}");
    let request =
        format!("POST {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: 0\r\n\r\n");
    ask(address, request.as_bytes()).map_err(|error| error.to_string())
}
