//! dynoxide-rs as a contender: a DynamoDB emulator on SQLite, used as a library.

use crate::contender::{Contender, Task};
use crate::sample::{self, TABLE};
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::get_item::GetItemRequest;
use dynoxide::actions::put_item::PutItemRequest;
use dynoxide::actions::query::QueryRequest;
use dynoxide::actions::transact_write_items::{
    TransactPut, TransactUpdate, TransactWriteItem, TransactWriteItemsRequest,
};
use dynoxide::actions::update_item::UpdateItemRequest;
use dynoxide::types::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use dynoxide::{AttributeValue, Database, ImportOptions};
use singlet_dynamo::{Item, Value};
use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;

/// Items per import, limited by memory.
const IMPORT: u64 = 10_000;
const INCREMENT: &str = "SET n = n + :one";

pub(crate) struct Dynoxide(Database);

pub(crate) enum Request {
    Get(GetItemRequest),
    Query(QueryRequest),
    Put(PutItemRequest),
    Update(UpdateItemRequest),
    Transact(TransactWriteItemsRequest),
}

impl Dynoxide {
    pub(crate) fn memory() -> Self {
        Self::with_table(Database::memory().expect("a database in memory"))
    }

    pub(crate) fn file(file: &Path) -> Self {
        let name = file.to_str().expect("the name of a file");
        Self::with_table(Database::new(name).expect("a database in a file"))
    }

    fn with_table(database: Database) -> Self {
        let (mut key_schema, mut attribute_definitions) = (Vec::new(), Vec::new());
        for (name, key_type) in [("PK", KeyType::HASH), ("SK", KeyType::RANGE)] {
            let attribute_name = name.to_owned();
            key_schema.push(KeySchemaElement { attribute_name: attribute_name.clone(), key_type });
            let attribute_type = ScalarAttributeType::S;
            attribute_definitions.push(AttributeDefinition { attribute_name, attribute_type });
        }
        database
            .create_table(CreateTableRequest {
                table_name: TABLE.to_owned(),
                key_schema,
                attribute_definitions,
                billing_mode: Some("PAY_PER_REQUEST".to_owned()),
                ..CreateTableRequest::default()
            })
            .expect("the table is new");
        Self(database)
    }
}

fn map(item: &Item) -> HashMap<String, AttributeValue> {
    item.iter().map(|(name, value)| (name.to_owned(), attribute(value))).collect()
}

fn attribute(value: &Value) -> AttributeValue {
    match value {
        Value::S(text) => AttributeValue::S(text.clone()),
        Value::N(number) => AttributeValue::N(number.to_string()),
        Value::Bool(flag) => AttributeValue::BOOL(*flag),
        Value::Ss(texts) => AttributeValue::SS(texts.iter().cloned().collect()),
        other => unreachable!("the sample has no {other:?}"),
    }
}

fn one() -> Option<HashMap<String, AttributeValue>> {
    Some(HashMap::from([(":one".to_owned(), AttributeValue::N("1".to_owned()))]))
}

impl Contender for Dynoxide {
    type Request = Request;

    fn fill(&self, items: u64) {
        let mut start = 0;
        while start < items {
            let end = items.min(start + IMPORT);
            let batch = (start..end).map(|number| map(&sample::item(number, 0))).collect();
            self.0.import_items(TABLE, batch, ImportOptions::default()).expect("an import");
            start = end;
        }
    }

    fn prepare(&self, task: Task, number: u64, version: u32) -> Request {
        let table_name = TABLE.to_owned();
        match task {
            Task::Get | Task::GetMap => Request::Get(GetItemRequest {
                table_name,
                key: map(&sample::key(number)),
                ..GetItemRequest::default()
            }),
            Task::Query | Task::QueryMaps => {
                let partition = attribute(&sample::partition(number));
                Request::Query(QueryRequest {
                    table_name,
                    key_condition_expression: Some("PK = :pk".to_owned()),
                    expression_attribute_values: Some(HashMap::from([(
                        ":pk".to_owned(),
                        partition,
                    )])),
                    scan_index_forward: true,
                    ..QueryRequest::default()
                })
            }
            Task::Put => Request::Put(PutItemRequest {
                table_name,
                item: map(&sample::item(number, version)),
                ..PutItemRequest::default()
            }),
            Task::Update => Request::Update(UpdateItemRequest {
                table_name,
                key: map(&sample::key(number)),
                update_expression: Some(INCREMENT.to_owned()),
                expression_attribute_values: one(),
                ..UpdateItemRequest::default()
            }),
            Task::Transact => {
                let put = TransactPut {
                    table_name: table_name.clone(),
                    item: map(&sample::item(number, version)),
                    ..TransactPut::default()
                };
                let update = TransactUpdate {
                    table_name,
                    key: map(&sample::key(number ^ 1)),
                    update_expression: INCREMENT.to_owned(),
                    expression_attribute_values: one(),
                    ..TransactUpdate::default()
                };
                Request::Transact(TransactWriteItemsRequest {
                    transact_items: vec![
                        TransactWriteItem { put: Some(put), ..TransactWriteItem::default() },
                        TransactWriteItem { update: Some(update), ..TransactWriteItem::default() },
                    ],
                    ..TransactWriteItemsRequest::default()
                })
            }
        }
    }

    fn carry_out(&self, request: Request) {
        let Self(database) = self;
        match request {
            Request::Get(request) => {
                let answer = database.get_item(request).expect("GetItem");
                assert!(black_box(answer).item.is_some(), "all items are there");
            }
            Request::Query(request) => {
                let answer = database.query(request).expect("Query");
                assert_eq!(black_box(answer).count, 10, "all items are there");
            }
            Request::Put(request) => drop(database.put_item(request).expect("PutItem")),
            Request::Update(request) => drop(database.update_item(request).expect("UpdateItem")),
            Request::Transact(request) => {
                drop(database.transact_write_items(request).expect("TransactWriteItems"));
            }
        }
    }
}
