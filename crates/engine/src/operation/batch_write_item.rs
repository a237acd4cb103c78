//! Putting and deleting many items.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::lane::STAGE_FUEL;
use crate::layout;
use singlet_dynamo::capacity::CapacityByTable;
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::operation::{
    BatchWriteItem, BatchWriteItemAnswer, MetricsByTable, WriteRequest,
};
use singlet_dynamo::stored::StoredItem;
use std::sync::OnceLock;

impl Engine {
    /// Puts and deletes items in one or several tables. All of them are done, in one commit;
    /// unlike a transaction, this promises nothing about that.
    pub fn batch_write_item(&self, request: BatchWriteItem) -> Result<BatchWriteItemAnswer> {
        let batch = WeighedBatch::new(request);
        self.write_items(batch.is_heavy(), move |stage| stage.batch_write_item(&batch))
    }
}

/// A request, and what is computed of it only once: all that is in the items is looked at for it.
pub(crate) struct WeighedBatch {
    request: BatchWriteItem,
    /// What encoding the items takes; `None` if it is more than the stage gives.
    encoding_fuel: Option<usize>,
    sizes: OnceLock<Vec<usize>>,
}

impl WeighedBatch {
    pub(crate) fn new(request: BatchWriteItem) -> Self {
        let encoding_fuel = request.encoding_fuel(STAGE_FUEL as usize);
        Self { request, encoding_fuel, sizes: OnceLock::new() }
    }

    pub(crate) fn is_heavy(&self) -> bool {
        self.encoding_fuel.is_none()
    }

    /// The sizes of the items. A large batch is measured by a dry run, beside the stage.
    fn sizes(&self) -> &[usize] {
        self.sizes.get_or_init(|| self.request.sizes())
    }

    /// The items as they are to be stored; `None` for what is deleted.
    fn encode(&self, fuel: &mut Fuel<'_>) -> Result<Vec<Option<StoredItem>>, OutOfFuel> {
        if let Some(units) = self.encoding_fuel {
            fuel.spend(units)?;
        }
        let mut encoded = Vec::new();
        for write in self.request.tables.iter().flat_map(|writes| &writes.requests) {
            let WriteRequest::Put(item) = write else {
                encoded.push(None);
                continue;
            };
            if self.is_heavy() {
                fuel.spend(item.encoding_fuel(usize::MAX).unwrap_or(usize::MAX))?;
            }
            let item = StoredItem::from(item);
            fuel.keep(|| item.stored_bytes())?;
            encoded.push(Some(item));
        }
        Ok(encoded)
    }
}

impl Stage<'_> {
    pub(crate) fn batch_write_item(
        &mut self,
        batch: &WeighedBatch,
    ) -> Result<BatchWriteItemAnswer, Unfinished> {
        let request = &batch.request;
        let catalogue = self.catalogue.clone();
        let keys = request.check_by(batch.sizes(), |name| catalogue.schema(name))?;
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
        let encoded = self.decide(std::iter::empty(), |fuel| Ok(Ok(batch.encode(fuel)?)))?;
        let mut encoded = encoded.into_iter();
        for (writes, keys) in request.tables.iter().zip(&keys) {
            let table = self.table(&writes.table_name)?;
            for (key, new) in keys.iter().zip(encoded.by_ref()) {
                // Not charged: some of the batch may be staged already.
                let place = self.place_of(&table, layout::item_key(table.id, key))?;
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
