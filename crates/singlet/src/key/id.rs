//! Identifiers that cannot contain the delimiter.

use std::fmt;

/// Why a text is not an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdError {
    /// The text is empty.
    Empty,
    /// The text contains the delimiter, which is this character.
    Delimiter(char),
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("an identifier must not be empty"),
            Self::Delimiter(delimiter) => {
                write!(f, "an identifier must not contain `{delimiter}`")
            }
        }
    }
}

impl std::error::Error for IdError {}

/// Maximum number of characters of an identifier from outside: as many as the subject of an OpenID
/// token. Stored identifiers may be longer, within the limits of the key.
pub const ID_CHARS_MAX: usize = 255;

/// Refuses a malformed identifier.
#[doc(hidden)]
pub fn check_id(text: &str, delimiter: char) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.contains(delimiter) {
        return Err(IdError::Delimiter(delimiter));
    }
    Ok(())
}

/// Makes types for identifiers: non-empty text without the delimiter `#`, so that an identifier
/// cannot be mistaken for two parts of a key.
///
/// ```
/// use singlet::id;
///
/// id!(Code, PlayerId);
/// id! {
///     /// Who a league belongs to.
///     LeagueId
/// }
///
/// let code = Code::new("ABC123")?;
/// assert_eq!(code.as_str(), "ABC123");
/// assert_eq!(code.to_string(), "ABC123");
/// assert!(Code::new("ABC#123").is_err());
/// assert!("".parse::<PlayerId>().is_err());
/// # Ok::<(), singlet::IdError>(())
/// ```
///
/// Identifiers for a table with another delimiter (`#[table(…, delimiter = "|")]`) declare it after
/// their name:
///
/// ```
/// # use singlet::id;
/// id!(Repo, Owner; delimiter = '|');
///
/// assert!(Repo::new("singlet#1").is_ok());
/// assert!(Repo::new("singlet|1").is_err());
/// ```
#[macro_export]
macro_rules! id {
    ($($(#[$meta:meta])* $name:ident),+ $(,)? ; delimiter = $delimiter:literal) => {
        $crate::id!(@types $delimiter; $($(#[$meta])* $name),+);
    };
    (@types $delimiter:literal; $($(#[$meta:meta])* $name:ident),+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[allow(unreachable_pub, missing_docs, dead_code)]
            pub struct $name(::std::string::String);

            #[allow(unreachable_pub, dead_code)]
            impl $name {
                /// The identifier with this text, unless it is empty or contains the delimiter.
                pub fn new(
                    text: impl ::std::convert::Into<::std::string::String>,
                ) -> ::std::result::Result<Self, $crate::IdError> {
                    let text = text.into();
                    $crate::key::check_id(&text, $delimiter)?;
                    ::std::result::Result::Ok(Self(text))
                }

                /// The text.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl ::std::str::FromStr for $name {
                type Err = $crate::IdError;

                fn from_str(text: &str) -> ::std::result::Result<Self, $crate::IdError> {
                    Self::new(text)
                }
            }

            impl ::std::fmt::Display for $name {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    f.write_str(&self.0)
                }
            }

            impl ::std::fmt::Debug for $name {
                fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                    ::std::fmt::Debug::fmt(&self.0, f)
                }
            }

            impl $crate::Attribute for $name {
                const KIND: $crate::design::AttributeType = $crate::design::AttributeType::Id;

                fn to_value(
                    &self,
                ) -> ::std::result::Result<
                    ::std::option::Option<$crate::dynamo::Value>,
                    $crate::attribute::NotStorable,
                > {
                    $crate::Attribute::to_value(&self.0)
                }

                fn from_value(
                    value: ::std::option::Option<$crate::dynamo::binary::ValueRef<'_>>,
                ) -> ::std::result::Result<Self, $crate::attribute::Mismatch> {
                    $crate::key::read_id(value, $delimiter).map(Self)
                }
            }

            impl $crate::field::Textual for $name {}

            impl $crate::attribute::MapKey for $name {
                fn to_name(&self) -> ::std::borrow::Cow<'_, str> {
                    ::std::borrow::Cow::Borrowed(&self.0)
                }

                fn from_name(
                    name: &str,
                ) -> ::std::result::Result<Self, $crate::attribute::Mismatch> {
                    let name = $crate::dynamo::binary::ValueRef::S(name);
                    $crate::key::read_id(::std::option::Option::Some(name), $delimiter).map(Self)
                }
            }

            impl $crate::KeyPart for $name {
                const SHAPE: $crate::key::Shape =
                    $crate::key::Shape::Text($crate::key::Form::without($delimiter));
            }

            impl $crate::serde::Serialize for $name {
                fn serialize<S: $crate::serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> ::std::result::Result<S::Ok, S::Error> {
                    serializer.serialize_str(&self.0)
                }
            }

            impl<'de> $crate::serde::Deserialize<'de> for $name {
                fn deserialize<D: $crate::serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> ::std::result::Result<Self, D::Error> {
                    let text = <::std::string::String as $crate::serde::Deserialize>::deserialize(
                        deserializer,
                    )?;
                    Self::new(text).map_err(<D::Error as $crate::serde::de::Error>::custom)
                }
            }

            $crate::__id_schema!($name);
        )+
    };
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {
        $crate::id!(@types '#'; $($(#[$meta])* $name),+);
    };
}

/// The JSON schema of an identifier: non-empty text, short enough for a key.
#[cfg(feature = "schemars")]
#[doc(hidden)]
#[macro_export]
macro_rules! __id_schema {
    ($name:ident) => {
        impl $crate::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                ::std::borrow::Cow::Borrowed(stringify!($name))
            }

            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::schemars::json_schema!({
                    "type": "string", "minLength": 1, "maxLength": $crate::key::ID_CHARS_MAX,
                })
            }
        }
    };
}

/// Without the feature `schemars`, identifiers have no JSON schema.
#[cfg(not(feature = "schemars"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __id_schema {
    ($name:ident) => {};
}

/// Parses an identifier.
#[doc(hidden)]
pub fn read_id(
    value: Option<singlet_dynamo::binary::ValueRef<'_>>,
    delimiter: char,
) -> Result<String, crate::attribute::Mismatch> {
    use crate::attribute::{Attribute, Mismatch};
    let text = String::from_value(value)?;
    match check_id(&text, delimiter) {
        Ok(()) => Ok(text),
        Err(_) => Err(Mismatch::new("an identifier", format!("`{text}`"))),
    }
}
