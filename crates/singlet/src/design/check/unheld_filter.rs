//! SD314: a filter on an attribute that the index does not project.

use super::{Findings, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD314", title: "a filter is on an attribute that the index does not hold", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let index = step.operation.index.as_deref();
        let (Some(table), Some(Ok(filter))) = (step.table, &step.filter) else {
            continue;
        };
        let Some(index) = index.and_then(|name| table.index(name)) else {
            continue;
        };
        let is_held = |name: &str| {
            let is_projected = index.projection.holds(name);
            is_projected || index.key.contains(name) || table.key.contains(name)
        };
        let mut names = filter.attribute_names();
        names.sort_unstable();
        names.dedup();
        for name in names.into_iter().filter(|name| !is_held(name)) {
            findings.error(
                step.place().index(&index.name).attribute(name),
                format!("the filter is on `{name}`, which the index `{}` does not hold", index.name),
                "Let the index project the attribute too; an index that exists is replaced by another one for that.",
            );
        }
    }
}
