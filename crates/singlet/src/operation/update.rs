//! Changing fields of an item.

use super::guard::{Bounds, Guard, Guarded, Missing};
use super::rekey::rekey;
use super::returning::{New, Nothing, Old};
use super::{Operation, Plan, Returning, Write, all_of};
use crate::attribute::Attribute;
use crate::condition::{Condition, exists, is_expired, is_own_key};
use crate::entity::Entity;
use crate::error::{Error, Result};
use crate::field::kind::Plain;
use crate::field::{
    Amount, Computable, Field, Numeric, Operand, Removable, Settable, Spot, Testable, assert_list,
    attribute_name,
};
use crate::inspect::readable;
use crate::key::{Key, KeyValues};
use crate::marker::Marker;
use crate::shape::{Keeper, Shapes, Storage};
use crate::subject::Subject;
use crate::timestamp::Timestamp;
use singlet_dynamo::expression::{self, Action, Fault, Path, SetOperand, SetValue};
use singlet_dynamo::operation::{PutItem, ReturnValues, TransactWriteItem, UpdateItem};
use singlet_dynamo::stored::Attributes;
use singlet_dynamo::{Number, Value};
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// Changes fields of an item; see [`update`] and [`upsert`].
///
/// | DynamoDB | here |
/// |---|---|
/// | `SET a = :v` | [`set`](Self::set), [`set_together`](Self::set_together) |
/// | `SET a = b`, `SET a = b + :n` | [`set_from`](Self::set_from), [`set_sum`](Self::set_sum) |
/// | `SET a = if_not_exists(a, :v)` | [`set_if_missing`](Self::set_if_missing) |
/// | `SET a = list_append(a, :v)` | [`append`](Self::append) |
/// | `REMOVE a` | [`remove`](Self::remove), or `set` to `None` |
/// | `ADD a :n` | [`add`](Self::add) to a number, [`insert`](Self::insert) into a set |
/// | `DELETE a :v` | [`take`](Self::take) out of a set |
///
/// All of them take a [field](Field) or a part of it. All see the item as it was before the update,
/// and no two of them may change the same part: then it fails with
/// [`Error::Expression`](crate::Error::Expression) before it is sent.
///
/// ```
/// # use singlet::prelude::*;
/// # use std::collections::BTreeMap;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game {
/// #     pub code: Code, pub turn: u32, pub last_turn: u32, pub best: Option<u32>,
/// #     pub rolls: Vec<u32>, pub scores: BTreeMap<String, u32>,
/// # }
/// # singlet::block_on(async {
/// # let db = Db::<Games>::memory().await?;
/// # let code = Code::new("ABC123")?;
/// # let scores = [("ada".to_owned(), 1), ("bob".to_owned(), 2)].into();
/// # let game = Game { code: code.clone(), turn: 7, last_turn: 6, best: Some(1), rolls: vec![1, 2], scores };
/// # db.run(create(&game)).await?;
/// let game = db
///     .run(
///         update(Game::key(&code))
///             .add(Game::TURN, 1)
///             .set_from(Game::LAST_TURN, Game::TURN)
///             .append(Game::ROLLS, [6])
///             .add(Game::SCORES.entry("ada"), 6)
///             .remove(Game::SCORES.entry("bob"))
///             .remove(Game::BEST)
///             .only_if(Game::TURN.gt(Game::LAST_TURN))
///             .returning_new(),
///     )
///     .await?;
/// assert_eq!((game.turn, game.last_turn, game.best), (8, 7, None));
/// assert_eq!((game.rolls, game.scores), (vec![1, 2, 6], [("ada".to_owned(), 7)].into()));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
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
    pub(super) provided: Vec<usize>,
    /// Sums that must stay in range.
    guards: Vec<Guard>,
}

/// Changes the item with this key. It is refused if there is none. [`Update`] lists all that can be
/// changed.
///
/// A field that holds when the item was last changed is set to this moment, a version is counted
/// up, and index keys that are made of fields that are set are written anew.
///
/// An item written before an index existed, or by another program, may lack its key there. An
/// update that changes a part of that key writes the other parts if it knows their fields, and
/// fails with [`Error::IncompleteIndexKey`](crate::Error::IncompleteIndexKey) otherwise.
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
    /// Sets a field. A field that may be missing is taken out when it is set to nothing; with
    /// `#[attribute(null)]`, and in lists and maps, it is NULL then.
    pub fn set<V: Attribute, K: Settable>(
        self,
        field: Field<E, V, K>,
        value: impl Operand<V>,
    ) -> Self {
        self.change(|changes| changes.set(field.into_spot(), value.to_operand()?))
    }

    /// Sets fields of which an index key is made, all of them, so that the index stays right. The
    /// constant for them is named after all of them: `Fixture::DATE_AND_HOUR`.
    pub fn set_together<G: FieldGroup<E>>(self, group: G, values: G::Values) -> Self {
        self.change(|changes| group.set(values, changes))
    }

    /// Sets a field unless the item has its attribute. A missing value of a field with
    /// `#[attribute(null)]`, or in a list or a map, is stored as NULL, which is there, and stays: set
    /// such a field with [`set`](Self::set), and a condition that it is
    /// [`missing`](Field::missing).
    pub fn set_if_missing<V: Attribute, K: Computable>(
        self,
        field: Field<E, V, K>,
        value: impl Operand<V>,
    ) -> Self {
        self.change(|changes| {
            let Some(value) = value.to_operand()? else { return Err(Error::MissingOperand) };
            changes.set_if_missing(field.into_spot(), value)
        })
    }

    /// Sets a field to what another field was before the update. If the item does not have that
    /// one, DynamoDB refuses the update as invalid.
    pub fn set_from<V: Attribute, K: Computable, S: Testable>(
        self,
        field: Field<E, V, K>,
        other: Field<E, V, S>,
    ) -> Self {
        self.change(|changes| changes.set_from(field.into_spot(), other.into_spot()))
    }

    /// Sets a field to the sum of another field, as it was before the update, and an amount. It is
    /// refused, with [`Error::OutOfRange`](crate::Error::OutOfRange), if the field's type cannot
    /// hold the sum. If the item does not have the other field, DynamoDB refuses the update as
    /// invalid.
    pub fn set_sum<V: Numeric, K: Computable, S: Testable>(
        self,
        field: Field<E, V, K>,
        other: Field<E, V, S>,
        amount: impl Amount<V::Amounts>,
    ) -> Self {
        self.change(|changes| {
            let amount = amount.into_number()?;
            changes.set_sum(field.into_spot(), other.into_spot(), amount, Bounds::of::<V>())
        })
    }

    /// Takes out a field that may be missing, an entry of a map, or an element of a list.
    pub fn remove<V: Removable<K>, K: Settable>(self, field: Field<E, V, K>) -> Self {
        self.change(|changes| match field.is_whole() {
            true => changes.set(field.into_spot(), None),
            false => {
                changes.actions.push(Action::Remove(field.into_path()?));
                Ok(())
            }
        })
    }

    /// Adds to a number; one that is not there counts as zero. It is refused, with
    /// [`Error::OutOfRange`](crate::Error::OutOfRange), if the field's type cannot hold the sum.
    ///
    /// Also of a field with `#[attribute(default)]` a number that is not there counts as zero, which
    /// is what DynamoDB adds to, and not as the default of its type: a newtype whose default is 5 is 1
    /// after an `add` of 1.
    ///
    /// An integer can be added to any number, a fraction only to a field that holds fractions. To a
    /// missing value that is stored as NULL, by `#[attribute(null)]` or in a list or a map, DynamoDB
    /// adds nothing: the update is refused as invalid.
    pub fn add<V: Numeric, K: Computable>(
        self,
        field: Field<E, V, K>,
        amount: impl Amount<V::Amounts>,
    ) -> Self {
        let missing = match self.mode == Mode::Existing && !field.may_be_missing() {
            true => Missing::Never,
            false => Missing::Zero,
        };
        self.change(|changes| {
            changes.add(field.into_spot(), amount.into_number()?, missing, Bounds::of::<V>())
        })
    }

    /// Adds elements to a set; one that is not there is begun. An empty set that is an element of a
    /// list or an entry of a map is stored as NULL, to which DynamoDB adds nothing: the update is
    /// refused as invalid, and [`set`](Self::set) does it instead.
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

    /// Takes elements out of a set. A set that is not there stays so, and one that loses its last
    /// element is removed: in a map with its key, in a list with its place. An empty set in a list
    /// or a map is stored as NULL: there the update is refused as invalid.
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
        self.change(|changes| changes.append(field.into_spot(), elements.to_value()?))
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
        if let Ok(changes) = &mut self.changes
            && let Err(error) = change(changes)
        {
            self.changes = Err(error);
        }
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
#[diagnostic::on_unimplemented(
    message = "an index key is made of more than eight fields, which cannot be set together",
    note = "read the item, change it and `put` it"
)]
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
                            changes.set(field.into_spot(), $value.to_value()?)?;
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
    (A a, B b, C c, D d, F f, G g)
    (A a, B b, C c, D d, F f, G g, H h)
    (A a, B b, C c, D d, F f, G g, H h, I i)
}

impl Changes {
    fn set_if_missing(&mut self, field: Spot, value: Value) -> Result<()> {
        self.provide(&field);
        let path = field.into_path()?;
        let kept = SetOperand::if_not_exists(path.clone(), SetOperand::Value(value))?;
        self.actions.push(Action::Set(path, SetValue::operand(kept)));
        Ok(())
    }

    fn set_from(&mut self, field: Spot, other: Spot) -> Result<()> {
        self.provide(&field);
        let value = SetValue::operand(SetOperand::Path(other.into_path()?));
        self.actions.push(Action::Set(field.into_path()?, value));
        Ok(())
    }

    fn set_sum(&mut self, field: Spot, other: Spot, amount: Number, bounds: Bounds) -> Result<()> {
        self.provide(&field);
        let source = other.into_path()?;
        let text = field.to_text();
        self.guards.extend(Guard::of(text, &source, amount, Missing::Nothing, bounds)?);
        let amount = SetOperand::Value(Value::N(amount));
        let sum = SetValue::sum(SetOperand::Path(source), amount)?;
        self.actions.push(Action::Set(field.into_path()?, sum));
        Ok(())
    }

    fn add(&mut self, field: Spot, amount: Number, missing: Missing, bounds: Bounds) -> Result<()> {
        self.provide(&field);
        let text = field.to_text();
        let path = field.into_path()?;
        self.guards.extend(Guard::of(text, &path, amount, missing, bounds)?);
        self.actions.push(Action::Add(path, Value::N(amount)));
        Ok(())
    }

    fn append(&mut self, field: Spot, elements: Option<Value>) -> Result<()> {
        self.provide(&field);
        let Some(elements) = elements else { return Ok(()) };
        let path = field.into_path()?;
        let empty = SetOperand::Value(Value::L(Vec::new()));
        let list = SetOperand::if_not_exists(path.clone(), empty)?;
        let longer = SetValue::list_append(list, SetOperand::Value(elements))?;
        self.actions.push(Action::Set(path, longer));
        Ok(())
    }

    pub(super) fn set(&mut self, field: Spot, value: Option<Value>) -> Result<()> {
        let is_set_twice =
            field.is_whole() && self.sets.iter().any(|(place, _)| *place == field.place);
        if field.is_whole() {
            self.sets.push((field.place, value.clone()));
        }
        self.provide(&field);
        if field.shape().is_some_and(|field| field.storage == Storage::Key) {
            if is_set_twice {
                let path = field.into_path()?;
                return Err(Fault::Overlap(path.clone(), path).into());
            }
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
    fn provide(&mut self, field: &Spot) {
        if field.is_whole() {
            self.provided.push(field.place);
        }
    }

    /// Adds what the model keeps.
    fn keep(&mut self, of: Shapes, mode: Mode, now: Timestamp) -> Result<()> {
        for (place, field) in of.entity.fields.iter().enumerate() {
            let path = || Path::attribute(attribute_name(of.table, field));
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
    fn complete(&mut self, of: Shapes, key: &KeyValues) -> Result<()> {
        for (place, field) in of.entity.fields.iter().enumerate() {
            if field.keeper != Keeper::Program || self.provided.contains(&place) {
                continue;
            }
            if of.entity.is_in_primary_key(place) {
                if field.storage == Storage::Attribute
                    && !of.table.key.iter().any(|own| own.name() == field.attribute)
                    && let Some(value) = key.part(of, place)
                {
                    self.actions.push(Action::Set(Path::attribute(field.attribute)?, value.into()));
                }
            } else if !field.optional || of.entity.is_in_index_key(place) {
                let (entity, attribute) = (of.entity.name, attribute_name(of.table, field));
                return Err(Error::Incomplete { entity, attribute });
            } else if field.null {
                // A value that nobody has set is NULL, unless the item has one.
                let path = Path::attribute(field.attribute)?;
                let kept = SetOperand::if_not_exists(path.clone(), SetOperand::Value(Value::Null))?;
                self.actions.push(Action::Set(path, SetValue::operand(kept)));
            }
        }
        if let Some((name, value)) = of.entity.discriminator {
            self.actions.push(Action::Set(Path::attribute(name)?, Value::from(value).into()));
        }
        Ok(())
    }
}

impl<E: Entity, R: Returning<E>> Operation for Update<E, R> {
    type Entity = E;

    fn plan(self, table_name: &str, now: Timestamp) -> Result<Plan> {
        let asked = Asked {
            key: self.key.into_values()?,
            mode: self.mode,
            changes: self.changes?,
            condition: self.condition.map(Condition::into_expression).transpose()?,
            return_values: R::VALUES,
        };
        asked.plan(Shapes::of::<E>(), table_name, now)
    }
}

/// An update without its types.
struct Asked {
    key: KeyValues,
    mode: Mode,
    changes: Changes,
    condition: Option<expression::Condition>,
    return_values: ReturnValues,
}

impl Asked {
    fn plan(self, of: Shapes, table_name: &str, now: Timestamp) -> Result<Plan> {
        let Self { key, mode, mut changes, condition, return_values } = self;
        if mode == Mode::Upsert {
            changes.complete(of, &key)?;
        }
        changes.keep(of, mode, now)?;
        let key_parts = rekey(&mut changes, of, &key, mode == Mode::Upsert, now)?;

        let mut update = UpdateItem::new(table_name, key.into_item(of));
        if !changes.actions.is_empty() {
            update.update = Some(expression::Update::new(changes.actions)?);
        }
        update.return_values = return_values;
        let mut conditions: Vec<expression::Condition> = Vec::new();
        if mode == Mode::Existing {
            conditions.push(exists(of)?);
        }
        conditions.extend(condition);
        conditions.extend(is_own_key(of)?);
        let guarded = match changes.guards.is_empty() && key_parts.is_empty() {
            true => None,
            false => {
                let own = all_of(of, conditions.clone(), now)?;
                conditions.extend(changes.guards.iter().map(|guard| guard.condition().clone()));
                conditions.extend(key_parts.iter().map(|part| part.condition.clone()));
                let (table, expires) = (of.table, of.entity.expires);
                Some(Box::new(Guarded { own, guards: changes.guards, key_parts, table, expires }))
            }
        };
        update.condition = all_of(of, conditions, now)?;
        update.return_old_on_failure = true;
        let mut plan = Plan { guarded, ..Plan::new(of, update) };
        if mode == Mode::Upsert && of.entity.expires {
            plan.replace_expired(of, now)?;
        }
        Ok(plan)
    }
}

impl Plan {
    /// An upsert must not go on from an item that is expired: that one is replaced by what the
    /// upsert makes of nothing.
    fn replace_expired(&mut self, of: Shapes, now: Timestamp) -> Result<()> {
        let (TransactWriteItem::Update(update), Some(expired)) =
            (&mut self.action, is_expired(of, now)?)
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

    fn subject(&self, _: Timestamp) -> impl FnOnce() -> Subject + Send + use<E, R> {
        let key = self.key.clone();
        move || Subject::with_key(key)
    }

    fn output(returned: Option<Attributes>, now: Timestamp) -> Result<R::Output> {
        R::read(returned, now)
    }
}

impl<E: Entity, R> std::fmt::Debug for Update<E, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct(match self.mode {
            Mode::Existing => "Update",
            Mode::Upsert => "Upsert",
        });
        shown.field("entity", &E::SHAPE.name).field("key", &self.key);
        match &self.changes {
            Ok(changes) => match expression::Update::new(changes.actions.clone()) {
                Ok(update) => {
                    let text = readable(|printer| printer.update(&update));
                    shown.field("changes", &format_args!("{text}"))
                }
                Err(fault) => shown.field("changes", &format_args!("({fault})")),
            },
            Err(error) => shown.field("changes", &format_args!("({error})")),
        };
        if let Some(condition) = &self.condition {
            shown.field("only_if", condition);
        }
        shown.finish_non_exhaustive()
    }
}
