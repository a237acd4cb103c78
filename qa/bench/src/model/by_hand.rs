//! The same without types: keys by `format!`, attributes by name.

use super::{Player, Stage};
use singlet::dynamo::binary::ValueRef;
use singlet::dynamo::expression::{KeyCondition, KeyTest};
use singlet::dynamo::operation::{GetItem, PutItem, Query};
use singlet::dynamo::stored::{Attributes, StoredItem};
use singlet::dynamo::{Item, Value};

pub(super) fn get(stage: &Stage) -> Option<StoredItem> {
    let Player { code, id, .. } = &stage.player;
    let key = Item::from_entries(vec![
        ("PK".to_owned(), Value::S(format!("GAME#{code}"))),
        ("SK".to_owned(), Value::S(format!("PLAYER#{id}"))),
    ]);
    let answer = stage.engine.get_item(&GetItem::new("games", key)).expect("an answer");
    answer.item.map(stored)
}

pub(super) fn query(stage: &Stage) -> Vec<StoredItem> {
    let partition = Value::S(format!("GAME#{}", stage.player.code));
    let players = KeyTest::BeginsWith(Value::from("PLAYER#"));
    let condition = KeyCondition::partition("PK", partition).and("SK", players).expect("two tests");
    let answer = stage.engine.query(&Query::new("games", condition)).expect("an answer");
    answer.items.unwrap_or_default().into_iter().map(stored).collect()
}

pub(super) fn put(stage: &Stage) {
    let player = &stage.player;
    let badges = player.badges.iter().map(|badge| Value::from(badge.as_str())).collect();
    let mut item = Item::from_entries(vec![
        ("PK".to_owned(), Value::S(format!("GAME#{}", player.code))),
        ("SK".to_owned(), Value::S(format!("PLAYER#{}", player.id))),
        ("about".to_owned(), Value::S(player.about.clone())),
        ("badges".to_owned(), Value::L(badges)),
        ("code".to_owned(), Value::S(player.code.to_string())),
        ("color".to_owned(), Value::S(player.color.clone())),
        ("id".to_owned(), Value::S(player.id.to_string())),
        ("isConnected".to_owned(), Value::Bool(player.is_connected)),
        ("joinedAt".to_owned(), Value::S(player.joined_at.to_string())),
        ("name".to_owned(), Value::S(player.name.clone())),
        ("position".to_owned(), Value::from(i64::from(player.position))),
    ]);
    if let Some(connection) = &player.connection_id {
        item.insert("connectionId", Value::S(connection.to_string()));
    }
    stage.engine.put_item(PutItem::new("games", item)).expect("written");
}

/// Reads a player from an item. Mismatches become defaults, because handwritten code seldom checks
/// more.
pub(super) fn read(item: &StoredItem) -> Player {
    let item = item.as_item();
    let text = |name| match item.get(name) {
        Some(ValueRef::S(text)) => text,
        _ => "",
    };
    Player {
        code: text("code").parse().expect("a code"),
        id: text("id").parse().expect("an id"),
        name: text("name").to_owned(),
        color: text("color").to_owned(),
        position: match item.get("position") {
            Some(ValueRef::N(number)) => number.to_string().parse().unwrap_or_default(),
            _ => 0,
        },
        connection_id: text("connectionId").parse().ok(),
        is_connected: matches!(item.get("isConnected"), Some(ValueRef::Bool(true))),
        joined_at: text("joinedAt").parse().expect("a moment"),
        about: text("about").to_owned(),
        badges: match item.get("badges") {
            Some(ValueRef::L(badges)) => badges.iter().filter_map(as_text).collect(),
            _ => Vec::new(),
        },
    }
}

fn as_text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::S(text) => Some(text.to_owned()),
        _ => None,
    }
}

fn stored(attributes: Attributes) -> StoredItem {
    match attributes {
        Attributes::Stored(item) => item,
        Attributes::Selected(item) => StoredItem::from(&item),
    }
}
