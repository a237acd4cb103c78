//! The catalogue's rows: one for each table, its counts, and each stream.
//!
//! ```text
//! t name    → the table
//! c number  → how many items the table or index of this number has, and how many bytes
//! s number  → the stream
//! n         → the next number
//! ```

use super::{Catalogue, Counts, IndexSpace, Table};
use crate::layout::SpaceId;
use crate::stream::Stream;
use singlet_dynamo::arn::StreamArn;
use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType};
use singlet_dynamo::table::{StreamViewType, TableDescription};
use singlet_dynamo::{Item, Map, Number, Timestamp, Type, Value, binary};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Key and value of a row in the catalogue's keyspace.
pub(crate) type Row = (Vec<u8>, Vec<u8>);

impl Catalogue {
    pub(crate) fn next_row(&self) -> Row {
        (b"n".to_vec(), self.next_space.to_be_bytes().to_vec())
    }

    /// Decodes stored rows. `None` if they are malformed.
    pub(crate) fn from_rows(rows: impl IntoIterator<Item = Row>) -> Option<Self> {
        let mut catalogue = Self::default();
        let mut counts: BTreeMap<u32, Counts> = BTreeMap::new();
        for (key, value) in rows {
            match key.split_first()? {
                (b'n', _) => catalogue.next_space = u32::from_be_bytes(value.try_into().ok()?),
                // Counts come before tables, since `c` sorts before `t`.
                (b'c', id) => {
                    let (items, bytes) = value.split_first_chunk::<8>()?;
                    let bytes = i64::from_be_bytes(bytes.try_into().ok()?);
                    let id = u32::from_be_bytes(id.try_into().ok()?);
                    counts.insert(id, Counts::new(i64::from_be_bytes(*items), bytes));
                }
                (b's', _) => catalogue.insert_stream(Stream::from_bytes(&value)?),
                (b't', _) => {
                    let mut table = Table::from_bytes(&value)?;
                    let mut counts_of =
                        |id: SpaceId| Arc::new(counts.remove(&id.0).unwrap_or_default());
                    table.counts = counts_of(table.id);
                    for space in &mut table.index_spaces {
                        space.counts = counts_of(space.id);
                    }
                    catalogue.insert(table);
                }
                _ => return None,
            }
        }
        Some(catalogue)
    }
}

fn id_value(id: SpaceId) -> Value {
    Value::N(Number::from(id.0))
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::N(number) => number.to_i64(),
        _ => None,
    }
}

fn id_of(value: &Value) -> Option<SpaceId> {
    number(value)?.try_into().ok().map(SpaceId)
}

fn text(row: &Map, name: &str) -> Option<String> {
    match row.get(name)? {
        Value::S(text) => Some(text.clone()),
        _ => None,
    }
}

pub(crate) fn counts_key(id: SpaceId) -> Vec<u8> {
    [b"c".as_slice(), &id.0.to_be_bytes()].concat()
}

pub(crate) fn counts_value(items: i64, bytes: i64) -> Vec<u8> {
    [items.to_be_bytes(), bytes.to_be_bytes()].concat()
}

impl Counts {
    /// The row's value after adding these amounts.
    pub(crate) fn value_after(&self, items: i64, bytes: i64) -> Vec<u8> {
        let sum = |count: u64, change: i64| {
            i64::try_from(count).unwrap_or(i64::MAX).saturating_add(change)
        };
        counts_value(sum(self.items(), items), sum(self.bytes(), bytes))
    }
}

impl Table {
    pub(crate) fn row_key(&self) -> Vec<u8> {
        [b"t", self.name.as_bytes()].concat()
    }

    pub(crate) fn row(&self) -> Row {
        let indexes = self.index_spaces.iter().map(|space| id_value(space.id)).collect();
        let mut row = Item::from([
            ("id", id_value(self.id)),
            ("indexes", Value::L(indexes)),
            ("description", Value::M(self.description.to_item())),
            ("mustFillExpiry", Value::Bool(self.must_fill_expiry)),
        ]);
        if let Some(stream) = self.stream_id {
            row.insert("stream", id_value(stream));
        }
        (self.row_key(), binary::encode(&row))
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let row = binary::ItemRef::new(bytes).ok()?.to_item();
        let Some(Value::M(description)) = row.get("description") else { return None };
        let Some(Value::L(indexes)) = row.get("indexes") else { return None };
        let description = TableDescription::from_item(description)?;
        let table = Self {
            id: id_of(row.get("id")?)?,
            name: description.name.as_str().into(),
            description_bytes: description.to_item().size(),
            schema: description.schema(),
            index_spaces: indexes
                .iter()
                .map(|id| id_of(id).map(IndexSpace::new))
                .collect::<Option<_>>()?,
            stream_id: row.get("stream").and_then(id_of),
            must_fill_expiry: row.get("mustFillExpiry") == Some(&Value::Bool(true)),
            description,
            counts: Arc::default(),
        };
        (table.index_spaces.len() == table.schema.indexes.len()).then_some(table)
    }
}

impl Stream {
    pub(crate) fn row_key(&self) -> Vec<u8> {
        [b"s".as_slice(), &self.id.0.to_be_bytes()].concat()
    }

    pub(crate) fn row(&self) -> Row {
        let integer = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
        let attribute = |attribute: &KeyAttribute| {
            Value::L(vec![
                Value::from(attribute.name.as_str()),
                Value::from(Type::from(attribute.kind).as_str()),
            ])
        };
        let mut row = Item::from([
            ("id", id_value(self.id)),
            ("arn", Value::from(self.arn.as_str())),
            ("viewType", Value::from(self.view_type.as_str())),
            ("createdAt", Value::from(self.created_at.as_millis())),
            ("key", Value::L(self.key.attributes().map(attribute).collect())),
            ("firstSequence", integer(self.first_sequence)),
            ("oldestSequence", integer(self.oldest_sequence)),
        ]);
        if let Some((ended_at, end)) = self.end {
            row.insert("endedAt", Value::from(ended_at.as_millis()));
            row.insert("endSequence", integer(end));
        }
        (self.row_key(), binary::encode(&row))
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let row = binary::ItemRef::new(bytes).ok()?.to_item();
        let integer = |name: &str| row.get(name).and_then(number);
        let moment = |name: &str| integer(name).map(Timestamp::from_millis);
        let attribute = |value: &Value| match value {
            Value::L(parts) => match parts.as_slice() {
                [Value::S(name), Value::S(kind)] => {
                    Some(KeyAttribute::new(name.as_str(), KeyType::from_name(kind)?))
                }
                _ => None,
            },
            _ => None,
        };
        let Some(Value::L(key)) = row.get("key") else { return None };
        let (partition, sort) = key.split_first()?;
        let sort = match sort {
            [] => None,
            [sort] => Some(attribute(sort)?),
            _ => return None,
        };
        Some(Self {
            id: id_of(row.get("id")?)?,
            arn: StreamArn::parse(text(&row, "arn")?).ok()?,
            view_type: StreamViewType::from_name(&text(&row, "viewType")?)?,
            created_at: moment("createdAt")?,
            key: KeySchema::simple(attribute(partition)?, sort),
            first_sequence: integer("firstSequence")?.try_into().ok()?,
            oldest_sequence: integer("oldestSequence")?.try_into().ok()?,
            end: match (moment("endedAt"), integer("endSequence")) {
                (Some(at), Some(end)) => Some((at, end.try_into().ok()?)),
                _ => None,
            },
        })
    }
}
