//! Pages, cursors, streams, counts and scans.

use super::{comment, id, rating, site};
use crate::sample::{Blob, Comment, Rating, Site, SiteId, UserId};
use crate::{Fixture, TestResult};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};
use std::time::Duration;

on_every_backend! {
    they_are_full_and_follow_each_other,
    cursors_cannot_be_forged,
    items_one_by_one,
    counting,
    scans,
}

/// Seven comments on a site, by seven users.
async fn comments(fixture: &Fixture, site: &str) -> singlet::Result<()> {
    let mut batch = fixture.db.batch();
    for number in 0..7 {
        let written_at = fixture.db.now().after(Duration::from_secs(number));
        batch.put(&comment(&format!("{site}-{number}"), site, "c", written_at))?;
    }
    batch.run().await
}

async fn they_are_full_and_follow_each_other(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    comments(fixture, "paged").await?;
    let site: SiteId = id("paged");
    for limit in [1, 2, 3, 6, 7, 8] {
        let (mut cursor, mut users) = (None, Vec::new());
        loop {
            let newest = Comment::of_site(&site).descending().limit(limit);
            let page = db.query(newest).page(cursor).await?;
            users.extend(page.items.iter().map(|comment| comment.user.to_string()));
            // Every page but the last is full, and the last is not empty.
            assert!(!page.items.is_empty());
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
            assert_eq!(page.items.len(), limit);
        }
        let expected: Vec<String> = (0..7).rev().map(|number| format!("paged-{number}")).collect();
        assert_eq!(users, expected, "limit {limit}");
    }
    // A filter does not shorten pages either.
    let odd = || Comment::USER.is_in(["paged-1", "paged-3", "paged-5"].map(id::<UserId>));
    let page = db.query(Comment::of_site(&site).filter(odd()).limit(2)).page(None).await?;
    assert_eq!(page.items.len(), 2);
    let page = db.query(Comment::of_site(&site).filter(odd()).limit(2)).page(page.next).await?;
    assert_eq!((page.items.len(), page.next.is_none()), (1, true));
    Ok(())
}

async fn cursors_cannot_be_forged(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    comments(fixture, "forged").await?;
    comments(fixture, "other").await?;
    let (site, other): (SiteId, SiteId) = (id("forged"), id("other"));
    let query = |site: &SiteId| Comment::of_site(site).limit(2);
    let page = db.query(query(&site)).page(None).await?;
    let text = page.next.ok_or("no cursor")?.to_string();
    assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    let cursor = || text.parse::<Cursor<Comment>>();

    assert_eq!(db.query(query(&site)).page(Some(cursor()?)).await?.items.len(), 2);
    let elsewhere = db.query(query(&other)).page(Some(cursor()?)).await;
    assert!(matches!(elsewhere, Err(singlet::Error::Cursor)), "another partition");
    let backwards = db.query(query(&site).descending()).page(Some(cursor()?)).await;
    assert!(matches!(backwards, Err(singlet::Error::Cursor)), "another direction");
    let other_range = Comment::of_site(&site).limit(2).after(db.now());
    let other_range = db.query(other_range).page(Some(cursor()?)).await;
    assert!(matches!(other_range, Err(singlet::Error::Cursor)), "another range");
    // Changing any character invalidates the cursor.
    for place in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
        let Ok(forged) = String::from_utf8(changed)?.parse() else { continue };
        let outcome = db.query(query(&site)).page(Some(forged)).await;
        assert!(matches!(outcome, Err(singlet::Error::Cursor)), "changed at {place}");
    }
    for nonsense in ["", "A", "AQ", "%%%"] {
        let outcome = match nonsense.parse() {
            Ok(cursor) => db.query(query(&site)).page(Some(cursor)).await.map(drop),
            Err(error) => Err(error),
        };
        assert!(matches!(outcome, Err(singlet::Error::Cursor)), "{nonsense}");
    }
    Ok(())
}

async fn items_one_by_one(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    comments(fixture, "streamed").await?;
    let site: SiteId = id("streamed");
    let mut items = db.query(Comment::of_site(&site)).items();
    let mut count = 0;
    while let Some(comment) = items.next().await {
        assert_eq!(comment?.site, site);
        count += 1;
    }
    assert_eq!(count, 7);
    assert!(items.next().await.is_none());
    let mut few = db.query(Comment::of_site(&site).limit(3)).items();
    let mut count = 0;
    while few.next().await.transpose()?.is_some() {
        count += 1;
    }
    assert_eq!(count, 3);
    Ok(())
}

async fn counting(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    comments(fixture, "counted").await?;
    let site: SiteId = id("counted");
    assert_eq!(db.query(Comment::of_site(&site)).count().await?, 7);
    assert_eq!(db.query(Comment::of_site(&site).limit(3)).count().await?, 3);
    let first: UserId = id("counted-0");
    let not_first = Comment::of_site(&site).filter(Comment::USER.ne(&first));
    assert_eq!(db.query(not_first).count().await?, 6);
    let written: Timestamp = db.now();
    assert_eq!(db.query(Comment::of_site(&site).after(written)).count().await?, 6);
    assert_eq!(db.query(Comment::of_site(&site).between(written, written)).count().await?, 1);
    Ok(())
}

async fn scans(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let mut batch = db.batch();
    for number in 0..30_u8 {
        batch.put(&Blob { hash: Bytes(vec![7, number]), size: u64::from(number) })?;
    }
    batch.run().await?;
    let ours = || Blob::SIZE.lt(30).and(Blob::SIZE.ne(3));
    let all = db.scan(Scan::table().filter(ours()).consistent()).all().await?;
    assert_eq!(all.iter().filter(|blob| blob.hash.0[0] == 7).count(), 29);
    let mut in_segments = 0;
    for number in 0..4 {
        in_segments += db.scan(Scan::<Blob>::table().segment(number, 4)).count().await?;
    }
    assert_eq!(in_segments, db.scan(Scan::<Blob>::table()).count().await?);
    // A scan of one entity skips the others.
    db.run(put(&site("scanned", db.now()))).await?;
    for user in ["one", "other"] {
        db.run(put(&rating(user, "scanned", 5))).await?;
    }
    let sites = db.scan(Scan::<Site>::table()).all().await?;
    assert!(sites.iter().any(|site| site.id.as_str() == "scanned"));
    let page = db.scan(Scan::<Rating>::table().limit(1)).page(None).await?;
    let next = db.scan(Scan::<Rating>::table().limit(1)).page(page.next).await?;
    assert_ne!(page.items, next.items);
    Ok(())
}
