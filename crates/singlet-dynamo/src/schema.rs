//! What a table's keys and indexes look like.

use crate::Type;
use std::fmt;

/// The type of an attribute that is part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// Text, ordered by its UTF-8 bytes.
    S,
    /// A number, ordered by value.
    N,
    /// Bytes, ordered as unsigned bytes.
    B,
}

impl KeyType {
    /// The type with this name, if it can be a key's.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "S" => Some(Self::S),
            "N" => Some(Self::N),
            "B" => Some(Self::B),
            _ => None,
        }
    }
}

impl From<KeyType> for Type {
    fn from(kind: KeyType) -> Self {
        match kind {
            KeyType::S => Self::S,
            KeyType::N => Self::N,
            KeyType::B => Self::B,
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Type::from(*self).fmt(f)
    }
}

/// An attribute that is part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: KeyType,
}

impl KeyAttribute {
    /// A key attribute of this name and type.
    pub fn new(name: impl Into<String>, kind: KeyType) -> Self {
        Self { name: name.into(), kind }
    }
}

/// The attributes that are the key of a table or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySchema {
    /// The partition key, which the service calls HASH.
    pub partition: KeyAttribute,
    /// The sort key, which the service calls RANGE.
    pub sort: Option<KeyAttribute>,
}

impl KeySchema {
    /// The attributes, partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(&self.sort)
    }

    /// Whether an attribute of this name is part of the key.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }
}

/// Which attributes an index holds besides its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexProjection {
    /// All of them.
    All,
    /// None.
    KeysOnly,
    /// These.
    Include(Vec<String>),
}

/// Whether an index spans the table, or each of its partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// A global secondary index: its own partition key.
    Global,
    /// A local secondary index: the table's partition key with another sort key.
    Local,
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: KeySchema,
    /// What it holds besides keys.
    pub projection: IndexProjection,
    /// Global or local.
    pub scope: Scope,
}

impl Index {
    /// Whether the index of a table with this key holds the attribute of this name.
    #[must_use]
    pub fn holds(&self, table_key: &KeySchema, name: &str) -> bool {
        match &self.projection {
            IndexProjection::All => true,
            IndexProjection::Include(names) if names.iter().any(|own| own == name) => true,
            _ => self.key.contains(name) || table_key.contains(name),
        }
    }
}

/// A table's keys and indexes: all that checking a request needs to know of it.
///
/// ```
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
///
/// let games = TableSchema {
///     name: "games".into(),
///     key: KeySchema {
///         partition: KeyAttribute::new("PK", KeyType::S),
///         sort: Some(KeyAttribute::new("SK", KeyType::S)),
///     },
///     indexes: vec![],
/// };
/// assert!(games.key.contains("SK"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSchema {
    /// The table's name.
    pub name: String,
    /// The primary key.
    pub key: KeySchema,
    /// The indexes, in the order of their declaration.
    pub indexes: Vec<Index>,
}

impl TableSchema {
    /// The index of this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }
}
