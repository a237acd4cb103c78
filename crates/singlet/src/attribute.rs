//! How Rust values are stored as attributes of an item.
//!
//! [`Attribute`] is implemented for text, numbers, booleans, bytes, lists, maps, sets and options,
//! for types of other libraries behind features, and by `#[derive(Attribute)]` for structs and
//! enums. [`Serde`] covers every other type that serde can serialize.

mod collection;
mod library;
mod map;
mod newtype;
mod number;
mod scalar;
#[doc(hidden)]
pub mod tagged;
#[cfg(test)]
mod tests;
mod with_serde;

pub use map::{EntryKey, HasEntries, MapKey};
pub use newtype::Newtype;
pub use scalar::Bytes;
pub use with_serde::Serde;
#[doc(hidden)]
pub use with_serde::serde_value;

use crate::design::AttributeType;
use singlet_dynamo::binary::{Entries, ValueRef};
use singlet_dynamo::{Type, Value};
use std::borrow::Cow;
use std::fmt;

/// A Rust value that can be an attribute of an item.
///
/// | type | stored as |
/// |---|---|
/// | `String`, identifiers made by [`id!`](crate::id), [`Timestamp`](crate::Timestamp), [`Date`](crate::Date) | S |
/// | integers, `f32`, `f64`, [`Number`](crate::dynamo::Number), [`Expiry`](crate::Expiry) | N |
/// | `bool` | BOOL |
/// | `Vec<u8>`, [`Bytes`] | B |
/// | `Vec<T>` | L |
/// | `BTreeMap<K, V>`, `HashMap<K, V>` whose keys are a [`MapKey`] | M |
/// | `BTreeSet<T>` | SS, NS or BS, or L for other elements; an empty set is left out, or NULL in a list or a map |
/// | `Option<T>` | as `T`; `None` is left out, or NULL in a list or a map |
/// | `Box<T>` | as `T` |
/// | [`Value`] | unchanged |
/// | structs and enums with `#[derive(Attribute)]` | M, S, or the type they wrap: see [the derive](derive@crate::Attribute) |
/// | any type that serde knows, `#[attribute(with = serde)]` | what [`Serde`] makes of it |
/// | `uuid::Uuid`, with the feature `uuid` | S: `f81d4fae-7dec-11d0-a765-00a0c91e6bf6` |
/// | `chrono::DateTime<Utc>`, `time::OffsetDateTime`, `time::UtcDateTime`, `jiff::Timestamp`, with the feature of the library | S: `2026-01-31T09:30:00.000000000Z` |
/// | `chrono::NaiveDate`, `time::Date`, `jiff::civil::Date` | S: `2026-01-31` |
/// | `rust_decimal::Decimal`, with the feature `rust_decimal` | N |
/// | `bytes::Bytes`, with the feature `bytes` | B |
///
/// Timestamps of other libraries have nine fractional digits, so they round-trip exactly;
/// [`Timestamp`](crate::Timestamp) has three. A timestamp outside the years 0 to 9999 cannot be
/// stored.
///
/// Usually the trait is derived:
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
/// // `None` is left out.
/// let expected = Map::from([("streetName", Value::from("Elm Street"))]);
/// assert_eq!(home.to_value()?, Some(Value::M(expected)));
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
///
/// A type with its own representation implements the trait by hand, on top of a type that has it:
///
/// ```
/// use singlet::Attribute;
/// use singlet::attribute::{Mismatch, NotStorable};
/// use singlet::design::AttributeType;
/// use singlet::dynamo::{Value, binary::ValueRef};
///
/// struct Percent(u8);
///
/// impl Attribute for Percent {
///     const KIND: AttributeType = AttributeType::Integer;
///
///     fn to_value(&self) -> Result<Option<Value>, NotStorable> {
///         if self.0 > 100 {
///             return Err(NotStorable::new("a percentage is at most 100"));
///         }
///         self.0.to_value()
///     }
///
///     fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
///         match u8::from_value(value)? {
///             percent @ 0..=100 => Ok(Self(percent)),
///             other => Err(Mismatch::new("a percentage", other.to_string())),
///         }
///     }
/// }
/// # assert!(Percent(101).to_value().is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored as an attribute",
    label = "not an attribute",
    note = "derive it, `#[derive(Attribute)]`, or use a type that has it: text, numbers, `bool`, `Vec`, `BTreeMap`, `BTreeSet`, `Option`, `Bytes`, `Timestamp`",
    note = "a field of a type that serde knows can say `#[attribute(with = serde)]`; types of `uuid`, `time`, `chrono`, `jiff`, `rust_decimal` and `bytes` are attributes with the feature of singlet that has the library's name"
)]
pub trait Attribute: Sized {
    /// The attribute's type in a design.
    const KIND: AttributeType;
    /// The DynamoDB type of the stored value; `None` if it can be any.
    const TYPE: Option<Type> = Self::KIND.stored();
    /// The allowed texts, if there is a fixed set.
    const ONE_OF: &'static [&'static str] = &[];
    /// Whether an item may lack the attribute.
    const OPTIONAL: bool = false;
    /// The names of the members, for a map with fixed names.
    #[doc(hidden)]
    const MEMBERS: &'static [&'static str] = &[];
    /// The attribute type of a `Vec` of such values.
    #[doc(hidden)]
    const LIST_KIND: AttributeType = AttributeType::List;

    /// The stored value, or `None` to leave the attribute out of the item.
    ///
    /// # Errors
    ///
    /// The value has no representation in DynamoDB, such as a number that is not finite.
    fn to_value(&self) -> Result<Option<Value>, NotStorable>;

    /// Reads a stored value; `None` if the item does not have the attribute.
    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch>;

    /// Stores a `Vec` of these values: a list, except for bytes of type `u8`.
    #[doc(hidden)]
    fn list_to_value(elements: &[Self]) -> Result<Value, NotStorable> {
        collection::write_list(elements)
    }

    /// Reads a `Vec` of these values.
    #[doc(hidden)]
    fn list_from_value(value: Option<ValueRef<'_>>) -> Result<Vec<Self>, Mismatch> {
        collection::read_list(value)
    }
}

/// A value cannot be represented in DynamoDB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotStorable(Cow<'static, str>);

impl NotStorable {
    /// An error with this reason.
    pub fn new(why: impl Into<Cow<'static, str>>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for NotStorable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotStorable {}

/// A stored value is not what its type expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The path inside the attribute: `.size` or `[3].from`; empty for the attribute itself.
    path: String,
    expected: Cow<'static, str>,
    found: Cow<'static, str>,
}

impl Mismatch {
    /// A mismatch between the expected and the found value.
    pub fn new(
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { path: String::new(), expected: expected.into(), found: found.into() }
    }

    /// A value of another type, or none, was found.
    pub fn of(expected: impl Into<Cow<'static, str>>, found: Option<ValueRef<'_>>) -> Self {
        Self::new(expected, found.map_or("nothing", |value| value.kind().as_str()))
    }

    /// Adds the name of an enclosing map's member to the path.
    #[must_use]
    pub fn within(mut self, member: &str) -> Self {
        self.path.insert_str(0, member);
        self.path.insert(0, '.');
        self
    }

    /// Adds the index in an enclosing list to the path.
    #[must_use]
    pub(crate) fn at(mut self, place: usize) -> Self {
        self.path.insert_str(0, &format!("[{place}]"));
        self
    }

    /// The attribute, and the path inside it.
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

/// Reads the members of a map by name, for the code that `#[derive(Attribute)]` generates.
///
/// Both the map and the reads are in ascending order of names, so one pass over the map finds all
/// members.
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

    /// Reads the member with this name. Names must be read in ascending order.
    pub fn read<T: Attribute>(&mut self, name: &str) -> Result<T, Mismatch> {
        T::from_value(self.0.seek(name)).map_err(|mismatch| mismatch.within(name))
    }

    /// Reads the member with this name, or returns the default if it is missing.
    pub fn read_or_default<T: Attribute + Default>(&mut self, name: &str) -> Result<T, Mismatch> {
        match self.0.seek(name) {
            None => Ok(T::default()),
            value => T::from_value(value).map_err(|mismatch| mismatch.within(name)),
        }
    }
}

/// Adds a member to the list, if it has a value.
#[doc(hidden)]
pub fn push_member(members: &mut Vec<(String, Value)>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        members.push((name.to_owned(), value));
    }
}

/// Reads a string, or fails with the expected type.
#[doc(hidden)]
pub fn text<'a>(value: Option<ValueRef<'a>>, expected: &'static str) -> Result<&'a str, Mismatch> {
    match value {
        Some(ValueRef::S(text)) => Ok(text),
        other => Err(Mismatch::of(expected, other)),
    }
}
