//! SD312: a relation that can be read from one side only.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{Entity, Template};

pub(super) const RULE: Rule =
    Rule { code: "SD312", title: "a relation can be read from one side only", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let (Some(sort), None) = (&entity.key.sort, &entity.mirrors) else {
            continue;
        };
        for field in sort.fields() {
            let Some(other) = other_side(subject, entity, field) else {
                continue;
            };
            if entity.key.partition.names(field) || is_found_by(subject, entity, field) {
                continue;
            }
            let near: Vec<&str> = entity.key.partition.fields().collect();
            findings.note(
                Place::table(&table.name).entity(&entity.name).attribute(field),
                format!(
                    "`{}` is found by {}, and not by the `{field}` of {other}",
                    entity.name,
                    near.join(" and ")
                ),
                format!("If somebody asks from that side, give `{}` an index key that begins with `{field}`, or a mirror written in the same transaction.", entity.name),
            );
        }
    }
}

/// What the field identifies, if it is something other than the entity.
fn other_side(subject: &Subject<'_>, entity: &Entity, field: &str) -> Option<String> {
    if let Some(named) = entity.attribute(field).and_then(|own| own.references.as_ref()) {
        return Some(format!("`{named}`"));
    }
    let mut others = subject.entities().filter(|(_, other)| {
        other.name != entity.name && other.mirrors.is_none() && is_identified_by(other, field)
    });
    others.next().map(|(_, other)| format!("`{}`", other.name))
}

/// Whether the field alone makes the entity's primary key.
fn is_identified_by(entity: &Entity, field: &str) -> bool {
    let fields: Vec<&str> = entity.key.templates().flat_map(Template::fields).collect();
    fields == [field]
}

/// Whether items of the entity, or what they say, can be found by the field.
fn is_found_by(subject: &Subject<'_>, entity: &Entity, field: &str) -> bool {
    let by_index = entity.indexes.iter().any(|key| key.partition.names(field));
    let by_mirror = subject.entities().any(|(_, other)| {
        other.mirrors.as_ref().is_some_and(|mirror| mirror.entity == entity.name)
            && other.key.partition.names(field)
    });
    // The item on the other side may say itself where it belongs.
    let by_reference = subject.entities().any(|(_, other)| {
        is_identified_by(other, field)
            && entity.key.partition.fields().next().is_some()
            && entity.key.partition.fields().all(|near| other.attribute(near).is_some())
    });
    by_index || by_mirror || by_reference
}
