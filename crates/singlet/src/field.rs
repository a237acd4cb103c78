//! Typed fields, for conditions and updates.

mod amount;

pub use amount::{Amount, Fractional, Numeric, Whole};

use crate::attribute::{Attribute, EntryKey, HasEntries, Newtype, NotStorable, Serde};
use crate::design::AttributeType;
use crate::entity::Entity;
use crate::error::Result;
use crate::marker::Marker;
use crate::shape::{EntityShape, FieldShape, Storage, TableShape};
use crate::table::Table;
use crate::timestamp::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use singlet_dynamo::Value;
use singlet_dynamo::expression::{Element as Step, Operand as Term, Path};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::marker::PhantomData;

/// A field of an entity, of type `V`. Its [kind] `K` determines how it can be used.
///
/// `#[derive(Entity)]` generates a constant per field. Conditions and updates also reach into a
/// field: to a [member](Self::member) of a struct, an element of a list ([`at`](Self::at)), or an
/// [entry](Self::entry) of a map.
///
/// ```
/// # use singlet::prelude::*;
/// # use std::collections::BTreeMap;
/// # id!(Code, PlayerId);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// #[derive(Entity)]
/// #[entity(Games, key = ("{code}"))]
/// pub struct Game {
///     pub code: Code,
///     pub turn: u32,
///     pub turns_max: u32,
///     pub scores: BTreeMap<String, u32>,
///     pub rolls: Vec<u32>,
/// }
///
/// # let code = Code::new("ABC123")?;
/// let roll = update(Game::key(&code))
///     .add(Game::TURN, 1)
///     .add(Game::SCORES.entry("ada"), 6)
///     .append(Game::ROLLS, [6])
///     .only_if(Game::TURN.lt(Game::TURNS_MAX));
/// # let _ = roll;
/// # Ok::<(), singlet::IdError>(())
/// ```
pub struct Field<E, V, K> {
    place: usize,
    /// The path from the attribute to a value inside it.
    steps: Vec<Step>,
    /// Whether this is an element of a list or an entry of a map.
    is_element: bool,
    types: Marker<(E, V, K)>,
}

/// A member of a struct that is stored as a map. `#[derive(Attribute)]` generates a constant per
/// member.
pub struct Member<S, V> {
    name: &'static str,
    types: Marker<(S, V)>,
}

impl<S, V> Member<S, V> {
    /// The member with this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, types: PhantomData }
    }
}

impl<E: Entity, V, K> Field<E, V, K> {
    /// The field at this index in the entity's declaration.
    #[must_use]
    pub const fn new(place: usize) -> Self {
        Self { place, steps: Vec::new(), is_element: false, types: PhantomData }
    }

    fn part<T, P>(mut self, step: Step, is_element: bool) -> Field<E, T, P> {
        self.steps.push(step);
        Field { place: self.place, steps: self.steps, is_element, types: PhantomData }
    }

    /// A member of the struct in this field.
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
    /// let large = Game::BOARD.member(Board::SIZE).ge(100);
    /// # let _ = large;
    /// ```
    #[must_use]
    pub fn member<S, M>(self, member: Member<S, M>) -> Field<E, M, K::Base>
    where
        V: Holds<S>,
        K: FieldKind,
    {
        self.part(Step::Field(member.name.to_owned()), false)
    }

    /// The element at a zero-based index of the list in this field. An update can set or remove it.
    /// Setting past the end appends; removing shifts the later elements.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code, pub rolls: Vec<u32> }
    /// # let code = Code::new("ABC123")?;
    /// let corrected = update(Game::key(&code)).set(Game::ROLLS.at(0), 5).remove(Game::ROLLS.at(1));
    /// # let _ = corrected;
    /// # Ok::<(), singlet::IdError>(())
    /// ```
    #[must_use]
    pub fn at<T: Attribute>(self, place: u32) -> Field<E, T, Element<K::Base>>
    where
        V: Holds<Vec<T>>,
        K: FieldKind,
    {
        const { assert_list::<T>() };
        self.part(Step::Index(place), true)
    }

    /// The value under a key of the map in this field. An update can set or remove it. Setting
    /// `None` stores NULL and keeps the key.
    ///
    /// ```
    /// # use singlet::prelude::*;
    /// # use std::collections::BTreeMap;
    /// # id!(Code);
    /// # #[table(name = "games", key = (code), entities(Game))]
    /// # pub struct Games;
    /// # #[derive(Entity)]
    /// # #[entity(Games, key = ("{code}"))]
    /// # pub struct Game { pub code: Code, pub scores: BTreeMap<String, u32> }
    /// # let code = Code::new("ABC123")?;
    /// let left = update(Game::key(&code)).remove(Game::SCORES.entry("ada"));
    /// # let _ = left;
    /// # Ok::<(), singlet::IdError>(())
    /// ```
    #[must_use]
    pub fn entry(self, key: impl EntryKey<V::Key>) -> Field<E, V::Value, Element<K::Base>>
    where
        V: HasEntries,
        K: FieldKind,
    {
        self.part(Step::Field(key.to_name().into_owned()), true)
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn may_be_missing(&self) -> bool {
        !self.is_whole() || E::SHAPE.field(self.place).is_none_or(|field| field.optional)
    }

    /// Erases the types, so that code on top of it is compiled once.
    pub(crate) fn into_spot(self) -> Spot {
        let Self { place, steps, is_element, .. } = self;
        Spot { shape: &E::SHAPE, table: E::Table::SHAPE, place, steps, is_element }
    }

    pub(crate) fn into_path(self) -> Result<Path> {
        self.into_spot().into_path()
    }
}

/// A field or a value inside it, with its types erased.
pub(crate) struct Spot {
    shape: &'static EntityShape,
    table: &'static TableShape,
    pub(crate) place: usize,
    steps: Vec<Step>,
    is_element: bool,
}

impl Spot {
    pub(crate) fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn shape(&self) -> Option<&'static FieldShape> {
        self.shape.field(self.place)
    }

    /// Whether a missing value is stored as NULL. In lists and maps it is, to keep the position or
    /// key.
    pub(crate) fn is_null_stored(&self) -> bool {
        match self.is_whole() {
            true => self.shape().is_some_and(|field| field.null),
            false => self.is_element,
        }
    }

    /// The field as shown in messages: `scores.ada`, `rolls[0]`.
    pub(crate) fn to_text(&self) -> String {
        let mut text = self.shape().map_or("", |field| field.name).to_owned();
        for step in &self.steps {
            // Writing to a `String` cannot fail.
            let _ = match step {
                Step::Field(name) => write!(text, ".{name}"),
                Step::Index(place) => write!(text, "[{place}]"),
            };
        }
        text
    }

    #[inline(never)]
    pub(crate) fn into_path(self) -> Result<Path> {
        let name = self.shape().map_or("", |field| attribute_name(self.table, field));
        Ok(Path::new(name, self.steps)?)
    }
}

/// Fails to compile for `Vec<u8>`, which is stored as bytes.
pub(crate) const fn assert_list<T: Attribute>() {
    assert!(
        matches!(T::LIST_KIND, AttributeType::List),
        "a `Vec<u8>` is stored as bytes, of type B, and has no elements in DynamoDB: set it as a whole, or make it a list of other numbers, such as a `Vec<u16>`"
    );
}

/// The attribute that a field is stored in.
pub(crate) fn attribute_name(table: &TableShape, field: &'static FieldShape) -> &'static str {
    match field.storage {
        Storage::Expiry => table.ttl.unwrap_or(field.attribute),
        _ => field.attribute,
    }
}

/// A field that holds such a value, possibly as an `Option`.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` does not hold a `{S}`",
    label = "not inside this field"
)]
pub trait Holds<S> {}

impl<S> Holds<S> for S {}
impl<S> Holds<S> for Option<S> {}

/// A value for a field: of its type, a reference to that, or for an optional field also the bare
/// value.
#[diagnostic::on_unimplemented(
    message = "the field is a `{V}`, and this is a `{Self}`",
    label = "expected `{V}`"
)]
pub trait Operand<V> {
    /// The stored form; `None` for a missing value.
    fn to_operand(&self) -> Result<Option<Value>, NotStorable>;
}

impl<T: Attribute> Operand<T> for T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<T> for &T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        self.to_value()
    }
}

impl<T: Attribute> Operand<Option<T>> for &T {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        self.to_value()
    }
}

impl Operand<String> for &str {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::from(*self)))
    }
}

impl Operand<Option<String>> for &str {
    fn to_operand(&self) -> Result<Option<Value>, NotStorable> {
        Ok(Some(Value::from(*self)))
    }
}

/// The right-hand side of a comparison: an [`Operand`], or another field of the same entity.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (code), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity)]
/// # #[entity(Games, key = ("{code}"))]
/// # pub struct Game { pub code: Code, pub turn: u32, pub turns_max: Option<u32> }
/// let running = Game::TURN.lt(100).and(Game::TURN.lt(Game::TURNS_MAX));
/// # let _ = running;
/// ```
#[diagnostic::on_unimplemented(
    message = "the field is a `{V}`, and this is a `{Self}`",
    label = "expected `{V}`, or a field of `{E}` that holds one"
)]
pub trait Comparand<E, V> {
    /// The operand of a condition; `None` for a missing value.
    #[doc(hidden)]
    fn into_term(self) -> Result<Option<Term>>;
}

macro_rules! comparands {
    ($(($($generic:tt)*) $value:ty, $field:ty;)+) => {
        $(impl<E, $($generic)*> Comparand<E, $field> for $value {
            fn into_term(self) -> Result<Option<Term>> {
                Ok(Operand::<$field>::to_operand(&self)?.map(Term::Value))
            }
        })+
    };
}

comparands! {
    (T: Attribute) T, T;
    (T: Attribute) &T, T;
    (T: Attribute) T, Option<T>;
    (T: Attribute) &T, Option<T>;
    () &str, String;
    () &str, Option<String>;
    (T: Serialize + DeserializeOwned) T, Serde<T>;
    (T: Serialize + DeserializeOwned) &T, Serde<T>;
    (T: Serialize + DeserializeOwned) T, Option<Serde<T>>;
    (T: Serialize + DeserializeOwned) &T, Option<Serde<T>>;
    (T: Serialize + DeserializeOwned) Option<T>, Option<Serde<T>>;
}

impl<E: Entity, V, K: Testable> Comparand<E, V> for Field<E, V, K> {
    fn into_term(self) -> Result<Option<Term>> {
        Ok(Some(Term::Path(self.into_path()?)))
    }
}

/// A missing field equals nothing, and is neither less nor greater.
impl<E: Entity, V, K: Testable> Comparand<E, Option<V>> for Field<E, V, K> {
    fn into_term(self) -> Result<Option<Term>> {
        Ok(Some(Term::Path(self.into_path()?)))
    }
}

/// A missing field equals nothing, and is neither less nor greater.
impl<E: Entity, V, K: Testable> Comparand<E, V> for Field<E, Option<V>, K> {
    fn into_term(self) -> Result<Option<Term>> {
        Ok(Some(Term::Path(self.into_path()?)))
    }
}

/// Kinds of fields, as types: they determine how a field can be used.
pub mod kind {
    use std::marker::PhantomData;

    /// A field that no key depends on: it can be set, added to and removed.
    pub enum Plain {}
    /// Part of the primary key.
    pub enum PrimaryKey {}
    /// Stored only inside the primary key.
    pub enum OnlyInKey {}
    /// Stored only inside an index key.
    pub enum OnlyInIndexKey {}
    /// Part of an index key, which is rewritten when the field is set.
    pub enum IndexKey {}
    /// The only field in its index key attributes. With `IS_ATTRIBUTE`, the field and the index key
    /// are one attribute.
    pub enum LoneIndexKey<const IS_ATTRIBUTE: bool> {}
    /// Shares an index key attribute with other fields. `G` is called as the constant of `E` that
    /// sets them together.
    pub struct SharedIndexKey<E, G>(PhantomData<(E, G)>);
    /// Stored only inside an index key that it shares with other fields.
    pub struct OnlyInSharedIndexKey<E, G>(PhantomData<(E, G)>);
    /// Shares an index key with a field that the model maintains.
    pub enum BesideKept {}
    /// Stored only inside an index key that it shares with a field that the model maintains.
    pub enum OnlyBesideKept {}
    /// Maintained by the model.
    pub enum Kept {}
    /// Stored inside the payload.
    pub enum InPayload {}
    /// An element of a list or an entry of a map, in a field of kind `K`.
    pub struct Element<K>(PhantomData<K>);
}

use kind::{
    BesideKept, Element, InPayload, IndexKey, Kept, LoneIndexKey, OnlyBesideKept, OnlyInIndexKey,
    OnlyInKey, OnlyInSharedIndexKey, Plain, PrimaryKey, SharedIndexKey,
};

/// The kinds of fields.
pub trait FieldKind {
    /// The kind of the enclosing field.
    type Base;
}

impl<K> FieldKind for Element<K> {
    type Base = K;
}

macro_rules! kinds {
    ($([$($generic:tt)*] $kind:ty;)+) => {
        $(
            impl<$($generic)*> FieldKind for $kind {
                type Base = Self;
            }

            impl<T: Attribute, $($generic)*> Removable<$kind> for Option<T> {}
            impl<T: Attribute + Ord, $($generic)*> Removable<$kind> for BTreeSet<T> {}
            #[diagnostic::do_not_recommend]
            impl<T: Newtype, $($generic)*> Removable<$kind> for T
            where
                T::Inner: Removable<$kind>,
            {
            }
        )+
    };
}

kinds! {
    [] Plain;
    [] PrimaryKey;
    [] OnlyInKey;
    [] OnlyInIndexKey;
    [] IndexKey;
    [const IS_ATTRIBUTE: bool] LoneIndexKey<IS_ATTRIBUTE>;
    [E, G] SharedIndexKey<E, G>;
    [E, G] OnlyInSharedIndexKey<E, G>;
    [] BesideKept;
    [] OnlyBesideKept;
    [] Kept;
    [] InPayload;
}

/// Fields that can be used in conditions: all except fields inside a payload or only inside a key.
#[diagnostic::on_unimplemented(
    message = "this field cannot stand in a condition",
    label = "not an attribute of its own",
    note = "`InPayload`: DynamoDB cannot look into the JSON text of a payload",
    note = "`OnlyInKey`, `OnlyInIndexKey`, `OnlyInSharedIndexKey`, `OnlyBesideKept`: the field is stored within a key and nowhere else"
)]
pub trait Testable {}

impl Testable for Plain {}
impl Testable for PrimaryKey {}
impl Testable for IndexKey {}
impl<const IS_ATTRIBUTE: bool> Testable for LoneIndexKey<IS_ATTRIBUTE> {}
impl<E, G> Testable for SharedIndexKey<E, G> {}
impl Testable for BesideKept {}
impl Testable for Kept {}
impl<K: Testable> Testable for Element<K> {}

/// Fields that an update can set.
#[diagnostic::on_unimplemented(
    message = "this field cannot be set by itself",
    label = "of kind `{Self}`",
    note = "`PrimaryKey`, `OnlyInKey`: the key of an item never changes: delete the item and create another one, in one transaction",
    note = "`BesideKept`, `OnlyBesideKept`: an index key is made of this field and of one that the model keeps (`created`), whose value an update does not know: read the item, change it and `put` it",
    note = "`Kept`: the model keeps this field by itself",
    note = "`InPayload`: DynamoDB cannot change the JSON text of a payload: read the item and put it again"
)]
pub trait Settable {}

impl Settable for Plain {}
impl Settable for IndexKey {}
impl<const IS_ATTRIBUTE: bool> Settable for LoneIndexKey<IS_ATTRIBUTE> {}
impl Settable for OnlyInIndexKey {}
impl<E, G: SetAlone<E>> Settable for SharedIndexKey<E, G> {}
impl<E, G: SetAlone<E>> Settable for OnlyInSharedIndexKey<E, G> {}
impl<K: Settable> Settable for Element<K> {}

/// A group of fields that could be set one by one. There is none: the trait exists for its message.
#[diagnostic::on_unimplemented(
    message = "this field shares an index key with others and cannot be set alone",
    label = "set them together: `.set_together({E}::{Self}, (…))`"
)]
pub trait SetAlone<E> {}

/// Fields that an update can change relative to the stored value.
#[diagnostic::on_unimplemented(
    message = "this field cannot be computed from what is stored",
    label = "of kind `{Self}`",
    note = "`LoneIndexKey<false>`: an index key repeats this field under another name: give both the same name, and the field is the key, which can be added to",
    note = "`IndexKey`, `OnlyInIndexKey`, `SharedIndexKey`, `OnlyInSharedIndexKey`: an index key is made of this field, and what it would become is not known: set the field to a value",
    note = "`BesideKept`, `OnlyBesideKept`: an index key is made of this field and of one that the model keeps (`created`), whose value an update does not know: read the item, change it and `put` it",
    note = "`PrimaryKey`, `OnlyInKey`: the key of an item never changes",
    note = "`Kept`: the model keeps this field by itself",
    note = "`InPayload`: DynamoDB cannot change the JSON text of a payload: read the item and put it again"
)]
pub trait Computable: Settable {}

impl Computable for Plain {}
impl Computable for LoneIndexKey<true> {}
impl<K: Computable> Computable for Element<K> {}

/// Optional fields, which can be removed, and elements of lists and maps.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be removed: an item must have it",
    label = "not an `Option`, nor a set, nor an element of a list or a map"
)]
pub trait Removable<K> {}

impl<V, K> Removable<Element<K>> for V {}

/// Types that are stored as text.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is not text",
    label = "stored as something else"
)]
pub trait Textual: Attribute {}

impl Textual for String {}
impl Textual for Timestamp {}
impl<T: Textual> Textual for Option<T> {}

/// Lists and sets, which contain elements, and text, which contains substrings.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` does not contain a `{T}`",
    label = "neither text, nor a list or set of these"
)]
pub trait Containing<T>: Attribute {
    /// Fails to compile for types without elements.
    #[doc(hidden)]
    const HAS_ELEMENTS: () = ();
}

impl Containing<String> for String {}
impl<T: Attribute> Containing<T> for Vec<T> {
    const HAS_ELEMENTS: () = assert_list::<T>();
}
impl<T: Attribute + Ord> Containing<T> for BTreeSet<T> {}
