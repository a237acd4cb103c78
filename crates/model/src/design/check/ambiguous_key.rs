//! SD202: two different items of one entity can have the same key.

use super::{Findings, Place, Rule};
use crate::design::Template;
use crate::design::subject::Subject;
use crate::key::is_ambiguous;

pub(super) const RULE: Rule =
    Rule { code: "SD202", title: "different values give the same key", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        let mut check = |place: Place, template| {
            if is_ambiguous(&subject.segments(entity, template)) {
                findings.error(
                    place,
                    format!("different values of {} give the same key `{template}`", fields(template)),
                    "Separate the fields by the delimiter, and give those before the last a type that cannot contain it.",
                );
            }
        };
        for template in entity.key.templates() {
            check(place.clone(), template);
        }
        // The sort key of an index orders items and does not tell them apart.
        for key in &entity.indexes {
            check(place.clone().index(&key.index), &key.partition);
        }
    }
}

fn fields(template: &Template) -> String {
    template.fields().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(" and ")
}
