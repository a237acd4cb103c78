//! What the compiler checks of declarations.
//!
//! The macros call these constant functions in constants of their own, so that a declaration that
//! cannot work does not compile. What goes wrong is said in words about the declaration.

mod attributes;
mod message;
mod templates;

use crate::attribute::Attribute;
use crate::design::AttributeType;
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

/// Refuses a variant around a value that has no room for the enum's tag among its members.
pub const fn tagged_variant<T: Attribute>(name: &str, variant: &str, tag: &str) {
    let message = Message::new().code(name).and(": the variant ").code(variant).and(" ");
    let is_map = matches!(T::KIND, AttributeType::Map) && !T::OPTIONAL;
    if !is_map {
        message
            .and("holds a value that is not a struct, and has no place for the tag ")
            .code(tag)
            .and("; give the value a name, `")
            .and(variant)
            .and(" { … }`, or store it beside the tag: `#[attribute(content = \"value\")]`")
            .refuse();
    }
    let mut rest = T::MEMBERS;
    while let [member, others @ ..] = rest {
        if same(member, tag) {
            message
                .and("holds a value with a member ")
                .code(tag)
                .and(", and so is the tag called; give the enum another one, `#[attribute(tag = \"…\")]`, or store the value beside it: `#[attribute(content = \"value\")]`")
                .refuse();
        }
        rest = others;
    }
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
