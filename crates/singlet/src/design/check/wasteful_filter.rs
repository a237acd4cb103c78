//! SD310: a filter that discards most of the items read.

use super::{Findings, Rule};
use crate::design::Action;
use crate::design::subject::{Step, Subject};

pub(super) const RULE: Rule =
    Rule { code: "SD310", title: "a filter discards most of what is read", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let operation = step.operation;
        if operation.filter.is_none() || !matches!(operation.action, Action::Query | Action::Scan) {
            continue;
        }
        // A filter on the expiry discards only items that are about to be deleted anyway.
        if is_guard(step) {
            continue;
        }
        match (operation.items, operation.reads) {
            (Some(items), Some(reads)) if items.saturating_mul(2) >= reads => {}
            (Some(items), Some(reads)) => findings.warning(
                step.place(),
                format!(
                    "the filter keeps {items} of {reads} items, and all that are read are paid for"
                ),
                ADVICE,
            ),
            _ if operation.action == Action::Scan => findings.warning(
                step.place(),
                "the scan reads and pays for everything, and then filters",
                ADVICE,
            ),
            _ => findings.note(
                step.place(),
                "how much the filter discards is not said; all that is read is paid for",
                "Say how many `items` it gives and how many it `reads`, as a rule.",
            ),
        }
    }
}

const ADVICE: &str = "Put what is filtered by into a key: a sort key that begins with it, or a sparse index that has only those items. Or accept it, if the number of items is bounded and small.";

/// Whether the filter uses only expiry attributes.
fn is_guard(step: &Step<'_>) -> bool {
    let Some(Ok(filter)) = &step.filter else {
        return false;
    };
    let expiry = super::unguarded_expiry::attributes(step);
    filter.attribute_names().iter().all(|name| expiry.contains(name))
}
