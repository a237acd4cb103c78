//! SD405: an update changes part of the primary key.

use super::{Findings, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD405", title: "an update changes the primary key", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let Some(table) = step.table else {
            continue;
        };
        let changed = step.changed_attributes();
        for entity in step.entities() {
            for (attribute, template) in table.key.iter().zip(entity.key.templates()) {
                let own = std::iter::once(attribute.name());
                let Some(part) = own.chain(template.fields()).find(|name| changed.contains(name))
                else {
                    continue;
                };
                findings.error(
                    step.place().entity(&entity.name).attribute(part),
                    format!("the update changes `{part}`, which is in the primary key of `{}` (`{}` is `{template}`)", entity.name, attribute.name),
                    "An item keeps its key for life: delete it and put it under the new key, in one transaction.",
                );
            }
        }
    }
}
