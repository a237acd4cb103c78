//! BatchWriteItem.

use crate::commit::{Planner, Write};
use crate::engine::{Engine, answer};
use crate::error::{Result, Unfinished};
use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity};
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::operation::{
    BatchWriteItem, BatchWriteItemAnswer, MetricsByTable, WriteRequest,
};
use singlet_dynamo::stored::StoredItem;
use std::cell::OnceCell;

impl Engine {
    /// Puts and deletes items in one or several tables. All are written in one commit, although
    /// unlike a transaction the operation does not promise that.
    pub fn batch_write_item(&self, request: BatchWriteItem) -> Result<BatchWriteItemAnswer> {
        answer!(BatchWriteItem of self.write(Write::Batch(request.into())))
    }
}

/// A request with its sizes and stored items, computed once for all plans.
pub(crate) struct Batch {
    request: BatchWriteItem,
    sizes: OnceCell<Vec<usize>>,
    /// The stored form of each item; `None` for a deletion.
    encoded: OnceCell<Vec<Option<StoredItem>>>,
}

impl From<BatchWriteItem> for Batch {
    fn from(request: BatchWriteItem) -> Self {
        Self { request, sizes: OnceCell::new(), encoded: OnceCell::new() }
    }
}

impl Batch {
    /// The stored form of the items. `is_charged` if encoding all of them was charged before.
    fn encode(
        &self,
        is_charged: bool,
        fuel: &mut Fuel<'_>,
    ) -> Result<&[Option<StoredItem>], OutOfFuel> {
        if let Some(encoded) = self.encoded.get() {
            return Ok(encoded);
        }
        let mut encoded = Vec::new();
        for write in self.request.tables.iter().flat_map(|writes| &writes.requests) {
            let WriteRequest::Put(item) = write else {
                encoded.push(None);
                continue;
            };
            if !is_charged {
                fuel.spend(item.encoding_fuel(usize::MAX).unwrap_or(usize::MAX))?;
            }
            let item = StoredItem::from(item);
            fuel.keep(|| item.stored_bytes())?;
            encoded.push(Some(item));
        }
        Ok(self.encoded.get_or_init(|| encoded))
    }
}

impl Planner<'_, '_> {
    pub(crate) fn batch_write_item(
        &mut self,
        batch: &Batch,
    ) -> Result<BatchWriteItemAnswer, Unfinished> {
        let request = &batch.request;
        let is_charged = batch.encoded.get().is_some()
            || self.charge_encoding(|max| request.encoding_fuel(max))?;
        let sizes = batch.sizes.get_or_init(|| request.sizes());
        let catalogue = self.view.catalogue;
        let keys = request.check_by(sizes, |name| catalogue.schema(name))?;
        let mut capacity = CapacityByTable::new(request.return_consumed_capacity);
        let mut item_collection_metrics = MetricsByTable::default();
        if request.return_item_collection_metrics {
            for (writes, keys) in request.tables.iter().zip(&keys) {
                let table = self.table(&writes.table_name)?;
                for key in keys {
                    if let Some(metrics) = self.collection_metrics(table, key, true)? {
                        item_collection_metrics.add(&writes.table_name, metrics);
                    }
                }
            }
        }
        // Its keys are distinct.
        let mut places = Vec::new();
        for (writes, keys) in request.tables.iter().zip(&keys) {
            let table = self.table(&writes.table_name)?;
            for key in keys {
                places.push((writes.table_name.as_str(), table, self.place(table, key)?));
            }
        }
        let encoded = batch.encode(is_charged, self.fuel)?;
        for ((name, table, place), new) in places.into_iter().zip(encoded) {
            let measured = self.measure(table, &place, new.as_ref())?;
            capacity.add(|detail| {
                ConsumedCapacity::of_measured_write(&table.schema, detail, &measured).told_of(name)
            });
            self.replace(table, place, new.clone(), &measured, false);
        }
        Ok(BatchWriteItemAnswer {
            unprocessed_items: Vec::new(),
            item_collection_metrics,
            capacity,
        })
    }
}
