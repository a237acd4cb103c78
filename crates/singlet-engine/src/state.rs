//! A consistent view for readers: the catalogue and a snapshot.

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

/// Fuel for looking up the item of an index row and projecting it, on top of its bytes.
const INDEX_ROW_FUEL: usize = 1000;

/// A consistent catalogue and snapshot. Readers never block.
pub(crate) struct State {
    /// The snapshot includes all commits up to this one, and perhaps later ones.
    pub(crate) version: u64,
    pub(crate) catalogue: Guard<Arc<Catalogue>>,
    pub(crate) snapshot: Snapshot,
}

pub(crate) struct RowRange {
    pub(crate) lower: Bound<Vec<u8>>,
    /// The first key past the range; `None` if unbounded.
    pub(crate) upper: Option<Vec<u8>>,
}

/// The table or index that Query and Scan read.
pub(crate) struct Source<'t> {
    pub(crate) table: &'t Table,
    pub(crate) index: Option<(SpaceId, &'t Index)>,
    /// Whether index rows must be completed from the table.
    pub(crate) completes_rows: bool,
}

impl<'t> Source<'t> {
    /// The table, or one of its indexes.
    pub(crate) fn new(table: &'t Table, index: Option<&Index>, completes_rows: bool) -> Self {
        let index = index.and_then(|index| table.index(&index.name));
        let index = index.map(|(space, index)| (space.id, index));
        Self { table, index, completes_rows }
    }

    /// Rejects an index that is still being filled.
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

    /// The key of the row after which a page starts.
    pub(crate) fn start_row(&self, start: &StartKey) -> Vec<u8> {
        let item_key = layout::item_key(self.table.id, &start.table);
        match (&start.index, self.index) {
            (Some(own), Some((id, _))) => {
                // An index row's key is laid out like an item's, followed by the item's own key.
                let mut row = layout::item_key(id, own);
                layout::push_item_key(&item_key, &mut row);
                row
            }
            _ => item_key,
        }
    }
}

impl RowRange {
    /// Starts the range after this row, in the given direction.
    pub(crate) fn begin_behind(&mut self, row: Vec<u8>, direction: Direction) {
        match direction {
            Direction::Forward => self.lower = Bound::Excluded(row),
            Direction::Backward => self.upper = Some(row),
        }
    }
}

impl State {
    /// The schema of a usable table.
    pub(crate) fn schema(&self, name: &str) -> Option<&TableSchema> {
        self.catalogue.schema(name)
    }

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

    /// The item of an index row. Both belong to one commit, so it exists.
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

/// Projects an item to the attributes of an index.
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
