//! SD107: an expression that DynamoDB rejects.

use super::{Findings, Rule};
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule { code: "SD107", title: "DynamoDB refuses an expression", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let faults = [
            step.filter.as_ref().and_then(|filter| filter.as_ref().err()),
            step.condition.as_ref().and_then(|condition| condition.as_ref().err()),
            step.update.as_ref().and_then(|update| update.as_ref().err()),
        ];
        for fault in faults.into_iter().flatten() {
            findings.error(
                step.place(),
                fault.as_str(),
                "Write the expression as DynamoDB reads it, with values as placeholders such as `:now`.",
            );
        }
    }
}
