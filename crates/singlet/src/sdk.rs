//! Values and items to the types of the AWS SDK, and back.
//!
//! They are for what the model has no words for, and for programs that have used the SDK before:
//! requests of their own, exports, items that other code has read.
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

use crate::backend::aws_value as value;
use crate::error::Result;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sdk_dynamodbstreams::types::AttributeValue as StreamValue;
use singlet_dynamo::{Item, Value};
use std::collections::HashMap;

/// An item, or a key, as the SDK has it.
#[must_use]
pub fn to_attributes(item: Item) -> HashMap<String, AttributeValue> {
    value::attributes(item)
}

/// An item that the SDK has. A number that is none, or an empty set, is an error.
pub fn from_attributes(attributes: HashMap<String, AttributeValue>) -> Result<Item> {
    Ok(value::item(attributes)?)
}

/// An image of a record of DynamoDB Streams, as the SDK's crate for streams has it. That crate has a
/// type of its own for values.
pub fn from_stream_attributes(attributes: HashMap<String, StreamValue>) -> Result<Item> {
    Ok(value::stream_item(attributes)?)
}

/// A value as the SDK has it.
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
    value::attribute(value)
}

/// A value that the SDK has.
pub fn from_attribute_value(attribute: AttributeValue) -> Result<Value> {
    Ok(value::value(attribute)?)
}
