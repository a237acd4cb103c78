//! Maps, whose keys are strings or types with a string form.

use super::{Attribute, Mismatch, NotStorable};
use crate::date::Date;
use crate::design::AttributeType;
use crate::timestamp::Timestamp;
use singlet_dynamo::binary::ValueRef;
use singlet_dynamo::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

/// The key of a map: a value with a text form that can be parsed back.
///
/// DynamoDB's map keys are text. These types have a unique text form: `String`, integers, `bool`,
/// `char`, [`Timestamp`], [`Date`], identifiers made by [`id!`](crate::id), enums without fields
/// and newtypes with `#[derive(Attribute)]`, and `uuid::Uuid`.
///
/// ```
/// use singlet::prelude::*;
/// use singlet::dynamo::{Map, Value};
/// use std::collections::BTreeMap;
///
/// #[derive(Attribute, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
/// #[attribute(rename_all = "lowercase")]
/// enum Colour {
///     Red,
///     Blue,
/// }
///
/// let stock = BTreeMap::from([(Colour::Red, 3), (Colour::Blue, 0)]);
/// let stored = Map::from([("blue", Value::from(0)), ("red", Value::from(3))]);
/// assert_eq!(stock.to_value()?, Some(Value::M(stored)));
/// # Ok::<(), singlet::attribute::NotStorable>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a map",
    label = "has no text of its own",
    note = "the keys of a stored map are text: `String`, integers, identifiers made by `id!`, `Timestamp`, `Date`, and enums without fields or newtypes with `#[derive(Attribute)]`"
)]
pub trait MapKey: Sized {
    /// The text form.
    fn to_name(&self) -> Cow<'_, str>;

    /// Parses the text form.
    fn from_name(name: &str) -> Result<Self, Mismatch>;
}

impl MapKey for String {
    fn to_name(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn from_name(name: &str) -> Result<Self, Mismatch> {
        Ok(name.to_owned())
    }
}

macro_rules! map_keys {
    ($($own:ident: $expected:literal,)+) => {
        $(
            impl MapKey for $own {
                fn to_name(&self) -> Cow<'_, str> {
                    Cow::Owned(self.to_string())
                }

                fn from_name(name: &str) -> Result<Self, Mismatch> {
                    name.parse().map_err(|_| Mismatch::new($expected, format!("the key `{name}`")))
                }
            }
        )+
    };
}

map_keys! {
    i8: "a number that fits i8",
    i16: "a number that fits i16",
    i32: "a number that fits i32",
    i64: "a number that fits i64",
    i128: "a number that fits i128",
    isize: "a number that fits isize",
    u8: "a number that fits u8",
    u16: "a number that fits u16",
    u32: "a number that fits u32",
    u64: "a number that fits u64",
    u128: "a number that fits u128",
    usize: "a number that fits usize",
    bool: "`true` or `false`",
    char: "one character",
    Timestamp: "a timestamp",
    Date: "a date",
}

/// An argument for the key of a map's entry: a key, a reference to one, or for text also a `&str`.
#[diagnostic::on_unimplemented(
    message = "the keys of this map are `{K}`, and this is a `{Self}`",
    label = "expected `{K}`"
)]
pub trait EntryKey<K> {
    /// The text of the key.
    fn to_name(&self) -> Cow<'_, str>;
}

impl<K: MapKey> EntryKey<K> for K {
    fn to_name(&self) -> Cow<'_, str> {
        MapKey::to_name(self)
    }
}

impl<K: MapKey> EntryKey<K> for &K {
    fn to_name(&self) -> Cow<'_, str> {
        MapKey::to_name(*self)
    }
}

impl EntryKey<String> for &str {
    fn to_name(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

/// A map, possibly optional: conditions and updates can name its entries.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` has no entries",
    label = "not a `BTreeMap`, nor a `HashMap`"
)]
pub trait HasEntries {
    /// The type of the keys.
    type Key: MapKey;
    /// The type of the values.
    type Value;
}

impl<K: MapKey, V> HasEntries for BTreeMap<K, V> {
    type Key = K;
    type Value = V;
}

impl<K: MapKey, V, S> HasEntries for HashMap<K, V, S> {
    type Key = K;
    type Value = V;
}

impl<M: HasEntries> HasEntries for Option<M> {
    type Key = M::Key;
    type Value = M::Value;
}

impl<K: MapKey + Ord, V: Attribute> Attribute for BTreeMap<K, V> {
    const KIND: AttributeType = AttributeType::Map;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        write(self, self.len()).map(Some)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let mut map = Self::new();
        read(value, |key, one| map.insert(key, one).is_none())?;
        Ok(map)
    }
}

impl<K: MapKey + Eq + Hash, V: Attribute, S: BuildHasher + Default> Attribute for HashMap<K, V, S> {
    const KIND: AttributeType = AttributeType::Map;

    fn to_value(&self) -> Result<Option<Value>, NotStorable> {
        write(self, self.len()).map(Some)
    }

    fn from_value(value: Option<ValueRef<'_>>) -> Result<Self, Mismatch> {
        let mut map = Self::default();
        read(value, |key, one| map.insert(key, one).is_none())?;
        Ok(map)
    }
}

/// Stores a `None` value as NULL, to keep its key.
fn write<'m, K: MapKey + 'm, V: Attribute + 'm>(
    map: impl IntoIterator<Item = (&'m K, &'m V)>,
    len: usize,
) -> Result<Value, NotStorable> {
    let mut entries = Vec::with_capacity(len);
    for (key, one) in map {
        entries.push((key.to_name().into_owned(), one.to_value()?.unwrap_or(Value::Null)));
    }
    Ok(Value::M(Map::from_entries(entries)))
}

/// Reads entries; `insert` returns false for a duplicate key.
fn read<K: MapKey, V: Attribute>(
    value: Option<ValueRef<'_>>,
    mut insert: impl FnMut(K, V) -> bool,
) -> Result<(), Mismatch> {
    let Some(ValueRef::M(map)) = value else { return Err(Mismatch::of("M", value)) };
    for (name, one) in map.iter() {
        let one = V::from_value(Some(one)).map_err(|mismatch| mismatch.within(name))?;
        // `7` and `07` are the same number, so one of the entries would be lost.
        if !insert(K::from_name(name)?, one) {
            return Err(Mismatch::new("keys that differ", format!("the key `{name}` again")));
        }
    }
    Ok(())
}
