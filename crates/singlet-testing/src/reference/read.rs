//! Reading items.

use super::Reference;
use super::cost;
use super::table::{Row, Table, order, order_in_partition};
use crate::naive::{self, Claim};
use singlet_dynamo::capacity::{CapacityByTable, ConsumedCapacity, ReturnConsumedCapacity};
use singlet_dynamo::expression::{Comparator, Condition, KeyTest, Projection};
use singlet_dynamo::operation::{
    BatchGetItem, BatchGetItemAnswer, GetItem, GetItemAnswer, PageAnswer, Query, Scan, Selection,
    TransactGetItems, TransactGetItemsAnswer,
};
use singlet_dynamo::schema::{Index, IndexProjection, Scope};
use singlet_dynamo::stored::{Attributes, StoredItem};
use singlet_dynamo::{Error, Item, Value};

/// A page ends with the row that brings it to 1 MB.
const PAGE_SIZE: usize = 1024 * 1024;

impl Reference {
    pub(super) fn get_item(&self, request: &GetItem) -> Result<GetItemAnswer, Error> {
        let table = self.usable(&request.table_name)?;
        request.check(&table.schema())?;
        let found = table.find(&request.key);
        let units = cost::read_units(found.map_or(0, cost::size), request.consistent_read);
        let detail = request.return_consumed_capacity;
        Ok(GetItemAnswer {
            item: found.map(|item| projected(request.projection.as_ref(), item).into()),
            consumed_capacity: told(detail, || ConsumedCapacity::new(table.name(), detail, units)),
        })
    }

    pub(super) fn batch_get_item(
        &self,
        request: &BatchGetItem,
    ) -> Result<BatchGetItemAnswer, Error> {
        let schemas = self.usable_schemas();
        let keys = request.check(|name| schemas.iter().find(|schema| schema.name == name))?;
        // `singlet_dynamo` builds the answer from the items found.
        request.clone().answer(&keys, |asked, key| {
            let table = self.usable(&asked.table_name)?;
            let wanted = table.description.key.attributes_of(key).expect("a key of the table");
            Ok(table.find(&wanted).map(StoredItem::from))
        })
    }

    pub(super) fn transact_get_items(
        &self,
        request: &TransactGetItems,
    ) -> Result<TransactGetItemsAnswer, Error> {
        let schemas = self.usable_schemas();
        request.check(|name| schemas.iter().find(|schema| schema.name == name))?;
        let mut capacity = CapacityByTable::new(request.return_consumed_capacity);
        let mut responses = Vec::new();
        for get in &request.gets {
            let found = self.usable(&get.table_name)?.find(&get.key);
            capacity.add(|detail| cost::of_transact_read(&get.table_name, detail, found));
            let item = found.map(|item| projected(get.projection.as_ref(), item).into());
            responses.push(item);
        }
        let size: usize =
            responses.iter().flatten().map(|item: &Attributes| cost::size(&item.to_item())).sum();
        if size > 4 * PAGE_SIZE {
            return Err(Error::validation(format!("Payload in response is too large.{size}")));
        }
        Ok(TransactGetItemsAnswer { responses, capacity })
    }

    pub(super) fn query(&self, request: &Query) -> Result<PageAnswer, Error> {
        let table = self.usable(&request.table_name)?;
        request.check(&table.schema())?;
        let index = table.readable_index(request.index_name.as_deref())?;
        let is_asked_for = |row: &Row| {
            request
                .key_condition
                .tests()
                .iter()
                .all(|(name, test)| row.key.get(name).is_some_and(|value| passes(value, test)))
        };
        let mut rows: Vec<Row> = table.rows(index).into_iter().filter(is_asked_for).collect();
        let order = |a: &Item, b: &Item| {
            let order = order_in_partition(&table.description.key, index, a, b);
            if request.scan_index_forward { order } else { order.reverse() }
        };
        rows.sort_by(|a, b| order(&a.key, &b.key));
        if let Some(start) = &request.exclusive_start_key {
            rows.retain(|row| order(&row.key, start).is_gt());
        }
        let page = PageRequest {
            filter: request.filter.as_ref(),
            selection: &request.selection,
            limit: request.limit,
            is_consistent: request.consistent_read,
            detail: request.return_consumed_capacity,
            costs_if_empty: true,
        };
        Ok(page.answer(table, index, rows))
    }

    pub(super) fn scan(&self, request: &Scan) -> Result<PageAnswer, Error> {
        let table = self.usable(&request.table_name)?;
        request.check(&table.schema())?;
        let index = table.readable_index(request.index_name.as_deref())?;
        let mut rows = table.rows(index);
        match &self.scan_order {
            Some(keys) => {
                let place = |row: &Row| keys.iter().position(|key| *key == row.key);
                rows.retain(|row| place(row).is_some());
                rows.sort_by_key(place);
            }
            None => rows.sort_by_cached_key(|row| row.key.to_json()),
        }
        let start = request.exclusive_start_key.as_ref();
        if let Some(at) = start.and_then(|start| rows.iter().position(|row| row.key == *start)) {
            rows.drain(..=at);
        }
        let page = PageRequest {
            filter: request.filter.as_ref(),
            selection: &request.selection,
            limit: request.limit,
            is_consistent: request.consistent_read,
            detail: request.return_consumed_capacity,
            costs_if_empty: false,
        };
        Ok(page.answer(table, index, rows))
    }

    /// A row's key as in `LastEvaluatedKey`, from the attributes that the row holds.
    #[must_use]
    pub fn row_key(&self, table_name: &str, index_name: Option<&str>, held: &Item) -> Item {
        let Ok(table) = self.usable(table_name) else { return Item::new() };
        let Ok(index) = table.readable_index(index_name) else { return Item::new() };
        Row::of(table, index, held).key
    }

    /// Checks the order in which a Scan reads rows, segment by segment: every row exactly once, and
    /// the rows of a partition together and in order.
    pub fn check_scan_order(
        &self,
        table_name: &str,
        index_name: Option<&str>,
        segments: &[Vec<Item>],
    ) -> Result<(), String> {
        let Ok(table) = self.usable(table_name) else { return Ok(()) };
        let Ok(index) = table.readable_index(index_name) else { return Ok(()) };
        let sorted = |keys: &mut dyn Iterator<Item = Item>| {
            let mut keys: Vec<Item> = keys.collect();
            keys.sort_by_cached_key(Item::to_json);
            keys
        };
        let read = sorted(&mut segments.iter().flatten().cloned());
        let expected = sorted(&mut table.rows(index).into_iter().map(|row| row.key));
        if read != expected {
            return Err(format!("it reads {read:?}\nbut there are {expected:?}"));
        }
        let table_key = &table.description.key;
        let key = index.map_or(table_key, |index| &index.key);
        let partition = |row: &Item| {
            let values = key.partition().map(|attribute| row.get(&attribute.name).cloned());
            values.collect::<Vec<_>>()
        };
        let mut done = Vec::new();
        for rows in
            segments.iter().flat_map(|rows| rows.chunk_by(|a, b| partition(a) == partition(b)))
        {
            let is_sorted =
                rows.is_sorted_by(|a, b| order_in_partition(table_key, index, a, b).is_le());
            if done.contains(&partition(&rows[0])) || !is_sorted {
                return Err(format!("it reads a partition's rows out of order: {segments:?}"));
            }
            done.push(partition(&rows[0]));
        }
        Ok(())
    }
}

/// A value that is returned only on request.
fn told<T>(detail: ReturnConsumedCapacity, make: impl FnOnce() -> T) -> Option<T> {
    (detail != ReturnConsumedCapacity::None).then(make)
}

fn projected(projection: Option<&Projection>, item: &Item) -> Item {
    match projection {
        None => item.clone(),
        Some(projection) => naive::project(projection.paths(), item),
    }
}

/// Whether a key value satisfies a key condition.
fn passes(value: &Value, test: &KeyTest) -> bool {
    match test {
        KeyTest::Compare(comparator, other) => {
            let order = order(value, other);
            match comparator {
                Comparator::Equal => order.is_eq(),
                Comparator::NotEqual => order.is_ne(),
                Comparator::Less => order.is_lt(),
                Comparator::LessOrEqual => order.is_le(),
                Comparator::Greater => order.is_gt(),
                Comparator::GreaterOrEqual => order.is_ge(),
            }
        }
        KeyTest::Between(lower, upper) => {
            order(value, lower).is_ge() && order(value, upper).is_le()
        }
        KeyTest::BeginsWith(prefix) => match (value, prefix) {
            (Value::S(text), Value::S(prefix)) => text.starts_with(prefix.as_str()),
            (Value::B(bytes), Value::B(prefix)) => bytes.starts_with(prefix),
            // `begins_with` excludes no number from a key range.
            _ => true,
        },
    }
}

/// The common part of Query and Scan.
struct PageRequest<'r> {
    filter: Option<&'r Condition>,
    selection: &'r Selection,
    limit: Option<usize>,
    is_consistent: bool,
    detail: ReturnConsumedCapacity,
    /// Whether an empty page costs the minimum of a read.
    costs_if_empty: bool,
}

impl PageRequest<'_> {
    /// The page, given all remaining rows.
    fn answer(&self, table: &Table, index: Option<&Index>, rows: Vec<Row>) -> PageAnswer {
        let mut size = 0;
        let mut read: Vec<Row> = Vec::new();
        let mut is_full = false;
        for row in rows {
            size += cost::size(&row.held);
            read.push(row);
            is_full = self.limit == Some(read.len()) || size >= PAGE_SIZE;
            if is_full {
                break;
            }
        }
        let completes = index.is_some_and(|index| self.completes_rows(table, index));
        let fetched: f64 = match completes {
            true => read
                .iter()
                .map(|row| cost::read_units(cost::size(&row.item), self.is_consistent))
                .sum(),
            false => 0.0,
        };
        let units = match read.is_empty() && !self.costs_if_empty {
            true => 0.0,
            false => cost::read_units(size, self.is_consistent),
        };
        let seen = |row: &Row| if completes { row.item.clone() } else { row.held.clone() };
        let passed: Vec<Item> = read
            .iter()
            .map(seen)
            .filter(|item| self.filter.is_none_or(|filter| Claim::of(filter).holds(item)))
            .collect();
        PageAnswer {
            count: passed.len(),
            scanned_count: read.len(),
            items: match self.selection {
                Selection::Count => None,
                Selection::Held | Selection::All => {
                    Some(passed.into_iter().map(Attributes::Selected).collect())
                }
                Selection::Parts(projection) => {
                    let parts = |item: &Item| projected(Some(projection), item).into();
                    Some(passed.iter().map(parts).collect())
                }
            },
            last_evaluated_key: read.last().filter(|_| is_full).map(|row| row.key.clone()),
            consumed_capacity: told(self.detail, || match index {
                None => ConsumedCapacity::new(table.name(), self.detail, units),
                Some(index) => {
                    let mut consumed = ConsumedCapacity::new(table.name(), self.detail, fetched);
                    consumed.add_index(&index.name, index.scope, units);
                    consumed
                }
            }),
        }
    }

    /// Whether the request needs attributes that the index does not project.
    fn completes_rows(&self, table: &Table, index: &Index) -> bool {
        let is_held = |name: &str| {
            table.description.key.contains(name)
                || index.key.contains(name)
                || match &index.projection {
                    IndexProjection::All => true,
                    IndexProjection::KeysOnly => false,
                    IndexProjection::Include(names) => names.iter().any(|own| own == name),
                }
        };
        index.scope == Scope::Local
            && match self.selection {
                Selection::Held | Selection::Count => false,
                Selection::All => index.projection != IndexProjection::All,
                Selection::Parts(projection) => {
                    projection.paths().iter().any(|path| !is_held(path.name()))
                }
            }
    }
}
