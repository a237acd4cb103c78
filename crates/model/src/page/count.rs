//! Counting items without reading them, where that can be done.

use crate::key::{Segment, catches, overlaps};
use crate::shape::{EntityShape, FieldShape, IndexShape, KeyShape, Storage, TableShape};

/// Whether a query of this entity, by the table's key or an index, comes upon nothing but items of
/// it. Then DynamoDB can count them by itself.
pub(super) fn is_alone(
    table: &TableShape,
    entity: &EntityShape,
    index: Option<&IndexShape>,
) -> bool {
    let Some(own) = key_in(entity, index) else { return false };
    let mut others = table.entities.iter().filter(|other| other.name != entity.name);
    others.all(|other| match key_in(other, index) {
        Some(key) => !can_be_found(own, key),
        // An item is in an index if it has the attributes of its key, whoever wrote them.
        None => index.is_some_and(|index| {
            !index.key.iter().all(|attribute| {
                let is_stored = |field: &FieldShape| {
                    field.storage == Storage::Attribute && field.attribute == attribute.name
                };
                table.key.iter().any(|own| own.name == attribute.name)
                    || other.fields.iter().any(is_stored)
            })
        }),
    })
}

fn key_in<'s>(entity: &'s EntityShape, index: Option<&IndexShape>) -> Option<&'s KeyShape> {
    match index {
        None => Some(&entity.key),
        Some(index) => entity
            .indexes
            .iter()
            .find(|of_index| of_index.index == index.name)
            .map(|of_index| &of_index.key),
    }
}

/// Whether a query by the one key can find items with the other.
fn can_be_found(own: &KeyShape, other: &KeyShape) -> bool {
    let is_sort_caught = match (&own.sort, &other.sort) {
        (Some(own), Some(other)) => {
            let prefix = [Segment::Literal(own.leading_text())];
            catches(&prefix, other.segments)
        }
        _ => true,
    };
    is_sort_caught && overlaps(own.partition.segments, other.partition.segments)
}
