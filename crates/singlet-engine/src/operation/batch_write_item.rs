//! Putting and deleting many items.

use crate::commit::Stage;
use crate::engine::Engine;
use crate::error::{Result, Unfinished};
use crate::lane::STAGE_FUEL;
use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity};
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::operation::{
    BatchWriteItem, BatchWriteItemAnswer, MetricsByTable, WriteRequest,
};
use singlet_dynamo::stored::StoredItem;
use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

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
    /// The items as they are to be stored, `None` for what is deleted, once somebody needed them.
    /// They do not depend on what is stored, so a decision that has to be made again does not encode
    /// them again.
    encoded: OnceCell<Vec<Option<StoredItem>>>,
}

impl WeighedBatch {
    pub(crate) fn new(request: BatchWriteItem) -> Self {
        let encoding_fuel = request.encoding_fuel(STAGE_FUEL as usize);
        Self { request, encoding_fuel, sizes: OnceLock::new(), encoded: OnceCell::new() }
    }

    pub(crate) fn is_heavy(&self) -> bool {
        self.encoding_fuel.is_none()
    }

    /// The sizes of the items. A large batch is measured by a dry run, beside the stage.
    fn sizes(&self) -> &[usize] {
        self.sizes.get_or_init(|| self.request.sizes())
    }

    /// The items as they are to be stored; `None` for what is deleted.
    fn encode(&self, fuel: &mut Fuel<'_>) -> Result<&[Option<StoredItem>], OutOfFuel> {
        if let Some(encoded) = self.encoded.get() {
            return Ok(encoded);
        }
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
        Ok(self.encoded.get_or_init(|| encoded))
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
        // All reading comes before all writing: a large batch leaves the stage before it has staged
        // anything. No two of its requests are for the same item.
        let mut places = Vec::new();
        for (writes, keys) in request.tables.iter().zip(&keys) {
            let table = self.table(&writes.table_name)?;
            for key in keys {
                places.push((Arc::clone(&table), self.place(&table, key)?));
            }
        }
        let decide = |fuel: &mut Fuel<'_>| {
            let encoded = batch.encode(fuel)?;
            let mut writes = Vec::with_capacity(encoded.len());
            for ((table, place), new) in places.iter().zip(encoded) {
                writes.push((new.clone(), place.measure(table, new.as_ref(), fuel)?));
            }
            Ok(Ok(writes))
        };
        let writes = self.decide(places.iter().map(|(table, place)| (table, place)), decide)?;
        let names = request.tables.iter().flat_map(|writes| {
            std::iter::repeat_n(writes.table_name.as_str(), writes.requests.len())
        });
        for (((table, place), (new, measured)), name) in places.into_iter().zip(writes).zip(names) {
            capacity.add(|detail| {
                ConsumedCapacity::of_measured_write(&table.schema, detail, &measured).told_of(name)
            });
            self.replace(&table, place, new, &measured, false);
        }
        Ok(BatchWriteItemAnswer {
            unprocessed_items: Vec::new(),
            item_collection_metrics,
            capacity,
        })
    }
}
