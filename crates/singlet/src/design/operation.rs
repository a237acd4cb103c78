//! Operations: the DynamoDB requests of an access pattern.

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
    /// The DynamoDB operation.
    pub action: Action,
    /// The table; optional if the design has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The index to read; the table itself if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The entities to read or write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// Conditions on key attributes: an item's key, or a query's key condition. If empty, an
    /// operation on single items gives the whole key of its entity.
    #[serde(default, with = "named", skip_serializing_if = "Vec::is_empty")]
    pub key: Vec<KeyCondition>,
    /// A filter expression. Reserved words need no placeholders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// A condition expression, in the same syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// An update expression, in the same syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<String>,
    /// Whether a BatchWriteItem deletes rather than puts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deletes: bool,
    /// Whether the read is strongly consistent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub consistent: bool,
    /// Whether a query reads in descending sort key order.
    #[serde(default, skip_serializing_if = "is_default")]
    pub descending: bool,
    /// Maximum number of items per request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Typical number of items returned or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// Typical number of items read, if a filter discards some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<u64>,
    /// Handling of items that have expired but are not deleted yet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub expired: ExpiredItems,
}

impl Operation {
    /// An operation with only an action.
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

    /// The test on a key attribute.
    #[must_use]
    pub fn key_test(&self, attribute: &str) -> Option<&KeyTest> {
        let found = self.key.iter().find(|condition| condition.attribute == attribute);
        found.map(|condition| &condition.test)
    }
}

/// A DynamoDB operation.
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
    /// The condition-only part of a transaction.
    ConditionCheck,
    /// A name that DynamoDB does not have.
    Other(String),
}

impl Action {
    /// All operations that DynamoDB has.
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

    /// Name of the operation.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            own => {
                Self::NAMES.iter().find(|(_, action)| action == own).map_or("", |(name, _)| name)
            }
        }
    }

    /// Whether it returns items.
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

/// A condition on one key attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeyCondition {
    /// Name of the attribute.
    #[serde(skip)]
    pub attribute: String,
    /// The test that its value must pass.
    pub test: KeyTest,
}

named!(KeyCondition, "key attribute", attribute);

impl KeyCondition {
    /// A condition on the attribute with this name.
    pub fn new(attribute: impl Into<String>, test: KeyTest) -> Self {
        Self { attribute: attribute.into(), test }
    }
}

/// A test on a key attribute. Fields in the templates are parameters of the pattern.
///
/// In a file, equality is just the template, `"PK": "GAME#{code}"`, and other tests are objects,
/// `"SK": {"begins_with": "PLAYER#"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
// The derives handle the object form; the impls below add the short one.
#[serde(remote = "Self", rename_all = "snake_case")]
pub enum KeyTest {
    /// Equal.
    Equals(Template),
    /// Less than.
    Below(Template),
    /// Less than or equal.
    AtMost(Template),
    /// Greater than.
    Above(Template),
    /// Greater than or equal.
    AtLeast(Template),
    /// Between the two, inclusive.
    Between([Template; 2]),
    /// Has this prefix.
    BeginsWith(Template),
}

impl KeyTest {
    /// The templates of the test.
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

/// How a read handles items that have expired but are not deleted yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiredItems {
    /// The design does not say.
    #[default]
    Unstated,
    /// Skips them.
    Skipped,
    /// Returns them.
    Wanted,
}
