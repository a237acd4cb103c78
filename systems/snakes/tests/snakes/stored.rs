//! What is stored looks as the source shows it, attribute by attribute.

use crate::fixture::Fixture;
use singlet::Expiry;
use singlet::dynamo::{Item, Value};
use singlet_testing::{TestStore, on_every_backend};
use singlet_web::random::Random;
use snakes::rules::Mode;
use snakes::service::player_id;
use std::collections::BTreeSet;
use std::time::Duration;

on_every_backend! {
    items_have_the_sources_attributes_and_a_few_more,
}

fn find(items: &[Item], sort: &str) -> Item {
    let found = items.iter().find(|item| {
        matches!((item.get("PK"), item.get("SK")), (Some(Value::S(pk)), Some(Value::S(sk)))
            if format!("{pk} {sk}").contains(sort))
    });
    found.unwrap_or_else(|| panic!("no item {sort}: {items:?}")).clone()
}

fn names(item: &Item) -> BTreeSet<String> {
    item.iter().map(|(name, _)| name.to_string()).collect()
}

async fn items_have_the_sources_attributes_and_a_few_more(store: TestStore) {
    let fixture = Fixture::new(store, Random::new()).await;
    let table = fixture.game(Mode::Turns, &["Alice"]).await;
    let connection = fixture.service.connect(&table.code, &table.secrets[0]).await.unwrap();
    let items = fixture.items().await;
    assert_eq!(items.len(), 3);
    let (code, id) = (table.code.to_string(), player_id(&table.secrets[0]).unwrap().to_string());
    let text = |text: &str| Some(Value::from(text));
    let now = fixture.service.db().now();
    let this_moment = &now.to_string();
    let later = |hours: u64| Expiry::at(now.after(Duration::from_secs(hours * 3600))).as_seconds();
    let silence_end = Expiry::at(now.after(Duration::from_secs(75))).as_seconds();
    let (day, day_and_hour) = (Value::from(later(24)), Value::from(later(25)));

    let game = find(&items, "METADATA");
    let game = if game.get("code").is_some() {
        game
    } else {
        find(&items, &format!("GAME#{code} METADATA"))
    };
    let expected = [
        ("PK", text(&format!("GAME#{code}"))),
        ("SK", text("METADATA")),
        ("code", text(&code)),
        ("status", text("waiting")),
        ("creatorId", text(&id)),
        ("winnerId", Some(Value::Null)),
        ("createdAt", text(this_moment)),
        ("updatedAt", text(this_moment)),
        ("GSI1PK", text("GAMES")),
        ("GSI1SK", text(this_moment)),
        ("TTL", Some(day)),
    ];
    for (name, value) in expected {
        assert_eq!(game.get(name).cloned(), value, "{name}");
    }
    let Some(Value::M(board)) = game.get("board") else { panic!("no board: {game:?}") };
    assert_eq!(board.get("size"), Some(&Value::from(100)));
    assert!(matches!(board.get("snakesAndLadders"), Some(Value::L(jumps)) if jumps.len() == 20));
    let ours =
        ["creatorName", "history", "lastEvent", "membersTTL", "mode", "playerCount", "sequence"];
    let sources = [
        "PK",
        "SK",
        "code",
        "status",
        "creatorId",
        "board",
        "winnerId",
        "createdAt",
        "updatedAt",
        "GSI1PK",
        "GSI1SK",
        "TTL",
    ];
    assert_eq!(names(&game), sources.iter().chain(&ours).map(|name| (*name).to_owned()).collect());

    let player = find(&items, "PLAYER#");
    let expected = [
        ("PK", text(&format!("GAME#{code}"))),
        ("SK", text(&format!("PLAYER#{id}"))),
        ("id", text(&id)),
        ("gameCode", text(&code)),
        ("name", text("Alice")),
        ("color", text("#3B82F6")),
        ("seat", Some(Value::from(0))),
        ("position", Some(Value::from(0))),
        ("connectionId", text(connection.connection_id.as_str())),
        ("isConnected", Some(Value::Bool(true))),
        ("joinedAt", text(this_moment)),
        ("GSI1PK", text(&format!("PLAYER#{id}"))),
        ("GSI1SK", text(this_moment)),
        ("TTL", Some(day_and_hour)),
    ];
    assert_eq!(player.len(), expected.len() + 1, "{player:?}");
    for (name, value) in expected {
        assert_eq!(player.get(name).cloned(), value, "{name}");
    }
    // The secret is nowhere; its hash is.
    assert!(matches!(player.get("secretHash"), Some(Value::B(hash)) if hash.len() == 32));
    let secret = table.secrets[0].reveal().split_once('.').unwrap().1.to_owned();
    assert!(!format!("{items:?}").contains(&secret));

    let stored = find(&items, "CONNECTION#");
    let connection_id = connection.connection_id.to_string();
    let expected = [
        ("PK", text(&format!("CONNECTION#{connection_id}"))),
        ("SK", text("METADATA")),
        ("connectionId", text(&connection_id)),
        ("playerId", text(&id)),
        ("gameCode", text(&code)),
        ("connectedAt", text(this_moment)),
        ("GSI1PK", text(&format!("GAME#{code}"))),
        ("GSI1SK", text(&format!("CONNECTION#{connection_id}"))),
        ("TTL", Some(Value::from(silence_end))),
    ];
    assert_eq!(stored.len(), expected.len(), "{stored:?}");
    for (name, value) in expected {
        assert_eq!(stored.get(name).cloned(), value, "{name}");
    }
}
