//! What an index holds, and which entities are in it.

use super::message::{Message, same};
use super::templates::find_index;
use crate::design::{Index, KeyAttributes};
use crate::entity::Entity;
use crate::projection::Projection;
use crate::shape::{EntityShape, IndexKeyShape, KeyShape, Storage, TableShape, TableShapeOf};
use crate::table::Table;

/// The index of this name, which the table must have.
pub const fn index_shape(table: &TableShape, name: &str) -> &'static Index {
    match find_index(table.indexes, name) {
        Some(index) => index,
        None => Message::new()
            .and("the table ")
            .code(table.type_name)
            .and(" has no index ")
            .code(name)
            .refuse(),
    }
}

/// The place of the entity's key for an index, which it must have: the one of this pattern, or the
/// only one.
pub const fn index_place(entity: &EntityShape, name: &str, pattern: Option<&str>) -> usize {
    let mut rest = entity.indexes;
    let mut place = 0;
    while let [of_index, others @ ..] = rest {
        if same(of_index.index, name) {
            match pattern {
                None if has_several_keys(entity, Some(name)) => refuse_several(entity, name),
                Some(pattern) if !same(of_index.key.pattern, pattern) => {}
                _ => return place,
            }
        }
        place += 1;
        rest = others;
    }
    if let Some(pattern) = pattern
        && has_key_for(entity.indexes, name)
    {
        let message = Message::new()
            .code(entity.name)
            .and(" has no pattern ")
            .code(pattern)
            .and(" in the index ")
            .code(name)
            .and("; it has ");
        list_patterns(message, entity, name).refuse();
    }
    Message::new()
        .code(entity.name)
        .and(" has no key for the index ")
        .code(name)
        .and(", so that it is not in there; declare one: `#[entity(…, ")
        .and(name)
        .and(" pattern = (\"…\", \"…\"))]`")
        .refuse()
}

/// Says which patterns a member of a collection can name.
const fn refuse_several(entity: &EntityShape, name: &str) -> ! {
    let message = Message::new()
        .code(entity.name)
        .and(" has several keys for the index ")
        .code(name)
        .and("; say by which one the collection reads it: ");
    list_patterns(message, entity, name).refuse()
}

/// Adds what a member can say to be read by one of the entity's keys for an index.
const fn list_patterns(mut message: Message, entity: &EntityShape, name: &str) -> Message {
    let mut separator = "";
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        if same(of_index.index, name) {
            message = message
                .and(separator)
                .and("`#[collection(pattern = ")
                .and(of_index.key.pattern)
                .and(")]`");
            separator = " or ";
        }
        rest = others;
    }
    message
}

/// Whether the entity has more than one key for an index, each with a condition.
pub const fn has_several_keys(entity: &EntityShape, index: Option<&str>) -> bool {
    let Some(name) = index else { return false };
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        if same(of_index.index, name) {
            return has_key_for(others, name);
        }
        rest = others;
    }
    false
}

const fn has_key_for(keys: &[IndexKeyShape], name: &str) -> bool {
    let mut rest = keys;
    while let [key, others @ ..] = rest {
        if same(key.index, name) {
            return true;
        }
        rest = others;
    }
    false
}

/// The templates of the primary key, or of the key for an index: the one of this pattern, or the
/// only one.
pub const fn key_of(
    entity: &'static EntityShape,
    index: Option<&str>,
    pattern: Option<&str>,
) -> &'static KeyShape {
    let Some(name) = index else { return &entity.key };
    let (_, [of_index, ..]) = entity.indexes.split_at(index_place(entity, name, pattern)) else {
        return &entity.key;
    };
    &of_index.key
}

/// Whether the index of this name is a local one.
pub const fn is_local(table: &TableShape, name: &str) -> bool {
    match find_index(table.indexes, name) {
        Some(index) => index.is_local(),
        None => false,
    }
}

/// Whether an index holds all fields of an entity.
pub const fn is_held(entity: &'static EntityShape, table: &'static TableShape, name: &str) -> bool {
    match find_index(table.indexes, name) {
        Some(index) => first_missing(entity, table, index, None).is_none(),
        // That there is no such index is said elsewhere.
        None => true,
    }
}

/// Whether the index of the pattern at a place holds all fields of a projection.
pub const fn is_projection_held<P: Projection>(place: usize) -> bool {
    let (entity, table) = (&<P::Entity as Entity>::SHAPE, <P::Entity as Entity>::Table::SHAPE);
    let Some((_, [of_index, ..])) = entity.indexes.split_at_checked(place) else { return false };
    match find_index(table.indexes, of_index.index) {
        Some(index) => first_missing(entity, table, index, P::FIELDS).is_none(),
        // Reported by the check of the entity.
        None => true,
    }
}

/// The first attribute that is needed for these fields, or for all, and not held by the index.
pub(super) const fn first_missing(
    entity: &'static EntityShape,
    table: &'static TableShape,
    index: &Index,
    fields: Option<&[usize]>,
) -> Option<&'static str> {
    if let Some((discriminator, _)) = entity.discriminator
        && !holds(table, index, discriminator)
    {
        return Some(discriminator);
    }
    let mut rest = entity.fields;
    let mut place = 0;
    while let [field, others @ ..] = rest {
        let is_read = match fields {
            Some(fields) => contains(fields, place),
            None => true,
        };
        let attribute = match field.storage {
            Storage::Attribute => Some(field.attribute),
            Storage::Payload => entity.payload,
            Storage::Key => key_attribute(entity, table, place),
            Storage::Expiry => table.ttl,
        };
        if let Some(attribute) = attribute
            && is_read
            && !holds(table, index, attribute)
        {
            return Some(attribute);
        }
        place += 1;
        rest = others;
    }
    None
}

/// The key attribute from which a field is read that is stored within keys alone: the first without
/// a condition that names it.
pub(crate) const fn key_attribute(
    entity: &EntityShape,
    table: &'static TableShape,
    place: usize,
) -> Option<&'static str> {
    if let Some(attribute) = within(&entity.key, &table.key, place) {
        return Some(attribute);
    }
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        if of_index.when.is_none()
            && let Some(index) = find_index(table.indexes, of_index.index)
            && let Some(attribute) = within(&of_index.key, &index.key, place)
        {
            return Some(attribute);
        }
        rest = others;
    }
    None
}

const fn within(
    key: &KeyShape,
    attributes: &'static KeyAttributes,
    place: usize,
) -> Option<&'static str> {
    let mut position = 0;
    while let (Some(template), Some(attribute)) = (key.template(position), attributes.at(position))
    {
        if template.has(place) {
            return Some(attribute.name());
        }
        position += 1;
    }
    None
}

const fn contains(places: &[usize], wanted: usize) -> bool {
    let mut rest = places;
    while let [place, others @ ..] = rest {
        if *place == wanted {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether an index holds an attribute of the items of its table.
pub(crate) const fn holds(table: &TableShapeOf<'_>, index: &Index, name: &str) -> bool {
    let is_projected = index.projection.holds(name);
    is_projected || is_in(&index.key, name) || is_in(&table.key, name)
}

/// Whether a key has an attribute of this name.
pub(super) const fn is_in(key: &KeyAttributes, name: &str) -> bool {
    let mut position = 0;
    while let Some(attribute) = key.at(position) {
        if same(attribute.name(), name) {
            return true;
        }
        position += 1;
    }
    false
}
