//! SD303: an operation on single items without their whole key.

use super::{Findings, Rule};
use crate::design::KeyTest;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD303", title: "an item is asked for without its whole key", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in subject.steps.iter().filter(|step| step.is_by_key()) {
        let Some(table) = step.table else {
            continue;
        };
        let action = &step.operation.action;
        if let Some(index) = &step.operation.index {
            findings.error(
                step.place().index(index),
                format!("{action} is on the index `{index}`, and takes only the key of the table"),
                "Query the index, or use the primary key.",
            );
            continue;
        }
        // An empty key means the entity's whole key. SD304 reports foreign attributes.
        if step.operation.key.is_empty() || !step.foreign_attributes().is_empty() {
            continue;
        }
        for attribute in table.key.iter() {
            let name = &attribute.name;
            match step.operation.key_test(name) {
                Some(KeyTest::Equals(_)) => {}
                Some(_) => findings.error(
                    step.place().attribute(name),
                    format!("{action} gives a range of `{name}`, and takes exactly one item"),
                    "Query for the keys first, then act on each item.",
                ),
                None => findings.error(
                    step.place().attribute(name),
                    format!("{action} gives no value of `{name}`, and needs the whole key"),
                    format!("Give `{name}` a value; or query for the items, if there can be several; or take `{name}` out of the key, if there is only one."),
                ),
            }
        }
    }
}
