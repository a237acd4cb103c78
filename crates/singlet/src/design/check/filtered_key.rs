//! SD313: a query filters on an attribute of its own key.

use super::{Findings, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule { code: "SD313", title: "a query filters by its own key", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let (Action::Query, Some(key), Some(Ok(filter))) =
            (&step.operation.action, step.key(), &step.filter)
        else {
            continue;
        };
        let mut names = filter.attribute_names();
        names.sort_unstable();
        names.dedup();
        for name in names.into_iter().filter(|name| key.contains(name)) {
            findings.error(
                step.place().attribute(name),
                format!("the filter is on `{name}`, a key attribute of what is queried, which DynamoDB refuses"),
                "Say it in `key`: `=` for the partition key, a range or a prefix for the sort key. What these cannot say is decided in the code, or by an attribute of its own.",
            );
        }
    }
}
