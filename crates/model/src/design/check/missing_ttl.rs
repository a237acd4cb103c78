//! SD604: items are to expire, and nothing deletes them.

use super::{Findings, Place, Rule};
use crate::design::AttributeType;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD604", title: "items are to expire and are never deleted", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        match &table.ttl {
            // An entity with an attribute of its own for this is overwritten, like a lock.
            None if entity.expires.as_ref().is_some_and(|own| own.attribute.is_none()) => findings.warning(
                place,
                format!("items of `{}` are to expire, and the table has no TTL attribute: they stay for ever", entity.name),
                "Name the table's TTL attribute in `ttl`; or accept it, if the items are overwritten and not meant to go.",
            ),
            None => {}
            Some(name) => {
                if let Some(attribute) = entity.attribute(name)
                    && !may_be_seconds(attribute.kind)
                {
                    findings.error(
                        place.attribute(name),
                        format!("the TTL attribute `{name}` is no number of seconds since 1970, and items with any other value are never deleted"),
                        "Store it as a number of seconds: the type `epoch_seconds`.",
                    );
                }
            }
        }
    }
}

fn may_be_seconds(kind: AttributeType) -> bool {
    matches!(kind, AttributeType::EpochSeconds | AttributeType::Integer | AttributeType::Number)
}
