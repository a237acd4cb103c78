//! Lists that are read part by part.

use hacktracker::design::{HackTracker, Team, TeamId, TeamType, UserId};
use hacktracker::service::ADMIN_GROUP;
use hacktracker::system;
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
