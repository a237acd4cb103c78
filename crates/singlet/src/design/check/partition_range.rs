//! SD302: a query with a range on the partition key.

use super::{Findings, Rule};
use crate::design::subject::Subject;
use crate::design::{Action, KeyAttribute, KeyTest};

pub(super) const RULE: Rule =
    Rule { code: "SD302", title: "a query asks for a range of partitions", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let (Action::Query, Some(key)) = (&step.operation.action, step.key()) else {
            continue;
        };
        for partition in key.partition.iter().map(KeyAttribute::name) {
            let test = step.operation.key_test(partition);
            if test.is_none_or(|test| matches!(test, KeyTest::Equals(_))) {
                continue;
            }
            findings.error(
                step.place().attribute(partition),
                format!("the query asks for a range of `{partition}`, which is the partition key: DynamoDB takes only `=` there"),
                "Move what is ranged over into a sort key, under a partition key that is known.",
            );
        }
    }
}
