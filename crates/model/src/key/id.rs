//! Identifiers that cannot contain the delimiter.

use super::DELIMITER;
use std::fmt;

/// Why a text is not an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdError {
    /// It is empty.
    Empty,
    /// It contains the delimiter.
    Delimiter,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("an identifier must not be empty"),
            Self::Delimiter => write!(f, "an identifier must not contain `{DELIMITER}`"),
        }
    }
}

impl std::error::Error for IdError {}

/// Refuses a text that is no identifier.
#[doc(hidden)]
pub fn check_id(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if text.contains(DELIMITER) {
        return Err(IdError::Delimiter);
    }
    Ok(())
}

/// Makes types for identifiers: text that is not empty and does not contain the delimiter `#`, so
/// that no identifier can be mistaken for two parts of a key.
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
#[macro_export]
macro_rules! id {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {
        $(
            $(#[$meta])*
            #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[allow(unreachable_pub, missing_docs, dead_code)]
            pub struct $name(::std::string::String);

            #[allow(unreachable_pub, dead_code)]
            impl $name {
                /// The identifier with this text, unless it is empty or contains `#`.
                pub fn new(
                    text: impl ::std::convert::Into<::std::string::String>,
                ) -> ::std::result::Result<Self, $crate::IdError> {
                    let text = text.into();
                    $crate::key::check_id(&text)?;
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
                    $crate::attribute::Unstorable,
                > {
                    $crate::Attribute::to_value(&self.0)
                }

                fn from_value(
                    value: ::std::option::Option<$crate::dynamo::binary::ValueRef<'_>>,
                ) -> ::std::result::Result<Self, $crate::attribute::Mismatch> {
                    $crate::key::read_id(value).map(Self)
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
                    $crate::key::read_id(::std::option::Option::Some(
                        $crate::dynamo::binary::ValueRef::S(name),
                    ))
                    .map(Self)
                }
            }

            impl $crate::KeyPart for $name {
                const SHAPE: $crate::key::Shape =
                    $crate::key::Shape::Text($crate::key::Form::CLOSED);
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
        )+
    };
}

/// Reads the text of an identifier.
#[doc(hidden)]
pub fn read_id(
    value: Option<singlet_dynamo::binary::ValueRef<'_>>,
) -> Result<String, crate::attribute::Mismatch> {
    use crate::attribute::{Attribute, Mismatch};
    let text = String::from_value(value)?;
    match check_id(&text) {
        Ok(()) => Ok(text),
        Err(_) => Err(Mismatch::new("an identifier", format!("`{text}`"))),
    }
}
