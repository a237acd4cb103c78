//! Keys of tables and indexes.

use super::form::{self, KeyTypeForm};
use super::{List, Text, list, text};
use serde::{Deserialize, Serialize};
use singlet_dynamo::limits::{PARTITION_KEY_SIZE_MAX, SORT_KEY_SIZE_MAX};
use singlet_dynamo::schema::{self, KeyLimits, KeyRole, KeySchema, KeyType};

/// The attributes of a key. Only a global index can have several partition or sort attributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyAttributes {
    /// Partition key: one attribute, or up to four.
    #[serde(with = "form::list")]
    pub partition: List<KeyAttribute>,
    /// Sort key: up to four attributes, or none.
    #[serde(default = "form::none", with = "form::list", skip_serializing_if = "form::is_empty")]
    pub sort: List<KeyAttribute>,
}

/// An attribute of a key. In a file it is its name, or `{"name": "stars", "type": "N"}` for a type
/// other than text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Form", from = "Form")]
pub struct KeyAttribute {
    /// Name of the attribute.
    pub name: Text,
    /// Type of the attribute.
    pub kind: KeyType,
}

impl KeyAttribute {
    /// A key attribute with this name and type.
    pub fn new(name: impl Into<Text>, kind: KeyType) -> Self {
        Self { name: name.into(), kind }
    }

    /// Name of the attribute, in a `const` context.
    #[must_use]
    pub const fn name(&self) -> &str {
        text(&self.name)
    }
}

impl KeyAttributes {
    /// A key with one partition attribute and an optional sort attribute.
    #[must_use]
    pub fn simple(partition: KeyAttribute, sort: Option<KeyAttribute>) -> Self {
        Self { partition: vec![partition].into(), sort: sort.into_iter().collect() }
    }

    /// All attributes, partition key first.
    pub fn iter(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(self.sort.iter())
    }

    /// All attributes with their roles.
    pub(super) fn elements(&self) -> impl Iterator<Item = (&KeyAttribute, KeyRole)> {
        let partition = self.partition.iter().map(|own| (own, KeyRole::Hash));
        partition.chain(self.sort.iter().map(|own| (own, KeyRole::Range)))
    }

    /// Whether the attribute with this name is part of the key.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.iter().any(|attribute| attribute.name == name)
    }

    /// The attribute at a position, partition key first.
    pub(crate) const fn at(&self, position: usize) -> Option<&KeyAttribute> {
        crate::shape::nth(list(&self.partition), list(&self.sort), position)
    }

    /// Whether there are several partition or several sort attributes.
    #[must_use]
    pub const fn is_composite(&self) -> bool {
        list(&self.partition).len() > 1 || list(&self.sort).len() > 1
    }

    /// Name of the first partition attribute. Only global indexes can have more.
    pub(crate) const fn partition_name(&self) -> &str {
        match list(&self.partition) {
            [first, ..] => first.name(),
            [] => "",
        }
    }

    /// Maximum size in bytes of a value of one of the attributes.
    pub(crate) fn size_max(&self, attribute: &KeyAttribute) -> usize {
        match self.partition.iter().any(|own| own.name == attribute.name) {
            true => PARTITION_KEY_SIZE_MAX,
            false => SORT_KEY_SIZE_MAX,
        }
    }

    /// The key as a request's schema. An invalid key is reduced to its first attributes.
    #[must_use]
    pub fn schema(&self) -> KeySchema {
        let attribute = |own: &KeyAttribute| schema::KeyAttribute::new(own.name.as_ref(), own.kind);
        let elements = self.elements().map(|(own, role)| (attribute(own), role)).collect();
        KeySchema::new(elements, KeyLimits::Composite).unwrap_or_else(|_| {
            let first = self.partition.first().map(attribute);
            let first = first.unwrap_or_else(|| schema::KeyAttribute::new("", KeyType::S));
            KeySchema::simple(first, self.sort.first().map(attribute))
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a key attribute is a name such as \"PK\", which is text, or an object such as \
                 {\"name\": \"stars\", \"type\": \"N\"} with a type of S, N or B"
)]
enum Form {
    Text(Text),
    Typed(Typed),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    name: Text,
    #[serde(rename = "type", with = "KeyTypeForm")]
    kind: KeyType,
}

impl From<KeyAttribute> for Form {
    fn from(KeyAttribute { name, kind }: KeyAttribute) -> Self {
        match kind {
            KeyType::S => Self::Text(name),
            kind => Self::Typed(Typed { name, kind }),
        }
    }
}

impl From<Form> for KeyAttribute {
    fn from(form: Form) -> Self {
        match form {
            Form::Text(name) => Self { name, kind: KeyType::S },
            Form::Typed(Typed { name, kind }) => Self { name, kind },
        }
    }
}
