//! Lists that are read part by part.

use hacktracker::design::{HackTracker, Team, TeamId, TeamType, UserId};
use hacktracker::service::ADMIN_GROUP;
use hacktracker::system;
use serde_json::json;
use singlet::prelude::*;
use singlet_testing::TestServer;
use std::collections::BTreeSet;

const TEAMS: usize = 100_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_25_a_hundred_thousand_teams_are_listed_once_each() {
    let server = TestServer::start(vec![system()]).await;
    let db: Db<HackTracker> = server.store.open().await;
    let now = db.now();
    let owner_id = UserId::new("nora").unwrap();
    let mut batch = db.batch();
    for number in 0..TEAMS {
        let team = Team {
            team_id: TeamId::new(format!("t{number:06}")).unwrap(),
            name: "Copper Kettles".to_owned(),
            description: None,
            owner_id: owner_id.clone(),
            team_type: TeamType::Managed,
            owner_count: 1,
            member_count: 1,
            player_count: 0,
            game_count: 0,
            invites_made: 0,
            // Deleted ones are not listed.
            deleted_at: (number % 1000 == 7).then_some(now),
            deleted_by: None,
            purged_at: None,
            created_at: now,
            updated_at: now,
        };
        batch.put(&team).unwrap();
    }
    batch.run().await.unwrap();
    let admin = server.as_user("ada", &[ADMIN_GROUP]);
    let mut seen = BTreeSet::new();
    let mut cursor = String::new();
    loop {
        let page = admin.get(&format!("/hacktracker/teams?limit=100{cursor}")).await.expect(200);
        for team in page["items"].as_array().unwrap() {
            let id = team["teamId"].as_str().unwrap().to_owned();
            assert!(seen.insert(id), "{team} is listed twice");
        }
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen.len(), TEAMS - TEAMS / 1000);
    let wrong = admin.get("/hacktracker/users?limit=100&cursor=abc").await;
    assert_eq!(wrong.code(), "invalid");
    assert_eq!(admin.get("/hacktracker/teams?limit=101").await.code(), "invalid");
}

/// Regression: own teams and invites were lists without an end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_teams_and_invites_come_in_pages() {
    let server = TestServer::start(vec![system()]).await;
    let nora = server.as_user("nora", &[]);
    let user = json!({"firstName": "Nora", "lastName": "Vance", "email": "nora@example.com"});
    nora.post("/hacktracker/users", user).await.expect(201);
    let mut team = String::new();
    for name in ["Kettles", "Tins", "Roofs"] {
        let made = nora.post("/hacktracker/teams", json!({"name": name})).await.expect(201);
        team = made["teamId"].as_str().unwrap().to_owned();
    }
    let invites = format!("/hacktracker/teams/{team}/invites");
    for role in ["player", "manager", "owner"] {
        nora.post(&invites, json!({"role": role})).await.expect(201);
    }
    for (path, id, count) in
        [("/hacktracker/users/me/teams", "teamId", 4), (invites.as_str(), "code", 3)]
    {
        let whole = nora.get(path).await.expect(200);
        assert!(whole["next"].is_null(), "{whole}");
        let (mut seen, mut cursor) = (BTreeSet::new(), String::new());
        loop {
            let page = nora.get(&format!("{path}?limit=2{cursor}")).await.expect(200);
            let items = page["items"].as_array().unwrap();
            assert!(items.len() <= 2, "{page}");
            for item in items {
                assert!(seen.insert(item[id].as_str().unwrap().to_owned()), "{item} twice");
            }
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!((seen.len(), whole["items"].as_array().unwrap().len()), (count, count));
        assert_eq!(nora.get(&format!("{path}?limit=101")).await.code(), "invalid");
    }
}
