//! Compile-time checks of declarations.
//!
//! The macros call these `const` functions in constants of the generated code, so that an invalid
//! declaration does not compile. [`Design::check`](crate::design::Design::check) calls the same
//! functions for designs read from files: both accept the same designs, with the same messages.

mod attributes;
mod collections;
mod conditions;
mod fault;
mod held;
mod indexes;
mod message;
mod templates;

pub use collections::{collection, collection_ranges, shared};
pub use fault::Fault;
pub use held::{
    has_several_keys, index_place, index_shape, is_held, is_local, is_projection_held, key_of,
};
pub(crate) use held::{holds, key_attribute};
pub use message::Message;

use crate::attribute::Attribute;
use crate::design::{AttributeType, KeyAttribute};
use crate::key::{Form, Segment, begin_differently};
use crate::shape::{
    EntityShape, EntityShapeOf, KeyShapeOf, Storage, TableShape, TableShapeOf, Template,
};
use fault::Faults;
use message::is_among;
pub(crate) use message::same;

/// Checks an entity against its table.
pub const fn entity(entity: &EntityShape, table: &TableShape) {
    if let Some(fault) = entity_fault(entity, table, 0) {
        fault.refuse(entity.name);
    }
}

/// Checks a table, and its entities against each other.
pub const fn table(table: &TableShape) {
    if let Some(fault) = table_fault(table, 0) {
        fault.refuse(table.type_name);
    }
}

/// The fault with this number in an entity, counted from zero.
#[must_use]
pub const fn entity_fault<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    number: usize,
) -> Option<Fault<'s>> {
    let mut faults = Faults::keep(number);
    templates::check(entity, table, &mut faults);
    attributes::check(entity, table, &mut faults);
    faults.found
}

/// The fault with this number in a table or between its entities, counted from zero.
#[must_use]
pub const fn table_fault<'s>(table: &'s TableShapeOf<'s>, number: usize) -> Option<Fault<'s>> {
    let mut faults = Faults::keep(number);
    indexes::check(table, &mut faults);
    let mut rest = table.entities;
    while let [one, others @ ..] = rest {
        let mut rest_of_others = others;
        while let [other, more @ ..] = rest_of_others {
            check_pair(table, one, other, &mut faults);
            rest_of_others = more;
        }
        rest = others;
    }
    faults.found
}

/// Finds two entities whose items can have the same key, unless both declare it.
const fn check_pair<'s>(
    table: &'s TableShapeOf<'s>,
    one: &'s EntityShapeOf<'s>,
    other: &'s EntityShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    if same(one.name, other.name) {
        let message = Message::new().and("the entity ").code(one.name).and(" is listed twice");
        faults.add(Fault::error("", message, "List it once.").entity(one.name));
        return;
    }
    if one.is_refused() || other.is_refused() {
        return;
    }
    let is_said = is_among(other.name, one.shares_key_with);
    let is_said_there = is_among(one.name, other.shares_key_with);
    let fault = match (collide(table, one, other), is_said, is_said_there) {
        (false, false, false) => return,
        (true, false, false) => Fault::error(
            "SD201",
            Message::new()
                .and("an item of ")
                .code(one.name)
                .and(" (")
                .key(&one.key)
                .and(") and one of ")
                .code(other.name)
                .and(" (")
                .key(&other.key)
                .and(") can have the same primary key"),
            if has_open_part(one) || has_open_part(other) {
                "Put a word into one of the keys that the other does not have, or make parts that may contain the delimiter identifiers (`id!`, in a file the type `id`). If they are to share a key, let both say `shares_key_with`."
            } else {
                "Put a word into one of the keys that the other does not have. If they are to share a key, let both say `shares_key_with`."
            },
        ),
        (true, true, true) => match (one.discriminator, other.discriminator) {
            (Some((a, value)), Some((b, other_value)))
                if same(a, b) && !same(value, other_value) =>
            {
                return;
            }
            _ => Fault::error(
                "SD205",
                Message::new()
                    .code(one.name)
                    .and(" shares a key with ")
                    .code(other.name)
                    .and(", and no attribute tells their items apart"),
                "Give both a discriminator: the same attribute, with a value of its own for each.",
            ),
        },
        (true, _, _) => Fault::error(
            "SD205",
            Message::new()
                .and("only one of ")
                .code(one.name)
                .and(" and ")
                .code(other.name)
                .and(" says that they share a key"),
            "Let both say `shares_key_with` of each other.",
        ),
        (false, _, _) => Fault::error(
            "SD205",
            Message::new()
                .code(one.name)
                .and(" and ")
                .code(other.name)
                .and(" are said to share a key, and their keys are never the same"),
            "Leave out `shares_key_with`, or give both the same templates.",
        ),
    };
    faults.add(fault.entity(one.name));
}

/// Whether items of two entities can have the same key.
const fn collide(
    table: &TableShapeOf<'_>,
    one: &EntityShapeOf<'_>,
    other: &EntityShapeOf<'_>,
) -> bool {
    let (partition, other_partition) = (one.key.first(), other.key.first());
    if begin_differently(partition.segments, other_partition.segments) {
        return false;
    }
    let (sort, other_sort) = (one.key.first_sort(), other.key.first_sort());
    if let (Some(sort), Some(other_sort)) = (sort, other_sort)
        && begin_differently(sort.segments, other_sort.segments)
    {
        return false;
    }
    let delimiter = table.delimiter;
    let ours = templates::pattern(one, partition, delimiter);
    if !ours.overlaps(&templates::pattern(other, other_partition, delimiter)) {
        return false;
    }
    match (sort, other_sort) {
        (Some(sort), Some(other_sort)) => {
            let ours = templates::pattern(one, sort, delimiter);
            ours.overlaps(&templates::pattern(other, other_sort, delimiter))
        }
        _ => true,
    }
}

/// Whether a part of the key may contain any text.
const fn has_open_part(entity: &EntityShapeOf<'_>) -> bool {
    let mut position = 0;
    while let Some(template) = entity.key.template(position) {
        if is_open(template.segments) {
            return true;
        }
        position += 1;
    }
    false
}

const fn is_open(segments: &[Segment<'_>]) -> bool {
    let mut rest = segments;
    while let [segment, others @ ..] = rest {
        if let Segment::Part { form: Form::Open, .. } = segment {
            return true;
        }
        rest = others;
    }
    false
}

/// Rejects a variant whose value is not a map that the enum's tag can be added to.
pub const fn tagged_variant<T: Attribute>(name: &str, variant: &str, tag: &str) {
    let message = Message::new().code(name).and(": the variant ").code(variant).and(" ");
    let is_map = matches!(T::KIND, AttributeType::Map | AttributeType::Struct) && !T::OPTIONAL;
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

/// The index of a field, by name.
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

/// Whether the field is the whole template of every index key attribute that it is part of, under
/// its own name. Then changing it changes no other attribute.
pub const fn is_own_index_key(entity: &EntityShape, table: &TableShape, place: usize) -> bool {
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        rest = others;
        let Some(index) = templates::find_index(table.indexes, of_index.index) else { continue };
        let mut position = 0;
        while let (Some(template), Some(attribute)) =
            (of_index.key.template(position), index.key.at(position))
        {
            if !is_own_or_absent(entity, place, template, attribute) {
                return false;
            }
            position += 1;
        }
    }
    true
}

/// Whether the template does not use this field, or consists of it alone, under its own name.
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
                && same(field.attribute, attribute.name());
        }
        parts = others;
    }
    true
}

impl Message {
    const fn key(self, key: &KeyShapeOf<'_>) -> Self {
        let message = self.code(key.first().text);
        match key.first_sort() {
            Some(sort) => message.and(", ").code(sort.text),
            None => message,
        }
    }
}
