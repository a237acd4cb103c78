//! What the engine does by itself: finish what requests began, and clear up.
//!
//! Each task is a command in the commit queue like any other, and does a bounded piece of work
//! at a time, so that writers hardly notice. What is to be done follows from the catalogue; so
//! a task that a crash cut short is simply done again.

use crate::catalogue::{Catalogue, Table};
use crate::commit::{Stage, expiry_second};
use crate::error::Result;
use crate::layout::{self, SpaceId};
use crate::store::{Direction, Keyspace};
use crate::stream::{self, Stream};
use singlet_dynamo::measure::MeasuredWrite;
use singlet_dynamo::table::TableStatus;
use std::ops::{Bound, Range};
use std::sync::Arc;

/// How many rows a task looks at before it lets others in.
const ROWS_MAX: usize = 500;
/// How many bytes of rows a task looks at before it lets others in: 500 large items are 200 MB.
const STEP_BYTES_MAX: usize = 1 << 20;
/// How many streams are looked at in one round. There may be thousands, and it is done on the stage.
const STREAMS_STEP_MAX: usize = 64;
/// Items that expired longer ago than this are left alone, as the service does.
const EXPIRED_SECONDS_MAX: u64 = 5 * 365 * 24 * 60 * 60;

/// A piece of the engine's own work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// A table's change is done: it can be used as it is described.
    Activate(String),
    /// Puts rows into an index that was added, for items behind this key.
    FillIndex { table: String, index: String, behind: Vec<u8> },
    /// Takes the rows out of an index that goes.
    ClearIndex { table: String, index: String },
    /// Notes when items expire, for items behind this key of a table that has begun to let them.
    FillExpiry { table: String, behind: Vec<u8> },
    /// Takes the items out of a table that goes, and then the table.
    ClearTable(String),
    /// Deletes items whose time has come.
    Expire,
    /// Forgets records that are past their retention, of some streams behind this one.
    TrimStreams { behind: SpaceId },
    /// Forgets the tokens of transactions that are past their time.
    ForgetTokens,
}

/// What is left to do of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing.
    Done,
    /// The rest of it, as a task of its own.
    Left(Task),
}

/// What there is to do, by the catalogue.
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
        // Indexes of a table that is itself new have nothing to be filled with.
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

/// Behind which stream the next round begins, after one that began behind this.
pub(crate) fn next_streams(catalogue: &Catalogue, behind: SpaceId) -> SpaceId {
    let mut some = catalogue.streams_behind(behind).skip(STREAMS_STEP_MAX - 1);
    match (some.next(), some.next()) {
        (Some(last), Some(_)) => last.id,
        _ => SpaceId(0),
    }
}

impl Stage<'_> {
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
        let rows = self.snapshot.range(keyspace, lower, upper, Direction::Forward)?;
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

    /// The items of a table behind a key.
    fn items_behind(&self, table: &Table, behind: &[u8]) -> Range<Vec<u8>> {
        let mut range = layout::all_of(table.id);
        if !behind.is_empty() {
            // The key itself is done; nothing lies between it and itself with a zero behind.
            range.start = [behind, &[0]].concat();
        }
        range
    }

    fn activate(&mut self, name: &str) -> Result<Progress> {
        if let Some(table) = self.catalogue.get(name).map(Arc::clone) {
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
        let Some(table) = self.catalogue.get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        let Some((space, index)) = table.index(&index_name) else { return Ok(Progress::Done) };
        let (keys, has_more) =
            self.some_rows(Keyspace::Items, self.items_behind(&table, &behind))?;
        for item_key in &keys {
            let Some(item) = self.item(item_key)? else { continue };
            let row = layout::index_key(space.id, &index.key, item.as_item(), item_key);
            // What was written since the index is there has its row already.
            if let Some(row) = row
                && !self.has_index_row(&row)?
            {
                let size = index.row_size(&table.schema.key, item.as_item());
                self.count(space.id, &space.counts, None, Some(size));
                self.batch.put(Keyspace::Indexes, row, Vec::new());
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
        let Some(table) = self.catalogue.get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        let Some((space, _)) = table.index(&index_name) else { return Ok(Progress::Done) };
        match self.clear_rows(space.id)? {
            true => Ok(Progress::Left(Task::ClearIndex { table: name, index: index_name })),
            false => Ok(Progress::Done),
        }
    }

    /// Deletes some rows of an index, and says whether there are more.
    fn clear_rows(&mut self, index: SpaceId) -> Result<bool> {
        let (rows, has_more) = self.some_rows(Keyspace::Indexes, layout::all_of(index))?;
        for row in rows {
            self.batch.delete(Keyspace::Indexes, row);
        }
        Ok(has_more)
    }

    fn fill_expiry(&mut self, name: String, behind: Vec<u8>) -> Result<Progress> {
        let Some(table) = self.catalogue.get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        let (keys, has_more) =
            self.some_rows(Keyspace::Items, self.items_behind(&table, &behind))?;
        if let Some(attribute) = table.description.time_to_live.as_deref() {
            for item_key in &keys {
                let item = self.item(item_key)?;
                if let Some(second) = item.and_then(|item| expiry_second(item.as_item(), attribute))
                {
                    self.batch.put(
                        Keyspace::Expiry,
                        layout::expiry_key(second, item_key),
                        Vec::new(),
                    );
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
        let Some(table) = self.catalogue.get(&name).map(Arc::clone) else {
            return Ok(Progress::Done);
        };
        for (space, _) in table.indexes() {
            if self.clear_rows(space.id)? {
                return Ok(Progress::Left(Task::ClearTable(name)));
            }
        }
        let (keys, has_more) = self.some_rows(Keyspace::Items, layout::all_of(table.id))?;
        for item_key in keys {
            // A row that says when an item expires would stay until then, which may be never.
            if let Some(attribute) = table.description.time_to_live.as_deref()
                && let Some(item) = self.item(&item_key)?
                && let Some(second) = expiry_second(item.as_item(), attribute)
            {
                self.batch.delete(Keyspace::Expiry, layout::expiry_key(second, &item_key));
            }
            self.batch.delete(Keyspace::Items, item_key);
        }
        if has_more {
            return Ok(Progress::Left(Task::ClearTable(name)));
        }
        self.remove_table(&table);
        Ok(Progress::Done)
    }

    /// Deletes items whose second has passed. A row that no item stands behind any more, because
    /// its table or its attribute changed, is dropped.
    fn expire(&mut self) -> Result<Progress> {
        let now = u64::try_from(self.now.as_millis().div_euclid(1000)).unwrap_or(0);
        let from = now.saturating_sub(EXPIRED_SECONDS_MAX);
        let range = from.to_be_bytes().to_vec()..now.to_be_bytes().to_vec();
        let (rows, has_more) = self.some_rows(Keyspace::Expiry, range)?;
        // An item brings its stream record and the keys of up to 25 index rows.
        let before = self.batch.put_bytes();
        let mut bytes = 0;
        for row in rows {
            if bytes + self.batch.put_bytes() - before >= STEP_BYTES_MAX as u64 {
                return Ok(Progress::Left(Task::Expire));
            }
            let Some((second, table_id, item_key)) = layout::split_expiry_key(&row) else {
                continue;
            };
            let table = self.catalogue.by_id(table_id).map(Arc::clone);
            let expired = match &table {
                None => None,
                Some(table) => self.item(item_key)?.filter(|item| {
                    let attribute = table.description.time_to_live.as_deref();
                    attribute.and_then(|name| expiry_second(item.as_item(), name)) == Some(second)
                }),
            };
            match (table, expired) {
                (Some(table), Some(item)) => {
                    bytes += item.as_item().as_bytes().len() as u64;
                    let place = self.place_of(&table, item_key.to_vec())?;
                    let expiry = table.description.time_to_live.as_deref();
                    let measured =
                        MeasuredWrite::of(&table.schema, expiry, place.old.as_ref(), None);
                    self.replace(&table, place, None, &measured, true);
                }
                _ => self.batch.delete(Keyspace::Expiry, row),
            }
        }
        Ok(if has_more { Progress::Left(Task::Expire) } else { Progress::Done })
    }

    fn trim_streams(&mut self, behind: SpaceId) -> Result<Progress> {
        let mut has_more = false;
        let some = self.catalogue.streams_behind(behind).take(STREAMS_STEP_MAX);
        for stream in some.map(Arc::clone).collect::<Vec<_>>() {
            let rows = stream.rows_from(0);
            let (lower, upper) =
                (Bound::Included(rows.start.as_slice()), Bound::Excluded(rows.end.as_slice()));
            let mut old = Vec::new();
            let mut is_empty = true;
            for row in self.snapshot.range(Keyspace::Streams, lower, upper, Direction::Forward)? {
                let row = row?;
                let is_old = stream::split_moment(row.value())
                    .is_none_or(|(at, _)| self.now.millis_since(at) > stream::RETENTION_MS);
                if !is_old || old.len() == ROWS_MAX {
                    has_more |= is_old;
                    is_empty = false;
                    break;
                }
                old.push(row.key().to_vec());
            }
            if is_empty && stream.is_over(self.now) {
                self.remove_stream(&stream);
            } else if let Some(last) = old.last().and_then(|row| stream::sequence_of_row(row)) {
                // Whoever asks for these records later is told that they are gone.
                self.store_stream(Stream { oldest_sequence: last + 1, ..Stream::clone(&stream) });
            }
            for row in old {
                self.batch.delete(Keyspace::Streams, row);
            }
        }
        Ok(if has_more { Progress::Left(Task::TrimStreams { behind }) } else { Progress::Done })
    }
}
