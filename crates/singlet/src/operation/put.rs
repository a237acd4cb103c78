//! Writing a whole entity.

use super::returning::{New, Nothing, Old};
use super::{Operation, Plan, Returning, Write, condition_of};
use crate::condition::{Condition, missing};
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::inspect::debug_operation;
use crate::item::{Purpose, to_item};
use crate::key::Key;
use crate::marker::Marker;
use crate::shape::{Keeper, Shapes};
use crate::subject::Subject;
use crate::timestamp::Timestamp;
use singlet_dynamo::expression::{self, Comparator, Operand, Path};
use singlet_dynamo::operation::{PutItem, ReturnValues};
use singlet_dynamo::stored::Attributes;
use singlet_dynamo::{Item, Value};
use std::marker::PhantomData;

/// Writes a whole entity; see [`create`] and [`put`].
#[must_use = "an operation does nothing until a `Db` runs it"]
pub struct Put<'e, E, R = Nothing> {
    entity: &'e E,
    purpose: Purpose,
    condition: Option<Condition<E>>,
    returning: Marker<R>,
}

/// Creates an item. It is refused if there already is one with this key, unless that one is
/// expired.
///
/// A field that holds the creation time is set to the current time.
pub fn create<E: Entity>(entity: &E) -> Put<'_, E> {
    Put { entity, purpose: Purpose::Create, condition: None, returning: PhantomData }
}

/// Writes an entity, replacing an existing item with its key.
///
/// If the entity has a version, the stored item must have the same one, which means that it was not
/// changed since it was read. The stored version is incremented. An entity with version zero must
/// not exist yet.
pub fn put<E: Entity>(entity: &E) -> Put<'_, E> {
    Put { entity, purpose: Purpose::Put, condition: None, returning: PhantomData }
}

impl<'e, E: Entity, R> Put<'e, E, R> {
    /// Writes only if the stored item matches the condition. A missing item has no fields.
    pub fn only_if(mut self, condition: Condition<E>) -> Self {
        self.condition = Some(match self.condition {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Returns the item that was replaced.
    pub fn returning_old(self) -> Put<'e, E, Old> {
        self.returning()
    }

    /// Returns the entity as it was written, with the fields that the model maintains.
    pub fn returning_new(self) -> Put<'e, E, New> {
        self.returning()
    }

    fn returning<N>(self) -> Put<'e, E, N> {
        let Self { entity, purpose, condition, .. } = self;
        Put { entity, purpose, condition, returning: PhantomData }
    }
}

impl<E: Entity, R: Returning<E>> Operation for Put<'_, E, R> {
    type Entity = E;

    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan> {
        let item = to_item(self.entity, self.purpose, now)?;
        let condition = self.condition.map(Condition::into_expression).transpose()?;
        plan_put(Shapes::of::<E>(), item, self.purpose, condition, R::VALUES, table_name, now)
    }
}

fn plan_put(
    of: Shapes,
    item: Item,
    purpose: Purpose,
    condition: Option<expression::Condition>,
    return_values: ReturnValues,
    table_name: &str,
    now: Timestamp,
) -> Result<Plan> {
    let own = match purpose {
        Purpose::Create => Some(missing(of)?),
        Purpose::Put => version_unchanged(of, &item).transpose()?,
    };
    let known = (return_values == ReturnValues::AllNew).then(|| item.clone());
    let mut put = PutItem::new(table_name, item);
    put.condition = condition_of(of, own, condition, now)?;
    put.return_old = return_values == ReturnValues::AllOld;
    put.return_old_on_failure = put.condition.is_some();
    Ok(Plan { known, ..Plan::new(of, put) })
}

impl<'e, E: Entity, R: Returning<E>> Write for Put<'e, E, R> {
    type Output = R::Output;

    fn subject(&self, now: Timestamp) -> impl FnOnce() -> Subject + Send + use<'e, E, R> {
        let (entity, purpose) = (self.entity, self.purpose);
        move || match to_item(entity, purpose, now) {
            Ok(item) => Subject::with_item::<E>(&item),
            Err(_) => Subject::of::<E>(),
        }
    }

    fn output(returned: Option<Attributes>, now: Timestamp) -> Result<R::Output> {
        R::read(returned, now)
    }
}

/// Condition: the stored version is the one from before the increment.
fn version_unchanged(of: Shapes, item: &Item) -> Option<Result<expression::Condition>> {
    let place = of.entity.kept(Keeper::Version)?;
    let name = of.entity.field(place)?.attribute;
    let Some(Value::N(next)) = item.get(name) else { return None };
    if *next == 1.into() {
        return Some(missing(of));
    }
    let before = next.checked_sub(1.into()).ok()?;
    let path = Path::attribute(name).map(Operand::Path);
    let test = path.and_then(|path| {
        expression::Condition::compare(path, Comparator::Equal, Operand::Value(before.into()))
    });
    Some(test.map_err(Error::from))
}

impl<E: Entity, R> std::fmt::Debug for Put<'_, E, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.purpose {
            Purpose::Create => "Create",
            Purpose::Put => "Put",
        };
        debug_operation(f, name, &Key::of(self.entity), self.condition.as_ref())
    }
}
