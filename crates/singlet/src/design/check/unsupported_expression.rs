//! SD108: an expression that the operation does not accept.

use super::{Findings, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD108", title: "an operation does not take an expression", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let operation = step.operation;
        let (filter, condition, update) = match operation.action {
            Action::Query | Action::Scan => (true, false, false),
            Action::PutItem | Action::DeleteItem | Action::ConditionCheck => (false, true, false),
            Action::UpdateItem => (false, true, true),
            Action::GetItem | Action::BatchGetItem | Action::BatchWriteItem => {
                (false, false, false)
            }
            Action::Other(_) => continue,
        };
        for (given, is_taken, name) in [
            (&operation.filter, filter, "filter"),
            (&operation.condition, condition, "condition"),
            (&operation.update, update, "update"),
        ] {
            if given.is_some() && !is_taken {
                findings.error(
                    step.place(),
                    format!("{} takes no {name}", operation.action),
                    advice(&operation.action, name),
                );
            }
        }
    }
}

fn advice(action: &Action, expression: &str) -> &'static str {
    match (action, expression) {
        (Action::BatchWriteItem, "condition") => {
            "Write each item by itself with its condition, or all of them in a transaction."
        }
        (Action::GetItem | Action::BatchGetItem, _) => {
            "It gives the item with the key, whatever the item holds: decide in the code."
        }
        (Action::Query | Action::Scan, "condition") => {
            "Say what items must be like in `filter`, or in `key` for key attributes."
        }
        (_, "filter") => "A write has a `condition`, which decides whether it happens.",
        (_, "update") => "Only an UpdateItem changes attributes; a PutItem replaces the item.",
        _ => "Leave it out.",
    }
}
