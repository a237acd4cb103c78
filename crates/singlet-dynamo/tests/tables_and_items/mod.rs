//! A few tables with a few items, and the effects of requests on them.

mod batches;
mod items;
mod tables;

use serde_json::Value;
use singlet_dynamo::arn::{Home, name_of_table};
use singlet_dynamo::operation::Request;
use singlet_dynamo::schema::TableSchema;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::table::TableDescription;
use singlet_dynamo::{Error, ErrorKind, Item, Result, Timestamp};
use singlet_testing::cases;
use std::collections::BTreeMap;

/// 2026-01-01T00:00:00.000, the time of all requests.
const NOW: Timestamp = Timestamp::from_millis(1_767_225_600_000);

pub(crate) struct Tables {
    home: Home,
    tables: BTreeMap<String, TableDescription>,
    items: BTreeMap<String, Vec<StoredItem>>,
}

impl Tables {
    /// The tables used by the cases, all empty.
    pub(crate) fn new() -> Self {
        let home = Home { region: "us-east-1".into(), account: "123456789012".into() };
        let mut tables = Self { home, tables: BTreeMap::new(), items: BTreeMap::new() };
        let requests: Vec<Value> = serde_json::from_str(&cases::tables().unwrap()).unwrap();
        for request in requests {
            tables.done("CreateTable", &request.to_string());
        }
        tables
    }

    /// Stores an item in the table of this name.
    pub(crate) fn store(&mut self, table: &str, item: &str) {
        let item = Item::from_json(item.as_bytes()).unwrap();
        self.table(table).unwrap().put(&item);
    }

    /// Executes a request, which must succeed.
    pub(crate) fn done(&mut self, operation: &str, body: &str) {
        let answered = self.carry_out(operation, body);
        answered.unwrap_or_else(|error| panic!("{operation} {body}: {error}"));
        for table in self.tables.values_mut() {
            table.activate(NOW);
        }
    }

    /// The response to a request.
    pub(crate) fn carry_out(
        &mut self,
        operation: &str,
        body: &str,
    ) -> Result<singlet_dynamo::operation::Answer> {
        match Request::from_json(operation, body.as_bytes())? {
            Request::GetItem(request) => self.get_item(&request),
            Request::PutItem(request) => self.put_item(&request),
            Request::UpdateItem(request) => self.update_item(&request),
            Request::DeleteItem(request) => self.delete_item(&request),
            Request::Query(request) => self.query(&request),
            Request::Scan(request) => self.scan(&request),
            Request::BatchGetItem(request) => self.batch_get_item(request),
            Request::BatchWriteItem(request) => self.batch_write_item(&request),
            Request::TransactGetItems(request) => self.transact_get_items(&request),
            Request::TransactWriteItems(request) => self.transact_write_items(&request),
            about_tables => self.tables(about_tables),
        }
    }

    /// The schema and the items of a table, for operations on items.
    fn table(&mut self, name_or_arn: &str) -> Result<Table<'_>> {
        let name = name_of_table(name_or_arn);
        let description = self.tables.get(name);
        let schema = description.ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))?.schema();
        Ok(Table { schema, items: self.items.entry(name.to_owned()).or_default() })
    }
}

struct Table<'w> {
    schema: TableSchema,
    items: &'w mut Vec<StoredItem>,
}
