//! Malformed ids in bodies and queries are refused. Those in paths: [`crate::law`].

use crate::fixture::{Fixture, event_id};
use crate::matrix::{Names, prepare, request};
use serde_json::{Value, json};
use singlet_testing::{TestServer, TestStore};
use singlet_web::DemoPolicy;
use threefc::{PERSONAS, system};

/// In a path, and as it is when it is decoded.
const ODD: [(&str, &str); 9] = [
    ("%20", " "),
    ("%00", "\0"),
    ("a%23b", "a#b"),
    ("a%2Fb", "a/b"),
    ("%2E%2E", ".."),
    ("%25", "%"),
    ("ABC", "ABC"),
    ("%F0%9F%98%80", "\u{1f600}"),
    ("%C3%A4%C3%A4", "\u{e4}\u{e4}"),
];
async fn server() -> (Fixture, Names, TestServer) {
    let fixture = Fixture::new(TestStore::memory()).await;
    let names = prepare(&fixture).await;
    let server = TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
    (fixture, names, server)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_id_in_a_body_or_a_query_is_more_than_a_refusal() {
    let (fixture, names, server) = server().await;
    let ines = server.as_persona(&PERSONAS[0]);
    let before = fixture.items().await;
    let long = "a".repeat(3000);
    let goal = |name: &str, odd: Value| {
        let mut goal = json!({
            "eventId": event_id(), "concedingTeamId": "blue", "scoringTeamId": "red",
            "scorerPlayerId": "r1", "assistPlayerIds": ["r2"],
        });
        goal[name] = odd;
        goal
    };
    for odd in ODD.iter().map(|(_, odd)| *odd).chain([long.as_str(), ""]) {
        let team = json!({"teamId": odd, "name": "New", "code": "NEW", "color": "black"});
        let (blue, pink) = (
            json!({"teamId": "blue2", "name": "B", "code": "BB", "color": "blue"}),
            json!({"teamId": "pink", "name": "P", "code": "PP", "color": "white"}),
        );
        let start = "2026-05-03T14:00:00Z";
        let bodies = [
            ("createLeague", json!({"leagueId": odd, "name": "New"})),
            ("createSeason", json!({"seasonId": odd, "name": "New"})),
            ("createSeason", json!({"name": "New", "teams": [team, blue, pink]})),
            ("createTeam", team.clone()),
            ("updateTeam", json!({"squadPlayerIds": [odd]})),
            ("createSession", json!({"sessionId": odd, "sessionDate": "2026-05-10"})),
            (
                "createGame",
                json!({"gameId": odd, "gameStartTs": start, "teamIds": ["red", "blue", "yellow"]}),
            ),
            ("createGame", json!({"gameStartTs": start, "teamIds": ["red", "blue", odd]})),
            ("updateGame", json!({"sessionId": odd})),
            ("updateGame", json!({"teamIds": ["red", "blue", odd]})),
            ("createPlayer", json!({"playerId": odd, "nickname": "New"})),
            ("assignRoster", json!({"teamId": odd})),
            ("abandonGame", json!({"reason": "light", "absentTeamIds": [odd]})),
            ("undoGoal", json!({"expectedEventId": odd})),
            ("addGoal", goal("eventId", json!(odd))),
            ("addGoal", goal("concedingTeamId", json!(odd))),
            ("addGoal", goal("scoringTeamId", json!(odd))),
            ("addGoal", goal("scorerPlayerId", json!(odd))),
            ("addGoal", goal("assistPlayerIds", json!([odd]))),
            ("editGoal", json!({"concedingTeamId": odd})),
            ("editGoal", json!({"scoringTeamId": odd})),
            ("editGoal", json!({"scorerPlayerId": odd})),
            ("editGoal", json!({"assistPlayerIds": [odd]})),
            ("previewInvite", json!({"code": odd})),
            ("acceptInvite", json!({"code": odd, "displayName": "Me"})),
        ];
        for (operation, body) in bodies {
            let (method, path, _) = request(operation, &names);
            let response = ines.send(method, &path, Some(body.clone())).await;
            let short: String = body.to_string().chars().take(120).collect();
            let is_refused = (400..500).contains(&response.status);
            assert!(is_refused, "{operation}: {short} is {}", response.status);
        }
    }
    for odd in ODD.iter().map(|(odd, _)| *odd).chain([long.as_str(), ""]) {
        for query in [
            "/games/running/roster?team=",
            "/leagues?cursor=",
            "/leagues?limit=",
            "/me?cursor=",
            "/me?limit=",
            "/games/running/audit?cursor=",
        ] {
            let response = ines.get(&format!("/threefc/v1{query}{odd}")).await;
            let is_refused = (400..500).contains(&response.status);
            assert!(is_refused, "{query}{odd} is {}", response.status);
        }
    }
    assert_eq!(fixture.items().await, before);
}
