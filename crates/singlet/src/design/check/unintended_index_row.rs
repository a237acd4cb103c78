//! SD406: items appear in an index because of attributes they happen to have.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{Entity, KeyAttribute, Table};
use singlet_dynamo::Type;

pub(super) const RULE: Rule =
    Rule { code: "SD406", title: "items are in an index that they are not meant for", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        for index in &table.indexes {
            let is_meant = entity.is_in_index(&index.name);
            if is_meant || !index.key.iter().all(|key| has(table, entity, key)) {
                continue;
            }
            let names: Vec<String> =
                index.key.iter().map(|key| format!("`{}`", key.name)).collect();
            findings.error(
                Place::table(&table.name).index(&index.name).entity(&entity.name),
                format!(
                    "items of `{}` have {}, and so are in the index `{}`, whose queries find them too",
                    entity.name,
                    names.join(" and "),
                    index.name
                ),
                "An index has every item with its key attributes: store one of them under another name, or declare the key if it is meant so.",
            );
        }
    }
}

/// Whether items of the entity have a value for this key attribute.
fn has(table: &Table, entity: &Entity, key: &KeyAttribute) -> bool {
    let is_primary = table.key.contains(&key.name);
    let is_field = entity.attribute(&key.name).is_some_and(|own| {
        own.is_stored() && own.kind.stored().is_none_or(|kind| kind == Type::from(key.kind))
    });
    let is_of_other_index = entity
        .indexes
        .iter()
        .any(|other| table.index(&other.index).is_some_and(|other| other.key.contains(&key.name)));
    let discriminates = entity.discriminator.as_ref().is_some_and(|own| own.attribute == key.name);
    is_primary || is_field || is_of_other_index || discriminates
}
