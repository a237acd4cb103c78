//! The routes: shapes of answers, keys that make requests safe to repeat, pages, demo data.

use crate::fixture::{Fixture, event_id, text};
use crate::live::server;
use serde_json::{Value, json};
use singlet::dynamo::Item;
use singlet_testing::{TestClient, TestServer, TestStore, at_once};
use singlet_web::DemoPolicy;
use threefc::design::{TeamScore, ThreeFc};
use threefc::rules::result_of;
use threefc::{PERSONAS, system};

const INES: usize = 0;
const TOMASZ: usize = 1;
const NOOR: usize = 4;

fn keyed(client: &TestClient, key: &str) -> TestClient {
    client.with_header("idempotency-key", key)
}

#[tokio::test]
async fn a_whole_game_is_run_over_http() {
    let server = TestServer::start(vec![system()]).await;
    let ines = server.as_persona(&PERSONAS[INES]);
    let made =
        ines.post("/threefc/v1/leagues", json!({"leagueId": "harbour", "name": "Harbour"})).await;
    assert_eq!(made.headers["location"], "/threefc/v1/leagues/harbour");
    assert_eq!(made.expect(201)["createdByUserId"], "ines");
    let season = json!({"seasonId": "spring", "name": "Spring", "thirdLengthMinutes": 25});
    ines.post("/threefc/v1/leagues/harbour/seasons", season).await.expect(201);
    let session = json!({"sessionId": "day-1", "sessionDate": "2026-05-03"});
    ines.post("/threefc/v1/seasons/spring/sessions", session).await.expect(201);
    ines.post(
        "/threefc/v1/leagues/harbour/players",
        json!({"playerId": "kite", "nickname": "Kite", "number": 4}),
    )
    .await
    .expect(201);
    let new = json!({"gameId": "g1", "gameStartTs": "2026-05-03T14:00:00Z", "teamIds": ["red", "blue", "yellow"]});
    let game = ines.post("/threefc/v1/sessions/day-1/games", new).await.expect(201);
    assert_eq!((&game["status"], &game["thirdLengthMinutes"]), (&json!("scheduled"), &json!(25)));
    assert_eq!((&game["league"]["name"], &game["myRole"]), (&json!("Harbour"), &json!("admin")));
    let game =
        ines.put("/threefc/v1/games/g1/roster/kite", json!({"teamId": "red"})).await.expect(200);
    assert_eq!(
        game["teams"][0]["roster"],
        json!([{"playerId": "kite", "nickname": "Kite", "number": 4}])
    );
    for third in 1..=3 {
        ines.post(&format!("/threefc/v1/games/g1/thirds/{third}/start"), json!({}))
            .await
            .expect(200);
        let goal = json!({
            "eventId": event_id(), "concedingTeamId": "blue", "scoringTeamId": "red",
            "ownGoal": false, "scorerPlayerId": "kite",
        });
        let added = ines.post("/threefc/v1/games/g1/goals", goal.clone()).await;
        assert_eq!(added.headers["location"], "/threefc/v1/games/g1/goals");
        added.expect(201);
        ines.post("/threefc/v1/games/g1/goals", goal).await.expect(200);
        ines.post(&format!("/threefc/v1/games/g1/thirds/{third}/finish"), json!({}))
            .await
            .expect(200);
    }
    let game = ines.post("/threefc/v1/games/g1/finish", json!({})).await.expect(200);
    assert_eq!(game["result"]["outcome"], "win");
    let season = server.visitor().get("/threefc/v1/seasons/spring").await.expect(200);
    assert_eq!(
        season["standings"][0],
        json!({
            "position": 1, "teamId": "red", "played": 1, "wins": 1, "draws": 0, "losses": 0,
            "conceded": 0, "scored": 3,
        })
    );
    let kite = json!({"playerId": "kite", "nickname": "Kite", "number": 4});
    assert_eq!(
        season["boards"]["goals"],
        json!([{"rank": 1, "player": kite, "games": 1, "value": 3}])
    );
    assert_eq!(season["boards"]["perGame"][0]["value"], json!(3.0));
    assert_eq!(
        season["sessions"],
        json!([{
            "seasonId": "spring", "sessionId": "day-1", "sessionDate": "2026-05-03", "games": 1,
        }])
    );
    let games = server.visitor().get("/threefc/v1/sessions/day-1/games").await.expect(200);
    assert_eq!(games["items"][0]["winnerTeamId"], "red");
    let audit = ines.get("/threefc/v1/games/g1/audit").await.expect(200);
    assert_eq!(
        (&audit["items"][0]["by"], &audit["items"][0]["action"]),
        (&json!("Ines Okafor"), &json!("gameFinished"))
    );
    let roster = server.visitor().get("/threefc/v1/games/g1/roster?team=red").await.expect(200);
    assert_eq!(roster["items"][0]["teamId"], "red");
}

#[tokio::test]
async fn what_is_refused_says_why() {
    let (fixture, server) = server().await;
    fixture.game("g1").await;
    let ines = server.as_persona(&PERSONAS[INES]);
    for (method, path, body, status, code) in [
        ("GET", "/leagues/nobody", json!(null), 404, "league-not-found"),
        ("GET", "/leagues/NO%20ID", json!(null), 404, "league-not-found"),
        ("GET", "/seasons/x", json!(null), 404, "season-not-found"),
        ("GET", "/sessions/nobody/games", json!(null), 404, "session-not-found"),
        ("GET", "/games/nobody", json!(null), 404, "game-not-found"),
        ("GET", "/games/nobody/live", json!(null), 404, "game-not-found"),
        ("GET", "/players/nobody", json!(null), 404, "player-not-found"),
        ("GET", "/leagues?limit=0", json!(null), 422, "invalid"),
        ("GET", "/leagues?cursor=AAAA", json!(null), 422, "invalid"),
        ("POST", "/games/g1/thirds/4/start", json!({}), 404, "not-found"),
        ("POST", "/leagues", json!({}), 422, "invalid"),
        ("POST", "/leagues", json!({"name": "x", "secret": 1}), 422, "invalid"),
        ("POST", "/leagues", json!({"name": "a@b.org"}), 422, "invalid"),
        ("POST", "/leagues", json!({"name": "x", "leagueId": "A"}), 422, "invalid"),
        ("POST", "/leagues/tidewall/seasons", json!({"name": "x", "teams": []}), 422, "invalid"),
        (
            "POST",
            "/sessions/day-1/games",
            json!({"gameStartTs": "soon", "teamIds": ["a"]}),
            422,
            "invalid",
        ),
        ("PATCH", "/players/r1", json!({"number": 100}), 422, "invalid"),
        ("PATCH", "/seasons/spring", json!({"thirdLengthMinutes": 22}), 422, "invalid"),
        ("GET", "/games/g1/roster?team=zzz", json!(null), 409, "team-not-in-game"),
        ("POST", "/leagues", json!({"name": "x", "leagueId": "--"}), 422, "invalid"),
        ("PUT", "/leagues/tidewall/acl/noor", json!({"role": "king"}), 422, "invalid"),
        ("POST", "/games/g1/goals/undo", json!({"expectedEventId": "x"}), 404, "goal-not-found"),
    ] {
        let body = (!body.is_null()).then_some(body);
        let response =
            ines.send(method.parse().unwrap(), &format!("/threefc/v1{path}"), body).await;
        assert_eq!((response.status, response.code().as_str()), (status, code), "{method} {path}");
    }
    // Too short and not one of the lengths are the same mistake.
    for minutes in [15, 21, 40] {
        let change = json!({"thirdLengthMinutes": minutes});
        let refused = ines.patch("/threefc/v1/seasons/spring", change).await.json();
        assert_eq!(refused["errors"].as_array().unwrap().len(), 1, "{refused}");
        let detail = refused["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains("20, 25") && detail.contains("30"), "{detail}");
    }
    server.check_declarations("threefc").await;
}

/// Regression: rules that a schema cannot describe were checked one after another, and reported alone.
#[tokio::test]
async fn every_wrong_field_is_named_at_once() {
    let (fixture, server) = server().await;
    fixture.game("plain").await;
    fixture.live_game("live").await;
    let ines = server.as_persona(&PERSONAS[INES]);
    let team = |code: &str| json!({"name": "Team", "code": code, "color": "red"});
    let goal = |more: Value| {
        let mut goal = json!({"eventId": event_id(), "concedingTeamId": "blue", "ownGoal": true});
        goal.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        goal
    };
    for (method, path, body, expected) in [
        (
            "POST",
            "/leagues",
            json!({"name": "a@b.org", "leagueId": "X", "city": "x".repeat(99)}),
            vec!["/city", "/leagueId", "/name"],
        ),
        (
            "POST",
            "/leagues/tidewall/seasons",
            json!({"name": " ", "seasonId": "A", "startsOn": "2026-02-30", "thirdLengthMinutes": 21,
                "teams": [team("ABC"), team("aa"), team("ABCD")]}),
            vec![
                "/name",
                "/seasonId",
                "/startsOn",
                "/teams/1/code",
                "/teams/2/code",
                "/thirdLengthMinutes",
            ],
        ),
        (
            "POST",
            "/sessions/day-1/games",
            json!({"gameId": "A", "gameStartTs": "0001-01-01T00:00:00Z", "pitch": "@",
                "teamIds": ["red", "blue", "red"]}),
            vec!["/gameId", "/gameStartTs", "/pitch", "/teamIds"],
        ),
        (
            "PATCH",
            "/games/plain",
            json!({"gameStartTs": "9999-12-31T00:00:00Z", "teamIds": ["red"], "pitch": ""}),
            vec!["/gameStartTs", "/pitch", "/teamIds"],
        ),
        (
            "PATCH",
            "/seasons/spring/teams/red",
            json!({"code": "x", "name": "", "squadPlayerIds": ["r1", "r1"]}),
            vec!["/code", "/name", "/squadPlayerIds"],
        ),
        (
            "POST",
            "/games/live/goals",
            json!({"eventId": "x".repeat(36), "concedingTeamId": "blue", "third": 4,
                "gameMinute": 1000, "assistPlayerIds": ["r1", "r1"]}),
            vec!["/assistPlayerIds", "/eventId", "/gameMinute", "/third"],
        ),
        // Rules between fields.
        (
            "POST",
            "/games/live/goals",
            goal(json!({"scoringTeamId": "red", "assistPlayerIds": ["r1"], "gameMinute": 5})),
            vec!["/assistPlayerIds", "/scoringTeamId", "/third"],
        ),
        (
            "POST",
            "/games/live/goals",
            goal(json!({"ownGoal": false, "scorerPlayerId": "r1", "assistPlayerIds": ["r1"],
                "third": 2, "gameMinute": 5})),
            vec!["/assistPlayerIds", "/gameMinute", "/scoringTeamId"],
        ),
        (
            "POST",
            "/leagues/tidewall/seasons",
            json!({"name": "Autumn", "startsOn": "2026-02-02", "endsOn": "2026-02-01"}),
            vec!["/endsOn"],
        ),
    ] {
        let path = format!("/threefc/v1{path}");
        let refused = ines.send(method.parse().unwrap(), &path, Some(body)).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{path}");
        let refused = refused.json();
        let errors = refused["errors"].as_array().unwrap();
        let mut fields: Vec<&str> =
            errors.iter().map(|one| one["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        assert_eq!(fields, expected, "{path}: {refused}");
    }
}

/// Regression: schemars ignores the bounds of a field in a struct with one unnamed field.
#[tokio::test]
async fn ids_and_codes_have_their_bounds_in_the_document() {
    let (_, server) = server().await;
    let document = server.visitor().get("/threefc/openapi.json").await.json();
    let schemas = &document["components"]["schemas"];
    let bounds = |schema: &str, field: &str| {
        let field = &schemas[schema]["properties"][field];
        (field["minLength"].clone(), field["maxLength"].clone())
    };
    assert_eq!(bounds("NewTeam", "code"), (2.into(), 3.into()), "{schemas:#}");
    assert_eq!(bounds("NewTeam", "teamId"), (2.into(), 40.into()));
    assert_eq!(bounds("NewGoal", "eventId"), (36.into(), 36.into()));
    let start = &document["paths"]["/v1/games/{game}/thirds/{third}/start"]["post"];
    let third = start["parameters"].as_array().unwrap().iter().find(|one| one["name"] == "third");
    assert_eq!(third.unwrap()["schema"]["maximum"], 3, "{start:#}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_makes_a_request_safe_to_repeat() {
    let fixture = Fixture::new(TestStore::memory()).await;
    fixture.live_game("g1").await;
    let path = "/threefc/v1/leagues/tidewall/players";
    let new = || json!({"nickname": "New"});
    let key = event_id();
    let first = {
        let server =
            TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
        let tomasz = keyed(&server.as_persona(&PERSONAS[TOMASZ]), &key);
        let first = tomasz.post(path, new()).await.expect(201);
        // The same request gets the same answer.
        let again = tomasz.post(path, new()).await;
        assert_eq!(again.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
        assert_eq!(again.expect(201), first);
        // Another payload with the same key is refused.
        let other = tomasz.post(path, json!({"nickname": "Other"})).await;
        assert_eq!((other.status, other.code().as_str()), (409, "key-reused"));
        // Ten at once with a new key create one league.
        let noor = keyed(&server.as_persona(&PERSONAS[NOOR]), "5f0f2c1e-one-of-ten-requests");
        let statuses = at_once(10, |_| {
            let noor = noor.clone();
            async move { noor.post("/threefc/v1/leagues", json!({"name": "Ten"})).await.status }
        })
        .await;
        assert!(statuses.contains(&201), "{statuses:?}");
        assert!(statuses.iter().all(|status| [201, 409].contains(status)), "{statuses:?}");
        first
    };
    // After a restart of the server, too.
    let server = TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
    let tomasz = keyed(&server.as_persona(&PERSONAS[TOMASZ]), &key);
    assert_eq!(tomasz.post(path, new()).await.expect(201), first);
    let noor = server.as_persona(&PERSONAS[NOOR]);
    let me = noor.get("/threefc/v1/me").await.expect(200);
    assert_eq!(me["leagues"].as_array().unwrap().len(), 1, "{me}");
}

/// The marker of a goal is all that makes it safe to repeat; clients that send a key are served.
#[tokio::test]
async fn goals_are_repeated_by_their_event_id_whatever_key_comes_along() {
    let (fixture, server) = server().await;
    fixture.live_game("g1").await;
    let event = event_id();
    let tomasz = keyed(&server.as_persona(&PERSONAS[TOMASZ]), &event);
    let goal = json!({"eventId": event, "concedingTeamId": "blue", "scoringTeamId": "red"});
    let path = "/threefc/v1/games/g1/goals";
    let first = tomasz.post(path, goal.clone()).await.expect(201);
    let again = tomasz.post(path, goal.clone()).await;
    assert!(!again.headers.contains_key("idempotency-replayed"));
    assert_eq!(again.expect(200)["goals"], first["goals"]);
    let other = json!({"eventId": event, "concedingTeamId": "red", "scoringTeamId": "blue"});
    let refused = tomasz.post(path, other).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "event-id-taken"));
    for _ in 0..2 {
        let undone = tomasz.post(&format!("{path}/undo"), json!({"expectedEventId": event})).await;
        assert_eq!(undone.expect(200)["goals"], json!([]));
    }
    tomasz.delete(&format!("{path}/{event}")).await.expect(200);
    // A goal that was removed stays removed.
    assert_eq!(tomasz.post(path, goal).await.expect(200)["goals"], json!([]));
    assert_eq!(fixture.keys_of("GAME#g1 EVENT#").await.len(), 1);
}

/// The same goal with ten keys at once: its event id makes it one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_13_a_goal_sent_with_ten_keys_is_one_goal() {
    let (fixture, server) = server().await;
    fixture.live_game("g1").await;
    let goal = json!({
        "eventId": event_id(), "concedingTeamId": "blue", "scoringTeamId": "red",
        "ownGoal": false, "scorerPlayerId": "r1",
    });
    let tomasz = server.as_persona(&PERSONAS[TOMASZ]);
    let mut statuses = at_once(10, |_| {
        let (client, goal) = (keyed(&tomasz, &event_id()), goal.clone());
        async move { client.post("/threefc/v1/games/g1/goals", goal).await.status }
    })
    .await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
    assert_eq!(fixture.keys_of("GAME#g1 GOAL#").await.len(), 1);
}

#[tokio::test]
async fn audit_records_come_in_pages_newest_first() {
    let (fixture, server) = server().await;
    let game = fixture.live_game("g1").await;
    for number in 1..=5 {
        let pitch = format!("Pitch {number}");
        let ines = server.as_persona(&PERSONAS[INES]);
        ines.patch("/threefc/v1/games/g1", json!({"pitch": pitch})).await.expect(200);
    }
    let ines = server.as_persona(&PERSONAS[INES]);
    let mut path = "/threefc/v1/games/g1/audit?limit=2".to_owned();
    let mut pages = Vec::new();
    loop {
        let page = ines.get(&path).await.expect(200);
        let items = page["items"].as_array().unwrap();
        pages.push(items.iter().map(|one| one["after"]["pitch"].clone()).collect::<Vec<_>>());
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/threefc/v1/games/g1/audit?limit=2&cursor={next}");
    }
    assert_eq!(json!(pages), json!([["Pitch 5", "Pitch 4"], ["Pitch 3", "Pitch 2"], ["Pitch 1"]]));
    // The place in the list of one game is not one in another's.
    fixture.game("g2").await;
    let first = ines.get("/threefc/v1/games/g1/audit?limit=2").await.expect(200);
    let cursor = first["next"].as_str().unwrap();
    let refused = ines.get(&format!("/threefc/v1/games/g2/audit?limit=2&cursor={cursor}")).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    assert_eq!(game.as_str(), "g1");
}

/// The largest game there can be is answered, also with a key: the answer is kept for repetitions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_game_is_answered() {
    let (fixture, server) = server().await;
    let service = &fixture.service;
    let game = fixture.live_game("g1").await;
    let ines = server.as_persona(&PERSONAS[INES]);
    // Each of four bytes.
    let nickname = "\u{1f600}".repeat(24);
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}".repeat(24);
    let long = json!({"nickname": family});
    let refused = ines.post("/threefc/v1/leagues/tidewall/players", long).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
    let mut players = Vec::new();
    for (team, number) in
        ["red", "blue", "yellow"].iter().flat_map(|team| (3..15).map(move |one| (team, one)))
    {
        let id = format!("{team}-{number}-{}", "x".repeat(40)).chars().take(40).collect::<String>();
        let new = json!({"playerId": id, "nickname": nickname, "number": 99});
        ines.post("/threefc/v1/leagues/tidewall/players", new).await.expect(201);
        let (id, team) = (id.parse().unwrap(), team.parse().unwrap());
        service.assign_roster(&crate::fixture::ines(), &game, &id, &team).await.unwrap();
        players.push(id);
    }
    crate::limits::put_goals(&fixture, "g1", 199, &players[..4]).await;
    let mut goal = json!({
        "eventId": event_id(), "concedingTeamId": "blue", "scoringTeamId": "red",
        "scorerPlayerId": players[0], "assistPlayerIds": players[1..4],
    });
    let tomasz = keyed(&server.as_persona(&PERSONAS[TOMASZ]), &event_id());
    let path = "/threefc/v1/games/g1/goals";
    let added = tomasz.post(path, goal.clone()).await;
    assert!(added.body.len() > 180_000, "{}", added.body.len());
    assert_eq!(added.expect(201)["goals"].as_array().unwrap().len(), 200);
    let event = goal["eventId"].as_str().unwrap();
    let change = json!({"gameMinute": 7});
    let edited = tomasz.patch(&format!("{path}/{event}"), change.clone()).await.expect(200);
    assert_eq!(tomasz.patch(&format!("{path}/{event}"), change).await.expect(200), edited);
    goal["eventId"] = json!(event_id());
    let full = server.as_persona(&PERSONAS[TOMASZ]).post(path, goal).await;
    assert_eq!((full.status, full.code().as_str()), (409, "limit-reached"));
}

#[tokio::test]
async fn the_callers_leagues_come_in_pages() {
    let server = TestServer::start(vec![system()]).await;
    let noor = server.as_persona(&PERSONAS[NOOR]);
    for id in ["aa", "bb", "cc"] {
        noor.post("/threefc/v1/leagues", json!({"leagueId": id, "name": "One"})).await.expect(201);
    }
    let all = noor.get("/threefc/v1/me").await.expect(200);
    assert_eq!((all["leagues"].as_array().unwrap().len(), all.get("next")), (3, None));
    let first = noor.get("/threefc/v1/me?limit=2").await.expect(200);
    let cursor = first["next"].as_str().unwrap();
    let path = format!("/threefc/v1/me?limit=2&cursor={cursor}");
    let second = noor.get(&path).await.expect(200);
    assert_eq!(
        (&second["userId"], &second["leagues"][0]["leagueId"]),
        (&json!("noor"), &json!("cc"))
    );
    assert_eq!(second.get("next"), None);
    // The place in somebody else's list is not one in mine.
    let ines = server.as_persona(&PERSONAS[INES]);
    let refused = ines.get(&path).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"));
}

#[tokio::test]
async fn the_pages_are_there() {
    let server = TestServer::start(vec![system()]).await;
    for path in [
        "",
        "/leagues/x",
        "/leagues/x/admin",
        "/seasons/x",
        "/games/x",
        "/games/x/score",
        "/join/x",
        "/threefc.css",
        "/api",
    ] {
        let response = server.visitor().get(&format!("/threefc{path}")).await;
        assert_eq!(response.status, 200, "{path}");
    }
}

/// Every entity occurs in the demo data.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn demo_data_has_everything() {
    let server = TestServer::with(vec![system()], TestStore::memory(), DemoPolicy::IfEmpty).await;
    let visitor = server.visitor();
    let spring = visitor.get("/threefc/v1/seasons/tidewall-s2").await.expect(200);
    let counts: Vec<&Value> =
        spring["sessions"].as_array().unwrap().iter().map(|one| &one["games"]).collect();
    assert_eq!(counts, [2, 2, 2, 3, 2, 2, 2, 2]);
    let played: u64 = spring["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["played"].as_u64().unwrap())
        .sum();
    assert_eq!(played, 3 * 12);
    assert_eq!(spring["league"]["players"], 40);
    assert_eq!(spring["league"]["invites"], 1);
    let autumn = visitor.get("/threefc/v1/seasons/tidewall-s1").await.expect(200);
    let played: u64 = autumn["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["played"].as_u64().unwrap())
        .sum();
    assert_eq!((autumn["sessions"].as_array().unwrap().len(), played), (9, 3 * 18));
    let live = visitor.get("/threefc/v1/games/s2-13").await.expect(200);
    let conceded: Vec<&Value> =
        live["teams"].as_array().unwrap().iter().map(|team| &team["conceded"]).collect();
    assert_eq!(
        (conceded, &live["status"]),
        (vec![&json!(1), &json!(2), &json!(0)], &json!("live"))
    );
    let shown: Vec<&str> = live["goals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|goal| goal["displayTime"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["12'", "20+2'", "5'"]);
    let hail = visitor.get("/threefc/v1/games/s2-hail").await.expect(200);
    assert_eq!(hail["abandoned"]["reason"], "weather");
    let loan = visitor.get("/threefc/v1/games/s2-05/roster?team=cin").await.expect(200);
    assert_eq!(loan["items"][0]["nickname"], "Lark");
    let ines = server.as_persona(&PERSONAS[INES]);
    let audit = ines.get("/threefc/v1/games/s2-09/audit").await.expect(200);
    let edits: Vec<&Value> = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["action"] == "goalEdited")
        .collect();
    let [edit] = edits.as_slice() else { panic!("one correction: {audit}") };
    // Another team wins since, or nobody.
    let corrected = visitor.get("/threefc/v1/games/s2-09").await.expect(200);
    assert_ne!(winner_before(&corrected, edit), corrected["result"]["winnerTeamId"]);
    assert_eq!(visitor.get("/threefc/v1/leagues/quarry-lane").await.status, 404);
    let bea = server.as_persona(&PERSONAS[2]);
    assert_eq!(bea.get("/threefc/v1/leagues/quarry-lane").await.expect(200)["myRole"], "viewer");
    assert_eq!(
        server.as_persona(&PERSONAS[NOOR]).get("/threefc/v1/me").await.expect(200)["leagues"],
        json!([])
    );
    let mut types: Vec<String> = Vec::new();
    for item in server.store.items::<ThreeFc>().await {
        let name = text(&item, "entityType");
        if !types.contains(&name) {
            types.push(name);
        }
    }
    assert_eq!(types.len(), 18, "{types:?}");
    // A removed marker: the goal that was undone.
    let undone = ines.get("/threefc/v1/games/s2-13/audit").await.expect(200);
    assert_eq!(undone["items"][0]["action"], "goalUndone");
}

/// Who had won a game before a goal was edited; null for a draw.
fn winner_before(game: &Value, edit: &Value) -> Value {
    let score: Vec<TeamScore> = game["teams"]
        .as_array()
        .unwrap()
        .iter()
        .map(|team| {
            let count = |name: &str, of: &str| {
                let is_there = |goal: &Value| u64::from(goal[of] == team["teamId"]);
                let goals = team[name].as_u64().unwrap();
                u32::try_from(goals + is_there(&edit["before"]) - is_there(&edit["after"])).unwrap()
            };
            TeamScore {
                team_id: team["teamId"].as_str().unwrap().parse().unwrap(),
                conceded: count("conceded", "concedingTeamId"),
                scored: count("scored", "scoringTeamId"),
            }
        })
        .collect();
    json!(result_of(&score).winner_team_id)
}

/// Demo data that is loaded at one moment is the same, but for the secret code of an invitation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_gives_the_same_demo_data() {
    let stores = [TestStore::memory(), TestStore::memory()];
    stores[1].clock.set(stores[0].database::<ThreeFc>().now().as_millis());
    let mut loaded: Vec<Vec<Item>> = Vec::new();
    for store in stores {
        let server = TestServer::with(vec![system()], store, DemoPolicy::IfEmpty).await;
        let mut items = server.store.items::<ThreeFc>().await;
        items.retain(|item| text(item, "entityType") != "invite");
        items.sort_by_key(|item| (text(item, "pk"), text(item, "sk")));
        loaded.push(items);
    }
    assert!(loaded[0].len() > 500, "{}", loaded[0].len());
    assert_eq!(loaded[0].len(), loaded[1].len());
    for (one, other) in loaded[0].iter().zip(&loaded[1]) {
        assert_eq!(one, other);
    }
}

#[tokio::test]
async fn a_queue_of_goals_arrives_in_order() {
    let (fixture, server) = server().await;
    let game = fixture.live_game("g1").await;
    let begun = fixture.now();
    let tomasz = server.as_persona(&PERSONAS[TOMASZ]);
    fixture.set_time(begun, 15, 0);
    for minute in [3, 7] {
        let at = begun.after(std::time::Duration::from_secs(60 * minute));
        let goal = json!({
            "eventId": event_id(), "concedingTeamId": "blue", "scoringTeamId": "red",
            "ownGoal": false, "scorerPlayerId": "r1", "third": 1, "occurredAt": at,
        });
        tomasz.post("/threefc/v1/games/g1/goals", goal).await.expect(201);
    }
    let view = fixture.view(&game).await;
    let shown: Vec<&str> = view.goals.iter().map(|goal| goal.display_time.as_str()).collect();
    assert_eq!(shown, ["4'", "8'"]);
}
