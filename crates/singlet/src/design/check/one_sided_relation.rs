//! SD312: a relation that can be queried from one side only.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{Entity, Template};

pub(super) const RULE: Rule =
    Rule { code: "SD312", title: "a relation can be read from one side only", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        if entity.mirrors.is_some() {
            continue;
        }
        for field in fields(&entity.key.sort) {
            let Some(other) = other_side(subject, entity, field) else {
                continue;
            };
            if names(&entity.key.partition, field) || is_found_by(subject, entity, field) {
                continue;
            }
            let near: Vec<&str> = fields(&entity.key.partition).collect();
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

fn fields(templates: &[Template]) -> impl Iterator<Item = &str> {
    templates.iter().flat_map(Template::fields)
}

fn names(templates: &[Template], field: &str) -> bool {
    templates.iter().any(|template| template.names(field))
}

/// The other entity that the field identifies, if any.
fn other_side(subject: &Subject<'_>, entity: &Entity, field: &str) -> Option<String> {
    if let Some(named) = entity.attribute(field).and_then(|own| own.references.as_ref()) {
        return Some(format!("`{named}`"));
    }
    let mut others = subject.entities().filter(|(_, other)| {
        other.name != entity.name && other.mirrors.is_none() && is_identified_by(other, field)
    });
    others.next().map(|(_, other)| format!("`{}`", other.name))
}

/// Whether the field is the only one in the entity's primary key.
fn is_identified_by(entity: &Entity, field: &str) -> bool {
    let fields: Vec<&str> = entity.key.templates().flat_map(Template::fields).collect();
    fields == [field]
}

/// Whether items of the entity, or the relation they store, can be looked up by the field.
fn is_found_by(subject: &Subject<'_>, entity: &Entity, field: &str) -> bool {
    let by_index = entity.indexes.iter().any(|key| names(&key.partition, field));
    let by_mirror = subject.entities().any(|(_, other)| {
        other.mirrors.as_ref().is_some_and(|mirror| mirror.entity == entity.name)
            && names(&other.key.partition, field)
    });
    // The item on the other side may store the reference back.
    let by_reference = subject.entities().any(|(_, other)| {
        is_identified_by(other, field)
            && fields(&entity.key.partition).next().is_some()
            && fields(&entity.key.partition).all(|near| other.attribute(near).is_some())
    });
    by_index || by_mirror || by_reference
}
