//! Ids that no item has: too long, or with odd characters.

use axum::http::Method;
use hacktracker::system;
use serde_json::{Value, json};
use singlet_testing::TestServer;

/// What clients may send instead of an id, as it is in a path.
const ODD_IDS: [&str; 9] =
    ["%23", "a%23b", "%00", "%20", "..%2f..", "%ff", "%F0%9F%A5%8E", "PLACED", "'%22%3Cb%3E"];
/// The same in a body.
const ODD_TEXTS: [&str; 3] = ["#", "", "\0"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_ids_are_refused_by_every_route() {
    check_paths(&ODD_IDS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_ids_in_bodies_are_refused() {
    check_bodies(&ODD_TEXTS).await;
}

/// No key has room for them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_ids_are_refused() {
    let long = "x".repeat(3_000);
    check_paths(&[&long]).await;
    check_bodies(&[&long]).await;
}

/// Every route with an odd id in each of its places answers 4xx: what cannot be an id is not found
/// or invalid, and never a failure of the server.
async fn check_paths(odd_ids: &[&str]) {
    let server = TestServer::start(vec![system()]).await;
    let nora = server.as_user("nora", &[]);
    let new = json!({"firstName": "Nora", "lastName": "Vance", "email": "nora@example.com"});
    nora.post("/hacktracker/users", new).await.expect(201);
    let team = nora.post("/hacktracker/teams", json!({"name": "Copper Kettles"})).await.expect(201);
    let team = team["teamId"].as_str().unwrap().to_owned();
    let game = nora.post(&format!("/hacktracker/teams/{team}/games"), json!({})).await.expect(201);
    let game = game["gameId"].as_str().unwrap().to_owned();
    let document = nora.get("/hacktracker/openapi.json").await.expect(200);
    let mut count = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let names: Vec<&str> = path.split('/').filter(|part| part.starts_with('{')).collect();
        for (method, operation) in methods.as_object().unwrap() {
            if names.is_empty() {
                continue;
            }
            let method: Method = method.to_uppercase().parse().unwrap();
            let body = operation.get("requestBody").map(|_| body_of(&operation["operationId"]));
            for name in &names {
                for odd in odd_ids {
                    let path = path.replace(name, odd).replace("{team}", &team);
                    let path = path.replace("{game}", &game).replace("{inning}", "1");
                    let path = ["{player}", "{user}", "{code}", "{atBat}"]
                        .iter()
                        .fold(path, |path, name| path.replace(name, "nobody"));
                    let path = match path.contains("/atbats/") && method == Method::DELETE {
                        true => format!("{path}?revision=1"),
                        false => path,
                    };
                    let answer = nora.send(method.clone(), &path, body.clone()).await;
                    let shown = &path[..path.len().min(120)];
                    // Removing what is not there is no mistake.
                    let is_fine = (400..500).contains(&answer.status)
                        || (method == Method::DELETE && answer.status == 204);
                    assert!(is_fine, "{method} {shown}: {}", answer.status);
                    count += 1;
                }
            }
        }
    }
    assert!(count >= 40 * odd_ids.len(), "{count}");
}

/// The same for ids in bodies.
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

/// A body that the route takes.
fn body_of(operation: &Value) -> Value {
    match operation.as_str().unwrap() {
        "changeTeam" => json!({"name": "Tin Roofs"}),
        "changeMember" => json!({"role": "player"}),
        "createInvite" => json!({"role": "player"}),
        "addPlayers" => json!({"players": [{"firstName": "A"}]}),
        "changePlayer" => json!({"firstName": "A"}),
        "linkPlayer" => json!({"userId": "nora"}),
        "createGame" => json!({}),
        "changeGame" | "undo" => json!({"revision": 1}),
        "setLineup" => json!({"revision": 1, "lineup": []}),
        "setScore" => json!({"revision": 1, "teamScore": 1, "opponentScore": 0}),
        "recordAtBat" | "correctAtBat" => json!({"revision": 1, "result": "1B"}),
        "moveRunners" => json!({"revision": 1, "moves": [{"from": 1, "to": 2}], "how": "SB"}),
        "setOpponentRuns" => json!({"revision": 1, "runs": 1}),
        "changeHalf" => json!({"revision": 1, "inning": 1, "half": "TEAM"}),
        verb if verb.ends_with("Game") => json!({"revision": 1}),
        other => panic!("no body for {other}"),
    }
}
