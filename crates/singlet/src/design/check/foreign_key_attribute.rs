//! SD304: an operation's key has an attribute that is not a key attribute.

use super::{Findings, Rule};
use crate::design::KeyAttribute;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD304", title: "an operation is keyed by an attribute that is no key", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let (Some(table), Some(key)) = (step.table, step.key()) else {
            continue;
        };
        let names: Vec<&str> = key.iter().map(KeyAttribute::name).collect();
        let keyed = match &step.operation.index {
            None => format!("`{}` is keyed by ({})", table.name, names.join(", ")),
            Some(index) => format!("the index `{index}` is keyed by ({})", names.join(", ")),
        };
        for name in step.foreign_attributes() {
            findings.error(
                step.place().attribute(name),
                format!("the operation is keyed by `{name}`, and {keyed}"),
                "Use one name for one thing: rename the key attribute in the table, or in the operation. If it is meant as a filter, put it into `filter`.",
            );
        }
    }
}
