//! The keys and indexes of tables.

mod key;

pub(crate) use key::{KEY_ATTRIBUTES_MAX, NO_DEFINITION};
pub use key::{KeyAttribute, KeyLimits, KeyRole, KeySchema, KeyType};

/// The attributes that an index projects in addition to its keys.
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
    /// Its projection.
    pub projection: IndexProjection,
    /// Global or local.
    pub scope: Scope,
}

impl Index {
    /// Whether the index of a table with this key projects the attribute.
    #[must_use]
    pub fn holds(&self, table_key: &KeySchema, name: &str) -> bool {
        match &self.projection {
            IndexProjection::All => true,
            IndexProjection::Include(names) if names.iter().any(|own| own == name) => true,
            _ => self.key.contains(name) || table_key.contains(name),
        }
    }
}

/// A table's keys and indexes, which is all that checking a request needs.
///
/// ```
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
///
/// let games = TableSchema {
///     name: "games".into(),
///     key: KeySchema::simple(
///         KeyAttribute::new("PK", KeyType::S),
///         Some(KeyAttribute::new("SK", KeyType::S)),
///     ),
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
    /// The indexes, in declaration order.
    pub indexes: Vec<Index>,
}

impl TableSchema {
    /// The index of this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }
}
