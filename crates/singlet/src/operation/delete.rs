//! Deleting an item.

use super::returning::{Nothing, Old};
use super::{Operation, Plan, Returning, Write, condition_of};
use crate::condition::Condition;
use crate::entity::Entity;
use crate::error::Result;
use crate::inspect::debug_operation;
use crate::key::{Key, KeyValues};
use crate::marker::Marker;
use crate::shape::Shapes;
use crate::subject::Subject;
use crate::timestamp::Timestamp;
use singlet_dynamo::expression;
use singlet_dynamo::operation::{DeleteItem, ReturnValues};
use singlet_dynamo::stored::Attributes;
use std::marker::PhantomData;

/// Deletes an item; see [`delete`].
#[must_use = "an operation does nothing until a `Db` runs it"]
pub struct Delete<E, R = Nothing> {
    key: Key<E>,
    condition: Option<Condition<E>>,
    returning: Marker<R>,
}

/// Deletes the item with this key. Deleting a missing item succeeds, unless a condition forbids it.
pub fn delete<E: Entity>(key: Key<E>) -> Delete<E> {
    Delete { key, condition: None, returning: PhantomData }
}

impl<E: Entity, R> Delete<E, R> {
    /// Deletes only if the stored item matches the condition. A missing item has no fields.
    pub fn only_if(mut self, condition: Condition<E>) -> Self {
        self.condition = Some(match self.condition {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Returns the deleted item.
    pub fn returning_old(self) -> Delete<E, Old> {
        Delete { key: self.key, condition: self.condition, returning: PhantomData }
    }
}

impl<E: Entity, R: Returning<E>> Operation for Delete<E, R> {
    type Entity = E;

    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan> {
        let (of, key) = (Shapes::of::<E>(), self.key.into_values()?);
        let condition = self.condition.map(Condition::into_expression).transpose()?;
        plan_delete(of, key, condition, R::VALUES, table_name, now)
    }
}

fn plan_delete(
    of: Shapes,
    key: KeyValues,
    condition: Option<expression::Condition>,
    return_values: ReturnValues,
    table_name: &str,
    now: Timestamp,
) -> Result<Plan> {
    let mut delete = DeleteItem::new(table_name, key.into_item(of));
    delete.condition = condition_of(of, None, condition, now)?;
    delete.return_old = return_values == ReturnValues::AllOld;
    delete.return_old_on_failure = delete.condition.is_some();
    Ok(Plan::new(of, delete))
}

impl<E: Entity, R: Returning<E>> Write for Delete<E, R> {
    type Output = R::Output;

    fn subject(&self, _: Timestamp) -> impl FnOnce() -> Subject + Send + use<E, R> {
        let key = self.key.clone();
        move || Subject::with_key(key)
    }

    fn output(returned: Option<Attributes>, now: Timestamp) -> Result<R::Output> {
        R::read(returned, now)
    }
}

impl<E: Entity, R> std::fmt::Debug for Delete<E, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        debug_operation(f, "Delete", &self.key, self.condition.as_ref())
    }
}
