//! Fields, as conditions and updates name them.

use crate::attribute::{Attribute, EntryKey, HasEntries, Unstorable};
use crate::design::AttributeType;
use crate::entity::Entity;
use crate::error::Result;
use crate::marker::Marker;
use crate::shape::{FieldShape, Storage};
use crate::table::Table;
use crate::timestamp::Timestamp;
use singlet_dynamo::Value;
use singlet_dynamo::expression::{Element, Path};
use std::collections::BTreeSet;

/// A field of an entity: its type, and what may be done with it. `#[derive(Entity)]` gives the
/// entity a constant for each of its fields.
pub struct Field<E, V, K> {
    place: usize,
    /// From the attribute to a part of it.
    steps: Vec<Element>,
    types: Marker<(E, V, K)>,
}

/// A member of a struct that is stored as a map. `#[derive(Attribute)]` gives the struct a constant
/// for each of its members.
pub struct Member<S, V> {
    name: &'static str,
    types: Marker<(S, V)>,
}

impl<S, V> Member<S, V> {
    /// The member of this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, types: PhantomData }
    }
}

impl<E: Entity, V, K> Field<E, V, K> {
    /// The field at this place of the entity's declaration.
    #[must_use]
    pub const fn new(place: usize) -> Self {
        Self { place, steps: Vec::new(), types: PhantomData }
    }

    /// A member of the struct that the field holds.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// #[derive(Attribute)]
    /// pub struct Board {
    ///     pub size: u32,
    /// }
    ///
    /// #[derive(Entity)]
    /// #[entity(Games, key = ("{code}"))]
    /// pub struct Game {
    ///     pub code: Code,
    ///     pub board: Board,
    /// }
    ///
    /// let large = Game::board.member(Board::size).ge(100);
    /// # let _ = large;
    /// ```
    #[must_use]
    pub fn member<S, M>(mut self, member: Member<S, M>) -> Field<E, M, K>
    where
        V: Holds<S>,
    {
        self.steps.push(Element::Field(member.name.to_owned()));
        Field { place: self.place, steps: self.steps, types: PhantomData }
    }

    /// The element at a place of the list that the field holds, counted from zero.
    #[must_use]
    pub fn at<T: Attribute>(mut self, place: u32) -> Field<E, T, K>
    where
        V: Holds<Vec<T>>,
    {
        const { assert_list::<T>() };
        self.steps.push(Element::Index(place));
        Field { place: self.place, steps: self.steps, types: PhantomData }
    }

    /// The value under a key in the map that the field holds.
    #[must_use]
    pub fn entry(mut self, key: impl EntryKey<V::Key>) -> Field<E, V::Value, K>
    where
        V: HasEntries,
    {
        self.steps.push(Element::Field(key.to_name().into_owned()));
        Field { place: self.place, steps: self.steps, types: PhantomData }
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// Whether this is the field as a whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn shape(&self) -> Option<&'static FieldShape> {
        E::SHAPE.field(self.place)
    }

    /// Whether a missing value is stored as NULL here.
    pub(crate) fn is_null_stored(&self) -> bool {
        self.is_whole() && self.shape().is_some_and(|field| field.null)
    }

    /// The way to the value in an item.
    pub(crate) fn into_path(self) -> Result<Path> {
        let name = self.shape().map_or("", attribute_name::<E>);
        Ok(Path::new(name, self.steps)?)
    }
}

/// Refuses to take bytes for a list.
pub(crate) const fn assert_list<T: Attribute>() {
    assert!(
        matches!(T::LIST_KIND, AttributeType::List),
        "a `Vec<u8>` is stored as bytes, of type B, and has no elements in DynamoDB: set it as a whole, or make it a list of other numbers, such as a `Vec<u16>`"
    );
}

/// The name under which a field is stored.
pub(crate) fn attribute_name<E: Entity>(field: &'static FieldShape) -> &'static str {
    match field.storage {
        Storage::Expiry => E::Table::SHAPE.ttl.unwrap_or(field.attribute),
        _ => field.attribute,
    }
}

/// Says that a field holds such a value, or may.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` does not hold a `{S}`",
    label = "not inside this field"
)]
pub trait Holds<S> {}

impl<S> Holds<S> for S {}
impl<S> Holds<S> for Option<S> {}

/// Given where a field's value is wanted: a value of its type, a reference to one, and for a field
/// that may be missing also the value itself.
#[diagnostic::on_unimplemented(
    message = "the field is a `{V}`, and this is a `{Self}`",
    label = "expected `{V}`"
)]
pub trait Operand<V> {
    /// The value as it is stored; `None` for a missing one.
    fn to_operand(&self) -> Result<Option<Value>, Unstorable>;
}

impl<T: Attribute> Operand<T> for T {
    fn to_operand(&self) -> Result<Option<Value>, Unstorable> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<T> for &T {
    fn to_operand(&self) -> Result<Option<Value>, Unstorable> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for T {
    fn to_operand(&self) -> Result<Option<Value>, Unstorable> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for &T {
    fn to_operand(&self) -> Result<Option<Value>, Unstorable> {
        self.to_value()
    }
}

impl Operand<String> for &str {
    fn to_operand(&self) -> Result<Option<Value>, Unstorable> {
        Ok(Some(Value::from(*self)))
    }
}

impl Operand<Option<String>> for &str {
    fn to_operand(&self) -> Result<Option<Value>, Unstorable> {
        Ok(Some(Value::from(*self)))
    }
}

/// What may be done with a field: a type for each answer.
pub mod kind {
    /// Nothing in particular hangs on the field: it can be set, added to, removed.
    pub enum Plain {}
    /// The field is a part of the primary key.
    pub enum PrimaryKey {}
    /// The field is stored within the primary key and nowhere else.
    pub enum OnlyInKey {}
    /// The field is stored within an index key and nowhere else.
    pub enum OnlyInIndexKey {}
    /// The field is a part of an index key, which is written anew when the field is set.
    pub enum IndexKey {}
    /// The field shares an attribute of an index key with other fields.
    pub enum SharedIndexKey {}
    /// The model says what the field is.
    pub enum Kept {}
    /// The field is stored within the payload.
    pub enum InPayload {}
}

use kind::{IndexKey, Kept, OnlyInIndexKey, Plain, PrimaryKey, SharedIndexKey};
use std::marker::PhantomData;

/// Fields that can stand in conditions: all but those within a payload or within a key.
#[diagnostic::on_unimplemented(
    message = "this field cannot stand in a condition",
    label = "not an attribute of its own",
    note = "`InPayload`: DynamoDB cannot look into the JSON text of a payload",
    note = "`OnlyInKey`, `OnlyInIndexKey`: the field is stored within a key and nowhere else"
)]
pub trait Testable {}

impl Testable for Plain {}
impl Testable for PrimaryKey {}
impl Testable for IndexKey {}
impl Testable for SharedIndexKey {}
impl Testable for Kept {}

/// Fields that an update can set.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set by itself",
    label = "of kind `{Self}`",
    note = "`PrimaryKey`, `OnlyInKey`: the key of an item never changes: delete the item and create another one, in one transaction",
    note = "`SharedIndexKey`: an index key is made of this field and others, and would go stale: set them together, with `set_together` and the constant that is named after them all",
    note = "`Kept`: the model keeps this field by itself",
    note = "`InPayload`: DynamoDB cannot change the JSON text of a payload: read the item and put it again"
)]
pub trait Settable {}

impl Settable for Plain {}
impl Settable for IndexKey {}
impl Settable for OnlyInIndexKey {}

/// Fields whose value an update can compute from what is stored.
#[diagnostic::on_unimplemented(
    message = "this field cannot be changed by an amount",
    label = "of kind `{Self}`",
    note = "`IndexKey`, `OnlyInIndexKey`, `SharedIndexKey`: an index key is made of this field, and what it would become is not known: set the field to a value",
    note = "`PrimaryKey`, `OnlyInKey`: the key of an item never changes",
    note = "`Kept`: the model keeps this field by itself",
    note = "`InPayload`: DynamoDB cannot change the JSON text of a payload: read the item and put it again"
)]
pub trait Computable: Settable {}

impl Computable for Plain {}

/// Numbers, which can be added to.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is not a number",
    label = "cannot be added to"
)]
pub trait Numeric: Attribute {}

macro_rules! numeric {
    ($($number:ty)+) => {
        $(
            impl Numeric for $number {}
            impl Numeric for Option<$number> {}
        )+
    };
}

numeric! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 singlet_dynamo::Number }

/// Fields that may be missing, so that they can be removed.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be removed: an item must have it",
    label = "not an `Option`, nor a set"
)]
pub trait Removable: Attribute {}

impl<T: Attribute> Removable for Option<T> {}
impl<T: Attribute + Ord> Removable for BTreeSet<T> {}

/// Text, and what is stored as text.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is not text",
    label = "stored as something else"
)]
pub trait Textual: Attribute {}

impl Textual for String {}
impl Textual for Timestamp {}
impl<T: Textual> Textual for Option<T> {}

/// Lists and sets, which contain elements, and text, which contains text.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` does not contain a `{T}`",
    label = "neither text, nor a list or set of these"
)]
pub trait Containing<T>: Attribute {
    /// Stops the compiler where the elements are none.
    #[doc(hidden)]
    const HAS_ELEMENTS: () = ();
}

impl Containing<String> for String {}
impl<T: Attribute> Containing<T> for Vec<T> {
    const HAS_ELEMENTS: () = assert_list::<T>();
}
impl<T: Attribute + Ord> Containing<T> for BTreeSet<T> {}
