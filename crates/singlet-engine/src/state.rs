//! What readers see: the tables and the rows of one moment.

use crate::catalogue::{Catalogue, Table};
use crate::error::{Error, Result, Unfinished};
use crate::layout::{self, SpaceId};
use crate::store::{self, Direction, Keyspace, Snapshot};
use arc_swap::Guard;
use singlet_dynamo as dynamo;
use singlet_dynamo::fuel::Fuel;
use singlet_dynamo::operation::{Page, PageAnswer, StartKey};
use singlet_dynamo::schema::{Index, IndexProjection, KeySchema, TableSchema};
use singlet_dynamo::stored::StoredItem;
use singlet_dynamo::table::TableStatus;
use std::ops::Bound;
use std::sync::Arc;

/// What finding the item of an index row is charged, and making what the index holds of it,
/// besides its bytes.
const INDEX_ROW_FUEL: usize = 1000;

/// The tables and the rows of one moment. Readers hold one and wait for nobody.
pub(crate) struct State {
    pub(crate) catalogue: Guard<Arc<Catalogue>>,
    pub(crate) snapshot: Snapshot,
}

/// Rows from one place on and before another.
pub(crate) struct RowRange {
    pub(crate) lower: Bound<Vec<u8>>,
    /// The first key past the range; `None` if nothing is.
    pub(crate) upper: Option<Vec<u8>>,
}

/// What Query and Scan read: a table, or one of its indexes.
pub(crate) struct Source<'t> {
    pub(crate) table: &'t Table,
    pub(crate) index: Option<(SpaceId, &'t Index)>,
    /// Whether the rows of the index must be completed from the table.
    pub(crate) completes_rows: bool,
}

impl<'t> Source<'t> {
    /// The table, or its index of this name, which the schema has.
    pub(crate) fn new(table: &'t Table, index: Option<&Index>, completes_rows: bool) -> Self {
        let index = index.and_then(|index| table.index(&index.name));
        let index = index.map(|(space, index)| (space.id, index));
        Self { table, index, completes_rows }
    }

    /// Refuses an index that does not hold all of its rows yet.
    pub(crate) fn check_readable(&self) -> Result<()> {
        let Some((_, index)) = self.index else { return Ok(()) };
        let status = self.table.description.index(&index.name).map(|described| described.status);
        match status {
            Some(TableStatus::Creating) => Err(Error::Refused(dynamo::Error::validation(format!(
                "Cannot read from backfilling global secondary index: {}",
                index.name
            )))),
            Some(TableStatus::Deleting) => Err(Error::Refused(dynamo::Error::validation(format!(
                "The table does not have the specified index: {}",
                index.name
            )))),
            _ => Ok(()),
        }
    }

    pub(crate) fn space(&self) -> SpaceId {
        self.index.map_or(self.table.id, |(id, _)| id)
    }

    fn keyspace(&self) -> Keyspace {
        if self.index.is_some() { Keyspace::Indexes } else { Keyspace::Items }
    }

    /// The key of the row that a page begins behind.
    pub(crate) fn start_row(&self, start: &StartKey) -> Vec<u8> {
        let item_key = layout::item_key(self.table.id, &start.table);
        match (&start.index, self.index) {
            (Some(own), Some((id, _))) => {
                // An index row's key is laid out as an item's, with the item's own behind it.
                let mut row = layout::item_key(id, own);
                layout::push_item_key(&item_key, &mut row);
                row
            }
            _ => item_key,
        }
    }
}

impl RowRange {
    /// Leaves out what lies before a row in this direction, and the row itself.
    pub(crate) fn begin_behind(&mut self, row: Vec<u8>, direction: Direction) {
        match direction {
            Direction::Forward => self.lower = Bound::Excluded(row),
            Direction::Backward => self.upper = Some(row),
        }
    }
}

impl State {
    /// The schema of a table that is ready for operations on its items.
    pub(crate) fn schema(&self, name: &str) -> Option<&TableSchema> {
        self.catalogue.schema(name)
    }

    /// Fills a page with the rows of a range.
    pub(crate) fn fill(
        &self,
        mut page: Page<'_>,
        source: &Source<'_>,
        range: RowRange,
        direction: Direction,
        fuel: &mut Fuel<'_>,
    ) -> Result<PageAnswer, Unfinished> {
        let upper = match &range.upper {
            Some(end) => Bound::Excluded(end.as_slice()),
            None => Bound::Unbounded,
        };
        let lower = range.lower.as_ref().map(Vec::as_slice);
        let rows = self.snapshot.range(source.keyspace(), lower, upper, direction)?;
        for row in rows {
            if page.is_full() {
                break;
            }
            let row = row?;
            match source.index {
                None => page.add_within(&StoredItem::from(row.into_value()), None, fuel)?,
                Some((_, index)) => {
                    let item = self.item_of_row(source.table, index, row.key())?;
                    fuel.spend(INDEX_ROW_FUEL + item.measuring_fuel())?;
                    let held = held_by(index, &source.table.schema, &item);
                    page.add_within(&held, source.completes_rows.then_some(&item), fuel)?;
                }
            }
        }
        Ok(page.finish(&source.table.schema, source.index.map(|(_, index)| index)))
    }

    /// The item that an index row leads to. Both are of one commit, so it is there.
    fn item_of_row(&self, table: &Table, index: &Index, row: &[u8]) -> Result<StoredItem> {
        let corrupt = || {
            Error::Store(store::Error::Corrupt(format!(
                "a row of index {} of table {} leads to no item",
                index.name, table.name
            )))
        };
        let item_key = layout::item_key_of_index_row(table.id, &table.schema.key, &index.key, row)
            .ok_or_else(corrupt)?;
        self.item(&item_key)?.ok_or_else(corrupt)
    }
}

/// What an index holds of an item.
fn held_by(index: &Index, schema: &TableSchema, item: &StoredItem) -> StoredItem {
    let of = |key: &KeySchema, name: &str| key.contains(name);
    match &index.projection {
        IndexProjection::All => item.clone(),
        IndexProjection::KeysOnly => {
            item.only(|name| of(&schema.key, name) || of(&index.key, name))
        }
        IndexProjection::Include(_) => item.only(|name| index.holds(&schema.key, name)),
    }
}
