//! Errors identify the item.

use super::collections::{Hub, Owner, RepoName, Thing};
use super::{id, rating, site};
use crate::sample::{MatchId, Profile, Rating, Scoreboard, Site, SiteId, UserId, World};
use crate::{Fixture, TestResult};
use singlet::dynamo::{ErrorKind, Item, Value, operation::PutItem};
use singlet::prelude::*;
use singlet::{Error, Settings, Subject};
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    what_is_too_large_is_named,
    a_refusal_names_the_item,
    a_failed_condition_names_the_item,
    reads_name_the_entity,
}

/// The subject of an item-too-large error.
fn too_large<T: std::fmt::Debug>(outcome: Result<T, Error>) -> Subject {
    match outcome {
        Err(Error::ItemTooLarge { subject }) => *subject,
        other => panic!("{other:?}"),
    }
}

fn key_text(subject: &Subject, name: &str) -> String {
    match subject.key().and_then(|key| key.get(name)) {
        Some(Value::S(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

async fn what_is_too_large_is_named(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let small = site("item-error-small", db.now());
    let large = Site { title: "x".repeat(410_000), ..site("item-error-large", db.now()) };
    db.run(create(&small)).await?;

    let mut batch = db.batch();
    for outcome in [
        db.run(create(&large)).await,
        db.run(put(&large)).await,
        db.transact((update(Key::of(&small)).add(Site::VISITS, 1), create(&large))).await,
        db.transact((create(&large),)).await,
        batch.put(&large),
    ] {
        let text = outcome.as_ref().map_or_else(ToString::to_string, |()| String::new());
        let subject = too_large(outcome);
        assert_eq!((subject.entity(), &*key_text(&subject, "SK")), ("Site", "METADATA"));
        assert_eq!(key_text(&subject, "PK"), "SITE#item-error-large");
        let size = subject.size_bytes().unwrap();
        assert!((410_000..411_000).contains(&size), "{size}");
        assert!(
            text.contains("SITE#item-error-large") && text.contains(&size.to_string()),
            "{text}"
        );
    }

    // An update makes a small item too large.
    let grown = update(Key::of(&small)).set(Site::TITLE, "x".repeat(409_500));
    let subject = too_large(db.run(grown).await);
    assert_eq!(key_text(&subject, "PK"), "SITE#item-error-small");
    assert_eq!(subject.size_bytes(), None);
    let grown = update(Key::of(&small)).set(Site::TITLE, "x".repeat(409_500));
    let other = update(Key::of(&rating("item-error", "s", 1))).set(Rating::STARS, 2);
    db.run(put(&rating("item-error", "s", 1))).await?;
    let subject = too_large(db.transact((other, grown)).await);
    assert_eq!((subject.entity(), &*key_text(&subject, "PK")), ("Site", "SITE#item-error-small"));
    Ok(())
}

async fn a_refusal_names_the_item(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    // Another program stored text in place of a number.
    let stored = [("PK", "SITE#item-error-wrong"), ("SK", "METADATA"), ("rating", "many")];
    let stored = Item::from(stored.map(|(name, text)| (name, Value::from(text))));
    db.execute(PutItem::new(db.table_name::<crate::sample::Sample>(), stored)).await?;

    let wrong: SiteId = id("item-error-wrong");
    let add = || update(Site::key(&wrong)).add(Site::RATING, 1);
    for outcome in [db.run(add()).await, db.transact((add(),)).await] {
        let error = outcome.unwrap_err();
        let refusal = error.refusal().unwrap();
        let kinds = [ErrorKind::Validation, ErrorKind::TransactionCanceled];
        assert!(kinds.contains(&refusal.kind()), "{refusal}");
        let subject = error.subject().unwrap();
        assert_eq!(key_text(subject, "PK"), "SITE#item-error-wrong");
        let ending = "(Site PK = `SITE#item-error-wrong`, SK = `METADATA`)";
        assert!(error.to_string().ends_with(ending), "{error}");
    }
    Ok(())
}

/// Regression: the error identified neither the operation nor the item.
async fn a_failed_condition_names_the_item(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let sites: Vec<Site> =
        (0..5).map(|number| site(&format!("item-error-{number}"), db.now())).collect();
    db.run(create(&sites[3])).await?;
    let missing: SiteId = id("item-error-missing");
    let outcomes = [
        (db.transact(sites.iter().map(create).collect::<Vec<_>>()).await, "3"),
        (db.run(create(&sites[3])).await, "3"),
        (db.run(update(Site::key(&missing)).set(Site::TITLE, "t")).await, "missing"),
        (db.transact((check(Site::key(&missing)), create(&sites[0]))).await, "missing"),
        (db.run(delete(Key::of(&sites[3])).only_if(Site::VISITS.gt(0))).await, "3"),
    ];
    for (outcome, name) in outcomes {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::ConditionFailed { entity: "Site", .. }), "{error:?}");
        let key = format!("SITE#item-error-{name}");
        assert_eq!(error.subject().map(|subject| key_text(subject, "PK")), Some(key.clone()));
        assert!(error.to_string().contains(&format!("(Site PK = `{key}`, SK = `METADATA`")));
    }

    // The same for an out-of-range sum and an unreadable item.
    let visits = |name: &str| update(Site::key(id::<SiteId>(name))).add(Site::VISITS, -5);
    for (name, visits) in [("item-error-many", 10), ("item-error-few", 3)] {
        db.run(put(&Site { visits, ..site(name, db.now()) })).await?;
    }
    let outcome = db.transact(vec![visits("item-error-many"), visits("item-error-few")]).await;
    let error = outcome.unwrap_err();
    assert!(matches!(error, Error::OutOfRange(_)), "{error:?}");
    let key = error.subject().map(|subject| key_text(subject, "PK"));
    assert_eq!(key.as_deref(), Some("SITE#item-error-few"));
    let ending = "(Site PK = `SITE#item-error-few`, SK = `METADATA`)";
    assert!(error.to_string().ends_with(ending), "{error}");

    let stored = [("PK", "USER#item-error-corrupt"), ("SK", "PROFILE"), ("user", "u")];
    let stored = Item::from(stored.map(|(name, text)| (name, Value::from(text))));
    db.execute(PutItem::new(db.table_name::<crate::sample::Sample>(), stored)).await?;
    let user: UserId = id("item-error-corrupt");
    let error = db.get(Profile::key(&user).consistent()).await.unwrap_err();
    assert!(matches!(error, Error::Corrupt(_)), "{error:?}");
    let key = error.subject().map(|subject| key_text(subject, "PK"));
    assert_eq!(key.as_deref(), Some("USER#item-error-corrupt"));
    Ok(())
}

async fn reads_name_the_entity(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    // A database whose tables do not exist.
    let settings = Settings { environment: "nowhere".into(), ..fixture.settings.clone() };
    let db: Db<World> = Db::on(fixture.store.backend(), settings.clone());
    let nowhere: SiteId = id("nowhere");
    let errors = [
        db.get(Site::key(&nowhere)).await.unwrap_err(),
        db.get_many([Site::key(&nowhere)]).await.unwrap_err(),
        db.query(Site::by_owner(id::<UserId>("nobody"))).all().await.unwrap_err(),
        db.scan(Scan::<Site>::table()).all().await.unwrap_err(),
        db.run(delete(Site::key(&nowhere))).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.refusal().unwrap().kind(), ErrorKind::ResourceNotFound, "{error}");
        assert_eq!(error.subject().unwrap().entity(), "Site");
    }

    // For several items, the part they have in common.
    let mut batch = db.batch();
    batch.put(&site("nowhere", db.now()))?;
    let one = batch.run().await.unwrap_err();
    assert_eq!(one.subject().map(|subject| key_text(subject, "PK")), Some("SITE#nowhere".into()));
    let mut batch = db.batch();
    for number in 0..3 {
        batch.delete(Site::key(id::<SiteId>(format!("nowhere-{number}"))))?;
    }
    let hub: Db<Hub> = Db::on(fixture.store.backend(), settings.clone());
    let (owner, repo): (Owner, RepoName) = (id("nobody"), id("nothing"));
    let errors = [
        (one, "Site"),
        (batch.run().await.unwrap_err(), "Site"),
        (db.get_together(vec![Site::key(&nowhere)]).await.unwrap_err(), "Site"),
        (db.load(Scoreboard::of(id::<MatchId>("nowhere"))).await.unwrap_err(), "Scoreboard"),
        (hub.query(Thing::of((&owner, &repo))).all().await.unwrap_err(), "Thing"),
    ];
    for (error, name) in errors {
        assert_eq!(error.refusal().unwrap().kind(), ErrorKind::ResourceNotFound, "{error}");
        assert_eq!(error.subject().map(Subject::entity), Some(name), "{error}");
    }
    Ok(())
}
