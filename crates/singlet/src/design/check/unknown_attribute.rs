//! SD106: an expression names an attribute that no item has.

use super::{Findings, Rule};
use crate::design::subject::{Step, Subject};
use crate::design::{Attribute, Entity};

pub(super) const RULE: Rule =
    Rule { code: "SD106", title: "an expression names an attribute that no item has", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let entities = step.entities();
        // An entity without declared attributes may have any.
        if entities.is_empty() || entities.iter().any(|entity| entity.attributes.is_empty()) {
            continue;
        }
        let mut told: Vec<&str> = Vec::new();
        for (parameter, names) in expressions(step) {
            for name in names {
                if !told.contains(&name) && !is_known(step, &entities, name) {
                    told.push(name);
                    let names: Vec<&str> =
                        entities.iter().map(|entity| entity.name.as_str()).collect();
                    findings.error(
                        step.place().attribute(name),
                        format!("the {parameter} names `{name}`, which no item of {} has", names.join(", ")),
                        "Use the name under which the attribute is stored, or declare the attribute.",
                    );
                }
            }
        }
    }
}

fn expressions<'s>(step: &'s Step<'_>) -> Vec<(&'static str, Vec<&'s str>)> {
    let mut all = Vec::new();
    if let Some(Ok(filter)) = &step.filter {
        all.push(("filter", filter.attribute_names()));
    }
    if let Some(Ok(condition)) = &step.condition {
        all.push(("condition", condition.attribute_names()));
    }
    all.push(("update", step.changed_attributes()));
    all
}

fn is_known(step: &Step<'_>, entities: &[&Entity], name: &str) -> bool {
    let Some(table) = step.table else {
        return true;
    };
    table.key.contains(name)
        || table.indexes.iter().any(|index| index.key.contains(name))
        || table.ttl.as_deref() == Some(name)
        || entities.iter().any(|entity| {
            entity.attribute(name).is_some_and(Attribute::is_stored)
                || entity.payload.as_deref() == Some(name)
                || entity.discriminator.as_ref().is_some_and(|own| own.attribute == name)
                || entity.expires.as_ref().is_some_and(|own| own.attribute.as_deref() == Some(name))
        })
}
