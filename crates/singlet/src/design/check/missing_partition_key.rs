//! SD301: a query that does not say which partition.

use super::{Findings, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD301", title: "a query does not say which partition", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        // If it names other attributes, that is what is wrong, and SD304 tells it.
        let (Action::Query, Some(key), true) =
            (&step.operation.action, step.key(), step.foreign_attributes().is_empty())
        else {
            continue;
        };
        let partition = &key.partition.name;
        if step.operation.key_test(partition).is_none() {
            findings.error(
                step.place().attribute(partition),
                format!("the query says nothing of the partition key `{partition}`"),
                format!("Give `{partition}` a value. If there are several, make one query for each of them, at the same time, and merge what comes."),
            );
        }
    }
}
