//! SD402: an index, or an entity's rows in it, that nothing reads.

use super::{Findings, Place, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule { code: "SD402", title: "nothing reads an index", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    // A design without patterns does not describe its reads.
    if subject.design.patterns.is_empty() {
        return;
    }
    for table in &subject.design.tables {
        for index in &table.indexes {
            let is_of_index = |name: &Option<String>| name.as_deref() == Some(index.name());
            let reads = subject.steps.iter().filter(|step| {
                matches!(step.operation.action, Action::Query | Action::Scan)
                    && is_of_index(&step.operation.index)
                    && step.table.is_some_and(|own| own.name == table.name)
            });
            let place = Place::table(&table.name).index(&index.name);
            if reads.clone().next().is_none() {
                findings.warning(
                    place,
                    format!("no access pattern reads the index `{}`, and every write to it is paid for", index.name),
                    "Name the pattern that it serves, or leave the index out until something needs it.",
                );
                continue;
            }
            for entity in &table.entities {
                if entity.is_in_index(&index.name)
                    && !reads.clone().any(|step| step.can_reach(entity))
                {
                    findings.warning(
                        place.clone().entity(&entity.name),
                        format!("`{}` has a key in the index `{}`, and no access pattern reads it there", entity.name, index.name),
                        "Name the pattern that it serves, or leave the key out.",
                    );
                }
            }
        }
    }
}
