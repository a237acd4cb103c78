//! SD309: a scan in a user-facing pattern.

use super::{Findings, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule { code: "SD309", title: "a person waits for a scan", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        if step.operation.action == Action::Scan && step.pattern.caller.is_user() {
            let what = match &step.operation.index {
                Some(index) => format!("the whole index `{index}`"),
                None => "the whole table".to_owned(),
            };
            findings.warning(
                step.place(),
                format!("a person waits while {what} is read: the scan takes longer with every item"),
                "Give the items a common partition key, in the table or in an index, and query that; or accept it if their number is bounded, and keep the answer for a while.",
            );
        }
    }
}
