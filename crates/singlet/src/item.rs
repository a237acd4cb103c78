//! Entities as stored items, and back.

mod payload;
mod reader;
mod writer;

pub use payload::Payload;
pub use reader::{Corrupt, Reader};

pub use reader::decode;
pub(crate) use reader::{OnCorrupt, Skipped};
pub(crate) use reader::{has_passed, is_expired, is_of_sharing_entity, recognizes};
pub(crate) use writer::{Purpose, key_attributes, to_item};

use crate::entity::Entity;
use crate::error::Result;
use crate::projection::Projection;
use singlet_dynamo::Item;
use singlet_dynamo::json::{Reader as JsonReader, value};
use singlet_dynamo::stored::StoredItem;

/// The item that an entity is stored as: its fields as attributes, with the keys of the table and
/// of the indexes. Fields that the model maintains, such as the version, keep the entity's values.
///
/// ```
/// use singlet::dynamo::Value;
/// use singlet::item;
/// use singlet::prelude::*;
///
/// id!(Code);
///
/// #[table(name = "games", key = (PK, SK), entities(Game))]
/// pub struct Games;
///
/// #[derive(Entity, Debug, PartialEq)]
/// #[entity(Games, key = ("GAME#{code}", "METADATA"))]
/// pub struct Game {
///     pub code: Code,
///     pub turn: u32,
/// }
///
/// let game = Game { code: Code::new("ABC123")?, turn: 3 };
/// let stored = item::encode(&game)?;
/// assert_eq!(stored.get("PK"), Some(&Value::from("GAME#ABC123")));
/// assert_eq!(item::decode_item::<Game>(&stored)?, game);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode<E: Entity>(entity: &E) -> Result<Item> {
    writer::of_values(&E::SHAPE, <E::Table as crate::table::Table>::SHAPE, entity.values()?)
}

/// Decodes an entity, or a projection of one, from an item; see [`encode`]. If the entity is not
/// known, use [`Table::decode`](crate::Table::decode).
pub fn decode_item<P: Projection>(item: &Item) -> Result<P, Corrupt> {
    decode(StoredItem::from(item).as_item())
}

/// Reads an item in DynamoDB's JSON: `{"PK": {"S": "GAME#ABC123"}, "turn": {"N": "3"}}`, as in
/// exports, Lambda events and the output of the AWS CLI.
///
/// ```
/// use singlet::dynamo::Value;
///
/// let item = singlet::item::from_json(br#"{"turn": {"N": "3"}}"#)?;
/// assert_eq!(item.get("turn"), Some(&Value::from(3)));
/// # Ok::<(), singlet::Error>(())
/// ```
pub fn from_json(json: &[u8]) -> Result<Item> {
    let mut reader = JsonReader::new(json)?;
    let item = value::read_map(&mut reader)?;
    reader.end()?;
    Ok(item.map_or_else(|| Ok(Item::new()), value::Unchecked::into_result)?)
}
