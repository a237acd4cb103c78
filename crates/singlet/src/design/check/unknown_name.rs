//! SD101: a name that the design does not declare.

use super::{Findings, Place, Rule, shared};
use crate::design::subject::Subject;
use crate::design::{Index, Since};

pub(super) const RULE: Rule =
    Rule { code: "SD101", title: "something is named that the design does not have", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    shared::find(subject, findings);
    in_operations(subject, findings);
    for (table, entity) in subject.entities() {
        let place = || Place::table(&table.name).entity(&entity.name);
        for name in &entity.shares_key_with {
            if table.entity(name).is_none() {
                findings.error(
                    place(),
                    format!("it shares its keys with `{name}`, which the table does not have"),
                    format!(
                        "Name one of: {}.",
                        list(table.entities.iter().map(|own| own.name.as_str()))
                    ),
                );
            }
        }
        if let Some(mirror) = &entity.mirrors {
            match subject.entity(&mirror.entity) {
                None => findings.error(
                    place(),
                    format!("it mirrors the entity `{}`, which there is not", mirror.entity),
                    "Name the entity whose items it repeats.",
                ),
                Some((_, original)) => {
                    for name in &mirror.attributes {
                        if original.attribute(name).is_none() {
                            findings.error(
                                place().attribute(name),
                                format!(
                                    "it repeats the attribute `{name}`, which `{}` does not have",
                                    original.name
                                ),
                                format!(
                                    "Take one of: {}.",
                                    list(
                                        original
                                            .attributes
                                            .iter()
                                            .map(|attribute| attribute.name.as_str())
                                    )
                                ),
                            );
                        }
                    }
                }
            }
        }
        if let Some(Since::Attribute(name)) = entity.expires.as_ref().map(|expiry| &expiry.since)
            && entity.attribute(name).is_none()
        {
            findings.error(
                place().attribute(name),
                format!(
                    "its expiry is counted from the attribute `{name}`, which it does not have"
                ),
                "Declare the attribute, or count from `creation` or from the last `change`.",
            );
        }
    }
}

fn in_operations(subject: &Subject<'_>, findings: &mut Findings) {
    let tables = || list(subject.design.tables.iter().map(|table| table.name.as_str()));
    for step in &subject.steps {
        let Some(table) = step.table else {
            let message = match &step.operation.table {
                Some(name) => format!("the operation is on the table `{name}`, which there is not"),
                None => "the operation does not say on which of the tables it is".to_owned(),
            };
            findings.error(step.place(), message, format!("Name one of: {}.", tables()));
            continue;
        };
        if let Some(index) = &step.operation.index
            && table.index(index).is_none()
        {
            findings.error(
                step.place().index(index),
                format!(
                    "the operation is on the index `{index}`, which `{}` does not have",
                    table.name
                ),
                format!(
                    "Declare the index, or take one of: {}.",
                    list(table.indexes.iter().map(Index::name))
                ),
            );
        }
        for name in &step.operation.entities {
            if table.entity(name).is_none() {
                findings.error(
                    step.place().entity(name),
                    format!(
                        "the operation is about the entity `{name}`, which `{}` does not have",
                        table.name
                    ),
                    format!(
                        "Declare the entity, or take one of: {}.",
                        list(table.entities.iter().map(|entity| entity.name.as_str()))
                    ),
                );
            }
        }
    }
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "(there is none yet)".to_owned() } else { names.join(", ") }
}
