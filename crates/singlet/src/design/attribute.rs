//! Attributes of entities.

use super::is_default;
use super::named::named;
use crate::key::Form;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use singlet_dynamo::Type;
use std::fmt;

/// An attribute that the items of an entity have.
///
/// In a file it is its type alone, `"code": "id"`, or an object, `"winnerId": {"type": "id",
/// "optional": true}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
// The derives make the long form; the short one is added below.
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Attribute {
    /// Its name, as it is stored.
    #[serde(skip)]
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: AttributeType,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether items may lack it. An index whose key has a part that is lacking does not have the
    /// item.
    #[serde(default, skip_serializing_if = "is_default")]
    pub optional: bool,
    /// Whether it is stored inside a key only, and not by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_key: bool,
    /// Whether it is stored inside the entity's payload, and not by itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_payload: bool,
    /// The only texts that it can be, if these are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// The least number that it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// The greatest number that it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// How large it is as a rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical_bytes: Option<u64>,
    /// How large it can get, if something sees to that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// What it names, if it is the identifier of something else: an entity, here or elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<String>,
    /// A value to show in documents, as plain JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<serde_json::Value>,
}

named!(Attribute, "attribute", name);

impl Attribute {
    /// An attribute that every item has, and of which only the type is known.
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

    /// Whether items have an attribute of its name.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        !self.in_key && !self.in_payload
    }

    /// What it looks like in a key whose parts are separated by this character.
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

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttributeType {
    /// Text that is neither empty nor contains the delimiter.
    Id,
    /// Text of any kind.
    Text,
    /// A moment as text of fixed width, UTC: `2026-01-31T09:30:00.000Z`.
    Timestamp,
    /// A moment as text of fixed width with nanoseconds, UTC: `2026-01-31T09:30:00.000000000Z`.
    TimestampNanos,
    /// A day as text: `2026-01-31`.
    Date,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A moment in seconds since 1970, which is what a TTL attribute has to be.
    EpochSeconds,
    /// True or false.
    Boolean,
    /// Bytes.
    Binary,
    /// A list.
    List,
    /// A map with any members.
    Map,
    /// A map with the same members in every item, none of which holds any number of elements.
    Struct,
    /// A set of texts.
    TextSet,
    /// A set of numbers.
    NumberSet,
    /// A set of byte strings.
    BinarySet,
    /// JSON as text.
    Json,
    /// A value of any type: only the program knows what it holds.
    Any,
}

impl AttributeType {
    /// Whether it can hold any number of elements.
    #[must_use]
    pub const fn is_collection(self) -> bool {
        matches!(
            self,
            Self::List | Self::Map | Self::TextSet | Self::NumberSet | Self::BinarySet | Self::Any
        )
    }

    /// What a Rust struct is that has members of these types: a [`Struct`](Self::Struct), or a
    /// [`Map`](Self::Map) if one of them holds any number of elements.
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

    /// The type that it is stored as; `None` if it can be any.
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

    /// The name of the type that it is stored as.
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
