//! What Rust values are as attributes of an item.
//!
//! [`Attribute`] is implemented here for text, numbers, truth values, lists, maps, sets, options,
//! and for [`Bytes`]; `#[derive(Attribute)]` does it for structs, which become maps, and for enums
//! without fields, which become text.

mod collection;
mod number;
mod scalar;

pub use scalar::Bytes;

use crate::design::AttributeType;
use singlet_dynamo::binary::{Entries, ValueRef};
use singlet_dynamo::{Type, Value};
use std::borrow::Cow;
use std::fmt;

/// A Rust value that can be an attribute of an item.
///
/// ```
/// use singlet::Attribute;
/// use singlet::dynamo::{Map, Value};
///
/// #[derive(Attribute, Debug, PartialEq)]
/// #[attribute(rename_all = "camelCase")]
/// struct Address {
///     street_name: String,
///     number: Option<u32>,
/// }
///
/// let home = Address { street_name: "Elm Street".into(), number: None };
/// // What is `None` is not there at all.
/// let expected = Map::from([("streetName", Value::from("Elm Street"))]);
/// assert_eq!(home.to_value()?, Some(Value::M(expected)));
/// # Ok::<(), singlet::attribute::Unstorable>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as an attribute",
    label = "not an attribute",
    note = "derive it, `#[derive(Attribute)]`, or use a type that has it: text, numbers, `bool`, `Vec`, `BTreeMap`, `BTreeSet`, `Option`, `Bytes`, `Timestamp`"
)]
pub trait Attribute: Sized {
    /// What kind of value it is, as a design tells it.
    const KIND: AttributeType;
    /// The type under which the value is stored.
    const TYPE: Type = Self::KIND.stored();
    /// The texts that it can be, if there are only some.
    const ONE_OF: &'static [&'static str] = &[];
    /// Whether the attribute may be missing in an item.
    const OPTIONAL: bool = false;

    /// The value as it is stored; `None` if there is nothing to store, so that the item does not
    /// have the attribute.
    ///
    /// # Errors
    ///
    /// Some values have no form in DynamoDB, such as a number that is not finite.
    fn to_value(&self) -> Result<Option<Value>, Unstorable>;

    /// Reads a stored value; `None` if the item does not have the attribute.
    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch>;
}

/// A value has no form in DynamoDB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unstorable(Cow<'static, str>);

impl Unstorable {
    /// Says why.
    pub fn new(why: impl Into<Cow<'static, str>>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Unstorable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unstorable {}

/// A stored value is not what its type expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where in the attribute: empty for the attribute itself, else `.size` or `[3].from`.
    path: String,
    expected: Cow<'static, str>,
    found: Cow<'static, str>,
}

impl Mismatch {
    /// Says what was expected, and what was found.
    pub fn new(
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { path: String::new(), expected: expected.into(), found: found.into() }
    }

    /// A value of another type was found, or none.
    pub fn of(expected: impl Into<Cow<'static, str>>, found: Option<ValueRef<'_>>) -> Self {
        Self::new(expected, found.map_or("nothing", |value| value.kind().as_str()))
    }

    /// The same, seen from outside a map.
    #[must_use]
    pub fn within(mut self, member: &str) -> Self {
        self.path.insert_str(0, member);
        self.path.insert(0, '.');
        self
    }

    /// The same, seen from outside a list.
    #[must_use]
    pub(crate) fn at(mut self, place: usize) -> Self {
        self.path.insert_str(0, &format!("[{place}]"));
        self
    }

    /// The attribute and the way to the value inside it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for Mismatch {}

/// Reads the members of a map by their names: what `#[derive(Attribute)]` is made with.
///
/// Names ascend, both in the map and in the order in which the members are asked for, so one walk
/// along the map finds them all.
#[derive(Clone)]
pub struct Members<'a>(Entries<'a>);

impl<'a> Members<'a> {
    /// The members of a stored map.
    pub fn of(value: Option<ValueRef<'a>>) -> Result<Self, Mismatch> {
        match value {
            Some(ValueRef::M(map)) => Ok(Self(map.iter())),
            other => Err(Mismatch::of("M", other)),
        }
    }

    /// Reads the member of this name, which comes after all that were asked for before.
    pub fn read<T: Attribute>(&mut self, name: &str) -> Result<T, Mismatch> {
        T::from_value(self.0.seek(name)).map_err(|mismatch| mismatch.within(name))
    }

    /// Reads the member of this name, or gives the default if there is none.
    pub fn read_or_default<T: Attribute + Default>(&mut self, name: &str) -> Result<T, Mismatch> {
        match self.0.seek(name) {
            None => Ok(T::default()),
            value => T::from_value(value).map_err(|mismatch| mismatch.within(name)),
        }
    }
}

/// Reads text, where that is what is expected.
#[doc(hidden)]
pub fn text<'a>(value: Option<ValueRef<'a>>, expected: &'static str) -> Result<&'a str, Mismatch> {
    match value {
        Some(ValueRef::S(text)) => Ok(text),
        other => Err(Mismatch::of(expected, other)),
    }
}
