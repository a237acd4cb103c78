//! `QueryFilter`, `ScanFilter` and `KeyConditions`: comparisons by attribute name.

use super::ConditionalOperator;
use super::by_name::{ByName, VALUE_COST};
use super::comparison::{Comparison, ComparisonOperator};
use crate::Value;
use crate::constraint::Constraints;
use crate::error::Result;
use crate::expression::{Condition, KeyCondition};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_values_within};

/// Conditions by attribute name, unchecked.
#[derive(Default)]
pub(crate) struct Conditions(ByName<Body>);

#[derive(Default)]
struct Body {
    values: Option<Unchecked<Vec<Value>>>,
    comparison_operator: Option<String>,
    /// The parsed text, after the constraints were checked.
    operator: Option<ComparisonOperator>,
}

impl Conditions {
    /// Reads the member of this name, which holds conditions.
    pub(crate) fn read(reader: &mut Reader<'_>, member: &'static str) -> Result<Option<Self>> {
        let class = "com.amazonaws.dynamodb.v20120810.Condition";
        let conditions = ByName::read(reader, member, class, |reader, budget| {
            let mut body = Body::default();
            reader.structure("Condition", |reader, member| {
                match member {
                    "AttributeValueList" => {
                        body.values = read_values_within(reader, budget, VALUE_COST)?
                    }
                    "ComparisonOperator" => body.comparison_operator = reader.owned_string()?,
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            Ok(body)
        })?;
        Ok(conditions.map(Self))
    }

    /// Adds the violations of the constraints of the member of this name.
    pub(crate) fn constrain(&mut self, member: &str, constraints: &mut Constraints) {
        for (name, body) in self.0.iter_mut() {
            let path = format!("{member}.{name}.member.comparisonOperator");
            constraints.required(&path, &body.comparison_operator);
            body.operator = constraints.one_of(
                &path,
                body.comparison_operator.as_deref(),
                &ComparisonOperator::CHOICES,
            );
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The checked comparisons.
    fn comparisons(self) -> Result<impl Iterator<Item = Result<(String, Comparison)>>> {
        // The constraints have rejected conditions without an operator.
        Ok(self.0.into_entries()?.filter_map(|(name, body)| {
            let operator = body.operator?;
            let values = body.values.map_or_else(|| Ok(Vec::new()), Unchecked::into_result);
            let comparison = values.and_then(|values| Comparison::new(operator, values));
            Some(comparison.map(|comparison| (name, comparison)))
        }))
    }

    /// The equivalent key condition.
    pub(crate) fn into_key_condition(self) -> Result<KeyCondition> {
        let comparisons = self.comparisons()?.collect::<Result<Vec<_>>>()?;
        let (count, mut tests) = (comparisons.len(), Vec::new());
        for (name, comparison) in comparisons {
            match comparison.into_key_test() {
                Ok(test) => tests.push((name, test)),
                // With more conditions, the service first reports that there are too many.
                Err(error) if count <= 2 => return Err(error),
                Err(_) => {}
            }
        }
        let unindexable = count - tests.len();
        Ok(KeyCondition::new(tests)?.with_unindexable(unindexable))
    }

    /// The equivalent condition; `None` if there are none.
    pub(crate) fn into_condition(self, operator: ConditionalOperator) -> Result<Option<Condition>> {
        let conditions = self
            .comparisons()?
            .map(|comparison| comparison.and_then(|(name, one)| one.into_condition(&name)))
            .collect::<Result<Vec<_>>>()?;
        Ok(operator.join(conditions))
    }
}
