//! Who may do what: every route as everybody, compared with `matrix.txt`.

use crate::fixture::{league, token, user_id};
use crate::site::CricketServer;
use axum::http::Method;
use cricket::demo::PERSONAS;
use cricket::design::{Environment, LeagueId, Platform};
use cricket::service::NewDevice;
use serde_json::{Value, json};
use singlet_testing::{Snapshot, TestClient, check_matrix, run};
use std::time::Duration;

/// Asha has a device and follows the match; the others have nothing, and Olu is an admin.
#[test]
fn every_route_as_everybody() {
    run(async {
        let site = CricketServer::without_jobs().await;
        let operations = site.server.operations("cricket").await;
        let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
        let callers = site.server.callers(PERSONAS);
        let names: Vec<&str> = callers.iter().map(|(name, _)| *name).collect();
        let mut number = 0;
        let status_of = async |row: &str, caller: &str| {
            number += 1;
            let id = format!("m{number}");
            prepare(&site, &id, row).await;
            let (_, client) = callers.iter().find(|(name, _)| *name == caller).unwrap();
            let (method, path, body) = request(row, &id);
            let path = format!("/cricket{path}");
            let before = quiet_snapshot(&site).await;
            let send = async || match path.ends_with("/live") {
                true => stream_status(client, &path).await,
                false => client.send(method.clone(), &path, body.clone()).await.status,
            };
            let status = send().await;
            if status >= 400 && site.store.snapshot().await != before {
                // A request before this one may have written late. A refusal that writes does so again.
                quiet_snapshot(&site).await;
                site.store.restore(&before).await;
                let before = quiet_snapshot(&site).await;
                let again = send().await;
                site.server.check_refused(&before, again, row, caller).await;
            }
            status
        };
        check_matrix(include_str!("matrix.txt"), &operations, &names, status_of).await;
    });
}

/// The store, once it seems that nothing is written any more: requests before this one may have
/// caused pushes.
async fn quiet_snapshot(site: &CricketServer) -> Snapshot {
    let mut before = site.store.snapshot().await;
    loop {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let after = site.store.snapshot().await;
        if after == before {
            return after;
        }
        before = after;
    }
}

/// A stream does not end: it is enough that its first event comes.
async fn stream_status(client: &TestClient, path: &str) -> u16 {
    let (streaming, of) = (client.clone(), path.to_owned());
    let first = tokio::spawn(async move { streaming.events(&of).await.next().await });
    match first.await {
        Ok(Some(_)) => 200,
        _ => client.get(path).await.status,
    }
}

/// A match of its own for every request, a league that the feed does not list, and Asha's things.
pub(crate) async fn prepare(site: &CricketServer, id: &str, row: &str) {
    let fixture = match row.contains("Replay") {
        true => site.replay(id).await,
        false => site.scheduled(id).await,
    };
    if row.contains("(over)") {
        site.service.fixtures.archive(&fixture.match_id).await.unwrap();
    }
    site.followed_by(&fixture, "asha", "101").await;
    let device = NewDevice {
        device_token: token("ashas-device"),
        platform: Platform::Ios,
        environment: Environment::Sandbox,
        app_version: None,
    };
    site.service.devices.register(&user_id("asha"), &device).await.unwrap();
    for persona in PERSONAS.iter().filter(|one| one.subject != "asha") {
        let user = user_id(persona.subject);
        if let Some(device) = site.service.devices.of_user(&user).await.unwrap() {
            site.service.devices.delete(&user, &device.device_token).await.unwrap();
        }
    }
    let old = league("old", "OLD", "Old League", false, site.service.db.now());
    assert_eq!(old.league_id, LeagueId::new("old").unwrap());
    site.service.leagues.put(&old).await.unwrap();
}

pub(crate) fn request(row: &str, id: &str) -> (Method, String, Option<Value>) {
    // Asha follows the other one.
    let team = Some(json!({"teamId": "102"}));
    let of_match = format!("/matches/{id}");
    let (follow, activity) = (format!("/user/follow/{id}"), format!("/user/activity/{id}"));
    let device = "/user/device".to_owned();
    let replay = format!("/admin/replays/{id}");
    match row.split(" (").next().unwrap() {
        "listMatches" => (Method::GET, "/matches".into(), None),
        "getMatch" => (Method::GET, of_match, None),
        "getDisplay" => (Method::GET, of_match + "/display", None),
        "getScorecard" => (Method::GET, of_match + "/scorecard", None),
        "listBalls" => (Method::GET, of_match + "/balls", None),
        "getCharts" => (Method::GET, of_match + "/charts", None),
        "watchMatch" => (Method::GET, of_match + "/live", None),
        "watchMatches" => (Method::GET, "/live".into(), None),
        "watchPushes" => (Method::GET, "/user/pushes/live".into(), None),
        "watchOperations" => (Method::GET, "/admin/live".into(), None),
        "listTeams" => (Method::GET, "/teams".into(), None),
        "getTeam" => (Method::GET, "/teams/101".into(), None),
        "changeTeam" => (Method::PATCH, "/teams/101".into(), Some(json!({"shortName": "H"}))),
        "listStandings" => (Method::GET, "/seasons/s1/teams".into(), None),
        "listLeagues" => (Method::GET, "/leagues".into(), None),
        "getLeague" => (Method::GET, "/leagues/7001".into(), None),
        "changeLeague" => (Method::PATCH, "/leagues/7001".into(), Some(json!({"active": false}))),
        "deleteLeague" => (Method::DELETE, "/leagues/old".into(), None),
        "getDevice" => (Method::GET, device, None),
        "registerDevice" => {
            let new = json!({
                "deviceToken": "new-device-token", "platform": "ios", "environment": "sandbox",
            });
            (Method::POST, device, Some(new))
        }
        "deleteDevice" => (Method::DELETE, device, None),
        "setPushToStart" => {
            let tokens = json!({"deviceToken": "ashas-device", "pushToStartToken": "start-token"});
            (Method::PUT, device + "/push-to-start", Some(tokens))
        }
        "getFollow" => (Method::GET, follow, None),
        "followMatch" => (Method::POST, follow, team),
        "changeFollow" => (Method::PATCH, follow, team),
        "unfollowMatch" => (Method::DELETE, follow, None),
        "registerActivity" => {
            let new = json!({"pushToken": format!("activity-token-{id}"), "teamId": "101"});
            (Method::POST, activity, Some(new))
        }
        "removeActivity" => (Method::DELETE, activity, None),
        "listPushes" => (Method::GET, "/user/pushes".into(), None),
        "listLeagueMatches" => (Method::GET, "/admin/fixtures?leagueId=7001".into(), None),
        "listJobs" => (Method::GET, "/admin/jobs".into(), None),
        "listLocks" => (Method::GET, "/admin/locks".into(), None),
        "getFeed" => (Method::GET, "/admin/feed".into(), None),
        "loadReplay" => {
            let new = json!({"tape": "t20-3", "speed": 1});
            (Method::POST, "/admin/replays".into(), Some(new))
        }
        "changeReplay" => (Method::PATCH, replay, Some(json!({"playing": false}))),
        "deleteReplay" => (Method::DELETE, replay, None),
        other => panic!("no request for {other}"),
    }
}
