//! Conditions.

use super::document::lookup;
use singlet_dynamo::expression::{Comparator, Condition, Operand, Path, Test};
use singlet_dynamo::{Item, Type, Value};
use std::cmp::Ordering;

/// A condition on an item.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the variants are the operators' names")]
pub enum Claim {
    And(Vec<Claim>),
    Or(Vec<Claim>),
    Not(Box<Claim>),
    Compare(Side, Comparator, Side),
    Between(Side, Side, Side),
    In(Side, Vec<Side>),
    Exists(Path),
    NotExists(Path),
    HasType(Side, Type),
    BeginsWith(Side, Side),
    Contains(Side, Side),
}

/// An operand of a comparison.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the variants are the kinds of operands")]
pub enum Side {
    Path(Path),
    Value(Value),
    SizeOf(Box<Side>),
}

impl Side {
    fn of(operand: &Operand) -> Self {
        match operand {
            Operand::Path(path) => Self::Path(path.clone()),
            Operand::Value(value) => Self::Value(value.clone()),
            Operand::Size(measured) => Self::SizeOf(Box::new(Self::of(&measured.operand()))),
        }
    }

    fn build(&self) -> Option<Operand> {
        match self {
            Self::Path(path) => Some(Operand::Path(path.clone())),
            Self::Value(value) => Some(Operand::Value(value.clone())),
            Self::SizeOf(side) => Operand::size(side.build()?).ok(),
        }
    }

    fn find(&self, item: &Item) -> Option<Value> {
        match self {
            Self::Path(path) => lookup(item, path),
            Self::Value(value) => Some(value.clone()),
            Self::SizeOf(side) => {
                let size = match side.find(item)? {
                    Value::S(text) => text.encode_utf16().count(),
                    Value::B(bytes) => bytes.len(),
                    Value::L(list) => list.len(),
                    Value::M(map) => map.len(),
                    Value::Ss(set) => set.len(),
                    Value::Ns(set) => set.len(),
                    Value::Bs(set) => set.len(),
                    Value::N(_) | Value::Bool(_) | Value::Null => return None,
                };
                Some(Value::from(i64::try_from(size).expect("sizes are small")))
            }
        }
    }
}

impl Claim {
    /// Converts a condition.
    #[must_use]
    pub fn of(condition: &Condition) -> Self {
        let all = |parts: &[Condition]| parts.iter().map(Self::of).collect();
        match condition.test() {
            Test::And(parts) => Self::And(all(parts)),
            Test::Or(parts) => Self::Or(all(parts)),
            Test::Not(part) => Self::Not(Box::new(Self::of(part))),
            Test::Compare(a, comparator, b) => Self::Compare(Side::of(a), *comparator, Side::of(b)),
            Test::Between(a, b, c) => Self::Between(Side::of(a), Side::of(b), Side::of(c)),
            Test::In(a, list) => Self::In(Side::of(a), list.iter().map(Side::of).collect()),
            Test::AttributeExists(path) => Self::Exists(path.clone()),
            Test::AttributeNotExists(path) => Self::NotExists(path.clone()),
            Test::AttributeType(a, kind) => Self::HasType(Side::of(a), *kind),
            Test::BeginsWith(a, b) => Self::BeginsWith(Side::of(a), Side::of(b)),
            Test::Contains(a, b) => Self::Contains(Side::of(a), Side::of(b)),
        }
    }

    /// Converts to a condition; `None` if it is invalid.
    #[must_use]
    pub fn build(&self) -> Option<Condition> {
        let all = |parts: &[Self]| parts.iter().map(Self::build).collect::<Option<Vec<_>>>();
        match self {
            Self::And(parts) => Condition::and(all(parts)?).ok(),
            Self::Or(parts) => Condition::or(all(parts)?).ok(),
            Self::Not(part) => Condition::not(part.build()?).ok(),
            Self::Compare(a, comparator, b) => {
                Condition::compare(a.build()?, *comparator, b.build()?).ok()
            }
            Self::Between(a, b, c) => Condition::between(a.build()?, b.build()?, c.build()?).ok(),
            Self::In(a, list) => {
                let list = list.iter().map(Side::build).collect::<Option<Vec<_>>>()?;
                Condition::is_in(a.build()?, list).ok()
            }
            Self::Exists(path) => Some(Condition::attribute_exists(path.clone())),
            Self::NotExists(path) => Some(Condition::attribute_not_exists(path.clone())),
            Self::HasType(a, kind) => Some(Condition::attribute_type(a.build()?, *kind)),
            Self::BeginsWith(a, b) => Condition::begins_with(a.build()?, b.build()?).ok(),
            Self::Contains(a, b) => Condition::contains(a.build()?, b.build()?).ok(),
        }
    }

    /// Evaluates the condition. A missing item is an empty one.
    #[must_use]
    pub fn holds(&self, item: &Item) -> bool {
        let pair = |a: &Side, b: &Side| Some((a.find(item)?, b.find(item)?));
        match self {
            Self::And(parts) => !parts.iter().any(|part| !part.holds(item)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(item)),
            Self::Not(part) => !part.holds(item),
            Self::Compare(a, comparator, b) => {
                let equal = pair(a, b).is_some_and(|(a, b)| a == b);
                let order = pair(a, b).and_then(|(a, b)| order(&a, &b));
                match comparator {
                    Comparator::Equal => equal,
                    Comparator::NotEqual => !equal,
                    Comparator::Less => order == Some(Ordering::Less),
                    Comparator::Greater => order == Some(Ordering::Greater),
                    Comparator::LessOrEqual => {
                        matches!(order, Some(Ordering::Less | Ordering::Equal))
                    }
                    Comparator::GreaterOrEqual => {
                        matches!(order, Some(Ordering::Greater | Ordering::Equal))
                    }
                }
            }
            Self::Between(a, low, high) => {
                let at_least = Self::Compare(a.clone(), Comparator::GreaterOrEqual, low.clone());
                let at_most = Self::Compare(a.clone(), Comparator::LessOrEqual, high.clone());
                at_least.holds(item) && at_most.holds(item)
            }
            Self::In(a, list) => list
                .iter()
                .any(|b| Self::Compare(a.clone(), Comparator::Equal, b.clone()).holds(item)),
            Self::Exists(path) => lookup(item, path).is_some(),
            Self::NotExists(path) => lookup(item, path).is_none(),
            Self::HasType(a, kind) => a.find(item).is_some_and(|value| value.kind() == *kind),
            Self::BeginsWith(a, b) => match pair(a, b) {
                Some((Value::S(a), Value::S(b))) => a.starts_with(&b),
                Some((Value::B(a), Value::B(b))) => a.starts_with(&b),
                _ => false,
            },
            Self::Contains(a, b) => match pair(a, b) {
                Some((Value::S(a), Value::S(b))) => a.contains(&b),
                Some((Value::B(a), Value::B(b))) => {
                    (0..=a.len()).any(|start| a[start..].starts_with(&b))
                }
                Some((Value::Ss(set), Value::S(b))) => set.iter().any(|one| *one == b),
                Some((Value::Ns(set), Value::N(b))) => set.iter().any(|one| *one == b),
                Some((Value::Bs(set), Value::B(b))) => set.iter().any(|one| *one == b),
                Some((Value::L(list), b)) => list.contains(&b),
                _ => false,
            },
        }
    }
}

/// Compares two values of the same ordered type.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::S(a), Value::S(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::N(a), Value::N(b)) => Some(a.cmp(b)),
        (Value::B(a), Value::B(b)) => Some(a.cmp(b)),
        _ => None,
    }
}
