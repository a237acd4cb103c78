//! Items as the source documents show them, attribute by attribute.

use super::{cricket, fus, hacktracker, snakes};
use crate::stories::id;
use serde_json::{Value as Json, json};
use singlet::Settings;
use singlet::backend::Embedded;
use singlet::dynamo::operation::{Answer, Scan};
use singlet::dynamo::{Item, Value};
use singlet::engine::{Clock, Engine};
use singlet::prelude::*;

/// DynamoDB's values from plain JSON, as the documents write items.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => Value::N(number.to_string().parse().unwrap()),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(list) => Value::L(list.iter().map(value).collect()),
        Json::Object(map) => {
            Value::M(map.iter().map(|(name, json)| (name.clone(), value(json))).collect())
        }
    }
}

/// Stores an entity when the clock shows this, and compares what lies in the table then.
#[track_caller]
fn check<E: Entity>(now: &str, entity: &E, expected: Json)
where
    E::Table: Declaration,
{
    let now: Timestamp = now.parse().unwrap();
    let settings = Settings { clock: Clock::fixed(now.as_millis()), ..Settings::default() };
    let found: Vec<Item> = singlet::block_on(async {
        let db = Db::<E::Table>::on(Embedded::new(Engine::memory().unwrap()), settings);
        db.provision().await.unwrap();
        db.run(create(entity)).await.unwrap();
        match db.execute(Scan::new(db.table_name::<E::Table>())).await.unwrap() {
            Answer::Page(page) => page.items.unwrap().iter().map(|item| item.to_item()).collect(),
            other => panic!("{other:?}"),
        }
    });
    let Value::M(expected) = value(&expected) else { panic!("an item is an object") };
    assert_eq!(found, [expected]);
}

const USER: &str = "12345678-1234-1234-1234-123456789012";
const TEAM: &str = "a6f27724-7042-4816-94d3-a2183ef50a09";

#[test]
fn a_user_of_hacktracker() {
    let now = "2025-10-25T12:00:00.000Z";
    let user = hacktracker::User {
        user_id: id(USER),
        cognito_sub: id(USER),
        email: "john.doe@example.com".into(),
        first_name: "John".into(),
        last_name: "Doe".into(),
        phone_number: "+15555551234".into(),
        created_at: id(now),
        updated_at: id(now),
    };
    check(
        now,
        &user,
        json!({
            "PK": "USER#12345678-1234-1234-1234-123456789012",
            "SK": "METADATA",
            "userId": "12345678-1234-1234-1234-123456789012",
            "email": "john.doe@example.com",
            "firstName": "John",
            "lastName": "Doe",
            "phoneNumber": "+15555551234",
            "createdAt": "2025-10-25T12:00:00.000Z",
            "updatedAt": "2025-10-25T12:00:00.000Z",
            "GSI1PK": "COGNITO#12345678-1234-1234-1234-123456789012",
            "GSI1SK": "USER",
            "GSI2PK": "ENTITY#USER",
            "GSI2SK": "METADATA#12345678-1234-1234-1234-123456789012"
        }),
    );
}

#[test]
fn a_team_of_hacktracker() {
    let now = "2025-10-25T12:00:00.000Z";
    let team = hacktracker::Team {
        team_id: id(TEAM),
        name: "Seattle Sluggers".into(),
        description: "Best team in Seattle".into(),
        owner_id: id(USER),
        team_type: hacktracker::TeamType::Managed,
        deleted_at: None,
        created_at: id(now),
        updated_at: id(now),
    };
    check(
        now,
        &team,
        json!({
            "PK": "TEAM#a6f27724-7042-4816-94d3-a2183ef50a09",
            "SK": "METADATA",
            "teamId": "a6f27724-7042-4816-94d3-a2183ef50a09",
            "name": "Seattle Sluggers",
            "description": "Best team in Seattle",
            "ownerId": "12345678-1234-1234-1234-123456789012",
            "team_type": "MANAGED",
            "createdAt": "2025-10-25T12:00:00.000Z",
            "updatedAt": "2025-10-25T12:00:00.000Z",
            "GSI2PK": "ENTITY#TEAM",
            "GSI2SK": "METADATA#a6f27724-7042-4816-94d3-a2183ef50a09"
        }),
    );
}

/// The document shows it without the timestamps that it says all entities have.
#[test]
fn a_membership_of_hacktracker() {
    let now = "2025-10-25T12:00:00.000Z";
    let membership = hacktracker::Membership {
        user_id: id(USER),
        team_id: id(TEAM),
        role: hacktracker::Role::Owner,
        status: "active".into(),
        joined_at: id(now),
        invited_by: None,
        created_at: id(now),
        updated_at: id(now),
    };
    check(
        now,
        &membership,
        json!({
            "PK": "USER#12345678-1234-1234-1234-123456789012",
            "SK": "TEAM#a6f27724-7042-4816-94d3-a2183ef50a09",
            "userId": "12345678-1234-1234-1234-123456789012",
            "teamId": "a6f27724-7042-4816-94d3-a2183ef50a09",
            "role": "owner",
            "status": "active",
            "joinedAt": "2025-10-25T12:00:00.000Z",
            "invitedBy": null,
            "createdAt": "2025-10-25T12:00:00.000Z",
            "updatedAt": "2025-10-25T12:00:00.000Z"
        }),
    );
}

/// The index key GSI4 is "reserved" in the document; here it is filled when the player is linked.
#[test]
fn players_of_hacktracker() {
    let now = "2025-10-25T12:00:00.000Z";
    let player = hacktracker::Player {
        player_id: id("b7e38835-8153-5927-a5e4-b3294fg61b1a"),
        team_id: id(TEAM),
        first_name: "John".into(),
        last_name: "Doe".into(),
        player_number: 12,
        positions: vec!["SS".into(), "2B".into()],
        status: hacktracker::PlayerStatus::Active,
        is_ghost: false,
        user_id: Some(id(USER)),
        linked_at: Some(id(now)),
        created_at: id(now),
        updated_at: id(now),
    };
    let mut linked = json!({
        "PK": "TEAM#a6f27724-7042-4816-94d3-a2183ef50a09",
        "SK": "PLAYER#b7e38835-8153-5927-a5e4-b3294fg61b1a",
        "playerId": "b7e38835-8153-5927-a5e4-b3294fg61b1a",
        "teamId": "a6f27724-7042-4816-94d3-a2183ef50a09",
        "firstName": "John",
        "lastName": "Doe",
        "playerNumber": 12,
        "positions": ["SS", "2B"],
        "status": "active",
        "isGhost": false,
        "userId": "12345678-1234-1234-1234-123456789012",
        "linkedAt": "2025-10-25T12:00:00.000Z",
        "createdAt": "2025-10-25T12:00:00.000Z",
        "updatedAt": "2025-10-25T12:00:00.000Z"
    });
    let mut ghost = linked.clone();
    linked["GSI4PK"] = json!("USER#12345678-1234-1234-1234-123456789012");
    linked["GSI4SK"] = json!("PLAYER#b7e38835-8153-5927-a5e4-b3294fg61b1a");
    check(now, &player, linked);

    ghost["isGhost"] = json!(true);
    ghost["userId"] = json!(null);
    ghost.as_object_mut().unwrap().remove("linkedAt");
    let ghost_player =
        hacktracker::Player { is_ghost: true, user_id: None, linked_at: None, ..player };
    check(now, &ghost_player, ghost);
}

#[test]
fn a_game_of_hacktracker() {
    let now = "2025-10-25T12:00:00.000Z";
    let game = hacktracker::Game {
        game_id: id("c8d39946-9264-6038-c6f5-d4405gh72c2b"),
        team_id: id(TEAM),
        status: hacktracker::GameStatus::Scheduled,
        scheduled_start: Some(id("2025-11-01T19:30:00.000Z")),
        opponent_name: Some("Portland Pioneers".into()),
        location: Some("Lincoln Park Field 3".into()),
        season_id: None,
        team_score: 0,
        opponent_score: 0,
        lineup: Some(vec![]),
        created_at: id(now),
        updated_at: id(now),
    };
    check(
        now,
        &game,
        json!({
            "PK": "GAME#c8d39946-9264-6038-c6f5-d4405gh72c2b",
            "SK": "METADATA",
            "gameId": "c8d39946-9264-6038-c6f5-d4405gh72c2b",
            "teamId": "a6f27724-7042-4816-94d3-a2183ef50a09",
            "status": "SCHEDULED",
            "scheduledStart": "2025-11-01T19:30:00.000Z",
            "opponentName": "Portland Pioneers",
            "location": "Lincoln Park Field 3",
            "teamScore": 0,
            "opponentScore": 0,
            "lineup": [],
            "createdAt": "2025-10-25T12:00:00.000Z",
            "updatedAt": "2025-10-25T12:00:00.000Z",
            "GSI2PK": "ENTITY#GAME",
            "GSI2SK": "METADATA#c8d39946-9264-6038-c6f5-d4405gh72c2b",
            "GSI3PK": "TEAM#a6f27724-7042-4816-94d3-a2183ef50a09",
            "GSI3SK": "GAME#c8d39946-9264-6038-c6f5-d4405gh72c2b"
        }),
    );
}

/// The document writes moments without milliseconds. Here all have them, because text of one width
/// sorts as moments do.
#[test]
fn items_of_snakes() {
    let now = "2024-01-01T00:00:00Z";
    let game = snakes::Game {
        code: id("ABC123"),
        status: snakes::Status::Playing,
        creator_id: id("player-uuid"),
        board: snakes::Board {
            size: 100,
            snakes_and_ladders: vec![snakes::Jump { from: 2, to: 38 }],
        },
        winner_id: None,
        created_at: id(now),
        updated_at: id(now),
        expires: Some(Expiry::from_seconds(1_704_153_600)),
    };
    check(
        now,
        &game,
        json!({
            "PK": "GAME#ABC123",
            "SK": "METADATA",
            "code": "ABC123",
            "status": "playing",
            "creatorId": "player-uuid",
            "board": {"size": 100, "snakesAndLadders": [{"from": 2, "to": 38}]},
            "winnerId": null,
            "createdAt": "2024-01-01T00:00:00.000Z",
            "updatedAt": "2024-01-01T00:00:00.000Z",
            "GSI1PK": "GAMES",
            "GSI1SK": "2024-01-01T00:00:00.000Z",
            "TTL": 1704153600
        }),
    );
    let player = snakes::Player {
        id: id("player-uuid"),
        game_code: id("ABC123"),
        name: "Alice".into(),
        color: "#3B82F6".into(),
        position: 42,
        connection_id: Some(id("abc123")),
        is_connected: true,
        joined_at: id(now),
        expires: None,
    };
    check(
        now,
        &player,
        json!({
            "PK": "GAME#ABC123",
            "SK": "PLAYER#player-uuid",
            "id": "player-uuid",
            "gameCode": "ABC123",
            "name": "Alice",
            "color": "#3B82F6",
            "position": 42,
            "connectionId": "abc123",
            "isConnected": true,
            "joinedAt": "2024-01-01T00:00:00.000Z",
            "GSI1PK": "PLAYER#player-uuid",
            "GSI1SK": "2024-01-01T00:00:00.000Z"
        }),
    );
    let connection = snakes::Connection {
        connection_id: id("abc123"),
        player_id: id("player-uuid"),
        game_code: id("ABC123"),
        connected_at: id(now),
        expires: None,
    };
    check(
        now,
        &connection,
        json!({
            "PK": "CONNECTION#abc123",
            "SK": "METADATA",
            "connectionId": "abc123",
            "playerId": "player-uuid",
            "gameCode": "ABC123",
            "connectedAt": "2024-01-01T00:00:00.000Z",
            "GSI1PK": "GAME#ABC123",
            "GSI1SK": "CONNECTION#abc123"
        }),
    );
}

#[test]
fn items_of_fus() {
    let now = "2026-01-31T18:00:00.000Z";
    let rating = fus::Rating {
        id: id("u1"),
        site_id: id("s1"),
        stars: 5,
        note: "good".into(),
        updated_at: id(now),
    };
    check(
        now,
        &rating,
        json!({
            "PK": "USER#u1",
            "SK": "SITE#s1",
            "stars": 5,
            "note": "good",
            "updatedAt": "2026-01-31T18:00:00.000Z",
            "starRating": 5,
            "siteId": "SITE#s1"
        }),
    );
    let tag = fus::SiteTag { id: id("s1"), tag: id("javascript") };
    check(
        now,
        &tag,
        json!({"PK": "SITE#s1", "SK": "TAG#javascript", "tag": "javascript", "siteId": "SITE#s1"}),
    );
    let membership = fus::Membership {
        group_name: id("Squash"),
        user_id: id("u1"),
        added_at: id(now),
        added_by: id("u2"),
    };
    check(
        now,
        &membership,
        json!({
            "PK": "USER#u1",
            "SK": "MEMBERSHIP#Squash",
            "groupName": "Squash",
            "userId": "u1",
            "addedAt": "2026-01-31T18:00:00.000Z",
            "addedBy": "u2"
        }),
    );
    let player = |number: u8| id(format!("p{number}"));
    let game = fus::SquashMatch {
        date: id("2026-01-31"),
        match_id: id("m1"),
        team_a_player_1_id: player(1),
        team_a_player_2_id: player(2),
        team_b_player_1_id: player(3),
        team_b_player_2_id: player(4),
        winning_team: fus::Side::A,
        team_a_games: 3,
        team_b_games: 1,
        created_at: id(now),
        updated_at: id(now),
    };
    check(
        now,
        &game,
        json!({
            "PK": "SQUASH#MATCH#m1",
            "SK": "METADATA",
            "date": "2026-01-31",
            "squashDate": "2026-01-31",
            "matchId": "m1",
            "teamAPlayer1Id": "p1",
            "teamAPlayer2Id": "p2",
            "teamBPlayer1Id": "p3",
            "teamBPlayer2Id": "p4",
            "winningTeam": "A",
            "teamAGames": 3,
            "teamBGames": 1,
            "entityType": "SQUASH_MATCH",
            "entitySk": "2026-01-31#m1",
            "createdAt": "2026-01-31T18:00:00.000Z",
            "updatedAt": "2026-01-31T18:00:00.000Z"
        }),
    );
}

#[test]
fn items_of_cricket() {
    let now = "2026-01-31T18:00:00.000Z";
    let fixture = cricket::Fixture {
        match_id: id("101"),
        league_code: id("IPL"),
        league_id: id("1"),
        start_time: id("2026-02-01T14:00:00.000Z"),
        live: Some(cricket::Live::Live),
        live_updated_at: Some(id(now)),
        archived_at: None,
    };
    check(
        now,
        &fixture,
        json!({
            "matchId": "101",
            "leagueCode": "IPL",
            "leagueId": "1",
            "startTime": "2026-02-01T14:00:00.000Z",
            "live": "LIVE",
            "liveUpdatedAt": "2026-01-31T18:00:00.000Z"
        }),
    );
    let state = cricket::DisplayState {
        match_id: id("101"),
        team_id: id("7"),
        state: "{}".into(),
        expires: Expiry::from_seconds(1_800_000_000),
    };
    check(
        now,
        &state,
        json!({
            "cacheKey": "DISPLAY#101#7",
            "state": "{}",
            "ttl": 1800000000
        }),
    );
    let lock = cricket::Lock {
        lock_key: id("match:101"),
        owner: id("instance-1"),
        expires_at: 1_769_882_410_000,
    };
    check(
        now,
        &lock,
        json!({"lockKey": "match:101", "owner": "instance-1", "expiresAt": 1769882410000_i64}),
    );
}

/// A query of one entity passes over items of others that are in the same index, because they
/// happen to have the attributes of its key.
#[test]
fn matches_of_a_day_come_without_participations() {
    singlet::block_on(async {
        let db = Db::<fus::Fus>::memory().await.unwrap();
        let day: Date = id("2026-01-31");
        let participation =
            fus::Participation { player_id: id("p1"), match_id: id("m1"), squash_date: day };
        db.run(create(&participation)).await.unwrap();
        assert_eq!(db.query(fus::SquashMatch::on_day(day)).all().await.unwrap(), []);
        assert_eq!(db.query(fus::SquashMatch::on_day(day)).count().await.unwrap(), 0);
        let player = fus::Participation::matches_of(&participation.player_id);
        assert_eq!(db.query(player).all().await.unwrap(), [participation]);
    });
}
