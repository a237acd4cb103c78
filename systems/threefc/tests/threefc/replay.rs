//! Requests that are repeated with their Idempotency-Key, by people who may no longer send them.

use crate::fixture::{event_id, league_id, noor};
use crate::live::server;
use axum::http::Method;
use serde_json::{Value, json};
use singlet_testing::{TestClient, TestResponse};
use std::collections::BTreeSet;
use threefc::PERSONAS;
use threefc::design::Role;

/// Those that answer with what the caller is or has brought, or with nothing.
const UNCHECKED: [&str; 8] = [
    "createLeague",
    "deleteLeague",
    "deleteSeason",
    "deleteSession",
    "deleteGame",
    "revokeRole",
    "deleteInvite",
    "acceptInvite",
];

/// Those of the story that a scorekeeper may send too; `finishGame` is forced there.
const BY_SCOREKEEPERS: [&str; 8] = [
    "createPlayer",
    "assignRoster",
    "removeRoster",
    "startThird",
    "editGoal",
    "finishThird",
    "correctThird",
    "abandonGame",
];

/// One request of a story, with a key of its own.
struct Keyed {
    operation: &'static str,
    method: Method,
    path: String,
    body: Option<Value>,
    key: String,
}

impl Keyed {
    async fn send(&self, client: &TestClient) -> TestResponse {
        let client = client.with_header("idempotency-key", &self.key);
        let path = format!("/threefc/v1{}", self.path);
        client.send(self.method.clone(), &path, self.body.clone()).await
    }
}

/// All that an admin can do with an answer that shows something of the league, in an order in which
/// it succeeds.
fn story() -> Vec<Keyed> {
    let (post, put, patch, delete) = (Method::POST, Method::PUT, Method::PATCH, Method::DELETE);
    let event = event_id();
    let of_goal = format!("/games/g9/goals/{event}");
    let goal = json!({"eventId": event, "concedingTeamId": "blue", "scoringTeamId": "red"});
    let team = json!({"teamId": "green", "name": "Green", "code": "GRN", "color": "green"});
    let game = json!({
        "gameId": "g9", "gameStartTs": "2026-05-09T14:00:00Z", "teamIds": ["red", "blue", "yellow"],
    });
    let requests = [
        ("updateLeague", &patch, "/leagues/tidewall", json!({"city": "Port Merrow"})),
        (
            "createPlayer",
            &post,
            "/leagues/tidewall/players",
            json!({"playerId": "new", "nickname": "New"}),
        ),
        ("updatePlayer", &patch, "/players/new", json!({"number": 7})),
        ("grantRole", &put, "/leagues/tidewall/acl/tomasz", json!({"role": "viewer"})),
        ("invite", &post, "/leagues/tidewall/invites", json!({"role": "admin"})),
        (
            "createSeason",
            &post,
            "/leagues/tidewall/seasons",
            json!({"seasonId": "autumn", "name": "Autumn"}),
        ),
        ("updateSeason", &patch, "/seasons/autumn", json!({"name": "Fall"})),
        ("createTeam", &post, "/seasons/autumn/teams", team),
        ("updateTeam", &patch, "/seasons/autumn/teams/green", json!({"name": "Greens"})),
        (
            "createSession",
            &post,
            "/seasons/spring/sessions",
            json!({"sessionId": "day-9", "sessionDate": "2026-05-09"}),
        ),
        ("updateSession", &patch, "/sessions/day-9", json!({"venue": "Pier"})),
        ("createGame", &post, "/sessions/day-9/games", game),
        ("updateGame", &patch, "/games/g9", json!({"pitch": "2"})),
        ("assignRoster", &put, "/games/g9/roster/new", json!({"teamId": "red"})),
        ("removeRoster", &delete, "/games/g9/roster/new", Value::Null),
        ("startThird", &post, "/games/g9/thirds/1/start", json!({})),
        ("", &post, "/games/g9/goals", goal),
        ("editGoal", &patch, of_goal.as_str(), json!({"scorerPlayerId": "r1"})),
        ("finishThird", &post, "/games/g9/thirds/1/finish", json!({})),
        ("correctThird", &patch, "/games/g9/thirds/1", json!({"finishedAt": null})),
        ("abandonGame", &post, "/games/g9/abandon", json!({"reason": "light"})),
        ("reopenGame", &post, "/games/g9/reopen", Value::Null),
        ("finishGame", &post, "/games/g9/finish", json!({"force": true})),
    ];
    let keyed = |(operation, method, path, body): (_, &Method, &str, Value)| Keyed {
        operation,
        method: method.clone(),
        path: path.to_owned(),
        body: (!body.is_null()).then_some(body),
        key: event_id(),
    };
    requests.into_iter().map(keyed).collect()
}

/// Somebody whose role in a private league was taken away was told kept answers for a day: a game
/// with its score, and the code of an invitation that could still be accepted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_lost_a_role_is_not_told_a_kept_answer() {
    let (fixture, server) = server().await;
    let (ines, client) = (server.as_persona(&PERSONAS[0]), server.as_persona(&PERSONAS[4]));
    let private = json!({"visibility": "private"});
    ines.patch("/threefc/v1/leagues/tidewall", private).await.expect(200);
    fixture.join(&crate::fixture::ines(), &league_id(), &noor(), Role::Admin).await;
    let mut story = story();
    let mut told = Vec::new();
    for request in &story {
        let response = request.send(&client).await;
        assert!(response.status < 300, "{}: {}", request.operation, response.json());
        told.push((response.status, response.json()));
    }
    // A goal has its event id, and takes no key.
    let goal = story.iter().position(|request| request.operation.is_empty()).unwrap();
    story.remove(goal);
    told.remove(goal);
    let known = story.iter().map(|request| request.operation).chain(UNCHECKED);
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    let all = server.idempotent_operations("threefc").await.into_iter().collect();
    assert_eq!(known, all, "every operation that takes a key is here");

    // She who has the role is told everything again, also what she has removed.
    for (request, told) in story.iter().zip(&told) {
        let response = request.send(&client).await;
        assert_eq!(response.headers["idempotency-replayed"], "true", "{}", request.operation);
        assert_eq!(&(response.status, response.json()), told, "{}", request.operation);
    }
    ines.delete("/threefc/v1/leagues/tidewall/acl/noor").await.expect(204);
    for request in &story {
        let response = request.send(&client).await;
        assert_eq!(response.status, 404, "{}: {}", request.operation, response.json());
        assert!(!response.headers.contains_key("idempotency-replayed"), "{}", request.operation);
    }
    // The check has forgotten nothing.
    fixture.join(&crate::fixture::ines(), &league_id(), &noor(), Role::Admin).await;
    for (request, told) in story.iter().zip(&told) {
        let response = request.send(&client).await;
        assert_eq!(&(response.status, response.json()), told, "{}", request.operation);
    }
    // Who keeps the score is told again what scorekeepers do.
    let role = json!({"role": "scorekeeper"});
    ines.put("/threefc/v1/leagues/tidewall/acl/noor", role).await.expect(200);
    for (request, told) in story.iter().zip(&told) {
        let response = request.send(&client).await;
        if BY_SCOREKEEPERS.contains(&request.operation) {
            assert_eq!(&(response.status, response.json()), told, "{}", request.operation);
        } else {
            assert_eq!(response.status, 403, "{}: {}", request.operation, response.json());
        }
    }
    // Who may see the league, and no more, is not told the code of an invitation.
    ines.put("/threefc/v1/leagues/tidewall/acl/noor", json!({"role": "viewer"})).await.expect(200);
    for request in &story {
        assert_eq!(request.send(&client).await.status, 403, "{}", request.operation);
    }
}

/// An admin who gives the role up is told that it was done, also the second time.
#[tokio::test]
async fn who_gave_a_role_up_is_told_so_again() {
    let (fixture, server) = server().await;
    fixture.join(&crate::fixture::ines(), &league_id(), &noor(), Role::Admin).await;
    let client = server.as_persona(&PERSONAS[4]);
    let request = Keyed {
        operation: "grantRole",
        method: Method::PUT,
        path: "/leagues/tidewall/acl/noor".to_owned(),
        body: Some(json!({"role": "viewer"})),
        key: event_id(),
    };
    let first = request.send(&client).await.expect(200);
    let again = request.send(&client).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.expect(200), first);
}
