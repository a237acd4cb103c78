//! Whether the conditions of index keys can hold, and one at a time.

use super::fault::{Fault, Faults};
use super::held::is_in;
use super::message::{Message, is_among, same};
use super::templates::{field_at, pattern};
use crate::design::{AttributeType, KeyAttribute, KeyAttributes};
use crate::key::{Pattern, Segment};
use crate::shape::{EntityShapeOf, IndexKeyShapeOf, TableShapeOf, TemplateOf, WhenShapeOf};
use singlet_dynamo::Type;

/// Checks the condition of an index key, and the key against those behind it.
pub(super) const fn check<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    key: &'s IndexKeyShapeOf<'s>,
    attributes: &'s KeyAttributes,
    others: &'s [IndexKeyShapeOf<'s>],
    faults: &mut Faults<'s>,
) {
    if let Some(when) = &key.when {
        check_values(entity, key, when, faults);
        if !has_attribute_of_its_own(entity, table, key, attributes) {
            faults.add(
                Fault::error(
                    "SD409",
                    Message::new()
                        .and("the key in the index ")
                        .code(key.index)
                        .and(" has a condition, and consists of attributes that items have anyway"),
                    "Let one attribute of the index's key be there for the index alone, such as `GSI1PK`.",
                )
                .entity(entity.name)
                .index(Some(key.index)),
            );
        }
    }
    let mut rest = others;
    while let [other, more @ ..] = rest {
        if same(key.index, other.index) {
            check_pair(entity, table, key, other, faults);
        }
        rest = more;
    }
}

/// Refuses a condition that never holds.
const fn check_values<'s>(
    entity: &'s EntityShapeOf<'s>,
    key: &'s IndexKeyShapeOf<'s>,
    when: &'s WhenShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    let message = Message::new().and("the condition of the key in the index ").code(key.index);
    let message = message.and(" is on ").code(when.field);
    let message = match field_at(entity, when.place) {
        None => message.and(", which is no attribute of the entity"),
        Some(field) => {
            let (known, is_listed): (&[&str], bool) = match field.kind {
                AttributeType::Boolean => (&["true", "false"], true),
                _ => (field.one_of, !field.one_of.is_empty()),
            };
            let is_text = matches!(field.kind.stored(), Some(Type::S));
            if !is_text && !matches!(field.kind, AttributeType::Boolean) {
                message.and(", which is neither text nor true or false")
            } else {
                let mut wrong = None;
                let mut rest = when.values;
                while let [value, more @ ..] = rest {
                    if is_listed && !is_among(value, known) {
                        wrong = Some(*value);
                    }
                    rest = more;
                }
                match (wrong, when.values) {
                    (Some(value), _) => message.and(", which is never ").code(value),
                    (None, []) => message.and(", and names no value"),
                    (None, _) => return,
                }
            }
        }
    };
    faults.add(
        Fault::error(
            "SD409",
            message,
            "Name values that the attribute can have, as they are stored.",
        )
        .entity(entity.name)
        .index(Some(key.index))
        .attribute(when.field),
    );
}

/// Whether the key has an attribute that is there only if the condition holds, so that it keeps
/// other items out of the index.
const fn has_attribute_of_its_own(
    entity: &EntityShapeOf<'_>,
    table: &TableShapeOf<'_>,
    key: &IndexKeyShapeOf<'_>,
    attributes: &KeyAttributes,
) -> bool {
    let mut position = 0;
    while let Some(attribute) = attributes.at(position) {
        if !is_there_anyway(entity, table, key, position, attribute) {
            return true;
        }
        position += 1;
    }
    false
}

/// Whether an attribute is part of the primary key, or the same field in all keys of the index.
const fn is_there_anyway(
    entity: &EntityShapeOf<'_>,
    table: &TableShapeOf<'_>,
    key: &IndexKeyShapeOf<'_>,
    position: usize,
    attribute: &KeyAttribute,
) -> bool {
    let is_primary = is_in(&table.key, attribute.name());
    let Some(place) = lone_place(key, position) else { return is_primary };
    let mut rest = entity.indexes;
    while let [other, more @ ..] = rest {
        if same(other.index, key.index) {
            match lone_place(other, position) {
                Some(own) if own == place => {}
                _ => return is_primary,
            }
        }
        rest = more;
    }
    true
}

/// The place of the field that a template consists of, if it is one.
const fn lone_place(key: &IndexKeyShapeOf<'_>, position: usize) -> Option<usize> {
    let Some(template) = key.key.template(position) else { return None };
    match (template.segments, template.parts) {
        ([Segment::Part { .. }], [part]) => Some(part.place),
        _ => None,
    }
}

/// Refuses two keys of one index that an item can have at the same time, or that one query finds.
const fn check_pair<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    one: &'s IndexKeyShapeOf<'s>,
    other: &'s IndexKeyShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    let message = Message::new().and("an item is in the index ").code(one.index);
    let fault = match (&one.when, &other.when) {
        (Some(a), Some(b)) if a.place == b.place && are_apart(a.values, b.values) => {
            if !meet(entity, table, one, other) {
                return;
            }
            Fault::error(
                "SD410",
                Message::new()
                    .and("a query for the keys ")
                    .code(text(one))
                    .and(" in the index ")
                    .code(one.index)
                    .and(" also finds ")
                    .code(text(other)),
                "Let the two begin with different words.",
            )
        }
        (Some(a), Some(b)) if a.place == b.place => Fault::error(
            "SD410",
            message.and(" once, and two of its keys there have the same value of ").code(a.field),
            "Name each value in one of the conditions.",
        ),
        (Some(_), Some(_)) => Fault::error(
            "SD410",
            message.and(" once, and the conditions of its keys there are on different attributes"),
            "Let all conditions in one index be on one attribute.",
        ),
        _ => Fault::error(
            "SD410",
            message.and(
                " once, and the entity has several keys there, not all of them with a condition",
            ),
            "Say of each when it applies: `when state = \"open\"`, in a file `\"when\": {\"state\": \"open\"}`.",
        ),
    };
    faults.add(fault.entity(entity.name).index(Some(one.index)));
}

/// Whether no text is in both lists.
const fn are_apart(one: &[&str], other: &[&str]) -> bool {
    let mut rest = one;
    while let [first, more @ ..] = rest {
        if is_among(first, other) {
            return false;
        }
        rest = more;
    }
    true
}

/// The template that tells the items of a key apart: that of the sort key, if there is one.
const fn text<'s>(key: &IndexKeyShapeOf<'s>) -> &'s str {
    match key.key.first_sort() {
        Some(sort) => sort.text,
        None => key.key.first().text,
    }
}

/// Whether a query for one of the keys finds the other.
const fn meet(
    entity: &EntityShapeOf<'_>,
    table: &TableShapeOf<'_>,
    one: &IndexKeyShapeOf<'_>,
    other: &IndexKeyShapeOf<'_>,
) -> bool {
    let delimiter = table.delimiter;
    let partition = pattern(entity, one.key.first(), delimiter);
    if !partition.overlaps(&pattern(entity, other.key.first(), delimiter)) {
        return false;
    }
    match (one.key.first_sort(), other.key.first_sort()) {
        (Some(a), Some(b)) => {
            beginning(a).catches(&pattern(entity, b, delimiter))
                || beginning(b).catches(&pattern(entity, a, delimiter))
        }
        _ => true,
    }
}

/// What a query for all keys of a template asks for: the text in front of the first field.
const fn beginning(template: &TemplateOf<'_>) -> Pattern {
    let mut pattern = Pattern::empty();
    if let [Segment::Literal(text), ..] = template.segments {
        pattern.push_literal(text);
    }
    pattern
}
