//! Inspecting requests before they are sent, and stored items.

use super::collections::{Owner, RepoName, Thing};
use super::{goal, id, rating, site};
use crate::sample::{
    Goal, Match, MatchId, Rating, Sample, SampleItem, Scoreboard, Site, SiteTitle, Stars,
};
use crate::{Fixture, TestResult};
use singlet::dynamo::expression::Path;
use singlet::dynamo::operation::{Answer, Query, Request, UpdateItem};
use singlet::dynamo::stored::StoredItem;
use singlet::dynamo::{Item, Value, expression};
use singlet::item;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    requests_are_shown_before_they_are_sent,
    operations_show_themselves,
    entities_and_keys_are_items,
    a_way_out_of_the_model,
}

async fn requests_are_shown_before_they_are_sent(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = rating("shown", "s", 3);
    let game: MatchId = id("shown");
    let requests = [
        create(&one).request(db)?,
        update(Key::of(&one)).set(Rating::STARS, 4).request(db)?,
        delete(Key::of(&one)).only_if(Rating::STARS.eq(4)).request(db)?,
        check(Key::of(&one)).request(db)?,
        Key::of(&one).request(db)?,
        Key::of(&one).project::<Stars>().consistent().request(db)?,
        Goal::timeline(&game).with(2).between(1, 10).descending().limit(3).request(db)?,
        Scan::<Site>::table().project::<SiteTitle>().segment(1, 4).request(db)?,
        Scoreboard::of(&game).request(db)?,
        (create(&one).or(singlet::Error::MissingOperand), check(Key::of(&one))).request(db)?,
        once("token", vec![put(&one)]).request(db)?,
        Scan::index(Site::BY_OWNER).request(db)?,
    ];
    let operations: Vec<&str> = requests.iter().map(Request::operation).collect();
    let expected = "PutItem UpdateItem DeleteItem TransactWriteItems GetItem GetItem Query Scan \
                    Query TransactWriteItems TransactWriteItems Scan";
    assert_eq!(operations.join(" "), expected);
    // The JSON parses back to the same request.
    for request in &requests {
        let json = request.to_json().ok_or("no JSON")?;
        assert_eq!(Request::from_json(request.operation(), json.as_bytes())?, *request, "{json}");
    }
    let text = requests[0].to_string();
    assert!(text.starts_with(r#"PutItem {"TableName":""#), "{text}");
    assert!(text.contains(r#""ConditionExpression":"attribute_not_exists(#0)""#), "{text}");
    assert!(requests[10].to_string().contains(r#""ClientRequestToken":"token""#));
    // Nothing was sent.
    assert!(db.get(Key::of(&one).consistent()).await?.is_none());

    let mut transaction = db.transaction::<singlet::Error>();
    transaction.push(put(&one));
    assert_eq!(
        transaction.request().map_err(|error| error.to_string())?.operation(),
        "TransactWriteItems"
    );
    assert!(format!("{transaction:?}").starts_with("Transaction(TransactWriteItems {"));
    // Requests of `get_many` and `get_together`.
    let keys = || (0..130).map(|number| Key::of(&rating("shown", &format!("s{number:03}"), 1)));
    let request = db.get_many_request(keys().map(|key| key.project::<Stars>().consistent()))?;
    let Request::BatchGetItem(batch) = &request else { return Err("no batch".into()) };
    let table = batch.tables.first().ok_or("no table")?;
    assert_eq!((batch.tables.len(), table.keys.len()), (1, 100));
    assert!(table.consistent_read && table.projection.is_some());
    let request = db.get_many_request([Key::of(&one), Key::of(&one)])?;
    let Request::BatchGetItem(batch) = &request else { return Err("no batch".into()) };
    assert_eq!(batch.tables.first().map(|table| table.keys.len()), Some(1));
    let request = db.get_together_request((Key::of(&one), Key::of(&goal("shown", 1, 2, "g"))))?;
    let Request::TransactGetItems(gets) = &request else { return Err("no transaction".into()) };
    assert_eq!(gets.gets.len(), 2);
    assert_eq!(gets.gets.first().map(|get| &get.key), Some(&Key::of(&one).to_item()?));
    let mut batch = db.batch();
    assert!(batch.request().is_none());
    batch.put(&one)?;
    assert_eq!(batch.request().map(|request| request.operation()), Some("BatchWriteItem"));
    // The displayed request can be sent unchanged.
    db.execute(requests[0].clone()).await?;
    assert_eq!(db.get(Key::of(&one).consistent()).await?, Some(one));
    Ok(())
}

async fn operations_show_themselves(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let one = rating("debug", "s", 3);
    let is_three = || Rating::STARS.eq(3).and(Rating::NOTE.missing());
    let key = r#"key: Key({S:USER#debug}, {S:SITE#s})"#;
    let shown = [
        (format!("{:?}", create(&one)), format!(r#"Create {{ entity: "Rating", {key}, .. }}"#)),
        (
            format!(
                "{:?}",
                delete(Key::of(&one)).only_if(is_three()).or(singlet::Error::MissingOperand)
            ),
            format!(
                "Delete {{ entity: \"Rating\", {key}, \
                 only_if: stars = {{N:3}} AND attribute_not_exists(note), .. }}"
            ),
        ),
        (
            format!("{:?}", upsert(Key::of(&one)).set(Rating::STARS, 2).remove(Rating::NOTE)),
            format!(
                "Upsert {{ entity: \"Rating\", {key}, changes: SET stars = {{N:2}} REMOVE note, .. }}"
            ),
        ),
    ];
    for (shown, expected) in shown {
        assert_eq!(shown, expected);
    }
    let game: MatchId = id("debug");
    let (query, of) =
        (|| Goal::timeline(&game), r#"Query { entity: "Goal", partition: {S:MATCH#debug}"#);
    let (owner, name): (Owner, RepoName) = (id("debug"), id("r"));
    let things = Thing::of((&owner, &name)).sort_key_from("ISSUE#1").sort_key_until("STAR#b");
    let shown = [
        (format!("{:?}", query()), format!("{of} }}")),
        (
            format!("{:?}", query().with(2).between(1, 10).descending().limit(3)),
            format!("{of}, with: {{N:2}}, from: {{N:1}}, until: {{N:10}}, limit: 3, descending: true }}"),
        ),
        (
            format!("{:?}", query().with(2).after(1).consistent().with_expired()),
            format!("{of}, with: {{N:2}}, after: {{N:1}}, consistent: true, with_expired: true }}"),
        ),
        (
            format!("{:?}", query().with(2).before(9)),
            format!("{of}, with: {{N:2}}, before: {{N:9}} }}"),
        ),
        (
            format!("{:?}", query().with(2).with(3).starting_with("x")),
            format!(r#"{of}, with: {{N:2}}, with: {{N:3}}, starting_with: "x" }}"#),
        ),
        (
            format!("{things:?}"),
            r#"Query { entity: "Issue", partition: {S:REPO#debug#r}, sort_key_from: "ISSUE#1", sort_key_until: "STAR#b" }"#.to_owned(),
        ),
        (
            format!("{:?}", Scan::<Match>::table().segment(1, 4).limit(2).consistent()),
            r#"Scan { entity: "Match", segment: Segment { number: 1, total: 4 }, limit: 2, consistent: true }"#.to_owned(),
        ),
        (
            format!("{:?}", Scan::index(Site::BY_OWNER)),
            r#"Scan { entity: "Site", index: "GSI1", pattern: "by_owner" }"#.to_owned(),
        ),
        (
            format!("{:?}", Scoreboard::of(&game).consistent()),
            r#"Load { collection: "Scoreboard", partition: {S:MATCH#debug}, consistent: true, on_corrupt: Fail }"#.to_owned(),
        ),
        (
            format!("{:?}", Key::of(&one).consistent()),
            "Get { key: Key({S:USER#debug}, {S:SITE#s}), consistent: true, with_expired: false }".to_owned(),
        ),
        (
            format!("{:?}", fixture.db.scan(Scan::index(Site::BY_OWNER)).skip_corrupt()),
            r#"Reading { of: "Site", index: "GSI1", on_corrupt: Skip }"#.to_owned(),
        ),
    ];
    for (shown, expected) in shown {
        assert_eq!(shown, expected);
    }
    let reading = fixture.db.query(query().with(2).filter(Goal::SCORER.missing()).limit(3));
    let shown = format!("{reading:?}");
    for part in
        ["partition: {S:MATCH#debug}", "GOAL#2#", "attribute_not_exists(scorer)", "limit: 3"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let items = format!("{:?}", reading.items());
    assert!(
        items.starts_with(r#"Items { of: "Goal", ready: 0, partition: {S:MATCH#debug}"#),
        "{items}"
    );
    let changes = format!("{:?}", fixture.db.changes_of::<Sample>().await?.skip_corrupt());
    assert!(
        changes.starts_with(r#"Changes { table: "{env}-sample", on_corrupt: Skip"#),
        "{changes}"
    );
    let mut keys = Keys::new();
    keys.add(Key::of(&one))?;
    let keys = format!("{:?}", keys.consistent());
    assert!(keys.contains("USER#debug") && keys.contains("consistent: true"), "{keys}");
    let transaction = format!("{:?}", once("token", (create(&one),)));
    assert!(transaction.starts_with(r#"Once { token: "token", at: None"#), "{transaction}");
    Ok(())
}

async fn entities_and_keys_are_items(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = Site { version: 3, visits: 7, ..site("as-item", db.now()) };
    let stored = item::encode(&one)?;
    assert_eq!(stored.get("GSI1PK"), Some(&Value::from("OWNER#owner")));
    assert_eq!(item::decode_item::<Site>(&stored)?, one);
    assert_eq!(item::decode_item::<SiteTitle>(&stored)?.title, one.title);
    let found = Sample::decode(StoredItem::from(&stored).as_item())?;
    assert!(matches!(found, Some(SampleItem::Site(found)) if found == one));

    let key = Key::of(&one).to_item()?;
    assert_eq!(key.len(), 2);
    assert_eq!(Key::<Site>::from_item(&key), Some(Key::of(&one)));
    assert_eq!(Key::<Site>::from_item(&stored), Some(Key::of(&one)));
    assert_eq!(Key::<Goal>::from_item(&key), None);
    assert_eq!(
        Key::<Goal>::from_item(&Key::of(&goal("g", 1, 2, "x")).to_item()?),
        Some(Key::of(&goal("g", 1, 2, "x")))
    );
    assert_eq!(Key::<Site>::from_item(&Item::new()), None);
    Ok(())
}

/// A request outside of the model: an attribute that no entity declares.
async fn a_way_out_of_the_model(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let one = site("way-out", db.now());
    db.run(create(&one)).await?;
    let table_name = db.table_name::<Sample>();
    let mut migration = UpdateItem::new(table_name, Key::of(&one).to_item()?);
    let action = expression::Action::Set(Path::attribute("legacy")?, Value::from(1).into());
    migration.update = Some(expression::Update::new(vec![action])?);
    db.execute(migration).await?;

    let partition = expression::KeyCondition::partition("PK", Value::from("SITE#way-out"));
    let Answer::Page(page) = db.execute(Query::new(table_name, partition)).await? else {
        return Err("not a page".into());
    };
    let items = page.items.unwrap_or_default();
    let item = items[0].to_item();
    assert_eq!(item.get("legacy"), Some(&Value::from(1)));
    let found = Sample::decode_item(&item)?;
    assert!(matches!(found, Some(SampleItem::Site(site)) if site.id == one.id));
    Ok(())
}
