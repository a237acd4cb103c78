//! The routes: a whole game over HTTP, and what is refused on the way.

use crate::site::GameServer;
use serde_json::{Value, json};
use singlet_web::random::Random;

async fn site(rolls: &[u8]) -> GameServer {
    GameServer::new(Random::scripted(rolls.iter().map(|roll| u32::from(*roll) - 1), [])).await
}

/// A game of Ann and Bob that has begun: its path and their secrets.
async fn begun(site: &GameServer) -> (String, String, String) {
    let (status, ann) = site.post("/games", json!({"name": "Ann"})).await;
    assert_eq!(status, 201, "{ann}");
    let path = format!("/games/{}", text(&ann["game"]["code"]));
    site.fixture.clock.advance(1);
    let (status, bob) = site.post(&format!("{path}/players"), json!({"name": "Bob"})).await;
    assert_eq!(status, 201, "{bob}");
    let secrets = (text(&ann["secret"]), text(&bob["secret"]));
    let (status, game) = site.act("POST", &format!("{path}/start"), &secrets.0).await;
    assert_eq!((status, &game["status"]), (200, &json!("playing")));
    (path, secrets.0, secrets.1)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

#[tokio::test]
async fn a_whole_game_is_played_over_http() {
    // The first of Ann's rolls leads up the ladder from 2 to 38, the others along 44 and 50 to 67.
    let site = site(&[2, 1, 6, 1, 6, 1, 1, 1]).await;
    let (path, ann, bob) = begun(&site).await;
    let (status, moved) = site.act("POST", &format!("{path}/roll"), &ann).await;
    let expected = json!({
        "playerId": moved["playerId"], "roll": 2, "from": 0, "to": 38, "effect": "ladder",
        "wins": false,
    });
    assert_eq!((status, &moved), (200, &expected));
    for (turn, to) in [(&bob, 1), (&ann, 44), (&bob, 38), (&ann, 50), (&bob, 39), (&ann, 67)] {
        let (_, moved) = site.act("POST", &format!("{path}/roll"), turn).await;
        assert_eq!(moved["to"], to, "{moved}");
    }
    let (_, game) = site.get(&path).await;
    // A code as people type it.
    let code = text(&game["code"]).to_lowercase();
    let (_, typed) = site.get(&format!("/games/{}-{}", &code[..3], &code[3..])).await;
    assert_eq!(typed, game);
    let places: Vec<&Value> =
        game["players"].as_array().unwrap().iter().map(|one| &one["position"]).collect();
    assert_eq!(places, [67, 39]);
    assert_eq!(game["turn"], game["players"][1]["id"]);
    assert_eq!(game["sequence"], 10);
    let id = text(&game["players"][0]["id"]);
    let (_, player) = site.get(&format!("/players/{id}")).await;
    assert_eq!(player, game["players"][0]);
    assert_eq!(site.act("DELETE", &format!("{path}/players/{id}"), &ann).await.0, 204);
    let (_, listed) = site.get("/games").await;
    assert_eq!(listed["items"][0]["playerCount"], 1);
    // Nobody is ever told a secret but its player, on joining.
    let everything = format!("{game}{player}{listed}{moved}");
    assert!(!everything.contains("ecret"), "{everything}");
}

#[tokio::test]
async fn a_custom_board_is_played_on_and_a_bad_one_is_refused_field_by_field() {
    let site = site(&[5]).await;
    let board = json!({"size": 10, "snakesAndLadders": [{"from": 5, "to": 10}]});
    let (status, made) = site.post("/games", json!({"name": "Ann", "board": board})).await;
    assert_eq!((status, &made["game"]["board"]), (201, &board));
    for (jumps, field) in [
        (json!([{"from": 3, "to": 5}, {"from": 5, "to": 3}]), "/board/snakesAndLadders/0"),
        (json!([{"from": 3, "to": 11}]), "/board/snakesAndLadders/0/to"),
        (json!([{"from": 10, "to": 3}]), "/board/snakesAndLadders/0/from"),
        (json!([{"from": 0, "to": 3}]), "/board/snakesAndLadders/0/from"),
        (json!([{"from": 3, "to": 3}]), "/board/snakesAndLadders/0/to"),
        (json!([{"from": 3, "to": 4}, {"from": 3, "to": 5}]), "/board/snakesAndLadders/1"),
        (json!([{"from": -3, "to": 4}]), "/board/snakesAndLadders/0/from"),
        (json!([{"from": 3, "to": 65536}]), "/board/snakesAndLadders/0/to"),
        (json!([{"from": 3}]), "/board/snakesAndLadders/0/to"),
        (json!("none"), "/board/snakesAndLadders"),
    ] {
        let board = json!({"size": 10, "snakesAndLadders": jumps});
        let (status, refused) = site.post("/games", json!({"name": "Ann", "board": board})).await;
        assert_eq!((status, &refused["code"]), (422, &json!("invalid")), "{jumps}: {refused}");
        assert_eq!(refused["errors"][0]["field"], field, "{jumps}: {refused}");
    }
    let huge = json!({"size": 401, "snakesAndLadders": []});
    let (_, refused) = site.post("/games", json!({"name": "Ann", "board": huge})).await;
    assert_eq!(refused["errors"][0]["field"], "/board/size");
    // The board was looked at only once the name was right.
    let board =
        json!({"size": 10, "snakesAndLadders": [{"from": 3, "to": 3}, {"from": 10, "to": 1}]});
    let (_, refused) = site.post("/games", json!({"name": "\u{200b}", "board": board})).await;
    let fields: Vec<&Value> =
        refused["errors"].as_array().unwrap().iter().map(|error| &error["field"]).collect();
    let expected = ["/name", "/board/snakesAndLadders/0/to", "/board/snakesAndLadders/1/from"];
    assert_eq!(fields, expected, "{refused}");
    let (_, listed) = site.get("/games").await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "nothing else was written");
}

#[tokio::test]
async fn what_is_refused_says_why() {
    let site = site(&[1]).await;
    let (path, ann, bob) = begun(&site).await;
    let roll = format!("{path}/roll");
    let nobody = "00000000-0000-4000-8000-000000000000.AAAAAAAAAAAAAAAAAAAAAA";
    for (method, at, secret, status, code) in [
        ("GET", "/games/ZZZZZZ", "", 404, "game-not-found"),
        ("GET", "/players/nobody", "", 404, "player-not-found"),
        // What is too long for a key was answered with 500, and its whole path logged.
        ("GET", &format!("/players/{}", "a".repeat(256)), "", 404, "player-not-found"),
        ("GET", &format!("/players/{}", "a".repeat(257)), "", 404, "player-not-found"),
        ("GET", &format!("/players/{}", "a".repeat(20_000)), "", 404, "player-not-found"),
        ("GET", &format!("/games/{}", "A".repeat(2_100)), "", 404, "game-not-found"),
        ("DELETE", &format!("{path}/players/{}", "a".repeat(2_100)), &ann, 404, "player-not-found"),
        ("POST", "/games/ZZZZZZ/roll", ann.as_str(), 404, "game-not-found"),
        ("POST", &roll, &bob, 409, "not-your-turn"),
        ("POST", &roll, nobody, 403, "wrong-secret"),
        ("POST", &roll, "nonsense", 403, "wrong-secret"),
        ("POST", &roll, "", 403, "wrong-secret"),
        ("POST", &format!("{path}/start"), &ann, 409, "already-started"),
        ("POST", &format!("{path}/start"), &bob, 403, "not-the-creator"),
        ("DELETE", &format!("{path}/players/nobody"), &ann, 404, "player-not-found"),
        ("GET", "/games?limit=0", "", 422, "invalid"),
        ("GET", "/games?limit=101", "", 422, "invalid"),
        ("GET", "/games?cursor=AAAA", "", 422, "invalid"),
        ("GET", "/games?curser=AAAA", "", 422, "invalid"),
        ("GET", &format!("{path}/socket"), "", 426, "upgrade-required"),
    ] {
        let (got, refused) = site.act(method, at, secret).await;
        assert_eq!((got, &refused["code"]), (status, &json!(code)), "{method} {at}: {refused}");
    }
    let players = format!("{path}/players");
    for (at, body, status, code) in [
        (players.as_str(), json!({"name": "Cleo"}), 409, "already-started"),
        ("/games/ZZZZZZ/players", json!({"name": "Cleo"}), 404, "game-not-found"),
        ("/games", json!({"name": "   "}), 422, "invalid"),
        ("/games", json!({"name": "x".repeat(25)}), 422, "invalid"),
        ("/games", json!({"name": "a\u{202e}b"}), 422, "invalid"),
        ("/games", json!({"name": "x".repeat(1 << 20)}), 413, "too-large"),
        ("/games", json!({"name": 7}), 422, "invalid"),
        ("/games", json!({}), 422, "invalid"),
        ("/games", json!({"name": "Ann", "mode": "chess"}), 422, "invalid"),
        ("/games", json!({"name": "Ann", "secret": "x"}), 422, "invalid"),
        ("/games", json!([]), 422, "invalid"),
    ] {
        let (got, refused) = site.post(at, body.clone()).await;
        assert_eq!((got, &refused["code"]), (status, &json!(code)), "{at} {body}: {refused}");
    }
    let (_, game) = site.get(&path).await;
    assert_eq!((&game["sequence"], &game["turn"]), (&json!(3), &game["players"][0]["id"]));
}

#[tokio::test]
async fn games_are_listed_in_pages_that_cannot_be_forged() {
    let site = site(&[1]).await;
    for number in 0..5 {
        site.fixture.clock.advance(1);
        site.post("/games", json!({"name": format!("P{number}")})).await;
    }
    let (_, first) = site.get("/games?limit=3").await;
    let cursor = text(&first["next"]);
    let (_, second) = site.get(&format!("/games?limit=3&cursor={cursor}")).await;
    let count = |page: &Value| page["items"].as_array().unwrap().len();
    assert_eq!((count(&first), count(&second), &second["next"]), (3, 2, &Value::Null));
    let forged: String = cursor.chars().rev().collect();
    assert_eq!(site.get(&format!("/games?cursor={forged}")).await.0, 422);
}

#[tokio::test]
async fn the_pages_are_there_and_every_problem_is_declared() {
    let site = site(&[1]).await;
    for path in ["", "/play/ABC234", "/snakes.css", "/index.js", "/play.js", "/board.js"] {
        assert_eq!(site.get(path).await.0, 200, "{path}");
    }
    site.server.check_declarations("snakes").await;
}
