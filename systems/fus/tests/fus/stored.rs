//! Stored items match the specification's table, attribute by attribute.

use crate::fixture::*;
use fus::rules::Permission;
use fus::service::{Email, GroupChange, NewPlayer, NewRating};
use singlet::dynamo::{Item, Value};
use singlet_testing::{TestStore, on_every_backend};
use std::collections::BTreeMap;

on_every_backend! {
    items_have_the_attributes_of_the_table,
    what_is_sealed_is_in_no_list,
}

fn item(items: &[Item], pk: &str, sk: &str) -> Item {
    let found = items.iter().find(|item| text(item, "PK") == pk && text(item, "SK") == sk);
    found.unwrap_or_else(|| panic!("no item {pk} {sk}")).clone()
}

/// Compares all attributes, in both directions.
fn assert_item(items: &[Item], pk: &str, sk: &str, expected: &[(&str, Value)]) {
    let stored: BTreeMap<String, Value> =
        item(items, pk, sk).iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let expected: BTreeMap<String, Value> = [("PK", s(pk)), ("SK", s(sk))]
        .into_iter()
        .chain(expected.iter().cloned())
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    assert_eq!(stored, expected);
}

fn s(text: impl AsRef<str>) -> Value {
    Value::from(text.as_ref())
}

fn n(number: i64) -> Value {
    Value::from(number)
}

fn list(texts: &[&str]) -> Value {
    Value::L(texts.iter().map(s).collect())
}

async fn items_have_the_attributes_of_the_table(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let service = &fixture.service;
    let players = fixture.club(&["Ada", "Ben", "Cleo"]).await;
    fixture.sign_in(&nils()).await;
    let site = fixture.site("Rust by Example", &["rust"]).await.id;
    let now = service.db().now().to_string();
    let at = |name: &'static str| (name, s(&now));
    let new = NewRating { stars: 5, note: says("mine") };
    service.rate_site(&nils(), &site, &new).await.unwrap();
    let comment = service.add_comment(&nils(), &site, &says("Good.")).await.unwrap().comment_id;
    let other = service.add_comment(&nils(), &site, &says("Bad.")).await.unwrap().comment_id;
    service.moderate_comment(&adam(), (&site, &id("nils"), &other), &says("Rude.")).await.unwrap();
    let readers = GroupChange {
        description: says("They read."),
        permissions: [Permission::ReadGroups].into(),
    };
    service.create_group(&adam(), named("Readers", &readers)).await.unwrap();
    service.add_member(&adam(), &id("Readers"), &id("nils")).await.unwrap();
    fixture.sign_in(&caller("dan", &[])).await;
    let dan = NewPlayer {
        email: Some(Email("dan@club.example".to_owned())),
        user_id: Some(id("dan")),
        ..new_player("Dan")
    };
    let dan = service.create_player(&mina(), &dan).await.unwrap().id;
    let four = [&players[0], &players[1], &players[2], &dan];
    let played = service.create_match(&sofia(), &new_match("2026-05-04", four, [1, 3])).await;
    let played = played.unwrap().match_id;
    let items = fixture.items().await;
    let site_key = format!("SITE#{site}");

    assert_item(
        &items,
        &site_key,
        "METADATA",
        &[
            ("entityType", s("SITE")),
            ("entitySk", s(&site_key)),
            ("url", s("https://site.example/")),
            ("title", s("Rust by Example")),
            ("description", s("About it.")),
            ("scrapedContent", s("Text of the page.")),
            ("tags", list(&["rust"])),
            ("ratingSum", n(5)),
            ("ratingCount", n(1)),
            ("stars1", n(0)),
            ("stars2", n(0)),
            ("stars3", n(0)),
            ("stars4", n(0)),
            ("stars5", n(1)),
            ("commentCount", n(2)),
            ("version", n(1)),
            at("createdAt"),
            at("updatedAt"),
        ],
    );
    assert_item(&items, &site_key, "TAG#rust", &[("tag", s("rust")), ("siteId", s(&site_key))]);
    assert_item(
        &items,
        &site_key,
        "WORD#example",
        &[
            ("entityType", s("WORD#ex")),
            ("entitySk", s(format!("example#{site}"))),
            ("title", s("Rust by Example")),
            ("words", list(&["rust", "by", "example", "site"])),
        ],
    );
    assert_item(
        &items,
        "TAG#rust",
        "METADATA",
        &[
            ("entityType", s("TAG")),
            ("entitySk", s("TAG#rust")),
            at("lastUsedAt"),
            ("lastUsedBy", s(site.as_str())),
        ],
    );
    assert_item(
        &items,
        "USER#nils",
        &site_key,
        &[
            ("starRating", n(5)),
            ("siteId", s(&site_key)),
            ("entityType", s("RATING#nils")),
            ("entitySk", s(format!("{now}#{site}"))),
            ("stars", n(5)),
            ("note", s("mine")),
            at("updatedAt"),
        ],
    );
    let of_comment = |id: &str| -> Vec<(&'static str, Value)> {
        vec![
            ("siteId", s(&site_key)),
            ("commentSk", s(format!("COMMENT#{id}"))),
            ("entityType", s("COMMENT#nils")),
            ("entitySk", s(id)),
            at("createdAt"),
            at("updatedAt"),
        ]
    };
    let mut written = of_comment(comment.as_str());
    written.push(("body", s("Good.")));
    assert_item(&items, "USER#nils", &format!("{site_key}#COMMENT#{comment}"), &written);
    let mut removed = of_comment(other.as_str());
    removed.extend([
        ("body", s("")),
        at("removedAt"),
        ("removedBy", s("adam")),
        ("removedReason", s("Rude.")),
    ]);
    assert_item(&items, "USER#nils", &format!("{site_key}#COMMENT#{other}"), &removed);
    assert_item(
        &items,
        "GROUP#Readers",
        "METADATA",
        &[
            ("entityType", s("GROUP")),
            ("entitySk", s("GROUP#Readers")),
            ("name", s("Readers")),
            ("description", s("They read.")),
            ("permissions", list(&["groups.read"])),
            ("memberCount", n(1)),
            ("version", n(1)),
            at("createdAt"),
            at("updatedAt"),
        ],
    );
    assert_item(&items, "GROUPNAME#readers", "METADATA", &[("name", s("Readers"))]);
    assert_item(
        &items,
        "USER#nils",
        "MEMBERSHIP#Readers",
        &[
            ("groupName", s("Readers")),
            ("userId", s("nils")),
            at("addedAt"),
            ("addedBy", s("adam")),
        ],
    );
    let profile = item(&items, "USER#nils", "PROFILE");
    let signed_in = text(&profile, "lastLoginAt");
    assert_item(
        &items,
        "USER#nils",
        "PROFILE",
        &[
            ("entityType", s("PROFILE")),
            ("entitySk", s("nils#nils")),
            ("displayName", s("Nils")),
            ("description", s("")),
            ("groupCount", n(1)),
            ("updatedAt", s(&signed_in)),
            ("lastLoginAt", s(&signed_in)),
            ("lastLoginIp", s("192.0.2.7")),
        ],
    );
    let of_dan = item(&items, "USER#dan", "PROFILE");
    assert_eq!(of_dan.get("playerId"), Some(&s(dan.as_str())));
    let player_key = format!("SQUASH#PLAYER#{dan}");
    assert_item(
        &items,
        &player_key,
        "METADATA",
        &[
            ("entityType", s("SQUASH_PLAYER")),
            ("entitySk", s(&player_key)),
            ("name", s("Dan")),
            ("email", s("dan@club.example")),
            ("userId", s("dan")),
            ("matchCount", n(1)),
            ("version", n(1)),
            at("createdAt"),
            at("updatedAt"),
        ],
    );
    assert_item(
        &items,
        &format!("SQUASH#MATCH#{played}"),
        "METADATA",
        &[
            ("squashDate", s("2026-05-04")),
            ("matchId", s(played.as_str())),
            ("entityType", s("SQUASH_MATCH")),
            ("entitySk", s(format!("2026-05-04#{played}"))),
            ("date", s("2026-05-04")),
            ("teamAPlayer1Id", s(four[0].as_str())),
            ("teamAPlayer2Id", s(four[1].as_str())),
            ("teamBPlayer1Id", s(four[2].as_str())),
            ("teamBPlayer2Id", s(four[3].as_str())),
            ("winningTeam", s("B")),
            ("teamAGames", n(1)),
            ("teamBGames", n(3)),
            ("version", n(1)),
            at("createdAt"),
            at("updatedAt"),
        ],
    );
    assert_item(
        &items,
        &player_key,
        &format!("MATCH#{played}"),
        &[("matchId", s(played.as_str())), ("squashDate", s("2026-05-04"))],
    );
}

async fn what_is_sealed_is_in_no_list(store: TestStore) {
    let fixture = Fixture::new(store).await;
    let site = fixture.site("Tides", &["sea"]).await.id;
    fixture.rate("nils", &site, 3).await;
    let task = fixture.service.delete_site(&adam(), &site).await.unwrap().to_string();
    let items = fixture.items().await;
    let sealed = item(&items, &format!("SITE#{site}"), "METADATA");
    assert_eq!(sealed.get("state"), Some(&s("deleting")));
    assert_eq!(sealed.get("taskId"), Some(&s(&task)));
    assert_eq!((sealed.get("entityType"), sealed.get("entitySk")), (None, None));
    assert!(!items.iter().any(|item| text(item, "SK").starts_with("WORD#")));
    let now = fixture.service.db().now().to_string();
    assert_item(
        &items,
        &format!("TASK#{task}"),
        "METADATA",
        &[
            ("entityType", s("TASK")),
            ("entitySk", s(format!("{now}#{task}"))),
            ("kind", s("siteDelete")),
            ("target", s(format!("SITE#{site}"))),
            ("phase", s("add")),
            ("payload", Value::M(Item::default())),
            ("attempts", n(0)),
            ("nextAt", s(&now)),
            ("createdAt", s(&now)),
            ("updatedAt", s(&now)),
        ],
    );
    fixture.service.create_group(&adam(), named("Readers", &GroupChange::default())).await.unwrap();
    let task = fixture.service.delete_group(&adam(), &id("Readers")).await.unwrap().to_string();
    let sealed = item(&fixture.items().await, "GROUP#Readers", "METADATA");
    assert_eq!(sealed.get("state"), Some(&s("deleting")));
    assert_eq!(sealed.get("taskId"), Some(&s(&task)));
    assert_eq!((sealed.get("entityType"), sealed.get("entitySk")), (None, None));
    // A site that was hidden until its 150 tags were stored has both after that.
    let tags = many_tags("tag", 150);
    let tags: Vec<&str> = tags.iter().map(String::as_str).collect();
    let made = fixture.site("Tag museum", &tags).await.id;
    let items = fixture.items().await;
    let shown = item(&items, &format!("SITE#{made}"), "METADATA");
    assert_eq!(shown.get("entityType"), Some(&s("SITE")));
    assert_eq!(shown.get("entitySk"), Some(&s(format!("SITE#{made}"))));
}
