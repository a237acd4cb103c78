//! DynamoDB Streams events, as AWS Lambda passes them to a function.
//!
//! A function subscribed to a table's stream receives records as JSON. [`records`] decodes them to
//! changes of the table's entities:
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
//! let Ok(Change::Item { new: Some(GamesItem::Game(game)), .. }) = &records[0].change else {
//!     return Err("not a game".into());
//! };
//! assert_eq!((game.turn, records[0].sequence_number.as_str()), (4, "111"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Lambda retries a batch until it succeeds, so a function must handle repeated records.

use crate::error::Result;
use crate::feed::Change;
use crate::item;
use crate::table::Table;
use serde_json::Value;
use singlet_dynamo::{Error, Item};

/// One record of an event.
#[derive(Debug)]
pub struct Record<I> {
    /// Its sequence number, with which a function reports a failed record (`batchItemFailures`).
    pub sequence_number: String,
    /// The change, or why it cannot be read: [`Error::Corrupt`](crate::Error::Corrupt) if an image
    /// does not match its entity, and [`Error::Refused`](crate::Error::Refused) if the record has
    /// no image. An image that the stream does not carry is missing.
    pub change: Result<Change<I>>,
}

/// The records of an event, in order. Items that belong to none of the table's entities are
/// skipped.
///
/// # Errors
///
/// Fails if this is not an event of DynamoDB Streams. An unreadable record has an error in its
/// `change`, so that the others can be handled and this one reported.
pub fn records<T: Table>(event: &[u8]) -> Result<Vec<Record<T::Item>>> {
    let event: Value = serde_json::from_slice(event)
        .map_err(|error| Error::serialization(format!("the event is not JSON: {error}")))?;
    let records = event.get("Records").and_then(Value::as_array);
    let records = records.ok_or_else(|| Error::serialization("the event has no `Records`"))?;
    let mut read = Vec::with_capacity(records.len());
    for record in records {
        let stream = record.get("dynamodb");
        let number = stream.and_then(|stream| stream.get("SequenceNumber")?.as_str());
        let (Some(stream), Some(number)) = (stream, number) else {
            return Err(Error::serialization(NO_RECORD).into());
        };
        let Some(change) = change::<T>(record, stream).transpose() else { continue };
        read.push(Record { sequence_number: number.to_owned(), change });
    }
    Ok(read)
}

const NO_RECORD: &str = "a record is not one of DynamoDB: it has no `SequenceNumber`";
const NO_IMAGE: &str = "the record has no image: the stream must be one of `NEW_AND_OLD_IMAGES`";

/// Decodes the change; `None` if its item belongs to none of the table's entities.
fn change<T: Table>(record: &Value, stream: &Value) -> Result<Option<Change<T::Item>>> {
    let (old, new) = (stream.get("OldImage"), stream.get("NewImage"));
    if old.is_none() && new.is_none() {
        return Err(Error::serialization(NO_IMAGE).into());
    }
    let image = |image: Option<&Value>| match image {
        Some(image) => decode::<T>(image.to_string().as_bytes()),
        None => Ok(None),
    };
    let (old, new) = (image(old)?, image(new)?);
    if old.is_none() && new.is_none() {
        return Ok(None);
    }
    // Lambda starts these names in lower case, GetRecords in upper case.
    let identity = |names: [&str; 2]| {
        let identity = record.get("userIdentity")?;
        names.iter().find_map(|name| identity.get(name))?.as_str()
    };
    let is_expiry = identity(["type", "Type"]) == Some("Service")
        && identity(["principalId", "PrincipalId"]) == Some("dynamodb.amazonaws.com");
    Ok(Some(Change::Item { old, new, is_expiry }))
}

/// Decodes one image of a record, in DynamoDB's JSON; `None` if it belongs to none of the table's
/// entities.
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
    Ok(T::decode_item(&item)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs, unreachable_pub)]

    use super::*;
    use crate::Error;
    use crate::prelude::*;

    id!(Code);

    #[table(name = "games", key = (PK), entities(Game))]
    pub struct Games;

    #[derive(Entity, Debug)]
    #[entity(Games, key = ("GAME#{code}"))]
    pub struct Game {
        pub code: Code,
        pub turn: u32,
    }

    fn record(number: u32, images: &str) -> String {
        format!(r#"{{"dynamodb": {{"SequenceNumber": "{number}", "Keys": {{}}{images}}}}}"#)
    }

    /// Regression: one unreadable record hid the rest of its batch, and records of a keys-only
    /// stream were dropped silently.
    #[test]
    fn a_record_that_cannot_be_read_has_an_error_of_its_own() {
        let image = |turn: &str| {
            let item = r#""PK": {"S": "GAME#A"}, "code": {"S": "A"}"#;
            format!(r#", "NewImage": {{{item}, "turn": {turn}}}"#)
        };
        let other = r#", "NewImage": {"PK": {"S": "USER#A"}}"#;
        let event = [
            record(1, &image(r#"{"N": "4"}"#)),
            record(2, &image(r#"{"S": "four"}"#)),
            record(3, ""),
            record(4, other),
            record(5, &image(r#"{"N": "5"}"#)),
        ];
        let event = format!(r#"{{"Records": [{}]}}"#, event.join(", "));
        let records = records::<Games>(event.as_bytes()).unwrap();
        let numbers: Vec<&str> = records.iter().map(|one| one.sequence_number.as_str()).collect();
        assert_eq!(numbers, ["1", "2", "3", "5"]);
        let turn = |place: usize| match &records[place].change {
            Ok(Change::Item { new: Some(GamesItem::Game(game)), .. }) => game.turn,
            _ => 0,
        };
        assert_eq!((turn(0), turn(3)), (4, 5));
        assert!(matches!(records[1].change, Err(Error::Corrupt(_))));
        let Err(error) = &records[2].change else { unreachable!() };
        assert!(error.to_string().contains("NEW_AND_OLD_IMAGES"), "{error}");
    }

    #[test]
    fn what_is_no_event_is_refused() {
        for event in ["", "{}", r#"{"Records": [{}]}"#, r#"{"Records": [{"dynamodb": {}}]}"#] {
            assert!(records::<Games>(event.as_bytes()).is_err(), "{event}");
        }
    }
}
