//! Stored items, compared attribute by attribute.

use super::{game, id, rating, site};
use crate::sample::{Location, Match, Sample, Session, Site};
use crate::stored::stored_item;
use crate::{Fixture, TestResult};
use serde_json::{Value as Json, json};
use singlet::item;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    every_attribute_is_there,
    every_kind_of_key,
}

/// Compares a stored item with DynamoDB JSON.
async fn check(fixture: &Fixture, partition: &str, sort: &str, mut expected: Json) -> TestResult {
    let db = &fixture.db;
    let stored = stored_item(db, db.table_name::<Sample>(), partition, sort).await?;
    expected["PK"] = json!({"S": partition});
    expected["SK"] = json!({"S": sort});
    assert_eq!(stored, item::from_json(expected.to_string().as_bytes())?, "{partition} {sort}");
    Ok(())
}

/// `None` is omitted, or NULL with `null`; managed fields have the library's values.
async fn every_attribute_is_there(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let now = db.now().to_string();
    let full = Site {
        description: Some("About it.".into()),
        rating: Some(4.25),
        visits: 7,
        tags: ["b", "a"].map(String::from).into(),
        history: vec!["one".into(), String::new()],
        counts: [("x".to_owned(), -1)].into(),
        location: Some(Location {
            street_name: "Elm Street".into(),
            number: None,
            district: None,
            floor: -2,
        }),
        thumbnail: Some(Bytes(vec![0, 255])),
        ..site("stored-full", db.now())
    };
    db.run(create(&full)).await?;
    check(
        fixture,
        "SITE#stored-full",
        "METADATA",
        json!({
            "id": {"S": "stored-full"}, "owner": {"S": "owner"}, "title": {"S": "A title"},
            "description": {"S": "About it."}, "rating": {"N": "4.25"}, "visits": {"N": "7"},
            "isPublic": {"BOOL": true}, "tags": {"SS": ["a", "b"]},
            "history": {"L": [{"S": "one"}, {"S": ""}]}, "counts": {"M": {"x": {"N": "-1"}}},
            "location": {"M": {
                "streetName": {"S": "Elm Street"}, "district": {"NULL": true}, "floor": {"N": "-2"},
            }},
            "thumbnail": {"B": "AP8="}, "createdAt": {"S": now}, "updatedAt": {"S": now},
            "version": {"N": "1"},
            "GSI1PK": {"S": "OWNER#owner"}, "GSI1SK": {"S": "SITE#stored-full"},
        }),
    )
    .await?;
    db.run(create(&site("stored-empty", db.now()))).await?;
    check(
        fixture,
        "SITE#stored-empty",
        "METADATA",
        json!({
            "id": {"S": "stored-empty"}, "owner": {"S": "owner"}, "title": {"S": "A title"},
            "description": {"NULL": true}, "visits": {"N": "0"}, "isPublic": {"BOOL": true},
            "history": {"L": []}, "counts": {"M": {}}, "createdAt": {"S": now},
            "updatedAt": {"S": now}, "version": {"N": "1"},
            "GSI1PK": {"S": "OWNER#owner"}, "GSI1SK": {"S": "SITE#stored-empty"},
        }),
    )
    .await
}

/// Fields stored only in the key, numeric keys, keys that are plain fields, and expiry.
async fn every_kind_of_key(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let now = db.now().to_string();
    db.run(create(&rating("stored", "s", 5))).await?;
    check(
        fixture,
        "USER#stored",
        "SITE#s",
        json!({"stars": {"N": "5"}, "starRating": {"N": "5"}, "siteId": {"S": "SITE#s"}}),
    )
    .await?;
    let of_match = json!({
        "id": {"S": "stored"}, "hour": {"N": "9"}, "field": {"S": "north"}, "startTime": {"S": now},
        "status": {"S": "SCHEDULED"},
    });
    db.run(create(&game("stored", db.now()))).await?;
    check(fixture, "MATCH#stored", "METADATA", of_match.clone()).await?;
    let day = Some(id("2026-01-31"));
    let live = Some("REPEATED".to_owned());
    db.run(put(&Match { day, live, ..game("stored", db.now()) })).await?;
    let mut in_indexes = of_match;
    in_indexes["day"] = json!({"S": "2026-01-31"});
    in_indexes["live"] = json!({"S": "REPEATED"});
    in_indexes["GSI1PK"] = json!({"S": "DAY#2026-01-31"});
    in_indexes["GSI1SK"] = json!({"S": "09#north"});
    check(fixture, "MATCH#stored", "METADATA", in_indexes).await?;
    let expires = db.now().after(std::time::Duration::from_secs(3600));
    let session = Session {
        user: id("stored"),
        id: id("s1"),
        device: "phone".into(),
        seen: None,
        opened_at: db.now(),
        expires: Some(Expiry::at(expires)),
    };
    db.run(create(&session)).await?;
    check(
        fixture,
        "USER#stored",
        "SESSION#s1",
        json!({
            "user": {"S": "stored"}, "id": {"S": "s1"}, "device": {"S": "phone"},
            "opened_at": {"S": now}, "TTL": {"N": expires.as_seconds().to_string()},
            "GSI1PK": {"S": "SESSIONS"}, "GSI1SK": {"S": now},
        }),
    )
    .await?;
    // Other stories query live matches.
    db.run(delete(Match::key(id::<crate::sample::MatchId>("stored")))).await?;
    Ok(())
}
