//! BatchWriteItem: up to 25 unconditional puts and deletes, each independent.

use super::batch::{TablesBody, check_distinct, find_table};
use super::collection_metrics::MetricsByTable;
use super::definition::read_list;
use super::parameter::COLLECTION_METRICS;
use super::put_item::{check_size, check_size_by, check_size_in};
use crate::capacity::{CapacityByTable, ReturnConsumedCapacity};
use crate::constraint::{Constraints, check_length};
use crate::error::{Error, Result};
use crate::json::kept::Kept;
use crate::json::value::{Unchecked, read_item, read_key};
use crate::json::{Reader, Writer};
use crate::key::Key;
use crate::schema::TableSchema;
use crate::weight::encoding_fuel;
use crate::{Item, Map};

/// Maximum number of writes.
const WRITES_MAX: usize = 25;

/// Puts and deletes items of one or more tables.
///
/// ```
/// use singlet_dynamo::operation::{BatchWriteItem, TableWrites, WriteRequest};
/// use singlet_dynamo::{Item, Value};
///
/// let game = |id: &str| Item::from([("PK", Value::from(id))]);
/// let request = BatchWriteItem::new(vec![TableWrites {
///     table_name: "games".into(),
///     requests: vec![WriteRequest::Put(game("GAME#1")), WriteRequest::Delete(game("GAME#2"))],
/// }]);
/// assert_eq!(request.tables.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BatchWriteItem {
    /// The writes to each table; no table occurs twice.
    pub tables: Vec<TableWrites>,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
    /// Whether to return item collection metrics.
    pub return_item_collection_metrics: bool,
}

/// The writes to one table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableWrites {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The writes, at most one per item.
    pub requests: Vec<WriteRequest>,
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteRequest {
    /// Puts an item, new or replacing the one with its key.
    Put(Item),
    /// Deletes the item with this key, if it exists.
    Delete(Map),
}

impl WriteRequest {
    /// Checks the write against the table's schema and returns the item's key.
    pub fn check(&self, schema: &TableSchema) -> Result<Key> {
        self.check_by(schema, self.size())
    }

    fn check_by(&self, schema: &TableSchema, size: usize) -> Result<Key> {
        match self {
            Self::Put(item) => {
                check_size_by(size)?;
                // Unlike PutItem, this reports an invalid key of an item as if it were a separate
                // key.
                let key = schema.key.key_within(item)?;
                schema.check_indexes(|index| index.check_item(item))?;
                check_size_in(schema, item, size)?;
                Ok(key)
            }
            Self::Delete(key) => schema.key.key_of_request(key),
        }
    }

    /// The size of the item of a put.
    fn size(&self) -> usize {
        match self {
            Self::Put(item) => item.size(),
            Self::Delete(_) => 0,
        }
    }

    /// The item of a put.
    fn item(&self) -> Option<&Item> {
        match self {
            Self::Put(item) => Some(item),
            Self::Delete(_) => None,
        }
    }

    pub(super) fn write_json(&self, writer: &mut Writer) {
        let (request, member, attributes) = match self {
            Self::Put(item) => ("PutRequest", "Item", item),
            Self::Delete(key) => ("DeleteRequest", "Key", key),
        };
        writer.object(|object| {
            object.member(request, |writer| {
                writer.object(|object| {
                    object.member(member, |writer| attributes.write_json(writer));
                });
            });
        });
    }
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body<'j> {
    request_items: Option<TablesBody<'j, Kept<RequestBody>>>,
    return_consumed_capacity: Option<String>,
    return_item_collection_metrics: Option<String>,
}

/// One write, unchecked.
#[derive(Default)]
struct RequestBody {
    /// The members `PutRequest` and `DeleteRequest`, if present, with their content.
    put: Option<Option<Unchecked<Map>>>,
    delete: Option<Option<Unchecked<Map>>>,
}

impl RequestBody {
    fn read(reader: &mut Reader<'_>) -> Result<Option<Self>> {
        let mut body = Self::default();
        let found = reader.structure("WriteRequest", |reader, member| {
            match member {
                "PutRequest" => {
                    body.put = read_only_member(reader, "PutRequest", "Item", read_item)?;
                }
                "DeleteRequest" => {
                    body.delete = read_only_member(reader, "DeleteRequest", "Key", read_key)?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(found.then_some(body))
    }

    fn constrain(&self, constraints: &mut Constraints, path: &str) {
        if let Some(item) = &self.put {
            constraints.required(&format!("{path}.putRequest.item"), item);
        }
        if let Some(key) = &self.delete {
            constraints.required(&format!("{path}.deleteRequest.key"), key);
        }
    }

    fn request(self) -> Result<WriteRequest> {
        let given = |attributes: Option<Unchecked<Map>>| {
            attributes.unwrap_or_else(|| Map::new().into()).into_result()
        };
        match (self.put, self.delete) {
            (Some(item), None) => {
                let item = given(item)?;
                check_size(&item)?;
                Ok(WriteRequest::Put(item))
            }
            (None, Some(key)) => given(key).map(WriteRequest::Delete),
            // The service's text, though it speaks of something else.
            _ => Err(Error::validation(
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
            )),
        }
    }
}

/// Reads a structure with one member, which holds attributes.
fn read_only_member(
    reader: &mut Reader<'_>,
    class: &str,
    only: &str,
    read: fn(&mut Reader<'_>) -> Result<Option<Unchecked<Map>>>,
) -> Result<Option<Option<Unchecked<Map>>>> {
    let mut attributes = None;
    let found = reader.structure(class, |reader, member| {
        if member == only {
            attributes = read(reader)?;
            return Ok(());
        }
        reader.skip()
    })?;
    Ok(found.then_some(attributes))
}

impl<'j> Body<'j> {
    fn read(json: &'j [u8]) -> Result<Self> {
        const CLASS: &str = "java.util.List<com.amazonaws.dynamodb.v20120810.WriteRequest>";
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "RequestItems" => {
                    body.request_items = TablesBody::read(reader, CLASS, |reader| {
                        Ok(read_list(reader, RequestBody::read)?.unwrap_or_default())
                    })?;
                }
                "ReturnConsumedCapacity" => {
                    body.return_consumed_capacity = reader.owned_string()?;
                }
                "ReturnItemCollectionMetrics" => {
                    body.return_item_collection_metrics = reader.owned_string()?;
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn constrain(&self) -> Result<(ReturnConsumedCapacity, bool)> {
        let mut constraints = Constraints::default();
        constraints.required("requestItems", &self.request_items);
        for (name, requests) in self.request_items.iter().flat_map(TablesBody::iter) {
            for (place, request) in requests.as_slice().iter().enumerate() {
                let path = format!("requestItems.{name}.member.{}.member", place + 1);
                request.constrain(&mut constraints, &path);
            }
        }
        let detail = constraints.one_of(
            "returnConsumedCapacity",
            self.return_consumed_capacity.as_deref(),
            &ReturnConsumedCapacity::CHOICES,
        );
        let metrics = constraints.one_of(
            "returnItemCollectionMetrics",
            self.return_item_collection_metrics.as_deref(),
            &COLLECTION_METRICS,
        );
        constraints.finish()?;
        // Unlike BatchGetItem, this reports invalid table names separately.
        let mut constraints = Constraints::default();
        if let Some(tables) = &self.request_items {
            tables.constrain_names(&mut constraints);
        }
        constraints.finish()?;
        Ok((detail.unwrap_or_default(), metrics.unwrap_or_default()))
    }

    fn check_lengths(&self) -> Result<()> {
        let Some(tables) = &self.request_items else { return Ok(()) };
        check_lengths(tables.iter().map(|(name, requests)| (name.as_str(), requests.len())))
    }
}

/// Refuses too many writes, or none. Takes each table with its number of writes.
pub(super) fn check_lengths<'n>(
    tables: impl ExactSizeIterator<Item = (&'n str, usize)>,
) -> Result<()> {
    if tables.len() == 0 {
        return Err(Error::validation("The requestItems parameter is required for BatchWriteItem"));
    }
    let mut count = 0;
    for (name, len) in tables {
        check_length(&format!("RequestItems.{name}.member"), len, 1, WRITES_MAX)?;
        count += len;
    }
    if count > WRITES_MAX {
        return Err(Error::validation("Too many items requested for the BatchWriteItem call"));
    }
    Ok(())
}

impl BatchWriteItem {
    /// Writes to these tables.
    #[must_use]
    pub fn new(tables: Vec<TableWrites>) -> Self {
        Self {
            tables,
            return_consumed_capacity: ReturnConsumedCapacity::None,
            return_item_collection_metrics: false,
        }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let body = Body::read(json)?;
        let (return_consumed_capacity, return_item_collection_metrics) = body.constrain()?;
        body.check_lengths()?;
        let tables = match body.request_items {
            None => Vec::new(),
            Some(tables) => tables.into_named()?,
        };
        let writes = |(table_name, requests): (String, Kept<RequestBody>)| {
            let requests = requests.into_vec().into_iter().map(RequestBody::request);
            Ok(TableWrites { table_name, requests: requests.collect::<Result<_>>()? })
        };
        Ok(Self {
            tables: tables.into_iter().map(writes).collect::<Result<_>>()?,
            return_consumed_capacity,
            return_item_collection_metrics,
        })
    }

    /// Checks all writes against the tables' schemas, and returns the items' keys table by table.
    pub fn check<'s>(
        &self,
        tables: impl Fn(&str) -> Option<&'s TableSchema>,
    ) -> Result<Vec<Vec<Key>>> {
        self.check_by(&self.sizes(), tables)
    }

    /// The sizes of the items, for [`BatchWriteItem::check_by`]. Walks over all of them.
    #[must_use]
    pub fn sizes(&self) -> Vec<usize> {
        self.tables.iter().flat_map(|table| &table.requests).map(WriteRequest::size).collect()
    }

    /// Like [`BatchWriteItem::check`], given the sizes of the items.
    pub fn check_by<'s>(
        &self,
        sizes: &[usize],
        tables: impl Fn(&str) -> Option<&'s TableSchema>,
    ) -> Result<Vec<Vec<Key>>> {
        let find = |table: &TableWrites| find_table(&tables, &table.table_name);
        let schemas = self.tables.iter().map(find).collect::<Result<Vec<_>>>()?;
        let mut sizes = sizes.iter();
        let mut keys = Vec::with_capacity(self.tables.len());
        for (table, schema) in self.tables.iter().zip(schemas) {
            let own = table.requests.iter().zip(sizes.by_ref());
            let own = own.map(|(request, size)| request.check_by(schema, *size));
            let own = own.collect::<Result<Vec<Key>>>()?;
            check_distinct(own.iter().map(Key::as_bytes).collect())?;
            keys.push(own);
        }
        Ok(keys)
    }
}

impl BatchWriteItem {
    /// The fuel for encoding the items; `None` if it exceeds `max`.
    #[must_use]
    pub fn encoding_fuel(&self, max: usize) -> Option<usize> {
        let puts = self.tables.iter().flat_map(|table| &table.requests);
        encoding_fuel(puts.filter_map(WriteRequest::item), max)
    }
}

/// The outcome of a batch of writes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchWriteItemAnswer {
    /// The writes that were not done; the client must request them again.
    pub unprocessed_items: Vec<TableWrites>,
    /// The item collections written to, if requested.
    pub item_collection_metrics: MetricsByTable,
    /// Consumed capacity.
    pub capacity: CapacityByTable,
}

impl BatchWriteItemAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("UnprocessedItems", |writer| {
                writer.object(|object| {
                    for table in &self.unprocessed_items {
                        object.member(&table.table_name, |writer| {
                            writer.array(&table.requests, |writer, request| {
                                request.write_json(writer);
                            });
                        });
                    }
                });
            });
            self.item_collection_metrics.write_member(object);
            self.capacity.write_member(object);
        });
    }
}
