//! The change feed.

use super::{id, rating};
use crate::sample::{Rating, Sample, SampleItem, UserId, World};
use crate::{Fixture, TestResult};
use singlet::dynamo::{Item, Value, operation::PutItem};
use singlet::prelude::*;
use singlet::{Change, Changes, Error};
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    the_feed_tells_entities,
    every_listener_hears_everything,
    a_corrupt_item_does_not_stop_the_feed,
}

/// The stars of a user's rating before and after a change.
type Stars = (Option<u8>, Option<u8>);

/// The next changes to a user's ratings.
async fn next(
    changes: &mut Changes<Sample>,
    user: &UserId,
    count: usize,
) -> Result<Vec<Stars>, Box<dyn std::error::Error>> {
    let stars = |item: Option<SampleItem>| match item {
        Some(SampleItem::Rating(rating)) if rating.user == *user => Some(rating.stars),
        _ => None,
    };
    let mut told = Vec::new();
    while told.len() < count {
        let Some(Change::Item { old, new, is_expiry }) = changes.next().await.transpose()? else {
            return Err("the feed ended".into());
        };
        assert!(!is_expiry);
        told.push((stars(old), stars(new)));
    }
    Ok(told)
}

async fn the_feed_tells_entities(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("feed");
    let mut changes = db.changes_of::<Sample>().await?;
    let one = rating("feed", "s", 1);
    db.run(create(&one)).await?;
    db.run(update(Key::of(&one)).set(Rating::STARS, 2)).await?;
    db.run(delete(Key::of(&one))).await?;
    let told = next(&mut changes, &user, 3).await?;
    assert_eq!(told, [(None, Some(1)), (Some(1), Some(2)), (Some(2), None)]);
    Ok(())
}

async fn every_listener_hears_everything(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let user: UserId = id("heard");
    // Simulates two processes.
    let (one, other) = (&fixture.db, fixture.open::<World>());
    let mut first = one.changes_of::<Sample>().await?;
    one.run(put(&rating("heard", "s", 1))).await?;
    let mut second = other.changes_of::<Sample>().await?;
    one.run(put(&rating("heard", "s", 2))).await?;
    other.run(put(&rating("heard", "s", 3))).await?;
    let later = [(Some(1), Some(2)), (Some(2), Some(3))];
    assert_eq!(next(&mut second, &user, 2).await?, later);
    assert_eq!(next(&mut first, &user, 1).await?, [(None, Some(1))]);
    assert_eq!(next(&mut first, &user, 2).await?, later);
    Ok(())
}

/// A listener that stopped at a corrupt item would miss everything after it.
async fn a_corrupt_item_does_not_stop_the_feed(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("feed-corrupt");
    let mut changes = db.changes_of::<Sample>().await?;
    let mut skipping = db.changes_of::<Sample>().await?.skip_corrupt();
    // A rating without stars, then with stars, then without again.
    let corrupt = [("PK", "USER#feed-corrupt"), ("SK", "SITE#s")];
    let corrupt = Item::from(corrupt.map(|(name, text)| (name, Value::from(text))));
    let put_corrupt = || PutItem::new(db.table_name::<Sample>(), corrupt.clone());
    let good = rating("feed-corrupt", "s", 4);
    db.execute(put_corrupt()).await?;
    db.run(put(&good)).await?;
    db.execute(put_corrupt()).await?;
    db.run(delete(Key::of(&good))).await?;
    db.run(put(&good)).await?;

    // It fails once per corrupt image, and then continues.
    let mut failures = 0;
    let last = loop {
        match changes.next().await {
            Some(Err(Error::Corrupt(_))) => failures += 1,
            other => break other.transpose()?,
        }
    };
    assert_eq!(failures, 4);
    assert!(matches!(last, Some(Change::Item { old: None, new: Some(_), .. })));
    // A change to a corrupt item is skipped, and never looks like a deletion.
    let told = next(&mut skipping, &user, 2).await?;
    assert_eq!(told, [(None, Some(4)), (None, Some(4))]);
    Ok(())
}
