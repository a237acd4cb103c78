//! `Expected`: conditions on the stored item of a write.

use super::ConditionalOperator;
use super::by_name::{ByName, VALUE_COST};
use super::comparison::{Comparison, ComparisonOperator};
use crate::Value;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::excerpt::Excerpt;
use crate::expression::Condition;
use crate::json::Reader;
use crate::json::value::{Unchecked, read_value_within, read_values_within};

/// Expectations by attribute name, unchecked.
#[derive(Default)]
pub(crate) struct Expected(ByName<Expectation>);

/// Either `Value` or `Exists`, or `ComparisonOperator` with its operands.
#[derive(Default)]
struct Expectation {
    value: Option<Unchecked<Value>>,
    exists: Option<bool>,
    values: Option<Unchecked<Vec<Value>>>,
    comparison_operator: Option<String>,
    /// The parsed text, after the constraints were checked.
    operator: Option<ComparisonOperator>,
}

impl Expected {
    /// Reads the member `Expected`.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let class = "com.amazonaws.dynamodb.v20120810.ExpectedAttributeValue";
        let expectations = ByName::read(reader, "Expected", class, |reader, budget| {
            let mut expectation = Expectation::default();
            reader.structure("ExpectedAttributeValue", |reader, member| {
                match member {
                    "Value" => expectation.value = read_value_within(reader, budget)?,
                    "Exists" => expectation.exists = reader.boolean()?,
                    "AttributeValueList" => {
                        expectation.values = read_values_within(reader, budget, VALUE_COST)?;
                    }
                    "ComparisonOperator" => {
                        expectation.comparison_operator = reader.owned_string()?;
                    }
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            Ok(expectation)
        })?;
        Ok(expectations.map(Self))
    }

    /// Adds the violations of the member's constraints.
    pub(crate) fn constrain(&mut self, constraints: &mut Constraints) {
        for (name, expectation) in self.0.iter_mut() {
            expectation.operator = constraints.one_of(
                &format!("expected.{name}.member.comparisonOperator"),
                expectation.comparison_operator.as_deref(),
                &ComparisonOperator::CHOICES,
            );
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The equivalent condition; `None` if nothing is expected.
    pub(crate) fn into_condition(self, operator: ConditionalOperator) -> Result<Option<Condition>> {
        let conditions = self
            .0
            .into_entries()?
            .map(|(name, expectation)| expectation.checked(&name)?.into_condition(&name))
            .collect::<Result<Vec<_>>>()?;
        Ok(operator.join(conditions))
    }
}

impl Expectation {
    /// The comparison for the attribute of this name.
    fn checked(self, name: &str) -> Result<Comparison> {
        let refuse = |what: String| {
            Err(Error::invalid_parameter(format_args!("{what} for Attribute: {}", Excerpt(name))))
        };
        if self.values.is_some() && self.value.is_some() {
            return refuse("Value and AttributeValueList cannot be used together".to_owned());
        }
        let Some(operator) = self.operator else {
            if self.values.is_some() {
                return refuse(
                    "AttributeValueList can only be used with a ComparisonOperator".to_owned(),
                );
            }
            return match (self.exists, self.value) {
                (Some(false), Some(_)) => {
                    refuse("Value cannot be used when Exists is false".to_owned())
                }
                (Some(false), None) => Comparison::new(ComparisonOperator::Null, Vec::new()),
                (_, Some(value)) => {
                    Comparison::new(ComparisonOperator::Eq, vec![value.into_result()?])
                }
                (exists, None) => {
                    let exists = if exists.is_some() { "true" } else { "null" };
                    refuse(format!("Value must be provided when Exists is {exists}"))
                }
            };
        };
        if self.exists.is_some() {
            return refuse("Exists and ComparisonOperator cannot be used together".to_owned());
        }
        let given = self.values.is_some() || self.value.is_some();
        if !given && !matches!(operator, ComparisonOperator::Null | ComparisonOperator::NotNull) {
            return refuse(format!(
                "Value or AttributeValueList must be used with ComparisonOperator: {}",
                operator.name()
            ));
        }
        let values = match (self.values, self.value) {
            (Some(values), _) => values.into_result()?,
            (None, Some(value)) => vec![value.into_result()?],
            (None, None) => Vec::new(),
        };
        Comparison::new(operator, values)
    }
}
