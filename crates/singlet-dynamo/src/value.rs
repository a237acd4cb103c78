//! The ten types of attribute values.

use crate::{Map, Number, Set};
use std::fmt;

/// An attribute value.
///
/// ```
/// use singlet_dynamo::{Map, Number, Value};
///
/// let mut player = Map::new();
/// player.insert("name", Value::from("Ada"));
/// player.insert("position", Value::N(Number::from(38)));
/// assert_eq!(player.get("name"), Some(&Value::from("Ada")));
/// assert_eq!(Value::M(player).kind().as_str(), "M");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// A string, ordered by its UTF-8 bytes.
    S(String),
    /// An exact decimal number.
    N(Number),
    /// Bytes.
    B(Vec<u8>),
    /// True or false.
    Bool(bool),
    /// A present attribute without a value.
    Null,
    /// Named values.
    M(Map),
    /// Values in order.
    L(Vec<Value>),
    /// Distinct strings.
    Ss(Set<String>),
    /// Distinct numbers.
    Ns(Set<Number>),
    /// Distinct binaries.
    Bs(Set<Vec<u8>>),
}

/// The type of a [`Value`], by its name in DynamoDB's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the variants are Value's")]
pub enum Type {
    S,
    N,
    B,
    Bool,
    Null,
    M,
    L,
    Ss,
    Ns,
    Bs,
}

impl Type {
    /// All types, in the order of [`Value`].
    pub const ALL: [Self; 10] = [
        Self::S,
        Self::N,
        Self::B,
        Self::Bool,
        Self::Null,
        Self::M,
        Self::L,
        Self::Ss,
        Self::Ns,
        Self::Bs,
    ];

    /// The name in DynamoDB's JSON, in `attribute_type` and in error messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
            Self::Bool => "BOOL",
            Self::Null => "NULL",
            Self::M => "M",
            Self::L => "L",
            Self::Ss => "SS",
            Self::Ns => "NS",
            Self::Bs => "BS",
        }
    }

    /// The type with this name: the inverse of [`Type::as_str`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Value {
    /// Its data type, one of ten.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Self::S(_) => Type::S,
            Self::N(_) => Type::N,
            Self::B(_) => Type::B,
            Self::Bool(_) => Type::Bool,
            Self::Null => Type::Null,
            Self::M(_) => Type::M,
            Self::L(_) => Type::L,
            Self::Ss(_) => Type::Ss,
            Self::Ns(_) => Type::Ns,
            Self::Bs(_) => Type::Bs,
        }
    }

    /// The depth of nested lists and maps, including this value; 0 for a scalar.
    ///
    /// ```
    /// # use singlet_dynamo::Value;
    /// assert_eq!(Value::from("a").levels(), 0);
    /// assert_eq!(Value::L(vec![Value::L(vec![])]).levels(), 2);
    /// ```
    #[must_use]
    pub fn levels(&self) -> usize {
        // An explicit stack, since a value built in Rust can be nested as deep as memory allows.
        let mut deepest = 0;
        let mut open = vec![(self, 1)];
        while let Some((value, level)) = open.pop() {
            match value {
                Self::M(map) => {
                    deepest = deepest.max(level);
                    open.extend(map.iter().map(|(_, child)| (child, level + 1)));
                }
                Self::L(list) => {
                    deepest = deepest.max(level);
                    open.extend(list.iter().map(|child| (child, level + 1)));
                }
                _ => {}
            }
        }
        deepest
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::S(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::S(text)
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::N(Number::from(number))
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::M(map)
    }
}

/// Shows a value as in the service's error messages: `{S:abc}`, `{N:1}`, `{L:[{S:a}]}`.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(
            f: &mut fmt::Formatter<'_>,
            all: impl Iterator<Item = T>,
            one: impl Fn(&mut fmt::Formatter<'_>, T) -> fmt::Result,
        ) -> fmt::Result {
            for (place, item) in all.enumerate() {
                if place > 0 {
                    f.write_str(", ")?;
                }
                one(f, item)?;
            }
            Ok(())
        }
        let bytes = |f: &mut fmt::Formatter<'_>, b: &[u8]| f.write_str(&crate::base64::encode(b));
        write!(f, "{{{}:", self.kind())?;
        match self {
            Self::S(text) => f.write_str(text)?,
            Self::N(number) => write!(f, "{number}")?,
            Self::B(b) => bytes(f, b)?,
            Self::Bool(truth) => write!(f, "{truth}")?,
            Self::Null => f.write_str("true")?,
            Self::M(map) => {
                f.write_str("{")?;
                list(f, map.iter(), |f, (name, value)| write!(f, "{name}={value:?}"))?;
                f.write_str("}")?;
            }
            Self::L(values) => {
                f.write_str("[")?;
                list(f, values.iter(), |f, value| write!(f, "{value:?}"))?;
                f.write_str("]")?;
            }
            Self::Ss(set) => {
                f.write_str("[")?;
                list(f, set.iter(), |f, text| f.write_str(text))?;
                f.write_str("]")?;
            }
            Self::Ns(set) => {
                f.write_str("[")?;
                list(f, set.iter(), |f, number| write!(f, "{number}"))?;
                f.write_str("]")?;
            }
            Self::Bs(set) => {
                f.write_str("[")?;
                list(f, set.iter(), |f, b| bytes(f, b))?;
                f.write_str("]")?;
            }
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_found_by_its_name() {
        for kind in Type::ALL {
            assert_eq!(Type::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(Type::from_name("s"), None);
    }

    #[test]
    fn levels_are_counted_without_recursion() {
        let mut value = Value::Null;
        for _ in 0..10_000 {
            value = Value::L(vec![value]);
        }
        assert_eq!(value.levels(), 10_000);
    }
}
