//! Whether attributes have names and types of their own.

use super::fault::{Fault, Faults};
use super::message::{Message, same};
use super::templates::{find_index, same_templates};
use crate::design::{AttributeType, KeyAttribute, KeyAttributes};
use crate::key::Segment;
use crate::shape::{
    EntityShapeOf, FieldShapeOf, IndexKeyShapeOf, Keeper, KeyShapeOf, Storage, TableShapeOf,
    TemplateOf, WhenShapeOf,
};
use singlet_dynamo::Type;
use singlet_dynamo::schema::KeyType;

pub(super) const fn check<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    if entity.expires && table.ttl.is_none() {
        faults.add(
            Fault::error(
                "SD604",
                Message::new().and("items of ").code(entity.name).and(
                    " are to expire, and the table has no TTL attribute: they stay for ever",
                ),
                "Name the table's TTL attribute in `ttl`. In a file it can be accepted, if the items are overwritten and not meant to go.",
            )
            .warning()
            .entity(entity.name),
        );
    }
    let mut rest = entity.fields;
    while let [field, others @ ..] = rest {
        check_keeper(entity, field, faults);
        if matches!(field.storage, Storage::Expiry)
            && !matches!(field.kind, AttributeType::EpochSeconds)
        {
            faults.add(of_type(
                entity,
                field,
                "is the time to live, which is an `Expiry` or an `Option<Expiry>`",
            ));
        }
        if matches!(field.storage, Storage::Attribute) {
            check_name(entity, table, field, others, faults);
        }
        rest = others;
    }
    check_shared_attributes(entity, table, faults);
}

/// A field of a type that it cannot have. Only Rust types can say this.
const fn of_type<'s>(
    entity: &'s EntityShapeOf<'s>,
    field: &'s FieldShapeOf<'s>,
    message: &str,
) -> Fault<'s> {
    let message = Message::new().and("the field ").code(field.name).and(" ").and(message);
    Fault::error("", message, "Change its type.").entity(entity.name).attribute(field.attribute)
}

/// Refuses fields of a type that the model cannot keep.
const fn check_keeper<'s>(
    entity: &'s EntityShapeOf<'s>,
    field: &'s FieldShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    let fits = match field.keeper {
        Keeper::Program => return,
        Keeper::Created | Keeper::Updated => matches!(field.kind, AttributeType::Timestamp),
        Keeper::Version => matches!(field.kind, AttributeType::Integer),
    };
    if !fits || field.optional {
        faults.add(of_type(
            entity,
            field,
            "is kept by the model: `created` and `updated` are a `Timestamp`, `version` is a `u64`",
        ));
    }
}

/// Refuses an attribute that something else is written to.
const fn check_name<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    field: &'s FieldShapeOf<'s>,
    others: &'s [FieldShapeOf<'s>],
    faults: &mut Faults<'s>,
) {
    let name = field.attribute;
    let mut rest = others;
    while let [other, more @ ..] = rest {
        if matches!(other.storage, Storage::Attribute) && same(other.attribute, name) {
            let message = Message::new().and("the fields ").code(field.name).and(" and ");
            let message = message.code(other.name).and(" are both stored as ").code(name);
            faults.add(twice(entity, name, message));
        }
        rest = more;
    }
    if let Some(ttl) = table.ttl
        && same(ttl, name)
    {
        faults.add(
            Fault::error(
                "SD604",
                Message::new().and("the TTL attribute ").code(name).and(
                    " is no number of seconds since 1970, and items with any other value are never deleted",
                ),
                "Store it as a number of seconds: an `Expiry` with `#[attribute(ttl)]`, in a file the type `epoch_seconds`.",
            )
            .entity(entity.name)
            .attribute(name),
        );
    }
    if let Some((discriminator, _)) = entity.discriminator
        && same(discriminator, name)
    {
        let message = Message::new()
            .code(name)
            .and(" is an attribute of the entity, and also says what entity an item is");
        faults.add(twice(entity, name, message));
    }
    if let Some(payload) = entity.payload
        && same(payload, name)
    {
        let message = Message::new()
            .code(name)
            .and(" is an attribute of the entity, and also holds the payload");
        faults.add(twice(entity, name, message));
    }
    check_against_key(entity, field, None, Some(&entity.key), &table.key, faults);
    let mut rest = table.indexes;
    while let [index, more @ ..] = rest {
        let mut is_declared = false;
        let mut keys = entity.indexes;
        while let [of_index, other_keys @ ..] = keys {
            if same(of_index.index, index.name()) {
                is_declared = true;
                let key = Some(&of_index.key);
                check_against_key(entity, field, Some(index.name()), key, &index.key, faults);
            }
            keys = other_keys;
        }
        if !is_declared {
            check_against_key(entity, field, Some(index.name()), None, &index.key, faults);
        }
        rest = more;
    }
}

/// Two things are stored under one name.
const fn twice<'s>(entity: &'s EntityShapeOf<'s>, name: &'s str, message: Message) -> Fault<'s> {
    Fault::error("SD111", message, "Store one of them under another name.")
        .entity(entity.name)
        .attribute(name)
}

/// Refuses a field that is stored under the name of a key attribute and is not what fills it.
const fn check_against_key<'s>(
    entity: &'s EntityShapeOf<'s>,
    field: &'s FieldShapeOf<'s>,
    index: Option<&'s str>,
    key: Option<&'s KeyShapeOf<'s>>,
    attributes: &'s KeyAttributes,
    faults: &mut Faults<'s>,
) {
    let mut position = 0;
    while let Some(attribute) = attributes.at(position) {
        let template = match key {
            Some(key) => key.template(position),
            None => None,
        };
        check_against(entity, field, index, template, attribute, faults);
        position += 1;
    }
}

const fn check_against<'s>(
    entity: &'s EntityShapeOf<'s>,
    field: &'s FieldShapeOf<'s>,
    index: Option<&'s str>,
    template: Option<&'s TemplateOf<'s>>,
    attribute: &'s KeyAttribute,
    faults: &mut Faults<'s>,
) {
    let name = attribute.name();
    if !same(field.attribute, name) {
        return;
    }
    if let Some(template) = template
        && !is_only(template, field.name)
    {
        faults.add(
            Fault::error(
                "SD105",
                Message::new()
                    .code(name)
                    .and(" is an attribute of the entity, and as a key attribute it is ")
                    .code(template.text)
                    .and(": an item cannot have both"),
                "Rename the key attribute to what it holds, or let the key be the attribute itself. What is stored within the key alone is `in_key`.",
            )
            .entity(entity.name)
            .index(index)
            .attribute(name),
        );
        return;
    }
    let (fits, kind) = match attribute.kind {
        KeyType::S => (matches!(field.kind.stored(), Some(Type::S)), "S"),
        KeyType::N => (matches!(field.kind.stored(), Some(Type::N)), "N"),
        KeyType::B => (matches!(field.kind.stored(), Some(Type::B)), "B"),
    };
    // A template of a number or of bytes is checked as such.
    let is_told = template.is_some() && !matches!(attribute.kind, KeyType::S);
    let message = Message::new().code(name).and(" is an attribute of the entity");
    let message = if !fits && !is_told {
        message.and(" and is not stored as ")
    } else if field.null {
        message.and(" and may be stored as NULL, not as ")
    } else {
        return;
    };
    faults.add(
        Fault::error(
            "SD110",
            message.and(kind).and(", which is its type in a key: DynamoDB refuses such items"),
            "Give it the type of the key, or store it under another name.",
        )
        .entity(entity.name)
        .index(index)
        .attribute(name),
    );
}

/// Whether a template is this field and nothing else.
const fn is_only(template: &TemplateOf<'_>, field: &str) -> bool {
    match template.segments {
        [Segment::Part { name, .. }] => same(name, field),
        _ => false,
    }
}

/// Refuses keys of several indexes that want different values in one attribute.
const fn check_shared_attributes<'s>(
    entity: &'s EntityShapeOf<'s>,
    table: &'s TableShapeOf<'s>,
    faults: &mut Faults<'s>,
) {
    let mut rest = entity.indexes;
    while let [one, others @ ..] = rest {
        if let Some(index) = find_index(table.indexes, one.index) {
            let ours = Filled { key: &one.key, attributes: &index.key, when: one.when };
            let primary = Filled { key: &entity.key, attributes: &table.key, when: None };
            check_shared(entity, one, ours, "the primary key", primary, faults);
            let mut rest_of_others = others;
            while let [other, more @ ..] = rest_of_others {
                if !same(one.index, other.index)
                    && let Some(other_index) = find_index(table.indexes, other.index)
                {
                    let theirs =
                        Filled { key: &other.key, attributes: &other_index.key, when: other.when };
                    check_shared(entity, one, ours, other.index, theirs, faults);
                }
                rest_of_others = more;
            }
        }
        rest = others;
    }
}

/// A key with the attributes that it fills.
#[derive(Clone, Copy)]
struct Filled<'s> {
    key: &'s KeyShapeOf<'s>,
    attributes: &'s KeyAttributes,
    when: Option<WhenShapeOf<'s>>,
}

impl<'s> Filled<'s> {
    const fn at(&self, position: usize) -> (Option<&'s TemplateOf<'s>>, Option<&'s KeyAttribute>) {
        (self.key.template(position), self.attributes.at(position))
    }
}

const fn check_shared<'s>(
    entity: &'s EntityShapeOf<'s>,
    of_index: &'s IndexKeyShapeOf<'s>,
    one: Filled<'s>,
    other_name: &'s str,
    other: Filled<'s>,
    faults: &mut Faults<'s>,
) {
    let is_primary = same(other_name, "the primary key");
    let mut position = 0;
    while let (Some(template), Some(attribute)) = one.at(position) {
        let mut other_position = 0;
        while let (Some(other_template), Some(other_attribute)) = other.at(other_position) {
            if same(attribute.name(), other_attribute.name())
                && !(same_templates(template.segments, other_template.segments)
                    && same(template.text, other_template.text)
                    && (is_primary || same_conditions(one.when, other.when)))
            {
                faults.add(
                    Fault::error(
                        "SD111",
                        Message::new()
                            .and("the keys for ")
                            .code(of_index.index)
                            .and(" and ")
                            .code(other_name)
                            .and(" share the attribute ")
                            .code(attribute.name())
                            .and(" and want different values in it: ")
                            .code(template.text)
                            .and(" and ")
                            .code(other_template.text),
                        "Give each index attributes of its own, or the same templates.",
                    )
                    .entity(entity.name)
                    .index(Some(of_index.index))
                    .attribute(attribute.name()),
                );
            }
            other_position += 1;
        }
        position += 1;
    }
}

/// Whether two keys apply to the same items.
const fn same_conditions(one: Option<WhenShapeOf<'_>>, other: Option<WhenShapeOf<'_>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let (mut ours, mut theirs) = (one.values, other.values);
            while let ([a, more @ ..], [b, more_of_theirs @ ..]) = (ours, theirs) {
                if !same(a, b) {
                    return false;
                }
                ours = more;
                theirs = more_of_theirs;
            }
            one.place == other.place && ours.is_empty() && theirs.is_empty()
        }
        _ => false,
    }
}
