//! Batches of any size.

use super::collections::{Draft, Hub, HubItem};
use super::{comment, goal, id, rating};
use crate::github::design::{AccountName, GitHub, GitHubItem, Organization, Plan, User};
use crate::sample::{Comment, CommentId, Rating, Reading, Sample, SampleItem, SiteId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::time::Duration;

on_every_backend! {
    any_number_is_written_and_read,
    the_last_write_of_a_key_counts,
    a_partition_is_deleted,
    answers_that_are_too_small,
    several_entities_are_read_at_once,
    a_batch_reads_what_a_get_reads,
}

async fn any_number_is_written_and_read(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("batch");
    let sites: Vec<SiteId> = (0..130).map(|number| id(format!("b{number:03}"))).collect();
    let mut batch = db.batch();
    for site in &sites {
        batch.put(&rating("batch", site.as_str(), 2))?;
    }
    // Several tables at once.
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

async fn a_partition_is_deleted(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let user: UserId = id("deleted");
    let mut batch = db.batch();
    for number in 0..130 {
        batch.put(&rating("deleted", &format!("s{number:03}"), 1 + number % 5))?;
    }
    let kept = comment("deleted", "s1", "c1", db.now());
    batch.put(&kept)?;
    batch.run().await?;
    assert!(batch.is_empty());

    // With a limit, a filter, or by an index: what the query finds.
    assert_eq!(db.delete_all(Rating::of(&user).consistent().limit(10)).await?, 10);
    let worst = Rating::of(&user).consistent().filter(Rating::STARS.eq(1));
    assert_eq!(db.delete_all(worst).await?, 24);
    assert_eq!(db.delete_all(Rating::by_stars(2)).await?, 24);
    // Items of other entities in the partition stay.
    assert_eq!(db.delete_all(Rating::of(&user).consistent()).await?, 72);
    assert_eq!(db.query(Rating::of(&user).consistent()).count().await?, 0);
    assert_eq!(db.get(Key::of(&kept).consistent()).await?, Some(kept));
    assert_eq!(db.delete_all(Rating::of(&user)).await?, 0);
    Ok(())
}

async fn the_last_write_of_a_key_counts(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
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

/// Items of several entities in one request, in the order of the keys.
async fn several_entities_are_read_at_once(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let (one, game) = (rating("mixed", "a", 4), goal("mixed", 1, 2, "g"));
    db.run(put(&one)).await?;
    db.run(put(&game)).await?;
    let keys = || -> singlet::Result<_> {
        let mut keys = Keys::new();
        assert!(keys.is_empty());
        keys.add(Key::of(&game))?;
        keys.add(Key::of(&rating("mixed", "nowhere", 1)))?;
        keys.add(Key::of(&one))?;
        keys.add(Key::of(&game))?;
        assert_eq!(keys.len(), 3);
        Ok(keys.consistent())
    };
    let request = keys()?.request(db)?;
    assert_eq!(request.operation(), "BatchGetItem");
    let json = request.to_json().ok_or("no JSON")?;
    assert_eq!(json.matches("SITE#nowhere").count(), 1, "{json}");
    assert!(json.contains(r#""ConsistentRead":true"#), "{json}");
    let found = db.get_all(keys()?).await?;
    let [SampleItem::Goal(found_goal), SampleItem::Rating(found_rating)] = found.as_slice() else {
        return Err(format!("{} items", found.len()).into());
    };
    assert_eq!((found_goal, found_rating), (&game, &one));

    // More keys than one request takes; no request for an empty batch.
    let sites: Vec<SiteId> = (0..120).map(|number| id(format!("m{number:03}"))).collect();
    let mut batch = db.batch();
    for site in &sites {
        batch.put(&rating("mixed", site.as_str(), 1))?;
    }
    batch.run().await?;
    let mut keys = Keys::new();
    keys.add(Key::of(&game))?;
    for site in &sites {
        keys.add(Rating::key(id::<UserId>("mixed"), site))?;
    }
    let found = db.get_all(keys.consistent()).await?;
    assert_eq!(found.len(), 121);
    assert!(matches!(&found[120], SampleItem::Rating(last) if last.site == sites[119]));
    assert!(db.get_all(Keys::<Sample>::new()).await?.is_empty());
    Ok(())
}

/// Expired items, and items of another entity with the same key, are not returned.
async fn a_batch_reads_what_a_get_reads(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = fixture.open::<Hub>();
    db.provision().await?;
    let now = db.now();
    let draft = |name: &str, seconds: u64| Draft {
        owner: id("batch"),
        repo: id("r"),
        id: id(name),
        expires: Expiry::at(now.after(Duration::from_secs(seconds))),
    };
    let (kept, gone) = (draft("kept", 60), draft("gone", 0));
    db.run(put(&kept)).await?;
    db.run(put(&gone)).await?;
    let keys = || -> singlet::Result<_> {
        let mut keys = Keys::new();
        keys.add(Key::of(&gone))?;
        keys.add(Key::of(&kept))?;
        Ok(keys.consistent())
    };
    let found = db.get_all(keys()?).await?;
    assert!(matches!(&found[..], [HubItem::Draft(found)] if *found == kept));
    assert_eq!(db.get_all(keys()?.with_expired()).await?.len(), 2);

    let db = fixture.open::<GitHub>();
    db.provision().await?;
    let name: AccountName = id("batch-account");
    let user = User {
        name: name.clone(),
        email: "batch@example.com".into(),
        plan: Plan::Free,
        created_at: now,
    };
    db.run(put(&user)).await?;
    let mut keys = Keys::new();
    keys.add(Organization::key(&name))?;
    assert!(db.get_all(keys.consistent()).await?.is_empty());
    let mut keys = Keys::new();
    keys.add(Organization::key(&name))?;
    keys.add(User::key(&name))?;
    assert!(matches!(db.get_all(keys.consistent()).await?[..], [GitHubItem::User(_)]));
    db.run(delete(User::key(&name))).await?;
    Ok(())
}

/// DynamoDB returns at most 16 MB per batch and leaves the remaining keys unprocessed. A query page
/// holds 1 MB.
async fn answers_that_are_too_small(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
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
