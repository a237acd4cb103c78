//! SD204: all items of an entity are in one partition or a few.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{Attribute, AttributeType, Entity, Template};

pub(super) const RULE: Rule =
    Rule { code: "SD204", title: "all items are in one partition, or in a few", find };

/// With at least this many partitions, a design is assumed to spread its load. A partition serves
/// 3,000 read units or 1,000 write units per second, regardless of the table's capacity.
const PARTITIONS_MIN: u64 = 10;

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        // A single item in a single partition is fine.
        if entity.key.templates().all(|template| template.as_literal().is_some()) {
            continue;
        }
        let primary = (place.clone(), "the table".to_owned(), &entity.key.partition);
        let indexes = entity.indexes.iter().map(|key| {
            (place.clone().index(&key.index), format!("the index `{}`", key.index), &key.partition)
        });
        for (place, where_to, templates) in std::iter::once(primary).chain(indexes) {
            let Some(partitions) = partitions(entity, templates) else {
                continue;
            };
            let shown: Vec<String> = templates.iter().map(|own| format!("`{own}`")).collect();
            let shown = shown.join(", ");
            let message = match partitions {
                1 => format!(
                    "all items of `{}` are in one partition of {where_to}, {shown}",
                    entity.name
                ),
                _ => format!(
                    "all items of `{}` are in at most {partitions} partitions of {where_to}, {shown}",
                    entity.name
                ),
            };
            findings.warning(
                place,
                message,
                "Add to the key something that spreads, such as a day or a shard number, and query its values one by one; or accept it if there will only ever be few items and few writes.",
            );
        }
    }
}

/// Number of possible partitions, if below `PARTITIONS_MIN`.
fn partitions(entity: &Entity, templates: &[Template]) -> Option<u64> {
    let mut partitions: u64 = 1;
    for field in templates.iter().flat_map(Template::fields) {
        let values = entity.attribute(field).and_then(values)?;
        partitions = partitions.saturating_mul(values);
    }
    (partitions < PARTITIONS_MIN).then_some(partitions)
}

/// Number of possible values of an attribute, if known.
fn values(attribute: &Attribute) -> Option<u64> {
    if !attribute.one_of.is_empty() {
        return u64::try_from(attribute.one_of.len()).ok();
    }
    match (attribute.kind, attribute.min, attribute.max) {
        (AttributeType::Boolean, _, _) => Some(2),
        (AttributeType::Integer, Some(min), Some(max)) => {
            u64::try_from(max.saturating_sub(min)).ok().map(|span| span.saturating_add(1))
        }
        _ => None,
    }
}
