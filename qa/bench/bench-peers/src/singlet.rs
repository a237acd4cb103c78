//! Singlet's engine as a contender.

use crate::contender::{Contender, Task};
use crate::sample::{self, TABLE};
use singlet_dynamo::Value;
use singlet_dynamo::expression::{Action, KeyCondition, Path, SetOperand, SetValue, Update};
use singlet_dynamo::operation::{
    BatchWriteItem, CreateTable, GetItem, PutItem, Query, TableWrites, TransactWriteItems,
    UpdateItem, WriteRequest,
};
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
use singlet_engine::{Engine, Options};
use std::hint::black_box;
use std::path::Path as Folder;

/// Items per BatchWriteItem.
const BATCH: u64 = 25;

pub(crate) struct Singlet(pub(crate) Engine);

pub(crate) enum Request {
    Get(GetItem),
    GetMap(GetItem),
    Query(Query),
    QueryMaps(Query),
    Put(PutItem),
    Update(UpdateItem),
    Transact(TransactWriteItems),
}

impl Singlet {
    pub(crate) fn memory() -> Self {
        Self::with_table(Engine::memory().expect("an engine in memory"))
    }

    pub(crate) fn folder(folder: &Folder, options: Options) -> Self {
        Self::with_table(Engine::open(folder, options).expect("an engine in a folder"))
    }

    fn with_table(engine: Engine) -> Self {
        let key = KeySchema::simple(
            KeyAttribute::new("PK", KeyType::S),
            Some(KeyAttribute::new("SK", KeyType::S)),
        );
        let schema = TableSchema { name: TABLE.into(), key, indexes: vec![] };
        engine.create_table(CreateTable::new(schema)).expect("the table is new");
        engine.wait_until_active(TABLE).expect("the table becomes active");
        Self(engine)
    }

    pub(crate) fn put_all(&self, numbers: std::ops::Range<u64>) {
        let mut start = numbers.start;
        while start < numbers.end {
            let end = numbers.end.min(start + BATCH);
            let requests =
                (start..end).map(|number| WriteRequest::Put(sample::item(number, 0))).collect();
            let writes = TableWrites { table_name: TABLE.into(), requests };
            self.0.batch_write_item(BatchWriteItem::new(vec![writes])).expect("a batch");
            start = end;
        }
    }
}

fn update(number: u64) -> UpdateItem {
    let path = || Path::attribute("n").expect("a path");
    let sum = SetValue::sum(SetOperand::Path(path()), SetOperand::Value(Value::from(1)));
    let set = Action::Set(path(), sum.expect("a number"));
    let mut request = UpdateItem::new(TABLE, sample::key(number));
    request.update = Some(Update::new(vec![set]).expect("an update"));
    request
}

impl Contender for Singlet {
    type Request = Request;

    fn fill(&self, items: u64) {
        self.put_all(0..items);
    }

    fn prepare(&self, task: Task, number: u64, version: u32) -> Request {
        let get = || GetItem::new(TABLE, sample::key(number));
        let query = || Query::new(TABLE, KeyCondition::partition("PK", sample::partition(number)));
        let put = |number| PutItem::new(TABLE, sample::item(number, version));
        match task {
            Task::Get => Request::Get(get()),
            Task::GetMap => Request::GetMap(get()),
            Task::Query => Request::Query(query()),
            Task::QueryMaps => Request::QueryMaps(query()),
            Task::Put => Request::Put(put(number)),
            Task::Update => Request::Update(update(number)),
            Task::Transact => Request::Transact(TransactWriteItems::new(vec![
                put(number).into(),
                update(number ^ 1).into(),
            ])),
        }
    }

    fn carry_out(&self, request: Request) {
        let Self(engine) = self;
        match request {
            Request::Get(request) => {
                let answer = engine.get_item(&request).expect("GetItem");
                assert!(black_box(answer).item.is_some(), "all items are there");
            }
            Request::GetMap(request) => {
                let answer = engine.get_item(&request).expect("GetItem");
                black_box(answer.item.expect("all items are there").to_item());
            }
            Request::Query(request) => {
                let answer = engine.query(&request).expect("Query");
                assert_eq!(black_box(answer).count, 10, "all items are there");
            }
            Request::QueryMaps(request) => {
                let answer = engine.query(&request).expect("Query");
                for item in answer.items.unwrap_or_default() {
                    black_box(item.to_item());
                }
            }
            Request::Put(request) => drop(engine.put_item(request).expect("PutItem")),
            Request::Update(request) => drop(engine.update_item(request).expect("UpdateItem")),
            Request::Transact(request) => {
                drop(engine.transact_write_items(request).expect("TransactWriteItems"));
            }
        }
    }
}
