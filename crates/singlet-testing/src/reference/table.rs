//! A table: a description and a list of items.

use super::cost;
use singlet_dynamo::schema::{Index, IndexProjection, KeyAttribute, KeySchema, TableSchema};
use singlet_dynamo::table::{TableDescription, TableStatus};
use singlet_dynamo::{Error, ErrorKind, Item, Value};
use std::cmp::Ordering;

/// A table: a description without counts, and a list of items in no particular order.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) description: TableDescription,
    pub(super) items: Vec<Item>,
}

/// What an item looks like in a table or an index.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The attributes that are keys of the table or of the index.
    pub(super) key: Item,
    /// What the table or the index holds of the item.
    pub(super) held: Item,
    /// The item.
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

/// The attributes whose names are wanted.
pub(super) fn only(item: &Item, wanted: impl Fn(&str) -> bool) -> Item {
    let wanted = item.iter().filter(|(name, _)| wanted(name));
    wanted.map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// Whether an item is in an index: it has all attributes of the index's key, each of them such
/// that it can be one. Items that were there before the index may have others.
pub(super) fn is_row(index: &Index, item: &Item) -> bool {
    let fits = |attribute: &KeyAttribute, len_max: usize| match item.get(&attribute.name) {
        None => false,
        Some(value) if value.kind() != attribute.kind.into() => false,
        Some(Value::S(text)) => (1..=len_max).contains(&text.len()),
        Some(Value::B(bytes)) => (1..=len_max).contains(&bytes.len()),
        Some(_) => true,
    };
    fits(&index.key.partition, 2048) && index.key.sort.as_ref().is_none_or(|sort| fits(sort, 1024))
}

impl Table {
    pub(super) fn name(&self) -> &str {
        &self.description.name
    }

    pub(super) fn schema(&self) -> TableSchema {
        self.description.schema()
    }

    /// The item with the key that these attributes have.
    pub(super) fn find(&self, attributes: &Item) -> Option<&Item> {
        let key = self.key_of(attributes);
        self.items.iter().find(|item| self.key_of(item) == key)
    }

    /// Puts an item in the place of the one with this key, or takes that away.
    pub(super) fn replace(&mut self, attributes: &Item, new: Option<Item>) {
        let key = self.key_of(attributes);
        let schema = self.description.key.clone();
        self.items.retain(|item| only(item, |name| schema.contains(name)) != key);
        self.items.extend(new);
    }

    /// The key among other attributes.
    pub(super) fn key_of(&self, attributes: &Item) -> Item {
        only(attributes, |name| self.description.key.contains(name))
    }

    /// All rows of the table or of an index, in no particular order.
    pub(super) fn rows(&self, index: Option<&Index>) -> Vec<Row> {
        self.items
            .iter()
            .filter(|item| index.is_none_or(|index| is_row(index, item)))
            .map(|item| Row::of(self, index, item))
            .collect()
    }

    /// The index of this name, if there is one and it can be read.
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

    /// The description, with everything counted.
    pub(super) fn described(&self) -> TableDescription {
        let mut description = self.description.clone();
        description.item_count = self.items.len() as u64;
        description.size_bytes = self.items.iter().map(|item| cost::size(item) as u64).sum();
        for described in &mut description.indexes {
            // Of an index that comes or goes nothing is counted.
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
    /// The table of this name, whatever its state.
    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name() == name)
    }

    /// The table of this name, for operations on items.
    pub(super) fn usable(&self, name: &str) -> Result<&Table, Error> {
        let can_be_used = |table: &&Table| {
            !matches!(table.description.status, TableStatus::Creating | TableStatus::Deleting)
        };
        let table = self.table(name).filter(can_be_used);
        table.ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))
    }

    /// The schemas of all tables that operations on items can use.
    pub(super) fn usable_schemas(&self) -> Vec<TableSchema> {
        let usable = self.tables.iter().filter(|table| self.usable(table.name()).is_ok());
        usable.map(Table::schema).collect()
    }

    pub(super) fn table_mut(&mut self, name: &str) -> &mut Table {
        let found = self.tables.iter_mut().find(|table| table.name() == name);
        found.expect("the table was found before")
    }
}

/// The order of keys: texts and bytes by their bytes, numbers by value.
pub(super) fn order(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::S(a), Value::S(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::N(a), Value::N(b)) => a.cmp(b),
        (Value::B(a), Value::B(b)) => a.cmp(b),
        _ => panic!("{a:?} and {b:?} cannot be keys of one schema"),
    }
}

/// The order of rows of one partition: by the sort key, and in an index then by the table's key.
/// In which order rows with equal keys come is the engine's own choice, but it has to be one.
pub(super) fn order_in_partition(
    table_key: &KeySchema,
    index: Option<&Index>,
    a: &Item,
    b: &Item,
) -> Ordering {
    let mut attributes: Vec<&KeyAttribute> = Vec::new();
    match index {
        None => attributes.extend(&table_key.sort),
        Some(index) => attributes.extend(index.key.sort.iter().chain(table_key.attributes())),
    }
    let by = |attribute: &KeyAttribute| {
        let value = |item: &Item| item.get(&attribute.name).cloned().expect("a key's attribute");
        order(&value(a), &value(b))
    };
    attributes.into_iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
