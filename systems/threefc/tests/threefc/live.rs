//! What those who watch are sent.

use crate::fixture::{Fixture, ines, new_goal, no_game_change, session_id, tomasz};
use serde_json::{Value, json};
use singlet_testing::{TestServer, TestStore};
use singlet_web::DemoPolicy;
use singlet_web::api::Change;
use threefc::service::input::{GameChange, LeagueChange};
use threefc::{PERSONAS, system};

/// A server on the store of a fixture.
pub(crate) async fn server() -> (Fixture, TestServer) {
    let fixture = Fixture::new(TestStore::memory()).await;
    let server = TestServer::with(vec![system()], fixture.store.share(), DemoPolicy::Never).await;
    (fixture, server)
}

fn events_of(state: &Value) -> Vec<String> {
    let goals = state["goals"].as_array().unwrap();
    goals.iter().map(|goal| goal["eventId"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn case_25_who_joins_late_misses_nothing_and_who_comes_back_gets_what_was_missed() {
    let (fixture, server) = server().await;
    let game = fixture.live_game("g1").await;
    for _ in 0..5 {
        fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    }
    let path = "/threefc/v1/games/g1/live";
    let mut watcher = server.visitor().events(path).await;
    let state = watcher.expect("state").await;
    assert_eq!((events_of(&state).len(), &state["sequence"]), (5, &json!(7)));
    assert_eq!(state.get("myRole"), None);
    let goal = crate::fixture::by(new_goal("red", Some("yellow")), "y2", &["b1"]);
    fixture.goal(&game, &goal).await;
    let message = watcher.expect("goalAdded").await;
    assert_eq!((&message["sequence"], &message["status"]), (&json!(8), &json!("live")));
    assert_eq!(message["goal"]["eventId"], goal.event_id.0.as_str());
    assert_eq!(message["goal"]["scorer"], json!({"playerId": "y2", "nickname": "Y2"}));
    assert_eq!(message["score"][0], json!({"teamId": "red", "conceded": 1, "scored": 5}));
    fixture.service.finish_third(&tomasz(), &game, 1, None).await.unwrap();
    watcher.expect("thirdFinished").await;
    let event = goal.event_id.0.clone();
    fixture.service.undo_goal(&tomasz(), &game, &event).await.unwrap();
    assert_eq!(watcher.expect("goalRemoved").await["eventId"], goal.event_id.0.as_str());
    // Who has seen number 7 gets only what came after it.
    let mut back = server.visitor().with_header("last-event-id", "7").events(path).await;
    for (name, sequence) in [("goalAdded", 8), ("thirdFinished", 9), ("goalRemoved", 10)] {
        assert_eq!(back.expect(name).await["sequence"], sequence);
    }
    // Who claims to have seen what has not happened gets the state.
    let mut back = server.visitor().with_header("last-event-id", "99").events(path).await;
    assert_eq!(back.expect("state").await["sequence"], 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_of_a_game_is_one_message() {
    let (fixture, server) = server().await;
    let service = &fixture.service;
    let game = fixture.game("g1").await;
    let mut watcher = server.visitor().events("/threefc/v1/games/g1/live").await;
    watcher.expect("state").await;
    let pitch = GameChange { pitch: Change::Set("2".parse().unwrap()), ..no_game_change() };
    service.update_game(&ines(), &game, &pitch).await.unwrap();
    watcher.expect("gameChanged").await;
    let (lark, team) = (crate::fixture::player("r1"), crate::fixture::team("blue"));
    service.assign_roster(&tomasz(), &game, &lark, &team).await.unwrap();
    let message = watcher.expect("rosterChanged").await;
    assert_eq!(
        (&message["player"]["nickname"], &message["teamId"]),
        (&json!("R1"), &json!("blue"))
    );
    service.start_third(&tomasz(), &game, 1, None).await.unwrap();
    watcher.expect("thirdStarted").await;
    let goal = new_goal("red", Some("yellow"));
    let event = fixture.goal(&game, &goal).await;
    watcher.expect("goalAdded").await;
    let change = threefc::service::input::GoalChange {
        conceding_team_id: Some("blue".parse().unwrap()),
        ..crate::fixture::no_change()
    };
    service.edit_goal(&tomasz(), &game, &event, &change).await.unwrap();
    assert_eq!(watcher.expect("goalChanged").await["goal"]["concedingTeamId"], "blue");
    service.finish_game(&ines(), &game, true).await.unwrap();
    let message = watcher.expect("gameFinished").await;
    assert_eq!(message["result"]["winnerTeamId"], "yellow");
    service.reopen_game(&ines(), &game).await.unwrap();
    assert_eq!(watcher.expect("gameReopened").await.get("result"), None);
    let abandon = threefc::service::input::AbandonGame {
        reason: threefc::design::AbandonReason::NoShow,
        note: None,
        absent_team_ids: Default::default(),
    };
    service.abandon_game(&tomasz(), &game, &abandon).await.unwrap();
    let message = watcher.expect("gameAbandoned").await;
    assert_eq!(message["abandoned"]["reason"], "no-show");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn season_pages_get_rows_of_games() {
    let (fixture, server) = server().await;
    let mut watcher = server.visitor().events("/threefc/v1/seasons/spring/live").await;
    watcher.expect("ready").await;
    let game = fixture.game("g1").await;
    let row = watcher.expect("gameRow").await;
    assert_eq!((&row["gameId"], &row["status"]), (&json!("g1"), &json!("scheduled")));
    fixture.service.start_third(&tomasz(), &game, 1, None).await.unwrap();
    let live = watcher.expect("gameRow").await;
    assert_eq!(live["status"], "live");
    assert!(live["updatedAt"].as_str() > row["updatedAt"].as_str());
    fixture.goal(&game, &new_goal("red", Some("blue"))).await;
    assert_eq!(watcher.expect("gameRow").await["score"][0]["conceded"], 1);
    let plain = fixture.game("g2").await;
    watcher.expect("gameRow").await;
    fixture.service.delete_game(&ines(), &plain).await.unwrap();
    assert_eq!(watcher.expect("gameRemoved").await["gameId"], "g2");
    assert_eq!(fixture.service.games(None, &session_id()).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_league_is_watched_by_its_people_only() {
    let (fixture, server) = server().await;
    fixture.game("g1").await;
    let hide = LeagueChange {
        name: None,
        city: Change::Keep,
        visibility: Some(threefc::design::Visibility::Private),
    };
    let league = crate::fixture::league_id();
    fixture.service.update_league(&ines(), &league, &hide).await.unwrap();
    for path in ["/threefc/v1/games/g1/live", "/threefc/v1/seasons/spring/live"] {
        assert_eq!(server.visitor().get(path).await.status, 404, "{path}");
        assert_eq!(server.as_persona(&PERSONAS[4]).get(path).await.status, 404, "{path}");
        let mut bea = server.as_persona(&PERSONAS[2]).events(path).await;
        assert!(bea.next().await.is_some(), "{path}");
    }
}
