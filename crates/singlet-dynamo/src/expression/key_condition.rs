//! Key conditions: the partition to query, and the range of sort keys in it.

mod range;

pub use range::{ByteRange, KeyRange};

use super::condition::Test;
use super::{Comparator, Condition, Function, Operand};
use crate::Value;
use crate::error::{Error, Result};

/// Conditions on key attributes, by name.
///
/// [`KeyCondition::range`] checks them against a schema and returns the [`KeyRange`].
///
/// ```
/// use singlet_dynamo::expression::{Condition, KeyCondition, Parameter, Placeholders};
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType};
/// use singlet_dynamo::{Item, Value};
///
/// let values = [(":pk", Value::from("GAME#1")), (":prefix", Value::from("PLAYER#"))];
/// let mut placeholders = Placeholders::of(&[], values);
/// let text = "PK = :pk AND begins_with(SK, :prefix)";
/// let condition = Condition::parse(text, Parameter::KeyConditionExpression, &mut placeholders)?;
/// let condition = KeyCondition::from_condition(condition)?;
///
/// let attribute = |name| KeyAttribute::new(name, KeyType::S);
/// let schema = KeySchema::simple(attribute("PK"), Some(attribute("SK")));
/// let range = condition.range(&schema, None)?;
/// let key = |sort: &str| {
///     let item = Item::from([("PK", Value::from("GAME#1")), ("SK", Value::from(sort))]);
///     schema.key_of_item(&item)
/// };
/// assert!(range.contains(&key("PLAYER#7")?));
/// assert!(!range.contains(&key("METADATA")?));
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCondition {
    /// One or more, on different attributes.
    tests: Vec<(String, KeyTest)>,
    /// The number of further conditions whose operators no key supports.
    unindexable: usize,
}

/// A test of one key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyTest {
    /// Compares with a value, by any comparator but `<>`.
    Compare(Comparator, Value),
    /// Between these, inclusive.
    Between(Value, Value),
    /// Begins with this.
    BeginsWith(Value),
}

impl KeyTest {
    /// The values in the test.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        let (one, other) = match self {
            Self::Compare(_, value) | Self::BeginsWith(value) => (value, None),
            Self::Between(lower, upper) => (lower, Some(upper)),
        };
        std::iter::once(one).chain(other)
    }
}

impl KeyCondition {
    /// Tests of attributes, at most one each. [`KeyCondition::range`] checks their number, since it
    /// depends on the key.
    pub fn new(tests: Vec<(String, KeyTest)>) -> Result<Self> {
        if tests.is_empty() {
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
        Ok(Self { tests, unindexable: 0 })
    }

    /// Equality of one attribute: in a table or a simple index, a whole partition.
    #[must_use]
    pub fn partition(name: impl Into<String>, value: Value) -> Self {
        let test = KeyTest::Compare(Comparator::Equal, value);
        Self { tests: vec![(name.into(), test)], unindexable: 0 }
    }

    /// Adds a condition on another attribute.
    pub fn and(mut self, name: impl Into<String>, test: KeyTest) -> Result<Self> {
        let name = name.into();
        if self.tests.iter().any(|(own, _)| *own == name) {
            return Err(repeated());
        }
        self.tests.push((name, test));
        Ok(Self::new(self.tests)?.with_unindexable(self.unindexable))
    }

    /// Adds conditions whose operators no key supports. They are refused once the key is known,
    /// because too many conditions are reported first.
    pub(crate) fn with_unindexable(self, unindexable: usize) -> Self {
        Self { unindexable, ..self }
    }

    /// The test of each attribute.
    #[must_use]
    pub fn tests(&self) -> &[(String, KeyTest)] {
        &self.tests
    }

    /// Converts a condition into a key condition, if possible.
    pub fn from_condition(condition: Condition) -> Result<Self> {
        let conditions = match condition.into_test() {
            Test::And(conditions) => conditions.into_iter().map(Condition::into_test).collect(),
            test => vec![test],
        };
        let mut tests: Vec<(String, KeyTest)> = Vec::with_capacity(conditions.len());
        for condition in conditions {
            let (name, test) = key_test(condition)?;
            if tests.iter().any(|(own, _)| *own == name) {
                return Err(repeated());
            }
            tests.push((name, test));
        }
        Self::new(tests)
    }
}

fn repeated() -> Error {
    Error::validation("KeyConditionExpressions must only contain one condition per key")
}

pub(crate) fn unindexable() -> Error {
    Error::validation("Attempted conditional constraint is not an indexable operation")
}

fn invalid_operator(name: &str) -> Error {
    Error::validation(format!("Invalid operator used in KeyConditionExpression: {name}"))
}

fn invalid_condition(why: &str) -> Error {
    Error::validation(format!("Invalid condition in KeyConditionExpression: {why}"))
}

/// The attribute and its test.
fn key_test(test: Test) -> Result<(String, KeyTest)> {
    let operator = match test {
        Test::Compare(left, comparator, right) if comparator != Comparator::NotEqual => {
            // With the value on the left, the comparator is reversed.
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
    use crate::Item;
    use crate::expression::{Parameter, Placeholders};
    use crate::schema::{KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType};

    fn parsed(text: &str) -> Result<KeyCondition> {
        let values = [
            (":a", Value::from("a")),
            (":z", Value::from("z")),
            (":n", Value::from(1)),
            (":e", Value::from("")),
        ];
        let mut placeholders = Placeholders::of(&[], values);
        Condition::parse(text, Parameter::KeyConditionExpression, &mut placeholders)
            .and_then(KeyCondition::from_condition)
    }

    /// Which of the sort keys `a`, `b`, `z` and `zz` match in the partition `a` of the keys `pk`
    /// and `sk`, both S; or the error.
    fn check(text: &str, expected: &str) {
        let attribute = |name: &str| KeyAttribute::new(name, KeyType::S);
        let schema = KeySchema::simple(attribute("pk"), Some(attribute("sk")));
        let found = parsed(text).and_then(|condition| condition.range(&schema, None));
        let found = match found {
            Ok(range) => {
                let is_asked_for = |sort: &&str| {
                    let item = Item::from([("pk", Value::from("a")), ("sk", Value::from(*sort))]);
                    range.contains(&schema.key_of_item(&item).unwrap())
                };
                let keys: Vec<&str> =
                    ["a", "b", "z", "zz"].into_iter().filter(is_asked_for).collect();
                keys.join(" ")
            }
            Err(error) => error.message().to_owned(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn conditions_become_ranges() {
        for (text, expected) in [
            ("pk = :a", "a b z zz"),
            ("pk = :z", ""),
            ("sk > :a AND pk = :a", "b z zz"),
            // Operands swapped.
            (":a = pk AND :a < sk", "b z zz"),
            ("(pk = :a AND begins_with(sk, :z))", "z zz"),
            ("pk = :a AND sk BETWEEN :a AND :z", "a b z"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn composite_keys_are_queried_from_the_left() {
        let key = |hashes: usize, names: &[&str]| {
            let elements = names.iter().enumerate().map(|(place, name)| {
                let role = if place < hashes { KeyRole::Hash } else { KeyRole::Range };
                (KeyAttribute::new(*name, KeyType::S), role)
            });
            KeySchema::new(elements.collect(), KeyLimits::Composite).unwrap()
        };
        let two_hashes = key(2, &["h", "i", "r", "s", "t"]);
        let one_hash = key(1, &["h", "r", "s"]);
        let hashes_only = key(2, &["h", "i"]);
        let hash = |names: &str| {
            format!(
                "HASH key attributes {names} must have equality conditions specified in the query"
            )
        };
        let range = |names: &str, present: &str| {
            format!(
                "RANGE key attributes {names} must have equality conditions specified in the query \
                 because a condition is present on key attribute {present}"
            )
        };
        let unsupported = "Query key condition not supported".to_owned();
        let missed = |name: &str| format!("Query condition missed key schema element: {name}");
        let wrong_type = "One or more parameter values were invalid: Condition parameter type does not match schema type".to_owned();
        for (key, text, expected) in [
            (&two_hashes, "h = :a AND i = :a", String::new()),
            (&two_hashes, "s >= :a AND i = :a AND h = :a AND r = :a", String::new()),
            (
                &two_hashes,
                "h = :a AND i = :a AND r = :a AND s = :a AND begins_with(t, :a)",
                String::new(),
            ),
            (&two_hashes, "h = :a", hash("i")),
            (&two_hashes, "r = :a", hash("h, i")),
            (&two_hashes, "h = :n AND i > :a", hash("i")),
            (&two_hashes, "h = :a AND i = :n AND s = :a", wrong_type.clone()),
            (&two_hashes, "h = :a AND i = :a AND s = :a", range("r", "s")),
            (&two_hashes, "h = :a AND i = :a AND s = :a AND t = :a", range("r", "s")),
            (&two_hashes, "h = :a AND i = :a AND t = :n", range("r, s", "t")),
            (&two_hashes, "h = :a AND i = :a AND r > :a AND t = :a", range("s", "t")),
            (&two_hashes, "h = :a AND i = :a AND r > :a AND s = :a AND t = :a", range("r", "t")),
            (&two_hashes, "h = :a AND i = :a AND r > :a AND s > :a AND t = :a", range("r, s", "t")),
            (&two_hashes, "h = :a AND i = :a AND r BETWEEN :a AND :z AND s = :a", range("r", "s")),
            (&two_hashes, "h = :a AND i = :a AND r = :n", wrong_type),
            (&two_hashes, "h = :a AND i = :a AND x = :a", missed("r")),
            (&two_hashes, "h = :a AND i = :a AND r = :a AND x = :a", missed("s")),
            (
                &two_hashes,
                "h = :a AND i = :a AND r = :a AND s = :a AND t = :a AND x = :a",
                unsupported.clone(),
            ),
            (&one_hash, "h > :a", hash("h")),
            (&one_hash, "h = :a AND s = :a", range("r", "s")),
            (&hashes_only, "h = :a AND i = :a", String::new()),
            (&hashes_only, "h = :a AND x = :a", hash("i")),
            (&hashes_only, "h = :a AND i = :a AND x = :a", unsupported),
        ] {
            let found = parsed(text).and_then(|condition| condition.range(key, None)).err();
            assert_eq!(found.as_ref().map_or("", |error| error.message()), expected, "{text}");
        }
    }

    #[test]
    fn unsupported_key_tests_are_refused() {
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
