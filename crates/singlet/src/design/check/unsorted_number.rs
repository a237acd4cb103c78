//! SD203: numbers in a text key that do not sort as numbers.

use super::{Findings, Place, Rule, shared};
use crate::design::subject::Subject;
use crate::design::{Attribute, Entity, Piece, Template};

pub(super) const RULE: Rule =
    Rule { code: "SD203", title: "numbers in a text key do not sort as numbers", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    shared::find(subject, findings);
    // Only a design file declares the range of a number.
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        for template in entity.key.templates() {
            check(findings, &place, entity, template);
        }
        for key in &entity.indexes {
            let place = place.clone().index(&key.index);
            for template in key.templates() {
                check(findings, &place, entity, template);
            }
        }
    }
}

fn check(findings: &mut Findings, place: &Place, entity: &Entity, template: &Template) {
    for piece in template.pieces() {
        let Piece::Field { name, width: Some(width) } = piece else {
            continue;
        };
        if entity.attribute(name).is_some_and(|attribute| !fits(attribute, *width)) {
            findings.error(
                place.clone().attribute(name),
                format!("`{name}` can be a number that does not fit into {width} digits"),
                "Make it wider, and keep negative numbers out of text keys or shift them.",
            );
        }
    }
}

fn fits(attribute: &Attribute, width: u8) -> bool {
    let is_short = |number: i64| number >= 0 && number.to_string().len() <= usize::from(width);
    [attribute.min, attribute.max].into_iter().flatten().all(is_short)
}
