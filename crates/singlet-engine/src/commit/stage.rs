//! A group of commands on its way into the store: what they see, and what they leave behind.
//!
//! Each command is evaluated against the state that those before it in the group leave, and
//! adds rows to one batch. A command first decides and then writes; so one that is refused
//! has written nothing, and there is nothing to undo.

use super::Mode;
use crate::catalogue::{Catalogue, Counts, Table, counts_key};
use crate::client::{AnswerRoom, UNRESERVED_BYTES_MAX};
use crate::error::{Error, Result, Unfinished};
use crate::feed::Change;
use crate::lane::STAGE_FUEL;
use crate::layout::{self, SpaceId};
use crate::store::{Batch, Direction, Keyspace, Snapshot};
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
use std::ops::Bound;
use std::sync::Arc;

pub(crate) struct Stage<'s> {
    /// What was committed before this group.
    pub(crate) snapshot: &'s Snapshot,
    /// The tables as the group so far leaves them.
    pub(crate) catalogue: Arc<Catalogue>,
    /// The moment of this group.
    pub(crate) now: Timestamp,
    /// What is to be committed.
    pub(crate) batch: Batch,
    /// What the feed is to tell once it is.
    pub(crate) changes: Vec<Arc<Change>>,
    /// Whether anybody listens to the feed.
    is_heard: bool,
    /// By how much the counts of tables and indexes change, in the order of their ids.
    counted: Vec<Counted>,
    /// The number of the next change.
    pub(crate) next_sequence: u64,
    /// What deciding a command may take.
    pub(crate) fuel: Fuel<'s>,
    /// Work of the command that is not limited, because it was decided before: its items are
    /// compared with those that it was decided on.
    pub(crate) checking_fuel: u64,
    pub(crate) mode: Mode,
    /// Reserves memory for the item that the command returns.
    pub(crate) room: Option<AnswerRoom>,
}

/// Where an item is or would be, and what is there.
pub(crate) struct Place {
    pub(crate) item_key: Vec<u8>,
    pub(crate) old: Option<StoredItem>,
    /// The indexes that are being filled and have not come to what is here.
    unfilled: Vec<SpaceId>,
}

impl Place {
    /// The item that is here and the one that takes its place, measured.
    pub(crate) fn measure(
        &self,
        table: &Table,
        new: Option<&StoredItem>,
        fuel: &mut Fuel<'_>,
    ) -> Result<MeasuredWrite, OutOfFuel> {
        let expiry = table.description.time_to_live.as_deref();
        MeasuredWrite::within(&table.schema, expiry, self.old.as_ref(), new, fuel)
    }
}

/// What a write costs, if that is to be told.
pub(crate) fn cost(
    table: &Table,
    detail: ReturnConsumedCapacity,
    write: &MeasuredWrite,
) -> Option<ConsumedCapacity> {
    (detail != ReturnConsumedCapacity::None)
        .then(|| ConsumedCapacity::of_measured_write(&table.schema, detail, write))
}

/// What a group leaves behind.
pub(crate) struct Staged {
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) batch: Batch,
    pub(crate) changes: Vec<Arc<Change>>,
    /// By how much the counts of tables and indexes change.
    pub(crate) counted: Vec<Counted>,
    pub(crate) next_sequence: u64,
}

/// By how much the counts of a table or an index change.
pub(crate) struct Counted {
    id: SpaceId,
    pub(crate) counts: Arc<Counts>,
    pub(crate) items: i64,
    pub(crate) bytes: i64,
}

impl<'s> Stage<'s> {
    pub(crate) fn new(
        snapshot: &'s Snapshot,
        catalogue: Arc<Catalogue>,
        now: Timestamp,
        next_sequence: u64,
        is_heard: bool,
    ) -> Self {
        Self {
            snapshot,
            catalogue,
            now,
            batch: Batch::default(),
            changes: Vec::new(),
            is_heard,
            counted: Vec::new(),
            next_sequence,
            fuel: Fuel::limited(STAGE_FUEL),
            checking_fuel: 0,
            mode: Mode::Real,
            room: None,
        }
    }

    /// Resets fuel, mode and answer room for the next command.
    pub(crate) fn begin_command(&mut self) {
        self.fuel = Fuel::limited(STAGE_FUEL);
        self.checking_fuel = 0;
        self.mode = Mode::Real;
        self.room = None;
    }

    /// Makes sure that there is room for what the command is going to return, before it is done.
    pub(crate) fn find_room(&self, returned: Option<&Attributes>) -> Result<()> {
        self.find_room_for(returned.map_or(0, Attributes::held_bytes))
    }

    /// Like [`Stage::find_room`], for so many bytes.
    pub(crate) fn find_room_for(&self, bytes: usize) -> Result<()> {
        match &self.room {
            Some(room) if bytes > UNRESERVED_BYTES_MAX && !room(bytes) => Err(Error::Overloaded),
            _ => Ok(()),
        }
    }

    /// The table of this name, ready for operations on its items.
    pub(crate) fn table(&self, name: &str) -> Result<Arc<Table>> {
        Ok(Arc::clone(self.catalogue.usable(name)?))
    }

    /// The item under this key, as the group so far leaves it.
    pub(crate) fn item(&self, item_key: &[u8]) -> Result<Option<StoredItem>> {
        if let Some(pending) = self.batch.get(Keyspace::Items, item_key) {
            return Ok(pending.map(|bytes| StoredItem::new(bytes.into(), 0..bytes.len())));
        }
        Ok(self.snapshot.get(Keyspace::Items, item_key)?.map(StoredItem::from))
    }

    /// Where an item of this key is or would be, and what is there now. A large item is charged, so
    /// that a write to many of them leaves the stage before it has read them all.
    pub(crate) fn place(&mut self, table: &Table, key: &Key) -> Result<Place, Unfinished> {
        let place = self.place_of(table, layout::item_key(table.id, key))?;
        let large = place.old.as_ref().map(|old| (old.replacing_fuel(), old.stored_bytes()));
        if let Some((fuel @ 1.., bytes)) = large {
            if matches!(self.mode, Mode::WithDecision(_)) {
                self.checking_fuel = self.checking_fuel.saturating_add(fuel as u64);
            } else {
                self.fuel.spend(fuel)?;
                self.fuel.keep(|| bytes)?;
            }
        }
        Ok(place)
    }

    /// The place of this key, and what is there now.
    pub(crate) fn place_of(&self, table: &Table, item_key: Vec<u8>) -> Result<Place> {
        let old = self.item(&item_key)?;
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
        Ok(Place { item_key, old, unfilled })
    }

    /// Whether an index has this row, as the group so far leaves it.
    pub(crate) fn has_index_row(&self, row: &[u8]) -> Result<bool> {
        match self.batch.get(Keyspace::Indexes, row) {
            Some(pending) => Ok(pending.is_some()),
            None => Ok(self.snapshot.get(Keyspace::Indexes, row)?.is_some()),
        }
    }

    /// Puts an item in a place, or takes away what is there, together with everything that follows
    /// from it: index rows, expiry, stream, counts, feed. `measured` is of this place and item.
    pub(crate) fn replace(
        &mut self,
        table: &Table,
        place: Place,
        new: Option<StoredItem>,
        measured: &MeasuredWrite,
        is_expiry: bool,
    ) {
        // What stays as it is leaves no trace in a stream either.
        if measured.is_same {
            return;
        }
        let Place { item_key, old, unfilled } = place;
        let (before, after) = (measured.old.as_ref(), measured.new.as_ref());
        let size = |item: Option<&MeasuredItem>| item.map(MeasuredItem::size);
        self.count(table.id, &table.counts, size(before), size(after));
        self.move_index_rows(table, &item_key, &unfilled, before, after);
        self.move_expiry(table, &item_key, before, after);
        if let Some((stream_id, view)) = table.stream() {
            let old_item = old.as_ref().map(StoredItem::as_item);
            let new_item = new.as_ref().map(StoredItem::as_item);
            let record = stream::encode(table, view, self.now, old_item, new_item, is_expiry);
            let row = stream::row_key(stream_id, self.next_sequence);
            self.batch.put(Keyspace::Streams, row, record);
        }
        if self.is_heard {
            self.changes.push(Arc::new(Change {
                table_name: Arc::clone(&table.name),
                sequence_number: self.next_sequence,
                old: old.clone(),
                new: new.clone(),
                is_expiry,
            }));
        }
        self.next_sequence += 1;
        match &new {
            Some(item) => {
                self.batch.put(Keyspace::Items, item_key, item.as_item().as_bytes().to_vec());
            }
            None => self.batch.delete(Keyspace::Items, item_key),
        }
    }

    /// The collection that an item of this key is in, if that is to be told and the table has
    /// local indexes.
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
        self.estimated(|stage| stage.estimate_collection(table, key)).map(Some)
    }

    fn estimate_collection(
        &mut self,
        table: &Table,
        key: &Key,
    ) -> Result<ItemCollectionMetrics, Unfinished> {
        let prefix = layout::partition_prefix(table.id, &key.partition);
        let end = layout::end_of_prefix(prefix.clone());
        let upper = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let lower = Bound::Included(prefix.as_slice());
        let mut size = 0;
        for row in self.snapshot.range(Keyspace::Items, lower, upper, Direction::Forward)? {
            let item = StoredItem::from(row?.into_value());
            self.fuel.spend(item.reading_fuel(None))?;
            size += item.as_item().size() as u64;
        }
        let name = table.schema.key.partition.name.as_str();
        Ok(ItemCollectionMetrics::new(name, key.partition.clone(), size))
    }

    /// What the group leaves behind, with the counts of the tables that it touched.
    pub(crate) fn finish(mut self, is_durable: bool) -> Staged {
        if is_durable {
            for Counted { id, counts, items, bytes } in &self.counted {
                let row = counts.value_after(*items, *bytes);
                self.batch.put(Keyspace::Catalogue, counts_key(*id), row);
            }
        }
        let Self { catalogue, batch, changes, counted, next_sequence, .. } = self;
        Staged { catalogue, batch, changes, counted, next_sequence }
    }

    /// Counts one item of this size in the place of another.
    pub(crate) fn count(
        &mut self,
        id: SpaceId,
        counts: &Arc<Counts>,
        before: Option<usize>,
        after: Option<usize>,
    ) {
        let items = i64::from(after.is_some()) - i64::from(before.is_some());
        let bytes = after.unwrap_or(0) as i64 - before.unwrap_or(0) as i64;
        // A commit may touch thousands of indexes.
        match self.counted.binary_search_by_key(&id, |counted| counted.id) {
            Ok(place) => {
                if let Some(counted) = self.counted.get_mut(place) {
                    counted.items += items;
                    counted.bytes += bytes;
                }
            }
            Err(place) => {
                let counts = Arc::clone(counts);
                self.counted.insert(place, Counted { id, counts, items, bytes });
            }
        }
    }

    /// Forgets the counts of a table or an index that goes.
    pub(crate) fn forget_counts(&mut self, id: SpaceId) {
        self.counted.retain(|counted| counted.id != id);
        self.batch.delete(Keyspace::Catalogue, counts_key(id));
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
            // The rows of an index that is going away are cleared as a whole.
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
            if let Some(before) = before {
                self.batch.delete(Keyspace::Indexes, before);
            }
            if let Some(after) = after {
                self.batch.put(Keyspace::Indexes, after, Vec::new());
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
            self.batch.delete(Keyspace::Expiry, before);
        }
        if let Some(after) = after {
            self.batch.put(Keyspace::Expiry, after, Vec::new());
        }
    }
}

/// The second at which an item expires, if its attribute is a number of seconds at all.
pub(crate) fn expiry_second(item: ItemRef<'_>, attribute: &str) -> Option<u64> {
    match item.get(attribute)? {
        ValueRef::N(number) => number.floor_i64()?.try_into().ok(),
        _ => None,
    }
}
