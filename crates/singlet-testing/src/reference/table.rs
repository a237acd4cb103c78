//! A table.

use super::cost;
use singlet_dynamo::schema::{Index, IndexProjection, KeyAttribute, KeySchema, TableSchema};
use singlet_dynamo::table::{TableDescription, TableStatus};
use singlet_dynamo::{Error, ErrorKind, Item, Value};
use std::cmp::Ordering;

/// A table: a description without counts, and an unordered list of items.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) description: TableDescription,
    pub(super) items: Vec<Item>,
}

/// An item as seen through a table or an index.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The key attributes of the table and the index.
    pub(super) key: Item,
    /// The attributes that the table or index holds.
    pub(super) held: Item,
    pub(super) item: Item,
}

impl Row {
    pub(super) fn of(table: &Table, index: Option<&Index>, item: &Item) -> Self {
        let table_key = &table.description.key;
        let is_key = |name: &str| {
            table_key.contains(name) || index.is_some_and(|index| index.key.contains(name))
        };
        let is_held = |name: &str| match index.map(|index| &index.projection) {
            None | Some(IndexProjection::All) => true,
            Some(IndexProjection::KeysOnly) => is_key(name),
            Some(IndexProjection::Include(names)) => {
                is_key(name) || names.iter().any(|own| own == name)
            }
        };
        Self { key: only(item, is_key), held: only(item, is_held), item: item.clone() }
    }
}

pub(super) fn only(item: &Item, wanted: impl Fn(&str) -> bool) -> Item {
    let wanted = item.iter().filter(|(name, _)| wanted(name));
    wanted.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// Whether an item is in an index: it has all key attributes of the index, with valid types and
/// sizes. Items older than the index may have invalid ones.
pub(super) fn is_row(index: &Index, item: &Item) -> bool {
    let size = |attribute: &KeyAttribute| {
        let value = item.get(&attribute.name)?;
        let is_key = value.kind() == attribute.kind.into() && value.size() > 0;
        is_key.then(|| value.size())
    };
    let sum = |sizes: &mut dyn Iterator<Item = Option<usize>>| sizes.sum::<Option<usize>>();
    let partition = sum(&mut index.key.partition().map(size));
    let sort = sum(&mut index.key.sort().iter().map(size));
    partition.is_some_and(|size| size <= 2048) && sort.is_some_and(|size| size <= 1024)
}

impl Table {
    pub(super) fn name(&self) -> &str {
        &self.description.name
    }

    pub(super) fn schema(&self) -> TableSchema {
        self.description.schema()
    }

    /// The item with the same key as these attributes.
    pub(super) fn find(&self, attributes: &Item) -> Option<&Item> {
        let key = self.key_of(attributes);
        self.items.iter().find(|item| self.key_of(item) == key)
    }

    /// Replaces or removes the item with this key.
    pub(super) fn replace(&mut self, attributes: &Item, new: Option<Item>) {
        let key = self.key_of(attributes);
        let schema = self.description.key.clone();
        self.items.retain(|item| only(item, |name| schema.contains(name)) != key);
        self.items.extend(new);
    }

    /// The key attributes among others.
    pub(super) fn key_of(&self, attributes: &Item) -> Item {
        only(attributes, |name| self.description.key.contains(name))
    }

    /// All rows of the table or an index, unordered.
    pub(super) fn rows(&self, index: Option<&Index>) -> Vec<Row> {
        self.items
            .iter()
            .filter(|item| index.is_none_or(|index| is_row(index, item)))
            .map(|item| Row::of(self, index, item))
            .collect()
    }

    /// An index by name; an error if it cannot be read.
    pub(super) fn readable_index(&self, name: Option<&str>) -> Result<Option<&Index>, Error> {
        let Some(described) = name.and_then(|name| self.description.index(name)) else {
            return Ok(None);
        };
        let name = &described.index.name;
        match described.status {
            TableStatus::Creating => Err(Error::validation(format!(
                "Cannot read from backfilling global secondary index: {name}"
            ))),
            TableStatus::Deleting => Err(Error::validation(format!(
                "The table does not have the specified index: {name}"
            ))),
            _ => Ok(Some(&described.index)),
        }
    }

    /// The description with counts.
    pub(super) fn described(&self) -> TableDescription {
        let mut description = self.description.clone();
        description.item_count = self.items.len() as u64;
        description.size_bytes = self.items.iter().map(|item| cost::size(item) as u64).sum();
        for described in &mut description.indexes {
            // Indexes that are being created or deleted have no counts.
            if described.status == TableStatus::Active {
                let rows = self.rows(Some(&described.index));
                described.item_count = rows.len() as u64;
                described.size_bytes = rows.iter().map(|row| cost::size(&row.held) as u64).sum();
            }
        }
        description
    }
}

impl super::Reference {
    /// A table by name, in any state.
    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name() == name)
    }

    /// A table by name that is usable for item operations.
    pub(super) fn usable(&self, name: &str) -> Result<&Table, Error> {
        let can_be_used = |table: &&Table| {
            !matches!(table.description.status, TableStatus::Creating | TableStatus::Deleting)
        };
        let table = self.table(name).filter(can_be_used);
        table.ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))
    }

    /// The schemas of all tables that are usable for item operations.
    pub(super) fn usable_schemas(&self) -> Vec<TableSchema> {
        let usable = self.tables.iter().filter(|table| self.usable(table.name()).is_ok());
        usable.map(Table::schema).collect()
    }

    pub(super) fn table_mut(&mut self, name: &str) -> &mut Table {
        let found = self.tables.iter_mut().find(|table| table.name() == name);
        found.expect("the table was found before")
    }
}

/// Key order: strings and binary by bytes, numbers by value.
pub(super) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::S(a), Value::S(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::N(a), Value::N(b)) => a.cmp(b),
        (Value::B(a), Value::B(b)) => a.cmp(b),
        _ => panic!("{a:?} and {b:?} cannot be keys of one schema"),
    }
}

/// Row order within a partition: by sort key, then in an index by the table's key. The order of
/// rows with equal keys is the engine's choice, but must be consistent.
pub(super) fn order_in_partition(
    table_key: &KeySchema,
    index: Option<&Index>,
    a: &Item,
    b: &Item,
) -> Ordering {
    let mut attributes: Vec<&KeyAttribute> = Vec::new();
    match index {
        None => attributes.extend(table_key.sort()),
        Some(index) => attributes.extend(index.key.sort().iter().chain(table_key.attributes())),
    }
    let by = |attribute: &KeyAttribute| {
        let value = |item: &Item| item.get(&attribute.name).cloned().expect("a key's attribute");
        order(&value(a), &value(b))
    };
    attributes.into_iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
