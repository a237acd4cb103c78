//! SD701: an item can exceed DynamoDB's size limit.

use super::{Findings, Place, Rule};
use crate::design::subject::Subject;
use crate::design::{AttributeType, Entity};
use singlet_dynamo::expression::{Action, Computation};
use singlet_dynamo::limits::ITEM_SIZE_MAX;

pub(super) const RULE: Rule = Rule { code: "SD701", title: "an item can outgrow 400 KB", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for (table, entity) in subject.entities() {
        let place = Place::table(&table.name).entity(&entity.name);
        let limit = u64::try_from(ITEM_SIZE_MAX).unwrap_or(u64::MAX);
        let attributes = entity.attributes.iter().filter_map(|attribute| attribute.max_bytes);
        let most = entity.max_bytes.unwrap_or_else(|| attributes.fold(0, u64::saturating_add));
        if most > limit {
            findings.error(
                place.clone(),
                format!("an item of `{}` can have {most} bytes, and DynamoDB refuses more than {limit}", entity.name),
                "Keep large values in an object store and their address here, or spread them over several items of one partition.",
            );
        }
        // An explicit limit for the whole item covers its attributes.
        if entity.max_bytes.is_some() {
            continue;
        }
        for attribute in entity.attributes.iter().filter(|attribute| attribute.max_bytes.is_none())
        {
            let place = place.clone().attribute(&attribute.name);
            if grows(subject, entity, &attribute.name) {
                findings.warning(
                    place,
                    format!("`{}` grows with every update, and nothing says how far", attribute.name),
                    "Give each element an item of its own in the same partition; or say in `max_bytes` what holds it.",
                );
            } else if attribute.kind.is_collection() {
                let what = match attribute.kind {
                    AttributeType::Any => "can be anything",
                    _ => "holds any number of elements",
                };
                findings.note(
                    place,
                    format!("`{}` {what}, and nothing says how large it gets", attribute.name),
                    "Bound it and say so in `max_bytes`, of the attribute or of the whole entity.",
                );
            }
        }
    }
}

/// Whether some update appends to the attribute.
fn grows(subject: &Subject<'_>, entity: &Entity, name: &str) -> bool {
    subject.steps.iter().filter(|step| step.updates(entity)).any(|step| {
        let Some(Ok(update)) = &step.update else {
            return false;
        };
        update.actions().iter().any(|action| match action {
            Action::Set(path, value) => {
                path.name() == name && matches!(value.computation(), Computation::ListAppend(..))
            }
            Action::Add(path, _) => {
                path.name() == name
                    && entity.attribute(name).is_some_and(|own| own.kind.is_collection())
            }
            _ => false,
        })
    })
}
