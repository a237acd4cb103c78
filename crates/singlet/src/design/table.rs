//! Tables and indexes.

use super::entity::Entity;
use super::form::{self, ProjectionForm, ScopeForm};
use super::is_default;
use super::named::{self, named};
use serde::{Deserialize, Serialize};
use singlet_dynamo::schema::{IndexProjection, KeySchema, Scope, TableSchema};
use singlet_dynamo::table::StreamViewType;

/// A table with its indexes, and the entities whose items lie in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name. `{env}` in it stands for where it is deployed: `snakes-{env}`.
    #[serde(skip)]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its primary key.
    #[serde(with = "form::key")]
    pub key: KeySchema,
    /// Its indexes.
    #[serde(default, with = "named", skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// The character between the parts of its keys, if it is not that of the design.
    #[serde(
        default,
        deserialize_with = "form::table_delimiter",
        skip_serializing_if = "Option::is_none"
    )]
    pub delimiter: Option<char>,
    /// The attribute that says when an item expires, if the service is to delete those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// How it is paid for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub billing: Billing,
    /// What its stream carries, if it has one.
    #[serde(default, with = "form::stream", skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamViewType>,
    /// What lies in it.
    #[serde(default, with = "named")]
    pub entities: Vec<Entity>,
}

named!(Table, "table", name);

impl Table {
    /// A table without indexes and entities, paid for on demand.
    pub fn new(name: impl Into<String>, key: KeySchema) -> Self {
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

    /// The index of this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The entity of this name.
    #[must_use]
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }

    /// Its keys and indexes in the language of requests.
    #[must_use]
    pub fn schema(&self) -> TableSchema {
        TableSchema {
            name: self.name.clone(),
            key: self.key.clone(),
            indexes: self.indexes.iter().map(Index::schema).collect(),
        }
    }

    /// The key of the table itself, or of the index of this name.
    #[must_use]
    pub fn key_of(&self, index: Option<&str>) -> Option<&KeySchema> {
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
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its key.
    #[serde(with = "form::key")]
    pub key: KeySchema,
    /// What it holds besides keys; all attributes, if nothing is said.
    #[serde(default = "all", with = "ProjectionForm", skip_serializing_if = "is_all")]
    pub projection: IndexProjection,
    /// Global, if nothing is said.
    #[serde(default = "global", with = "ScopeForm", skip_serializing_if = "is_global")]
    pub scope: Scope,
}

named!(Index, "index", name);

impl Index {
    /// A global index that holds all attributes.
    pub fn new(name: impl Into<String>, key: KeySchema) -> Self {
        Self {
            name: name.into(),
            description: None,
            key,
            projection: IndexProjection::All,
            scope: Scope::Global,
        }
    }

    /// The index in the language of requests.
    #[must_use]
    pub fn schema(&self) -> singlet_dynamo::schema::Index {
        singlet_dynamo::schema::Index {
            name: self.name.clone(),
            key: self.key.clone(),
            projection: self.projection.clone(),
            scope: self.scope,
        }
    }
}

/// How a table is paid for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Billing {
    /// By request.
    #[default]
    #[serde(rename = "PAY_PER_REQUEST")]
    OnDemand,
    /// By what is set aside, for the table and again for each of its indexes.
    #[serde(rename = "PROVISIONED")]
    Provisioned {
        /// Read units per second.
        read_units: u64,
        /// Write units per second.
        write_units: u64,
    },
}

fn all() -> IndexProjection {
    IndexProjection::All
}

fn is_all(projection: &IndexProjection) -> bool {
    *projection == IndexProjection::All
}

fn global() -> Scope {
    Scope::Global
}

fn is_global(scope: &Scope) -> bool {
    *scope == Scope::Global
}
