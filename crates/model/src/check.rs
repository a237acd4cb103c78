//! What the compiler checks of declarations.
//!
//! The macros call these constant functions in constants of their own, so that a declaration that
//! cannot work does not compile. What goes wrong is said in words about the declaration.

mod attributes;
mod collections;
mod indexes;
mod message;
mod templates;

pub use collections::{collection, collection_ranges, shared};
pub use indexes::{index_place, index_shape, is_held, is_local, key_of, projection};

use crate::key::overlaps;
use crate::shape::{EntityShape, KeyShape, TableShape};
use message::{Message, same};

/// Checks an entity against its table.
pub const fn entity(entity: &EntityShape, table: &TableShape) {
    templates::check(entity, table);
    attributes::check(entity, table);
}

/// Checks a table, and its entities against each other.
pub const fn table(table: &TableShape) {
    attributes::check_indexes(table);
    let mut rest = table.entities;
    while let [one, others @ ..] = rest {
        let mut rest_of_others = others;
        while let [other, more @ ..] = rest_of_others {
            check_pair(one, other);
            rest_of_others = more;
        }
        rest = others;
    }
}

/// Refuses two entities whose items can have the same key.
const fn check_pair(one: &EntityShape, other: &EntityShape) {
    if same(one.name, other.name) {
        Message::new().and("the entity ").code(one.name).and(" is listed twice").refuse();
    }
    if !overlaps(one.key.partition.segments, other.key.partition.segments) {
        return;
    }
    if let (Some(sort), Some(other_sort)) = (&one.key.sort, &other.key.sort)
        && !overlaps(sort.segments, other_sort.segments)
    {
        return;
    }
    Message::new()
        .and("an item of ")
        .code(one.name)
        .and(" and one of ")
        .code(other.name)
        .and(" can have the same primary key: ")
        .key(&one.key)
        .and(" and ")
        .key(&other.key)
        .and("; tell them apart by text in the templates, or by identifiers made with `id!`, which cannot contain `#`")
        .refuse();
}

/// The place of a field, by its name.
pub const fn place_of(entity: &EntityShape, name: &str) -> usize {
    let mut rest = entity.fields;
    let mut place = 0;
    while let [field, others @ ..] = rest {
        if same(field.name, name) {
            return place;
        }
        place += 1;
        rest = others;
    }
    Message::new().code(entity.name).and(" has no field ").code(name).refuse();
}

impl Message {
    const fn key(self, key: &KeyShape) -> Self {
        let message = self.and("(").code(key.partition.text);
        match &key.sort {
            Some(sort) => message.and(", ").code(sort.text).and(")"),
            None => message.and(")"),
        }
    }
}
