//! Changing fields of an item.

use super::rekey::rekey;
use super::returning::{New, Nothing, Old};
use super::{Operation, Plan, Returning, Write, condition_of};
use crate::attribute::Attribute;
use crate::condition::{Condition, is_expired};
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::field::kind::Plain;
use crate::field::{
    Computable, Field, Numeric, Operand, Removable, Settable, assert_list, attribute_name,
};
use crate::key::{Key, KeyValues};
use crate::marker::Marker;
use crate::shape::{Keeper, Storage};
use crate::table::Table;
use crate::timestamp::Timestamp;
use singlet_dynamo::expression::{self, Action, Path, SetOperand, SetValue};
use singlet_dynamo::operation::{PutItem, TransactWriteItem, UpdateItem};
use singlet_dynamo::stored::Attributes;
use singlet_dynamo::{Number, Value};
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// Changes fields of an item; see [`update`] and [`upsert`].
#[must_use = "an operation does nothing until a `Db` runs it"]
pub struct Update<E, R = Nothing> {
    key: Key<E>,
    mode: Mode,
    changes: Result<Changes>,
    condition: Option<Condition<E>>,
    returning: Marker<R>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// There must be an item.
    Existing,
    /// The item is made if there is none.
    Upsert,
}

/// What is done to fields.
#[doc(hidden)]
#[derive(Default)]
pub struct Changes {
    pub(super) actions: Vec<Action>,
    /// Fields that are set as wholes, and to what.
    pub(super) sets: Vec<(usize, Option<Value>)>,
    /// Fields that the item has afterwards, whatever it was before.
    provided: Vec<usize>,
}

/// Changes the item with this key. It is refused if there is none.
///
/// A field that holds when the item was last changed is set to this moment, a version is counted
/// up, and index keys that are made of fields that are set are written anew.
pub fn update<E: Entity>(key: Key<E>) -> Update<E> {
    Update::new(key, Mode::Existing)
}

/// Changes the item with this key, or makes it. It must set all fields that an item must have.
///
/// A field that holds when the item was created is left alone if there is an item.
pub fn upsert<E: Entity>(key: Key<E>) -> Update<E> {
    Update::new(key, Mode::Upsert)
}

impl<E: Entity> Update<E> {
    fn new(key: Key<E>, mode: Mode) -> Self {
        let changes = Ok(Changes::default());
        Self { key, mode, changes, condition: None, returning: PhantomData }
    }
}

impl<E: Entity, R> Update<E, R> {
    /// Sets a field. A field that may be missing is taken out when it is set to nothing.
    pub fn set<V: Attribute, K: Settable>(
        self,
        field: Field<E, V, K>,
        value: impl Operand<V>,
    ) -> Self {
        self.change(|changes| changes.set(field, value.to_operand()?))
    }

    /// Sets fields of which an index key is made, all of them, so that the index stays right. The
    /// constant for them is named after all of them: `Fixture::date_and_hour`.
    pub fn set_together<G: FieldGroup<E>>(self, group: G, values: G::Values) -> Self {
        self.change(|changes| group.set(values, changes))
    }

    /// Sets a field unless the item has its attribute. A missing value of a field with
    /// `#[attribute(null)]` is stored as NULL, which is there, and stays: set such a field with
    /// [`set`](Self::set), and a condition that it is [`missing`](Field::missing).
    pub fn set_if_missing<V: Attribute, K: Computable>(
        self,
        field: Field<E, V, K>,
        value: impl Operand<V>,
    ) -> Self {
        self.change(|changes| {
            let Some(value) = value.to_operand()? else { return Err(Error::MissingOperand) };
            changes.provide(&field);
            let path = field.into_path()?;
            let kept = SetOperand::if_not_exists(path.clone(), SetOperand::Value(value))?;
            changes.actions.push(Action::Set(path, SetValue::operand(kept)));
            Ok(())
        })
    }

    /// Takes a field out.
    pub fn remove<V: Removable, K: Settable>(self, field: Field<E, V, K>) -> Self {
        self.change(|changes| changes.set(field, None))
    }

    /// Adds to a number; one that is not there counts as zero.
    pub fn add<V: Numeric, K: Computable>(
        self,
        field: Field<E, V, K>,
        amount: impl Into<Amount>,
    ) -> Self {
        self.change(|changes| {
            changes.provide(&field);
            changes.actions.push(Action::Add(field.into_path()?, Value::N(amount.into().0)));
            Ok(())
        })
    }

    /// Adds elements to a set.
    pub fn insert<T: Attribute + Ord, K: Computable>(
        self,
        field: Field<E, BTreeSet<T>, K>,
        elements: impl IntoIterator<Item = T>,
    ) -> Self {
        let elements: BTreeSet<T> = elements.into_iter().collect();
        self.change(|changes| {
            if let Some(elements) = elements.to_value()? {
                changes.actions.push(Action::Add(field.into_path()?, elements));
            }
            Ok(())
        })
    }

    /// Takes elements out of a set.
    pub fn take<T: Attribute + Ord, K: Computable>(
        self,
        field: Field<E, BTreeSet<T>, K>,
        elements: impl IntoIterator<Item = T>,
    ) -> Self {
        let elements: BTreeSet<T> = elements.into_iter().collect();
        self.change(|changes| {
            if let Some(elements) = elements.to_value()? {
                changes.actions.push(Action::Delete(field.into_path()?, elements));
            }
            Ok(())
        })
    }

    /// Adds elements at the end of a list; one that is not there is begun.
    pub fn append<T: Attribute, K: Computable>(
        self,
        field: Field<E, Vec<T>, K>,
        elements: impl IntoIterator<Item = T>,
    ) -> Self {
        const { assert_list::<T>() };
        let elements: Vec<T> = elements.into_iter().collect();
        self.change(|changes| {
            changes.provide(&field);
            let Some(elements) = elements.to_value()? else { return Ok(()) };
            let path = field.into_path()?;
            let empty = SetOperand::Value(Value::L(Vec::new()));
            let list = SetOperand::if_not_exists(path.clone(), empty)?;
            let longer = SetValue::list_append(list, SetOperand::Value(elements))?;
            changes.actions.push(Action::Set(path, longer));
            Ok(())
        })
    }

    /// Only if the stored item is so.
    pub fn only_if(mut self, condition: Condition<E>) -> Self {
        self.condition = Some(match self.condition {
            Some(before) => before.and(condition),
            None => condition,
        });
        self
    }

    /// Gives back the item as it was, if there was one.
    pub fn returning_old(self) -> Update<E, Old> {
        self.returning()
    }

    /// Gives back the item as it is afterwards.
    pub fn returning_new(self) -> Update<E, New> {
        self.returning()
    }

    fn returning<N>(self) -> Update<E, N> {
        let Self { key, mode, changes, condition, .. } = self;
        Update { key, mode, changes, condition, returning: PhantomData }
    }

    fn change(mut self, change: impl FnOnce(&mut Changes) -> Result<()>) -> Self {
        self.changes = self.changes.and_then(|mut changes| {
            change(&mut changes)?;
            Ok(changes)
        });
        self
    }
}

/// Fields of which an index key is made, to be set together.
pub struct Group<E, V> {
    places: &'static [usize],
    types: Marker<(E, V)>,
}

impl<E, V> Group<E, V> {
    /// The fields at these places.
    #[must_use]
    pub const fn new(places: &'static [usize]) -> Self {
        Self { places, types: PhantomData }
    }
}

/// Fields of which an index key is made.
pub trait FieldGroup<E> {
    /// Their values.
    type Values;
    #[doc(hidden)]
    fn set(self, values: Self::Values, changes: &mut Changes) -> Result<()>;
}

macro_rules! groups {
    ($(($($field:ident $value:ident),+))+) => {
        $(
            impl<E: Entity, $($field: Attribute),+> FieldGroup<E> for Group<E, ($($field,)+)> {
                type Values = ($($field,)+);

                fn set(self, ($($value,)+): Self::Values, changes: &mut Changes) -> Result<()> {
                    let mut places = self.places.iter();
                    $(
                        if let Some(place) = places.next() {
                            let field = Field::<E, $field, Plain>::new(*place);
                            changes.set(field, $value.to_value()?)?;
                        }
                    )+
                    Ok(())
                }
            }
        )+
    };
}

groups! {
    (A a, B b)
    (A a, B b, C c)
    (A a, B b, C c, D d)
    (A a, B b, C c, D d, F f)
}

/// How much to add to a number.
#[derive(Clone, Copy, Debug)]
pub struct Amount(Number);

impl<N: Into<Number>> From<N> for Amount {
    fn from(number: N) -> Self {
        Self(number.into())
    }
}

impl Changes {
    pub(super) fn set<E: Entity, V, K>(
        &mut self,
        field: Field<E, V, K>,
        value: Option<Value>,
    ) -> Result<()> {
        if field.is_whole() {
            self.sets.push((field.place(), value.clone()));
        }
        self.provide(&field);
        if field.shape().is_some_and(|field| field.storage == Storage::Key) {
            // It is stored within index keys alone, which follow.
            return Ok(());
        }
        let value = value.or_else(|| field.is_null_stored().then_some(Value::Null));
        let path = field.into_path()?;
        self.actions.push(match value {
            Some(value) => Action::Set(path, value.into()),
            None => Action::Remove(path),
        });
        Ok(())
    }

    /// Notes that the item has the field afterwards.
    fn provide<E: Entity, V, K>(&mut self, field: &Field<E, V, K>) {
        if field.is_whole() {
            self.provided.push(field.place());
        }
    }

    /// Adds what the model keeps.
    fn keep<E: Entity>(&mut self, mode: Mode, now: Timestamp) -> Result<()> {
        for (place, field) in E::SHAPE.fields.iter().enumerate() {
            let path = || Path::attribute(attribute_name::<E>(field));
            match (field.keeper, mode) {
                (Keeper::Program, _) | (Keeper::Created, Mode::Existing) => {}
                (Keeper::Updated, _) => {
                    if let Some(now) = now.to_value()? {
                        self.actions.push(Action::Set(path()?, now.clone().into()));
                        self.sets.push((place, Some(now)));
                    }
                }
                (Keeper::Created, Mode::Upsert) => {
                    if let Some(now) = now.to_value()? {
                        let kept = SetOperand::if_not_exists(path()?, SetOperand::Value(now))?;
                        self.actions.push(Action::Set(path()?, SetValue::operand(kept)));
                    }
                }
                (Keeper::Version, _) => self.actions.push(Action::Add(path()?, Value::from(1))),
            }
        }
        Ok(())
    }

    /// Adds what an item must have that was not there before, and refuses to make one that would
    /// lack something.
    fn complete<E: Entity>(&mut self, key: &KeyValues) -> Result<()> {
        for (place, field) in E::SHAPE.fields.iter().enumerate() {
            if field.keeper != Keeper::Program || self.provided.contains(&place) {
                continue;
            }
            if E::SHAPE.is_in_primary_key(place) {
                if field.storage == Storage::Attribute
                    && !E::Table::SHAPE.key.iter().any(|own| own.name == field.attribute)
                    && let Some(value) = key.part::<E>(place)
                {
                    self.actions.push(Action::Set(Path::attribute(field.attribute)?, value.into()));
                }
            } else if !field.optional {
                let (entity, attribute) = (E::SHAPE.name, attribute_name::<E>(field));
                return Err(Error::Incomplete { entity, attribute });
            } else if field.null {
                // A value that nobody has set is NULL, unless the item has one.
                let path = Path::attribute(field.attribute)?;
                let kept = SetOperand::if_not_exists(path.clone(), SetOperand::Value(Value::Null))?;
                self.actions.push(Action::Set(path, SetValue::operand(kept)));
            }
        }
        if let Some((name, value)) = E::SHAPE.discriminator {
            self.actions.push(Action::Set(Path::attribute(name)?, Value::from(value).into()));
        }
        Ok(())
    }
}

impl<E: Entity, R: Returning<E>> Operation for Update<E, R> {
    type Entity = E;

    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan> {
        let key = self.key.into_values()?;
        let mut changes = self.changes?;
        if self.mode == Mode::Upsert {
            changes.complete::<E>(&key)?;
        }
        changes.keep::<E>(self.mode, now)?;
        rekey::<E>(&mut changes, &key, self.mode == Mode::Upsert, now)?;

        let mut update = UpdateItem::new(table_name, key.into_item::<E>());
        if !changes.actions.is_empty() {
            update.update = Some(expression::Update::new(changes.actions)?);
        }
        update.return_values = R::VALUES;
        let existing = (self.mode == Mode::Existing).then(Condition::exists);
        update.condition = condition_of(existing.into_iter().chain(self.condition), now)?;
        update.return_old_on_failure = true;
        let mut plan = Plan::new::<E>(update);
        if self.mode == Mode::Upsert && E::SHAPE.expires {
            plan.replace_expired::<E>(now)?;
        }
        Ok(plan)
    }
}

impl Plan {
    /// An upsert must not go on from an item that is expired: that one is replaced by what the
    /// upsert makes of nothing.
    fn replace_expired<E: Entity>(&mut self, now: Timestamp) -> Result<()> {
        let (TransactWriteItem::Update(update), Some(expired)) =
            (&mut self.action, is_expired::<E>(now)?)
        else {
            return Ok(());
        };
        let would_hold = update.condition.as_ref().is_none_or(|condition| condition.matches(None));
        // What cannot be done to nothing cannot be done to an expired item either.
        if would_hold
            && let Some(change) = &update.update
            && let Ok(item) = change.apply(None, &update.key)
        {
            let mut put = PutItem::new(&update.table_name, item);
            put.condition = Some(expired.clone());
            put.return_old_on_failure = true;
            self.if_expired = Some(Box::new(put.into()));
        }
        let fresh = expression::Condition::not(expired)?;
        update.condition = Some(match update.condition.take() {
            Some(condition) => expression::Condition::and(vec![condition, fresh])?,
            None => fresh,
        });
        Ok(())
    }
}

impl<E: Entity, R: Returning<E>> Write for Update<E, R> {
    type Output = R::Output;

    fn output(returned: Option<Attributes>, now: Timestamp) -> Result<R::Output> {
        R::read(returned, now)
    }
}
