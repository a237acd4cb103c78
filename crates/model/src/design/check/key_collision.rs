//! SD201: items of two entities can have the same primary key.

use super::{Findings, Place, Rule};
use crate::design::Entity;
use crate::design::subject::Subject;
use crate::key::overlaps;

pub(super) const RULE: Rule =
    Rule { code: "SD201", title: "items of two entities can have the same key", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for table in &subject.design.tables {
        for (place, one) in table.entities.iter().enumerate() {
            for other in table.entities.iter().skip(place + 1) {
                if collide(subject, one, other) {
                    findings.error(
                        Place::table(&table.name).entity(&one.name),
                        format!(
                            "an item of `{}` ({}) and one of `{}` ({}) can have the same primary key",
                            one.name, shown(one), other.name, shown(other)
                        ),
                        advice(one, other),
                    );
                }
            }
        }
    }
}

fn collide<'d>(subject: &Subject<'d>, one: &'d Entity, other: &'d Entity) -> bool {
    let meet = |a, b| overlaps(&subject.segments(one, a), &subject.segments(other, b));
    let sorts_meet = match (&one.key.sort, &other.key.sort) {
        (Some(a), Some(b)) => meet(a, b),
        _ => true,
    };
    meet(&one.key.partition, &other.key.partition) && sorts_meet
}

fn shown(entity: &Entity) -> String {
    let templates: Vec<String> = entity.key.templates().map(ToString::to_string).collect();
    templates.join(", ")
}

fn advice(one: &Entity, other: &Entity) -> String {
    let open = [one, other].into_iter().find_map(|entity| {
        let mut fields = entity.key.templates().flat_map(|template| template.fields());
        let field = fields.find(|field| {
            entity.attribute(field).is_some_and(|attribute| {
                attribute.form(crate::key::DELIMITER) == crate::key::Form::Open
            })
        })?;
        Some(format!(
            "`{field}` of `{}` may contain the delimiter: give it the type `id`, or a word of its own in the key.",
            entity.name
        ))
    });
    open.unwrap_or_else(|| {
        "Put a word into one of the keys that the other does not have.".to_owned()
    })
}
