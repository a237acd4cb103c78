//! SD305: a query also returns items of an unrelated entity.

use super::{Findings, Rule};
use crate::design::subject::{Step, Subject};
use crate::design::{Action, Entity};

pub(super) const RULE: Rule =
    Rule { code: "SD305", title: "a query catches items of another entity", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let operation = step.operation;
        let (Action::Query, Some(table)) = (&operation.action, step.table) else {
            continue;
        };
        // Other rules report problems in the key condition itself.
        let is_said = |name: &str| operation.key_test(name).is_some();
        let names_partition =
            step.key().is_some_and(|key| key.partition.iter().all(|own| is_said(&own.name)));
        if operation.entities.is_empty() || !names_partition {
            continue;
        }
        for entity in &table.entities {
            if !operation.entities.contains(&entity.name)
                && step.can_reach(entity)
                && !is_told_apart(step, entity)
            {
                findings.warning(
                    step.place().entity(&entity.name),
                    format!("the query is for {}, and catches items of `{}` too", wanted(step), entity.name),
                    "Give one of the entities a sort key that begins with a word of its own, and query by that; or filter by what tells them apart.",
                );
            }
        }
    }
}

fn wanted(step: &Step<'_>) -> String {
    let names = step.operation.entities.iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(" and ")
}

/// Whether the filter uses the discriminator or an attribute that the caught items lack.
fn is_told_apart(step: &Step<'_>, caught: &Entity) -> bool {
    let Some(Ok(filter)) = &step.filter else {
        return false;
    };
    filter.attribute_names().iter().any(|name| {
        let discriminates = |entity: &Entity| {
            entity.discriminator.as_ref().is_some_and(|own| own.attribute == *name)
        };
        let is_wanted_only = caught.attribute(name).is_none()
            && step.entities().iter().any(|entity| entity.attribute(name).is_some());
        is_wanted_only || discriminates(caught)
    })
}
