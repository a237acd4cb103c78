//! Attributes of entities.

use super::is_default;
use super::named::named;
use crate::key::Form;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use singlet_dynamo::Type;
use std::fmt;

/// An attribute of an entity's items.
///
/// In a file it is just the type, `"code": "id"`, or an object, `"winnerId": {"type": "id",
/// "optional": true}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
// The derives handle the object form; the impls below add the short one.
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Attribute {
    /// Name of the stored attribute.
    #[serde(skip)]
    pub name: String,
    /// Type of the value.
    #[serde(rename = "type")]
    pub kind: AttributeType,
    /// Purpose of the attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether items may lack it. An item that lacks part of an index key is not in that index.
    #[serde(default, skip_serializing_if = "is_default")]
    pub optional: bool,
    /// Stored only as part of a key, without an attribute for itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_key: bool,
    /// Stored only in the entity's payload, without an attribute for itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_payload: bool,
    /// The allowed texts, if they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// Smallest possible number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Largest possible number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// Typical size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical_bytes: Option<u64>,
    /// Maximum size, if the application enforces one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// The entity, in this design or elsewhere, that the value identifies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<String>,
    /// Example value for documents, as plain JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

named!(Attribute, "attribute", name);

impl Attribute {
    /// A required attribute with no further details.
    pub fn new(name: impl Into<String>, kind: AttributeType) -> Self {
        Self {
            name: name.into(),
            kind,
            description: None,
            optional: false,
            in_key: false,
            in_payload: false,
            one_of: Vec::new(),
            min: None,
            max: None,
            typical_bytes: None,
            max_bytes: None,
            references: None,
            example: None,
        }
    }

    /// Whether items have an attribute with this name.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        !self.in_key && !self.in_payload
    }

    /// The form of its values in a key with this delimiter.
    #[must_use]
    pub fn form(&self, delimiter: char) -> Form {
        let closed = u8::try_from(delimiter).map_or(Form::Open, Form::Without);
        match self.kind {
            AttributeType::Timestamp => Form::Timestamp,
            AttributeType::TimestampNanos => Form::TimestampNanos,
            AttributeType::Date => Form::Date,
            AttributeType::Text
            | AttributeType::Json
            | AttributeType::Binary
            | AttributeType::Any => {
                let is_closed = |text: &String| !text.is_empty() && !text.contains(delimiter);
                if self.one_of.is_empty() || !self.one_of.iter().all(is_closed) {
                    Form::Open
                } else {
                    closed
                }
            }
            _ => closed,
        }
    }
}

/// Type of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttributeType {
    /// Non-empty text without the delimiter.
    Id,
    /// Any text.
    Text,
    /// UTC timestamp as fixed-width text: `2026-01-31T09:30:00.000Z`.
    Timestamp,
    /// UTC timestamp with nanoseconds as fixed-width text: `2026-01-31T09:30:00.000000000Z`.
    TimestampNanos,
    /// A date as text: `2026-01-31`.
    Date,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// Seconds since 1970; DynamoDB requires this for a TTL attribute.
    EpochSeconds,
    /// True or false.
    Boolean,
    /// Bytes.
    Binary,
    /// A list.
    List,
    /// A map with arbitrary members.
    Map,
    /// A map with the same members in every item, each of bounded size.
    Struct,
    /// A set of strings.
    TextSet,
    /// A set of numbers.
    NumberSet,
    /// A set of byte strings.
    BinarySet,
    /// JSON as text.
    Json,
    /// A value of any type; only the program knows which.
    Any,
}

impl AttributeType {
    /// Whether it can hold an unbounded number of elements.
    #[must_use]
    pub const fn is_collection(self) -> bool {
        matches!(
            self,
            Self::List | Self::Map | Self::TextSet | Self::NumberSet | Self::BinarySet | Self::Any
        )
    }

    /// The type of a Rust struct with members of these types: a [`Struct`](Self::Struct), or a
    /// [`Map`](Self::Map) if one of them is unbounded.
    #[must_use]
    pub const fn of_members(members: &[Self]) -> Self {
        let mut rest = members;
        while let [member, others @ ..] = rest {
            if member.is_collection() {
                return Self::Map;
            }
            rest = others;
        }
        Self::Struct
    }

    /// The DynamoDB type; `None` if it can be any.
    #[must_use]
    pub const fn stored(self) -> Option<Type> {
        Some(match self {
            Self::Any => return None,
            Self::Id
            | Self::Text
            | Self::Timestamp
            | Self::TimestampNanos
            | Self::Date
            | Self::Json => Type::S,
            Self::Integer | Self::Number | Self::EpochSeconds => Type::N,
            Self::Boolean => Type::Bool,
            Self::Binary => Type::B,
            Self::List => Type::L,
            Self::Map | Self::Struct => Type::M,
            Self::TextSet => Type::Ss,
            Self::NumberSet => Type::Ns,
            Self::BinarySet => Type::Bs,
        })
    }

    /// Name of the DynamoDB type.
    pub(crate) fn stored_name(self) -> &'static str {
        self.stored().map_or("any type", Type::as_str)
    }
}

impl Serialize for Attribute {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Self::new(self.name.as_str(), self.kind) {
            Serialize::serialize(&self.kind, serializer)
        } else {
            Self::serialize(self, serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Attribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = Attribute;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a type such as \"id\", or an object with a member `type`")
    }

    fn visit_str<E: serde::de::Error>(self, kind: &str) -> Result<Attribute, E> {
        let kind = AttributeType::deserialize(StrDeserializer::new(kind))?;
        Ok(Attribute::new("", kind))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Attribute, A::Error> {
        Attribute::deserialize(MapAccessDeserializer::new(map))
    }
}
