//! GetItem: reads one item by its key.

use super::projection::ProjectionBody;
use super::table_name::{constrain_table_name, named_table};
use crate::Map;
use crate::capacity::{Consistency, ConsumedCapacity, ReturnConsumedCapacity};
use crate::constraint::Constraints;
use crate::error::Result;
use crate::expression::Projection;
use crate::json::value::{Unchecked, read_key};
use crate::json::{Reader, Writer};
use crate::key::Key;
use crate::schema::TableSchema;
use crate::stored::{Attributes, StoredItem};

/// Reads one item by its key.
///
/// ```
/// use singlet_dynamo::operation::GetItem;
///
/// let request = GetItem::from_json(br#"{"TableName": "games", "Key": {"PK": {"S": "GAME#1"}}}"#)?;
/// assert_eq!(request.table_name, "games");
/// # Ok::<(), singlet_dynamo::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GetItem {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The item's key: all of the table's key attributes, and no others.
    pub key: Map,
    /// The attributes to return, if not all of them.
    pub projection: Option<Projection>,
    /// Whether the read is strongly consistent.
    pub consistent_read: bool,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    table_name: Option<String>,
    key: Option<Unchecked<Map>>,
    consistent_read: Option<bool>,
    projection: ProjectionBody,
    return_consumed_capacity: Option<String>,
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "TableName" => body.table_name = reader.owned_string()?,
                "Key" => body.key = read_key(reader)?,
                "ConsistentRead" => body.consistent_read = reader.boolean()?,
                "ReturnConsumedCapacity" => {
                    body.return_consumed_capacity = reader.owned_string()?;
                }
                _ => body.projection.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(body)
    }
}

impl GetItem {
    /// An eventually consistent read of a whole item.
    pub fn new(table_name: impl Into<String>, key: Map) -> Self {
        Self {
            table_name: table_name.into(),
            key,
            projection: None,
            consistent_read: false,
            return_consumed_capacity: ReturnConsumedCapacity::None,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let mut body = Body::read(json)?;

        let mut constraints = Constraints::default();
        body.projection.constrain(&mut constraints, "attributesToGet");
        let return_consumed_capacity = constraints.one_of(
            "returnConsumedCapacity",
            body.return_consumed_capacity.as_deref(),
            &ReturnConsumedCapacity::CHOICES,
        );
        constraints.required("key", &body.key);
        constrain_table_name(&mut constraints, body.table_name.as_deref());
        constraints.finish()?;
        let table_name = named_table(body.table_name.take().unwrap_or_default())?;

        body.projection.check_styles()?;
        let key = body.key.unwrap_or_else(|| Map::new().into()).into_result()?;
        let projection = body.projection.into_projection()?;

        Ok(Self {
            table_name,
            key,
            projection,
            consistent_read: body.consistent_read.unwrap_or(false),
            return_consumed_capacity: return_consumed_capacity.unwrap_or_default(),
        })
    }

    /// Checks the key and the projection against the table's schema, and returns the key.
    pub fn check(&self, schema: &TableSchema) -> Result<Key> {
        let key = schema.key.key_of_request(&self.key)?;
        if let Some(projection) = &self.projection {
            projection.check_keys(schema)?;
        }
        Ok(key)
    }

    /// Applies the projection.
    #[must_use]
    pub fn select(&self, item: StoredItem) -> Attributes {
        match &self.projection {
            None => item.into(),
            Some(projection) => item.project(projection),
        }
    }

    /// The consistency that the read is charged for.
    #[must_use]
    pub fn consistency(&self) -> Consistency {
        if self.consistent_read { Consistency::Strong } else { Consistency::Eventual }
    }
}

/// The item, if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct GetItemAnswer {
    /// The item, after the projection.
    pub item: Option<Attributes>,
    /// Consumed capacity, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

impl GetItemAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            if let Some(consumed) = &self.consumed_capacity {
                object.member("ConsumedCapacity", |writer| consumed.write_json(writer));
            }
            if let Some(item) = &self.item {
                object.member("Item", |writer| item.write_json(writer));
            }
        });
    }
}
