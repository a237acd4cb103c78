//! Conversions of values and items to and from the types of the AWS SDK.
//!
//! For requests that the model does not cover, and for programs that already use the SDK: their own
//! requests, exports, items read by other code.
//!
//! ```
//! use singlet::prelude::*;
//! use singlet::{item, sdk};
//!
//! id!(Code);
//!
//! #[table(name = "games", key = (PK), entities(Game))]
//! pub struct Games;
//!
//! #[derive(Entity, Debug, PartialEq)]
//! #[entity(Games, key = ("GAME#{code}"))]
//! pub struct Game {
//!     pub code: Code,
//!     pub turn: u32,
//! }
//!
//! let game = Game { code: Code::new("ABC123")?, turn: 3 };
//! let attributes = sdk::to_attributes(item::encode(&game)?);
//! assert_eq!(attributes["PK"].as_s().unwrap(), "GAME#ABC123");
//!
//! let back: Game = item::decode_item(&sdk::from_attributes(attributes)?)?;
//! assert_eq!(back, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::backend::BackendError;
use crate::error::Result;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodbstreams::types::AttributeValue as StreamValue;
use singlet_dynamo::{Item, Set, Value};
use std::collections::HashMap;
use std::error::Error;

/// Converts an item or a key to the SDK's type.
#[must_use]
pub fn to_attributes(item: Item) -> HashMap<String, AttributeValue> {
    item.into_iter().map(|(name, value)| (name, to_attribute_value(value))).collect()
}

/// Converts an item of the SDK. A malformed number or an empty set is an error.
pub fn from_attributes(attributes: HashMap<String, AttributeValue>) -> Result<Item> {
    Ok(item(attributes)?)
}

/// Converts an image of a record of DynamoDB Streams. The SDK's crate for streams has its own type
/// for values.
pub fn from_stream_attributes(attributes: HashMap<String, StreamValue>) -> Result<Item> {
    Ok(stream_item(attributes)?)
}

/// Converts a value to the SDK's type.
///
/// ```
/// use aws_sdk_dynamodb::types::AttributeValue;
/// use singlet::dynamo::Value;
/// use singlet::sdk;
///
/// let value = sdk::to_attribute_value(Value::from(7));
/// assert_eq!(value, AttributeValue::N("7".into()));
/// assert_eq!(sdk::from_attribute_value(value)?, Value::from(7));
/// # Ok::<(), singlet::Error>(())
/// ```
#[must_use]
pub fn to_attribute_value(value: Value) -> AttributeValue {
    match value {
        Value::S(text) => AttributeValue::S(text),
        Value::N(number) => AttributeValue::N(number.to_string()),
        Value::B(bytes) => AttributeValue::B(Blob::new(bytes)),
        Value::Bool(truth) => AttributeValue::Bool(truth),
        Value::Null => AttributeValue::Null(true),
        Value::M(map) => AttributeValue::M(to_attributes(map)),
        Value::L(list) => AttributeValue::L(list.into_iter().map(to_attribute_value).collect()),
        Value::Ss(set) => AttributeValue::Ss(set.into_iter().collect()),
        Value::Ns(set) => AttributeValue::Ns(set.iter().map(ToString::to_string).collect()),
        Value::Bs(set) => AttributeValue::Bs(set.into_iter().map(Blob::new).collect()),
    }
}

/// Converts a value of the SDK.
pub fn from_attribute_value(attribute: AttributeValue) -> Result<Value> {
    Ok(value(attribute)?)
}

/// Converts values of the SDK. It has two types with the same variants, one in the crate for
/// DynamoDB and one in the crate for streams.
macro_rules! readers {
    ($($item:ident, $value:ident: $type:ident;)+) => {
        $(
            /// Converts an item of the SDK.
            fn $item(attributes: HashMap<String, $type>) -> Result<Item, BackendError> {
                attributes.into_iter().map(|(name, value)| Ok((name, $value(value)?))).collect()
            }

            /// Converts a value of the SDK.
            fn $value(value: $type) -> Result<Value, BackendError> {
                Ok(match value {
                    $type::S(text) => Value::S(text),
                    $type::N(text) => Value::N(text.parse().map_err(unreadable)?),
                    $type::B(bytes) => Value::B(bytes.into_inner()),
                    $type::Bool(truth) => Value::Bool(truth),
                    $type::Null(_) => Value::Null,
                    $type::M(map) => Value::M($item(map)?),
                    $type::L(list) => {
                        Value::L(list.into_iter().map($value).collect::<Result<_, _>>()?)
                    }
                    $type::Ss(elements) => Value::Ss(Set::new(elements).map_err(unreadable)?),
                    $type::Ns(elements) => {
                        let numbers = elements.iter().map(|text| text.parse());
                        let numbers = numbers.collect::<Result<_, _>>().map_err(unreadable)?;
                        Value::Ns(Set::new(numbers).map_err(unreadable)?)
                    }
                    $type::Bs(elements) => {
                        let elements = elements.into_iter().map(Blob::into_inner).collect();
                        Value::Bs(Set::new(elements).map_err(unreadable)?)
                    }
                    _ => return Err(BackendError::Failed("an attribute is of a type that is not known here".into())),
                })
            }
        )+
    };
}

readers! {
    item, value: AttributeValue;
    stream_item, stream_value: StreamValue;
}

fn unreadable(error: impl Error + Send + Sync + 'static) -> BackendError {
    BackendError::Failed(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value of each type, nested.
    fn every_type() -> Item {
        let number = |text: &str| text.parse().unwrap();
        let map = Item::from([
            ("S", "text".into()),
            ("N", Value::N(number("-12.5e-30"))),
            ("B", Value::B(vec![0, 255])),
            ("BOOL", true.into()),
            ("NULL", Value::Null),
            ("L", Value::L(vec![1.into(), "two".into(), Value::L(vec![])])),
            ("SS", Value::Ss(Set::new(vec!["a".into(), "b".into()]).unwrap())),
            ("NS", Value::Ns(Set::new(vec![number("1"), number("2.5")]).unwrap())),
            ("BS", Value::Bs(Set::new(vec![vec![], vec![1, 2]]).unwrap())),
        ]);
        Item::from([("M", Value::M(map.clone())), ("empty", Value::M(Item::new()))])
    }

    #[test]
    fn what_goes_out_comes_back() {
        assert_eq!(from_attributes(to_attributes(every_type())).unwrap(), every_type());
    }

    #[test]
    fn images_of_streams_are_items() {
        let image = HashMap::from([("n".to_owned(), StreamValue::N("7".into()))]);
        let item = from_stream_attributes(image).unwrap();
        assert_eq!(item, Item::from([("n", Value::from(7))]));
    }

    #[test]
    fn what_is_no_value_is_an_error() {
        let one = |value: AttributeValue| from_attributes([("a".to_owned(), value)].into());
        assert!(one(AttributeValue::N("twelve".into())).is_err());
        assert!(one(AttributeValue::Ss(vec![])).is_err());
        assert!(one(AttributeValue::Ns(vec!["1".into(), "1.0".into()])).is_err());
    }
}
