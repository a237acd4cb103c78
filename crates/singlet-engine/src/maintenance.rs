//! Background work: completes changes to tables and indexes, and cleans up.
//!
//! Each task is planned and committed like any other write, in small steps that hardly delay
//! writers. Tasks are derived from the catalogue, so a task interrupted by a crash simply runs
//! again.

use crate::catalogue::{Catalogue, Table};
use crate::commit::{Planner, expiry_second};
use crate::error::Result;
use crate::layout::{self, SpaceId};
use crate::store::{Direction, Keyspace};
use crate::stream::{self, Stream};
use singlet_dynamo::measure::MeasuredWrite;
use singlet_dynamo::table::TableStatus;
use std::ops::{Bound, Range};
use std::sync::Arc;

/// Rows per step of a task.
const ROWS_MAX: usize = 500;
/// Bytes of rows per step: 500 large items would be 200 MB.
const STEP_BYTES_MAX: usize = 1 << 20;
/// Streams checked per round. There may be thousands.
const STREAMS_STEP_MAX: usize = 64;
/// Items that expired longer ago than this are left alone, as in the service.
const EXPIRED_SECONDS_MAX: u64 = 5 * 365 * 24 * 60 * 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Marks a table's change as complete.
    Activate(String),
    /// Adds rows to a new index, for items after this key.
    FillIndex { table: String, index: String, behind: Vec<u8> },
    /// Deletes the rows of an index being deleted.
    ClearIndex { table: String, index: String },
    /// Adds expiry rows for items after this key, once TTL was enabled.
    FillExpiry { table: String, behind: Vec<u8> },
    /// Deletes the items of a table being deleted, and then the table.
    ClearTable(String),
    /// Deletes expired items.
    Expire,
    /// Deletes records past their retention, of some streams after this one.
    TrimStreams { behind: SpaceId },
    /// Deletes expired tokens of transactions.
    ForgetTokens,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    /// The rest, as a new task.
    Left(Task),
}

/// The tasks that the catalogue requires.
pub(crate) fn due(catalogue: &Catalogue) -> Vec<Task> {
    let mut tasks = Vec::new();
    for table in catalogue.iter() {
        let name = || table.description.name.clone();
        if table.description.status == TableStatus::Deleting {
            tasks.push(Task::ClearTable(name()));
            continue;
        }
        if table.must_fill_expiry {
            tasks.push(Task::FillExpiry { table: name(), behind: Vec::new() });
        }
        // Indexes of a table being created have nothing to fill.
        let is_new = table.description.status == TableStatus::Creating;
        for described in table.description.indexes.iter().filter(|_| !is_new) {
            let index = described.index.name.clone();
            match described.status {
                TableStatus::Creating => {
                    tasks.push(Task::FillIndex { table: name(), index, behind: Vec::new() });
                }
                TableStatus::Deleting => tasks.push(Task::ClearIndex { table: name(), index }),
                _ => {}
            }
        }
        if table.description.status != TableStatus::Active {
            tasks.push(Task::Activate(name()));
        }
    }
    tasks
}

/// Where the round after the one that starts at `behind` starts.
pub(crate) fn next_streams(catalogue: &Catalogue, behind: SpaceId) -> SpaceId {
    let mut some = catalogue.streams_behind(behind).skip(STREAMS_STEP_MAX - 1);
    match (some.next(), some.next()) {
        (Some(last), Some(_)) => last.id,
        _ => SpaceId(0),
    }
}

impl Planner<'_, '_> {
    pub(crate) fn carry_out(&mut self, task: Task) -> Result<Progress> {
        match task {
            Task::Activate(name) => self.activate(&name),
            Task::FillIndex { table, index, behind } => self.fill_index(table, index, behind),
            Task::ClearIndex { table, index } => self.clear_index(table, index),
            Task::FillExpiry { table, behind } => self.fill_expiry(table, behind),
            Task::ClearTable(name) => self.clear_table(name),
            Task::Expire => self.expire(),
            Task::TrimStreams { behind } => self.trim_streams(behind),
            Task::ForgetTokens => self.forget_tokens(),
        }
    }

    /// The keys of some rows of a range, and whether there are more.
    fn some_rows(&self, keyspace: Keyspace, range: Range<Vec<u8>>) -> Result<(Vec<Vec<u8>>, bool)> {
        let (lower, upper) =
            (Bound::Included(range.start.as_slice()), Bound::Excluded(range.end.as_slice()));
        let rows = self.view.snapshot.range(keyspace, lower, upper, Direction::Forward)?;
        let mut keys = Vec::new();
        let mut bytes = 0;
        for row in rows {
            if keys.len() == ROWS_MAX || bytes >= STEP_BYTES_MAX {
                return Ok((keys, true));
            }
            let row = row?;
            bytes += row.key().len() + row.value().len();
            keys.push(row.key().to_vec());
        }
        Ok((keys, false))
    }

    /// The range of a table's items after a key.
    fn items_behind(&self, table: &Table, behind: &[u8]) -> Range<Vec<u8>> {
        let mut range = layout::all_of(table.id);
        if !behind.is_empty() {
            // The immediate successor of the key.
            range.start = [behind, &[0]].concat();
        }
        range
    }

    fn activate(&mut self, name: &str) -> Result<Progress> {
        if let Some(table) = self.catalogue().get(name).map(Arc::clone) {
            self.activate_table(&table);
        }
        Ok(Progress::Done)
    }

    fn fill_index(
        &mut self,
        name: String,
        index_name: String,
        behind: Vec<u8>,
    ) -> Result<Progress> {
        let Some(table) = self.catalogue().get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        let Some((space, index)) = table.index(&index_name) else { return Ok(Progress::Done) };
        let (keys, has_more) =
            self.some_rows(Keyspace::Items, self.items_behind(&table, &behind))?;
        for item_key in &keys {
            let Some(item) = self.item(item_key)? else { continue };
            let row = layout::index_key(space.id, &index.key, item.as_item(), item_key);
            // Items written since the index was added have their row already.
            if let Some(row) = row
                && !self.has_index_row(&row)?
            {
                let size = index.row_size(&table.schema.key, item.as_item());
                self.count(space.id, &space.counts, None, Some(size));
                self.note_written(Keyspace::Indexes, &row);
                self.put(Keyspace::Indexes, row, Vec::new());
            }
        }
        match keys.last().filter(|_| has_more) {
            Some(last) => Ok(Progress::Left(Task::FillIndex {
                table: name,
                index: index_name,
                behind: last.clone(),
            })),
            None => Ok(Progress::Done),
        }
    }

    fn clear_index(&mut self, name: String, index_name: String) -> Result<Progress> {
        let Some(table) = self.catalogue().get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        let Some((space, _)) = table.index(&index_name) else { return Ok(Progress::Done) };
        match self.clear_rows(space.id)? {
            true => Ok(Progress::Left(Task::ClearIndex { table: name, index: index_name })),
            false => Ok(Progress::Done),
        }
    }

    /// Deletes some rows of an index. Returns whether there are more.
    fn clear_rows(&mut self, index: SpaceId) -> Result<bool> {
        let (rows, has_more) = self.some_rows(Keyspace::Indexes, layout::all_of(index))?;
        for row in rows {
            self.delete(Keyspace::Indexes, row);
        }
        Ok(has_more)
    }

    fn fill_expiry(&mut self, name: String, behind: Vec<u8>) -> Result<Progress> {
        let Some(table) = self.catalogue().get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        let (keys, has_more) =
            self.some_rows(Keyspace::Items, self.items_behind(&table, &behind))?;
        if let Some(attribute) = table.description.time_to_live.as_deref() {
            for item_key in &keys {
                let item = self.item(item_key)?;
                if let Some(second) = item.and_then(|item| expiry_second(item.as_item(), attribute))
                {
                    self.put(Keyspace::Expiry, layout::expiry_key(second, item_key), Vec::new());
                }
            }
        }
        match keys.last().filter(|_| has_more) {
            Some(last) => {
                Ok(Progress::Left(Task::FillExpiry { table: name, behind: last.clone() }))
            }
            None => {
                let mut filled = Table::clone(&table);
                filled.must_fill_expiry = false;
                self.store_table(filled);
                Ok(Progress::Done)
            }
        }
    }

    fn clear_table(&mut self, name: String) -> Result<Progress> {
        let Some(table) = self.catalogue().get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        for (space, _) in table.indexes() {
            if self.clear_rows(space.id)? {
                return Ok(Progress::Left(Task::ClearTable(name)));
            }
        }
        let (keys, has_more) = self.some_rows(Keyspace::Items, layout::all_of(table.id))?;
        for item_key in keys {
            // The expiry row would otherwise stay until it comes due, which may be never.
            if let Some(attribute) = table.description.time_to_live.as_deref()
                && let Some(item) = self.item(&item_key)?
                && let Some(second) = expiry_second(item.as_item(), attribute)
            {
                self.delete(Keyspace::Expiry, layout::expiry_key(second, &item_key));
            }
            self.note_written(Keyspace::Items, &item_key);
            self.delete(Keyspace::Items, item_key);
        }
        if has_more {
            return Ok(Progress::Left(Task::ClearTable(name)));
        }
        self.remove_table(&table);
        Ok(Progress::Done)
    }

    /// Deletes items whose second has passed. Drops rows without a matching item, left by changes
    /// of the table or the attribute.
    fn expire(&mut self) -> Result<Progress> {
        let now = u64::try_from(self.view.now.as_millis().div_euclid(1000)).unwrap_or(0);
        let from = now.saturating_sub(EXPIRED_SECONDS_MAX);
        let range = from.to_be_bytes().to_vec()..now.to_be_bytes().to_vec();
        let (rows, has_more) = self.some_rows(Keyspace::Expiry, range)?;
        // An item's deletion also writes its stream record and the keys of up to 25 index rows.
        let mut bytes = 0;
        for row in rows {
            if bytes + self.written_bytes() >= STEP_BYTES_MAX {
                return Ok(Progress::Left(Task::Expire));
            }
            let Some((second, table_id, item_key)) = layout::split_expiry_key(&row) else {
                continue;
            };
            let table = self.catalogue().by_id(table_id).map(Arc::clone);
            let expired = match &table {
                None => None,
                Some(table) => self.item(item_key)?.filter(|item| {
                    let attribute = table.description.time_to_live.as_deref();
                    attribute.and_then(|name| expiry_second(item.as_item(), name)) == Some(second)
                }),
            };
            match (table, expired) {
                (Some(table), Some(item)) => {
                    bytes += item.as_item().as_bytes().len();
                    let place = self.place_of(&table, item_key.to_vec())?;
                    let expiry = table.description.time_to_live.as_deref();
                    let measured =
                        MeasuredWrite::of(&table.schema, expiry, place.old.as_ref(), None);
                    self.replace(&table, place, None, &measured, true);
                }
                _ => self.delete(Keyspace::Expiry, row),
            }
        }
        Ok(if has_more { Progress::Left(Task::Expire) } else { Progress::Done })
    }

    fn trim_streams(&mut self, behind: SpaceId) -> Result<Progress> {
        let mut has_more = false;
        let some = self.catalogue().streams_behind(behind).take(STREAMS_STEP_MAX);
        for stream in some.map(Arc::clone).collect::<Vec<_>>() {
            let rows = stream.rows_from(0);
            let (lower, upper) =
                (Bound::Included(rows.start.as_slice()), Bound::Excluded(rows.end.as_slice()));
            let mut old = Vec::new();
            let mut is_empty = true;
            for row in
                self.view.snapshot.range(Keyspace::Streams, lower, upper, Direction::Forward)?
            {
                let row = row?;
                let is_old = stream::split_moment(row.value())
                    .is_none_or(|(at, _)| self.view.now.millis_since(at) > stream::RETENTION_MS);
                if !is_old || old.len() == ROWS_MAX {
                    has_more |= is_old;
                    is_empty = false;
                    break;
                }
                old.push(row.key().to_vec());
            }
            if is_empty && stream.is_over(self.view.now) {
                self.remove_stream(&stream);
            } else if let Some(last) = old.last().and_then(|row| stream::sequence_of_row(row)) {
                // Later reads of these records report that they were trimmed.
                self.store_stream(Stream { oldest_sequence: last + 1, ..Stream::clone(&stream) });
            }
            for row in old {
                self.delete(Keyspace::Streams, row);
            }
        }
        Ok(if has_more { Progress::Left(Task::TrimStreams { behind }) } else { Progress::Done })
    }
}
