//! SD315: a query skips one of an index's sort attributes.

use super::{Findings, Rule};
use crate::design::subject::Subject;
use crate::design::{Action, KeyTest};

pub(super) const RULE: Rule = Rule { code: "SD315", title: "a query skips a sort attribute", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let (Action::Query, Some(key)) = (&step.operation.action, step.key()) else {
            continue;
        };
        let mut open: Option<&str> = None;
        for attribute in key.sort.iter() {
            let test = step.operation.key_test(&attribute.name);
            if let (Some(open), Some(_)) = (open, test) {
                findings.error(
                    step.place().attribute(&attribute.name),
                    format!(
                        "the query asks for `{}`, and not for one value of `{open}`, which stands before it in the key",
                        attribute.name
                    ),
                    format!("Give `{open}` by equality, or leave out what comes behind it. Sort attributes are given from the left, and only the last one given can be a range."),
                );
                break;
            }
            if !matches!(test, Some(KeyTest::Equals(_))) {
                open = Some(&attribute.name);
            }
        }
    }
}
