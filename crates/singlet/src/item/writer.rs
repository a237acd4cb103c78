//! Encodes entities as items.

use super::Payload;
use crate::attribute::Attribute;
use crate::design::KeyAttributes;
use crate::entity::Entity;
use crate::error::Error;
use crate::shape::{EntityShape, FieldShape, Keeper, KeyShape, Storage, TableShape};
use crate::table::Table;
use crate::timestamp::Timestamp;
use singlet_dynamo::{Item, Value};

/// The purpose of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The item must not exist yet.
    Create,
    /// The item may replace another one.
    Put,
}

/// The stored form of an entity at this time.
pub(crate) fn to_item<E: Entity>(
    entity: &E,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Item, Error> {
    let mut values = entity.values()?;
    keep(&E::SHAPE, &mut values, purpose, now)?;
    of_values(&E::SHAPE, E::Table::SHAPE, values)
}

/// The stored form of an entity with these field values.
pub(super) fn of_values(
    shape: &EntityShape,
    table: &TableShape,
    mut values: Vec<Option<Value>>,
) -> Result<Item, Error> {
    let mut entries = Vec::with_capacity(values.len() + 8);
    push_key(shape, &shape.key, &table.key, &values, &|_| true, &mut entries)?;
    for of_index in shape.indexes {
        if let Some(index) = table.index(of_index.index) {
            let applies = of_index.applies(&|place| values.get(place).and_then(Option::as_ref));
            let has = |position| applies || !shape.is_conditional(of_index, position);
            push_key(shape, &of_index.key, &index.key, &values, &has, &mut entries)?;
        }
    }
    if let Some((name, value)) = shape.discriminator {
        entries.push((name.to_owned(), Value::from(value)));
    }
    let mut take = |place: usize, field: &FieldShape| {
        let value = values.get_mut(place).and_then(Option::take);
        value.or(field.null.then_some(Value::Null))
    };
    for place in shape.stored {
        let Some(field) = shape.field(*place) else { continue };
        let name = match field.storage {
            Storage::Expiry => table.ttl.unwrap_or(field.attribute),
            _ => field.attribute,
        };
        if let Some(value) = take(*place, field) {
            entries.push((name.to_owned(), value));
        }
    }
    if let Some(name) = shape.payload {
        let fields = shape.fields.iter().enumerate();
        let within = fields.filter(|(_, field)| field.storage == Storage::Payload);
        let payload: Vec<(String, Value)> = within
            .filter_map(|(place, field)| Some((field.attribute.to_owned(), take(place, field)?)))
            .collect();
        entries.push((name.to_owned(), Payload::write(&payload)));
    }
    Ok(Item::from_entries(entries))
}

/// Fills in the fields that the model maintains.
fn keep(
    shape: &EntityShape,
    values: &mut [Option<Value>],
    purpose: Purpose,
    now: Timestamp,
) -> Result<(), Error> {
    for (field, value) in shape.fields.iter().zip(values) {
        match (field.keeper, purpose) {
            (Keeper::Program, _) | (Keeper::Created, Purpose::Put) => {}
            (Keeper::Created, Purpose::Create) | (Keeper::Updated, _) => *value = now.to_value()?,
            (Keeper::Version, Purpose::Create) => *value = Some(Value::from(1)),
            (Keeper::Version, Purpose::Put) => {
                if let Some(Value::N(version)) = value
                    && let Ok(next) = version.checked_add(1.into())
                {
                    *version = next;
                }
            }
        }
    }
    Ok(())
}

/// The attributes of a primary key, by name.
pub(crate) fn key_attributes(
    attributes: &KeyAttributes,
    partition: Value,
    sort: Option<Value>,
) -> Item {
    let values = std::iter::once(partition).chain(sort);
    let entries = attributes.iter().zip(values).map(|(own, value)| (own.name().to_owned(), value));
    Item::from_entries(entries.collect())
}

/// Adds the key attributes that are not fields, as far as the item has them.
fn push_key(
    shape: &EntityShape,
    key: &KeyShape,
    attributes: &KeyAttributes,
    values: &[Option<Value>],
    has: &dyn Fn(usize) -> bool,
    entries: &mut Vec<(String, Value)>,
) -> Result<(), Error> {
    let value = &|place: usize| values.get(place).and_then(Option::as_ref);
    for (position, (template, attribute)) in key.with(attributes).enumerate() {
        let size_max = attributes.size_max(attribute);
        if shape.is_own_attribute(template, attribute) {
            if let Some(value) = template.only_place().and_then(value) {
                template.check_size(value, size_max)?;
            }
            continue;
        }
        if !has(position) || !key.has(template, value) {
            continue;
        }
        if let Some(value) = template.render(attribute, size_max, value)? {
            entries.push((attribute.name().to_owned(), value));
        }
    }
    Ok(())
}
