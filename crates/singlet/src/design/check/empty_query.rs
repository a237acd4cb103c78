//! SD307: an operation that can never match an item.

use super::{Findings, Rule};
use crate::design::subject::{Step, Subject};
use crate::design::{Action, Entity, Template};

pub(super) const RULE: Rule =
    Rule { code: "SD307", title: "an operation never finds what it is for", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let Some(table) = step.table else {
            continue;
        };
        if step.key().is_none()
            || matches!(step.operation.action, Action::Other(_))
            || !step.foreign_attributes().is_empty()
        {
            continue;
        }
        if step.operation.entities.is_empty() {
            // Only if entities are declared and none is reachable.
            if !table.entities.is_empty()
                && !table.entities.iter().any(|entity| step.can_reach(entity))
            {
                findings.error(
                    step.place(),
                    format!("no entity of `{}` has a key that this finds", table.name),
                    "Compare the templates with those of the entities, letter by letter; or declare the entity.",
                );
            }
            continue;
        }
        for entity in step.entities() {
            if !step.can_reach(entity) {
                findings.error(
                    step.place().entity(&entity.name),
                    format!("no item of `{}` is ever found: {}", entity.name, why(step, entity)),
                    "Look where the items are, or put them (or a mirror, or an index key) where this looks.",
                );
            }
        }
    }
}

fn codes(templates: &[Template]) -> String {
    templates.iter().map(|template| format!("`{template}`")).collect::<Vec<_>>().join(", ")
}

fn why(step: &Step<'_>, entity: &Entity) -> String {
    let Some(reached) = step.reached(entity) else {
        return match &step.operation.index {
            Some(index) => format!("the entity has no key in the index `{index}`"),
            None => "the entity has no key there".to_owned(),
        };
    };
    let index = step.operation.index.as_deref();
    let index = index.and_then(|index| entity.index_keys(index).next());
    let (partition, sort) = match index {
        Some(key) => (&key.partition, &key.sort),
        None => (&entity.key.partition, &entity.key.sort),
    };
    match reached.partition && !sort.is_empty() {
        true => format!("its sort key is {}", codes(sort)),
        false => format!("its partition key is {}", codes(partition)),
    }
}
