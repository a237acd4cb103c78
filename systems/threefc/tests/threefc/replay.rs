//! Requests that are repeated with their Idempotency-Key, by people who may no longer send them.

use crate::fixture::{Fixture, event_id, ines, league_id, noor};
use crate::matrix::{prepare, request};
use serde_json::json;
use singlet_testing::{TestServer, TestStore};
use singlet_web::DemoPolicy;
use threefc::design::Role;
use threefc::{PERSONAS, system};

/// They answer with what the caller is or has brought, or with nothing.
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
const BY_SCOREKEEPERS: [&str; 2] = ["createPlayer", "removeRoster"];

/// Regression: a person whose role in a private league was removed could read stored responses for a
/// day: a game with its score, and the code of an open invitation.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored_responses_need_the_role_of_the_request() {
    let fixture = Fixture::new(TestStore::memory()).await;
    let names = prepare(&fixture).await;
    fixture.join(&ines(), &league_id(), &noor(), Role::Admin).await;
    let server = TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
    let (admin, caller) = (server.as_persona(&PERSONAS[0]), server.as_persona(&PERSONAS[4]));
    let private = json!({"visibility": "private"});
    admin.patch("/threefc/v1/leagues/tidewall", private).await.expect(200);
    let role = "/threefc/v1/leagues/tidewall/acl/noor";
    let before = server.store.snapshot().await;
    let mut checked = 0;
    for operation in server.idempotent_operations("threefc").await {
        if UNCHECKED.contains(&operation.as_str()) {
            continue;
        }
        let (method, path, body) = request(&operation, &names);
        let caller = caller.with_header("idempotency-key", &event_id());
        let send = async || caller.send(method.clone(), &path, body.clone()).await;
        let first = send().await;
        assert!(first.status < 300, "{operation}: {}", first.json());
        let is_replayed = async || {
            let again = send().await;
            let is_replay = again.headers.contains_key("idempotency-replayed");
            let is_same = (again.status, again.json()) == (first.status, first.json());
            assert_eq!(is_replay, is_same, "{operation}: {}", again.json());
            (is_replay, again.status)
        };
        assert_eq!(is_replayed().await, (true, first.status), "{operation}");
        for role_name in ["scorekeeper", "viewer"] {
            admin.put(role, json!({"role": role_name})).await.expect(200);
            let may = role_name == "scorekeeper" && BY_SCOREKEEPERS.contains(&operation.as_str());
            let expected = if may { (true, first.status) } else { (false, 403) };
            assert_eq!(is_replayed().await, expected, "{operation} as {role_name}");
        }
        admin.delete(role).await.expect(204);
        assert_eq!(is_replayed().await, (false, 404), "{operation}");
        fixture.join(&ines(), &league_id(), &noor(), Role::Admin).await;
        assert_eq!(is_replayed().await, (true, first.status), "{operation}, admin again");
        server.store.restore(&before).await;
        checked += 1;
    }
    assert!(checked >= 6, "only {checked} operations have a key and a check");
}
