//! Batches and transactions.

use super::Tables;
use singlet_dynamo::Result;
use singlet_dynamo::arn::name_of_table;
use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity};
use singlet_dynamo::key::Key;
use singlet_dynamo::operation::{
    Answer, BatchGetItem, BatchWriteItem, BatchWriteItemAnswer, ItemCollectionMetrics,
    MetricsByTable, Outcome, TransactGetItems, TransactWriteItems, WriteRequest,
};
use singlet_dynamo::schema::{Scope, TableSchema};
use singlet_dynamo::stored::StoredItem;
use std::collections::BTreeMap;

impl Tables {
    fn schemas(&self) -> BTreeMap<String, TableSchema> {
        self.tables.iter().map(|(name, table)| (name.clone(), table.schema())).collect()
    }

    fn stored(&mut self, table_name: &str, key: &Key) -> Result<Option<StoredItem>> {
        Ok(self.table(table_name)?.get(key).cloned())
    }

    pub(super) fn batch_get_item(&mut self, request: BatchGetItem) -> Result<Answer> {
        let schemas = self.schemas();
        let keys = request.check(|name| schemas.get(name))?;
        let answer = request.answer(&keys, |asked, key| self.stored(&asked.table_name, key))?;
        Ok(answer.into())
    }

    pub(super) fn batch_write_item(&mut self, request: &BatchWriteItem) -> Result<Answer> {
        let schemas = self.schemas();
        let keys = request.check(|name| schemas.get(name))?;
        let mut answer = BatchWriteItemAnswer {
            capacity: CapacityByTable::new(request.return_consumed_capacity),
            ..BatchWriteItemAnswer::default()
        };
        for (writes, keys) in request.tables.iter().zip(keys) {
            let schema = &schemas[name_of_table(&writes.table_name)];
            for (write, key) in writes.requests.iter().zip(keys) {
                let mut table = self.table(&writes.table_name)?;
                let old = table.get(&key).cloned();
                match write {
                    WriteRequest::Put(item) => table.put(item),
                    WriteRequest::Delete(_) => table.remove(&key),
                }
                let (old, new) = (old.as_ref().map(StoredItem::as_item), table.get(&key));
                answer.capacity.add(|detail| {
                    ConsumedCapacity::of_write(schema, detail, old, new.map(StoredItem::as_item))
                        .told_of(&writes.table_name)
                });
                if request.return_item_collection_metrics {
                    let metrics = &mut answer.item_collection_metrics;
                    add_metrics(metrics, &writes.table_name, schema, &key);
                }
            }
        }
        Ok(answer.into())
    }

    pub(super) fn transact_get_items(&mut self, request: &TransactGetItems) -> Result<Answer> {
        let schemas = self.schemas();
        let keys = request.check(|name| schemas.get(name))?;
        let gets = request.gets.iter().zip(&keys);
        let stored = gets.map(|(get, key)| self.stored(&get.table_name, key));
        Ok(request.answer(stored.collect::<Result<_>>()?)?.into())
    }

    pub(super) fn transact_write_items(&mut self, request: &TransactWriteItems) -> Result<Answer> {
        let schemas = self.schemas();
        let keys = request.check(|name| schemas.get(name))?;
        let actions = request.actions.iter().zip(&keys);
        let stored: Vec<(&TableSchema, Option<StoredItem>)> = actions
            .clone()
            .map(|(action, key)| {
                let schema = &schemas[name_of_table(action.table_name())];
                Ok((schema, self.stored(action.table_name(), key)?))
            })
            .collect::<Result<_>>()?;
        let stored = || stored.iter().map(|(schema, old)| (*schema, old.as_ref()));
        let outcomes = request.decide(stored())?;
        let mut answer = request.answer(stored(), &outcomes);
        for ((action, key), outcome) in actions.zip(&outcomes) {
            let mut table = self.table(action.table_name())?;
            match outcome {
                Outcome::Put(item) => table.put(&item.as_item().to_item()),
                Outcome::Delete => table.remove(key),
                Outcome::Keep => continue,
            }
            if request.return_item_collection_metrics {
                let metrics = &mut answer.item_collection_metrics;
                add_metrics(metrics, action.table_name(), &table.schema, key);
            }
        }
        Ok(answer.into())
    }
}

fn add_metrics(metrics: &mut MetricsByTable, table_name: &str, schema: &TableSchema, key: &Key) {
    if schema.indexes.iter().any(|index| index.scope == Scope::Local) {
        metrics.add(table_name, ItemCollectionMetrics::of(&schema.key, key, 0));
    }
}
