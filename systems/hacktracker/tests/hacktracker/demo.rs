//! The demo data is as the specification says, every entity and index occurs, and two loads are the
//! same.

use hacktracker::design::{HackTracker, HackTrackerItem};
use hacktracker::{ADA, NORA, PIA, STELLA, system};
use serde_json::{Value, json};
use singlet::dynamo::Value as Stored;
use singlet::{Change, Db};
use singlet_testing::{TestServer, TestStore};
use singlet_web::DemoPolicy;
use std::collections::BTreeSet;
use std::time::Duration;

/// Longer than anything here takes, unless it never happens.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) async fn demo_server() -> TestServer {
    TestServer::with(vec![system()], TestStore::memory(), DemoPolicy::IfEmpty).await
}

fn items(list: &Value) -> &Vec<Value> {
    list["items"].as_array().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_season_is_as_specified() {
    let server = demo_server().await;
    let nora = server.as_persona(&NORA);
    let teams = nora.get("/hacktracker/users/me/teams").await.expect(200);
    let find = |name: &str| items(&teams).iter().find(|one| one["name"] == name).unwrap().clone();
    let tins = find("Old Tins");
    assert!(tins["recoverableUntil"].is_string() && tins["deletedBy"] == "nora-vance");
    let team = find("Copper Kettles")["teamId"].as_str().unwrap().to_owned();
    let path = format!("/hacktracker/teams/{team}");
    let page = nora.get(&path).await.expect(200);
    let players = page["players"].as_array().unwrap();
    assert_eq!(players.len(), 14);
    let count = |test: &dyn Fn(&Value) -> bool| players.iter().filter(|one| test(one)).count();
    assert_eq!(count(&|one| one["isGhost"] == false), 4);
    assert_eq!(count(&|one| one["status"] == "sub"), 1);
    assert_eq!(count(&|one| one["status"] == "inactive"), 1);
    assert_eq!(page["members"].as_array().unwrap().len(), 5);
    // An open invite for #21.
    let invited = &page["invites"][0]["playerId"];
    let kim = players.iter().find(|one| one["playerNumber"] == 21).unwrap();
    assert_eq!((invited, &kim["firstName"]), (&kim["playerId"], &Value::from("Kim")));
    let games = nora.get(&format!("{path}/games")).await.expect(200);
    let games = items(&games);
    let with = |status: &str| games.iter().filter(|one| one["status"] == status).count();
    assert_eq!(games.len(), 12);
    assert_eq!(
        (with("FINAL"), with("IN_PROGRESS"), with("SCHEDULED"), with("POSTPONED")),
        (9, 1, 1, 1)
    );
    let won = games.iter().filter(|one| {
        one["status"] == "FINAL" && one["teamScore"].as_u64() > one["opponentScore"].as_u64()
    });
    assert_eq!(won.count(), 6);
    let scheduled = games.iter().find(|one| one["status"] == "SCHEDULED").unwrap();
    assert_eq!(scheduled["lineup"].as_array().unwrap().len(), 11);
    let (mut at_bats, mut results, mut issues) = (0, BTreeSet::new(), Vec::new());
    let (mut early, mut placed, mut substitutes) = (0, 0, 0);
    for game in games {
        let id = game["gameId"].as_str().unwrap();
        let detail = nora.get(&format!("/hacktracker/games/{id}")).await.expect(200);
        let all = detail["atBats"].as_array().unwrap();
        at_bats += all.len();
        results.extend(all.iter().map(|one| one["result"].as_str().unwrap().to_owned()));
        issues.extend(detail["issues"].as_array().unwrap().clone());
        early += usize::from(game["endedEarly"].is_array());
        placed += usize::from(game["placed"].is_object());
        substitutes += usize::from(detail["box"].as_array().unwrap().len() > 11);
    }
    assert_eq!(results.len(), 11, "{results:?}");
    assert!((250..400).contains(&at_bats), "{at_bats}");
    assert_eq!((issues.len(), &issues[0]["outs"]), (1, &Value::from(2)));
    assert!(early == 1 && placed == 1 && substitutes == 1, "{early} {placed} {substitutes}");
    // The game that is played now.
    let live = games.iter().find(|one| one["status"] == "IN_PROGRESS").unwrap();
    let state = &live["state"];
    assert_eq!((&live["teamScore"], &live["opponentScore"]), (&Value::from(6), &Value::from(4)));
    assert_eq!(
        (&state["inning"], &state["half"], &state["outs"]),
        (&3.into(), &"TEAM".into(), &1.into())
    );
    let bases: Vec<bool> =
        state["bases"].as_array().unwrap().iter().map(Value::is_string).collect();
    assert_eq!(bases, [true, false, true]);
    let slot = state["nextBattingOrder"].as_u64().unwrap() as usize;
    let pia = players.iter().find(|one| one["playerNumber"] == 12).unwrap();
    assert_eq!(live["lineup"][slot - 1], pia["playerId"]);
    assert_eq!(pia["userId"], "pia-lindgren");
    // On Saturdays, or in the week, at an hour at which people play; the live one is played now.
    for game in games.iter().filter(|one| one["status"] != "IN_PROGRESS") {
        let start = game["scheduledStart"].as_str().unwrap();
        assert!(start.ends_with("T17:00:00.000Z"), "{start}");
    }
    // The season has the name of the time at which most games were played.
    let dates = games.iter().map(|one| one["scheduledStart"].as_str().unwrap());
    let mut dates: Vec<&str> = dates.collect();
    dates.sort_unstable();
    let (year, month) = (&dates[4][..4], &dates[4][5..7]);
    let season = match month {
        "03" | "04" | "05" => format!("{year}-spring"),
        "06" | "07" | "08" => format!("{year}-summer"),
        "09" | "10" | "11" => format!("{year}-fall"),
        "12" => format!("{year}-winter"),
        _ => format!("{}-winter", year.parse::<u32>().unwrap() - 1),
    };
    assert!(games.iter().all(|one| one["seasonId"] == season), "{season}");
    // Careers, and lists for admins.
    let career = server.as_persona(&STELLA).get("/hacktracker/users/me/stats").await.expect(200);
    assert_eq!((&career["line"]["pa"], &career["line"]["g"]), (&9.into(), &2.into()));
    let career = server.as_persona(&PIA).get("/hacktracker/users/me/stats").await.expect(200);
    assert!(career["teams"].as_array().unwrap().iter().any(|one| one["isDeleted"] == true));
    let users = server.as_persona(&ADA).get("/hacktracker/users").await.expect(200);
    assert_eq!(items(&users).len(), 7);
}

/// Entities by the beginnings of their keys, and the indexes that have items.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_entity_and_index_occurs() {
    let store = TestStore::memory();
    let _server = TestServer::with(vec![system()], store.share(), DemoPolicy::IfEmpty).await;
    let mut entities = BTreeSet::new();
    let mut indexes = BTreeSet::new();
    for item in store.items::<HackTracker>().await {
        let prefix = |name: &str| match item.get(name) {
            Some(Stored::S(key)) => key.split('#').next().unwrap_or_default().to_owned(),
            other => panic!("{name} is {other:?}"),
        };
        entities.insert(format!("{} {}", prefix("PK"), prefix("SK")));
        let keys = ["GSI1PK", "GSI2PK", "GSI3PK", "GSI4PK", "GSI5PK"];
        indexes.extend(keys.into_iter().filter(|key| item.get(key).is_some()));
    }
    let entities: Vec<&str> = entities.iter().map(String::as_str).collect();
    assert_eq!(
        entities,
        [
            "GAME ATBAT",
            "GAME METADATA",
            "TEAM INVITE",
            "TEAM MEMBER",
            "TEAM METADATA",
            "TEAM NUMBER",
            "TEAM PLAYER",
            "USER METADATA",
            "USER TEAM",
        ]
    );
    assert_eq!(indexes.len(), 5, "{indexes:?}");
}

/// The seed is fixed: results, scores and the opponents of two loads are the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_loads_are_the_same() {
    let load = async || {
        let server = demo_server().await;
        let nora = server.as_persona(&NORA);
        let teams = nora.get("/hacktracker/users/me/teams").await.expect(200);
        let team = items(&teams).iter().find(|one| one["name"] == "Copper Kettles").unwrap();
        let id = team["teamId"].as_str().unwrap();
        let path = format!("/hacktracker/teams/{id}/games");
        let games = nora.get(&path).await.expect(200);
        let mut played = Vec::new();
        for game in items(&games) {
            let id = game["gameId"].as_str().unwrap();
            let detail = nora.get(&format!("/hacktracker/games/{id}")).await.expect(200);
            let at_bats = detail["atBats"].as_array().unwrap().iter();
            let results: Vec<Value> = at_bats
                .map(|one| json!([one["inning"], one["result"], one["rbis"], one["hitLocation"]]))
                .collect();
            played.push(json!([
                game["opponentName"],
                game["teamRuns"],
                game["opponentRuns"],
                results
            ]));
        }
        played
    };
    let (first, second) = (load().await, load().await);
    assert_eq!(first.len(), 12);
    assert_eq!(first, second);
}

/// People of the demo data joined weeks ago, and the store deletes by its own clock what has expired:
/// their invites must not have expired by now, or they are gone before they are accepted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_invite_of_the_demo_data_has_expired_when_it_is_made() {
    let store = TestStore::memory();
    let db: Db<HackTracker> = store.open().await;
    let now = db.now().as_millis() / 1000;
    let mut changes = db.changes().await.unwrap();
    // Five who join, and one that stays open.
    let made = tokio::spawn(async move {
        let mut expiries = Vec::new();
        while expiries.len() < 6 {
            let change = changes.next().await.transpose().unwrap();
            if let Some(Change::Item { new: Some(HackTrackerItem::Invite(invite)), .. }) = change {
                expiries.push(invite.expires_at.as_seconds());
            }
        }
        expiries
    });
    let _server = TestServer::with(vec![system()], store.share(), DemoPolicy::IfEmpty).await;
    let expiries = tokio::time::timeout(PATIENCE, made).await.unwrap().unwrap();
    assert!(expiries.iter().all(|expiry| *expiry > now), "{expiries:?} at {now}");
}
