//! Sockets: everybody sees everything that happens, in order.

use crate::fixture::Fixture;
use crate::site::{GameServer, rejoin};
use serde_json::{Value, json};
use singlet_testing::{TestSocket, TestStore};
use singlet_web::Web;
use singlet_web::random::Random;
use singlet_web::secret::Secret;
use snakes::rules::Mode;
use snakes::service::{Budgets, player_id};
use std::time::Duration;
use tokio::task::JoinSet;

async fn site(rolls: &[u8]) -> GameServer {
    GameServer::new(Random::scripted(rolls.iter().map(|roll| u32::from(*roll) - 1), [])).await
}

#[tokio::test]
async fn a_whole_game_is_played_over_sockets() {
    // The first roll is thrown out of turn, and lost.
    let site = site(&[1, 5, 1, 5]).await;
    let board = json!({"size": 10, "snakesAndLadders": []});
    let (_, made) = site.post("/games", json!({"name": "Ann", "board": board})).await;
    let code = made["game"]["code"].as_str().unwrap();
    let mut ann = site.socket(code, "").await;
    assert_eq!(ann.expect("gameState").await["sequence"], 1);
    rejoin(&mut ann, made["secret"].as_str().unwrap()).await;
    site.fixture.clock.advance(1);
    let mut bob = site.socket(code, "").await;
    bob.expect("gameState").await;
    bob.send(json!({"type": "joinGame", "name": "Bob"})).await;
    // What is for Bob alone and what is for everybody may come in any order.
    let heard = [bob.next().await.unwrap(), bob.next().await.unwrap()];
    let welcome = heard.iter().find(|one| one["type"] == "joinedGame").unwrap();
    assert!(welcome["secret"].as_str().unwrap().contains('.'));
    let joined = ann.expect("playerJoined").await;
    assert_eq!((&joined["name"], &joined["sequence"]), (&json!("Bob"), &json!(2)));
    assert_eq!(joined.get("secret"), None);
    bob.send(json!({"type": "startGame"})).await;
    assert_eq!(bob.expect("error").await["code"], "not-the-creator");
    ann.send(json!({"type": "startGame"})).await;
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.expect("gameStarted").await["turn"], made["player"]["id"]);
    }
    bob.send(json!({"type": "rollDice"})).await;
    assert_eq!(bob.expect("error").await["code"], "not-your-turn");
    for turn in 0..3 {
        let who = if turn == 1 { &mut bob } else { &mut ann };
        who.send(json!({"type": "rollDice"})).await;
        for client in [&mut ann, &mut bob] {
            assert_eq!(client.expect("playerMoved").await["sequence"], 4 + turn);
        }
    }
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.expect("gameEnded").await["winnerId"], made["player"]["id"]);
    }
    ann.send(json!({"type": "rollDice"})).await;
    assert_eq!(ann.expect("error").await["code"], "game-over");
    ann.send(json!({"type": "ping"})).await;
    ann.expect("pong").await;
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_the_socket_goes_on() {
    let site = site(&[1]).await;
    let (_, made) = site.post("/games", json!({"name": "Ann"})).await;
    let mut client = site.socket(made["game"]["code"].as_str().unwrap(), "").await;
    client.expect("gameState").await;
    for (message, code) in [
        (json!("rollDice"), "invalid"),
        (json!({}), "invalid"),
        (json!({"type": "cheat"}), "invalid"),
        (json!({"type": "joinGame"}), "invalid"),
        (json!({"type": "joinGame", "name": ""}), "invalid"),
        (json!({"type": "joinGame", "name": "ANN"}), "name-taken"),
        (json!({"type": "rejoinGame", "secret": "guess"}), "wrong-secret"),
        (json!({"type": "rollDice"}), "not-joined"),
        (json!({"type": "startGame"}), "not-joined"),
    ] {
        client.send(message.clone()).await;
        assert_eq!(client.expect("error").await["code"], code, "{message}");
    }
    // The list of types had no ping.
    client.send(json!({"type": "cheat"})).await;
    let types = r#"must be one of "joinGame", "rejoinGame", "startGame", "rollDice", "ping""#;
    assert_eq!(client.expect("error").await["errors"][0]["detail"], types);
    client.send(json!({"type": "ping"})).await;
    client.expect("pong").await;
    // Unknown members were ignored, and what a name must be was said of a body.
    for (message, field) in [
        (json!({"type": "ping", "at": 1}), "/at"),
        (json!({"type": "startGame", "now": true}), "/now"),
        (json!({"type": "joinGame", "name": "Bob", "color": "red"}), "/color"),
        (json!({"type": "joinGame", "name": "a\u{202e}b"}), "/name"),
        (json!({"type": "rejoinGame", "secret": "x", "name": "Bob"}), "/name"),
    ] {
        client.send(message.clone()).await;
        let error = &client.expect("error").await["errors"][0];
        assert_eq!(
            (&error["in"], &error["field"]),
            (&json!("message"), &json!(field)),
            "{message}"
        );
    }
}

/// A player who joined, and could not be listed as connected, got an error: the seat and the name
/// were taken, and nobody knew the secret.
#[tokio::test]
async fn a_player_who_has_joined_gets_its_secret_whatever_happens_next() {
    let fixture = Fixture::new(TestStore::memory(), Random::new()).await;
    let code = fixture.game(Mode::Turns, &["Ann"]).await.code;
    // Enough for joining, and not for a connection.
    let budgets = Budgets::with_limits(fixture.store.open::<Web>().await, 30_000, 1);
    let service = fixture.service.clone().with_budgets(budgets);
    let site = GameServer::on(Fixture { service, ..fixture }).await;
    let mut client = site.socket(code.as_str(), "").await;
    client.expect("gameState").await;
    let bob = join(&mut client, "Bob").await;
    let secret = Secret::parse(bob["secret"].as_str().unwrap()).unwrap();
    assert_eq!(site.fixture.player(&secret).await.name, "Bob");
    assert!(site.fixture.service.connections_of(&code).await.unwrap().is_empty());
}

/// One socket could take every seat of a game that somebody else had made.
#[tokio::test]
async fn a_socket_has_one_seat() {
    let site = site(&[1]).await;
    let (_, made) = site.post("/games", json!({"name": "Ann"})).await;
    let code = made["game"]["code"].as_str().unwrap();
    let mut client = site.socket(code, "").await;
    client.expect("gameState").await;
    let bob = join(&mut client, "Bob").await;
    for name in ["Cleo", "Dan"] {
        client.send(json!({"type": "joinGame", "name": name})).await;
        assert_eq!(client.expect("error").await["code"], "already-joined");
    }
    let (_, game) = site.get(&format!("/games/{code}")).await;
    assert_eq!(game["players"].as_array().unwrap().len(), 2);
    // Who has left may come back, and so may who was taken out.
    let taken_out = [&bob["secret"], &made["secret"]];
    let mut id = bob["player"]["id"].clone();
    for (secret, name) in taken_out.into_iter().zip(["Bert", "Bill"]) {
        let path = format!("/games/{code}/players/{}", id.as_str().unwrap());
        assert_eq!(site.act("DELETE", &path, secret.as_str().unwrap()).await.0, 204);
        client.expect("playerLeft").await;
        id = join(&mut client, name).await["player"]["id"].clone();
    }
}

/// Joins, and hears that everybody knows.
async fn join(client: &mut TestSocket, name: &str) -> Value {
    client.send(json!({"type": "joinGame", "name": name})).await;
    // What is for this client alone and what is for everybody may come in any order.
    let mut heard = [client.next().await.unwrap(), client.next().await.unwrap()];
    heard.sort_by_key(|one| one["type"] != "joinedGame");
    let [welcome, told] = heard;
    assert_eq!((&welcome["type"], &told["type"]), (&json!("joinedGame"), &json!("playerJoined")));
    welcome
}

#[tokio::test]
async fn who_comes_back_is_told_what_was_missed_or_the_present_state() {
    let site = site(&[1]).await;
    let table = site.fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let code = table.code.as_str();
    let [ann, bob] = [&table.secrets[0], &table.secrets[1]];
    // Somebody has to be watching for pushes to be kept.
    let mut watcher = site.socket(code, "").await;
    watcher.expect("gameState").await;
    let mut client = site.socket(code, "").await;
    let seen = client.expect("gameState").await["sequence"].as_u64().unwrap();
    rejoin(&mut client, ann.reveal()).await;
    assert!(site.fixture.player(ann).await.is_connected);
    drop(client);
    for who in [ann, bob, ann] {
        site.fixture.service.roll(&table.code, who).await.unwrap();
        watcher.expect("playerMoved").await;
    }
    // The server has noticed meanwhile that the connection is gone.
    let gone = async {
        while site.fixture.player(ann).await.is_connected {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), gone).await.unwrap();
    let mut back = site.socket(code, &format!("?after={seen}")).await;
    for number in 1..=3 {
        assert_eq!(back.expect("playerMoved").await["sequence"], seen + number);
    }
    rejoin(&mut back, ann.reveal()).await;
    assert!(site.fixture.player(ann).await.is_connected);
    // One who saw nothing, or claims to have seen what has not happened, gets the state.
    for query in ["", "?after=0", "?after=999"] {
        let state = site.socket(code, query).await.expect("gameState").await;
        assert_eq!(state["sequence"], seen + 3, "{query}");
    }
}

/// The last move and the end are two messages with one number. Who had heard the first, lost the
/// connection and came back was told neither the second nor the state. Now the move says that the
/// game is over.
#[tokio::test]
async fn who_comes_back_learns_that_the_game_is_over() {
    let site = site(&[5]).await;
    let board = json!({"size": 10, "snakesAndLadders": [{"from": 5, "to": 10}]});
    let (_, made) = site.post("/games", json!({"name": "Ann", "board": board})).await;
    let code = made["game"]["code"].as_str().unwrap();
    // Whoever joins later joined later, and has the second turn.
    site.fixture.clock.advance(1);
    site.post(&format!("/games/{code}/players"), json!({"name": "Bob"})).await;
    let ann = made["secret"].as_str().unwrap();
    site.act("POST", &format!("/games/{code}/start"), ann).await;
    // Somebody has to be watching for pushes to be kept.
    let mut watcher = site.socket(code, "").await;
    watcher.expect("gameState").await;
    assert_eq!(site.act("POST", &format!("/games/{code}/roll"), ann).await.0, 200);
    let moved = watcher.expect("playerMoved").await;
    assert_eq!((&moved["status"], &moved["winnerId"]), (&json!("finished"), &made["player"]["id"]));
    watcher.expect("gameEnded").await;
    // Who has not heard of the move is told of it, and of the end.
    let mut back = site.socket(code, "?after=3").await;
    back.expect("playerMoved").await;
    back.expect("gameEnded").await;
}

#[tokio::test]
async fn a_game_that_is_gone_ends_its_sockets() {
    let site = site(&[1]).await;
    let table = site.fixture.started(Mode::Turns, &["Ann", "Bob"]).await;
    let mut client = site.socket(table.code.as_str(), "").await;
    client.expect("gameState").await;
    site.fixture.clock.advance(26 * 3_600_000);
    site.fixture.store.delete_expired();
    assert_eq!(client.next().await, None);
    let (status, _) = site.get(&format!("/games/{}", table.code)).await;
    assert_eq!(status, 404);
}

/// Every client sees every move in order, even while another client does not read. `qa/bench` measures
/// the latency.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_hundred_players_see_every_move() {
    const PLAYERS: usize = 300;
    let site = site(&[1]).await;
    let names: Vec<String> = (0..PLAYERS).map(|number| format!("P{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = site.fixture.game(Mode::Race, &names).await;
    let mut clients = Vec::new();
    for _ in 0..PLAYERS {
        let mut client = site.socket(table.code.as_str(), "").await;
        client.expect("gameState").await;
        clients.push(client);
    }
    let _lazy = site.socket(table.code.as_str(), "").await;
    site.fixture.service.start(&table.code, &table.secrets[0]).await.unwrap();
    let watching: JoinSet<()> = clients.into_iter().map(|client| watch(client, PLAYERS)).collect();
    for secret in &table.secrets {
        let (player, _) = site.fixture.service.roll(&table.code, secret).await.unwrap();
        assert_eq!(Some(player), player_id(secret));
    }
    assert_eq!(watching.join_all().await.len(), PLAYERS);
}

/// Listens until all have moved, each move with the number after the one before.
async fn watch(mut client: TestSocket, moves: usize) {
    let mut number = client.expect("gameStarted").await["sequence"].as_u64().unwrap();
    for _ in 0..moves {
        number += 1;
        assert_eq!(client.expect("playerMoved").await["sequence"], number);
    }
}
