//! Whether attributes have names and types of their own.

use super::message::{Message, same};
use super::templates::{find_index, same_templates};
use crate::design::AttributeType;
use crate::key::Segment;
use crate::shape::{
    EntityShape, FieldShape, IndexShape, Keeper, KeyAttribute, KeyAttributes, KeyShape, Storage,
    TableShape, Template,
};
use singlet_dynamo::Type;
use singlet_dynamo::schema::KeyType;

pub(super) const fn check(entity: &EntityShape, table: &TableShape) {
    let mut rest = entity.fields;
    while let [field, others @ ..] = rest {
        check_keeper(entity, field);
        check_expiry(entity, table, field);
        if matches!(field.storage, Storage::Attribute) {
            check_name(entity, table, field, others);
        }
        rest = others;
    }
    check_shared_attributes(entity, table);
}

const fn message(entity: &EntityShape, field: &FieldShape) -> Message {
    Message::new().code(entity.name).and(": the field ").code(field.name).and(" ")
}

/// Refuses fields of a type that the model cannot keep.
const fn check_keeper(entity: &EntityShape, field: &FieldShape) {
    let fits = match field.keeper {
        Keeper::Program => true,
        Keeper::Created | Keeper::Updated => matches!(field.kind, AttributeType::Timestamp),
        Keeper::Version => matches!(field.kind, AttributeType::Integer),
    };
    if !fits || (field.optional && !matches!(field.keeper, Keeper::Program)) {
        message(entity, field)
            .and("is kept by the model: `created` and `updated` are a `Timestamp`, `version` is a `u64`")
            .refuse();
    }
}

const fn check_expiry(entity: &EntityShape, table: &TableShape, field: &FieldShape) {
    if !matches!(field.storage, Storage::Expiry) {
        return;
    }
    if table.ttl.is_none() {
        message(entity, field)
            .and("is the time to live, and the table has no attribute for it: `#[table(…, ttl = TTL)]`")
            .refuse();
    }
    if !matches!(field.kind, AttributeType::EpochSeconds) {
        message(entity, field)
            .and("is the time to live, which is an `Expiry` or an `Option<Expiry>`")
            .refuse();
    }
}

/// Refuses an attribute that something else is written to.
const fn check_name(
    entity: &EntityShape,
    table: &TableShape,
    field: &FieldShape,
    others: &[FieldShape],
) {
    let name = field.attribute;
    let mut rest = others;
    while let [other, more @ ..] = rest {
        if matches!(other.storage, Storage::Attribute) && same(other.attribute, name) {
            message(entity, field)
                .and("and the field ")
                .code(other.name)
                .and(" are both stored as ")
                .code(name)
                .refuse();
        }
        rest = more;
    }
    if let Some(ttl) = table.ttl
        && same(ttl, name)
    {
        message(entity, field)
            .and("is stored as ")
            .code(name)
            .and(", the table's time to live; mark it with `#[attribute(ttl)]`")
            .refuse();
    }
    if let Some((discriminator, _)) = entity.discriminator
        && same(discriminator, name)
    {
        message(entity, field)
            .and("is stored as ")
            .code(name)
            .and(", which tells what entity an item is")
            .refuse();
    }
    if let Some(payload) = entity.payload
        && same(payload, name)
    {
        message(entity, field).and("is stored as ").code(name).and(", as the payload is").refuse();
    }
    check_against_key(entity, field, Some(&entity.key), &table.key);
    let mut rest = table.indexes;
    while let [index, more @ ..] = rest {
        check_against_key(entity, field, declared_key(entity, index), &index.key);
        rest = more;
    }
}

/// The key that an entity has for an index, if it has one.
const fn declared_key<'s>(entity: &'s EntityShape, index: &IndexShape) -> Option<&'s KeyShape> {
    let mut rest = entity.indexes;
    while let [of_index, others @ ..] = rest {
        if same(of_index.index, index.name) {
            return Some(&of_index.key);
        }
        rest = others;
    }
    None
}

/// Refuses a field that is stored under the name of a key attribute and is not what fills it.
const fn check_against_key(
    entity: &EntityShape,
    field: &FieldShape,
    key: Option<&KeyShape>,
    attributes: &KeyAttributes,
) {
    let (partition, sort) = match key {
        Some(key) => (Some(&key.partition), key.sort.as_ref()),
        None => (None, None),
    };
    check_against(entity, field, partition, &attributes.partition);
    if let Some(attribute) = &attributes.sort {
        check_against(entity, field, sort, attribute);
    }
}

const fn check_against(
    entity: &EntityShape,
    field: &FieldShape,
    template: Option<&Template>,
    attribute: &KeyAttribute,
) {
    if !same(field.attribute, attribute.name) {
        return;
    }
    if let Some(template) = template
        && !is_only(template, field.name)
    {
        message(entity, field)
            .and("is stored as ")
            .code(attribute.name)
            .and(", an attribute of a key, which the template ")
            .code(template.text)
            .and(" fills with something else; rename the field, or mark it with `#[attribute(in_key)]`")
            .refuse();
    }
    let fits = matches!(
        (field.kind.stored(), attribute.kind),
        (Type::S, KeyType::S) | (Type::N, KeyType::N) | (Type::B, KeyType::B)
    );
    if !fits || field.null {
        message(entity, field)
            .and("is stored as ")
            .code(attribute.name)
            .and(", an attribute of a key, and is not of the key's type")
            .refuse();
    }
}

/// Whether a template is this field and nothing else.
const fn is_only(template: &Template, field: &str) -> bool {
    match template.segments {
        [Segment::Part { name, .. }] => same(name, field),
        _ => false,
    }
}

/// Refuses keys of several indexes that want different values in one attribute.
const fn check_shared_attributes(entity: &EntityShape, table: &TableShape) {
    let mut rest = entity.indexes;
    while let [one, others @ ..] = rest {
        if let Some(index) = find_index(table.indexes, one.index) {
            check_shared(
                entity,
                one.index,
                (&one.key, &index.key),
                ("the primary key", &entity.key, &table.key),
            );
            let mut rest_of_others = others;
            while let [other, more @ ..] = rest_of_others {
                if let Some(other_index) = find_index(table.indexes, other.index) {
                    check_shared(
                        entity,
                        one.index,
                        (&one.key, &index.key),
                        (other.index, &other.key, &other_index.key),
                    );
                }
                rest_of_others = more;
            }
        }
        rest = others;
    }
}

const fn check_shared(
    entity: &EntityShape,
    index: &str,
    (one, attributes): (&KeyShape, &KeyAttributes),
    (other_name, other, other_attributes): (&str, &KeyShape, &KeyAttributes),
) {
    let ours = [
        (Some(&one.partition), Some(&attributes.partition)),
        (one.sort.as_ref(), attributes.sort.as_ref()),
    ];
    let theirs = [
        (Some(&other.partition), Some(&other_attributes.partition)),
        (other.sort.as_ref(), other_attributes.sort.as_ref()),
    ];
    let mut rest = ours.as_slice();
    while let [(template, attribute), more @ ..] = rest {
        let mut rest_of_theirs = theirs.as_slice();
        while let [(other_template, other_attribute), more_of_theirs @ ..] = rest_of_theirs {
            if let (Some(template), Some(attribute), Some(other_template), Some(other_attribute)) =
                (template, attribute, other_template, other_attribute)
                && same(attribute.name, other_attribute.name)
                && !(same_templates(template.segments, other_template.segments)
                    && same(template.text, other_template.text))
            {
                Message::new()
                    .code(entity.name)
                    .and(": the keys for ")
                    .code(index)
                    .and(" and ")
                    .code(other_name)
                    .and(" share the attribute ")
                    .code(attribute.name)
                    .and(" and want different values in it: ")
                    .code(template.text)
                    .and(" and ")
                    .code(other_template.text)
                    .refuse();
            }
            rest_of_theirs = more_of_theirs;
        }
        rest = more;
    }
}

/// Refuses indexes that contradict each other or the table.
pub(super) const fn check_indexes(table: &TableShape) {
    let mut rest = table.indexes;
    while let [index, others @ ..] = rest {
        check_types(table, &index.key, &table.key);
        if index.local && !same(index.key.partition.name, table.key.partition.name) {
            Message::new()
                .code(table.type_name)
                .and(": the local index ")
                .code(index.name)
                .and(" must have the table's partition key, ")
                .code(table.key.partition.name)
                .refuse();
        }
        let mut rest_of_others = others;
        while let [other, more @ ..] = rest_of_others {
            if same(index.name, other.name) {
                Message::new()
                    .code(table.type_name)
                    .and(": two indexes are called ")
                    .code(index.name)
                    .refuse();
            }
            check_types(table, &index.key, &other.key);
            rest_of_others = more;
        }
        rest = others;
    }
}

const fn check_types(table: &TableShape, one: &KeyAttributes, other: &KeyAttributes) {
    check_type(table, &one.partition, other);
    if let Some(sort) = &one.sort {
        check_type(table, sort, other);
    }
}

const fn check_type(table: &TableShape, attribute: &KeyAttribute, other: &KeyAttributes) {
    let mut clash = is_clash(attribute, &other.partition);
    if let Some(sort) = &other.sort {
        clash = clash || is_clash(attribute, sort);
    }
    if clash {
        Message::new()
            .code(table.type_name)
            .and(": the attribute ")
            .code(attribute.name)
            .and(" stands in several keys, with different types")
            .refuse();
    }
}

const fn is_clash(one: &KeyAttribute, other: &KeyAttribute) -> bool {
    let same_kind = matches!(
        (one.kind, other.kind),
        (KeyType::S, KeyType::S) | (KeyType::N, KeyType::N) | (KeyType::B, KeyType::B)
    );
    same(one.name, other.name) && !same_kind
}
