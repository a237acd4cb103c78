//! Plans of writes: reads, changes and the answer.
//!
//! A plan is a pure function of a write and a snapshot, made on the request's thread or in the
//! lane. The committing thread commits it if the rows it read are unchanged, and otherwise plans
//! the write again on the latest state.

use super::versions::{Slot, Versions};
use super::{Outcome, Write};
use crate::catalogue::{Catalogue, Counts, Table, counts_key};
use crate::error::{Result, Unfinished};
use crate::layout::{self, SpaceId};
use crate::options::Options;
use crate::store::{Batch, Bytes, Direction, Keyspace, Snapshot};
use crate::stream;
use singlet_dynamo::Timestamp;
use singlet_dynamo::binary::{ItemRef, ValueRef};
use singlet_dynamo::capacity::{ConsumedCapacity, ReturnConsumedCapacity};
use singlet_dynamo::fuel::{Fuel, OutOfFuel};
use singlet_dynamo::key::Key;
use singlet_dynamo::measure::{MeasuredItem, MeasuredWrite};
use singlet_dynamo::operation::ItemCollectionMetrics;
use singlet_dynamo::schema::Scope;
use singlet_dynamo::stored::{Attributes, StoredItem};
use singlet_dynamo::table::TableStatus;
use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

/// The state that a plan is based on.
#[derive(Clone, Copy)]
pub(crate) struct View<'r> {
    pub(crate) catalogue: &'r Catalogue,
    pub(crate) snapshot: &'r Snapshot,
    /// Changes staged on top of the snapshot; empty outside the committing thread.
    pub(crate) staged: &'r Batch,
    /// The snapshot includes all commits up to this one, and perhaps later ones.
    pub(crate) version: u64,
    pub(crate) versions: &'r Versions,
    /// Exact only on the committing thread.
    pub(crate) next_sequence: u64,
    pub(crate) options: &'r Options,
    pub(crate) now: Timestamp,
}

impl View<'_> {
    /// Plans a write.
    ///
    /// # Errors
    ///
    /// A rejection refers to this state, which was current at some point during the request.
    pub(crate) fn plan(
        self,
        write: &Write,
        before: Option<&Plan>,
        fuel: &mut Fuel<'_>,
    ) -> Result<Plan, Unfinished> {
        let known_metrics = before.map(|plan| plan.effects.metrics.iter());
        let mut planner = Planner {
            view: self,
            fuel,
            known_metrics: known_metrics.into_iter().flatten().cloned().collect(),
            effects: Effects::default(),
        };
        let outcome = write.plan(&mut planner)?;
        let (version, catalogue_version) = (self.version, self.catalogue.version());
        Ok(Plan { version, catalogue_version, effects: planner.effects, outcome })
    }
}

/// A write that can be committed while the rows it read are unchanged.
pub(crate) struct Plan {
    /// The commit that it is based on.
    pub(super) version: u64,
    pub(super) catalogue_version: u64,
    pub(super) effects: Effects,
    pub(super) outcome: Outcome,
}

/// The reads and writes of a plan.
#[derive(Default)]
pub(crate) struct Effects {
    pub(super) reads: Vec<Slot>,
    /// Rows and their new values, in order.
    pub(super) edits: Vec<(Keyspace, Vec<u8>, Option<Vec<u8>>)>,
    /// The rows among them that other plans may have read.
    pub(super) written: Vec<Slot>,
    pub(super) items: Vec<ItemChange>,
    /// Changes of table and index counts.
    pub(super) counted: Vec<Counted>,
    /// Tables and indexes whose counts are dropped.
    pub(super) uncounted: Vec<SpaceId>,
    /// The new catalogue, if it changes.
    pub(super) catalogue: Option<Catalogue>,
    /// Size of the item in the answer.
    pub(super) returned_bytes: usize,
    /// Estimates, in the order in which the operation requested them. A replan reuses them: a new
    /// estimate would be no better.
    metrics: Vec<ItemCollectionMetrics>,
}

impl Plan {
    pub(crate) fn is_empty(&self) -> bool {
        self.effects.edits.is_empty()
    }

    /// The result of a write that changes nothing.
    pub(crate) fn into_outcome(self) -> Outcome {
        self.outcome
    }

    pub(crate) fn returned_bytes(&self) -> usize {
        self.effects.returned_bytes
    }

    /// Approximate memory: the rows, and the same again for the decoded items.
    pub(super) fn bytes(&self) -> usize {
        let rows = self.effects.edits.iter();
        2 * rows.map(|(_, key, row)| key.len() + row.as_ref().map_or(0, Vec::len)).sum::<usize>()
    }
}

/// A changed item, for the stream and the feed. The committing thread assigns its sequence number.
pub(crate) struct ItemChange {
    pub(super) table_name: Arc<str>,
    pub(super) old: Option<StoredItem>,
    pub(super) new: Option<StoredItem>,
    pub(super) is_expiry: bool,
    /// The table's stream, and the record for it.
    pub(super) record: Option<(SpaceId, Vec<u8>)>,
}

/// A change of the counts of a table or an index.
pub(crate) struct Counted {
    pub(super) id: SpaceId,
    pub(crate) counts: Arc<Counts>,
    pub(crate) items: i64,
    pub(crate) bytes: i64,
}

/// Builds the plan of one write. Operations and tasks are methods of it.
pub(crate) struct Planner<'r, 'f> {
    pub(crate) view: View<'r>,
    pub(crate) fuel: &'r mut Fuel<'f>,
    /// Estimates of the previous plan.
    known_metrics: VecDeque<ItemCollectionMetrics>,
    effects: Effects,
}

/// The row of an item, present or not.
pub(crate) struct Place {
    pub(crate) item_key: Vec<u8>,
    slot: Slot,
    pub(crate) old: Option<StoredItem>,
    /// Indexes being filled that do not have this item's row yet.
    unfilled: Vec<SpaceId>,
}

/// The consumed capacity, if the request asks for it.
pub(crate) fn consumed(
    table: &Table,
    detail: ReturnConsumedCapacity,
    write: &MeasuredWrite,
    table_name: &str,
) -> Option<ConsumedCapacity> {
    (detail != ReturnConsumedCapacity::None).then(|| {
        ConsumedCapacity::of_measured_write(&table.schema, detail, write).told_of(table_name)
    })
}

/// Reading.
impl<'r> Planner<'r, '_> {
    /// The catalogue including this plan's changes.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        self.effects.catalogue.as_ref().unwrap_or(self.view.catalogue)
    }

    pub(crate) fn catalogue_mut(&mut self) -> &mut Catalogue {
        self.effects.catalogue.get_or_insert_with(|| self.view.catalogue.next_version())
    }

    /// A usable table.
    pub(crate) fn table(&self, name: &str) -> Result<&'r Arc<Table>> {
        Ok(self.view.catalogue.usable(name)?)
    }

    /// Reads a row. The plan is void if the row changes before the commit.
    pub(crate) fn read(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>> {
        let slot = self.view.versions.slot(keyspace, key);
        self.read_slot(keyspace, key, slot)
    }

    fn read_slot(&mut self, keyspace: Keyspace, key: &[u8], slot: Slot) -> Result<Option<Bytes>> {
        self.effects.reads.push(slot);
        if let Some(staged) = self.view.staged.get(keyspace, key) {
            return Ok(staged.map(Bytes::copy_of));
        }
        Ok(self.view.snapshot.get(keyspace, key)?)
    }

    pub(crate) fn item(&mut self, item_key: &[u8]) -> Result<Option<StoredItem>> {
        Ok(self.read(Keyspace::Items, item_key)?.map(StoredItem::from))
    }

    /// Reads the row of an item. Charges for replacing a large one.
    pub(crate) fn place(&mut self, table: &Table, key: &Key) -> Result<Place, Unfinished> {
        let place = self.place_of(table, layout::item_key(table.id, key))?;
        if let Some(old) = &place.old
            && let fuel @ 1.. = old.replacing_fuel()
        {
            self.fuel.spend(fuel)?;
            self.fuel.keep(|| old.stored_bytes())?;
        }
        Ok(place)
    }

    pub(crate) fn place_of(&mut self, table: &Table, item_key: Vec<u8>) -> Result<Place> {
        let slot = self.view.versions.slot(Keyspace::Items, &item_key);
        let old = self.read_slot(Keyspace::Items, &item_key, slot)?.map(StoredItem::from);
        let mut unfilled = Vec::new();
        let being_filled = table
            .indexes()
            .zip(&table.description.indexes)
            .filter(|(_, described)| described.status == TableStatus::Creating);
        for ((space, index), _) in being_filled {
            let item = old.as_ref().map(StoredItem::as_item);
            let row =
                item.and_then(|item| layout::index_key(space.id, &index.key, item, &item_key));
            if let Some(row) = row
                && !self.has_index_row(&row)?
            {
                unfilled.push(space.id);
            }
        }
        Ok(Place { item_key, slot, old, unfilled })
    }

    /// Whether an index that is being filled has this row.
    pub(crate) fn has_index_row(&mut self, row: &[u8]) -> Result<bool> {
        Ok(self.read(Keyspace::Indexes, row)?.is_some())
    }

    /// Metrics of the key's item collection, if requested and the table has local indexes. An
    /// estimate: the plan stays valid if the collection changes.
    pub(crate) fn collection_metrics(
        &mut self,
        table: &Table,
        key: &Key,
        is_wanted: bool,
    ) -> Result<Option<ItemCollectionMetrics>, Unfinished> {
        let has_local = table.schema.indexes.iter().any(|index| index.scope == Scope::Local);
        if !is_wanted || !has_local {
            return Ok(None);
        }
        let metrics = match self.known_metrics.pop_front() {
            Some(metrics) => metrics,
            None => self.estimate_collection(table, key)?,
        };
        self.effects.metrics.push(metrics.clone());
        Ok(Some(metrics))
    }

    fn estimate_collection(
        &mut self,
        table: &Table,
        key: &Key,
    ) -> Result<ItemCollectionMetrics, Unfinished> {
        let prefix = layout::partition_prefix(table.id, key.partition_bytes());
        let end = layout::end_of_prefix(prefix.clone());
        let upper = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let lower = Bound::Included(prefix.as_slice());
        let mut size = 0;
        for row in self.view.snapshot.range(Keyspace::Items, lower, upper, Direction::Forward)? {
            let item = StoredItem::from(row?.into_value());
            self.fuel.spend(item.reading_fuel(None))?;
            size += item.as_item().size() as u64;
        }
        Ok(ItemCollectionMetrics::of(&table.schema.key, key, size))
    }

    /// Charges for encoding items. Returns false if the cost exceeds the fuel left: the caller then
    /// charges each item separately.
    pub(crate) fn charge_encoding(
        &mut self,
        fuel_within: impl FnOnce(usize) -> Option<usize>,
    ) -> Result<bool, OutOfFuel> {
        let left = usize::try_from(self.fuel.left()).unwrap_or(usize::MAX);
        let units = fuel_within(left);
        self.fuel.spend(units.unwrap_or(usize::MAX))?;
        Ok(units.is_some())
    }

    /// Measures an item and its replacement.
    pub(crate) fn measure(
        &mut self,
        table: &Table,
        place: &Place,
        new: Option<&StoredItem>,
    ) -> Result<MeasuredWrite, Unfinished> {
        let expiry = table.description.time_to_live.as_deref();
        Ok(MeasuredWrite::within(&table.schema, expiry, place.old.as_ref(), new, self.fuel)?)
    }
}

/// Writes take effect when the plan is committed.
impl Planner<'_, '_> {
    pub(crate) fn put(&mut self, keyspace: Keyspace, key: Vec<u8>, value: Vec<u8>) {
        self.effects.edits.push((keyspace, key, Some(value)));
    }

    pub(crate) fn delete(&mut self, keyspace: Keyspace, key: Vec<u8>) {
        self.effects.edits.push((keyspace, key, None));
    }

    /// Voids plans that read this row.
    pub(crate) fn note_written(&mut self, keyspace: Keyspace, key: &[u8]) {
        self.effects.written.push(self.view.versions.slot(keyspace, key));
    }

    /// Total size of the keys and values written so far.
    pub(crate) fn written_bytes(&self) -> usize {
        let value = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
        self.effects.edits.iter().map(|(_, key, edit)| key.len() + value(edit)).sum()
    }

    /// Records the item that the answer returns, so that memory is reserved before the commit.
    pub(crate) fn note_returned(&mut self, returned: Option<&Attributes>) {
        self.effects.returned_bytes += returned.map_or(0, Attributes::held_bytes);
    }

    /// Puts or deletes an item together with its index rows, expiry row, stream record, counts and
    /// feed entry. `measured` belongs to this place and item.
    pub(crate) fn replace(
        &mut self,
        table: &Table,
        place: Place,
        new: Option<StoredItem>,
        measured: &MeasuredWrite,
        is_expiry: bool,
    ) {
        // An unchanged item leaves no stream record either.
        if measured.is_same {
            return;
        }
        let Place { item_key, slot, old, unfilled } = place;
        let (before, after) = (measured.old.as_ref(), measured.new.as_ref());
        let size = |item: Option<&MeasuredItem>| item.map(MeasuredItem::size);
        self.count(table.id, &table.counts, size(before), size(after));
        self.move_index_rows(table, &item_key, &unfilled, before, after);
        self.move_expiry(table, &item_key, before, after);
        let record = table.stream().map(|(stream_id, view)| {
            let (before, after) = (old.as_ref(), new.as_ref());
            let (before, after) = (before.map(StoredItem::as_item), after.map(StoredItem::as_item));
            (stream_id, stream::encode(table, view, before, after, is_expiry))
        });
        let value = new.as_ref().map(|item| item.as_item().as_bytes().to_vec());
        self.effects.edits.push((Keyspace::Items, item_key, value));
        self.effects.written.push(slot);
        let table_name = Arc::clone(&table.name);
        self.effects.items.push(ItemChange { table_name, old, new, is_expiry, record });
    }

    /// Counts the replacement of one item by another, by size.
    pub(crate) fn count(
        &mut self,
        id: SpaceId,
        counts: &Arc<Counts>,
        before: Option<usize>,
        after: Option<usize>,
    ) {
        let items = i64::from(after.is_some()) - i64::from(before.is_some());
        let bytes = after.unwrap_or(0) as i64 - before.unwrap_or(0) as i64;
        let counts = Arc::clone(counts);
        self.effects.counted.push(Counted { id, counts, items, bytes });
    }

    /// Drops the counts of a deleted table or index.
    pub(crate) fn drop_counts(&mut self, id: SpaceId) {
        self.effects.uncounted.push(id);
        self.delete(Keyspace::Catalogue, counts_key(id));
    }

    fn move_index_rows(
        &mut self,
        table: &Table,
        item_key: &[u8],
        unfilled: &[SpaceId],
        old: Option<&MeasuredItem>,
        new: Option<&MeasuredItem>,
    ) {
        for ((space, index), described) in table.indexes().zip(&table.description.indexes) {
            // The rows of an index being deleted are cleared as a whole.
            if described.status == TableStatus::Deleting {
                continue;
            }
            let row = |item: Option<&MeasuredItem>| {
                let item = item?;
                let row = layout::index_key(space.id, &index.key, item.held(), item_key)?;
                Some((row, item.row_size(index, &table.schema)))
            };
            let before = row(old.filter(|_| !unfilled.contains(&space.id)));
            let after = row(new);
            let size = |row: &Option<(Vec<u8>, usize)>| row.as_ref().map(|(_, size)| *size);
            if before == after {
                continue;
            }
            self.count(space.id, &space.counts, size(&before), size(&after));
            let (before, after) = (before.map(|(row, _)| row), after.map(|(row, _)| row));
            if before == after {
                continue;
            }
            if described.status == TableStatus::Creating {
                for row in [&before, &after].into_iter().flatten() {
                    self.note_written(Keyspace::Indexes, row);
                }
            }
            if let Some(before) = before {
                self.delete(Keyspace::Indexes, before);
            }
            if let Some(after) = after {
                self.put(Keyspace::Indexes, after, Vec::new());
            }
        }
    }

    fn move_expiry(
        &mut self,
        table: &Table,
        item_key: &[u8],
        old: Option<&MeasuredItem>,
        new: Option<&MeasuredItem>,
    ) {
        let Some(attribute) = table.description.time_to_live.as_deref() else { return };
        let row = |item: Option<&MeasuredItem>| {
            Some(layout::expiry_key(expiry_second(item?.held(), attribute)?, item_key))
        };
        let (before, after) = (row(old), row(new));
        if before == after {
            return;
        }
        if let Some(before) = before {
            self.delete(Keyspace::Expiry, before);
        }
        if let Some(after) = after {
            self.put(Keyspace::Expiry, after, Vec::new());
        }
    }
}

/// The second at which an item expires. `None` if the attribute is not a number of seconds.
pub(crate) fn expiry_second(item: ItemRef<'_>, attribute: &str) -> Option<u64> {
    match item.get(attribute)? {
        ValueRef::N(number) => number.floor_i64()?.try_into().ok(),
        _ => None,
    }
}
