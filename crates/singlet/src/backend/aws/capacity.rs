//! What requests cost.

use super::value;
use crate::backend::BackendError;
use aws_sdk_dynamodb::types;
use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
use singlet_dynamo::operation::ItemCollectionMetrics;
use singlet_dynamo::schema::Scope;
use std::collections::HashMap;

const GB: u64 = 1024 * 1024 * 1024;

/// How much of its cost the answer is to tell; nothing, unless it was asked for.
pub(super) fn detail(detail: ReturnConsumedCapacity) -> Option<types::ReturnConsumedCapacity> {
    match detail {
        ReturnConsumedCapacity::None => None,
        ReturnConsumedCapacity::Total => Some(types::ReturnConsumedCapacity::Total),
        ReturnConsumedCapacity::Indexes => Some(types::ReturnConsumedCapacity::Indexes),
    }
}

/// What a request on one table cost.
pub(super) fn consumed(
    consumed: Option<types::ConsumedCapacity>,
    detail: ReturnConsumedCapacity,
) -> Option<ConsumedCapacity> {
    consumed.map(|consumed| cost(consumed, detail))
}

/// What a request on several tables cost.
pub(super) fn by_table(
    consumed: Option<Vec<types::ConsumedCapacity>>,
    detail: ReturnConsumedCapacity,
) -> CapacityByTable {
    let mut capacity = CapacityByTable::new(detail);
    for consumed in consumed.unwrap_or_default() {
        capacity.add(|detail| cost(consumed, detail));
    }
    capacity
}

fn cost(consumed: types::ConsumedCapacity, detail: ReturnConsumedCapacity) -> ConsumedCapacity {
    let name = consumed.table_name.unwrap_or_default();
    let total = consumed.capacity_units.unwrap_or_default();
    // Only with all details does the answer tell the table's own part of the cost.
    let Some(of_table) = consumed.table.and_then(|table| table.capacity_units) else {
        return ConsumedCapacity::new(name, detail, total);
    };
    let mut cost = ConsumedCapacity::new(name, detail, of_table);
    let mut add = |indexes: Option<HashMap<String, types::Capacity>>, scope| {
        for (name, capacity) in indexes.unwrap_or_default() {
            cost.add_index(&name, scope, capacity.capacity_units.unwrap_or_default());
        }
    };
    add(consumed.local_secondary_indexes, Scope::Local);
    add(consumed.global_secondary_indexes, Scope::Global);
    cost
}

/// Whether the answer is to tell of item collections.
pub(super) fn metrics_detail(is_wanted: bool) -> Option<types::ReturnItemCollectionMetrics> {
    is_wanted.then_some(types::ReturnItemCollectionMetrics::Size)
}

/// The item collection that a write touched.
pub(super) fn metrics(
    metrics: Option<types::ItemCollectionMetrics>,
) -> Result<Option<ItemCollectionMetrics>, BackendError> {
    let Some(metrics) = metrics else { return Ok(None) };
    let key = value::item(metrics.item_collection_key.unwrap_or_default())?;
    let Some((attribute, partition)) = key.into_iter().next() else { return Ok(None) };
    let lower = metrics.size_estimate_range_gb.and_then(|range| range.first().copied());
    // A number of gigabytes between nought and ten, which is as large as a collection can be.
    let bytes = lower.unwrap_or_default().max(0.0) as u64 * GB;
    Ok(Some(ItemCollectionMetrics::new(attribute, partition, bytes)))
}
