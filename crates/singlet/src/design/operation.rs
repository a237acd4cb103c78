//! Operations: what an access pattern asks of DynamoDB.

use super::is_default;
use super::named::{self, named};
use super::template::Template;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// One request of an access pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// The service's name of the operation.
    pub action: Action,
    /// The table; it may be left out where the design has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The index that is read, if it is not the table itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The entities that are read or written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// What the request says of key attributes: the key of an item, or the key condition of a
    /// query. If a write or a read of single items says nothing, it gives the whole key of its
    /// entity.
    #[serde(default, with = "named", skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<KeyCondition>,
    /// A filter expression. Names may be written plainly even if they are reserved words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// A condition expression, written in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// An update expression, written in the same way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    /// Whether a BatchWriteItem deletes; else it puts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deletes: bool,
    /// Whether a read sees every write before it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub consistent: bool,
    /// Whether a query goes from the greatest sort key down.
    #[serde(default, skip_serializing_if = "is_default")]
    pub descending: bool,
    /// How many items a request reads at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// How many items it gives or writes as a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// How many items it reads for that as a rule, if a filter discards some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<u64>,
    /// What becomes of items that have expired and are not deleted yet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub expired: ExpiredItems,
}

impl Operation {
    /// An operation of which only the name is known.
    #[must_use]
    pub fn new(action: Action) -> Self {
        Self {
            action,
            table: None,
            index: None,
            entities: Vec::new(),
            key: Vec::new(),
            filter: None,
            condition: None,
            update: None,
            deletes: false,
            consistent: false,
            descending: false,
            limit: None,
            items: None,
            reads: None,
            expired: ExpiredItems::default(),
        }
    }

    /// What it says of the key attribute of this name.
    #[must_use]
    pub fn key_test(&self, attribute: &str) -> Option<&KeyTest> {
        let found = self.key.iter().find(|condition| condition.attribute == attribute);
        found.map(|condition| &condition.test)
    }
}

/// An operation of the service.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[expect(missing_docs, reason = "the variants are the operations' names")]
pub enum Action {
    GetItem,
    BatchGetItem,
    Query,
    Scan,
    PutItem,
    UpdateItem,
    DeleteItem,
    BatchWriteItem,
    /// The part of a transaction that only checks.
    ConditionCheck,
    /// What a design says and the service does not have.
    Other(String),
}

impl Action {
    /// All that the service has.
    const NAMES: [(&'static str, Self); 9] = [
        ("GetItem", Self::GetItem),
        ("BatchGetItem", Self::BatchGetItem),
        ("Query", Self::Query),
        ("Scan", Self::Scan),
        ("PutItem", Self::PutItem),
        ("UpdateItem", Self::UpdateItem),
        ("DeleteItem", Self::DeleteItem),
        ("BatchWriteItem", Self::BatchWriteItem),
        ("ConditionCheck", Self::ConditionCheck),
    ];

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            own => {
                Self::NAMES.iter().find(|(_, action)| action == own).map_or("", |(name, _)| name)
            }
        }
    }

    /// Whether it gives items.
    #[must_use]
    pub fn is_read(&self) -> bool {
        matches!(self, Self::GetItem | Self::BatchGetItem | Self::Query | Self::Scan)
    }

    /// Whether it changes items.
    #[must_use]
    pub fn is_write(&self) -> bool {
        matches!(self, Self::PutItem | Self::UpdateItem | Self::DeleteItem | Self::BatchWriteItem)
    }
}

impl From<String> for Action {
    fn from(name: String) -> Self {
        match Self::NAMES.into_iter().find(|(own, _)| *own == name) {
            Some((_, action)) => action,
            None => Self::Other(name),
        }
    }
}

impl From<Action> for String {
    fn from(action: Action) -> Self {
        action.name().to_owned()
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a request says of one key attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyCondition {
    /// The attribute's name.
    #[serde(skip)]
    pub attribute: String,
    /// What is said of it.
    pub test: KeyTest,
}

named!(KeyCondition, "key attribute", attribute);

impl KeyCondition {
    /// This of the attribute of this name.
    pub fn new(attribute: impl Into<String>, test: KeyTest) -> Self {
        Self { attribute: attribute.into(), test }
    }
}

/// What is said of a key attribute. Fields in the templates are parameters of the pattern.
///
/// In a file, equality is the template alone: `"PK": "GAME#{code}"`, and all else an object:
/// `"SK": {"begins_with": "PLAYER#"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// The derives make the long form; the short one is added below.
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum KeyTest {
    /// It is this.
    Equals(Template),
    /// It is less than this.
    Below(Template),
    /// It is this or less.
    AtMost(Template),
    /// It is greater than this.
    Above(Template),
    /// It is this or greater.
    AtLeast(Template),
    /// It is between these, both included.
    Between([Template; 2]),
    /// It begins with this.
    BeginsWith(Template),
}

impl KeyTest {
    /// The templates in it.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let (one, other) = match self {
            Self::Equals(template)
            | Self::Below(template)
            | Self::AtMost(template)
            | Self::Above(template)
            | Self::AtLeast(template)
            | Self::BeginsWith(template) => (template, None),
            Self::Between([lower, upper]) => (lower, Some(upper)),
        };
        std::iter::once(one).chain(other)
    }
}

impl Serialize for KeyTest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Equals(template) => template.serialize(serializer),
            other => Self::serialize(other, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for KeyTest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = KeyTest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a template, or an object such as {\"begins_with\": \"PLAYER#\"}")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<KeyTest, E> {
        text.parse().map(KeyTest::Equals).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<KeyTest, A::Error> {
        KeyTest::deserialize(MapAccessDeserializer::new(map))
    }
}

/// What a read does about items that have expired and are not deleted yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiredItems {
    /// Nothing is said.
    #[default]
    Unstated,
    /// They are left out.
    Skipped,
    /// They are wanted too.
    Wanted,
}
