//! A request that fails, is lost, or is the last one of a server that crashes leaves all or nothing.

use crate::fixture::{
    Fixture, code, game_id, ines, league_id, new_game, new_goal, new_league, new_season,
    new_session, no_game_change, noor, ruben, session_id, tomasz, user,
};
use singlet_testing::{Fault, TestStore, at_every_request, run};
use singlet_threefc::design::{GameId, LeagueId, Role, SeasonId};
use singlet_threefc::service::input::{GameChange, GrantRole};

/// The store as it was before an operation.
struct Prepared {
    fixture: Fixture,
    before: Vec<(String, singlet::dynamo::Item)>,
}

async fn prepare(store: TestStore) -> Prepared {
    let fixture = Fixture::new(store).await;
    // Somebody without a role anywhere cannot be given one.
    fixture.service.create_league(&noor(), &new_league("harbour")).await.unwrap();
    let game = fixture.live_game("g1").await;
    fixture.goal(&game, &new_goal("blue", Some("red"))).await;
    for third in 1..=3 {
        fixture.service.start_third(&tomasz(), &game, third, None).await.unwrap();
        fixture.service.finish_third(&tomasz(), &game, third, None).await.unwrap();
    }
    let before = fixture.items().await;
    Prepared { fixture, before }
}

/// All of the new items are there, or nothing has changed.
async fn check(prepared: &Prepared, is_done: bool, fault: Fault, new_keys: &[&str]) {
    let after = prepared.fixture.items().await;
    if after == prepared.before {
        assert!(!is_done, "{fault:?}: it said that it was done");
        return;
    }
    let is_old = |key: &str| prepared.before.iter().any(|(old, _)| old == key);
    let made: Vec<&str> =
        after.iter().map(|(key, _)| key.as_str()).filter(|key| !is_old(key)).collect();
    let is_made = |wanted: &&str| made.iter().any(|key| key.starts_with(wanted));
    assert!(new_keys.iter().all(is_made), "{fault:?}: {made:?}");
    assert_eq!(made.len(), new_keys.len(), "{fault:?}: {made:?}");
}

#[test]
fn case_02_create_season_writes_all_or_nothing() {
    let keys = [
        "LEAGUE#tidewall SEASON#autumn",
        "SEASON#autumn METADATA",
        "SEASON#autumn TEAM#blue",
        "SEASON#autumn TEAM#red",
        "SEASON#autumn TEAM#yellow",
    ];
    run(at_every_request(
        prepare,
        async |prepared: &Prepared| {
            let new = new_season("autumn");
            let service = &prepared.fixture.service;
            service.create_season(&ines(), &league_id(), &new).await.map(|_| ())
        },
        async |prepared: &Prepared, is_done, fault| {
            check(prepared, is_done, fault, &keys).await;
            let seasons =
                prepared.fixture.data("LEAGUE#tidewall METADATA").await["seasons"].clone();
            let stored = prepared.fixture.keys_of("LEAGUE#tidewall SEASON#").await.len();
            assert_eq!(seasons, stored, "{fault:?}");
        },
    ));
}

#[test]
fn case_02_create_game_writes_all_or_nothing() {
    let mut keys = vec!["GAME#g2 METADATA", "SESSION#day-1 GAME#"];
    keys.extend(["GAME#g2 ROSTER#red#r1", "GAME#g2 ROSTER#red#r2", "GAME#g2 ROSTER#red#r3"]);
    keys.extend(["GAME#g2 ROSTER#blue#b1", "GAME#g2 ROSTER#blue#b2", "GAME#g2 ROSTER#blue#b3"]);
    keys.extend([
        "GAME#g2 ROSTER#yellow#y1",
        "GAME#g2 ROSTER#yellow#y2",
        "GAME#g2 ROSTER#yellow#y3",
    ]);
    run(at_every_request(
        prepare,
        async |prepared: &Prepared| {
            let service = &prepared.fixture.service;
            let new = new_game("g2", prepared.fixture.now());
            service.create_game(&ines(), &session_id(), &new).await.map(|_| ())
        },
        async |prepared: &Prepared, is_done, fault| {
            check(prepared, is_done, fault, &keys).await;
            let games = prepared.fixture.data("SESSION#day-1 METADATA").await["games"].clone();
            assert_eq!(games, prepared.fixture.keys_of("SESSION#day-1 GAME#").await.len());
        },
    ));
}

#[test]
fn case_02_grant_role_writes_all_or_nothing() {
    let keys = ["LEAGUE#tidewall ACL#USER#noor", "USER#noor ACL#LEAGUE#tidewall"];
    run(at_every_request(
        prepare,
        async |prepared: &Prepared| {
            let service = &prepared.fixture.service;
            let grant = GrantRole { role: Role::Admin, display_name: Some("Noor".into()) };
            service.grant_role(&ines(), &league_id(), &user(&noor()), &grant).await.map(|_| ())
        },
        async |prepared: &Prepared, is_done, fault| {
            check(prepared, is_done, fault, &keys).await;
            let league = prepared.fixture.data("LEAGUE#tidewall METADATA").await;
            let grants = prepared.fixture.keys_of("LEAGUE#tidewall ACL#").await.len();
            let leagues = prepared.fixture.keys_of("USER#noor ACL#").await.len();
            assert_eq!(prepared.fixture.data("USER#noor METADATA").await["leagues"], leagues);
            assert_eq!(
                (&league["grants"], &league["admins"]),
                (&grants.into(), &(grants - 2).into())
            );
        },
    ));
}

#[test]
fn case_02_finish_game_writes_all_or_nothing() {
    let mut keys = vec!["GAME#g1 AUDIT#"];
    keys.extend(["SEASON#spring STANDING#red", "SEASON#spring STANDING#blue"]);
    keys.push("SEASON#spring STANDING#yellow");
    let players: Vec<String> = ["r", "b", "y"]
        .iter()
        .flat_map(|team| (1..=3).map(move |number| format!("SEASON#spring STAT#{team}{number}")))
        .collect();
    keys.extend(players.iter().map(String::as_str));
    run(at_every_request(
        prepare,
        async |prepared: &Prepared| {
            let game = GameId::new("g1").unwrap();
            prepared.fixture.service.finish_game(&tomasz(), &game, false).await.map(|_| ())
        },
        async |prepared: &Prepared, is_done, fault| {
            check(prepared, is_done, fault, &keys).await;
            let game = GameId::new("g1").unwrap();
            let stored = prepared.fixture.stored_game(&game).await;
            let link = &prepared.fixture.service.games(None, &session_id()).await.unwrap()[0];
            assert_eq!(stored.status, link.status, "{fault:?}");
            // Whoever got no answer asks again: it counts once.
            prepared.fixture.service.finish_game(&tomasz(), &game, false).await.unwrap();
            let played =
                prepared.fixture.data("SEASON#spring STANDING#red").await["played"].clone();
            assert_eq!(played, 1, "{fault:?}");
        },
    ));
}

/// A failed read is a failure, not a session that does not exist.
#[test]
fn a_failed_read_is_not_answered_as_missing() {
    run(at_every_request(
        async |store: TestStore| {
            let fixture = Fixture::new(store).await;
            let harbour = LeagueId::new("harbour").unwrap();
            let autumn = SeasonId::new("autumn").unwrap();
            let service = &fixture.service;
            service.create_league(&ruben(), &new_league("harbour")).await.unwrap();
            service.create_season(&ruben(), &harbour, &new_season("autumn")).await.unwrap();
            service.create_session(&ruben(), &autumn, &new_session("day-2")).await.unwrap();
            fixture.game("g1").await;
            fixture
        },
        async |fixture: &Fixture| {
            let service = &fixture.service;
            let listed = service.games(None, &session_id()).await;
            let change = GameChange { session_id: Some("day-2".to_owned()), ..no_game_change() };
            let moved = service.update_game(&ines(), &game_id("g1"), &change).await;
            for code in [code(&listed), code(&moved)] {
                assert_ne!(code, "session-not-found");
            }
            match code(&moved) {
                "other-season" => listed.map(|_| ()),
                _ => moved.map(|_| ()),
            }
        },
        async |_: &Fixture, _, _| {},
    ));
}
