//! SD601: a read assumes that expired items are deleted immediately.

use super::{Findings, Rule};
use crate::design::subject::{Step, Subject};
use crate::design::{Entity, ExpiredItems, Table};

pub(super) const RULE: Rule =
    Rule { code: "SD601", title: "expired items are read before they are deleted", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let operation = step.operation;
        if !operation.action.is_read() || operation.expired != ExpiredItems::Unstated {
            continue;
        }
        let guarded = match &step.filter {
            Some(Ok(filter)) => {
                let attributes = attributes(step);
                filter.attribute_names().iter().any(|name| attributes.contains(name))
            }
            _ => false,
        };
        let entities = step.entities();
        let Some(entity) = entities.iter().find(|entity| entity.expires.is_some()) else {
            continue;
        };
        if !guarded {
            findings.warning(
                step.place().entity(&entity.name),
                format!("items of `{}` expire, and are still read until DynamoDB has deleted them, within a few days", entity.name),
                "Leave out what has expired, by a filter or in the code, and say `\"expired\": \"skipped\"`; or say that it is `\"wanted\"`.",
            );
        }
    }
}

/// The expiry attributes of a step's entities.
pub(super) fn attributes<'d>(step: &Step<'d>) -> Vec<&'d str> {
    let Some(table) = step.table else {
        return Vec::new();
    };
    step.entities().into_iter().filter_map(|entity| attribute(table, entity)).collect()
}

/// The expiry attribute of an entity, if its items expire.
pub(super) fn attribute<'d>(table: &'d Table, entity: &'d Entity) -> Option<&'d str> {
    let expiry = entity.expires.as_ref()?;
    expiry.attribute.as_deref().or(table.ttl.as_deref())
}
