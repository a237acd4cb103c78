//! Counting items without reading them, where possible.

use crate::design::Index;
use crate::error::{Error, Result};
use crate::key::{Segment, catches, overlaps};
use crate::shape::{EntityShape, FieldShape, KeyShape, Storage, TableShape};
use singlet_dynamo::expression::{Path, Projection};
use singlet_dynamo::operation::Selection;

/// Whether a query of these entities, by the table's key or an index, finds no items of other
/// entities. Then DynamoDB can do the counting.
pub(super) fn is_alone(
    table: &TableShape,
    entities: &[&EntityShape],
    index: Option<&Index>,
) -> bool {
    entities.iter().all(|entity| is_without_others(table, entity, entities, index))
}

fn is_without_others(
    table: &TableShape,
    entity: &EntityShape,
    entities: &[&EntityShape],
    index: Option<&Index>,
) -> bool {
    let own: Vec<&KeyShape> = keys_in(entity, index).collect();
    if own.is_empty() {
        return false;
    }
    let is_asked = |other: &&&EntityShape| entities.iter().any(|one| one.name == other.name);
    let mut others = table.entities.iter().filter(|other| !is_asked(other));
    others.all(|other| {
        if keys_in(other, index).next().is_some() {
            let mut keys = keys_in(other, index);
            return keys.all(|key| !own.iter().any(|own| can_be_found(own, key)));
        }
        // Every item with the attributes of an index key is in the index, even if it does not
        // declare the index.
        index.is_some_and(|index| {
            !index.key.iter().all(|attribute| {
                let is_stored = |field: &FieldShape| {
                    field.storage == Storage::Attribute && field.attribute == attribute.name()
                };
                table.key.iter().any(|own| own.name() == attribute.name())
                    || other.fields.iter().any(is_stored)
            })
        })
    })
}

/// The possible keys of an entity's items: several if they have conditions.
fn keys_in<'s>(
    entity: &'s EntityShape,
    index: Option<&Index>,
) -> impl Iterator<Item = &'s KeyShape> {
    let name = index.map(|index| index.name());
    let primary = Some(&entity.key).filter(|_| name.is_none());
    let of_index = entity.indexes.iter().filter(move |of_index| Some(of_index.index) == name);
    primary.into_iter().chain(of_index.map(|of_index| &of_index.key))
}

/// Whether a query for the one key can find items with the other.
fn can_be_found(own: &KeyShape, other: &KeyShape) -> bool {
    let is_sort_caught = match (own.first_sort(), other.first_sort()) {
        (Some(own), Some(other)) => {
            let prefix = [Segment::Literal(own.leading_text())];
            catches(&prefix, other.segments)
        }
        _ => true,
    };
    let mut partitions = own.partition.iter().zip(other.partition);
    is_sort_caught && partitions.all(|(own, other)| overlaps(own.segments, other.segments))
}

/// The attributes needed to count items one by one: the keys, which tell items apart, the expiry,
/// and the discriminator if entities share keys.
pub(super) fn counted(
    table: &TableShape,
    index: Option<&'static Index>,
    entities: &[&'static EntityShape],
) -> Result<Selection> {
    let of_index = index.iter().flat_map(|index| index.key.iter());
    let mut names: Vec<&str> = table.key.iter().chain(of_index).map(|key| key.name()).collect();
    // An index with expiring items projects the expiry, which is checked at compile time.
    names.extend(table.ttl.filter(|ttl| index.is_none_or(|index| index.holds(table, ttl))));
    for entity in entities.iter().filter(|entity| entity.shares_keys()) {
        let Some((discriminator, _)) = entity.discriminator else { continue };
        if let Some(index) = index.filter(|index| !index.holds(table, discriminator)) {
            return Err(Error::NotProjected { index: index.name(), attribute: discriminator });
        }
        names.push(discriminator);
    }
    names.sort_unstable();
    names.dedup();
    let paths = names.into_iter().map(Path::attribute).collect::<Result<Vec<_>, _>>()?;
    Ok(Selection::Parts(Projection::new(paths)?))
}
