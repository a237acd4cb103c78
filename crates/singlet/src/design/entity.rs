//! Entities: the kinds of items in a table.

use super::attribute::Attribute;
use super::form;
use super::is_default;
use super::named::{self, named};
use super::template::Template;
use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;
use std::fmt;

/// A kind of item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// Name of the entity.
    #[serde(skip)]
    pub name: String,
    /// Description for documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Templates of the primary key.
    pub key: EntityKey,
    /// Templates of its index keys.
    #[serde(default, with = "index_keys", skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<IndexKey>,
    /// The attribute that identifies its items, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discriminator: Option<Discriminator>,
    /// Entities that share its key space: a key can belong to an item of only one of them. The
    /// relation is declared on each of them, and the discriminator tells their items apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares_key_with: Vec<String>,
    /// The attribute that holds all `in_payload` fields as one JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// Attributes, excluding those built from templates.
    #[serde(default, with = "named")]
    pub attributes: Vec<Attribute>,
    /// When its items expire, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Expiry>,
    /// The entity that its items duplicate to provide another access path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirrors: Option<Mirror>,
    /// Typical item size; estimated from the attributes if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical_bytes: Option<u64>,
    /// Maximum item size, if the application enforces one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
}

named!(Entity, "entity", name);

impl Entity {
    /// An entity with nothing but a key.
    pub fn new(name: impl Into<String>, key: EntityKey) -> Self {
        Self {
            name: name.into(),
            description: None,
            key,
            indexes: Vec::new(),
            discriminator: None,
            shares_key_with: Vec::new(),
            payload: None,
            attributes: Vec::new(),
            expires: None,
            mirrors: None,
            typical_bytes: None,
            max_bytes: None,
        }
    }

    /// The attribute with this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Its keys in an index: one, or several with different conditions.
    pub fn index_keys(&self, index: &str) -> impl Iterator<Item = &IndexKey> {
        self.indexes.iter().filter(move |key| key.index == index)
    }

    /// Whether its items can appear in an index.
    #[must_use]
    pub fn is_in_index(&self, index: &str) -> bool {
        self.index_keys(index).next().is_some()
    }
}

/// Templates of an entity's primary key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityKey {
    /// The partition key.
    #[serde(with = "form::list")]
    pub partition: Vec<Template>,
    /// The sort key, if the table has one.
    #[serde(default, with = "form::list", skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<Template>,
}

/// Templates of an entity's key in an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexKey {
    /// Name of the index.
    #[serde(skip)]
    pub index: String,
    /// The partition key: one template per attribute.
    #[serde(with = "form::list")]
    pub partition: Vec<Template>,
    /// The sort key, if the index has one: one template per attribute.
    #[serde(default, with = "form::list", skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<Template>,
    /// The attribute that makes the index sparse: items without it are not indexed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_with: Option<String>,
    /// Condition under which an item has this key; unconditional if `None`. An entity with several
    /// keys in one index needs a condition on each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
}

named!(IndexKey, "index", index);

/// Condition of an index key: the attribute has one of these values.
///
/// In a file it is an object with one member: `{"state": "open"}`, `{"state": ["open",
/// "reopened"]}`, `{"archived": false}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// The attribute.
    pub attribute: String,
    /// The values, as text.
    pub values: Vec<String>,
}

impl When {
    /// A condition that holds if the attribute has one of these values.
    pub fn new(
        attribute: impl Into<String>,
        values: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        Self { attribute: attribute.into(), values }
    }
}

/// `state = "open" | "reopened"`
impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(|value| format!("\"{value}\"")).collect();
        write!(f, "{} = {}", self.attribute, values.join(" | "))
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = |value: &String| match value.as_str() {
            "true" => Json::from(true),
            "false" => Json::from(false),
            text => Json::from(text),
        };
        let values = match self.values.as_slice() {
            [only] => json(only),
            several => several.iter().map(json).collect(),
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(&self.attribute, &values)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = || {
            D::Error::custom(
                "a condition is an object with one member, such as {\"state\": \"open\"}, \
                 {\"state\": [\"open\", \"reopened\"]} or {\"archived\": false}",
            )
        };
        let text = |value: Json| match value {
            Json::String(text) => Ok(text),
            Json::Bool(truth) => Ok(truth.to_string()),
            _ => Err(wrong()),
        };
        let members = serde_json::Map::<String, Json>::deserialize(deserializer)?;
        let mut members = members.into_iter();
        let (Some((attribute, values)), None) = (members.next(), members.next()) else {
            return Err(wrong());
        };
        let values = match values {
            Json::Array(values) => values.into_iter().map(text).collect::<Result<_, _>>()?,
            value => vec![text(value)?],
        };
        Ok(Self { attribute, values })
    }
}

/// Index keys in a file: keyed by index name, a single key or a list.
mod index_keys {
    use super::{IndexKey, fmt};
    use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde::ser::{SerializeMap, Serializer};

    pub(super) fn serialize<S: Serializer>(
        keys: &[IndexKey],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (place, key) in keys.iter().enumerate() {
            if keys.iter().take(place).any(|before| before.index == key.index) {
                continue;
            }
            let own: Vec<&IndexKey> =
                keys.iter().filter(|other| other.index == key.index).collect();
            match own.as_slice() {
                [only] => map.serialize_entry(&key.index, only)?,
                several => map.serialize_entry(&key.index, several)?,
            }
        }
        map.end()
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<IndexKey>, D::Error> {
        deserializer.deserialize_map(Members)
    }

    struct Members;

    impl<'de> Visitor<'de> for Members {
        type Value = Vec<IndexKey>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object with a member for each index, by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut list: Vec<IndexKey> = Vec::new();
            while let Some(name) = map.next_key::<String>()? {
                let Keys(mut keys) = map.next_value()?;
                if name.is_empty() {
                    return Err(A::Error::custom(
                        "the name of a member is empty: give the index one",
                    ));
                }
                if list.iter().any(|other| other.index == name) {
                    return Err(A::Error::custom(format_args!(
                        "there are two of the name `{name}`: several keys in one index are a list"
                    )));
                }
                keys.iter_mut().for_each(|key| key.index.clone_from(&name));
                list.append(&mut keys);
            }
            Ok(list)
        }
    }

    /// A single key or a list.
    struct Keys(Vec<IndexKey>);

    impl<'de> Deserialize<'de> for Keys {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(OneOrSeveral).map(Self)
        }
    }

    struct OneOrSeveral;

    impl<'de> Visitor<'de> for OneOrSeveral {
        type Value = Vec<IndexKey>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a key, or a list of keys with conditions")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            IndexKey::deserialize(MapAccessDeserializer::new(map)).map(|key| vec![key])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(list))
        }
    }
}

impl IndexKey {
    /// An unconditional key in the index with this name.
    pub fn new(index: impl Into<String>, partition: Vec<Template>, sort: Vec<Template>) -> Self {
        Self { index: index.into(), partition, sort, only_with: None, when: None }
    }

    /// The templates, partition key first.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.partition.iter().chain(&self.sort)
    }
}

impl EntityKey {
    /// The templates, partition key first.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        self.partition.iter().chain(&self.sort)
    }
}

/// An attribute that identifies the items of an entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Discriminator {
    /// Name of the attribute.
    pub attribute: String,
    /// Value for this entity.
    pub value: String,
}

/// When the items of an entity expire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expiry {
    /// The attribute with the expiry time, if not the table's TTL attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// Start of the lifetime.
    pub since: Since,
    /// Length of the lifetime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// Start of an item's lifetime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Since {
    /// Creation: updates do not extend it.
    Creation,
    /// Last change: every update extends it.
    Change,
    /// The time in this attribute.
    Attribute(String),
    /// None: the writer sets the expiry time.
    Given,
}

/// The entity that an entity's items duplicate.
///
/// Covers mirrors, lookup items and fan-out items such as one per tag of a site. They must be
/// updated together with the original.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// The duplicated entity.
    pub entity: String,
    /// The duplicated attributes; if empty, all that both have.
    #[serde(default, skip_serializing_if = "is_default")]
    pub attributes: Vec<String>,
}
