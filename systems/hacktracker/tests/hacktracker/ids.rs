//! Ids in bodies that no item has: too long, or with odd characters. The law has those in paths.

use axum::http::Method;
use hacktracker::system;
use serde_json::json;
use singlet_testing::TestServer;

/// What clients may send instead of an id.
const ODD_TEXTS: [&str; 3] = ["#", "", "\0"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_ids_in_bodies_are_refused() {
    check_bodies(&ODD_TEXTS).await;
}

/// No key has room for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_ids_are_refused() {
    let long = "x".repeat(3_000);
    check_bodies(&[&long]).await;
}

async fn check_bodies(odd_ids: &[&str]) {
    let server = TestServer::start(vec![system()]).await;
    let nora = server.as_user("nora", &[]);
    let new = json!({"firstName": "Nora", "lastName": "Vance", "email": "nora@example.com"});
    nora.post("/hacktracker/users", new).await.expect(201);
    let team = nora.post("/hacktracker/teams", json!({"name": "Copper Kettles"})).await.expect(201);
    let team = format!("/hacktracker/teams/{}", team["teamId"].as_str().unwrap());
    let new = json!({"players": [{"firstName": "A"}]});
    let players = nora.post(&format!("{team}/players"), new).await.expect(201);
    let player = players["items"][0]["playerId"].as_str().unwrap().to_owned();
    let game = nora.post(&format!("{team}/games"), json!({})).await.expect(201);
    let game = format!("/hacktracker/games/{}", game["gameId"].as_str().unwrap());
    for odd in odd_ids {
        let at_bat = json!({"revision": 1, "result": "1B", "playerId": odd});
        let insert = json!({"revision": 1, "result": "1B", "insert": {"inning": 1, "after": odd}});
        let half = json!({"revision": 1, "inning": 1, "half": "TEAM", "placedRunner": odd});
        for (method, path, body) in [
            (Method::POST, format!("{team}/invites"), json!({"role": "player", "playerId": odd})),
            (Method::PUT, format!("{team}/players/{player}/link"), json!({"userId": odd})),
            (Method::PUT, format!("{game}/lineup"), json!({"revision": 1, "lineup": [odd]})),
            (Method::POST, format!("{game}/atbats"), at_bat),
            (Method::POST, format!("{game}/atbats"), insert),
            (Method::PUT, format!("{game}/half"), half),
        ] {
            let answer = nora.send(method.clone(), &path, Some(body)).await;
            assert!((400..500).contains(&answer.status), "{method} {path}: {}", answer.status);
        }
    }
}
