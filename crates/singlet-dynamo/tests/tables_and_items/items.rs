//! The operations on items.

use super::{Table, Tables};
use singlet_dynamo::capacity::{ConsumedCapacity, ReturnConsumedCapacity, read_units};
use singlet_dynamo::key::Key;
use singlet_dynamo::operation::{
    Answer, DeleteItem, GetItem, GetItemAnswer, ItemCollectionMetrics, Page, PutItem, Query, Scan,
    StartKey, UpdateItem, WriteAnswer,
};
use singlet_dynamo::schema::{Index, KeySchema, Scope, TableSchema};
use singlet_dynamo::stored::{Attributes, StoredItem};
use singlet_dynamo::{Item, Result};

impl Table<'_> {
    pub(super) fn get(&self, key: &Key) -> Option<&StoredItem> {
        self.items.iter().find(|item| key_of(&self.schema.key, item).as_ref() == Some(key))
    }

    pub(super) fn put(&mut self, item: &Item) {
        let key = self.schema.key.key_of_item(item).unwrap();
        self.remove(&key);
        self.items.push(StoredItem::from(item));
    }

    pub(super) fn remove(&mut self, key: &Key) {
        let Self { schema, items } = self;
        items.retain(|item| key_of(&schema.key, item).as_ref() != Some(key));
    }

    /// The rows of the table or of an index, with their items, in key order.
    fn rows(&self, index: Option<&Index>) -> Vec<(StoredItem, StoredItem)> {
        let key = index.map_or(&self.schema.key, |index| &index.key);
        let in_index = self.items.iter().filter(|item| key_of(key, item).is_some());
        let mut rows: Vec<_> = in_index
            .map(|item| {
                let mut row = item.as_item().to_item();
                row.retain(|name, _| index.is_none_or(|index| index.holds(&self.schema.key, name)));
                (StoredItem::from(&row), item.clone())
            })
            .collect();
        rows.sort_by_key(|(row, _)| place(key, &self.schema, row));
        rows
    }

    /// Fills a page with the matching rows after the start.
    fn fill<'r>(
        &self,
        mut page: Page<'r>,
        index: Option<&Index>,
        rows: impl Iterator<Item = (StoredItem, StoredItem)>,
        completes_rows: bool,
    ) -> Answer {
        for (row, item) in rows {
            if page.is_full() {
                break;
            }
            page.add(&row, completes_rows.then_some(&item));
        }
        page.finish(&self.schema, index).into()
    }
}

fn key_of(schema: &KeySchema, item: &StoredItem) -> Option<Key> {
    schema.key_within(&item.as_item().to_item()).ok()
}

fn push_key(key: &Key, out: &mut Vec<u8>) {
    out.extend_from_slice(key.as_bytes());
}

/// A row's position: the key of the index or table read, then the table's.
fn place(key: &KeySchema, schema: &TableSchema, row: &StoredItem) -> Vec<u8> {
    let mut out = Vec::new();
    push_key(&key_of(key, row).unwrap(), &mut out);
    push_key(&key_of(&schema.key, row).unwrap(), &mut out);
    out
}

fn place_of_start(start: &StartKey) -> Vec<u8> {
    let mut out = Vec::new();
    push_key(start.index.as_ref().unwrap_or(&start.table), &mut out);
    push_key(&start.table, &mut out);
    out
}

/// The other results that a write requested: consumed capacity and metrics.
struct Told<'r> {
    table_name: &'r str,
    capacity: ReturnConsumedCapacity,
    metrics: bool,
}

fn write_answer(
    schema: &TableSchema,
    key: &Key,
    attributes: Option<Attributes>,
    old: Option<&StoredItem>,
    new: Option<&StoredItem>,
    told: &Told<'_>,
) -> Answer {
    let has_collections = schema.indexes.iter().any(|index| index.scope == Scope::Local);
    WriteAnswer {
        attributes,
        consumed_capacity: (told.capacity != ReturnConsumedCapacity::None).then(|| {
            let (old, new) = (old.map(StoredItem::as_item), new.map(StoredItem::as_item));
            ConsumedCapacity::of_write(schema, told.capacity, old, new).told_of(told.table_name)
        }),
        item_collection_metrics: (told.metrics && has_collections)
            .then(|| ItemCollectionMetrics::of(&schema.key, key, 0)),
    }
    .into()
}

impl Tables {
    pub(super) fn get_item(&mut self, request: &GetItem) -> Result<Answer> {
        let table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let found = table.get(&key);
        let size = found.map_or(0, |item| item.as_item().size());
        let detail = request.return_consumed_capacity;
        let answer = GetItemAnswer {
            item: found.map(|item| request.select(item.clone())),
            consumed_capacity: (detail != ReturnConsumedCapacity::None).then(|| {
                let units = read_units(size, request.consistency());
                ConsumedCapacity::new(request.table_name.as_str(), detail, units)
            }),
        };
        Ok(answer.into())
    }

    pub(super) fn put_item(&mut self, request: &PutItem) -> Result<Answer> {
        let mut table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let old = table.get(&key).cloned();
        let attributes = request.decide(old.as_ref())?;
        table.put(&request.item);
        let told = Told {
            table_name: &request.table_name,
            capacity: request.return_consumed_capacity,
            metrics: request.return_item_collection_metrics,
        };
        Ok(write_answer(&table.schema, &key, attributes, old.as_ref(), table.get(&key), &told))
    }

    pub(super) fn delete_item(&mut self, request: &DeleteItem) -> Result<Answer> {
        let mut table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let old = table.get(&key).cloned();
        let attributes = request.decide(old.as_ref())?;
        table.remove(&key);
        let told = Told {
            table_name: &request.table_name,
            capacity: request.return_consumed_capacity,
            metrics: request.return_item_collection_metrics,
        };
        Ok(write_answer(&table.schema, &key, attributes, old.as_ref(), None, &told))
    }

    pub(super) fn update_item(&mut self, request: &UpdateItem) -> Result<Answer> {
        let mut table = self.table(&request.table_name)?;
        let key = request.check(&table.schema)?;
        let old = table.get(&key).cloned();
        let updated = request.decide(old.as_ref(), &table.schema)?;
        if let Some(item) = &updated.item {
            table.put(&item.as_item().to_item());
        }
        let told = Told {
            table_name: &request.table_name,
            capacity: request.return_consumed_capacity,
            metrics: request.return_item_collection_metrics,
        };
        let new = table.get(&key);
        Ok(write_answer(&table.schema, &key, updated.attributes, old.as_ref(), new, &told))
    }

    pub(super) fn query(&mut self, request: &Query) -> Result<Answer> {
        let table = self.table(&request.table_name)?;
        let plan = request.check(&table.schema)?;
        let key = plan.index.map_or(&table.schema.key, |index| &index.key);
        let start = plan.start.as_ref().map(place_of_start);
        let wanted = |(row, _): &(StoredItem, StoredItem)| {
            let own = key_of(key, row).unwrap();
            let place = place(key, &table.schema, row);
            plan.range.contains(&own)
                && start.as_ref().is_none_or(|start| match request.scan_index_forward {
                    true => place > *start,
                    false => place < *start,
                })
        };
        let mut rows: Vec<_> = table.rows(plan.index).into_iter().filter(wanted).collect();
        if !request.scan_index_forward {
            rows.reverse();
        }
        Ok(table.fill(request.page(), plan.index, rows.into_iter(), plan.completes_rows))
    }

    pub(super) fn scan(&mut self, request: &Scan) -> Result<Answer> {
        let table = self.table(&request.table_name)?;
        let plan = request.check(&table.schema)?;
        let key = plan.index.map_or(&table.schema.key, |index| &index.key);
        let start = plan.start.as_ref().map(place_of_start);
        let rows = table.rows(plan.index).into_iter().filter(|(row, _)| {
            start.as_ref().is_none_or(|start| place(key, &table.schema, row) > *start)
        });
        Ok(table.fill(request.page(), plan.index, rows, plan.completes_rows))
    }
}
