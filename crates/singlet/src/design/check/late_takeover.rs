//! SD603: an expired item blocks its takeover for one tick too long.

use super::unguarded_expiry::attribute;
use super::{Findings, Rule};
use crate::design::subject::Subject;
use singlet_dynamo::expression::{Comparator, Condition, Operand, Test};

pub(super) const RULE: Rule =
    Rule { code: "SD603", title: "an expired item blocks for a moment more", find };

fn find(subject: &Subject<'_>, findings: &mut Findings) {
    for step in &subject.steps {
        let (Some(table), Some(Ok(condition))) = (step.table, &step.condition) else {
            continue;
        };
        let Test::Or(choices) = condition.test() else {
            continue;
        };
        // A takeover's condition: the item does not exist or has expired.
        let is_takeover =
            choices.iter().any(|choice| matches!(choice.test(), Test::AttributeNotExists(_)));
        for entity in step.entities() {
            let Some(name) = attribute(table, entity) else {
                continue;
            };
            if is_takeover && choices.iter().any(|choice| is_strictly_below(choice, name)) {
                findings.note(
                    step.place().entity(&entity.name).attribute(name),
                    format!("an item counts as expired only when `{name}` is less than now: in the moment in which they are equal, a whole second if it is counted in seconds, nobody has it and nobody gets it"),
                    format!("Compare with `<=`, and with the same sign wherever `{name}` is read."),
                );
            }
        }
    }
}

fn is_strictly_below(condition: &Condition, name: &str) -> bool {
    let is_expiry =
        |operand: &Operand| matches!(operand, Operand::Path(path) if path.name() == name);
    match condition.test() {
        Test::Compare(left, Comparator::Less, Operand::Value(_)) => is_expiry(left),
        Test::Compare(Operand::Value(_), Comparator::Greater, right) => is_expiry(right),
        _ => false,
    }
}
