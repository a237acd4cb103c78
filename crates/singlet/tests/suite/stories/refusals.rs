//! Invalid requests: every backend rejects them with the same message.
//!
//! The library sends few of these, but [`Db::execute`](singlet::Db::execute) and some methods can.
//! Regression: the embedded engine executed some of them; a scan of segment 4 of 4 returned no
//! items.

use crate::sample::{Blob, Blobs, Rating, Sample, Site, UserId};
use crate::{Fixture, TestResult};
use singlet::backend::BackendError;
use singlet::dynamo::expression::{
    Action, Comparator, Condition, KeyCondition, KeyTest, Operand, Path, Update,
};
use singlet::dynamo::operation::{
    BatchGetItem, BatchWriteItem, DeleteItem, DescribeTable, GetItem, KeysAndAttributes,
    ListTables, PutItem, Query, Request, Scan as ScanRequest, Segment, Selection, TableWrites,
    TransactGetItems, TransactWriteItems, UpdateItem, UpdateTimeToLive, WriteRequest,
};
use singlet::dynamo::{Item, Value};
use singlet::prelude::*;
use singlet_testing::{TestStore, on_every_backend};

on_every_backend! {
    every_invalid_request_is_refused,
    what_methods_can_get_wrong,
}

fn item(attributes: &[(&str, &str)]) -> Item {
    attributes.iter().map(|(name, text)| ((*name).to_owned(), Value::from(*text))).collect()
}

fn key(text: &str) -> Item {
    item(&[("PK", text), ("SK", text)])
}

/// A list nested this many levels deep.
fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::from("core"), |inner, _| Value::L(vec![inner]))
}

/// The invalid requests, by name.
fn requests(table: &str) -> Vec<(&'static str, Request)> {
    let partition = || KeyCondition::partition("PK", Value::from("P"));
    let query = |change: &dyn Fn(&mut Query)| {
        let mut query = Query::new(table, partition());
        change(&mut query);
        Request::from(query)
    };
    let scan = |change: &dyn Fn(&mut ScanRequest)| {
        let mut scan = ScanRequest::new(table);
        change(&mut scan);
        Request::from(scan)
    };
    let segment = |number, total| scan(&|scan| scan.segment = Some(Segment { number, total }));
    let put = |item: Item| Request::from(PutItem::new(table, item));
    let puts = |keys: &[&str]| {
        let puts = keys.iter().map(|text| PutItem::new(table, key(text)).into());
        TransactWriteItems::new(puts.collect())
    };
    let with_token = |token: &str| {
        let mut transaction = puts(&["a"]);
        transaction.client_request_token = Some(token.to_owned());
        Request::from(transaction)
    };
    let gets = |keys: Vec<Item>| {
        Request::from(BatchGetItem::new(vec![KeysAndAttributes::new(table, keys)]))
    };
    let writes = |keys: Vec<Item>| {
        let requests = keys.into_iter().map(WriteRequest::Delete).collect();
        let table_name = table.to_owned();
        Request::from(BatchWriteItem::new(vec![TableWrites { table_name, requests }]))
    };
    let keys = |count: usize| (0..count).map(|number| key(&number.to_string())).collect();
    let with = |name: &str, value: Value| {
        let mut item = key("P");
        item.insert(name, value);
        item
    };
    let equals = |name: &str| {
        let path = Operand::Path(Path::attribute(name).unwrap());
        Condition::compare(path, Comparator::Equal, Operand::Value(Value::from("x"))).unwrap()
    };
    let numbers: Vec<String> = (0..101).map(|number| number.to_string()).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let get = |text: &str| GetItem::new(table, key(text));
    vec![
        ("segment that there is not", segment(4, 4)),
        ("segment behind the last", segment(7, 4)),
        ("no segments", segment(0, 0)),
        ("too many segments", segment(0, 1_000_001)),
        ("segment out of bounds", segment(1_000_000, 1_000_000)),
        ("scan of nothing", scan(&|scan| scan.limit = Some(0))),
        ("query of nothing", query(&|query| query.limit = Some(0))),
        ("query of an unknown index", query(&|query| query.index_name = Some("nope".into()))),
        ("scan of an unknown index", scan(&|scan| scan.index_name = Some("nope".into()))),
        ("index name too short", query(&|query| query.index_name = Some("x".into()))),
        ("index name with a blank", scan(&|scan| scan.index_name = Some("a b c".into()))),
        (
            "consistent scan of a global index",
            scan(&|scan| {
                scan.index_name = Some("GSI1".into());
                scan.consistent_read = true;
            }),
        ),
        (
            "consistent query of a global index",
            query(&|query| {
                query.key_condition = KeyCondition::partition("GSI1PK", Value::from("x"));
                query.index_name = Some("GSI1".into());
                query.consistent_read = true;
            }),
        ),
        (
            "all attributes of an index that does not hold them",
            query(&|query| {
                query.key_condition = KeyCondition::partition("live", Value::from("x"));
                query.index_name = Some("live-index".into());
                query.selection = Selection::All;
            }),
        ),
        (
            "query without the partition key",
            query(&|query| query.key_condition = KeyCondition::partition("SK", Value::from("x"))),
        ),
        (
            "query with a partition key of another type",
            query(&|query| query.key_condition = KeyCondition::partition("PK", Value::from(1))),
        ),
        (
            "query with an empty partition key",
            query(&|query| query.key_condition = KeyCondition::partition("PK", Value::from(""))),
        ),
        (
            "query with a beginning of another type",
            query(&|query| {
                let test = KeyTest::Compare(Comparator::Less, Value::from(1));
                query.key_condition = partition().and("SK", test).unwrap();
            }),
        ),
        ("filter on a key", query(&|query| query.filter = Some(equals("PK")))),
        (
            "start key with too little",
            query(&|q| q.exclusive_start_key = Some(item(&[("PK", "P")]))),
        ),
        ("start key of another partition", query(&|q| q.exclusive_start_key = Some(key("Q")))),
        (
            "start key of another segment",
            scan(&|scan| scan.exclusive_start_key = Some(item(&[("PK", "P"), ("other", "x")]))),
        ),
        ("key with too little", GetItem::new(table, item(&[("PK", "P")])).into()),
        ("key of another type", GetItem::new(table, with("SK", Value::from(1))).into()),
        ("key that is empty", GetItem::new(table, item(&[("PK", ""), ("SK", "x")])).into()),
        ("key with too much", DeleteItem::new(table, with("more", Value::from(1))).into()),
        ("key that is too long", GetItem::new(table, key(&"x".repeat(2049))).into()),
        ("item without its key", put(item(&[("PK", "P")]))),
        ("item with a key of another type", put(with("SK", Value::from(1)))),
        ("item with an index key of another type", put(with("GSI1PK", Value::from(1)))),
        ("item with an empty index key", put(with("GSI1PK", Value::from("")))),
        ("item that is too large", put(with("text", Value::from("x".repeat(400 * 1024))))),
        ("item that is nested too deep", put(with("list", nested(33)))),
        (
            "item of a batch that is nested too deep",
            BatchWriteItem::new(vec![TableWrites {
                table_name: table.to_owned(),
                requests: vec![WriteRequest::Put(with("list", nested(33)))],
            }])
            .into(),
        ),
        (
            "item of a transaction that is nested too deep",
            TransactWriteItems::new(vec![PutItem::new(table, with("list", nested(33))).into()])
                .into(),
        ),
        ("update of a key", {
            let mut update = UpdateItem::new(table, key("P"));
            let path = Path::attribute("SK").unwrap();
            let action = Action::Set(path, Value::from("x").into());
            update.update = Some(Update::new(vec![action]).unwrap());
            update.into()
        }),
        ("batch of no keys", gets(vec![])),
        ("batch of too many keys", gets(keys(101))),
        ("batch of one key twice", gets(vec![key("a"), key("b"), key("a")])),
        ("batch of no writes", writes(vec![])),
        ("batch of too many writes", writes(keys(26))),
        ("batch of two writes to one key", writes(vec![key("a"), key("a")])),
        ("transaction of nothing", TransactWriteItems::new(vec![]).into()),
        ("transaction of too much", puts(&numbers).into()),
        ("transaction with two writes of one item", puts(&["a", "b", "a"]).into()),
        ("transaction without a token's text", with_token("")),
        ("transaction with a long token", with_token(&"t".repeat(37))),
        (
            "transaction with a name of no table",
            TransactWriteItems::new(vec![
                PutItem::new(table, key("a")).into(),
                DeleteItem::new("a b", key("b")).into(),
            ])
            .into(),
        ),
        ("reads of nothing", TransactGetItems::new(vec![]).into()),
        (
            "reads of too much",
            TransactGetItems::new(numbers.iter().map(|text| get(text)).collect()).into(),
        ),
        ("reads of one item twice", TransactGetItems::new(vec![get("a"), get("a")]).into()),
        (
            "reads in a name of no table",
            TransactGetItems::new(vec![GetItem::new("x", key("a"))]).into(),
        ),
        ("get from a name that is too short", GetItem::new("x", key("a")).into()),
        ("get from a name with a blank", GetItem::new("a table", key("a")).into()),
        ("get from a name that is too long", GetItem::new("x".repeat(256), key("a")).into()),
        ("get from a name that is longer", GetItem::new("x".repeat(1025), key("a")).into()),
        ("put to a name with a letter", PutItem::new("größe", key("a")).into()),
        ("delete from a name that is too short", DeleteItem::new("ab", key("a")).into()),
        ("update in a name that is too short", UpdateItem::new("ab", key("a")).into()),
        ("scan of a name that is too short", ScanRequest::new("ab").into()),
        ("query of a name that is too short", Query::new("ab", partition()).into()),
        ("get from a table that there is not", GetItem::new("no-such-table", key("a")).into()),
        (
            "description of a name that is too short",
            DescribeTable { table_name: "ab".into() }.into(),
        ),
        ("tables, none of them", ListTables { limit: Some(0), ..ListTables::default() }.into()),
        (
            "tables, too many of them",
            ListTables { limit: Some(101), ..ListTables::default() }.into(),
        ),
        (
            "tables behind a name of none",
            ListTables { exclusive_start_table_name: Some("a b".into()), limit: None }.into(),
        ),
        (
            "time to live without a name",
            UpdateTimeToLive {
                table_name: table.to_owned(),
                attribute_name: String::new(),
                enabled: true,
            }
            .into(),
        ),
    ]
}

/// The errors of this project's endpoint, which conformance cases check against DynamoDB.
const EXPECTED: &str = include_str!("refusals.txt");

async fn every_invalid_request_is_refused(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    let table = db.table_name::<Sample>().to_owned();
    let mut told = String::new();
    for (name, request) in requests(&table) {
        let outcome = db.execute(request).await;
        let (kind, message) = match &outcome {
            Err(BackendError::Refused(error)) => (error.kind().name(), error.message()),
            Err(error) => panic!("{name}: {error}"),
            Ok(_) => ("accepted", ""),
        };
        let message = message.replace(&table, "TABLE");
        let message: String = message.chars().take(300).collect();
        told += &format!("{name}\n    {kind}\n    {message}\n");
    }
    let is_embedded = fixture.store.engine().is_some();
    if std::env::var_os("UPDATE_EXPECT").is_some() && !is_embedded {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/stories/refusals.txt");
        std::fs::write(path, &told)?;
    } else if fixture.store.is_dynamodb_local {
        // DynamoDB Local words some errors differently; it only has to reject the request.
        let lines: Vec<&str> = told.lines().collect();
        let accepted = lines.array_windows().filter(|[_, kind]| *kind == "    accepted");
        for [name, _] in accepted {
            assert_eq!(*name, "transaction without a token's text", "{told}");
        }
    } else {
        for (told, expected) in told.lines().zip(EXPECTED.lines()) {
            assert_eq!(told, expected);
        }
        assert_eq!(told, EXPECTED);
    }
    Ok(())
}

/// Invalid requests that methods of the library can send.
async fn what_methods_can_get_wrong(store: TestStore) -> TestResult {
    let fixture = &Fixture::new(store).await;
    let db = &fixture.db;
    for (number, total) in [(4, 4), (5, 4), (0, 0), (1, 2_000_000)] {
        let outcome = db.scan(Scan::<Blob>::table().segment(number, total)).all().await;
        assert!(super::is_invalid(&outcome), "{number} of {total}: {outcome:?}");
        let outcome = db.scan(Scan::<Site>::table().segment(number, total)).count().await;
        assert!(super::is_invalid(&outcome), "{number} of {total}: {outcome:?}");
    }
    assert_eq!(db.table_name::<Blobs>(), format!("{}-blobs", fixture.settings.environment));
    // A limit of zero sends no request.
    assert_eq!(db.scan(Scan::<Rating>::table().limit(0)).all().await?, []);
    // A page with limit zero does not end the query either.
    db.run(put(&super::rating("page-of-none", "s", 1))).await?;
    let ratings = || Rating::of(super::id::<UserId>("page-of-none"));
    let page = db.query(ratings().limit(0)).page(None).await?;
    assert_eq!(page.items, []);
    let page = db.query(ratings().limit(0)).page(page.next).await?;
    let page = db.query(ratings().limit(2)).page(page.next).await?;
    assert_eq!((page.items.len(), page.next), (1, None));
    Ok(())
}
