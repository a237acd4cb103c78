//! An overloaded store that leaves batch items unprocessed.

use crate::sample::{Rating, World};
use crate::settings;
use crate::stories::{goal, id, rating};
use singlet::backend::{Backend, BackendError, BoxFuture, Embedded, Execution, Feed};
use singlet::dynamo::error::CancellationReason;
use singlet::dynamo::operation::{
    Answer, BatchGetItemAnswer, BatchWriteItemAnswer, KeysAndAttributes, Request, TableWrites,
};
use singlet::dynamo::{Error, ErrorKind, Item};
use singlet::engine::Engine;
use singlet::prelude::*;
use singlet_testing::fixed_clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// No fault; only counts requests.
    Nothing,
    /// Leaves all but a few items of a batch unprocessed.
    LeavesMost,
    /// Leaves the whole batch unprocessed.
    LeavesAll,
    /// Cancels transactions for this reason, this many times.
    Cancels(ErrorKind, u32),
    /// Rejects single-item writes with this error, this many times.
    Refuses(ErrorKind, u32),
    /// Loses the answer to the request of this number, after it was carried out.
    LosesAnswer(u32),
    /// Lets other tasks run before each request.
    Waits,
}

struct Faulty {
    inner: Embedded,
    fault: Fault,
    log: Arc<Log>,
}

/// Counts requests and pauses.
#[derive(Default)]
struct Log {
    requests: AtomicU32,
    pauses: AtomicU32,
    in_flight: AtomicU32,
    in_flight_max: AtomicU32,
}

impl Faulty {
    /// Removes the items to leave unprocessed from a batch.
    fn split(&self, request: &mut Request) -> (Vec<KeysAndAttributes>, Vec<TableWrites>) {
        let kept = if self.fault == Fault::LeavesAll { 0 } else { 3 };
        let (mut keys, mut writes) = (Vec::new(), Vec::new());
        if let Request::BatchGetItem(request) = request {
            for table in &mut request.tables {
                let mut left = table.clone();
                left.keys = table.keys.split_off(kept.min(table.keys.len()));
                keys.push(left);
            }
            request.tables.retain(|table| !table.keys.is_empty());
        }
        if let Request::BatchWriteItem(request) = request {
            for table in &mut request.tables {
                let requests = table.requests.split_off(kept.min(table.requests.len()));
                writes.push(TableWrites { table_name: table.table_name.clone(), requests });
            }
            request.tables.retain(|table| !table.requests.is_empty());
        }
        keys.retain(|table| !table.keys.is_empty());
        writes.retain(|table| !table.requests.is_empty());
        (keys, writes)
    }
}

impl Backend for Faulty {
    fn execute(&self, mut request: Request) -> Execution<'_> {
        let number = self.log.requests.fetch_add(1, Ordering::Relaxed);
        match (&request, self.fault) {
            (
                Request::TransactWriteItems(_) | Request::TransactGetItems(_),
                Fault::Cancels(reason, times),
            ) if number < times => {
                let reason = CancellationReason::of(&Error::new(reason)).unwrap();
                let error = Error::transaction_canceled(vec![reason]);
                return Execution::done(Err(BackendError::Refused(error)));
            }
            (
                Request::PutItem(_) | Request::UpdateItem(_) | Request::DeleteItem(_),
                Fault::Refuses(kind, times),
            ) if number < times => {
                return Execution::done(Err(BackendError::Refused(Error::new(kind))));
            }
            (_, Fault::LosesAnswer(lost)) if number == lost => {
                return Execution::pending(async move {
                    self.inner.execute(request).await?;
                    Err(BackendError::Failed("the connection was lost".into()))
                });
            }
            (_, Fault::Waits) => {
                return Execution::pending(async move {
                    let in_flight = self.log.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
                    self.log.in_flight_max.fetch_max(in_flight, Ordering::Relaxed);
                    singlet::yield_now().await;
                    let outcome = self.inner.execute(request).await;
                    self.log.in_flight.fetch_sub(1, Ordering::Relaxed);
                    outcome
                });
            }
            (
                _,
                Fault::Nothing | Fault::Cancels(..) | Fault::Refuses(..) | Fault::LosesAnswer(_),
            ) => {}
            (Request::BatchGetItem(_) | Request::BatchWriteItem(_), _) => {
                let (keys, writes) = self.split(&mut request);
                return Execution::pending(async move {
                    let mut answer = match &request {
                        // The engine rejects an empty batch, as DynamoDB does.
                        Request::BatchGetItem(batch) if batch.tables.is_empty() => {
                            BatchGetItemAnswer::default().into()
                        }
                        Request::BatchWriteItem(batch) if batch.tables.is_empty() => {
                            BatchWriteItemAnswer::default().into()
                        }
                        _ => self.inner.execute(request).await?,
                    };
                    match &mut answer {
                        Answer::BatchGetItem(answer) => answer.unprocessed_keys = keys,
                        Answer::BatchWriteItem(answer) => answer.unprocessed_items = writes,
                        _ => {}
                    }
                    Ok(answer)
                });
            }
            _ => {}
        }
        self.inner.execute(request)
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        self.log.pauses.fetch_add(1, Ordering::Relaxed);
        Box::pin(async {})
    }

    fn changes(&self, table_name: &str) -> BoxFuture<'_, Result<Box<dyn Feed>, BackendError>> {
        self.inner.changes(table_name)
    }
}

fn open(fault: Fault) -> (Db<World>, Arc<Log>) {
    let clock = fixed_clock();
    let inner = Embedded::new(Engine::memory().unwrap());
    let db = Db::<World>::on(inner.clone(), settings(&clock, "suite"));
    singlet::block_on(db.provision()).unwrap();
    let log = Arc::new(Log::default());
    let faulty = Faulty { inner, fault, log: Arc::clone(&log) };
    (Db::on(faulty, settings(&clock, "suite")), log)
}

async fn write_and_read(db: &Db<World>) -> singlet::Result<usize> {
    let mut batch = db.batch();
    for number in 0..60 {
        batch.put(&rating("faults", &format!("s{number}"), 1))?;
    }
    batch.run().await?;
    let user: crate::sample::UserId = id("faults");
    let sites = (0..60).map(|number| id::<crate::sample::SiteId>(format!("s{number}")));
    let found = db.get_many(sites.map(|site| Rating::key(&user, site))).await?;
    Ok(found.iter().flatten().count())
}

#[test]
fn what_is_left_for_later_is_done_later() {
    let (db, log) = open(Fault::LeavesMost);
    assert_eq!(singlet::block_on(write_and_read(&db)).unwrap(), 60);
    // Twenty requests each, with a pause after each but the last. The first three writes are sent
    // at once, the others one by one, because the store is overloaded.
    assert_eq!(log.requests.load(Ordering::Relaxed), 40);
    assert_eq!(log.pauses.load(Ordering::Relaxed), 17 + 19);
}

#[test]
fn what_is_never_done_is_told() {
    let (db, log) = open(Fault::LeavesAll);
    let outcome = singlet::block_on(write_and_read(&db));
    let Err(singlet::Error::Unprocessed { count: 60, keys }) = outcome else {
        panic!("{outcome:?}");
    };
    // The error contains only keys.
    let sites: std::collections::BTreeSet<_> =
        keys.iter().filter_map(Key::<Rating>::from_item).map(|key| format!("{key:?}")).collect();
    assert_eq!((sites.len(), keys.iter().map(Item::len).max()), (60, Some(2)));

    let mut keys = Keys::new();
    keys.add(Key::of(&rating("faults", "s1", 1))).unwrap();
    keys.add(Key::of(&goal("faults", 1, 2, "g"))).unwrap();
    let outcome = singlet::block_on(db.get_all(keys)).map(|found| found.len());
    let Err(singlet::Error::Unprocessed { count: 2, keys }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(keys.contains(&Key::of(&goal("faults", 1, 2, "g")).to_item().unwrap()));
    assert!(log.pauses.load(Ordering::Relaxed) >= 5);
}

#[test]
fn a_batch_has_four_requests_in_flight() {
    let (db, log) = open(Fault::Waits);
    assert_eq!(singlet::block_on(write_and_read(&db)).unwrap(), 60);
    assert_eq!(log.in_flight_max.load(Ordering::Relaxed), 3);
    let mut batch = db.batch();
    for number in 0..500 {
        batch.put(&rating("flight", &format!("s{number}"), 1)).unwrap();
    }
    singlet::block_on(batch.run()).unwrap();
    assert_eq!(log.in_flight_max.load(Ordering::Relaxed), 4);
    let user: crate::sample::UserId = id("flight");
    assert_eq!(singlet::block_on(db.query(Rating::of(&user)).count()).unwrap(), 500);
}

/// Regression: after an error nothing was left to say which writes were not done.
#[test]
fn writes_that_are_not_done_stay_in_the_batch() {
    let (db, log) = open(Fault::LosesAnswer(1));
    let mut batch = db.batch();
    for number in 0..230 {
        batch.put(&rating("rest", &format!("s{number}"), 1)).unwrap();
    }
    let outcome = singlet::block_on(batch.run());
    assert!(matches!(outcome, Err(singlet::Error::Backend(_))), "{outcome:?}");
    // The lost request and the 130 writes that did not fit into the first four requests.
    assert_eq!((batch.len(), log.requests.load(Ordering::Relaxed)), (155, 4));
    // A later write of the same key still replaces the earlier one.
    batch.put(&rating("rest", "s0", 5)).unwrap();
    assert_eq!(batch.len(), 155);
    singlet::block_on(batch.run()).unwrap();
    assert!(batch.is_empty());
    let user: crate::sample::UserId = id("rest");
    let all = singlet::block_on(db.query(Rating::of(&user)).all()).unwrap();
    assert_eq!((all.len(), all.iter().filter(|one| one.stars == 5).count()), (230, 1));

    // A cancelled run leaves its writes in the batch.
    let (db, _) = open(Fault::Waits);
    let mut batch = db.batch();
    batch.put(&rating("rest", "s0", 5)).unwrap();
    singlet::block_on(async {
        let mut run = std::pin::pin!(batch.run());
        std::future::poll_fn(|context| {
            assert!(run.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
    });
    assert_eq!(batch.len(), 1);
}

#[test]
fn conflicts_and_throttles_are_waited_for_but_not_for_ever() {
    let one = rating("conflict", "s", 1);
    let told = |reason: ErrorKind| {
        let (db, log) = open(Fault::Cancels(reason, 3));
        singlet::block_on(db.transact((put(&one),))).unwrap();
        assert_eq!(log.pauses.load(Ordering::Relaxed), 3);
        let (db, _) = open(Fault::Cancels(reason, u32::MAX));
        singlet::block_on(db.transact((put(&one),))).unwrap_err()
    };
    assert!(matches!(told(ErrorKind::TransactionConflict), singlet::Error::Conflict { .. }));
    for reason in [ErrorKind::Throttling, ErrorKind::ProvisionedThroughputExceeded] {
        assert!(matches!(told(reason), singlet::Error::Throttled { .. }));
    }
}

#[test]
fn a_read_of_several_items_waits_for_transactions() {
    let one = rating("read-conflict", "s", 1);
    let read = |db: &Db<World>| singlet::block_on(db.get_together(vec![Key::of(&one)]));
    let told = |reason: ErrorKind| {
        let (db, log) = open(Fault::Cancels(reason, 3));
        assert_eq!(read(&db).unwrap(), [None]);
        assert_eq!(log.pauses.load(Ordering::Relaxed), 3);
        let (db, _) = open(Fault::Cancels(reason, u32::MAX));
        read(&db).unwrap_err()
    };
    assert!(matches!(told(ErrorKind::TransactionConflict), singlet::Error::Conflict { .. }));
    assert!(matches!(told(ErrorKind::Throttling), singlet::Error::Throttled { .. }));
}

#[test]
fn a_write_waits_for_transactions() {
    let (kind, one) = (ErrorKind::TransactionConflict, rating("write-conflict", "s", 1));
    let (db, log) = open(Fault::Refuses(kind, 3));
    singlet::block_on(db.run(create(&one))).unwrap();
    assert_eq!(log.pauses.load(Ordering::Relaxed), 3);
    assert_eq!(singlet::block_on(db.get(Key::of(&one))).unwrap(), Some(one.clone()));

    let (db, log) = open(Fault::Refuses(kind, u32::MAX));
    let change = update(Key::of(&one)).set(Rating::STARS, 2);
    let outcome = singlet::block_on(db.run(change));
    assert!(matches!(outcome, Err(singlet::Error::Conflict { .. })), "{outcome:?}");
    assert!(log.pauses.load(Ordering::Relaxed) >= 5);
    // Throttling is not retried here: a network backend has already backed off.
    let (db, log) = open(Fault::Refuses(ErrorKind::Throttling, u32::MAX));
    let outcome = singlet::block_on(db.run(delete(Key::of(&one))));
    assert!(matches!(outcome, Err(singlet::Error::Throttled { .. })), "{outcome:?}");
    assert_eq!(log.pauses.load(Ordering::Relaxed), 0);
}

/// Regression: with a filter, the first item was returned only after reading the whole partition.
#[test]
fn a_read_ends_with_what_was_asked_for() {
    let (db, log) = open(Fault::Nothing);
    let user: crate::sample::UserId = id("many");
    let mut batch = db.batch();
    for number in 0..3000 {
        let stars = if number == 0 { 5 } else { 1 };
        batch.put(&rating("many", &format!("s{number:04}"), stars)).unwrap();
    }
    singlet::block_on(batch.run()).unwrap();
    let count = |work: &dyn Fn()| {
        let before = log.requests.load(Ordering::Relaxed);
        work();
        log.requests.load(Ordering::Relaxed) - before
    };
    let rare = |stars: u8| Rating::of(&user).filter(Rating::STARS.eq(stars));

    let requests = count(&|| {
        let first = singlet::block_on(db.query(rare(5)).first()).unwrap();
        assert_eq!(first.map(|one| one.stars), Some(5));
    });
    assert_eq!(requests, 1, "the first item is the first that is read");
    let requests = count(&|| {
        let some = singlet::block_on(db.query(rare(1).limit(2)).all()).unwrap();
        assert_eq!(some.len(), 2);
    });
    assert_eq!(requests, 2, "one of the first two is passed over");
    // A page ends even if it has few matches; later pages return the rest.
    let (mut cursor, mut pages, mut found) = (None, 0, 0);
    let requests = count(&|| {
        let page = singlet::block_on(db.query(rare(5).limit(1)).page(None)).unwrap();
        assert_eq!((page.items.len(), page.next.is_some()), (1, true));
    });
    assert_eq!(requests, 8);
    loop {
        let page = singlet::block_on(db.query(rare(5).limit(1)).page(cursor)).unwrap();
        found += page.items.len();
        pages += 1;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert!((2..20).contains(&pages), "{pages}");
    assert_eq!(found, 1);
}

/// The error names the hot key of a throttled table.
#[test]
fn throttles_and_conflicts_name_the_item() {
    for kind in [ErrorKind::Throttling, ErrorKind::TransactionConflict] {
        let one = rating("hot", "s", 1);
        let (db, _) = open(Fault::Refuses(kind, u32::MAX));
        let of_write = singlet::block_on(db.run(put(&one))).unwrap_err();
        let (db, _) = open(Fault::Cancels(kind, u32::MAX));
        let of_transaction = singlet::block_on(db.transact((put(&one),))).unwrap_err();
        for error in [of_write, of_transaction] {
            let subject = error.subject().unwrap();
            assert_eq!(subject.key(), Some(&Key::of(&one).to_item().unwrap()), "{error}");
            assert!(
                error.to_string().contains("(Rating PK = `USER#hot`, SK = `SITE#s`"),
                "{error}"
            );
        }
    }
}
