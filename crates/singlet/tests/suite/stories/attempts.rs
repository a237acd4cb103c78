//! Read-decide-write loops with optimistic concurrency.

use super::{id, rating, site};
use crate::sample::{Rating, Site, SiteId};
use crate::{Fixture, TestResult};
use futures_util::future::join_all;
use singlet::prelude::*;
use singlet::{Error, Retryable};
use singlet_testing::{TestStore, on_every_backend};
use std::cell::Cell;
use std::future::poll_fn;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;

on_every_backend! {
    no_increment_is_lost,
    versions_are_tried_again,
    other_errors_end_it_at_once,
    attempts_have_a_bound,
    a_conflict_ends_it,
}

/// Number of concurrent callers.
const CALLERS: u32 = 50;

/// Yields, so that others read the same value.
async fn pass() {
    let mut passed = false;
    poll_fn(|context| {
        if std::mem::replace(&mut passed, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Programs spawn the futures of attempts.
fn assert_send<T: Send>(value: T) -> T {
    value
}

async fn no_increment_is_lost(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let counter: SiteId = id("attempts");
    db.run(create(&Site { visits: 0, ..site("attempts", db.now()) })).await?;
    let attempts = AtomicU32::new(0);
    let increments = (0..CALLERS).map(|_| {
        let work = db.attempt(async |db| {
            attempts.fetch_add(1, Ordering::Relaxed);
            let counted = db.get(Site::key(&counter).consistent()).await?;
            let visits = counted.map_or(0, |site| site.visits);
            pass().await;
            let next = update(Site::key(&counter)).set(Site::VISITS, visits + 1);
            db.run(next.only_if(Site::VISITS.eq(visits))).await?;
            Ok::<_, Error>(visits + 1)
        });
        assert_send(work.times(1000))
    });
    let mut numbers = join_all(increments).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    // Each increment succeeded exactly once.
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=u64::from(CALLERS)).collect::<Vec<_>>());
    assert!(attempts.load(Ordering::Relaxed) > CALLERS, "nobody was in anybody's way");
    Ok(())
}

async fn versions_are_tried_again(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let key = || Site::key(id::<SiteId>("attempt-version"));
    db.run(put(&site("attempt-version", db.now()))).await?;
    let attempts = Cell::new(0);
    db.attempt(async |db| {
        attempts.set(attempts.get() + 1);
        let mut read = db.get(key().consistent()).await?.ok_or(Error::MissingOperand)?;
        if attempts.get() == 1 {
            // Simulate a concurrent write.
            db.run(update(key()).add(Site::VISITS, 1)).await?;
        }
        read.visits += 10;
        db.run(put(&read)).await
    })
    .await?;
    let kept = db.get(key().consistent()).await?.ok_or("gone")?;
    assert_eq!((attempts.get(), kept.visits, kept.version), (2, 11, 3));
    Ok(())
}

/// An application's error type.
#[derive(Debug)]
enum Refusal {
    Full,
    Stale,
    Store(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl Retryable for Refusal {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Stale)
    }
}

async fn other_errors_end_it_at_once(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let attempts = Cell::new(0);
    let outcome: Result<(), Refusal> = db
        .attempt(async |_| {
            attempts.set(attempts.get() + 1);
            if attempts.get() < 3 { Err(Refusal::Stale) } else { Err(Refusal::Full) }
        })
        .await;
    assert!(matches!(outcome, Err(Refusal::Full)), "{outcome:?}");
    assert_eq!(attempts.get(), 3);

    // A failed condition without `or` is not retried.
    let absent = rating("attempt-absent", "s", 1);
    let outcome: Result<(), Refusal> = db
        .attempt(async |db| {
            attempts.set(attempts.get() + 1);
            Ok(db.run(update(Key::of(&absent)).set(Rating::STARS, 2)).await?)
        })
        .await;
    assert!(matches!(outcome, Err(Refusal::Store(Error::ConditionFailed { .. }))), "{outcome:?}");
    assert_eq!(attempts.get(), 4);
    Ok(())
}

async fn attempts_have_a_bound(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let absent = rating("attempt-bound", "s", 1);
    for (times, made) in [(0, 1), (1, 1), (4, 4)] {
        let attempts = Cell::new(0);
        let outcome = db
            .attempt(async |db| {
                attempts.set(attempts.get() + 1);
                db.run(update(Key::of(&absent)).set(Rating::STARS, 2)).await
            })
            .times(times)
            .await;
        assert!(super::is_refused(&outcome), "{outcome:?}");
        assert_eq!(attempts.get(), made);
    }
    Ok(())
}

/// Regression: each of twelve attempts waited nine seconds for the same transaction.
async fn a_conflict_ends_it(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let attempts = Cell::new(0);
    let outcome: Result<(), Error> = fixture
        .db
        .attempt(async |_| {
            attempts.set(attempts.get() + 1);
            Err(Error::Conflict { subject: None })
        })
        .await;
    assert!(matches!(outcome, Err(Error::Conflict { .. })), "{outcome:?}");
    assert_eq!(attempts.get(), 1);
    Ok(())
}
