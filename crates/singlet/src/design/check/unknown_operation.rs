//! SD102: DynamoDB has no such operation.

use super::{Findings, Rule};
use crate::design::Action;
use crate::design::subject::Subject;

pub(super) const RULE: Rule = Rule { code: "SD102", title: "DynamoDB has no such operation", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        match &step.operation.action {
            Action::Other(name) => findings.error(
                step.place(),
                format!("DynamoDB has no operation `{name}`"),
                advice(name),
            ),
            Action::ConditionCheck if !step.pattern.transaction => findings.error(
                step.place(),
                "a ConditionCheck stands outside a transaction",
                "Say `\"transaction\": true` of the pattern, or put the condition on the write itself.",
            ),
            _ => {}
        }
    }
}

fn advice(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let has = |word: &str| name.contains(word);
    if has("transact") {
        "Say `\"transaction\": true` of the pattern, and list the operations that it consists of."
    } else if has("batch") && (has("delete") || has("put") || has("write")) {
        "Use BatchWriteItem, which puts or deletes up to 25 items (`\"deletes\": true`), and send again what comes back as UnprocessedItems."
    } else if has("batch") && has("update") {
        "Items cannot be updated in a batch: use UpdateItem for each, or a transaction of up to 100."
    } else if has("batch") {
        "Use BatchGetItem, which reads up to 100 items, and ask again for what comes back as UnprocessedKeys."
    } else {
        "Use GetItem, BatchGetItem, Query, Scan, PutItem, UpdateItem, DeleteItem, BatchWriteItem or ConditionCheck."
    }
}
