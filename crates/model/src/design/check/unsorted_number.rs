//! SD203: numbers in a text key that do not sort as numbers.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{Attribute, AttributeType, Entity, Piece, Template};
use singlet_dynamo::schema::{KeySchema, KeyType};

pub(super) const RULE: Rule =
    Rule { code: "SD203", title: "numbers in a text key do not sort as numbers", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        check(findings, &place, entity, &table.key, entity.key.sort.as_ref());
        for key in &entity.indexes {
            if let Some(index) = table.index(&key.index) {
                let place = place.clone().index(&key.index);
                check(findings, &place, entity, &index.key, key.sort.as_ref());
            }
        }
    }
}

fn check(
    findings: &mut Findings,
    place: &Place,
    entity: &Entity,
    key: &KeySchema,
    sort: Option<&Template>,
) {
    let is_text = key.sort.as_ref().is_some_and(|attribute| attribute.kind == KeyType::S);
    let (Some(template), true) = (sort, is_text) else {
        return;
    };
    for piece in template.pieces() {
        let Piece::Field { name, width } = piece else {
            continue;
        };
        let Some(attribute) = entity.attribute(name).filter(|attribute| is_number(attribute))
        else {
            continue;
        };
        let place = || place.clone().attribute(name);
        match width {
            None if !is_of_one_width(attribute) => findings.warning(
                place(),
                format!("`{template}` writes the number `{name}` without a width, and as text 10 comes before 9"),
                format!("Write it with leading zeros, as in `{{{name}:04}}`."),
            ),
            Some(width) if !fits(attribute, *width) => findings.error(
                place(),
                format!("`{name}` can be a number that does not fit into {width} digits"),
                "Make it wider, and keep negative numbers out of text keys or shift them.",
            ),
            _ => {}
        }
    }
}

fn is_number(attribute: &Attribute) -> bool {
    matches!(
        attribute.kind,
        AttributeType::Integer | AttributeType::Number | AttributeType::EpochSeconds
    )
}

/// Whether all its values have the same number of digits.
fn is_of_one_width(attribute: &Attribute) -> bool {
    // Seconds since 1970 have had ten digits since 2001, and will until 2286.
    if attribute.kind == AttributeType::EpochSeconds {
        return true;
    }
    let digits = |number: i64| number.to_string().len();
    match (attribute.min, attribute.max) {
        (Some(min), Some(max)) => {
            attribute.kind == AttributeType::Integer && min >= 0 && digits(min) == digits(max)
        }
        _ => false,
    }
}

fn fits(attribute: &Attribute, width: u8) -> bool {
    let is_short = |number: i64| number >= 0 && number.to_string().len() <= usize::from(width);
    attribute.kind != AttributeType::Number
        && [attribute.min, attribute.max].into_iter().flatten().all(is_short)
}
