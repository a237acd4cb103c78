//! Events of DynamoDB Streams as AWS Lambda gives them to a function.
//!
//! A function that follows a table's stream is called with records in JSON. [`records`] makes
//! changes of them, with the table's entities:
//!
//! ```
//! use singlet::prelude::*;
//! use singlet::{Change, lambda};
//!
//! id!(Code);
//!
//! #[table(name = "games", key = (PK, SK), stream, entities(Game))]
//! pub struct Games;
//!
//! #[derive(Entity, Debug)]
//! #[entity(Games, key = ("GAME#{code}", "METADATA"))]
//! pub struct Game {
//!     pub code: Code,
//!     pub turn: u32,
//! }
//!
//! let event = br#"{"Records": [{
//!     "eventID": "1", "eventName": "MODIFY", "eventSource": "aws:dynamodb",
//!     "dynamodb": {
//!         "SequenceNumber": "111", "StreamViewType": "NEW_AND_OLD_IMAGES",
//!         "Keys": {"PK": {"S": "GAME#ABC123"}, "SK": {"S": "METADATA"}},
//!         "OldImage": {"PK": {"S": "GAME#ABC123"}, "SK": {"S": "METADATA"},
//!                      "code": {"S": "ABC123"}, "turn": {"N": "3"}},
//!         "NewImage": {"PK": {"S": "GAME#ABC123"}, "SK": {"S": "METADATA"},
//!                      "code": {"S": "ABC123"}, "turn": {"N": "4"}}
//!     }
//! }]}"#;
//! let records = lambda::records::<Games>(event)?;
//! let Change::Item { new: Some(GamesItem::Game(game)), .. } = &records[0].change else {
//!     return Err("not a game".into());
//! };
//! assert_eq!((game.turn, records[0].sequence_number.as_str()), (4, "111"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Lambda tries a batch again until it succeeds, so a function must be able to see a record twice.

use crate::error::Result;
use crate::feed::Change;
use crate::item;
use crate::table::Table;
use serde_json::Value;
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::{Error, Item};

/// One record of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<I> {
    /// Its number, by which a function names a record that failed (`batchItemFailures`).
    pub sequence_number: String,
    /// What happened. An image that the stream does not carry is missing.
    pub change: Change<I>,
}

/// The records of an event, in their order. Those of items that are of none of the table's entities
/// are left out.
///
/// # Errors
///
/// If the event is none of DynamoDB Streams, or an item is not what its entity says.
pub fn records<T: Table>(event: &[u8]) -> Result<Vec<Record<T::Item>>> {
    let event: Value = serde_json::from_slice(event)
        .map_err(|error| Error::serialization(format!("the event is no JSON: {error}")))?;
    let records = event.get("Records").and_then(Value::as_array);
    let records = records.ok_or_else(|| Error::serialization("the event has no `Records`"))?;
    let read = records.iter().map(record::<T>);
    read.filter_map(Result::transpose).collect()
}

fn record<T: Table>(record: &Value) -> Result<Option<Record<T::Item>>> {
    let stream = record.get("dynamodb");
    let stream = stream.ok_or_else(|| Error::serialization("a record is none of DynamoDB"))?;
    let image = |name: &str| match stream.get(name) {
        Some(image) => decode::<T>(image.to_string().as_bytes()),
        None => Ok(None),
    };
    let (old, new) = (image("OldImage")?, image("NewImage")?);
    if old.is_none() && new.is_none() {
        return Ok(None);
    }
    // Lambda writes these names with a small letter, GetRecords with a capital one.
    let identity = |names: [&str; 2]| {
        let identity = record.get("userIdentity")?;
        names.iter().find_map(|name| identity.get(name))?.as_str()
    };
    let is_expiry = identity(["type", "Type"]) == Some("Service")
        && identity(["principalId", "PrincipalId"]) == Some("dynamodb.amazonaws.com");
    let number = stream.get("SequenceNumber").and_then(Value::as_str).unwrap_or_default();
    let change = Change::Item { old, new, is_expiry };
    Ok(Some(Record { sequence_number: number.to_owned(), change }))
}

/// One image of a record as the entity that it is, in DynamoDB's JSON; `None` if it is of none of
/// the table's entities.
///
/// ```
/// # use singlet::prelude::*;
/// # id!(Code);
/// # #[table(name = "games", key = (PK), entities(Game))]
/// # pub struct Games;
/// # #[derive(Entity, Debug)]
/// # #[entity(Games, key = ("GAME#{code}"))]
/// # pub struct Game { pub code: Code, pub turn: u32 }
/// let image = br#"{"PK": {"S": "GAME#ABC123"}, "code": {"S": "ABC123"}, "turn": {"N": "4"}}"#;
/// let item = singlet::lambda::decode::<Games>(image)?;
/// assert!(matches!(item, Some(GamesItem::Game(Game { turn: 4, .. }))));
/// # Ok::<(), singlet::Error>(())
/// ```
pub fn decode<T: Table>(image: &[u8]) -> Result<Option<T::Item>> {
    let item: Item = item::from_json(image)?;
    Ok(T::decode(StoredItem::from(&item).as_item())?)
}
