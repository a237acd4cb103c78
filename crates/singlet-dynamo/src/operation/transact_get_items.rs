//! TransactGetItems: reads up to 100 items by their keys from one snapshot.

use super::GetItem;
use super::batch::find_table;
use super::definition::read_list;
use super::projection::ProjectionBody;
use super::transaction::{
    check_count, check_distinct, constrain_table_name, first_refused, table_name_of,
};
use crate::Map;
use crate::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
use crate::constraint::Constraints;
use crate::error::{Error, Result};
use crate::json::kept::Kept;
use crate::json::value::{Unchecked, read_key};
use crate::json::{Reader, Writer};
use crate::key::Key;
use crate::limits::TRANSACTION_SIZE_MAX;
use crate::schema::TableSchema;
use crate::stored::{Attributes, StoredItem};

/// Reads items from one snapshot.
///
/// ```
/// use singlet_dynamo::operation::{GetItem, TransactGetItems};
/// use singlet_dynamo::{Item, Value};
///
/// let request = TransactGetItems::new(vec![
///     GetItem::new("games", Item::from([("PK", Value::from("GAME#1"))])),
///     GetItem::new("players", Item::from([("PK", Value::from("PLAYER#1"))])),
/// ]);
/// assert_eq!(request.gets.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TransactGetItems {
    /// The items: table, key and projection. Their other members have no effect here.
    pub gets: Vec<GetItem>,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body {
    transact_items: Option<Kept<TransactItemBody>>,
    return_consumed_capacity: Option<String>,
}

/// One of `TransactItems`, unchecked.
#[derive(Default)]
struct TransactItemBody {
    get: Option<GetBody>,
}

#[derive(Default)]
struct GetBody {
    table_name: Option<String>,
    key: Option<Unchecked<Map>>,
    projection: ProjectionBody,
}

impl TransactItemBody {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("TransactGetItem", |reader, member| {
            match member {
                "Get" => body.get = GetBody::read(reader)?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    fn constrain(&self, constraints: &mut Constraints, path: &str) {
        constraints.required(&format!("{path}.get"), &self.get);
        if let Some(get) = &self.get {
            constraints.required(&format!("{path}.get.key"), &get.key);
            let path = format!("{path}.get.tableName");
            constrain_table_name(constraints, &path, get.table_name.as_deref());
        }
    }
}

impl GetBody {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("Get", |reader, member| {
            match member {
                "TableName" => body.table_name = reader.owned_string()?,
                "Key" => body.key = read_key(reader)?,
                // Transactions are newer than expressions, so they have no legacy parameters.
                "AttributesToGet" => reader.skip()?,
                _ => body.projection.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    fn get(self) -> Result<GetItem> {
        let table_name = table_name_of(self.table_name)?;
        self.projection.check_styles()?;
        let key = self.key.unwrap_or_else(|| Map::new().into()).into_result()?;
        let projection = self.projection.into_projection()?;
        Ok(GetItem { projection, ..GetItem::new(table_name, key) })
    }
}

impl Body {
    fn read(json: &[u8]) -> Result<Self> {
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "TransactItems" => {
                    body.transact_items = read_list(reader, TransactItemBody::read)?;
                }
                "ReturnConsumedCapacity" => {
                    body.return_consumed_capacity = reader.owned_string()?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn constrain(&self) -> Result<ReturnConsumedCapacity> {
        let mut constraints = Constraints::default();
        constraints.required("transactItems", &self.transact_items);
        if let Some(items) = &self.transact_items {
            constraints.length_at_least("transactItems", "[]", items.len(), 1);
            for (place, item) in items.as_slice().iter().enumerate() {
                item.constrain(&mut constraints, &format!("transactItems.{}.member", place + 1));
            }
        }
        let detail = constraints.one_of(
            "returnConsumedCapacity",
            self.return_consumed_capacity.as_deref(),
            &ReturnConsumedCapacity::CHOICES,
        );
        constraints.finish()?;
        Ok(detail.unwrap_or_default())
    }
}

impl TransactGetItems {
    /// Reads these items.
    #[must_use]
    pub fn new(gets: Vec<GetItem>) -> Self {
        Self { gets, return_consumed_capacity: ReturnConsumedCapacity::None }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let body = Body::read(json)?;
        let return_consumed_capacity = body.constrain()?;
        let items = body.transact_items.unwrap_or_default();
        check_count(items.len())?;
        let gets = items.into_vec().into_iter().filter_map(|item| item.get.map(GetBody::get));
        Ok(Self { gets: gets.collect::<Result<_>>()?, return_consumed_capacity })
    }

    /// Checks the keys and projections against the tables' schemas, and returns the keys.
    pub fn check<'s>(&self, tables: impl Fn(&str) -> Option<&'s TableSchema>) -> Result<Vec<Key>> {
        check_count(self.gets.len())?;
        let find = |get: &GetItem| find_table(&tables, &get.table_name);
        let schemas = self.gets.iter().map(find).collect::<Result<Vec<_>>>()?;
        let gets = || self.gets.iter().zip(schemas.iter().copied());
        for (get, schema) in gets() {
            schema.key.check_not_empty(&get.key)?;
        }
        check_distinct(gets().map(|(get, schema)| {
            (schema.name.as_str(), schema.key.key_of_request(&get.key).ok())
        }))?;
        first_refused(gets().map(|(get, schema)| get.check(schema)))
    }

    /// The response, given the stored item of each key.
    pub fn answer(&self, stored: Vec<Option<StoredItem>>) -> Result<TransactGetItemsAnswer> {
        let mut stored = stored.into_iter();
        self.read(|_| Ok(stored.next().flatten()))
    }

    /// Reads the items one by one. Once they exceed the limit, the rest is only measured for the
    /// error.
    pub fn read<E: From<Error>>(
        &self,
        mut read: impl FnMut(&GetItem) -> Result<Option<StoredItem>, E>,
    ) -> Result<TransactGetItemsAnswer, E> {
        let mut capacity = CapacityByTable::new(self.return_consumed_capacity);
        let mut size = 0;
        let mut responses = Vec::with_capacity(self.gets.len());
        for get in &self.gets {
            let item = read(get)?;
            let item_size = item.as_ref().map_or(0, |item| item.as_item().size());
            capacity.add(|detail| {
                ConsumedCapacity::of_transact_read(get.table_name.as_str(), detail, item_size)
            });
            let item = item.map(|item| get.select(item));
            size += item.as_ref().map_or(0, Attributes::size);
            if size > TRANSACTION_SIZE_MAX {
                responses = Vec::new();
                continue;
            }
            responses.push(item);
        }
        if size > TRANSACTION_SIZE_MAX {
            let error = Error::validation(format!("Payload in response is too large.{size}"));
            return Err(error.into());
        }
        Ok(TransactGetItemsAnswer { responses, capacity })
    }
}

/// The items, in request order.
#[derive(Clone, Debug, PartialEq)]
pub struct TransactGetItemsAnswer {
    /// The items after their projections; `None` for missing ones.
    pub responses: Vec<Option<Attributes>>,
    /// Consumed capacity.
    pub capacity: CapacityByTable,
}

impl TransactGetItemsAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            self.capacity.write_member(object);
            object.member("Responses", |writer| {
                writer.array(&self.responses, |writer, item| {
                    writer.object(|object| {
                        if let Some(item) = item {
                            object.member("Item", |writer| item.write_json(writer));
                        }
                    });
                });
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::expression::{Path, Projection};
    use crate::schema::{KeyAttribute, KeySchema, KeyType};
    use std::sync::Arc;

    /// The number of gets was not checked in requests built without JSON.
    #[test]
    fn a_request_has_up_to_a_hundred_gets() {
        let get = |place: usize| {
            GetItem::new("games", Map::from([("pk", Value::from(format!("k{place}")))]))
        };
        let partition = KeyAttribute { name: "pk".into(), kind: KeyType::S };
        let key = KeySchema::simple(partition, None);
        let schema = TableSchema { name: "games".into(), key, indexes: vec![] };
        let check =
            |count| TransactGetItems::new((0..count).map(get).collect()).check(|_| Some(&schema));
        assert_eq!(check(100).unwrap().len(), 100);
        assert_eq!(
            check(101).unwrap_err().message(),
            "1 validation error detected: Value at 'TransactItems' failed to satisfy constraint: \
             Member must have length less than or equal to 100"
        );
    }

    /// A hundred items of 400 KB used to be kept just to find that they are too large.
    #[test]
    fn items_beyond_the_limit_are_counted_and_not_kept() {
        const ITEM_BYTES: usize = 399_000;
        let item = Map::from([("x", Value::from("x".repeat(ITEM_BYTES)))]);
        let stored = crate::binary::encode(&item);
        let request = TransactGetItems::new(vec![GetItem::new("games", Map::new()); 100]);
        let mut given: Vec<std::sync::Weak<[u8]>> = Vec::new();
        let error = request
            .read(|_| {
                let kept = given.iter().filter(|bytes| bytes.upgrade().is_some()).count();
                assert!(kept * ITEM_BYTES <= TRANSACTION_SIZE_MAX, "{kept}");
                let bytes: Arc<[u8]> = stored.clone().into();
                given.push(Arc::downgrade(&bytes));
                Ok::<_, Error>(Some(StoredItem::new(bytes, 0..stored.len())))
            })
            .unwrap_err();
        let size = 100 * item.size();
        assert_eq!(error.message(), format!("Payload in response is too large.{size}"));
    }

    #[test]
    fn an_answer_holds_four_megabytes() {
        let key = Map::from([("pk", Value::from("a"))]);
        let mut get = GetItem::new("games", key.clone());
        let mut item = key;
        item.insert("x", Value::from("x".repeat(399_000)));
        let answer = |get: &GetItem, count| {
            let request = TransactGetItems::new(vec![get.clone(); count]);
            request.answer(vec![Some(StoredItem::from(&item)); count])
        };
        assert!(answer(&get, 10).is_ok());
        let error = answer(&get, 11).unwrap_err();
        assert!(error.message().starts_with("Payload in response is too large."));
        // Attributes outside the projection do not count.
        get.projection = Projection::new(vec![Path::attribute("pk").unwrap()]).ok();
        assert!(answer(&get, 100).is_ok());
    }
}
