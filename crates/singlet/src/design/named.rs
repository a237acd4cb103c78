//! Named elements in a file: members of an object, in order.
//!
//! Each name is written once and must be unique, and paths in errors follow the design
//! (`tables.snakes.entities`).

use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// An element of a list in memory; a member with its name in a file.
pub(super) trait Named {
    /// Name of the element's kind in messages.
    const NOUN: &'static str;

    fn name(&self) -> &str;

    fn set_name(&mut self, name: String);
}

pub(super) fn serialize<T, S>(list: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Named + Serialize,
    S: Serializer,
{
    let mut map = serializer.serialize_map(Some(list.len()))?;
    for named in list {
        map.serialize_entry(named.name(), named)?;
    }
    map.end()
}

pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Named + DeserializeOwned,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Members(PhantomData))
}

struct Members<T>(PhantomData<T>);

impl<'de, T: Named + DeserializeOwned> Visitor<'de> for Members<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a member for each {}, by name", T::NOUN)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut list: Vec<T> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let mut named: T = map.next_value()?;
            if name.is_empty() {
                return Err(A::Error::custom(format_args!(
                    "the name of a member is empty: give the {} one",
                    T::NOUN
                )));
            }
            if list.iter().any(|other| other.name() == name) {
                return Err(A::Error::custom(format_args!(
                    "there are two of the name `{name}`: each {} needs its own",
                    T::NOUN
                )));
            }
            named.set_name(name);
            list.push(named);
        }
        Ok(list)
    }
}

/// Implements `Named` for a type with a name field.
macro_rules! named {
    ($type:ty, $noun:literal, $field:ident) => {
        impl $crate::design::named::Named for $type {
            const NOUN: &'static str = $noun;

            fn name(&self) -> &str {
                &self.$field
            }

            fn set_name(&mut self, name: String) {
                self.$field = name.into();
            }
        }
    };
}
pub(super) use named;
