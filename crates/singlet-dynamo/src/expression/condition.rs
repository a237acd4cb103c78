//! Conditions: predicates over an item.

mod evaluate;
mod parse;
mod search;

pub use evaluate::Evaluator;

use super::{Fault, Function, IN_OPERANDS_MAX, OPERATORS_MAX, Operand, Path};
use crate::{Type, Value};
use std::fmt;

/// IN with more operands makes a condition large, so that its tests are charged one by one.
const SMALL_LIST_LEN_MAX: usize = 16;

/// A predicate over one item.
///
/// Represents a ConditionExpression, a FilterExpression, or the legacy parameters Expected,
/// QueryFilter and ScanFilter. Created from text by [`Condition::parse`], or by the constructors,
/// which refuse what the service refuses.
///
/// ```
/// use singlet_dynamo::Value;
/// use singlet_dynamo::expression::{Comparator, Condition, Operand, Path, Printer};
///
/// let turn = Operand::Path(Path::attribute("turn")?);
/// let mine = Condition::compare(turn, Comparator::Equal, Operand::Value("player-1".into()))?;
/// let running = Condition::attribute_not_exists(Path::attribute("winner")?);
/// let condition = Condition::and(vec![mine, running])?;
///
/// let mut printer = Printer::new();
/// assert_eq!(printer.condition(&condition), "#0 = :0 AND attribute_not_exists(#1)");
/// # Ok::<(), singlet_dynamo::expression::Fault>(())
/// ```
// Invariant: an expression has at most OPERATORS_MAX `operators`, so no condition is nested deeper
// than that, and evaluating, printing and dropping one may recurse. Legacy parameters have no such
// limit; their conditions are wide, but only a few levels deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    test: Test,
    /// The number of operators and functions, as the service counts them.
    operators: usize,
    /// Whether it compares with large values, or with many.
    is_large: bool,
}

/// The content of a [`Condition`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// All of these hold: two or more, without a nested `And`.
    And(Vec<Condition>),
    /// At least one of these holds: two or more, without a nested `Or`.
    Or(Vec<Condition>),
    /// This does not hold.
    Not(Box<Condition>),
    /// `left = right`, and so on.
    Compare(Operand, Comparator, Operand),
    /// `operand BETWEEN lower AND upper`.
    Between(Operand, Operand, Operand),
    /// `operand IN (one, another)`.
    In(Operand, Vec<Operand>),
    /// `attribute_exists(path)`.
    AttributeExists(Path),
    /// `attribute_not_exists(path)`.
    AttributeNotExists(Path),
    /// `attribute_type(operand, :type)`.
    AttributeType(Operand, Type),
    /// `begins_with(operand, prefix)`.
    BeginsWith(Operand, Operand),
    /// `contains(operand, part)`.
    Contains(Operand, Operand),
}

/// How two operands are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`, which holds whenever `=` does not, including for a missing operand.
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparator {
    /// The operator in expressions.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// The comparator for swapped operands.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    fn is_for_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sign())
    }
}

impl Condition {
    /// `left = right`, and so on. Only values of type S, N and B have an order.
    pub fn compare(left: Operand, comparator: Comparator, right: Operand) -> Result<Self, Fault> {
        distinct(comparator.sign(), &left, [&right])?;
        if !comparator.is_for_equality() {
            ordered(comparator.sign(), [&left, &right])?;
        }
        Ok(Self::made(Test::Compare(left, comparator, right)))
    }

    /// `operand BETWEEN lower AND upper`, inclusive.
    pub fn between(operand: Operand, lower: Operand, upper: Operand) -> Result<Self, Fault> {
        ordered("BETWEEN", [&operand, &lower, &upper])?;
        distinct("BETWEEN", &operand, [&lower, &upper])?;
        if let (Operand::Value(low), Operand::Value(high)) = (&lower, &upper) {
            let bounds = || Box::new((low.clone(), high.clone()));
            if low.kind() != high.kind() {
                return Err(Fault::BoundTypes(bounds()));
            }
            if order_of_bounds(low, high) == Some(std::cmp::Ordering::Greater) {
                return Err(Fault::BoundOrder(bounds()));
            }
        }
        Ok(Self::made(Test::Between(operand, lower, upper)))
    }

    /// `operand IN (one, another)`.
    pub fn is_in(operand: Operand, list: Vec<Operand>) -> Result<Self, Fault> {
        let count = list.len();
        let condition = Self::is_among(operand, list)?;
        if count > IN_OPERANDS_MAX {
            return Err(Fault::TooManyInOperands(count));
        }
        Ok(condition)
    }

    /// Like [`is_in`](Self::is_in), with any number of operands: only expressions limit them.
    pub(crate) fn is_among(operand: Operand, list: Vec<Operand>) -> Result<Self, Fault> {
        if list.is_empty() {
            return Err(Fault::Empty);
        }
        distinct("IN", &operand, &list)?;
        Ok(Self::made(Test::In(operand, list)))
    }

    /// `attribute_exists(path)`.
    #[must_use]
    pub fn attribute_exists(path: Path) -> Self {
        Self::made(Test::AttributeExists(path))
    }

    /// `attribute_not_exists(path)`.
    #[must_use]
    pub fn attribute_not_exists(path: Path) -> Self {
        Self::made(Test::AttributeNotExists(path))
    }

    /// `attribute_type(operand, :type)`.
    #[must_use]
    pub fn attribute_type(operand: Operand, kind: Type) -> Self {
        Self::made(Test::AttributeType(operand, kind))
    }

    /// `begins_with(operand, prefix)`, for strings or binaries.
    pub fn begins_with(operand: Operand, prefix: Operand) -> Result<Self, Fault> {
        let name = Function::BeginsWith.name();
        distinct(name, &operand, [&prefix])?;
        for kind in [&operand, &prefix].into_iter().filter_map(Operand::known_type) {
            if !matches!(kind, Type::S | Type::B) {
                return Err(Fault::OperandType(name, kind));
            }
        }
        Ok(Self::made(Test::BeginsWith(operand, prefix)))
    }

    /// `contains(operand, part)`: a substring, part of a binary, or element of a set or list.
    pub fn contains(operand: Operand, part: Operand) -> Result<Self, Fault> {
        distinct(Function::Contains.name(), &operand, [&part])?;
        Ok(Self::made(Test::Contains(operand, part)))
    }

    /// All of these hold. Needs at least one.
    pub fn and(conditions: Vec<Self>) -> Result<Self, Fault> {
        Self::joined(conditions, Self::and_also)
    }

    /// At least one of these holds. Needs at least one.
    pub fn or(conditions: Vec<Self>) -> Result<Self, Fault> {
        Self::joined(conditions, Self::or_else)
    }

    /// The condition does not hold.
    #[expect(clippy::should_implement_trait, reason = "it can fail")]
    pub fn not(condition: Self) -> Result<Self, Fault> {
        condition.negated().counted()
    }

    fn joined(conditions: Vec<Self>, join: fn(Self, Self) -> Self) -> Result<Self, Fault> {
        // Counted before joining, so that nothing is ever nested too deep.
        let operators: usize = conditions.iter().map(|condition| condition.operators + 1).sum();
        if operators > OPERATORS_MAX + 1 {
            return Err(Fault::TooManyOperators);
        }
        conditions.into_iter().reduce(join).ok_or(Fault::Empty)?.counted()
    }

    fn counted(self) -> Result<Self, Fault> {
        if self.operators > OPERATORS_MAX { Err(Fault::TooManyOperators) } else { Ok(self) }
    }

    /// Both hold. The caller counts the operators.
    pub(crate) fn and_also(self, other: Self) -> Self {
        let operators = self.operators + other.operators + 1;
        let is_large = self.is_large || other.is_large;
        let mut all = match self.test {
            Test::And(parts) => parts,
            _ => few(self),
        };
        match other.test {
            Test::And(parts) => all.extend(parts),
            _ => all.push(other),
        }
        Self { test: Test::And(all), operators, is_large }
    }

    /// At least one of both holds. The caller counts the operators.
    pub(crate) fn or_else(self, other: Self) -> Self {
        let operators = self.operators + other.operators + 1;
        let is_large = self.is_large || other.is_large;
        let mut all = match self.test {
            Test::Or(parts) => parts,
            _ => few(self),
        };
        match other.test {
            Test::Or(parts) => all.extend(parts),
            _ => all.push(other),
        }
        Self { test: Test::Or(all), operators, is_large }
    }

    fn negated(self) -> Self {
        let (operators, is_large) = (self.operators + 1, self.is_large);
        Self { test: Test::Not(Box::new(self)), operators, is_large }
    }

    /// A test without connectives, with its operators counted.
    fn made(test: Test) -> Self {
        let sizes = |operands: &[&Operand]| {
            operands.iter().filter(|operand| matches!(operand, Operand::Size(_))).count()
        };
        let operators = 1 + match &test {
            Test::Compare(a, _, b) | Test::BeginsWith(a, b) | Test::Contains(a, b) => {
                sizes(&[a, b])
            }
            Test::Between(a, b, c) => sizes(&[a, b, c]),
            Test::In(a, list) => sizes(&[a]) + list.iter().map(|one| sizes(&[one])).sum::<usize>(),
            Test::AttributeType(a, _) => sizes(&[a]),
            _ => 0,
        };
        let is_large = match &test {
            Test::Compare(a, _, b) | Test::BeginsWith(a, b) | Test::Contains(a, b) => {
                a.is_large() || b.is_large()
            }
            Test::Between(a, b, c) => a.is_large() || b.is_large() || c.is_large(),
            Test::In(a, list) => {
                list.len() > SMALL_LIST_LEN_MAX
                    || a.is_large()
                    || list.iter().any(Operand::is_large)
            }
            _ => false,
        };
        Self { test, operators, is_large }
    }

    /// The condition's content.
    #[must_use]
    pub fn test(&self) -> &Test {
        &self.test
    }

    pub(super) fn into_test(self) -> Test {
        self.test
    }

    /// The names of the attributes in the condition, in text order, with duplicates.
    #[must_use]
    pub fn attribute_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.visit_paths(&mut |path| names.push(path.name()));
        names
    }

    /// Calls the function with each path of the condition, in text order.
    pub(super) fn visit_paths<'a>(&'a self, visit: &mut impl FnMut(&'a Path)) {
        let mut operands = |operands: &[&'a Operand]| {
            operands.iter().filter_map(|operand| operand.path()).for_each(&mut *visit);
        };
        match &self.test {
            Test::And(parts) | Test::Or(parts) => {
                parts.iter().for_each(|part| part.visit_paths(visit));
            }
            Test::Not(condition) => condition.visit_paths(visit),
            Test::Compare(a, _, b) | Test::BeginsWith(a, b) | Test::Contains(a, b) => {
                operands(&[a, b]);
            }
            Test::Between(a, b, c) => operands(&[a, b, c]),
            Test::In(a, list) => {
                operands(&[a]);
                list.iter().for_each(|one| operands(&[one]));
            }
            Test::AttributeExists(path) | Test::AttributeNotExists(path) => visit(path),
            Test::AttributeType(a, _) => operands(&[a]),
        }
    }
}

/// A vector with one condition, and capacity for the usual number.
fn few(condition: Condition) -> Vec<Condition> {
    let mut all = Vec::with_capacity(4);
    all.push(condition);
    all
}

/// Refuses comparing a path with itself.
fn distinct<'a>(
    operator: &'static str,
    first: &Operand,
    others: impl IntoIterator<Item = &'a Operand>,
) -> Result<(), Fault> {
    if let Operand::Path(path) = first
        && others.into_iter().any(|other| matches!(other, Operand::Path(own) if own == path))
    {
        return Err(Fault::SameOperand(operator, path.clone()));
    }
    Ok(())
}

/// Refuses operands of an unordered type.
fn ordered<const N: usize>(operator: &'static str, operands: [&Operand; N]) -> Result<(), Fault> {
    match operands
        .into_iter()
        .filter_map(Operand::known_type)
        .find(|kind| !matches!(kind, Type::S | Type::N | Type::B))
    {
        Some(kind) => Err(Fault::OperandType(operator, kind)),
        None => Ok(()),
    }
}

pub(super) fn order_of_bounds(lower: &Value, upper: &Value) -> Option<std::cmp::Ordering> {
    use super::operand::Found;
    Found::Given(lower).order(&Found::Given(upper))
}
