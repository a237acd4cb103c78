//! Items as the source shows them, attribute by attribute.

use crate::fixture::{Fixture, caller, moves, new_user, play, user_id};
use hacktracker::design::{
    AtBatResult, HitLocation, HitType, HomeAway, How, Position, Role, TeamType,
};
use hacktracker::input::{NewAtBat, NewGame, NewInvite, NewOwnPlayer, NewTeam, NewUser};
use singlet::Expiry;
use singlet::dynamo::{Item, Value};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::api::Paging;
use std::collections::BTreeSet;
use std::time::Duration;

on_every_backend! {
    a_user_and_a_personal_team,
    a_managed_team_with_ghosts_and_invites,
    a_game_and_its_at_bats,
}

fn text(text: &str) -> Value {
    Value::from(text)
}

/// The item with these keys.
async fn item(fixture: &Fixture, partition: &str, sort: &str) -> Item {
    let (partition, sort) = (text(partition), text(sort));
    let is_it = |item: &Item| item.get("PK") == Some(&partition) && item.get("SK") == Some(&sort);
    let found = fixture.items().await.into_iter().find(is_it);
    found.unwrap_or_else(|| panic!("there is no {partition:?} {sort:?}"))
}

/// Exactly these attributes.
fn check(item: &Item, expected: &[(&str, Value)]) {
    for (name, value) in expected {
        assert_eq!(item.get(name), Some(value), "{name} of {item:?}");
    }
    let names: BTreeSet<&str> = item.iter().map(|(name, _)| name).collect();
    let wanted: BTreeSet<&str> = expected.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, wanted);
}

fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::M(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

async fn a_user_and_a_personal_team(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let john = caller("12345678");
    let new = NewUser {
        first_name: "John".parse().unwrap(),
        last_name: "Doe".parse().unwrap(),
        phone_number: Some("+15555551234".parse().unwrap()),
        email: Some("ignored@example.com".parse().unwrap()),
    };
    fixture.service.sign_up(&john, &new).await.unwrap();
    let now = text(&fixture.service.db().now().to_string());
    let times = [("createdAt", now.clone()), ("updatedAt", now.clone())];
    let with = |attributes: &[(&'static str, Value)]| [attributes, &times].concat();
    let user = item(&fixture, "USER#12345678", "METADATA").await;
    check(
        &user,
        &with(&[
            ("PK", text("USER#12345678")),
            ("SK", text("METADATA")),
            ("userId", text("12345678")),
            ("email", text("12345678@example.com")),
            ("firstName", text("John")),
            ("lastName", text("Doe")),
            ("phoneNumber", text("+15555551234")),
            ("teamCount", Value::from(1)),
            ("personalCount", Value::from(1)),
            ("playerCount", Value::from(1)),
            ("GSI1PK", text("COGNITO#12345678")),
            ("GSI1SK", text("USER")),
            ("GSI2PK", text("ENTITY#USER")),
            ("GSI2SK", text("METADATA#12345678")),
        ]),
    );
    let own = fixture.service.my_teams(&john, &Paging::default()).await.unwrap().items.remove(0);
    let (team, player) = (own.team.team_id.to_string(), own.player_id.unwrap().to_string());
    let team_key = format!("TEAM#{team}");
    check(
        &item(&fixture, &team_key, "METADATA").await,
        &with(&[
            ("PK", text(&team_key)),
            ("SK", text("METADATA")),
            ("teamId", text(&team)),
            ("name", text("Personal Stats")),
            ("ownerId", text("12345678")),
            ("team_type", text("PERSONAL")),
            ("ownerCount", Value::from(1)),
            ("memberCount", Value::from(1)),
            ("playerCount", Value::from(1)),
            ("gameCount", Value::from(0)),
            ("invitesMade", Value::from(0)),
            ("GSI2PK", text("ENTITY#TEAM")),
            ("GSI2SK", text(&format!("METADATA#{team}"))),
        ]),
    );
    check(
        &item(&fixture, "USER#12345678", &team_key).await,
        &with(&[
            ("PK", text("USER#12345678")),
            ("SK", text(&team_key)),
            ("userId", text("12345678")),
            ("teamId", text(&team)),
            ("role", text("owner")),
            ("status", text("active")),
            ("joinedAt", now.clone()),
            ("invitedBy", Value::Null),
            ("playerId", text(&player)),
        ]),
    );
    check(
        &item(&fixture, &team_key, "MEMBER#12345678").await,
        &with(&[
            ("PK", text(&team_key)),
            ("SK", text("MEMBER#12345678")),
            ("userId", text("12345678")),
            ("teamId", text(&team)),
            ("role", text("owner")),
            ("status", text("active")),
            ("joinedAt", now.clone()),
        ]),
    );
    check(
        &item(&fixture, &team_key, &format!("PLAYER#{player}")).await,
        &with(&[
            ("PK", text(&team_key)),
            ("SK", text(&format!("PLAYER#{player}"))),
            ("playerId", text(&player)),
            ("teamId", text(&team)),
            ("firstName", text("John")),
            ("lastName", text("Doe")),
            ("positions", Value::L(Vec::new())),
            ("status", text("active")),
            ("isGhost", Value::Bool(false)),
            ("userId", text("12345678")),
            ("linkedAt", now.clone()),
            ("atBatCount", Value::from(0)),
            ("GSI4PK", text("USER#12345678")),
            ("GSI4SK", text(&format!("PLAYER#{player}"))),
        ]),
    );
    assert_eq!(fixture.items().await.len(), 5);
    assert!(!fixture.service.sign_up(&john, &new_user("john")).await.unwrap().1);
}

async fn a_managed_team_with_ghosts_and_invites(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let nora = fixture.user("nora").await;
    let (first, second) = (Position::Ss, Position::Second);
    let own =
        NewOwnPlayer { player_number: Some(7), positions: vec![first, second].try_into().unwrap() };
    let new = NewTeam {
        name: "Seattle Sluggers".parse().unwrap(),
        description: Some("Best team in Seattle".parse().unwrap()),
        team_type: TeamType::Managed,
        player: Some(own),
    };
    let service = &fixture.service;
    let team = service.create_team(&nora, &new).await.unwrap().team_id;
    let ghost = crate::fixture::new_player("Kim", Some(0));
    let ghost = service.add_players(&nora, &team, &[ghost]).await.unwrap().items.remove(0);
    let now = text(&service.db().now().to_string());
    let key = format!("TEAM#{team}");
    let stored = item(&fixture, &key, "METADATA").await;
    assert_eq!(stored.get("description"), Some(&text("Best team in Seattle")));
    assert_eq!(stored.get("team_type"), Some(&text("MANAGED")));
    let id = ghost.player_id.to_string();
    // A ghost: NULL as user, no linkedAt, not in GSI4.
    check(
        &item(&fixture, &key, &format!("PLAYER#{id}")).await,
        &[
            ("PK", text(&key)),
            ("SK", text(&format!("PLAYER#{id}"))),
            ("playerId", text(&id)),
            ("teamId", text(team.as_str())),
            ("firstName", text("Kim")),
            ("playerNumber", Value::from(0)),
            ("positions", Value::L(Vec::new())),
            ("status", text("active")),
            ("isGhost", Value::Bool(true)),
            ("userId", Value::Null),
            ("atBatCount", Value::from(0)),
            ("createdAt", now.clone()),
            ("updatedAt", now.clone()),
        ],
    );
    check(
        &item(&fixture, &key, "NUMBER#00").await,
        &[
            ("PK", text(&key)),
            ("SK", text("NUMBER#00")),
            ("playerId", text(&id)),
            ("createdAt", now.clone()),
            ("updatedAt", now.clone()),
        ],
    );
    let roster = service.players(&nora, &team, &Paging::default()).await.unwrap().items;
    let own = roster.iter().find(|player| player.player_number == Some(7)).unwrap();
    let linked = item(&fixture, &key, &format!("PLAYER#{}", own.player_id)).await;
    assert_eq!(linked.get("positions"), Some(&Value::L(vec![text("SS"), text("2B")])));
    assert_eq!(linked.get("GSI4PK"), Some(&text("USER#nora")));
    let new = NewInvite { role: Role::Player, player_id: Some(ghost.player_id.clone()) };
    let invite = service.invite(&nora, &team, &new).await.unwrap();
    let week = service.db().now().after(Duration::from_secs(7 * 24 * 3600));
    check(
        &item(&fixture, &key, &format!("INVITE#{}", invite.code)).await,
        &[
            ("PK", text(&key)),
            ("SK", text(&format!("INVITE#{}", invite.code))),
            ("code", text(&invite.code)),
            ("role", text("player")),
            ("playerId", text(&id)),
            ("invitedBy", text("nora")),
            ("expiresAt", Value::from(Expiry::at(week).as_seconds())),
            ("createdAt", now.clone()),
            ("updatedAt", now.clone()),
        ],
    );
    // Linked and unlinked again, the ghost is as before.
    let before = item(&fixture, &key, &format!("PLAYER#{id}")).await;
    let pia = fixture.user("pia").await;
    let code = hacktracker::design::InviteCode::new(invite.code).unwrap();
    service.accept_invite(&pia, &team, &code).await.unwrap();
    let linked = item(&fixture, &key, &format!("PLAYER#{id}")).await;
    assert_eq!(linked.get("GSI4PK"), Some(&text("USER#pia")));
    assert_eq!(linked.get("GSI4SK"), Some(&text(&format!("PLAYER#{id}"))));
    assert_eq!(
        (linked.get("isGhost"), linked.get("linkedAt")),
        (Some(&Value::Bool(false)), Some(&now))
    );
    let membership = item(&fixture, "USER#pia", &key).await;
    assert_eq!(
        (membership.get("invitedBy"), membership.get("playerId")),
        (Some(&text("nora")), Some(&text(&id)))
    );
    service.unlink_player(&pia, &team, &ghost.player_id).await.unwrap();
    assert_eq!(item(&fixture, &key, &format!("PLAYER#{id}")).await, before);
    // Deleted and recovered, the team is as before.
    let stored = item(&fixture, &key, "METADATA").await;
    let count = |name| stored.get(name).cloned();
    assert_eq!(count("memberCount"), Some(Value::from(2)));
    assert_eq!(count("invitesMade"), Some(Value::from(1)));
    service.delete_team(&nora, &team).await.unwrap();
    let deleted = item(&fixture, &key, "METADATA").await;
    assert_eq!(
        (deleted.get("deletedAt"), deleted.get("deletedBy")),
        (Some(&now), Some(&text("nora")))
    );
    service.recover_team(&nora, &team).await.unwrap();
    assert_eq!(item(&fixture, &key, "METADATA").await, stored);
    assert_eq!(user_id(&nora).as_str(), "nora");
}

async fn a_game_and_its_at_bats(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let nora = fixture.user("nora").await;
    let team = fixture.team(&nora).await;
    let created = text(&fixture.service.db().now().to_string());
    let new = NewGame {
        opponent_name: Some("Portland Pioneers".parse().unwrap()),
        scheduled_start: Some("2025-11-01T19:30:00Z".parse().unwrap()),
        location: Some("Lincoln Park Field 3".parse().unwrap()),
        season_id: Some("2025-fall".parse().unwrap()),
        home_away: Some(HomeAway::Away),
        regulation_innings: Some(7),
    };
    let mut game = fixture.scheduled(&team, new).await;
    let id = game.id.to_string();
    let key = format!("GAME#{id}");
    let base = [
        ("PK", text(&key)),
        ("SK", text("METADATA")),
        ("gameId", text(&id)),
        ("teamId", text(team.id.as_str())),
        ("scheduledStart", text("2025-11-01T19:30:00.000Z")),
        ("opponentName", text("Portland Pioneers")),
        ("location", text("Lincoln Park Field 3")),
        ("seasonId", text("2025-fall")),
        ("opponentScore", Value::from(0)),
        ("homeAway", text("AWAY")),
        ("regulationInnings", Value::from(7)),
        ("createdAt", created.clone()),
        ("GSI2PK", text("ENTITY#GAME")),
        ("GSI2SK", text(&format!("METADATA#{id}"))),
        ("GSI3PK", text(&format!("TEAM#{}", team.id))),
        ("GSI3SK", text(&format!("GAME#{id}"))),
    ];
    check(
        &item(&fixture, &key, "METADATA").await,
        &[
            &base[..],
            &[
                ("status", text("SCHEDULED")),
                ("teamScore", Value::from(0)),
                ("lineup", Value::L(Vec::new())),
                ("revision", Value::from(1)),
                ("atBatCount", Value::from(0)),
                ("updatedAt", created.clone()),
            ],
        ]
        .concat(),
    );
    game.lineup(&team.players).await.unwrap();
    let started = text(&fixture.service.db().now().to_string());
    game.change(hacktracker::rules::status::Verb::Start).await.unwrap();
    let double = NewAtBat {
        hit_location: Some(HitLocation { x: 0.22, y: 0.45 }),
        hit_type: Some(HitType::LineDrive),
        ..play(game.revision(), AtBatResult::Double)
    };
    let double = game.record(double).await.unwrap().at_bat.unwrap();
    game.runners(&[(2, 3)], How::Sb).await.unwrap();
    let last = text(&fixture.service.db().now().to_string());
    let single =
        NewAtBat { moves: Some(moves(&[(3, 4)])), ..play(game.revision(), AtBatResult::Single) };
    let single = game.record(single).await.unwrap().at_bat.unwrap();
    let (first, second) = (double.at_bat_id.to_string(), single.at_bat_id.to_string());
    let step = |id: &str, from: i64, to: i64| {
        map([("atBatId", text(id)), ("from", Value::from(from)), ("to", Value::from(to))])
    };
    let stolen = map([
        ("atBatId", text(&first)),
        ("from", Value::from(2)),
        ("to", Value::from(3)),
        ("how", text("SB")),
    ]);
    let player = |index: usize| text(team.players[index].as_str());
    let of_at_bat = |id: &str, index: usize| {
        vec![
            ("PK", text(&key)),
            ("SK", text(&format!("ATBAT#{id}"))),
            ("gameId", text(game.id.as_str())),
            ("atBatId", text(id)),
            ("playerId", player(index)),
            ("teamId", text(team.id.as_str())),
            ("inning", Value::from(1)),
            ("outs", Value::from(0)),
            ("battingOrder", Value::from(index as i64 + 1)),
            ("sequence", Value::from(index as i64 + 1)),
            ("updatedAt", last.clone()),
            ("GSI5PK", text(&format!("PLAYER#{}", team.players[index]))),
            ("GSI5SK", text(&format!("ATBAT#{id}"))),
        ]
    };
    let number = |text: &str| Value::N(text.parse().unwrap());
    let mut expected = of_at_bat(&first, 0);
    expected.extend([
        ("result", text("2B")),
        ("rbis", Value::from(0)),
        ("hitLocation", map([("x", number("0.22")), ("y", number("0.45"))])),
        ("hitType", text("line_drive")),
        ("moves", Value::L(vec![step(&first, 0, 2), stolen])),
        ("scored", Value::Bool(true)),
        ("createdAt", text(&double.created_at.to_string())),
    ]);
    check(&item(&fixture, &key, &format!("ATBAT#{first}")).await, &expected);
    let mut expected = of_at_bat(&second, 1);
    expected.extend([
        ("result", text("1B")),
        ("rbis", Value::from(1)),
        ("moves", Value::L(vec![step(&second, 0, 1), step(&first, 3, 4)])),
        ("scored", Value::Bool(false)),
        ("createdAt", last.clone()),
    ]);
    check(&item(&fixture, &key, &format!("ATBAT#{second}")).await, &expected);
    let stored = item(&fixture, &key, "METADATA").await;
    let Some(Value::M(event)) = stored.get("lastEvent") else { panic!("no lastEvent: {stored:?}") };
    assert_eq!(
        (event.get("kind"), event.get("by")),
        (Some(&text("atBatRecorded")), Some(&text("nora")))
    );
    assert_eq!((event.get("at"), event.get("inning")), (Some(&last), Some(&Value::from(1))));
    let Some(Value::M(copy)) = event.get("atBat") else { panic!("no copy: {event:?}") };
    assert_eq!(
        (copy.get("atBatId"), copy.get("rbis")),
        (Some(&text(&second)), Some(&Value::from(1)))
    );
    let lineup: Vec<Value> = (0..9).map(player).collect();
    let state = map([
        ("inning", Value::from(1)),
        ("half", text("TEAM")),
        ("outs", Value::from(0)),
        ("bases", Value::L(vec![text(&second), Value::Null, Value::Null])),
        ("nextBattingOrder", Value::from(3)),
        ("atBats", Value::from(2)),
    ]);
    check(
        &stored,
        &[
            &base[..],
            &[
                ("status", text("IN_PROGRESS")),
                ("teamScore", Value::from(1)),
                ("lineup", Value::L(lineup)),
                ("revision", Value::from(6)),
                ("lastEvent", stored.get("lastEvent").cloned().unwrap()),
                ("atBatCount", Value::from(2)),
                ("state", state),
                ("teamRuns", Value::L(vec![Value::from(1)])),
                ("opponentRuns", Value::L(Vec::new())),
                ("startedAt", started),
                ("updatedAt", last.clone()),
            ],
        ]
        .concat(),
    );
    let batter =
        item(&fixture, &format!("TEAM#{}", team.id), &format!("PLAYER#{}", team.players[0])).await;
    assert_eq!(batter.get("batted"), Some(&Value::Bool(true)));
    assert_eq!(batter.get("atBatCount"), Some(&Value::from(1)));
}
