//! A page of Query or Scan: filters rows and decides where the page ends.

use super::read::Selection;
use crate::Item;
use crate::capacity::{Consistency, ConsumedCapacity, ReturnConsumedCapacity, read_units};
use crate::expression::{Condition, Evaluator};
use crate::fuel::{Fuel, OutOfFuel};
use crate::json::Writer;
use crate::limits::PAGE_SIZE_MAX;
use crate::schema::{Index, KeyAttribute, TableSchema};
use crate::stored::{Attributes, StoredItem};

/// The charge for each row of a page in addition to its bytes: finding and keeping it.
const ROW_FUEL: usize = 200;

/// A page under construction, row by row in storage order.
///
/// Pass rows to [`Page::add`] until [`Page::is_full`], then call [`Page::finish`]. Rows count
/// against the limit and the page size before the filter, so a page may be empty without being the
/// last one.
///
/// ```
/// use singlet_dynamo::operation::Scan;
/// use singlet_dynamo::schema::{KeyAttribute, KeySchema, KeyType, TableSchema};
/// use singlet_dynamo::stored::StoredItem;
/// use singlet_dynamo::{Item, Value};
///
/// let schema = TableSchema {
///     name: "games".into(),
///     key: KeySchema::simple(KeyAttribute::new("id", KeyType::N), None),
///     indexes: vec![],
/// };
/// let mut scan = Scan::new("games");
/// scan.limit = Some(2);
/// let mut page = scan.page();
/// let rows = (1..=3).map(|id| StoredItem::from(&Item::from([("id", Value::from(id))])));
/// for row in rows {
///     if page.is_full() {
///         break;
///     }
///     page.add(&row, None);
/// }
/// let answer = page.finish(&schema, None);
/// assert_eq!(answer.count, 2);
/// assert_eq!(answer.last_evaluated_key, Some(Item::from([("id", Value::from(2))])));
/// ```
pub struct Page<'r> {
    /// The table's name or ARN in the request.
    pub(super) table_name: &'r str,
    pub(super) filter: Option<Evaluator<'r>>,
    pub(super) selection: &'r Selection,
    pub(super) limit: Option<usize>,
    pub(super) consistency: Consistency,
    pub(super) detail: ReturnConsumedCapacity,
    /// Whether an empty page is charged the minimum of a read. True for a query; a scan that reads
    /// nothing is free.
    pub(super) costs_if_empty: bool,
    items: Vec<Attributes>,
    count: usize,
    scanned_count: usize,
    /// The size of the rows so far.
    size: usize,
    /// The cost of items fetched from the table for index rows.
    fetch_units: f64,
    last: Option<StoredItem>,
}

impl<'r> Page<'r> {
    pub(super) fn new(
        table_name: &'r str,
        filter: Option<&'r Condition>,
        selection: &'r Selection,
        limit: Option<usize>,
        consistency: Consistency,
        detail: ReturnConsumedCapacity,
        costs_if_empty: bool,
    ) -> Self {
        Self {
            table_name,
            filter: filter.map(Condition::evaluator),
            selection,
            limit,
            consistency,
            detail,
            costs_if_empty,
            items: Vec::new(),
            count: 0,
            scanned_count: 0,
            size: 0,
            fetch_units: 0.0,
            last: None,
        }
    }

    /// Whether the page is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.size >= PAGE_SIZE_MAX || self.limit.is_some_and(|limit| self.scanned_count >= limit)
    }

    /// Adds the next row. `item` is the whole item, if the plan says that index rows must be
    /// completed from the table.
    pub fn add(&mut self, row: &StoredItem, item: Option<&StoredItem>) {
        // Unlimited fuel never runs out.
        let _ = self.add_within(row, item, &mut Fuel::unlimited());
    }

    /// Like [`Page::add`], charging the work.
    ///
    /// # Errors
    ///
    /// The fuel ran out. The page must not be used any more.
    pub fn add_within(
        &mut self,
        row: &StoredItem,
        item: Option<&StoredItem>,
        fuel: &mut Fuel<'_>,
    ) -> Result<(), OutOfFuel> {
        let view = row.as_item();
        fuel.spend(ROW_FUEL + row.measuring_fuel())?;
        self.scanned_count += 1;
        self.size += view.size();
        self.last = Some(row.clone());
        let (whole, view) = match item {
            None => (row, view),
            Some(item) => {
                let view = item.as_item();
                fuel.spend(item.measuring_fuel())?;
                self.fetch_units += read_units(view.size(), self.consistency);
                (item, view)
            }
        };
        if let Some(filter) = &mut self.filter
            && !filter.matches(Some(view), fuel)?
        {
            return Ok(());
        }
        self.count += 1;
        match self.selection {
            Selection::Count => {}
            Selection::Held | Selection::All => self.items.push(whole.clone().into()),
            Selection::Parts(projection) => {
                fuel.spend(whole.projecting_fuel(projection))?;
                self.items.push(whole.project(projection));
            }
        }
        Ok(())
    }

    /// The response, given the table and index that were read.
    #[must_use]
    pub fn finish(self, schema: &TableSchema, index: Option<&Index>) -> PageAnswer {
        let last_evaluated_key =
            self.last.as_ref().filter(|_| self.is_full()).map(|row| key_of_row(row, schema, index));
        let consumed_capacity = (self.detail != ReturnConsumedCapacity::None).then(|| {
            let units = match self.scanned_count {
                0 if !self.costs_if_empty => 0.0,
                _ => read_units(self.size, self.consistency),
            };
            let cost = |units| ConsumedCapacity::new(self.table_name, self.detail, units);
            match index {
                None => cost(units),
                Some(index) => {
                    let mut consumed = cost(self.fetch_units);
                    consumed.add_index(&index.name, index.scope, units);
                    consumed
                }
            }
        });
        PageAnswer {
            items: (*self.selection != Selection::Count).then_some(self.items),
            count: self.count,
            scanned_count: self.scanned_count,
            last_evaluated_key,
            consumed_capacity,
        }
    }
}

/// The start key of the next page: the table's key, and the index's.
fn key_of_row(row: &StoredItem, schema: &TableSchema, index: Option<&Index>) -> Item {
    let row = row.as_item();
    let value = |KeyAttribute { name, .. }: &KeyAttribute| {
        row.get(name).map(|value| (name.clone(), value.to_value()))
    };
    let of_index = index.into_iter().flat_map(|index| index.key.attributes());
    schema.key.attributes().chain(of_index).filter_map(value).collect()
}

/// The response of Query and Scan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageAnswer {
    /// The items after the projection; `None` for `COUNT`.
    pub items: Option<Vec<Attributes>>,
    /// The number of items that passed the filter.
    pub count: usize,
    /// The number of items read.
    pub scanned_count: usize,
    /// Where the next page begins; `None` on the last page.
    pub last_evaluated_key: Option<Item>,
    /// Consumed capacity, if requested.
    pub consumed_capacity: Option<ConsumedCapacity>,
}

impl PageAnswer {
    /// Writes the response body.
    pub fn write_json(&self, writer: &mut Writer) {
        writer.object(|object| {
            if let Some(consumed) = &self.consumed_capacity {
                object.member("ConsumedCapacity", |writer| consumed.write_json(writer));
            }
            object.member("Count", |writer| writer.integer(self.count as i128));
            if let Some(items) = &self.items {
                object.member("Items", |writer| {
                    writer.array(items, |writer, item| item.write_json(writer));
                });
            }
            if let Some(key) = &self.last_evaluated_key {
                object.member("LastEvaluatedKey", |writer| key.write_json(writer));
            }
            object.member("ScannedCount", |writer| writer.integer(self.scanned_count as i128));
        });
    }
}
