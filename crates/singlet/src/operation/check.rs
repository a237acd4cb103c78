//! Conditions on items that a transaction does not change.

use super::{Operation, Plan};
use crate::condition::{Condition, is_own_key, unless_expired};
use crate::entity::Entity;
use crate::error::Result;
use crate::inspect::debug_operation;
use crate::key::{Key, KeyValues};
use crate::shape::Shapes;
use crate::timestamp::Timestamp;
use singlet_dynamo::expression;
use singlet_dynamo::operation::ConditionCheck;

/// A condition on an item that the transaction does not change; see [`check`].
#[must_use = "an operation does nothing until a `Db` runs it"]
pub struct Check<E> {
    key: Key<E>,
    condition: Option<Condition<E>>,
}

/// The transaction commits only if there is an item with this key and it matches the conditions.
pub fn check<E: Entity>(key: Key<E>) -> Check<E> {
    Check { key, condition: None }
}

impl<E: Entity> Check<E> {
    /// Requires the stored item to match, instead of only to exist.
    pub fn only_if(mut self, condition: Condition<E>) -> Self {
        self.condition = Some(match self.condition {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }
}

impl<E: Entity> Operation for Check<E> {
    type Entity = E;

    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan> {
        let condition = self.condition.unwrap_or_else(Condition::exists).into_expression()?;
        plan_check(Shapes::of::<E>(), self.key.into_values()?, condition, table_name, now)
    }
}

fn plan_check(
    of: Shapes,
    key: KeyValues,
    mut condition: expression::Condition,
    table_name: &str,
    now: Timestamp,
) -> Result<Plan> {
    if let Some(own) = is_own_key(of)? {
        condition = expression::Condition::and(vec![condition, own])?;
    }
    let condition = unless_expired(of, condition, now)?;
    let mut check = ConditionCheck::new(table_name, key.into_item(of), condition);
    check.return_old_on_failure = true;
    Ok(Plan::new(of, check))
}

impl<E: Entity> std::fmt::Debug for Check<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        debug_operation(f, "Check", &self.key, self.condition.as_ref())
    }
}
