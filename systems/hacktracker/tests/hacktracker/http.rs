//! Over HTTP: repeated requests, the live feed, what the schema refuses.

use hacktracker::system;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestServer};

/// A server with a team of nine players and a game that has begun.
struct ScoringServer {
    server: TestServer,
    nora: TestClient,
    team: String,
    game: String,
    revision: u64,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

async fn sign_up(client: &TestClient, name: &str) {
    let email = format!("{name}@example.com");
    let new = json!({"firstName": name, "lastName": "Test", "email": email});
    client.post("/hacktracker/users", new).await.expect(201);
}

async fn scoring_server() -> ScoringServer {
    let server = TestServer::start(vec![system()]).await;
    let nora = server.as_user("nora", &[]);
    sign_up(&nora, "nora").await;
    let team = nora.post("/hacktracker/teams", json!({"name": "Copper Kettles"})).await.expect(201);
    let team = format!("/hacktracker/teams/{}", text(&team["teamId"]));
    let names = ["Ortiz", "Bell", "Cho", "Dunn", "Evans", "Fry", "Gray", "Hale", "Ito"];
    let players: Vec<Value> =
        names.iter().map(|name| json!({"firstName": name, "positions": ["OF"]})).collect();
    let added =
        nora.post(&format!("{team}/players"), json!({"players": players})).await.expect(201);
    let lineup: Vec<&Value> =
        added["items"].as_array().unwrap().iter().map(|one| &one["playerId"]).collect();
    let game = nora.post(&format!("{team}/games"), json!({})).await.expect(201);
    let game = format!("/hacktracker/games/{}", text(&game["gameId"]));
    nora.put(&format!("{game}/lineup"), json!({"revision": 1, "lineup": lineup})).await.expect(200);
    nora.post(&format!("{game}/start"), json!({"revision": 2})).await.expect(200);
    ScoringServer { server, nora, team, game, revision: 3 }
}

impl ScoringServer {
    async fn record(&mut self, result: &str) -> Value {
        let body = json!({"revision": self.revision, "result": result});
        let answer = self.nora.post(&format!("{}/atbats", self.game), body).await.expect(201);
        self.revision += 1;
        answer
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_19_plays_that_waited_are_recorded_once() {
    let scoring = scoring_server().await;
    let keys = [
        "0b6f0a4e-3a9b-4c1d-8f2e-6f1f7f0d9a01",
        "7d3c9e52-51aa-4b0e-9a77-2c44e1b8d3f6",
        "e94a1c07-8d2f-4f6b-b1c3-90fd57a2468e",
    ];
    for _ in 0..2 {
        for (number, (key, result)) in (0..).zip(keys.iter().zip(["1B", "BB", "2B"])) {
            let client = scoring.nora.with_header("idempotency-key", key);
            let body = json!({"revision": scoring.revision + number, "result": result});
            let answer = client.post(&format!("{}/atbats", scoring.game), body).await;
            assert_eq!(answer.expect(201)["game"]["revision"], scoring.revision + number + 1);
        }
    }
    let detail = scoring.nora.get(&scoring.game).await.expect(200);
    let results: Vec<&Value> =
        detail["atBats"].as_array().unwrap().iter().map(|one| &one["result"]).collect();
    assert_eq!(results, ["1B", "BB", "2B"]);
    // Without the key, or after it has expired, the revision refuses it.
    let body = json!({"revision": scoring.revision, "result": "1B"});
    let again = scoring.nora.post(&format!("{}/atbats", scoring.game), body).await;
    assert_eq!((again.status, again.code().as_str()), (409, "game-moved-on"));
    assert_eq!(again.json()["game"]["revision"], scoring.revision + 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_23_a_watcher_gets_what_was_missed_or_the_state() {
    let mut scoring = scoring_server().await;
    let path = format!("{}/events", scoring.game);
    // Somebody has to be watching for pushes to be kept.
    let mut other = scoring.nora.events(&path).await;
    let state = other.expect("gameState").await;
    assert_eq!(
        (&state["game"]["revision"], &state["box"][0]["battingOrder"]),
        (&3.into(), &1.into())
    );
    let mut watcher = scoring.nora.events(&path).await;
    watcher.expect("gameState").await;
    scoring.record("HR").await;
    let message = watcher.expect("atBatRecorded").await;
    assert_eq!((&message["by"], &message["inning"]), (&"nora".into(), &1.into()));
    assert_eq!(
        (&message["atBat"]["result"], &message["game"]["teamScore"]),
        (&"HR".into(), &1.into())
    );
    let seen = scoring.revision;
    drop(watcher);
    other.expect("atBatRecorded").await;
    let game = scoring.game.clone();
    scoring.record("K").await;
    let undo = json!({"revision": scoring.revision});
    scoring.nora.post(&format!("{game}/undo"), undo).await.expect(200);
    scoring.revision += 1;
    scoring.record("1B").await;
    let moved = json!({"revision": scoring.revision, "moves": [{"from": 1, "to": 2}], "how": "SB"});
    scoring.nora.post(&format!("{game}/runners"), moved).await.expect(200);
    scoring.revision += 1;
    let kinds = ["atBatRecorded", "atBatRemoved", "atBatRecorded", "runnersMoved"];
    for kind in kinds {
        other.expect(kind).await;
    }
    let last = scoring.nora.with_header("last-event-id", &seen.to_string());
    let mut back = last.events(&path).await;
    for (kind, number) in kinds.into_iter().zip(seen + 1..) {
        assert_eq!(back.expect(kind).await["game"]["revision"], number);
    }
    let state = scoring.nora.events(&path).await.expect("gameState").await;
    assert_eq!(state["game"]["revision"], seen + 4);
    // A number that is gone: the state.
    let gone = scoring.nora.with_header("last-event-id", "999");
    assert_eq!(gone.events(&path).await.expect("gameState").await["game"]["revision"], seen + 4);
    // Every other change has a message of its own.
    let mut live = scoring.nora.events(&path).await;
    live.expect("gameState").await;
    let mut change = async |method: &str, path: &str, body: Value, kind: &str| {
        let path = format!("{game}{path}");
        let mut body = body;
        body["revision"] = scoring.revision.into();
        let answer = match method {
            "POST" => scoring.nora.post(&path, body).await,
            "PUT" => scoring.nora.put(&path, body).await,
            _ => scoring.nora.patch(&path, body).await,
        };
        let answered = answer.expect(200);
        scoring.revision += 1;
        assert_eq!(live.expect(kind).await["game"]["revision"], scoring.revision);
        answered
    };
    change("PUT", "/half", json!({"inning": 1, "half": "OPPONENT"}), "halfChanged").await;
    change("PUT", "/opponent/1", json!({"runs": 2}), "opponentScored").await;
    change("PATCH", "", json!({"location": "Field 3"}), "gameChanged").await;
    change("POST", "/finish", json!({}), "gameFinished").await;
    change("POST", "/reopen", json!({}), "gameReopened").await;
    change("POST", "/postpone", json!({}), "gamePostponed").await;
    let start = json!({"scheduledStart": "2027-04-01T18:00:00Z"});
    change("POST", "/reschedule", start, "gameChanged").await;
    change("POST", "/start", json!({}), "gameStarted").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_is_deleted_ends_its_streams() {
    let scoring = scoring_server().await;
    let new = scoring.nora.post(&format!("{}/games", scoring.team), json!({})).await.expect(201);
    let game = format!("/hacktracker/games/{}", text(&new["gameId"]));
    let mut watcher = scoring.nora.events(&format!("{game}/events")).await;
    watcher.expect("gameState").await;
    let moved_on = scoring.nora.delete(&format!("{game}?revision=9")).await;
    assert_eq!(moved_on.code(), "game-moved-on");
    assert_eq!(scoring.nora.delete(&format!("{game}?revision=1")).await.status, 204);
    let deleted = watcher.expect("gameDeleted").await;
    assert_eq!(deleted["kind"], "gameDeleted");
    // Nothing that is stored says who deleted it, and when.
    assert!(deleted["by"].is_null() && deleted["at"].is_null(), "{deleted}");
    watcher.expect("end").await;
}

/// Regression: ranges that were checked after the schema hid other errors, or were hidden by them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_wrong_field_is_named_at_once() {
    let scoring = scoring_server().await;
    let (nora, team, game) = (&scoring.nora, &scoring.team, &scoring.game);
    let players = nora.get(&format!("{team}/players")).await.expect(200);
    let player = players["items"][0]["playerId"].as_str().unwrap();
    let stats = nora.get(&format!("{team}/players/{player}/atbats?limit=0&cursor=&x=1")).await;
    let revision = scoring.revision;
    let long = "x".repeat(999);
    let refused = [
        (stats, vec!["cursor", "limit", "x"]),
        (
            nora.get("/hacktracker/users/me/stats?team=&season=&x=1").await,
            vec!["season", "team", "x"],
        ),
        (
            nora.patch(
                &format!("{team}/players/{player}"),
                json!({"firstName": " ", "playerNumber": 100, "positions": ["P", "P"]}),
            )
            .await,
            vec!["/firstName", "/playerNumber", "/positions"],
        ),
        (
            nora.post(
                &format!("{team}/players"),
                json!({"players": [{"firstName": "A"}, {"firstName": "", "playerNumber": 100}]}),
            )
            .await,
            vec!["/players/1/firstName", "/players/1/playerNumber"],
        ),
        (
            nora.patch(
                game,
                json!({"revision": revision, "regulationInnings": 10, "location": long,
                    "scheduledStart": "0001-01-01T00:00:00Z"}),
            )
            .await,
            vec!["/location", "/regulationInnings", "/scheduledStart"],
        ),
        (
            nora.post(
                &format!("{team}/games"),
                json!({"scheduledStart": "9999-12-31T23:59:59Z", "regulationInnings": 0}),
            )
            .await,
            vec!["/regulationInnings", "/scheduledStart"],
        ),
        // Rules between fields.
        (
            nora.post(
                &format!("{game}/atbats"),
                json!({"revision": revision, "result": "1B", "inning": 1, "outs": 1,
                    "scored": true}),
            )
            .await,
            vec!["/inning", "/outs", "/scored"],
        ),
    ];
    for (refused, expected) in refused {
        let errors = refused.json()["errors"].clone();
        let fields = errors.as_array().unwrap().iter();
        let mut fields: Vec<&str> = fields.map(|one| one["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        assert_eq!((refused.status, fields), (422, expected), "{errors}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_24_a_tap_outside_the_square_is_invalid() {
    let mut scoring = scoring_server().await;
    let tap = |x: f64| json!({"revision": scoring.revision, "result": "1B", "hitLocation": {"x": x, "y": 0.45}});
    let path = format!("{}/atbats", scoring.game);
    let refused = scoring.nora.post(&path, tap(1.2)).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    let errors = refused.json()["errors"].clone();
    assert_eq!(errors.as_array().unwrap().len(), 1, "{errors}");
    assert_eq!(errors[0]["field"], "/hitLocation/x");
    let recorded = scoring.nora.post(&path, tap(0.222_222)).await.expect(201);
    assert_eq!(recorded["atBat"]["hitLocation"], json!({"x": 0.222, "y": 0.45}));
    scoring.revision += 1;
    let walk =
        json!({"revision": scoring.revision, "result": "BB", "hitLocation": {"x": 0.5, "y": 0.5}});
    assert_eq!(scoring.nora.post(&path, walk).await.code(), "play-impossible");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_break_a_rule_are_refused_with_the_field() {
    let scoring = scoring_server().await;
    let users = "/hacktracker/users";
    let kim = scoring.server.as_user("kim", &[]);
    let user = |change: (&str, Value)| {
        let mut body = json!({"firstName": "Kim", "lastName": "Falk", "email": "kim@example.com"});
        body[change.0] = change.1;
        body
    };
    for (field, value) in [
        ("firstName", json!("")),
        ("firstName", json!("x".repeat(51))),
        ("lastName", json!("a\u{0}b")),
        ("email", json!("kim")),
        ("email", json!("a@b@c.de")),
        ("phoneNumber", json!("0123456")),
        ("phoneNumber", json!("+0123456")),
        ("isAdmin", json!(true)),
    ] {
        let refused = kim.post(users, user((field, value.clone()))).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{field} {value}");
    }
    assert_eq!(kim.get("/hacktracker/users/me").await.code(), "user-not-found");
    let refused = kim.post("/hacktracker/teams", json!({"name": "Tin Roofs"})).await;
    assert_eq!(refused.code(), "user-not-found");
    kim.post(users, user(("email", json!("Kim@Example.com")))).await.expect(201);
    let me = kim.get("/hacktracker/users/me").await.expect(200);
    assert_eq!(me["email"], "kim@example.com");
    let changed =
        kim.patch("/hacktracker/users/me", json!({"phoneNumber": "+4915112345678"})).await;
    assert_eq!(changed.expect(200)["phoneNumber"], "+4915112345678");
    let changed =
        kim.patch("/hacktracker/users/me", json!({"phoneNumber": null})).await.expect(200);
    assert_eq!(changed.get("phoneNumber"), None);
    let (team, game) = (&scoring.team, &scoring.game);
    for (path, body) in [
        (format!("{team}/players"), json!({"players": []})),
        (format!("{team}/players"), json!({"players": [{"firstName": "A", "playerNumber": 100}]})),
        (
            format!("{team}/players"),
            json!({"players": [{"firstName": "A", "positions": ["P", "P"]}]}),
        ),
        (format!("{team}/players"), json!({"players": [{"firstName": "A", "positions": ["QB"]}]})),
        (format!("{team}/games"), json!({"regulationInnings": 10})),
        (format!("{team}/invites"), json!({"role": "admin"})),
        (format!("{team}/invites"), json!({"role": "player", "playerId": "nobody"})),
        (format!("{game}/atbats"), json!({"revision": 3, "result": "4B"})),
        (format!("{game}/atbats"), json!({"revision": 3, "result": "1B", "rbis": 5})),
        (format!("{game}/atbats"), json!({"revision": 3, "result": "1B", "inning": 1})),
        (format!("{game}/atbats"), json!({"revision": 3, "result": "1B", "playerId": "nobody"})),
        (
            format!("{game}/atbats"),
            json!({"revision": 3, "result": "1B", "moves": [{"from": 4, "to": 1}]}),
        ),
    ] {
        let refused = scoring.nora.post(&path, body.clone()).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{path} {body}");
    }
    // No e-mail address is shown to others.
    let members = scoring.nora.get(&format!("{team}/members")).await.expect(200);
    assert!(!members.to_string().contains("example.com"));
}

/// A problem that no operation declares is on `/problems`, and nobody ever gets it.
#[tokio::test]
async fn every_problem_is_declared_by_an_operation() {
    TestServer::start(vec![system()]).await.check_declarations("hacktracker").await;
}

/// The address of what was made answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_made_is_at_its_location() {
    let scoring = scoring_server().await;
    let (nora, team, game) = (&scoring.nora, &scoring.team, &scoring.game);
    for (path, body) in [
        ("/hacktracker/teams".to_owned(), json!({"name": "Tin Roofs"})),
        (format!("{team}/players"), json!({"players": [{"firstName": "Jess"}]})),
        (format!("{team}/invites"), json!({"role": "player"})),
        (format!("{team}/games"), json!({})),
        (format!("{game}/atbats"), json!({"revision": scoring.revision, "result": "1B"})),
    ] {
        let made = nora.post(&path, body).await;
        made.expect(201);
        let location = made.headers["location"].clone();
        nora.get(&location).await.expect(200);
    }
    let other = format!("{game}/atbats/nothing");
    assert_eq!(nora.get(&other).await.code(), "at-bat-not-found");
}

/// Every position of the game, several for one player.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_positions_are_known() {
    let scoring = scoring_server().await;
    let path = format!("{}/players", scoring.team);
    let all = "P C 1B 2B 3B SS LF LC CF RC RF OF SF DH DP EH UTIL";
    let all: Vec<&str> = all.split(' ').collect();
    for positions in all.chunks(5) {
        let body = json!({"players": [{"firstName": "Jess", "positions": positions}]});
        let added = scoring.nora.post(&path, body).await.expect(201);
        assert_eq!(added["items"][0]["positions"], json!(positions));
    }
    for wrong in [json!(["QB"]), json!(all[..6])] {
        let body = json!({"players": [{"firstName": "Jess", "positions": wrong}]});
        assert_eq!(scoring.nora.post(&path, body).await.code(), "invalid");
    }
}

/// Roster, members and schedule are read part by part; without a limit they are whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_of_a_team_are_paged() {
    let scoring = scoring_server().await;
    let (nora, team) = (&scoring.nora, &scoring.team);
    for number in 1..=4 {
        let season = if number % 2 == 0 { "even" } else { "odd" };
        nora.post(&format!("{team}/games"), json!({"seasonId": season})).await.expect(201);
    }
    for (list, count) in
        [("players?x", 9), ("members?x", 1), ("games?x", 5), ("games?season=odd", 2)]
    {
        let list = list.replace("?x", "?");
        let whole = nora.get(&format!("{team}/{list}")).await.expect(200);
        assert_eq!(
            (whole["items"].as_array().unwrap().len(), &whole["next"]),
            (count, &Value::Null)
        );
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = nora.get(&format!("{team}/{list}&limit=2{cursor}")).await.expect(200);
            let part = page["items"].as_array().unwrap();
            assert!(part.len() <= 2);
            items.extend(part.clone());
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(items, *whole["items"].as_array().unwrap(), "{list}");
    }
    assert_eq!(nora.get(&format!("{team}/games?limit=101")).await.code(), "invalid");
}
/// One request tells everything that is wrong, each by its place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_invalid_fields_are_named_at_once() {
    let scoring = scoring_server().await;
    let fields = |answer: &Value| -> Vec<String> {
        let errors = answer["errors"].as_array().unwrap();
        errors.iter().map(|error| text(&error["field"])).collect()
    };
    let kim = scoring.server.as_user("kim", &[]);
    let new = json!({
        "firstName": " ", "lastName": "x".repeat(60), "email": "nobody", "phoneNumber": "0049",
    });
    let refused = kim.post("/hacktracker/users", new).await.expect(422);
    assert_eq!(fields(&refused), ["/email", "/firstName", "/lastName", "/phoneNumber"]);
    let players = json!([
        {"firstName": "Jess", "positions": ["LF", "CF"]},
        {"firstName": " "},
        {"firstName": "Lee", "lastName": " ", "positions": ["P", "P"]},
    ]);
    let path = format!("{}/players", scoring.team);
    let refused = scoring.nora.post(&path, json!({"players": players})).await.expect(422);
    let expected = ["/players/1/firstName", "/players/2/lastName", "/players/2/positions"];
    assert_eq!(fields(&refused), expected);
}

/// Refusals say what to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_say_what_to_do() {
    let mut scoring = scoring_server().await;
    scoring.record("1B").await;
    let refused = scoring.nora.delete(&scoring.game).await;
    assert_eq!(refused.code(), "game-has-at-bats");
    assert!(refused.json()["detail"].as_str().unwrap().contains("Remove them first"));
    scoring.nora.delete(&scoring.team).await.expect(204);
    let refused = scoring.nora.get(&scoring.team).await;
    assert_eq!(refused.code(), "team-deleted");
    assert!(refused.json()["detail"].as_str().unwrap().contains("recover"));
}

/// The types that read texts took the bounds of their schemas away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_document_names_the_bounds_of_texts() {
    let server = TestServer::start(vec![system()]).await;
    let document = server.visitor().get("/hacktracker/openapi.json").await.expect(200);
    let new = &document["components"]["schemas"]["NewUser"]["properties"];
    for (field, most) in
        [("firstName", 200), ("lastName", 200), ("phoneNumber", 16), ("email", 254)]
    {
        assert_eq!((&new[field]["minLength"], &new[field]["maxLength"]), (&json!(1), &json!(most)));
    }
}
