//! SD301: a query without a partition key.

use super::{Findings, Rule};
use crate::design::subject::Subject;
use crate::design::{Action, KeyAttribute};

pub(super) const RULE: Rule =
    Rule { code: "SD301", title: "a query does not say which partition", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        // SD304 reports queries with foreign attributes.
        let (Action::Query, Some(key), true) =
            (&step.operation.action, step.key(), step.foreign_attributes().is_empty())
        else {
            continue;
        };
        for partition in key.partition.iter().map(KeyAttribute::name) {
            if step.operation.key_test(partition).is_some() {
                continue;
            }
            findings.error(
                step.place().attribute(partition),
                format!("the query says nothing of the partition key `{partition}`"),
                format!("Give `{partition}` a value. If there are several, make one query for each of them, at the same time, and merge what comes."),
            );
        }
    }
}
