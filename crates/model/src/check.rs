//! What the compiler checks of declarations.
//!
//! The macros call these constant functions in constants of their own, so that a declaration that
//! cannot work does not compile. What goes wrong is said in words about the declaration.

mod attributes;
mod message;
mod templates;

use crate::key::overlaps;
use crate::shape::{EntityShape, KeyAttribute, KeyShape, Storage, TableShape, Template};
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

/// Refuses a collection whose members are not in one partition, or that takes one of several.
pub const fn collection(head: &EntityShape, member: &EntityShape, is_many: bool) {
    let (one, other) = (head.key.partition.segments, member.key.partition.segments);
    if templates::same_templates(one, other) {
        let has_several = match &member.key.sort {
            Some(sort) => !sort.parts.is_empty(),
            None => false,
        };
        if has_several && !is_many {
            Message::new()
                .and("a partition can hold several items of ")
                .code(member.name)
                .and(": make this member a `Vec`")
                .refuse();
        }
        return;
    }
    Message::new()
        .and("one query cannot read both: ")
        .code(head.name)
        .and(" is in the partition ")
        .code(head.key.partition.text)
        .and(", and ")
        .code(member.name)
        .and(" in the partition ")
        .code(member.key.partition.text)
        .and("; the members of a collection share a partition")
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

/// Whether the field at a place is, by itself and under its own name, the attribute of every index
/// key that it stands in. Then nothing else has to follow when it changes.
pub const fn is_own_index_key(entity: &EntityShape, table: &TableShape, place: usize) -> bool {
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        rest = others;
        let Some(index) = templates::find_index(table.indexes, of_index.index) else { continue };
        if !is_own_or_absent(entity, place, &of_index.key.partition, &index.key.partition) {
            return false;
        }
        if let (Some(template), Some(attribute)) = (&of_index.key.sort, &index.key.sort)
            && !is_own_or_absent(entity, place, template, attribute)
        {
            return false;
        }
    }
    true
}

/// Whether the field at a place does not stand in the template, or is its attribute.
const fn is_own_or_absent(
    entity: &EntityShape,
    place: usize,
    template: &Template,
    attribute: &KeyAttribute,
) -> bool {
    let mut parts = template.parts;
    while let [part, others @ ..] = parts {
        if part.place == place {
            let Some((_, fields)) = entity.fields.split_at_checked(place) else { return false };
            let ([field, ..], [_]) = (fields, template.segments) else { return false };
            return matches!(field.storage, Storage::Attribute)
                && same(field.attribute, attribute.name);
        }
        parts = others;
    }
    true
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
