//! Batches of any number.

use super::{comment, id, rating};
use crate::sample::{Comment, CommentId, Rating, Reading, SiteId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;

pub(super) async fn any_number_is_written_and_read(fixture: &Fixture) -> TestResult {
    let db = &fixture.db;
    let user: UserId = id("batch");
    let sites: Vec<SiteId> = (0..130).map(|number| id(format!("b{number:03}"))).collect();
    let mut batch = db.batch();
    for site in &sites {
        batch.put(&rating("batch", site.as_str(), 2))?;
    }
    // Of several tables at once.
    batch.put(&Reading { sensor: 99, at: 1, value: 0.5 })?;
    assert_eq!(batch.len(), 131);
    batch.run().await?;

    let mut keys: Vec<Key<Rating>> = sites.iter().map(|site| Rating::key(&user, site)).collect();
    keys.push(Rating::key(&user, id::<SiteId>("no-such-site")));
    keys.push(Rating::key(&user, &sites[0]));
    let found = db.get_many(keys.iter().map(|key| key.clone().consistent())).await?;
    assert_eq!(found.len(), 132);
    for (site, rating) in sites.iter().zip(&found) {
        assert_eq!(rating.as_ref().map(|rating| &rating.site), Some(site));
    }
    assert_eq!((&found[130], &found[131]), (&None, &found[0]));

    let mut batch = db.batch();
    for site in &sites {
        batch.delete(Rating::key(&user, site))?;
    }
    batch.run().await?;
    let found: Vec<Option<Rating>> =
        db.get_many(keys.into_iter().map(|key| key.consistent())).await?;
    assert!(found.iter().all(Option::is_none));
    assert_eq!(db.get(Reading::key(99, 1).consistent()).await?.map(|one| one.value), Some(0.5));
    Ok(())
}

pub(super) async fn the_last_write_of_a_key_counts(fixture: &Fixture) -> TestResult {
    let db = &fixture.db;
    let mut batch = db.batch();
    batch.put(&rating("twice", "a", 1))?;
    batch.put(&rating("twice", "a", 2))?;
    batch.put(&rating("twice", "b", 1))?;
    batch.delete(Key::of(&rating("twice", "b", 1)))?;
    assert_eq!(batch.len(), 2);
    batch.run().await?;
    let found = db.query(Rating::of(id::<UserId>("twice")).consistent()).all().await?;
    assert_eq!(found, [rating("twice", "a", 2)]);
    Ok(())
}

/// DynamoDB answers with sixteen megabytes at most, and leaves the other keys for later. A page of
/// a query holds one.
pub(super) async fn answers_that_are_too_small(fixture: &Fixture) -> TestResult {
    let db = &fixture.db;
    let body = "x".repeat(350 * 1024);
    let (user, site): (UserId, SiteId) = (id("large"), id("s"));
    let ids: Vec<CommentId> = (0..50).map(|number| id(format!("c{number:02}"))).collect();
    let mut batch = db.batch();
    for id in &ids {
        let written = comment("large", "s", id.as_str(), db.now());
        batch.put(&Comment { body: body.clone(), ..written })?;
    }
    batch.run().await?;
    let keys = || ids.iter().map(|id| Comment::key(&user, &site, id));
    let found = db.get_many(keys().map(|key| key.consistent())).await?;
    assert_eq!(
        found.iter().flatten().map(|comment| &comment.id).collect::<Vec<_>>(),
        ids.iter().collect::<Vec<_>>()
    );

    let query = || Comment::of(&user).consistent();
    let page = db.query(query()).page(None).await?;
    assert!(!page.items.is_empty() && page.items.len() < 5 && page.next.is_some());
    let second = db.query(query()).page(page.next).await?;
    assert_eq!(second.items.first().map(|comment| &comment.id), ids.get(page.items.len()));
    assert_eq!(db.query(query()).count().await?, 50);
    let few = db.query(query().limit(7)).all().await?;
    assert_eq!(few.last().map(|comment| &comment.id), Some(&ids[6]));
    let mut batch = db.batch();
    for key in keys() {
        batch.delete(key)?;
    }
    Ok(batch.run().await?)
}
