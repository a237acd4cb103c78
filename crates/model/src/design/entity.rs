//! Entities: what kinds of items lie in a table.

use super::attribute::Attribute;
use super::is_default;
use super::named::{self, named};
use super::template::Template;
use serde::{Deserialize, Serialize};

/// A kind of item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How the primary key is put together.
    pub key: EntityKey,
    /// How its keys in indexes are put together.
    #[serde(default, with = "named", skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<IndexKey>,
    /// The attribute that tells its items from others, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discriminator: Option<Discriminator>,
    /// The attribute that holds the fields which are `in_payload`, as one JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// Its attributes, without those that are put together from others.
    #[serde(default, with = "named")]
    pub attributes: Vec<Attribute>,
    /// When its items expire, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Expiry>,
    /// What its items repeat, if they are there only so that something is found in another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirrors: Option<Mirror>,
    /// How large an item is as a rule. If nothing is said, it is reckoned from the attributes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical_bytes: Option<u64>,
    /// How large an item can get, if something sees to that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
}

named!(Entity, "entity", name);

impl Entity {
    /// An entity of which only the key is known.
    pub fn new(name: impl Into<String>, key: EntityKey) -> Self {
        Self {
            name: name.into(),
            description: None,
            key,
            indexes: Vec::new(),
            discriminator: None,
            payload: None,
            attributes: Vec::new(),
            expires: None,
            mirrors: None,
            typical_bytes: None,
            max_bytes: None,
        }
    }

    /// The attribute of this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Its key in the index of this name.
    #[must_use]
    pub fn index_key(&self, index: &str) -> Option<&IndexKey> {
        self.indexes.iter().find(|key| key.index == index)
    }
}

/// How the primary key of an entity is put together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityKey {
    /// The partition key.
    pub partition: Template,
    /// The sort key, if the table has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<Template>,
}

/// How the key of an entity in an index is put together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexKey {
    /// The index's name.
    #[serde(skip)]
    pub index: String,
    /// The partition key.
    pub partition: Template,
    /// The sort key, if the index has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<Template>,
    /// The attribute without which an item is not in the index, if it is said to be sparse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_with: Option<String>,
}

named!(IndexKey, "index", index);

impl IndexKey {
    /// A key in the index of this name, which every item has.
    pub fn new(index: impl Into<String>, partition: Template, sort: Option<Template>) -> Self {
        Self { index: index.into(), partition, sort, only_with: None }
    }

    /// The templates, that of the partition key first.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.partition).chain(&self.sort)
    }
}

impl EntityKey {
    /// The templates, that of the partition key first.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.partition).chain(&self.sort)
    }
}

/// An attribute that tells the items of an entity from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discriminator {
    /// Its name.
    pub attribute: String,
    /// What it is for this entity.
    pub value: String,
}

/// When the items of an entity expire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expiry {
    /// The attribute that says so, if it is not the table's TTL attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// From when on the time runs.
    pub since: Since,
    /// How long it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// From when on the time runs after which an item expires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// From its creation: changes do not renew it.
    Creation,
    /// From its last change: every change renews it.
    Change,
    /// From the moment in this attribute.
    Attribute(String),
    /// It does not run: whoever writes an item says when it expires.
    Given,
}

/// What the items of an entity repeat of another entity.
///
/// Mirrors, lookups and items such as one for each tag of a site are all of this kind: secondary
/// items, which have to follow what they repeat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The entity that is repeated.
    pub entity: String,
    /// The attributes of it that are repeated; all that both have, if none is named.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attributes: Vec<String>,
}
