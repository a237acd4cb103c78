//! SD308: a strongly consistent read of a global index.

use super::{Findings, Rule};
use crate::design::subject::Subject;
use singlet_dynamo::schema::Scope;

pub(super) const RULE: Rule =
    Rule { code: "SD308", title: "a strongly consistent read of a global index", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in subject.steps.iter().filter(|step| step.operation.consistent) {
        let index = step.operation.index.as_deref();
        let index = index.zip(step.table).and_then(|(name, table)| table.index(name));
        if let Some(index) = index.filter(|index| index.scope == Scope::Global) {
            findings.error(
                step.place().index(&index.name),
                format!("the read of the global index `{}` is to be strongly consistent, which DynamoDB refuses", index.name),
                "Read eventually consistently and be ready for what is not there yet, or keep a lookup item in the table and read that.",
            );
        }
    }
}
