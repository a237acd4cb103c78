//! Consistency check of everything stored.

use crate::catalogue::{Table, counts_key, counts_value};
use crate::commit::expiry_second;
use crate::engine::Engine;
use crate::error::Result;
use crate::layout::{self, SpaceId};
use crate::state::State;
use crate::store::{Direction, Keyspace, Row};
use singlet_dynamo::binary::ItemRef;
use singlet_dynamo::table::TableStatus;
use std::fmt::Display;
use std::ops::{Bound, Range};

/// Problems beyond this number are only counted.
const PROBLEMS_TOLD_MAX: usize = 100;

/// The result of [`Engine::check`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Items read.
    pub items: u64,
    /// Index rows read.
    pub index_rows: u64,
    /// Expiry rows read.
    pub expiry_rows: u64,
    /// Number of problems found.
    pub problem_count: u64,
    /// Descriptions of the first problems.
    pub problems: Vec<String>,
}

impl CheckReport {
    /// True if no problem was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.problem_count == 0
    }

    fn problem(&mut self, problem: impl Display) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_TOLD_MAX {
            self.problems.push(problem.to_string());
        }
    }
}

impl Engine {
    /// Reads everything and checks it: checksums, items against their keys, index rows against
    /// items in both directions, expiry rows, counts, and finally the store's own structure.
    /// Writers are not blocked, except during the last step.
    ///
    /// # Errors
    ///
    /// Unreadable data is an error. Data that is readable but wrong is in the report.
    pub fn check(&self) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        let state = self.state()?;
        for table in state.catalogue.iter() {
            // A table being deleted has already lost some of its rows.
            if table.description.status != TableStatus::Deleting {
                state.check_items(table, &mut report)?;
                state.check_indexes(table, &mut report)?;
            }
        }
        state.check_expiry(&mut report)?;
        drop(state);
        self.verify_store()?;
        Ok(report)
    }
}

impl State {
    fn rows(
        &self,
        keyspace: Keyspace,
        range: &Range<Vec<u8>>,
    ) -> Result<impl Iterator<Item = Result<Row, crate::store::Error>>> {
        let (lower, upper) = (Bound::Included(&*range.start), Bound::Excluded(&*range.end));
        Ok(self.snapshot.range(keyspace, lower, upper, Direction::Forward)?)
    }

    /// Checks that every item decodes, is stored under its key, and has its index and expiry rows.
    fn check_items(&self, table: &Table, report: &mut CheckReport) -> Result<()> {
        let (mut items, mut bytes) = (0_i64, 0_i64);
        for row in self.rows(Keyspace::Items, &layout::all_of(table.id))? {
            let row = row?;
            report.items += 1;
            let Ok(item) = ItemRef::new(row.value()) else {
                report.problem(format_args!("table {}: an item cannot be read", table.name));
                continue;
            };
            items += 1;
            bytes += item.size() as i64;
            let key = table.schema.key.key_of_item(&item.to_item());
            if key.is_ok_and(|key| layout::item_key(table.id, &key) == row.key()) {
                self.check_rows_of(table, row.key(), item, report)?;
            } else {
                report.problem(format_args!(
                    "table {}: an item lies elsewhere than its key says",
                    table.name
                ));
            }
        }
        self.check_counts(table.id, (items, bytes), format_args!("table {}", table.name), report)
    }

    /// Compares the stored counts with those found.
    fn check_counts(
        &self,
        id: SpaceId,
        (items, bytes): (i64, i64),
        owner: impl Display,
        report: &mut CheckReport,
    ) -> Result<()> {
        // A store in memory has no such row.
        let stored = self.snapshot.get(Keyspace::Catalogue, &counts_key(id))?;
        if stored.is_some_and(|row| *row != *counts_value(items, bytes)) {
            report.problem(format_args!(
                "{owner}: other counts are stored than {items} items of {bytes} bytes"
            ));
        }
        Ok(())
    }

    fn check_rows_of(
        &self,
        table: &Table,
        item_key: &[u8],
        item: ItemRef<'_>,
        report: &mut CheckReport,
    ) -> Result<()> {
        for ((space, index), described) in table.indexes().zip(&table.description.indexes) {
            // Only an active index has a row for every item.
            if described.status != TableStatus::Active {
                continue;
            }
            if let Some(row) = layout::index_key(space.id, &index.key, item, item_key)
                && self.snapshot.get(Keyspace::Indexes, &row)?.is_none()
            {
                report.problem(format_args!(
                    "index {} of {}: a row is missing",
                    index.name, table.name
                ));
            }
        }
        let attribute =
            table.description.time_to_live.as_deref().filter(|_| !table.must_fill_expiry);
        if let Some(second) = attribute.and_then(|attribute| expiry_second(item, attribute))
            && self.snapshot.get(Keyspace::Expiry, &layout::expiry_key(second, item_key))?.is_none()
        {
            report.problem(format_args!("table {}: an expiry is missing", table.name));
        }
        Ok(())
    }

    /// Checks that every index row has its item.
    fn check_indexes(&self, table: &Table, report: &mut CheckReport) -> Result<()> {
        for ((space, index), described) in table.indexes().zip(&table.description.indexes) {
            // The rows of an index being deleted are no longer maintained.
            if described.status == TableStatus::Deleting {
                continue;
            }
            let (mut items, mut bytes) = (0_i64, 0_i64);
            for row in self.rows(Keyspace::Indexes, &layout::all_of(space.id))? {
                let row = row?;
                report.index_rows += 1;
                items += 1;
                let item_key = layout::item_key_of_index_row(
                    table.id,
                    &table.schema.key,
                    &index.key,
                    row.key(),
                );
                let item = match &item_key {
                    Some(item_key) => self.item(item_key)?,
                    None => None,
                };
                let expected = item_key.zip(item).and_then(|(item_key, item)| {
                    bytes += index.row_size(&table.schema.key, item.as_item()) as i64;
                    layout::index_key(space.id, &index.key, item.as_item(), &item_key)
                });
                if expected.as_deref() != Some(row.key()) {
                    report.problem(format_args!(
                        "index {} of {}: a row leads to no item that has it",
                        index.name, table.name
                    ));
                }
            }
            let owner = format_args!("index {} of {}", index.name, table.name);
            self.check_counts(space.id, (items, bytes), owner, report)?;
        }
        Ok(())
    }

    /// Checks that every expiry row decodes. Stale ones are dropped when they come due.
    fn check_expiry(&self, report: &mut CheckReport) -> Result<()> {
        let (all, forward) = (Bound::Unbounded, Direction::Forward);
        for row in self.snapshot.range(Keyspace::Expiry, all, all, forward)? {
            report.expiry_rows += 1;
            if layout::split_expiry_key(row?.key()).is_none() {
                report.problem("an expiry cannot be read");
            }
        }
        Ok(())
    }
}
