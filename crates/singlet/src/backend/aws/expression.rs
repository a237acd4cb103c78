//! Expressions of one request, as text with placeholders.

use super::value::{Attributes, attribute};
use singlet_dynamo::expression::{Condition, KeyCondition, Printer, Projection, Update};
use std::collections::HashMap;

/// Prints the expressions of one request, which share their placeholders.
#[derive(Default)]
pub(super) struct Expressions<'v>(Printer<'v>);

impl<'v> Expressions<'v> {
    pub(super) fn condition(&mut self, condition: Option<&'v Condition>) -> Option<String> {
        condition.map(|condition| self.0.condition(condition))
    }

    pub(super) fn key_condition(&mut self, condition: &'v KeyCondition) -> String {
        self.0.key_condition(condition)
    }

    pub(super) fn projection(&mut self, projection: Option<&Projection>) -> Option<String> {
        projection.map(|projection| self.0.projection(projection))
    }

    pub(super) fn update(&mut self, update: Option<&'v Update>) -> Option<String> {
        update.map(|update| self.0.update(update))
    }

    /// What the placeholders of names stand for. DynamoDB refuses an empty list of them.
    pub(super) fn names(&self) -> Option<HashMap<String, String>> {
        let names: HashMap<String, String> =
            self.0.names().map(|(placeholder, name)| (placeholder, name.to_owned())).collect();
        Some(names).filter(|names| !names.is_empty())
    }

    /// What the placeholders of values stand for. DynamoDB refuses an empty list of them.
    pub(super) fn values(&self) -> Option<Attributes> {
        let values: Attributes = self
            .0
            .values()
            .map(|(placeholder, value)| (placeholder, attribute(value.clone())))
            .collect();
        Some(values).filter(|values| !values.is_empty())
    }
}
