//! `QueryFilter`, `ScanFilter` and `KeyConditions`: comparisons by attribute name.

use super::ConditionalOperator;
use super::comparison::{Comparison, ComparisonOperator};
use crate::Value;
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::expression::{Condition, KeyCondition};
use crate::json::Reader;
use crate::json::value::{Unchecked, read_values};
use std::collections::BTreeMap;

/// Conditions on attributes, by their names, as a request has them.
#[derive(Default)]
pub(crate) struct Conditions(BTreeMap<String, Body>);

#[derive(Default)]
struct Body {
    values: Option<Vec<Unchecked<Value>>>,
    comparison_operator: Option<String>,
    /// What the text stands for, once the constraints have looked at it.
    operator: Option<ComparisonOperator>,
}

impl Conditions {
    /// Reads a member of a request that holds conditions.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut conditions = BTreeMap::new();
        let found = reader.map("com.amazonaws.dynamodb.v20120810.Condition", |reader, name| {
            let mut body = Body::default();
            reader.structure("Condition", |reader, member| {
                match member {
                    "AttributeValueList" => body.values = read_values(reader)?,
                    "ComparisonOperator" => body.comparison_operator = reader.owned_string()?,
                    _ => reader.skip()?,
                }
                Ok(())
            })?;
            conditions.insert(name.into_owned(), body);
            Ok(())
        })?;
        Ok(found.then_some(Self(conditions)))
    }

    /// Adds the violations of the constraints of the member of this name.
    pub(crate) fn constrain(&mut self, member: &str, constraints: &mut Constraints) {
        for (name, body) in &mut self.0 {
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
    fn comparisons(self) -> impl Iterator<Item = Result<(String, Comparison)>> {
        // The constraints have let no condition without an operator pass.
        self.0.into_iter().filter_map(|(name, body)| {
            let comparison = Comparison::new(body.operator?, body.values.unwrap_or_default());
            Some(comparison.map(|comparison| (name, comparison)))
        })
    }

    /// The key condition that says the same.
    pub(crate) fn into_key_condition(self) -> Result<KeyCondition> {
        let comparisons = self.comparisons().collect::<Result<Vec<_>>>()?;
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
            .comparisons()
            .map(|comparison| comparison.and_then(|(name, one)| one.into_condition(&name)))
            .collect::<Result<Vec<_>>>()?;
        Ok(operator.join(conditions))
    }
}
