//! Putting and deleting many items.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use singlet_dynamo::capacity::CapacityByTable;
use singlet_dynamo::operation::{
    BatchWriteItem, BatchWriteItemAnswer, MetricsByTable, WriteRequest,
};
use singlet_dynamo::stored::StoredItem;

/// What each attribute that is put is charged: it is encoded, measured and copied.
const WRITTEN_FUEL: usize = 30;

impl Engine {
    /// Puts and deletes items in one or several tables. All of them are done, in one commit;
    /// unlike a transaction, this promises nothing about that.
    pub fn batch_write_item(&self, request: BatchWriteItem) -> Result<BatchWriteItemAnswer> {
        self.write_items(move |stage| stage.batch_write_item(&request))
    }
}

impl Stage<'_> {
    pub(crate) fn batch_write_item(
        &mut self,
        request: &BatchWriteItem,
    ) -> Result<BatchWriteItemAnswer, Unfinished> {
        let catalogue = self.catalogue.clone();
        let keys = request.check(|name| catalogue.schema(name))?;
        let mut capacity = CapacityByTable::new(request.return_consumed_capacity);
        let mut item_collection_metrics = MetricsByTable::default();
        if request.return_item_collection_metrics {
            for (writes, keys) in request.tables.iter().zip(&keys) {
                let table = self.table(&writes.table_name)?;
                for key in keys {
                    if let Some(metrics) = self.collection_metrics(&table, key, true)? {
                        item_collection_metrics.add(&writes.table_name, metrics);
                    }
                }
            }
        }
        // A large batch is encoded beside the stage. What is encoded depends on no stored item.
        let encoded = self.decide(std::iter::empty(), |fuel| {
            let writes = || request.tables.iter().flat_map(|writes| &writes.requests);
            let attributes = writes().map(|write| match write {
                WriteRequest::Put(item) => item.len(),
                WriteRequest::Delete(_) => 1,
            });
            fuel.spend(WRITTEN_FUEL * attributes.sum::<usize>())?;
            let encoded = writes().map(|write| match write {
                WriteRequest::Put(item) => Some(StoredItem::from(item)),
                WriteRequest::Delete(_) => None,
            });
            Ok(Ok(encoded.collect::<Vec<_>>()))
        })?;
        let mut encoded = encoded.into_iter();
        for (writes, keys) in request.tables.iter().zip(&keys) {
            let table = self.table(&writes.table_name)?;
            for (key, new) in keys.iter().zip(encoded.by_ref()) {
                let place = self.place(&table, key)?;
                capacity.add(|detail| {
                    place.cost_of(&table, detail, new.as_ref()).told_of(&writes.table_name)
                });
                self.replace(&table, place, new, false);
            }
        }
        Ok(BatchWriteItemAnswer {
            unprocessed_items: Vec::new(),
            item_collection_metrics,
            capacity,
        })
    }
}
