//! The memory of all heavy requests together is bounded.
//!
//! Regression: a transaction of a hundred updates has a body of 15 KB, and kept 80 MB of old and
//! new items. Thirty-two of them run together.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

use peak_alloc::PeakAlloc;
use singlet_dynamo::expression::{Condition, Path};
use singlet_dynamo::operation::{
    Answer, BatchGetItem, ConditionCheck, CreateTable, GetItem, KeysAndAttributes, PutItem,
    Request, TransactGetItems, TransactWriteItem, TransactWriteItems, UpdateItem,
};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::{ErrorKind, Item, Value};
use singlet_engine::store::{DiskOptions, DiskStore, Store};
use singlet_engine::{Engine, Options, Result};
use std::path::{Path as FilePath, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Number of items, each of nearly 400 KB.
const ITEMS: i64 = 60;
const TEXT_LEN: usize = 390_000;
/// Number of concurrent requests: as many as the lane accepts.
const REQUESTS: usize = 32;
/// Memory limit: the 96 MB of the lane, and as much again in flight.
const MEMORY_MAX: usize = 200 << 20;

/// Held by a test while it measures: the allocator counts for the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn key(id: i64) -> Item {
    Item::from([("pk", Value::from(id))])
}

/// An engine on a folder, so that reads copy.
fn filled(folder: &FilePath) -> Engine {
    let disk =
        DiskOptions { recent_bytes: 4 << 20, cache_bytes: 4 << 20, ..DiskOptions::default() };
    let store = Store::Disk(DiskStore::open(folder, disk).unwrap());
    let engine = Engine::on(store, Options::default()).unwrap();
    let partition = KeyAttribute::new("pk", KeyType::N);
    let key_schema = KeySchema::simple(partition, None);
    let schema = TableSchema { name: "table".into(), key: key_schema, indexes: vec![] };
    engine.create_table(CreateTable::new(schema)).unwrap();
    engine.wait_until_active("table").unwrap();
    for id in 0..ITEMS {
        let mut item = key(id);
        item.insert("text", Value::from("ab".repeat(TEXT_LEN / 2)));
        engine.put_item(PutItem::new("table", item)).unwrap();
    }
    engine
}

fn block_on(future: impl Future<Output = Result<Answer>>) -> Result<Answer> {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => thread::park_timeout(Duration::from_secs(1)),
        }
    }
}

/// Runs requests concurrently. Returns the answers, and the peak memory above the previous usage.
fn all_at_once(engine: &Engine, requests: Vec<Request>) -> (Vec<Result<Answer>>, usize) {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    let answers = thread::scope(|scope| {
        let threads: Vec<_> = requests
            .into_iter()
            .map(|request| scope.spawn(|| block_on(engine.start(request))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    (answers, ALLOCATOR.peak_usage().saturating_sub(before))
}

/// Updates all items, with a condition that finally fails: so this measures the transaction's
/// memory, not the store's.
fn cancelled() -> TransactWriteItems {
    let update = |id: i64| {
        let body = format!(
            r#"{{"TableName":"table","Key":{{"pk":{{"N":"{id}"}}}},"UpdateExpression":"SET a = :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#
        );
        TransactWriteItem::from(UpdateItem::from_json(body.as_bytes()).unwrap())
    };
    let missing = Condition::attribute_exists(Path::attribute("missing").unwrap());
    let check = ConditionCheck::new("table", key(-1), missing);
    TransactWriteItems::new((0..ITEMS).map(update).chain([check.into()]).collect())
}

#[test]
fn large_transactions_together_keep_no_more_than_the_lane_has() {
    let _alone = alone();
    let folder = folder("large_transactions");
    let engine = filled(&folder);
    let requests = (0..REQUESTS).map(|_| Request::TransactWriteItems(cancelled())).collect();
    let (answers, memory) = all_at_once(&engine, requests);
    assert!(memory < MEMORY_MAX, "{} MB", memory >> 20);
    let kinds: Vec<ErrorKind> =
        answers.into_iter().map(|answer| answer.unwrap_err().to_dynamo().kind()).collect();
    let decided = kinds.iter().filter(|kind| **kind == ErrorKind::TransactionCanceled).count();
    let throttled = kinds.iter().filter(|kind| **kind == ErrorKind::Throttling).count();
    assert_eq!(decided + throttled, REQUESTS, "{kinds:?}");
    assert!(decided > 0, "{kinds:?}");
    // All memory is released.
    let last = engine.transact_write_items(cancelled()).unwrap_err();
    assert_eq!(last.to_dynamo().kind(), ErrorKind::TransactionCanceled);
    let one = block_on(engine.start(Request::TransactWriteItems(cancelled())));
    assert_eq!(one.unwrap_err().to_dynamo().kind(), ErrorKind::TransactionCanceled);
    engine.close().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn large_reads_together_keep_no_more_than_the_lane_has() {
    let _alone = alone();
    let folder = folder("large_reads");
    let engine = filled(&folder);
    let all: Vec<Item> = (0..ITEMS).map(key).collect();
    let asked = || vec![KeysAndAttributes::new("table", all.clone())];
    let requests = (0..REQUESTS).map(|_| BatchGetItem::new(asked()).into()).collect();
    let (answers, memory) = all_at_once(&engine, requests);
    // This test holds the answers.
    let held: usize = answers.iter().flatten().map(Answer::item_bytes).sum();
    assert!(memory < MEMORY_MAX.max(held + (64 << 20)), "{} MB", memory >> 20);
    for answer in answers {
        match answer {
            Ok(Answer::BatchGetItem(answer)) => {
                let found: usize = answer.responses.iter().map(|(_, items)| items.len()).sum();
                let left: usize = answer.unprocessed_keys.iter().map(|own| own.keys.len()).sum();
                assert!(found > 0 && found + left == all.len(), "{found} {left}");
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => assert_eq!(error.to_dynamo().kind(), ErrorKind::Throttling),
        }
    }
    let get = || all.iter().map(|key| GetItem::new("table", key.clone())).collect();
    let requests = (0..REQUESTS).map(|_| TransactGetItems::new(get()).into()).collect();
    let (answers, memory) = all_at_once(&engine, requests);
    assert!(memory < MEMORY_MAX, "{} MB", memory >> 20);
    for answer in answers {
        let error = answer.unwrap_err().to_dynamo();
        let is_too_large = error.message().starts_with("Payload in response is too large.");
        assert!(is_too_large || error.kind() == ErrorKind::Throttling, "{error}");
    }
    engine.close().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
