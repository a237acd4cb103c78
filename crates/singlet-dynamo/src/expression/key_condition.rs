//! Key conditions: which partition is queried, and which sort keys in it.

mod range;

pub use range::{ByteRange, KeyRange};

use super::condition::Test;
use super::{Comparator, Condition, Function, Operand};
use crate::Value;
use crate::error::{Error, Result};

/// What a query asks of one or two key attributes, by name.
///
/// Which of them is the partition key is known only when there is a schema; then
/// [`KeyCondition::range`] checks that they fit, and gives the [`KeyRange`].
///
/// ```
/// use singlet_dynamo::expression::{Condition, KeyCondition, Parameter, Placeholders};
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType};
/// use singlet_dynamo::Value;
///
/// let values = [(":pk", Value::from("GAME#1")), (":prefix", Value::from("PLAYER#"))];
/// let mut placeholders = Placeholders::of(&[], values);
/// let text = "PK = :pk AND begins_with(SK, :prefix)";
/// let condition = Condition::parse(text, Parameter::KeyConditionExpression, &mut placeholders)?;
/// let condition = KeyCondition::from_condition(condition)?;
///
/// let key = KeySchema {
///     partition: KeyAttribute::new("PK", KeyType::S),
///     sort: Some(KeyAttribute::new("SK", KeyType::S)),
/// };
/// let range = condition.range(&key, None)?;
/// assert_eq!(range.partition(), &Value::from("GAME#1"));
/// assert!(range.contains(&Value::from("PLAYER#7")));
/// assert!(!range.contains(&Value::from("METADATA")));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCondition {
    /// One or two, of different attributes.
    tests: Vec<(String, KeyTest)>,
}

/// What is asked of one key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyTest {
    /// It is this, or compares to this as the comparator says: any but `<>`.
    Compare(Comparator, Value),
    /// It is between these, both included.
    Between(Value, Value),
    /// It begins with this.
    BeginsWith(Value),
}

impl KeyTest {
    /// The values that it has.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let (one, other) = match self {
            Self::Compare(_, value) | Self::BeginsWith(value) => (value, None),
            Self::Between(lower, upper) => (lower, Some(upper)),
        };
        std::iter::once(one).chain(other)
    }
}

impl KeyCondition {
    /// What is asked of one or two attributes, in the words that the service has for a request
    /// with other numbers of them, or with bounds in the wrong order.
    pub fn new(tests: Vec<(String, KeyTest)>) -> Result<Self> {
        if let [(one, _), (other, _), ..] = tests.as_slice()
            && one == other
        {
            return Err(Error::validation(
                "KeyConditionExpressions must only contain one condition per key",
            ));
        }
        if !matches!(tests.len(), 1 | 2) {
            return Err(Error::validation("Conditions can be of length 1 or 2 only"));
        }
        for (_, test) in &tests {
            match test {
                KeyTest::Compare(Comparator::NotEqual, _) => {
                    return Err(invalid_operator(Comparator::NotEqual.sign()));
                }
                KeyTest::Between(lower, upper)
                    if super::condition::order_of_bounds(lower, upper)
                        == Some(std::cmp::Ordering::Greater) =>
                {
                    return Err(Error::validation(
                        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
                    ));
                }
                _ => {}
            }
        }
        Ok(Self { tests })
    }

    /// The partition with this key, whole.
    #[must_use]
    pub fn partition(name: impl Into<String>, value: Value) -> Self {
        Self { tests: vec![(name.into(), KeyTest::Compare(Comparator::Equal, value))] }
    }

    /// The same, and this of the sort key.
    pub fn and(mut self, name: impl Into<String>, test: KeyTest) -> Result<Self> {
        self.tests.push((name.into(), test));
        Self::new(self.tests)
    }

    /// What is asked of each attribute.
    #[must_use]
    pub fn tests(&self) -> &[(String, KeyTest)] {
        &self.tests
    }

    /// Takes a condition for a key condition, if it is one.
    pub fn from_condition(condition: Condition) -> Result<Self> {
        let conditions = match condition.into_test() {
            Test::And(conditions) => conditions.into_iter().map(Condition::into_test).collect(),
            test => vec![test],
        };
        let mut tests: Vec<(String, KeyTest)> = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let (name, test) = key_test(condition)?;
            if tests.iter().any(|(own, _)| *own == name) {
                return Err(Error::validation(
                    "KeyConditionExpressions must only contain one condition per key",
                ));
            }
            tests.push((name, test));
        }
        Self::new(tests)
    }
}

fn invalid_operator(name: &str) -> Error {
    Error::validation(format!("Invalid operator used in KeyConditionExpression: {name}"))
}

fn invalid_condition(why: &str) -> Error {
    Error::validation(format!("Invalid condition in KeyConditionExpression: {why}"))
}

/// The attribute and what is asked of it.
fn key_test(test: Test) -> Result<(String, KeyTest)> {
    let operator = match test {
        Test::Compare(left, comparator, right) if comparator != Comparator::NotEqual => {
            // A value on the left says the same the other way round.
            let reversed = !matches!(left, Operand::Path(_));
            let comparator = if reversed { comparator.reversed() } else { comparator };
            let (name, [value]) = attribute_and_values([left, right])?;
            return Ok((name, KeyTest::Compare(comparator, value)));
        }
        Test::Between(operand, lower, upper) => {
            first_is_attribute("BETWEEN", &operand)?;
            let (name, [lower, upper]) = attribute_and_values([operand, lower, upper])?;
            return Ok((name, KeyTest::Between(lower, upper)));
        }
        Test::BeginsWith(operand, prefix) => {
            first_is_attribute(Function::BeginsWith.name(), &operand)?;
            let (name, [prefix]) = attribute_and_values([operand, prefix])?;
            return Ok((name, KeyTest::BeginsWith(prefix)));
        }
        Test::And(_) => "AND",
        Test::Or(_) => "OR",
        Test::Not(_) => "NOT",
        Test::Compare(_, comparator, _) => comparator.sign(),
        Test::In(..) => "IN",
        Test::AttributeExists(_) => Function::AttributeExists.name(),
        Test::AttributeNotExists(_) => Function::AttributeNotExists.name(),
        Test::AttributeType(..) => Function::AttributeType.name(),
        Test::Contains(..) => Function::Contains.name(),
    };
    Err(invalid_operator(operator))
}

fn first_is_attribute(operator: &str, operand: &Operand) -> Result<()> {
    match operand {
        Operand::Path(_) => Ok(()),
        _ => Err(invalid_condition(&format!(
            "{operator} operator must have the key attribute as its first operand"
        ))),
    }
}

/// The one attribute among the operands, and the values, which are all others.
fn attribute_and_values<const N: usize, const VALUES: usize>(
    operands: [Operand; N],
) -> Result<(String, [Value; VALUES])> {
    let mut name: Option<String> = None;
    let mut values = Vec::with_capacity(VALUES);
    for operand in operands {
        match operand {
            Operand::Path(_) if name.is_some() => {
                return Err(invalid_condition("Multiple attribute names used in one condition"));
            }
            Operand::Path(path) if !path.is_attribute() => {
                return Err(Error::validation(
                    "KeyConditionExpressions cannot have conditions on nested attributes",
                ));
            }
            Operand::Path(path) => name = Some(path.name().to_owned()),
            Operand::Value(value) => values.push(value),
            Operand::Size(_) => {
                return Err(Error::validation(
                    "KeyConditionExpressions cannot contain nested operations",
                ));
            }
        }
    }
    match (name, values.try_into()) {
        (Some(name), Ok(values)) => Ok((name, values)),
        _ => Err(invalid_condition("No key attribute specified")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::{Parameter, Placeholders};
    use crate::schema::{KeyAttribute, KeySchema, KeyType};

    /// What is asked of the keys `pk` and `sk`, both S, or why nothing can be.
    fn check(text: &str, expected: &str) {
        let values = [(":a", Value::from("a")), (":n", Value::from(1)), (":e", Value::from(""))];
        let mut placeholders = Placeholders::of(&[], values);
        let key = KeySchema {
            partition: KeyAttribute::new("pk", KeyType::S),
            sort: Some(KeyAttribute::new("sk", KeyType::S)),
        };
        let parameter = Parameter::KeyConditionExpression;
        let found = Condition::parse(text, parameter, &mut placeholders)
            .and_then(KeyCondition::from_condition)
            .and_then(|condition| condition.range(&key, None));
        let found = match found {
            Ok(range) => format!("{:?} {:?}", range.partition(), range.sort()),
            Err(error) => error.message().to_owned(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn conditions_become_ranges() {
        for (text, expected) in [
            ("pk = :a", "{S:a} None"),
            ("sk > :a AND pk = :a", "{S:a} Some(Compare(Greater, {S:a}))"),
            // The other way round.
            (":a = pk AND :a < sk", "{S:a} Some(Compare(Greater, {S:a}))"),
            ("(pk = :a AND begins_with(sk, :a))", "{S:a} Some(BeginsWith({S:a}))"),
            ("pk = :a AND sk BETWEEN :a AND :a", "{S:a} Some(Between({S:a}, {S:a}))"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn what_no_key_can_be_asked_is_refused() {
        for (text, expected) in [
            ("pk = :a AND NOT sk = :a", "Invalid operator used in KeyConditionExpression: NOT"),
            ("pk <> :a", "Invalid operator used in KeyConditionExpression: <>"),
            ("size(pk) = :n", "KeyConditionExpressions cannot contain nested operations"),
            ("pk.a = :a", "KeyConditionExpressions cannot have conditions on nested attributes"),
            (
                "pk = sk",
                "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
            ),
            (
                "begins_with(:a, pk)",
                "Invalid condition in KeyConditionExpression: begins_with operator must have the key attribute as its first operand",
            ),
            (
                "pk = :a AND sk > :a AND sk < :a",
                "KeyConditionExpressions must only contain one condition per key",
            ),
            ("pk = :a AND sk = :a AND x = :a", "Conditions can be of length 1 or 2 only"),
            ("sk = :a", "Query condition missed key schema element: pk"),
            ("pk = :a AND x = :a", "Query condition missed key schema element: sk"),
            ("pk > :a", "Query key condition not supported"),
            (
                "pk > :n",
                "One or more parameter values were invalid: Condition parameter type does not match schema type",
            ),
            (
                "pk = :a AND sk = :e",
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: sk",
            ),
        ] {
            check(text, expected);
        }
    }
}
