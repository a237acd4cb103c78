//! SD504: a transaction exceeds DynamoDB's item limit.

use super::{Findings, Place, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule =
    Rule { code: "SD504", title: "a transaction has more than 100 items", find };

/// Maximum number of items in a transaction.
const ITEMS_MAX: u64 = 100;

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for pattern in subject.design.patterns.iter().filter(|pattern| pattern.transaction) {
        // If the transaction writes, its reads happen before it and do not count.
        let is_part = |action: &Action| action.is_write() || *action == Action::ConditionCheck;
        let writes = pattern.operations.iter().any(|operation| is_part(&operation.action));
        let own = pattern.operations.iter().filter(|operation| match writes {
            true => is_part(&operation.action),
            false => operation.action.is_read(),
        });
        let items = own.map(|operation| operation.items.unwrap_or(1)).fold(0, u64::saturating_add);
        if items > ITEMS_MAX {
            findings.error(
                Place::pattern(&pattern.name),
                format!("the transaction has {items} items, and DynamoDB takes at most {ITEMS_MAX}"),
                "Make fewer items of them, or several transactions that can each be repeated, with a marker that says how far they got.",
            );
        }
    }
}
