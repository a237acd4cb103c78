//! Tables and indexes.

use super::entity::Entity;
use super::form::{self, ScopeForm};
use super::is_default;
use super::key::KeyAttributes;
use super::named::{self, named};
use super::{List, Text, list, text};
use serde::{Deserialize, Serialize};
use singlet_dynamo::schema::{IndexProjection, Scope, TableSchema};
use singlet_dynamo::table::StreamViewType;

/// A table with its indexes and entities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Name of the table. `{env}` stands for the environment: `snakes-{env}`.
    #[serde(skip)]
    pub name: String,
    /// Purpose of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The primary key.
    pub key: KeyAttributes,
    /// The secondary indexes.
    #[serde(default, with = "named", skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// The delimiter of its keys, if not the design's.
    #[serde(
        default,
        deserialize_with = "form::table_delimiter",
        skip_serializing_if = "Option::is_none"
    )]
    pub delimiter: Option<char>,
    /// The TTL attribute, if DynamoDB deletes expired items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// Billing mode.
    #[serde(default, skip_serializing_if = "is_default")]
    pub billing: Billing,
    /// View type of its stream, if it has one.
    #[serde(default, with = "form::stream", skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamViewType>,
    /// Entities stored in it.
    #[serde(default, with = "named")]
    pub entities: Vec<Entity>,
}

named!(Table, "table", name);

impl Table {
    /// An on-demand table without indexes or entities.
    pub fn new(name: impl Into<String>, key: KeyAttributes) -> Self {
        Self {
            name: name.into(),
            description: None,
            key,
            indexes: Vec::new(),
            delimiter: None,
            ttl: None,
            billing: Billing::default(),
            stream: None,
            entities: Vec::new(),
        }
    }

    /// The index with this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The entity with this name.
    #[must_use]
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// Its keys and indexes as a request's schema.
    #[must_use]
    pub fn schema(&self) -> TableSchema {
        TableSchema {
            name: self.name.clone(),
            key: self.key.schema(),
            indexes: self.indexes.iter().map(Index::schema).collect(),
        }
    }

    /// The key of the table itself, or of an index.
    #[must_use]
    pub fn key_of(&self, index: Option<&str>) -> Option<&KeyAttributes> {
        match index {
            None => Some(&self.key),
            Some(name) => self.index(name).map(|index| &index.key),
        }
    }
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Name of the index.
    #[serde(skip)]
    pub name: Text,
    /// Purpose of the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Text>,
    /// Key of the index.
    pub key: KeyAttributes,
    /// Projected attributes; all by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub projection: Projection,
    /// Global by default.
    #[serde(default = "global", with = "ScopeForm", skip_serializing_if = "is_global")]
    pub scope: Scope,
}

named!(Index, "index", name);

impl Index {
    /// A global index that holds all attributes.
    pub fn new(name: impl Into<Text>, key: KeyAttributes) -> Self {
        Self {
            name: name.into(),
            description: None,
            key,
            projection: Projection::All,
            scope: Scope::Global,
        }
    }

    /// Name of the index, in a `const` context.
    #[must_use]
    pub const fn name(&self) -> &str {
        text(&self.name)
    }

    /// Whether it is a local index, with the table's partition key.
    #[must_use]
    pub const fn is_local(&self) -> bool {
        matches!(self.scope, Scope::Local)
    }

    /// The index as a request's schema.
    #[must_use]
    pub fn schema(&self) -> singlet_dynamo::schema::Index {
        singlet_dynamo::schema::Index {
            name: self.name.to_string(),
            key: self.key.schema(),
            projection: match &self.projection {
                Projection::All => IndexProjection::All,
                Projection::KeysOnly => IndexProjection::KeysOnly,
                Projection::Include(names) => {
                    IndexProjection::Include(names.iter().map(ToString::to_string).collect())
                }
            },
            scope: self.scope,
        }
    }
}

/// Non-key attributes in an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Projection {
    /// All attributes.
    #[default]
    All,
    /// None.
    KeysOnly,
    /// These attributes.
    Include(List<Text>),
}

impl Projection {
    /// Whether it includes an attribute.
    pub(crate) const fn holds(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::KeysOnly => false,
            Self::Include(names) => {
                let mut rest = list(names);
                while let [first, others @ ..] = rest {
                    if crate::check::same(text(first), name) {
                        return true;
                    }
                    rest = others;
                }
                false
            }
        }
    }
}

/// Billing mode of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Billing {
    /// Per request.
    #[default]
    #[serde(rename = "PAY_PER_REQUEST")]
    OnDemand,
    /// Provisioned throughput, for the table and for each global index.
    #[serde(rename = "PROVISIONED")]
    Provisioned {
        /// Read units per second.
        read_units: u64,
        /// Write units per second.
        write_units: u64,
    },
}

fn global() -> Scope {
    Scope::Global
}

fn is_global(scope: &Scope) -> bool {
    *scope == Scope::Global
}
