//! Heavy requests do not block others, return the same answers, and end when abandoned.
//!
//! Regression: two scans with a long `contains` stalled all requests for nine seconds, six
//! conditional writes delayed other writers by four, and a stop took fifty.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a panic here is a failing test"
)]

use singlet_dynamo::capacity::ReturnConsumedCapacity;
use singlet_dynamo::expression::{Comparator, Condition, Operand, Path};
use singlet_dynamo::operation::{
    Answer, BatchGetItem, BatchWriteItem, ConditionCheck, CreateTable, GetItem, KeysAndAttributes,
    PageAnswer, PutItem, Request, Scan, TableWrites, TransactWriteItems, UpdateItem, UpdateTable,
    WriteRequest,
};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_dynamo::{ErrorKind, Item, Value};
use singlet_engine::{Engine, Error, Options, Result, Started};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Text size of a large item.
const TEXT_LEN: usize = 300_000;
/// Number of terms in a heavy condition.
const TESTS: usize = 100;
/// Far longer than anything here takes.
const FOR_EVER: Duration = Duration::from_secs(120);

fn key(id: i64) -> Item {
    Item::from([("pk", Value::from(id))])
}

fn large(id: i64) -> Item {
    let mut item = key(id);
    item.insert("text", Value::from("ab".repeat(TEXT_LEN / 2)));
    item.insert("n", Value::from(0));
    item
}

fn path(name: &str) -> Operand {
    Operand::Path(Path::attribute(name).unwrap())
}

/// A condition that is decided only after searching the text for each of many words.
fn heavy(is_true: bool) -> Condition {
    let searches = (0..TESTS)
        .map(|number| {
            let word = Operand::Value(format!("ababababababababababababac{number}").into());
            Condition::contains(path("text"), word).unwrap()
        })
        .collect();
    let none_found = Condition::or(searches).unwrap();
    if is_true { Condition::not(none_found).unwrap() } else { none_found }
}

fn equals(name: &str, value: i64) -> Condition {
    Condition::compare(path(name), Comparator::Equal, Operand::Value(value.into())).unwrap()
}

fn engine_with(items: i64) -> Engine {
    let engine = Engine::memory().unwrap();
    create_tables(&engine);
    for id in 0..items {
        engine.put_item(PutItem::new("table", large(id))).unwrap();
    }
    engine
}

fn create_tables(engine: &Engine) {
    for name in ["table", "other"] {
        let key = KeySchema::simple(KeyAttribute::new("pk", KeyType::N), None);
        let schema = TableSchema { name: name.into(), key, indexes: vec![] };
        engine.create_table(CreateTable::new(schema)).unwrap();
        engine.wait_until_active(name).unwrap();
    }
}

fn heavy_scan() -> Scan {
    let mut scan = Scan::new("table");
    scan.filter = Some(heavy(true));
    scan
}

/// A scan that would take minutes: each of many items is searched for in a large text.
fn endless_scan(engine: &Engine) -> Scan {
    for id in 1000..6000 {
        let mut item = key(id);
        item.insert("word", Value::from(format!("ababababababc{id}")));
        engine.put_item(PutItem::new("table", item)).unwrap();
    }
    let text = || Operand::Value("ab".repeat(10_000).into());
    let all = (0..TESTS).map(|_| Condition::contains(text(), path("word")).unwrap()).collect();
    let mut scan = Scan::new("table");
    scan.filter = Some(Condition::or(all).unwrap());
    scan
}

fn update(id: i64, expression: &str) -> UpdateItem {
    let body = format!(
        r#"{{"TableName":"table","Key":{{"pk":{{"N":"{id}"}}}},"UpdateExpression":"{expression}","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#
    );
    UpdateItem::from_json(body.as_bytes()).unwrap()
}

fn poll_once(started: &mut Started<'_>) -> Poll<Result<Answer>> {
    Pin::new(started).poll(&mut Context::from_waker(Waker::noop()))
}

/// Starts a request that the starting thread does not finish. On a busy machine another thread may
/// finish it before the first poll, but not every time.
fn start_pending(engine: &Engine, request: impl Fn() -> Request) -> Started<'_> {
    for _ in 0..20 {
        let mut started = engine.start(request());
        if poll_once(&mut started).is_pending() {
            return started;
        }
    }
    panic!("it is always done at once");
}

/// The answer of a request that completes at once.
fn at_once(engine: &Engine, request: Request) -> Answer {
    match poll_once(&mut engine.start(request)) {
        Poll::Ready(answer) => answer.unwrap(),
        Poll::Pending => panic!("it waits"),
    }
}

fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let deadline = Instant::now() + FOR_EVER;
    loop {
        match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park_timeout(Duration::from_secs(1)),
        }
        assert!(Instant::now() < deadline, "it takes for ever");
    }
}

fn page(answer: Answer) -> PageAnswer {
    match answer {
        Answer::Page(page) => page,
        other => panic!("{other:?}"),
    }
}

fn number(engine: &Engine, id: i64) -> i64 {
    let found = engine.get_item(&GetItem::new("table", key(id))).unwrap().item.unwrap().to_item();
    match found.get("n") {
        Some(Value::N(number)) => number.to_i64().unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_heavy_scan_holds_up_nobody_and_answers_the_same() {
    let engine = engine_with(6);
    let mut scan = heavy_scan();
    scan.return_consumed_capacity = ReturnConsumedCapacity::Total;
    let expected = engine.scan(&scan).unwrap();
    assert_eq!((expected.count, expected.last_evaluated_key.is_some()), (4, true));
    let started = start_pending(&engine, || Request::Scan(scan.clone()));
    // Meanwhile the thread serves others.
    for id in 0..50 {
        at_once(&engine, Request::GetItem(GetItem::new("table", key(1))));
        block_on(engine.start(Request::PutItem(PutItem::new("other", key(id))))).unwrap();
    }
    assert_eq!(page(block_on(started).unwrap()), expected);
}

/// A small write may wait briefly, while the heavy one is staged, but not until the heavy one is
/// planned. So in some round it finishes first, however busy the machine is.
#[test]
fn a_heavy_write_holds_up_nobody() {
    const ROUNDS: i64 = 20;
    let engine = engine_with(2);
    let (mut beside, mut overtaken) = (0, 0);
    for _ in 0..ROUNDS {
        let mut request = update(0, "SET n = n + :one");
        request.condition = Some(heavy(true));
        let mut started = engine.start(Request::UpdateItem(request));
        if let Poll::Ready(answer) = poll_once(&mut started) {
            answer.unwrap();
            continue;
        }
        let small = engine.start(Request::UpdateItem(update(1, "SET n = n + :one")));
        block_on(small).unwrap();
        beside += 1;
        match poll_once(&mut started) {
            Poll::Ready(answer) => drop(answer.unwrap()),
            Poll::Pending => {
                overtaken += 1;
                block_on(started).unwrap();
            }
        }
    }
    assert!(overtaken > 0, "every small write waited for the heavy one");
    assert_eq!((number(&engine, 0), number(&engine, 1)), (ROUNDS, beside));
}

/// Measuring items of many attributes is heavy even without a filter.
#[test]
fn a_page_of_many_attributes_holds_up_nobody() {
    let engine = engine_with(0);
    for id in 0..3 {
        let attributes = (0..60_000).map(|number| (format!("{number:x}"), Value::Null));
        let mut item: Item = attributes.collect();
        item.insert("pk", Value::from(id));
        engine.put_item(PutItem::new("table", item)).unwrap();
    }
    let started = start_pending(&engine, || Request::Scan(Scan::new("table")));
    assert_eq!(page(block_on(started).unwrap()), engine.scan(&Scan::new("table")).unwrap());
}

#[test]
fn a_large_batch_is_not_carried_out_by_a_thread_that_serves_others() {
    let engine = engine_with(0);
    let item = |id: i64| {
        let mut item: Item =
            (0..5_000).map(|number| (format!("{number:x}"), Value::Null)).collect();
        item.insert("pk", Value::from(id));
        item
    };
    let requests = (0..20).map(|id| WriteRequest::Put(item(id))).collect();
    let batch = BatchWriteItem::new(vec![TableWrites { table_name: "table".into(), requests }]);
    let started = start_pending(&engine, || Request::BatchWriteItem(batch.clone()));
    block_on(started).unwrap();
    assert_eq!(engine.scan(&Scan::new("table")).unwrap().count, 20);
    engine.batch_write_item(batch).unwrap();
}

/// An item with one attribute that contains many values.
fn nested(id: i64) -> Item {
    let mut item = key(id);
    item.insert("list", Value::L(vec![Value::from("a"); 30_000]));
    item
}

/// Regression: items were charged by their attributes, not by nested values.
#[test]
fn large_nested_items_are_not_encoded_by_a_thread_that_serves_others() {
    let engine = engine_with(0);
    let put = || PutItem::new("table", nested(0));
    block_on(start_pending(&engine, || put().into())).unwrap();
    engine.put_item(put()).unwrap();

    let requests = (0..3).map(|id| WriteRequest::Put(nested(id))).collect();
    let batch = BatchWriteItem::new(vec![TableWrites { table_name: "table".into(), requests }]);
    block_on(start_pending(&engine, || batch.clone().into())).unwrap();
    engine.batch_write_item(batch).unwrap();

    let mut transaction = TransactWriteItems::new(vec![put().into()]);
    block_on(start_pending(&engine, || transaction.clone().into())).unwrap();
    transaction.client_request_token = Some("token".to_owned());
    block_on(start_pending(&engine, || transaction.clone().into())).unwrap();
    // The remembered fingerprint equals the recomputed one.
    engine.transact_write_items(transaction.clone()).unwrap();
    transaction.actions.push(PutItem::new("table", key(7)).into());
    let error = engine.transact_write_items(transaction).unwrap_err();
    assert_eq!(error.refusal().unwrap().kind(), ErrorKind::IdempotentParameterMismatch);
    assert_eq!(engine.scan(&Scan::new("table")).unwrap().count, 3);
}

/// Regression: the values of updates are part of a transaction's fingerprint, and were encoded
/// while all other writes waited.
#[test]
fn a_transaction_of_large_values_is_not_identified_by_a_thread_that_serves_others() {
    let engine = engine_with(1);
    let list = vec![r#"{"NULL":true}"#; 30_000].join(",");
    let body = format!(
        r#"{{"ClientRequestToken":"token","TransactItems":[{{"ConditionCheck":{{"TableName":"table",
            "Key":{{"pk":{{"N":"0"}}}},"ConditionExpression":"attribute_exists(pk) OR n = :l",
            "ExpressionAttributeValues":{{":l":{{"L":[{list}]}}}}}}}}]}}"#
    );
    let request = TransactWriteItems::from_json(body.as_bytes()).unwrap();
    block_on(start_pending(&engine, || request.clone().into())).unwrap();
}

/// Regression: the items of a transaction were all read before anything was charged.
#[test]
fn many_large_items_are_not_read_by_a_thread_that_serves_others() {
    const ITEMS: i64 = 30;
    let engine = engine_with(ITEMS);
    let is_there = || Condition::attribute_exists(Path::attribute("pk").unwrap());
    let check = |id| ConditionCheck::new("table", key(id), is_there()).into();
    let request = TransactWriteItems::new((0..ITEMS).map(check).collect());
    block_on(start_pending(&engine, || request.clone().into())).unwrap();
}

/// Regression: measuring the JSON was not charged, and control characters are long in JSON.
#[test]
fn the_json_of_many_large_items_is_not_counted_by_a_thread_that_serves_others() {
    const ITEMS: i64 = 7;
    let engine = engine_with(0);
    for id in 0..ITEMS {
        let mut item = key(id);
        item.insert("text", Value::from("\u{1}".repeat(390_000)));
        engine.put_item(PutItem::new("table", item)).unwrap();
    }
    let keys = KeysAndAttributes::new("table", (0..ITEMS).map(key).collect());
    let request = BatchGetItem::new(vec![keys]);
    let answer = block_on(start_pending(&engine, || request.clone().into())).unwrap();
    let Answer::BatchGetItem(answer) = answer else { panic!("{answer:?}") };
    assert_eq!(answer.responses.iter().map(|(_, items)| items.len()).sum::<usize>(), 7);
}

#[test]
fn what_nobody_waits_for_makes_room_for_others() {
    let engine = engine_with(0);
    let scan = endless_scan(&engine);
    let mut started = Vec::new();
    loop {
        let mut one = engine.start(Request::Scan(scan.clone()));
        match poll_once(&mut one) {
            Poll::Pending => started.push(one),
            Poll::Ready(refused) => {
                let error = refused.unwrap_err();
                assert_eq!(error.to_dynamo().kind(), ErrorKind::Throttling);
                break;
            }
        }
        assert!(started.len() < 1000, "there is no bound");
    }
    // All clients but one disconnect. Their jobs would have taken minutes each.
    let last = started.pop();
    drop(started);
    let deadline = Instant::now() + FOR_EVER;
    while poll_once(&mut engine.start(Request::Scan(scan.clone()))).is_ready() {
        assert!(Instant::now() < deadline, "what nobody waits for goes on");
        thread::sleep(Duration::from_millis(5));
    }
    drop(last);
}

#[test]
fn closing_ends_what_is_being_computed() {
    let engine = engine_with(1);
    let scan = endless_scan(&engine);
    let started: Vec<_> = (0..10)
        .map(|_| {
            let mut one = engine.start(Request::Scan(scan.clone()));
            assert!(poll_once(&mut one).is_pending());
            one
        })
        .collect();
    engine.close().unwrap();
    for one in started {
        assert!(matches!(block_on(one), Err(Error::Closed)));
    }
}

#[test]
fn closing_ends_a_read_that_blocks_its_thread() {
    let engine = engine_with(1);
    let scan = endless_scan(&engine);
    thread::scope(|scope| {
        let reader = scope.spawn(|| engine.scan(&scan));
        thread::sleep(Duration::from_millis(50));
        engine.close().unwrap();
        assert!(matches!(reader.join().unwrap(), Err(Error::Closed)));
    });
}

#[test]
fn of_two_heavy_writes_that_exclude_each_other_one_wins() {
    for _ in 0..5 {
        let engine = engine_with(1);
        let request = || {
            let mut request = update(0, "SET n = n + :one");
            let is_first = equals("n", 0);
            request.condition = Some(Condition::and(vec![heavy(true), is_first]).unwrap());
            Request::UpdateItem(request)
        };
        // Both are planned on the same item before either is committed.
        let all = [engine.start(request()), engine.start(request())];
        let polled = all.map(|mut one| (poll_once(&mut one), one));
        let outcomes = polled.map(|(polled, one)| match polled {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => block_on(one),
        });
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        for error in outcomes.into_iter().filter_map(Result::err) {
            assert_eq!(error.refusal().unwrap().kind(), ErrorKind::ConditionalCheckFailed);
        }
        assert_eq!(number(&engine, 0), 1);
    }
}

#[test]
fn heavy_increments_lose_nothing() {
    const THREADS: i64 = 4;
    const ROUNDS: i64 = 6;
    let engine = engine_with(1);
    let done: i64 = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let engine = &engine;
                scope.spawn(move || {
                    let mut done = 0;
                    for round in 0..ROUNDS {
                        let mut request = update(0, "SET n = n + :one");
                        // Some are small and interleave.
                        if (thread + round) % 2 == 0 {
                            request.condition = Some(heavy(true));
                        }
                        let outcome = match thread % 2 {
                            0 => engine.update_item(request).map(drop),
                            _ => block_on(engine.start(Request::UpdateItem(request))).map(drop),
                        };
                        match outcome {
                            Ok(()) => done += 1,
                            Err(Error::Overloaded) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                    done
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(number(&engine, 0), done);
    assert!(done >= THREADS * ROUNDS / 2);
}

#[test]
fn a_heavy_transaction_happens_whole_or_not_at_all() {
    let engine = engine_with(3);
    let transaction = |holds: bool| {
        let check = ConditionCheck::new("table", key(0), heavy(holds));
        let mut other = update(1, "SET n = n + :one");
        other.condition = Some(heavy(true));
        let last = update(2, "SET n = n + :one");
        let request = TransactWriteItems::new(vec![check.into(), other.into(), last.into()]);
        block_on(engine.start(Request::TransactWriteItems(request)))
    };
    let before = engine.statistics().group_sizes.sum();
    let error = transaction(false).unwrap_err();
    let refusal = error.refusal().unwrap();
    assert_eq!(refusal.kind(), ErrorKind::TransactionCanceled);
    assert!(
        refusal.message().contains("[ConditionalCheckFailed, None, None]"),
        "{}",
        refusal.message()
    );
    // It was rejected, so nothing was committed.
    assert_eq!(engine.statistics().group_sizes.sum(), before);
    assert_eq!([number(&engine, 1), number(&engine, 2)], [0, 0]);
    transaction(true).unwrap();
    assert_eq!([number(&engine, 1), number(&engine, 2)], [1, 1]);
}

/// Regression: five hundred items were indexed in one step, regardless of size, while all writers
/// waited.
#[test]
fn an_index_of_large_items_is_filled_in_small_steps() {
    const ITEMS: i64 = 24;
    let options = Options { background: false, ..Options::default() };
    let engine = Engine::memory_with(options).unwrap();
    create_tables(&engine);
    for id in 0..ITEMS {
        engine.put_item(PutItem::new("table", large(id))).unwrap();
    }
    let commits = || engine.statistics().group_sizes.buckets().last().map_or(0, |(_, all)| all);
    let before = commits();
    let body = br#"{"TableName":"table","AttributeDefinitions":[{"AttributeName":"n","AttributeType":"N"}],
        "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byN","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}}]}"#;
    engine.update_table(UpdateTable::from_json(body).unwrap()).unwrap();
    engine.wait_until_active("table").unwrap();
    let steps = commits() - before;
    assert!(steps > ITEMS as u64 * TEXT_LEN as u64 / (2 << 20), "{steps} steps");
    let mut scan = Scan::new("table");
    scan.index_name = Some("byN".to_owned());
    assert_eq!(engine.scan(&scan).unwrap().count, 4);
}
