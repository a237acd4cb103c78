//! What is stored looks as the source's key patterns say, attribute by attribute.

use crate::fixture::{
    Fixture, by, distinct, ines, league_id, new_game, new_goal, new_player, new_season,
    new_session, season_id, session_id, team, text, tomasz,
};
use serde_json::{Value as Json, json};
use singlet::dynamo::Value;
use singlet_testing::{TestStore, on_every_backend};
use std::collections::BTreeMap;
use std::time::Duration;
use threefc::design::{AbandonReason, Role};
use threefc::service::input::{AbandonGame, NewGame, NewInvite, NewPlayer, NewSeason, NewSession};

on_every_backend! {
    every_item_is_an_envelope_of_six_texts,
    payloads_are_those_of_the_specification,
    optional_fields_are_those_of_the_specification,
    a_rewrite_has_a_new_version_when_the_clock_stands_still,
}

/// A finished game with a goal, an own goal, an edit and an invitation: every entity occurs.
async fn full(store: TestStore) -> (Fixture, String) {
    let fixture = Fixture::new(store).await;
    let game = fixture.live_game("g1").await;
    let goal = by(new_goal("blue", Some("red")), "r1", &["y1"]);
    fixture.goal(&game, &goal).await;
    fixture.finish(&game).await;
    let new = NewInvite { role: Role::Viewer };
    fixture.service.invite(&ines(), &league_id(), &new).await.unwrap();
    (fixture, goal.event_id.0.to_string())
}

async fn every_item_is_an_envelope_of_six_texts(store: TestStore) {
    let (fixture, _) = full(store).await;
    let mut types: BTreeMap<String, u32> = BTreeMap::new();
    for (key, item) in fixture.items().await {
        let mut names: Vec<String> = item.iter().map(|(name, _)| name.to_string()).collect();
        names.sort_unstable();
        assert_eq!(names, ["createdAt", "data", "entityType", "pk", "sk", "updatedAt"], "{key}");
        for (name, value) in item.iter() {
            assert!(matches!(value, Value::S(_)), "{key}: {name} is {value:?}");
        }
        for name in ["createdAt", "updatedAt"] {
            let moment: singlet::Timestamp = text(&item, name).parse().unwrap();
            assert_eq!(moment.to_string(), text(&item, name), "{key}");
        }
        let data: Json = serde_json::from_str(&text(&item, "data")).unwrap();
        assert!(data.is_object(), "{key}: {data}");
        *types.entry(text(&item, "entityType")).or_default() += 1;
    }
    let expected = [
        ("acl", 6),
        ("audit", 1),
        ("game", 1),
        ("goal", 1),
        ("goalEvent", 1),
        ("invite", 1),
        ("league", 1),
        ("leagueListing", 1),
        ("leaguePlayer", 9),
        ("player", 9),
        ("playerStat", 9),
        ("roster", 9),
        ("season", 2),
        ("session", 2),
        ("sessionGame", 1),
        ("standing", 3),
        ("team", 3),
        ("user", 3),
    ];
    let expected: BTreeMap<String, u32> =
        expected.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    assert_eq!(types, expected);
}

async fn payloads_are_those_of_the_specification(store: TestStore) {
    let (fixture, event) = full(store).await;
    let now = fixture.now().to_string();
    let check = async |key: &str, expected: Json| {
        assert_eq!(fixture.data(key).await, expected, "{key}");
    };
    check(
        "LEAGUE#tidewall METADATA",
        json!({
            "leagueId": "tidewall", "name": "Tidewall", "city": "Port Merrow",
            "visibility": "public", "createdByUserId": "ines", "admins": 1, "grants": 3,
            "invites": 1, "seasons": 1, "players": 9,
        }),
    )
    .await;
    check(
        "LEAGUES LEAGUE#tidewall",
        json!({"leagueId": "tidewall", "name": "Tidewall", "city": "Port Merrow"}),
    )
    .await;
    let season = json!({
        "leagueId": "tidewall", "seasonId": "spring", "name": "Spring", "thirdLengthMinutes": 20,
    });
    check("LEAGUE#tidewall SEASON#spring", season.clone()).await;
    let mut mirror = season;
    mirror["teams"] = 3.into();
    mirror["sessions"] = 1.into();
    check("SEASON#spring METADATA", mirror).await;
    check(
        "SEASON#spring TEAM#red",
        json!({
            "seasonId": "spring", "teamId": "red", "name": "Red", "code": "RED", "color": "red",
            "squadPlayerIds": ["r1", "r2", "r3"], "retired": false,
        }),
    )
    .await;
    let session = json!({"seasonId": "spring", "sessionId": "day-1", "sessionDate": "2026-05-03"});
    check("SEASON#spring SESSION#day-1", session.clone()).await;
    let mut mirror = session;
    mirror["games"] = 1.into();
    check("SESSION#day-1 METADATA", mirror).await;
    let score = json!([
        {"teamId": "red", "conceded": 0, "scored": 1},
        {"teamId": "blue", "conceded": 1, "scored": 0},
        {"teamId": "yellow", "conceded": 0, "scored": 0},
    ]);
    let third = |number: u8| json!({"third": number, "startedAt": now, "finishedAt": now});
    let thirds = json!([third(1), third(2), third(3)]);
    let result = json!({
        "outcome": "win", "winnerTeamId": "red",
        "teams": [
            {"teamId": "red", "rank": 1, "outcome": "win"},
            {"teamId": "blue", "rank": 3, "outcome": "loss"},
            {"teamId": "yellow", "rank": 2, "outcome": "loss"},
        ],
    });
    check(
        "GAME#g1 METADATA",
        json!({
            "gameId": "g1", "leagueId": "tidewall", "seasonId": "spring", "sessionId": "day-1",
            "gameStartTs": now, "teamIds": ["red", "blue", "yellow"], "thirdLengthMinutes": 20,
            "status": "finished", "thirds": thirds, "score": score, "goals": 1, "sequence": 9,
            "lastEvent": {
                "type": "gameFinished", "sequence": 9, "at": now, "status": "finished",
                "thirds": thirds, "score": score, "result": result,
            },
            "finishedAt": now, "result": result,
        }),
    )
    .await;
    check(
        &format!("GAME#g1 GOAL#1#0001#{event}"),
        json!({
            "gameId": "g1", "eventId": event, "third": 1, "gameMinute": 1, "elapsedSeconds": 0,
            "concedingTeamId": "blue", "scoringTeamId": "red", "ownGoal": false,
            "scorerPlayerId": "r1", "assistPlayerIds": ["y1"], "entry": 3,
            "enteredByUserId": "tomasz",
        }),
    )
    .await;
    check("GAME#g1 ROSTER#red#r1", json!({"gameId": "g1", "teamId": "red", "playerId": "r1"}))
        .await;
    check(
        &format!("SESSION#day-1 GAME#{now}#g1"),
        json!({
            "sessionId": "day-1", "gameId": "g1", "gameStartTs": now, "leagueId": "tidewall",
            "seasonId": "spring", "teamIds": ["red", "blue", "yellow"], "status": "finished",
            "score": score, "outcome": "win", "winnerTeamId": "red",
        }),
    )
    .await;
    let grant = json!({
        "leagueId": "tidewall", "userId": "tomasz", "role": "scorekeeper",
        "displayName": "Tomasz Wren", "grantedByUserId": "ines",
    });
    check("LEAGUE#tidewall ACL#USER#tomasz", grant.clone()).await;
    check("USER#tomasz ACL#LEAGUE#tidewall", grant).await;
    check("USER#tomasz METADATA", json!({"userId": "tomasz", "leagues": 1})).await;
    let player = json!({
        "playerId": "r1", "leagueId": "tidewall", "nickname": "R1", "archived": false,
    });
    check("PLAYER#r1 PROFILE", player.clone()).await;
    check("LEAGUE#tidewall PLAYER#r1", player).await;
    let marker = fixture.data(&format!("GAME#g1 EVENT#{event}")).await;
    let fingerprint = marker["fingerprint"].as_str().unwrap().to_owned();
    assert_eq!(fingerprint.len(), 64);
    let expected = json!({
        "eventId": event, "goalSk": format!("GOAL#1#0001#{event}"), "removed": false,
        "fingerprint": fingerprint,
    });
    assert_eq!(marker, expected);
    check(
        "SEASON#spring STANDING#red",
        json!({
            "seasonId": "spring", "teamId": "red", "played": 1, "wins": 1, "draws": 0,
            "losses": 0, "conceded": 0, "scored": 1,
        }),
    )
    .await;
    check(
        "SEASON#spring STAT#y1",
        json!({
            "seasonId": "spring", "playerId": "y1", "games": 1, "goals": 0, "ownGoals": 0,
            "assists": 1,
        }),
    )
    .await;
    // Whole payloads without the message; fields without a value are left out.
    let before = json!({
        "gameId": "g1", "leagueId": "tidewall", "seasonId": "spring", "sessionId": "day-1",
        "gameStartTs": now, "teamIds": ["red", "blue", "yellow"], "thirdLengthMinutes": 20,
        "status": "live", "thirds": thirds, "score": score, "goals": 1, "sequence": 8,
    });
    let mut after = before.clone();
    (after["status"], after["sequence"]) = (json!("finished"), json!(9));
    (after["finishedAt"], after["result"]) = (json!(now), result);
    check(
        "GAME#g1 AUDIT#000009",
        json!({
            "gameId": "g1", "sequence": 9, "at": now, "byUserId": "tomasz",
            "byName": "Tomasz Wren", "action": "gameFinished",
            "before": before, "after": after,
        }),
    )
    .await;
    let invite = fixture.keys_of("LEAGUE#tidewall INVITE#").await.remove(0);
    let hash = invite.rsplit('#').next().unwrap();
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    let data = fixture.data(&invite).await;
    let expires = fixture.now().after(Duration::from_secs(7 * 24 * 3600)).to_string();
    let expected = json!({
        "leagueId": "tidewall", "role": "viewer", "createdByUserId": "ines", "expiresAt": expires,
    });
    assert_eq!(data, expected);
    // An own goal has null where nobody scored.
    let own_goal = new_goal("red", None);
    fixture.service.reopen_game(&ines(), &"g1".parse().unwrap()).await.unwrap();
    let own_goal = crate::fixture::by_hand(own_goal, 1, 0);
    fixture.goal(&"g1".parse().unwrap(), &own_goal).await;
    let data = fixture.data(&format!("GAME#g1 GOAL#1#0000#{}", own_goal.event_id.0)).await;
    assert_eq!((&data["scoringTeamId"], &data["scorerPlayerId"]), (&Json::Null, &Json::Null));
    assert!(data.as_object().unwrap().contains_key("scoringTeamId"));
    assert!(!data.as_object().unwrap().contains_key("elapsedSeconds"));
}

/// Fields that may be left out, and what goals, games and markers hold once they are gone.
async fn optional_fields_are_those_of_the_specification(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let now = fixture.now().to_string();
    let check = async |key: &str, expected: Json| {
        assert_eq!(fixture.data(key).await, expected, "{key}");
    };
    let dates = ["2026-03-01", "2026-06-30"].map(|date| Some(date.parse().unwrap()));
    let new = NewSeason { starts_on: dates[0], ends_on: dates[1], ..new_season("dated") };
    service.create_season(&ines(), &league_id(), &new).await.unwrap();
    let season = json!({
        "leagueId": "tidewall", "seasonId": "dated", "name": "Spring", "startsOn": "2026-03-01",
        "endsOn": "2026-06-30", "thirdLengthMinutes": 20,
    });
    check("LEAGUE#tidewall SEASON#dated", season).await;
    let new = NewSession { venue: Some("North Field".parse().unwrap()), ..new_session("day-2") };
    service.create_session(&ines(), &season_id(), &new).await.unwrap();
    let session = json!({
        "seasonId": "spring", "sessionId": "day-2", "sessionDate": "2026-05-03",
        "venue": "North Field",
    });
    check("SEASON#spring SESSION#day-2", session).await;
    let new = NewPlayer { number: Some(7), ..new_player("kite") };
    service.create_player(&ines(), &league_id(), &new).await.unwrap();
    let player = json!({
        "playerId": "kite", "leagueId": "tidewall", "nickname": "KITE", "number": 7,
        "archived": false,
    });
    check("PLAYER#kite PROFILE", player.clone()).await;
    check("LEAGUE#tidewall PLAYER#kite", player).await;
    // A goal that is undone: its marker stays, and the audit record has it.
    let pitch = Some("Pitch 1".parse().unwrap());
    let new = NewGame { pitch, ..new_game("hail", fixture.now()) };
    service.create_game(&ines(), &session_id(), &new).await.unwrap();
    let hail = "hail".parse().unwrap();
    service.start_third(&tomasz(), &hail, 1, None).await.unwrap();
    let goal = by(new_goal("blue", Some("red")), "r1", &["y1"]);
    let event = fixture.goal(&hail, &goal).await;
    service.undo_goal(&tomasz(), &hail, &event).await.unwrap();
    let marker = fixture.data(&format!("GAME#hail EVENT#{event}")).await;
    let expected = json!({
        "eventId": event, "goalSk": format!("GOAL#1#0001#{event}"), "removed": true,
        "fingerprint": marker["fingerprint"],
    });
    assert_eq!(marker, expected);
    check(
        "GAME#hail AUDIT#000004",
        json!({
            "gameId": "hail", "sequence": 4, "at": now, "byUserId": "tomasz",
            "byName": "Tomasz Wren", "action": "goalUndone", "eventId": event,
            "before": {
                "gameId": "hail", "eventId": event, "third": 1, "gameMinute": 1,
                "elapsedSeconds": 0, "concedingTeamId": "blue", "scoringTeamId": "red",
                "ownGoal": false, "scorerPlayerId": "r1", "assistPlayerIds": ["y1"], "entry": 3,
                "enteredByUserId": "tomasz",
            },
        }),
    )
    .await;
    // A game that is abandoned in its first third.
    let abandon = AbandonGame {
        reason: AbandonReason::NoShow,
        note: Some("The bus broke down".parse().unwrap()),
        absent_team_ids: distinct([team("blue")]),
    };
    service.abandon_game(&tomasz(), &hail, &abandon).await.unwrap();
    let score =
        |ids: [&str; 3]| json!(ids.map(|id| json!({"teamId": id, "conceded": 0, "scored": 0})));
    let score = score(["red", "blue", "yellow"]);
    let thirds = json!([
        {"third": 1, "startedAt": now, "finishedAt": now}, {"third": 2}, {"third": 3},
    ]);
    let abandoned = json!({
        "reason": "no-show", "note": "The bus broke down", "absentTeamIds": ["blue"],
    });
    check(
        "GAME#hail METADATA",
        json!({
            "gameId": "hail", "leagueId": "tidewall", "seasonId": "spring", "sessionId": "day-1",
            "gameStartTs": now, "pitch": "Pitch 1", "teamIds": ["red", "blue", "yellow"],
            "thirdLengthMinutes": 20, "status": "abandoned", "thirds": thirds, "score": score,
            "goals": 0, "sequence": 5,
            "lastEvent": {
                "type": "gameAbandoned", "sequence": 5, "at": now, "status": "abandoned",
                "thirds": thirds, "score": score, "abandoned": abandoned,
            },
            "abandoned": abandoned,
        }),
    )
    .await;
    check(
        &format!("SESSION#day-1 GAME#{now}#hail"),
        json!({
            "sessionId": "day-1", "gameId": "hail", "gameStartTs": now, "leagueId": "tidewall",
            "seasonId": "spring", "pitch": "Pitch 1", "teamIds": ["red", "blue", "yellow"],
            "status": "abandoned", "score": score,
        }),
    )
    .await;
    // A draw has no winner, and says of how many.
    let draw = fixture.game("draw").await;
    service.finish_game(&ines(), &draw, true).await.unwrap();
    let game = fixture.data("GAME#draw METADATA").await;
    let teams =
        ["red", "blue", "yellow"].map(|id| json!({"teamId": id, "rank": 1, "outcome": "draw"}));
    let expected = json!({"outcome": "draw", "drawKind": "three-way", "teams": teams});
    assert_eq!(game["result"], expected);
    assert_eq!(game["thirds"], json!([{"third": 1}, {"third": 2}, {"third": 3}]));
    check(
        &format!("SESSION#day-1 GAME#{now}#draw"),
        json!({
            "sessionId": "day-1", "gameId": "draw", "gameStartTs": now, "leagueId": "tidewall",
            "seasonId": "spring", "teamIds": ["red", "blue", "yellow"], "status": "finished",
            "score": score, "outcome": "draw",
        }),
    )
    .await;
}

async fn a_rewrite_has_a_new_version_when_the_clock_stands_still(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let game = fixture.live_game("g1").await;
    let mut versions = vec![fixture.stored_game(&game).await.updated_at];
    for _ in 0..3 {
        fixture.goal(&game, &new_goal("blue", Some("red"))).await;
        versions.push(fixture.stored_game(&game).await.updated_at);
    }
    for pair in versions.windows(2) {
        assert_eq!(pair[1].since(pair[0]), Duration::from_millis(1), "{versions:?}");
    }
    // A clock that was set back does not set versions back.
    fixture.store.clock.set(fixture.now().before(Duration::from_secs(60)).as_millis());
    fixture.service.finish_third(&tomasz(), &game, 1, None).await.unwrap();
    assert!(fixture.stored_game(&game).await.updated_at > versions[3]);
}
