//! The operators of legacy conditions.

use crate::error::{Error, Result};
use crate::expression::{Comparator, Condition, Fault, KeyTest, Operand, Path, unindexable};
use crate::{Type, Value};

/// A comparison operator of legacy conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparisonOperator {
    Eq,
    Ne,
    Le,
    Lt,
    Ge,
    Gt,
    Between,
    In,
    Null,
    NotNull,
    Contains,
    NotContains,
    BeginsWith,
}

impl ComparisonOperator {
    /// The names, in the service's order.
    pub(super) const CHOICES: [(&str, Self); 13] = [
        ("IN", Self::In),
        ("NULL", Self::Null),
        ("BETWEEN", Self::Between),
        ("LT", Self::Lt),
        ("NOT_CONTAINS", Self::NotContains),
        ("EQ", Self::Eq),
        ("GT", Self::Gt),
        ("NOT_NULL", Self::NotNull),
        ("NE", Self::Ne),
        ("LE", Self::Le),
        ("BEGINS_WITH", Self::BeginsWith),
        ("GE", Self::Ge),
        ("CONTAINS", Self::Contains),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::CHOICES.iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }

    fn takes_count(self, count: usize) -> bool {
        match self {
            Self::Null | Self::NotNull => count == 0,
            Self::Between => count == 2,
            Self::In => count > 0,
            _ => count == 1,
        }
    }

    fn takes_type(self, kind: Type) -> bool {
        match self {
            Self::Eq | Self::Ne | Self::Null | Self::NotNull => true,
            Self::BeginsWith => matches!(kind, Type::S | Type::B),
            Self::Contains | Self::NotContains => {
                !matches!(kind, Type::Ss | Type::Ns | Type::Bs | Type::M | Type::L)
            }
            Self::Le | Self::Lt | Self::Ge | Self::Gt | Self::Between | Self::In => {
                matches!(kind, Type::S | Type::N | Type::B)
            }
        }
    }

    /// The equivalent comparator for keys: all have one but NE.
    fn key_comparator(self) -> Option<Comparator> {
        match self {
            Self::Eq => Some(Comparator::Equal),
            Self::Le => Some(Comparator::LessOrEqual),
            Self::Lt => Some(Comparator::Less),
            Self::Ge => Some(Comparator::GreaterOrEqual),
            Self::Gt => Some(Comparator::Greater),
            _ => None,
        }
    }

    /// Refuses values that the operator does not support.
    pub(super) fn check(self, values: &[Value]) -> Result<()> {
        let name = self.name();
        if !self.takes_count(values.len()) {
            return Err(Error::invalid_parameter(format_args!(
                "Invalid number of argument(s) for the {name} ComparisonOperator"
            )));
        }
        if values.windows(2).any(|pair| matches!(pair, [a, b] if a.kind() != b.kind())) {
            return Err(Error::invalid_parameter(
                "AttributeValues inside AttributeValueList must be of same type",
            ));
        }
        if let Some(value) = values.iter().find(|value| !self.takes_type(value.kind())) {
            return Err(Error::invalid_parameter(format_args!(
                "ComparisonOperator {name} is not valid for {} AttributeValue type",
                value.kind()
            )));
        }
        if self == Self::Between
            && let [lower, upper] = values
            && is_greater(lower, upper)
        {
            return Err(Error::validation(
                "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
            ));
        }
        Ok(())
    }
}

/// An attribute compared with values, the basis of all legacy conditions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    pub(super) operator: ComparisonOperator,
    pub(super) values: Vec<Value>,
}

impl Comparison {
    /// A comparison that passed all checks.
    pub(super) fn new(operator: ComparisonOperator, values: Vec<Value>) -> Result<Self> {
        operator.check(&values)?;
        Ok(Self { operator, values })
    }

    /// The condition on the attribute of this name.
    pub(super) fn into_condition(self, name: &str) -> Result<Condition> {
        self.translated(name).map_err(|fault| Error::validation(fault.to_string()))
    }

    /// The test of a key attribute, if keys support it.
    pub(super) fn into_key_test(self) -> Result<KeyTest> {
        let mut values = self.values.into_iter();
        let test = match (self.operator, values.next(), values.next()) {
            (ComparisonOperator::Between, Some(lower), Some(upper)) => {
                Some(KeyTest::Between(lower, upper))
            }
            (ComparisonOperator::BeginsWith, Some(prefix), None) => {
                Some(KeyTest::BeginsWith(prefix))
            }
            (operator, Some(value), None) => {
                operator.key_comparator().map(|comparator| KeyTest::Compare(comparator, value))
            }
            _ => None,
        };
        test.ok_or_else(unindexable)
    }

    fn translated(self, name: &str) -> Result<Condition, Fault> {
        let path = Path::attribute(name)?;
        let attribute = Operand::Path(path.clone());
        let mut values = self.values.into_iter().map(Operand::Value);
        let mut next = || values.next().ok_or(Fault::Empty);
        if let Some(comparator) = self.operator.key_comparator() {
            return Condition::compare(attribute, comparator, next()?);
        }
        match self.operator {
            ComparisonOperator::Between => Condition::between(attribute, next()?, next()?),
            ComparisonOperator::In => Condition::is_among(attribute, values.collect()),
            ComparisonOperator::Null => Ok(Condition::attribute_not_exists(path)),
            ComparisonOperator::NotNull => Ok(Condition::attribute_exists(path)),
            ComparisonOperator::Contains => Condition::contains(attribute, next()?),
            // Unlike `NOT contains`, it does not hold for a missing attribute.
            ComparisonOperator::NotContains => {
                let contains = Condition::contains(attribute, next()?)?;
                let exists = Condition::attribute_exists(path);
                Condition::and(vec![exists, Condition::not(contains)?])
            }
            ComparisonOperator::BeginsWith => Condition::begins_with(attribute, next()?),
            _ => Condition::compare(attribute, Comparator::NotEqual, next()?),
        }
    }
}

/// Whether one value sorts after another of the same type.
fn is_greater(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::S(one), Value::S(other)) => one > other,
        (Value::N(one), Value::N(other)) => one > other,
        (Value::B(one), Value::B(other)) => one > other,
        _ => false,
    }
}
