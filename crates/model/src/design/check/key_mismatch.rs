//! SD103: an entity's key does not fit the key of its table or index.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{Entity, Template};
use singlet_dynamo::Type;
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType};

pub(super) const RULE: Rule =
    Rule { code: "SD103", title: "a key does not fit its table or index", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        let key = &entity.key;
        check(findings, &place, entity, &table.key, &key.partition, key.sort.as_ref());
        for template in key.templates() {
            for field in template.fields() {
                if entity.attribute(field).is_some_and(|attribute| attribute.optional) {
                    findings.error(
                        place.clone().attribute(field),
                        format!("`{field}` is part of the primary key `{template}`, and items may lack it"),
                        "Every item needs its whole primary key: make the attribute obligatory, or leave it out of the key.",
                    );
                }
            }
        }
        for key in &entity.indexes {
            if let Some(index) = table.index(&key.index) {
                let place = place.clone().index(&key.index);
                check(findings, &place, entity, &index.key, &key.partition, key.sort.as_ref());
            }
        }
    }
}

fn check(
    findings: &mut Findings,
    place: &Place,
    entity: &Entity,
    key: &KeySchema,
    partition: &Template,
    sort: Option<&Template>,
) {
    check_attribute(findings, place, entity, &key.partition, partition);
    match (&key.sort, sort) {
        (Some(attribute), Some(template)) => {
            check_attribute(findings, place, entity, attribute, template);
        }
        (Some(attribute), None) => findings.error(
            place.clone().attribute(&attribute.name),
            format!("there is a sort key `{}`, and the entity says nothing of it", attribute.name),
            "Say how the entity's sort key is put together; a constant such as `METADATA` will do.",
        ),
        (None, Some(template)) => findings.error(
            place.clone(),
            format!("the entity has a sort key `{template}`, and there is none here"),
            "Declare a sort key, or move what tells the items apart into the partition key.",
        ),
        (None, None) => {}
    }
}

/// One key attribute, and how an entity fills it.
fn check_attribute(
    findings: &mut Findings,
    place: &Place,
    entity: &Entity,
    attribute: &KeyAttribute,
    template: &Template,
) {
    let KeyAttribute { name, kind } = attribute;
    let place = || place.clone().attribute(name);
    if template.as_literal() == Some("") {
        findings.error(
            place(),
            format!("the key attribute `{name}` is empty"),
            "Key attributes are never empty: give it a value.",
        );
        return;
    }
    let stored =
        template.as_field().and_then(|field| entity.attribute(field)).map(|a| a.kind.stored());
    let fits = match (kind, stored) {
        // Text is put together from anything, but an attribute of its own keeps its type.
        (KeyType::S, Some(stored)) => stored == Type::S || template.as_field() != Some(name),
        (KeyType::S, None) => true,
        (KeyType::N, Some(stored)) => stored == Type::N,
        (KeyType::B, Some(stored)) => stored == Type::B,
        (KeyType::N, None) => match template.as_literal() {
            Some(text) => text.parse::<f64>().is_ok(),
            None => template.as_field().is_some(),
        },
        (KeyType::B, None) => template.as_field().is_some(),
    };
    if !fits {
        findings.error(
            place(),
            format!("the key attribute `{name}` has the type {kind}, and `{template}` does not give that"),
            "Let it be exactly one field of this type, or change the type of the key attribute.",
        );
    }
}
