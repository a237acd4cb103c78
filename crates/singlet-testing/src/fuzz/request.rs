//! The target `request`: every operation's request, up to the access to a store.

use crate::cases;
use singlet_dynamo::error::MESSAGE_SIZE_MAX;
use singlet_dynamo::json::{Reader, Writer};
use singlet_dynamo::operation::{CreateTable, Request};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Error, Item};

/// A table with a local and a global index.
const TABLE: &str = r#"{"TableName":"Indexed","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
        {"AttributeName":"n","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
    "GlobalSecondaryIndexes":[{"IndexName":"byAll","KeySchema":[{"AttributeName":"n","KeyType":"HASH"}],
        "Projection":{"ProjectionType":"ALL"}}],
    "LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
        {"AttributeName":"n","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}]}"#;

/// The stored item.
const OLD: &str =
    r#"{"pk":{"S":"a"},"sk":{"S":"b"},"n":{"N":"1"},"m":{"M":{"l":{"L":[{"N":"2"}]}}}}"#;

/// Parses a request, `PutItem {…}`, checks it against a table, and decides writes of items.
pub fn request(input: &[u8]) {
    let space = input.iter().position(|&byte| byte == b' ').unwrap_or(input.len());
    let (operation, body) = input.split_at(space);
    let operation = String::from_utf8_lossy(operation);
    let outcome = Request::from_json(&operation, body.trim_ascii_start()).and_then(|request| {
        assert_eq!(request.operation(), operation);
        check(&request)
    });
    if let Err(error) = outcome {
        assert!(error.message().len() <= MESSAGE_SIZE_MAX, "an error is short: {error}");
        let mut writer = Writer::new();
        error.write_json(&mut writer);
        let written = writer.into_bytes();
        let read = Reader::new(&written).and_then(|mut reader| reader.skip());
        assert!(read.is_ok(), "an error is written as JSON: {error}");
    }
}

fn check(request: &Request) -> Result<(), Error> {
    let schema = CreateTable::from_json(TABLE.as_bytes()).expect("a table").schema;
    let old = StoredItem::from(&Item::from_json(OLD.as_bytes()).expect("an item"));
    match request {
        Request::GetItem(get) => get.check(&schema).map(drop),
        Request::Query(query) => query.check(&schema).map(drop),
        Request::Scan(scan) => scan.check(&schema).map(drop),
        Request::PutItem(put) => {
            put.check(&schema)?;
            put.decide(None).and(put.decide(Some(&old))).map(drop)
        }
        Request::DeleteItem(delete) => {
            delete.check(&schema)?;
            delete.decide(None).and(delete.decide(Some(&old))).map(drop)
        }
        Request::UpdateItem(update) => {
            update.check(&schema)?;
            update.decide(None, &schema).and(update.decide(Some(&old), &schema)).map(drop)
        }
        Request::BatchGetItem(batch) => batch.check(|_| Some(&schema)).map(drop),
        Request::BatchWriteItem(batch) => batch.check(|_| Some(&schema)).map(drop),
        Request::TransactGetItems(transaction) => {
            transaction.check(|_| Some(&schema))?;
            transaction.answer(vec![Some(old); transaction.gets.len()]).map(drop)
        }
        Request::TransactWriteItems(transaction) => {
            transaction.check(|_| Some(&schema))?;
            let stored = |old| vec![(&schema, old); transaction.actions.len()];
            let _ = transaction.decide(stored(None))?;
            transaction.decide(stored(Some(&old))).map(drop)
        }
        // Parsing has checked all other requests.
        _ => Ok(()),
    }
}

/// The requests of all cases, with their preceding requests.
pub(super) fn requests() -> Vec<Vec<u8>> {
    let cases = cases::load().expect("the case files can be read");
    let all = cases.into_iter().flat_map(|case| case.after.into_iter().chain([case.request]));
    let lines = all.map(|request| format!("{} {}", request.operation, request.body).into_bytes());
    // Long requests that test a limit are a hundred times slower than others.
    lines.filter(|line| line.len() < 10_000).collect()
}
