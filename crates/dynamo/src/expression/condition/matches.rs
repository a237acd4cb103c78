//! Whether a condition holds.

use super::{Comparator, Condition, Test};
use crate::binary::ItemRef;
use crate::expression::Operand;
use std::cmp::Ordering;

impl Condition {
    /// Whether the condition holds for an item, or for none: then no attribute exists.
    #[must_use]
    pub fn matches(&self, item: Option<ItemRef<'_>>) -> bool {
        match self.test() {
            Test::And(parts) => parts.iter().all(|part| part.matches(item)),
            Test::Or(parts) => parts.iter().any(|part| part.matches(item)),
            Test::Not(condition) => !condition.matches(item),
            Test::Compare(left, comparator, right) => compare(left, *comparator, right, item),
            Test::Between(operand, lower, upper) => {
                let holds = |bound: &Operand, ordering: fn(Ordering) -> bool| {
                    order(operand, bound, item).is_some_and(ordering)
                };
                holds(lower, Ordering::is_ge) && holds(upper, Ordering::is_le)
            }
            Test::In(operand, list) => operand.find(item).is_some_and(|found| {
                list.iter().any(|one| one.find(item).is_some_and(|one| found.equals(&one)))
            }),
            Test::AttributeExists(path) => item.and_then(|item| path.find(item)).is_some(),
            Test::AttributeNotExists(path) => item.and_then(|item| path.find(item)).is_none(),
            Test::AttributeType(operand, kind) => {
                operand.find(item).is_some_and(|found| found.kind() == *kind)
            }
            Test::BeginsWith(operand, prefix) => match (operand.find(item), prefix.find(item)) {
                (Some(found), Some(prefix)) => found.begins_with(&prefix),
                _ => false,
            },
            Test::Contains(operand, part) => match (operand.find(item), part.find(item)) {
                (Some(found), Some(part)) => found.contains(&part),
                _ => false,
            },
        }
    }
}

fn compare(
    left: &Operand,
    comparator: Comparator,
    right: &Operand,
    item: Option<ItemRef<'_>>,
) -> bool {
    let equal = || match (left.find(item), right.find(item)) {
        (Some(left), Some(right)) => left.equals(&right),
        _ => false,
    };
    let ordered = |holds: fn(Ordering) -> bool| order(left, right, item).is_some_and(holds);
    match comparator {
        Comparator::Equal => equal(),
        Comparator::NotEqual => !equal(),
        Comparator::Less => ordered(Ordering::is_lt),
        Comparator::LessOrEqual => ordered(Ordering::is_le),
        Comparator::Greater => ordered(Ordering::is_gt),
        Comparator::GreaterOrEqual => ordered(Ordering::is_ge),
    }
}

/// The order of two operands, if both are there, of one type, and that type has an order.
fn order(left: &Operand, right: &Operand, item: Option<ItemRef<'_>>) -> Option<Ordering> {
    left.find(item)?.order(&right.find(item)?)
}
