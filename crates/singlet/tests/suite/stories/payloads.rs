//! Fields stored as one JSON payload.

use super::id;
use crate::sample::{League, LeagueId, LeagueName, Sample, Season};
use crate::stored::stored_item;
use crate::{Fixture, TestResult};
use singlet::dynamo::Value;
use singlet::dynamo::operation::PutItem;
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    fields_in_one_text,
}

async fn fields_in_one_text(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let league = League {
        id: id("l1"),
        full_name: "Premier \"League\" ü".into(),
        teams: vec!["red".into(), "blue".into()],
        founded: None,
        budget: 12.5,
        created_at: db.now(),
        updated_at: db.now(),
    };
    db.run(create(&league)).await?;
    assert_eq!(db.get(League::key(&league.id).consistent()).await?, Some(league.clone()));
    let item = stored_item(db, db.table_name::<Sample>(), "LEAGUE#l1", "METADATA").await?;
    let names: Vec<&str> = item.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["PK", "SK", "createdAt", "data", "entityType", "updatedAt"]);
    assert_eq!(item.get("entityType"), Some(&Value::from("LEAGUE")));
    let data =
        r#"{"id":"l1","fullName":"Premier \"League\" ü","teams":["red","blue"],"budget":12.5}"#;
    assert_eq!(item.get("data"), Some(&Value::from(data)));

    let name = db.get(League::key(&league.id).consistent().project::<LeagueName>()).await?;
    let expected = LeagueName { id: league.id.clone(), full_name: league.full_name.clone() };
    assert_eq!(name, Some(expected));
    let one = Season { league: league.id.clone(), number: 7, title: "Seventh".into() };
    db.run(create(&one)).await?;
    assert_eq!(db.query(Season::seasons_of(&league.id)).all().await?, [one]);

    // Payloads written by other programs can be read; invalid ones are reported.
    let mut other = item.clone();
    other.insert("PK", Value::from("LEAGUE#l2"));
    other.insert(
        "data",
        Value::from(
            r#"{"id":"l2","budget":1e2,"teams":[],"fullName":"L","founded":1863,"new":{}}"#,
        ),
    );
    let other_id: LeagueId = id("l2");
    db.execute(PutItem::new(db.table_name::<Sample>(), other.clone())).await?;
    let read = db.get(League::key(&other_id).consistent()).await?.ok_or("gone")?;
    assert_eq!((read.budget, read.founded, read.full_name.as_str()), (100.0, Some(1863), "L"));
    let key = "its key is PK = `LEAGUE#l2`, SK = `METADATA`";
    for (data, told) in [
        (r#"{"id":"l2","teams":[],"fullName":"L"}"#, "`data.budget`: expected N, found nothing"),
        (
            r#"{"id":"l2","budget":1,"teams":[7],"fullName":"L"}"#,
            "`data.teams[0]`: expected S, found N",
        ),
        ("[]", "`data`: expected a JSON object, found other JSON"),
    ] {
        other.insert("data", Value::from(data));
        db.execute(PutItem::new(db.table_name::<Sample>(), other.clone())).await?;
        let outcome = db.get(League::key(&other_id).consistent()).await;
        let error = outcome.map(drop).map_err(|error| error.to_string());
        let told = format!("a stored League has a wrong attribute {told}; {key}");
        assert_eq!(error, Err(told));
    }
    other.insert("entityType", Value::from("SEASON"));
    db.execute(PutItem::new(db.table_name::<Sample>(), other)).await?;
    let outcome = db.get(League::key(&other_id).consistent()).await;
    let told =
        "a stored League has a wrong attribute `entityType`: expected `LEAGUE`, found `SEASON`";
    let told = format!("{told}; {key}");
    assert_eq!(outcome.map(drop).map_err(|error| error.to_string()), Err(told));
    db.run(delete(League::key(&other_id))).await?;
    Ok(())
}
