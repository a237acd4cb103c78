//! Lists of items that cannot be read: a bounded number of requests, and a line in the log for each.

use super::collections::{Front, Hub, Issue, Owner, Repo, RepoName, counted};
use super::id;
use super::spans::Listener;
use crate::{Fixture, TestResult};
use singlet::Error;
use singlet::dynamo::operation::{BatchWriteItem, TableWrites, WriteRequest};
use singlet::dynamo::{Item, Value};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    a_limit_bounds_the_requests,
    the_first_readable_item,
    a_member_of_a_collection,
}

/// More than a read with a limit of three reads before it gives up: 3 · (1 + 2 + 4 + … + 128).
const ISSUES: u32 = 800;

/// Writes issues without a title.
async fn fill(db: &Db<Hub>, owner: &str) -> Result<(Owner, RepoName), Box<dyn std::error::Error>> {
    let write = |number: u32| {
        WriteRequest::Put(Item::from([
            ("PK", Value::S(format!("REPO#{owner}#engine"))),
            ("SK", Value::S(format!("ISSUE#{number:06}"))),
        ]))
    };
    let writes: Vec<WriteRequest> = (1..=ISSUES).map(write).collect();
    for requests in writes.chunks(25) {
        let mut batch = BatchWriteItem::new(Vec::new());
        let table_name = db.table_name::<Hub>().to_owned();
        batch.tables = vec![TableWrites { table_name, requests: requests.to_vec() }];
        db.execute(batch).await?;
    }
    Ok((id(owner), id("engine")))
}

fn readable(owner: &str, number: u32, created_at: Timestamp) -> Issue {
    let (owner, repo): (Owner, RepoName) = (id(owner), id("engine"));
    let (title, state) = ("title".to_owned(), "open".to_owned());
    Issue { author: owner.clone(), owner, repo, number, title, state, created_at }
}

/// A page of five read the whole partition, with a line in the log for each item.
async fn a_limit_bounds_the_requests(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted::<Hub>(fixture.store.backend(), &fixture.settings).await?;
    let (owner, repo) = fill(&db, "limit").await?;
    db.run(put(&readable("limit", ISSUES + 1, db.now()))).await?;
    let issues = || Issue::of(&owner, &repo);
    Listener::install();
    log.take();

    Listener::take_events();
    let outcome = db.query(issues().limit(3)).skip_corrupt().all().await;
    assert!(matches!(outcome, Err(Error::Corrupt(_))), "{outcome:?}");
    assert_eq!(log.take(), (8, 765));
    let lines = Listener::take_events();
    assert_eq!(lines.len(), 8, "one for each request: {lines:#?}");
    assert!(lines[7].starts_with("skipped 384 unreadable items; the first: a stored Issue has"));

    let outcome = db.query(issues().limit(3)).skip_corrupt().page(None).await?;
    assert_eq!((outcome.items.len(), outcome.next.is_none()), (1, true));
    assert_eq!(log.take(), (8, 801));
    let page = db.query(issues().limit(2)).skip_corrupt().page(None).await?;
    assert_eq!((page.items.len(), page.next.is_some()), (0, true));
    assert_eq!(log.take(), (8, 765));

    // Without a limit all is read, in pages of a megabyte.
    Listener::take_events();
    assert_eq!(db.query(issues()).skip_corrupt().all().await?.len(), 1);
    assert_eq!((log.take(), Listener::take_events().len()), ((1, 801), 1));
    Ok(())
}

/// Skipped items do not count, until it is too many of them.
async fn the_first_readable_item(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted::<Hub>(fixture.store.backend(), &fixture.settings).await?;
    let (owner, repo) = fill(&db, "first").await?;
    let issues = || Issue::of(&owner, &repo);
    log.take();
    let outcome = db.query(issues()).skip_corrupt().first().await;
    assert!(matches!(outcome, Err(Error::Corrupt(_))), "{outcome:?}");
    assert_eq!(log.take(), (8, 255));
    let late = readable("first", 200, db.now());
    db.run(put(&late)).await?;
    log.take();
    assert_eq!(db.query(issues()).skip_corrupt().first().await?, Some(late));
    assert_eq!(log.take(), (8, 255));
    Ok(())
}

async fn a_member_of_a_collection(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let (db, log) = counted::<Hub>(fixture.store.backend(), &fixture.settings).await?;
    let (owner, repo) = fill(&db, "member").await?;
    let (name, created_at) = (repo.clone(), db.now());
    db.run(put(&Repo { owner: owner.clone(), name, created_at, stars: 0 })).await?;
    let front = || Front::of((&owner, &repo)).skip_corrupt();
    log.take();
    let outcome = db.load(front()).await;
    assert!(matches!(outcome, Err(Error::Corrupt(_))), "{outcome:?}");
    assert_eq!(log.take().0, 1 + 8, "the repository, and eight requests in vain");
    for number in [ISSUES + 1, ISSUES, ISSUES - 9] {
        db.run(put(&readable("member", number, db.now()))).await?;
    }
    log.take();
    let found = db.load(front()).await?.ok_or("no repository")?;
    let numbers: Vec<u32> = found.issues.iter().map(|issue| issue.number).collect();
    assert_eq!(numbers, [ISSUES + 1, ISSUES, ISSUES - 9]);
    assert_eq!(log.take().0, 4);
    Ok(())
}
