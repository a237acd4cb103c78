//! Conditions and responses shared by PutItem, UpdateItem and DeleteItem.

use super::ItemCollectionMetrics;
use super::parameter::{COLLECTION_METRICS, Given, ON_FAILURE, ReturnValues, check_styles};
use crate::capacity::{ConsumedCapacity, ReturnConsumedCapacity};
use crate::constraint::Constraints;
use crate::error::{Error, ErrorKind, Result};
use crate::expression::{Condition, Parameter, Placeholders};
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::{Reader, Writer};
use crate::legacy::{ConditionalOperator, Expected};
use crate::stored::{Attributes, StoredItem};

/// The common members of the three, unchecked.
#[derive(Default)]
pub(super) struct WriteBody {
    pub(super) table_name: Option<String>,
    pub(super) expected: Option<Expected>,
    pub(super) condition_expression: Option<String>,
    pub(super) placeholders: Placeholders,
    conditional_operator: Option<String>,
    return_values: Option<String>,
    return_consumed_capacity: Option<String>,
    return_item_collection_metrics: Option<String>,
    return_values_on_condition_check_failure: Option<String>,
    /// The member of this name, after the constraints were checked.
    joined_by: Option<ConditionalOperator>,
}

impl WriteBody {
    /// Reads the member if it is one of these, else skips it.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, member: &str) -> Result<()> {
        match member {
            "TableName" => self.table_name = reader.owned_string()?,
            "Expected" => self.expected = Expected::read(reader)?,
            "ConditionalOperator" => self.conditional_operator = reader.owned_string()?,
            "ConditionExpression" => self.condition_expression = reader.owned_string()?,
            "ExpressionAttributeNames" => self.placeholders.read_names(reader)?,
            "ExpressionAttributeValues" => self.placeholders.read_values(reader)?,
            "ReturnValues" => self.return_values = reader.owned_string()?,
            "ReturnConsumedCapacity" => self.return_consumed_capacity = reader.owned_string()?,
            "ReturnItemCollectionMetrics" => {
                self.return_item_collection_metrics = reader.owned_string()?;
            }
            "ReturnValuesOnConditionCheckFailure" => {
                self.return_values_on_condition_check_failure = reader.owned_string()?;
            }
            _ => reader.skip()?,
        }
        Ok(())
    }

    pub(super) fn constrain_return_values(&self, constraints: &mut Constraints) -> ReturnValues {
        let given = self.return_values.as_deref();
        constraints.one_of("returnValues", given, &ReturnValues::CHOICES).unwrap_or_default()
    }

    pub(super) fn constrain_conditional_operator(&mut self, constraints: &mut Constraints) {
        let given = self.conditional_operator.as_deref();
        self.joined_by =
            constraints.one_of("conditionalOperator", given, &ConditionalOperator::CHOICES);
    }

    pub(super) fn constrain_on_failure(&self, constraints: &mut Constraints) -> bool {
        let given = self.return_values_on_condition_check_failure.as_deref();
        let path = "returnValuesOnConditionCheckFailure";
        constraints.one_of(path, given, &ON_FAILURE).unwrap_or_default()
    }

    pub(super) fn constrain_expected(&mut self, constraints: &mut Constraints) {
        if let Some(expected) = &mut self.expected {
            expected.constrain(constraints);
        }
    }

    pub(super) fn constrain_capacity(
        &self,
        constraints: &mut Constraints,
    ) -> ReturnConsumedCapacity {
        let given = self.return_consumed_capacity.as_deref();
        let choices = &ReturnConsumedCapacity::CHOICES;
        constraints.one_of("returnConsumedCapacity", given, choices).unwrap_or_default()
    }

    pub(super) fn constrain_metrics(&self, constraints: &mut Constraints) -> bool {
        let given = self.return_item_collection_metrics.as_deref();
        let path = "returnItemCollectionMetrics";
        constraints.one_of(path, given, &COLLECTION_METRICS).unwrap_or_default()
    }

    /// Refuses legacy parameters combined with expressions. `updates` says whether an UpdateItem
    /// has `AttributeUpdates` and `UpdateExpression`.
    pub(super) fn check_styles(&self, updates: Option<(bool, bool)>) -> Result<()> {
        let condition = (Parameter::ConditionExpression, self.condition_expression.is_some());
        let mut legacy: Vec<Given> = Vec::with_capacity(3);
        let mut expressions = Vec::with_capacity(2);
        if let Some((attribute_updates, update_expression)) = updates {
            legacy.push(("AttributeUpdates", attribute_updates));
            expressions.push((Parameter::UpdateExpression, update_expression));
        }
        legacy.push(("Expected", self.expected.is_some()));
        legacy.push(("ConditionalOperator", self.conditional_operator.is_some()));
        expressions.push(condition);
        check_styles(&legacy, &expressions)?;
        self.placeholders.check_needed(&expressions)
    }

    /// The condition of `Expected`.
    pub(super) fn expected_condition(&mut self) -> Result<Option<Condition>> {
        let expected = self.expected.take().unwrap_or_default();
        let operator = ConditionalOperator::check(self.joined_by, expected.len())?;
        expected.into_condition(operator)
    }

    /// The condition of `ConditionExpression`.
    pub(super) fn condition(&mut self) -> Result<Option<Condition>> {
        let text = self.condition_expression.as_deref();
        let parameter = Parameter::ConditionExpression;
        text.map(|text| Condition::parse(text, parameter, &mut self.placeholders)).transpose()
    }
}

/// Refuses a write whose condition fails. The error contains the stored item if `return_old` is
/// set.
pub(super) fn check_condition(
    condition: Option<&Condition>,
    old: Option<&StoredItem>,
    return_old: bool,
    fuel: &mut Fuel<'_>,
) -> Result<Result<()>, OutOfFuel> {
    let Some(condition) = condition else { return Ok(Ok(())) };
    if condition.evaluator().matches(old.map(StoredItem::as_item), fuel)? {
        return Ok(Ok(()));
    }
    let item = old.filter(|_| return_old).cloned().map(Attributes::from);
    Ok(Err(Error::conditional_check_failed(item)))
}

/// A decision made with unlimited fuel.
pub(super) fn decided<D>(decision: Result<Result<D>, OutOfFuel>) -> Result<D> {
    decision.unwrap_or_else(|OutOfFuel| Err(Error::new(ErrorKind::InternalServerError)))
}

/// The response of PutItem, UpdateItem and DeleteItem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteAnswer {
    /// The attributes requested by `ReturnValues`, if there are any.
    pub attributes: Option<Attributes>,
    /// Consumed capacity, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
    /// The item collection, if requested and the table has local indexes.
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

impl WriteAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            if let Some(attributes) = &self.attributes {
                object.member("Attributes", |writer| attributes.write_json(writer));
            }
            if let Some(consumed) = &self.consumed_capacity {
                object.member("ConsumedCapacity", |writer| consumed.write_json(writer));
            }
            if let Some(metrics) = &self.item_collection_metrics {
                object.member("ItemCollectionMetrics", |writer| metrics.write_json(writer));
            }
        });
    }
}
