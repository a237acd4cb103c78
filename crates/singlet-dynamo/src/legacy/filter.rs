//! `QueryFilter`, `ScanFilter` and `KeyConditions`: comparisons by attribute name.

use super::ConditionalOperator;
use super::by_name::{ByName, VALUE_COST};
use super::comparison::{Comparison, ComparisonOperator};
use crate::Value;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::{Condition, KeyCondition};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_values_within};

/// Conditions on attributes, by their names, as a request has them.
#[derive(Default)]
pub(crate) struct Conditions(ByName<Body>);

#[derive(Default)]
struct Body {
    values: Option<Unchecked<Vec<Value>>>,
    comparison_operator: Option<String>,
    /// What the text stands for, once the constraints have looked at it.
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

    /// The comparisons, checked.
    fn comparisons(self) -> Result<impl Iterator<Item = Result<(String, Comparison)>>> {
        // The constraints have let no condition without an operator pass.
        Ok(self.0.into_entries()?.filter_map(|(name, body)| {
            let operator = body.operator?;
            let values = body.values.map_or_else(|| Ok(Vec::new()), Unchecked::into_result);
            let comparison = values.and_then(|values| Comparison::new(operator, values));
            Some(comparison.map(|comparison| (name, comparison)))
        }))
    }

    /// The key condition that says the same.
    pub(crate) fn into_key_condition(self) -> Result<KeyCondition> {
        let comparisons = self.comparisons()?.collect::<Result<Vec<_>>>()?;
        if !matches!(comparisons.len(), 1 | 2) {
            return Err(Error::validation("Conditions can be of length 1 or 2 only"));
        }
        let tests = comparisons
            .into_iter()
            .map(|(name, comparison)| Ok((name, comparison.into_key_test()?)))
            .collect::<Result<Vec<_>>>()?;
        KeyCondition::new(tests)
    }

    /// The condition that says the same; `None` if there are none.
    pub(crate) fn into_condition(self, operator: ConditionalOperator) -> Result<Option<Condition>> {
        let conditions = self
            .comparisons()?
            .map(|comparison| comparison.and_then(|(name, one)| one.into_condition(&name)))
            .collect::<Result<Vec<_>>>()?;
        Ok(operator.join(conditions))
    }
}
