//! BatchGetItem: up to 100 items by their keys, each read independently.

use super::batch::{TablesBody, check_distinct, find_table};
use super::projection::ProjectionBody;
use crate::Map;
use crate::binary;
use crate::capacity::{
    CapacityByTable, Consistency, ConsumedCapacity, ReturnConsumedCapacity, read_units,
};
use crate::constraint::{Constraints, check_length};
use crate::error::{Error, Result};
use crate::expression::{Printer, Projection};
use crate::json::kept::Kept;
use crate::json::value::{Unchecked, read_key};
use crate::json::{Reader, Writer};
use crate::key::Key;
use crate::limits::{BATCH_GET_JSON_MAX, BATCH_GET_SIZE_MAX, JSON_GROWTH_MAX};
use crate::schema::TableSchema;
use crate::stored::{Attributes, StoredItem};

/// Maximum number of keys.
const KEYS_MAX: usize = 100;

/// Reads items of one or more tables by their keys.
///
/// ```
/// use singlet_dynamo::operation::{BatchGetItem, KeysAndAttributes};
/// use singlet_dynamo::{Item, Value};
///
/// let key = |id: &str| Item::from([("PK", Value::from(id))]);
/// let request = BatchGetItem::new(vec![
///     KeysAndAttributes::new("games", vec![key("GAME#1"), key("GAME#2")]),
///     KeysAndAttributes::new("players", vec![key("PLAYER#1")]),
/// ]);
/// assert_eq!(request.tables.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BatchGetItem {
    /// The reads of each table; no table occurs twice.
    pub tables: Vec<KeysAndAttributes>,
    /// How much detail about consumed capacity to return.
    pub return_consumed_capacity: ReturnConsumedCapacity,
}

/// The reads of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct KeysAndAttributes {
    /// The table's name or ARN; the response repeats it.
    pub table_name: String,
    /// The items' keys.
    pub keys: Vec<Map>,
    /// The attributes to return, if not all of them.
    pub projection: Option<Projection>,
    /// Whether the reads are strongly consistent.
    pub consistent_read: bool,
}

impl KeysAndAttributes {
    /// Eventually consistent reads of whole items.
    pub fn new(table_name: impl Into<String>, keys: Vec<Map>) -> Self {
        Self { table_name: table_name.into(), keys, projection: None, consistent_read: false }
    }

    /// The consistency that the reads are charged for.
    #[must_use]
    pub fn consistency(&self) -> Consistency {
        if self.consistent_read { Consistency::Strong } else { Consistency::Eventual }
    }

    pub(super) fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Keys", |writer| {
                writer.array(&self.keys, |writer, key| key.write_json(writer));
            });
            if self.consistent_read {
                object.boolean("ConsistentRead", true);
            }
            if let Some(projection) = &self.projection {
                let mut printer = Printer::new();
                object.string("ProjectionExpression", &printer.projection(projection));
                object.member("ExpressionAttributeNames", |writer| {
                    writer.object(|object| {
                        for (placeholder, name) in printer.names() {
                            object.string(&placeholder, name);
                        }
                    });
                });
            }
        });
    }
}

/// The members of the body, unchecked.
#[derive(Default)]
struct Body<'j> {
    request_items: Option<TablesBody<'j, TableBody>>,
    return_consumed_capacity: Option<String>,
}

/// The reads of one table, unchecked.
#[derive(Default)]
struct TableBody {
    keys: Option<Kept<Unchecked<Map>>>,
    projection: ProjectionBody,
    consistent_read: Option<bool>,
}

impl TableBody {
    fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let mut body = Self::default();
        reader.structure("KeysAndAttributes", |reader, member| {
            match member {
                "Keys" => {
                    body.keys = Kept::read(reader, |reader| {
                        Ok(Some(read_key(reader)?.unwrap_or_else(|| Map::new().into())))
                    })?;
                }
                "ConsistentRead" => body.consistent_read = reader.boolean()?,
                _ => body.projection.read(reader, member)?,
            }
            Ok(())
        })?;
        Ok(body)
    }

    fn named(self, table_name: String) -> Result<KeysAndAttributes> {
        self.projection.check_styles()?;
        let keys = self.keys.unwrap_or_default().into_vec().into_iter();
        let keys = keys.map(Unchecked::into_result).collect::<Result<Vec<Map>>>()?;
        let projection = self.projection.into_projection()?;
        // The service looks for duplicates before it knows which attributes make up the key.
        check_distinct(keys.iter().map(binary::encode).collect())?;
        let consistent_read = self.consistent_read.unwrap_or(false);
        Ok(KeysAndAttributes { table_name, keys, projection, consistent_read })
    }
}

impl<'j> Body<'j> {
    fn read(json: &'j [u8]) -> Result<Self> {
        const CLASS: &str = "com.amazonaws.dynamodb.v20120810.KeysAndAttributes";
        let mut body = Self::default();
        let mut reader = Reader::new(json)?;
        reader.request(|reader, member| {
            match member {
                "RequestItems" => {
                    body.request_items = TablesBody::read(reader, CLASS, TableBody::read)?;
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
        constraints.required("requestItems", &self.request_items);
        if let Some(tables) = &self.request_items {
            tables.constrain_names(&mut constraints);
            for (name, table) in tables.iter() {
                let path = format!("requestItems.{name}.member");
                constraints.required(&format!("{path}.keys"), &table.keys);
                table.projection.constrain(&mut constraints, &format!("{path}.attributesToGet"));
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

    fn check_lengths(&self) -> Result<()> {
        let Some(tables) = &self.request_items else { return Ok(()) };
        check_lengths(
            tables
                .iter()
                .map(|(name, table)| (name.as_str(), table.keys.as_ref().map_or(0, Kept::len))),
        )
    }
}

/// Refuses too many tables or keys, or none. Takes each table with its number of keys.
pub(super) fn check_lengths<'n>(
    tables: impl ExactSizeIterator<Item = (&'n str, usize)>,
) -> Result<()> {
    check_length("RequestItems", tables.len(), 1, KEYS_MAX)?;
    let mut count = 0;
    for (name, len) in tables {
        check_length(&format!("RequestItems.{name}.member.Keys"), len, 1, KEYS_MAX)?;
        count += len;
    }
    if count > KEYS_MAX {
        return Err(Error::validation("Too many items requested for the BatchGetItem call"));
    }
    Ok(())
}

impl BatchGetItem {
    /// Reads from these tables.
    #[must_use]
    pub fn new(tables: Vec<KeysAndAttributes>) -> Self {
        Self { tables, return_consumed_capacity: ReturnConsumedCapacity::None }
    }

    /// Parses a request body.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let body = Body::read(json)?;
        let return_consumed_capacity = body.constrain()?;
        body.check_lengths()?;
        let tables = match body.request_items {
            None => Vec::new(),
            Some(tables) => tables.into_named()?,
        };
        ProjectionBody::check_styles_among(tables.iter().map(|(_, table)| &table.projection))?;
        let tables = tables.into_iter().map(|(name, table)| table.named(name));
        Ok(Self { tables: tables.collect::<Result<_>>()?, return_consumed_capacity })
    }

    /// Checks the keys and projections against the tables' schemas, and returns the keys table by
    /// table.
    pub fn check<'s>(
        &self,
        tables: impl Fn(&str) -> Option<&'s TableSchema>,
    ) -> Result<Vec<Vec<Key>>> {
        let find = |table: &KeysAndAttributes| find_table(&tables, &table.table_name);
        let schemas = self.tables.iter().map(find).collect::<Result<Vec<_>>>()?;
        let mut keys = Vec::with_capacity(self.tables.len());
        for (table, schema) in self.tables.iter().zip(schemas) {
            let own = table.keys.iter().map(|key| schema.key.key_of_request(key));
            keys.push(own.collect::<Result<_>>()?);
            if let Some(projection) = &table.projection {
                projection.check_keys(schema)?;
            }
        }
        Ok(keys)
    }

    /// Reads the items with the keys from [`check`](Self::check) until the response is full. The
    /// rest become unprocessed keys.
    pub fn answer<E>(
        &self,
        keys: &[Vec<Key>],
        read: impl FnMut(&KeysAndAttributes, &Key) -> Result<Option<StoredItem>, E>,
    ) -> Result<BatchGetItemAnswer, E> {
        self.answer_while(keys, read, |_| Ok(true))
    }

    /// Like [`BatchGetItem::answer`], but also stops before the first item for which `has_room`
    /// returns false. It is called with each item after its projection.
    pub fn answer_while<E>(
        &self,
        keys: &[Vec<Key>],
        mut read: impl FnMut(&KeysAndAttributes, &Key) -> Result<Option<StoredItem>, E>,
        mut has_room: impl FnMut(&Attributes) -> Result<bool, E>,
    ) -> Result<BatchGetItemAnswer, E> {
        let mut answer = BatchGetItemAnswer {
            responses: Vec::with_capacity(self.tables.len()),
            unprocessed_keys: Vec::new(),
            capacity: CapacityByTable::new(self.return_consumed_capacity),
        };
        let mut size = 0;
        let mut json = JsonLimit::default();
        for (asked, keys) in self.tables.iter().zip(keys) {
            let mut items = Vec::with_capacity(keys.len());
            let mut processed = 0;
            for key in keys {
                if size >= BATCH_GET_SIZE_MAX || json.is_reached {
                    break;
                }
                let item = read(asked, key)?;
                let item_size = item.as_ref().map_or(0, |item| item.as_item().size());
                size += item_size;
                if size > BATCH_GET_SIZE_MAX {
                    break;
                }
                let item = item.map(|item| match &asked.projection {
                    None => item.into(),
                    Some(projection) => item.project(projection),
                });
                if let Some(item) = &item
                    && !(json.fits(item, &items, &answer) && has_room(item)?)
                {
                    json.is_reached = true;
                    break;
                }
                processed += 1;
                answer.capacity.add(|detail| {
                    let units = read_units(item_size, asked.consistency());
                    ConsumedCapacity::new(asked.table_name.as_str(), detail, units)
                });
                items.extend(item);
            }
            if processed > 0 {
                answer.responses.push((asked.table_name.clone(), items));
            }
            if processed < asked.keys.len() {
                let keys = asked.keys.iter().skip(processed).cloned().collect();
                answer.unprocessed_keys.push(KeysAndAttributes {
                    keys,
                    table_name: asked.table_name.clone(),
                    projection: asked.projection.clone(),
                    consistent_read: asked.consistent_read,
                });
            }
        }
        Ok(answer)
    }
}

/// Limits the JSON of a response.
#[derive(Default)]
struct JsonLimit {
    /// The stored size of the items.
    stored: usize,
    /// The size of their JSON, once it could be too long.
    json: Option<usize>,
    /// Whether the response is full.
    is_reached: bool,
}

impl JsonLimit {
    /// Whether another item fits. The first one always does.
    fn fits(
        &mut self,
        item: &Attributes,
        items: &[Attributes],
        answer: &BatchGetItemAnswer,
    ) -> bool {
        self.stored += item.held_bytes();
        // Typical responses are so small that their JSON is not counted.
        if self.stored <= BATCH_GET_JSON_MAX / JSON_GROWTH_MAX {
            return true;
        }
        let before = self.json.unwrap_or_else(|| {
            let others = answer.responses.iter().flat_map(|(_, items)| items);
            others.chain(items).map(Attributes::json_bytes).sum()
        });
        let json = before + item.json_bytes();
        self.json = Some(json);
        json <= BATCH_GET_JSON_MAX || before == 0
    }
}

/// The items found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchGetItemAnswer {
    /// The items of each table, by its name.
    pub responses: Vec<(String, Vec<Attributes>)>,
    /// The keys that were not read; the client must request them again.
    pub unprocessed_keys: Vec<KeysAndAttributes>,
    /// Consumed capacity.
    pub capacity: CapacityByTable,
}

impl BatchGetItemAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            object.member("Responses", |writer| {
                writer.object(|object| {
                    for (table_name, items) in &self.responses {
                        object.member(table_name, |writer| {
                            writer.array(items, |writer, item| item.write_json(writer));
                        });
                    }
                });
            });
            object.member("UnprocessedKeys", |writer| {
                writer.object(|object| {
                    for table in &self.unprocessed_keys {
                        object.member(&table.table_name, |writer| table.write_json(writer));
                    }
                });
            });
            self.capacity.write_member(object);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use crate::expression::Path;
    use crate::schema::{KeyAttribute, KeySchema, KeyType};

    fn key_of(key: &Map) -> Key {
        let schema = KeySchema::simple(KeyAttribute::new("pk", KeyType::N), None);
        schema.key_of_request(key).unwrap()
    }

    fn read(count: usize, size: usize) -> (BatchGetItemAnswer, usize) {
        let key = |place: usize| Map::from([("pk", Value::from(place as i64))]);
        let mut asked = KeysAndAttributes::new("games", (0..count).map(key).collect());
        asked.projection = Projection::new(vec![Path::attribute("pk").unwrap()]).ok();
        let keys = (0..count).map(|place| key_of(&key(place)));
        let item = Map::from([("pk", Value::from(1)), ("x", Value::from("x".repeat(size)))]);
        let item = StoredItem::from(&item);
        let size = item.as_item().size();
        let answer = BatchGetItem::new(vec![asked])
            .answer(&[keys.collect()], |_, _| Ok::<_, Error>(Some(item.clone())));
        (answer.unwrap(), size)
    }

    #[test]
    fn an_answer_holds_sixteen_megabytes() {
        let (answer, size) = read(100, 400_000);
        let fit = BATCH_GET_SIZE_MAX / size;
        assert_eq!(answer.responses[0].1.len(), fit);
        assert_eq!(answer.unprocessed_keys[0].keys.len(), 100 - fit);
        let (answer, _) = read(100, 1000);
        assert_eq!(answer.unprocessed_keys, []);
    }

    fn json_len(answer: &BatchGetItemAnswer) -> usize {
        let mut writer = Writer::new();
        answer.write_json(&mut writer);
        writer.into_bytes().len()
    }

    /// An item of 200 KB can have 3 MB as JSON.
    #[test]
    fn a_response_ends_at_the_json_limit_and_the_rest_is_unprocessed() {
        let nulls = Map::from([("l", Value::L(vec![Value::Null; 200_000]))]);
        let nulls = StoredItem::from(&nulls);
        let key = |place: usize| Map::from([("pk", Value::from(place as i64))]);
        let tables = ["games", "players"]
            .map(|name| KeysAndAttributes::new(name, (0..20).map(key).collect()));
        let mut request = BatchGetItem::new(tables.into());
        let (mut found, mut answers) = (0, 0);
        while !request.tables.is_empty() {
            let keys: Vec<Vec<Key>> = request
                .tables
                .iter()
                .map(|table| table.keys.iter().map(key_of).collect())
                .collect();
            let answer = request.answer(&keys, |_, _| Ok::<_, Error>(Some(nulls.clone()))).unwrap();
            let items: usize = answer.responses.iter().map(|(_, items)| items.len()).sum();
            assert!(items > 0 && json_len(&answer) <= BATCH_GET_JSON_MAX + 2000);
            found += items;
            answers += 1;
            request.tables = answer.unprocessed_keys;
        }
        // Eleven fit into each.
        assert_eq!((found, answers), (40, 4));
    }

    #[test]
    fn a_response_ends_where_there_is_no_room() {
        let item = StoredItem::from(&Map::from([("pk", Value::from(1))]));
        let keys: Vec<Map> = (0..9).map(|place| Map::from([("pk", Value::from(place))])).collect();
        let request = BatchGetItem::new(vec![KeysAndAttributes::new("games", keys)]);
        let key = |place: i64| key_of(&Map::from([("pk", Value::from(place))]));
        let mut left = 4;
        let answer = request.answer_while(
            &[(0..9).map(key).collect()],
            |_, _| Ok::<_, Error>(Some(item.clone())),
            |_| {
                left -= 1;
                Ok(left >= 0)
            },
        );
        let answer = answer.unwrap();
        assert_eq!(answer.responses[0].1.len(), 4);
        assert_eq!(answer.unprocessed_keys[0].keys.len(), 5);
    }

    #[test]
    fn unprocessed_keys_can_be_requested_again() {
        let (answer, _) = read(50, 400_000);
        let mut writer = Writer::new();
        answer.write_json(&mut writer);
        let text = String::from_utf8(writer.into_bytes()).unwrap();
        let (_, rest) = text.split_once(r#""UnprocessedKeys":"#).unwrap();
        let again = format!(r#"{{"RequestItems":{rest}"#);
        let again = BatchGetItem::from_json(again.as_bytes()).unwrap();
        assert_eq!(again.tables, answer.unprocessed_keys);
    }
}
