//! The tables and streams that there are, as everything else in the engine looks them up.

mod row;

pub(crate) use row::{counts_key, counts_value};

use crate::layout::SpaceId;
use crate::stream::Stream;
use singlet_dynamo::arn::name_of_table;
use singlet_dynamo::schema::{Index, TableSchema};
use singlet_dynamo::table::{StreamViewType, TableDescription, TableStatus};
use singlet_dynamo::{Error, ErrorKind};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// All tables and streams. Never changed: a change makes a new one, so that whoever holds one
/// holds a consistent view.
#[derive(Clone, Default)]
pub(crate) struct Catalogue {
    tables: BTreeMap<String, Arc<Table>>,
    /// The streams whose records can be read, also of tables that are gone.
    streams: BTreeMap<SpaceId, Arc<Stream>>,
    /// The next number for a table, an index or a stream.
    next_space: u32,
    /// How long the descriptions of all tables are.
    description_bytes: usize,
}

/// How many tables there may be, also those that are being deleted: the service's default quota.
pub(crate) const TABLES_MAX: usize = 2_500;
/// How long all descriptions may be together. What they take in memory is about three times as much.
pub(crate) const DESCRIPTION_BYTES_MAX: usize = 32 << 20;
/// How many streams there may be, with those that were disabled less than a day ago.
pub(crate) const STREAMS_MAX: usize = 5_000;
/// How many of them may be of one table, or of tables of one name.
pub(crate) const STREAMS_OF_TABLE_MAX: usize = 100;

/// A table: its description, and where its rows lie.
#[derive(Clone)]
pub(crate) struct Table {
    /// Its items.
    pub(crate) id: SpaceId,
    pub(crate) name: Arc<str>,
    /// What is told of it. Counts are in `counts` instead.
    pub(crate) description: TableDescription,
    /// How long that is.
    description_bytes: usize,
    /// The keys and indexes of the description.
    pub(crate) schema: TableSchema,
    /// The rows of each index of the schema, in the same order.
    index_spaces: Vec<IndexSpace>,
    /// Where the records of its stream lie, if it has one that is enabled.
    pub(crate) stream_id: Option<SpaceId>,
    /// Whether items that were there before the table let items expire are still to be looked at.
    pub(crate) must_fill_expiry: bool,
    pub(crate) counts: Arc<Counts>,
}

/// Where the rows of an index lie, and what they come to.
#[derive(Clone)]
pub(crate) struct IndexSpace {
    pub(crate) id: SpaceId,
    pub(crate) counts: Arc<Counts>,
}

impl IndexSpace {
    /// One without rows.
    fn new(id: SpaceId) -> Self {
        Self { id, counts: Arc::default() }
    }
}

/// How many items a table or an index has and how large they are, kept up by the writer.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    items: AtomicI64,
    bytes: AtomicI64,
}

impl Counts {
    pub(crate) fn new(items: i64, bytes: i64) -> Self {
        Self { items: AtomicI64::new(items), bytes: AtomicI64::new(bytes) }
    }

    /// Only the writer adds, so the two need not change together for anyone but it.
    pub(crate) fn add(&self, items: i64, bytes: i64) {
        self.items.fetch_add(items, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn items(&self) -> u64 {
        self.items.load(Ordering::Relaxed).try_into().unwrap_or(0)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed).try_into().unwrap_or(0)
    }
}

impl Catalogue {
    /// Refuses a description of a new table, or another one of a table, that would bring all of them
    /// above a quota. The catalogue is in memory, and much of it is looked through for each change.
    pub(crate) fn check_quotas(
        &self,
        table: Option<&Table>,
        description: &TableDescription,
    ) -> Result<(), Error> {
        let refuse = |what: String| {
            let message = format!("Subscriber limit exceeded: {what}");
            Err(Error::with_message(ErrorKind::LimitExceeded, message))
        };
        if table.is_none() && self.tables.len() >= TABLES_MAX {
            return refuse(format!("There is a limit of {TABLES_MAX} tables per subscriber"));
        }
        let (before, after) =
            (table.map_or(0, |table| table.description_bytes), description.to_item().size());
        let all = self.description_bytes - before + after;
        if all > DESCRIPTION_BYTES_MAX && after > before {
            return refuse(format!(
                "The descriptions of all tables have a limit of {DESCRIPTION_BYTES_MAX} bytes"
            ));
        }
        let stream_of =
            |description: &TableDescription| description.stream.and(description.latest_stream_at);
        let has_new_stream = stream_of(description).is_some()
            && table.and_then(|table| stream_of(&table.description)) != stream_of(description);
        if has_new_stream {
            if self.streams.len() >= STREAMS_MAX {
                return refuse(format!("There is a limit of {STREAMS_MAX} streams"));
            }
            let own = self.streams.values();
            let own = own.filter(|stream| stream.arn.table_name() == description.name).count();
            if own >= STREAMS_OF_TABLE_MAX {
                return refuse(format!(
                    "There is a limit of {STREAMS_OF_TABLE_MAX} streams of one table in a day"
                ));
            }
        }
        Ok(())
    }

    /// The table of this name, whatever its state.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.get(name)
    }

    /// The table of this name, whatever its state, or the error of operations on tables.
    pub(crate) fn existing(&self, name: &str) -> Result<&Arc<Table>, Error> {
        self.get(name).ok_or_else(|| {
            Error::with_message(
                ErrorKind::ResourceNotFound,
                format!("Requested resource not found: Table: {name} not found"),
            )
        })
    }

    /// The table of this name or ARN, ready for operations on its items.
    pub(crate) fn usable(&self, name_or_arn: &str) -> Result<&Arc<Table>, Error> {
        self.get(name_of_table(name_or_arn))
            .filter(|table| {
                !matches!(table.description.status, TableStatus::Creating | TableStatus::Deleting)
            })
            .ok_or_else(|| Error::new(ErrorKind::ResourceNotFound))
    }

    /// The schema of the table of this name or ARN, if it is ready for operations on its items.
    pub(crate) fn schema(&self, name_or_arn: &str) -> Option<&TableSchema> {
        self.usable(name_or_arn).ok().map(|table| &table.schema)
    }

    /// The table whose items lie there.
    pub(crate) fn by_id(&self, id: SpaceId) -> Option<&Arc<Table>> {
        self.tables.values().find(|table| table.id == id)
    }

    /// All tables, by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.tables.values()
    }

    /// The names of tables, from the one after `start`.
    pub(crate) fn names_after(&self, start: Option<&str>) -> impl Iterator<Item = &str> {
        let lower = start.map_or(Bound::Unbounded, Bound::Excluded);
        self.tables
            .range::<str, _>((lower, Bound::Unbounded))
            .filter(|(_, table)| table.description.status != TableStatus::Deleting)
            .map(|(name, _)| name.as_str())
    }

    /// All streams, oldest first.
    pub(crate) fn streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.values()
    }

    /// Some streams behind this one, in the order of their ids.
    pub(crate) fn streams_behind(&self, id: SpaceId) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.range((Bound::Excluded(id), Bound::Unbounded)).map(|(_, stream)| stream)
    }

    /// The stream whose records lie there.
    pub(crate) fn stream(&self, id: SpaceId) -> Option<&Arc<Stream>> {
        self.streams.get(&id)
    }

    /// A number that nothing had before.
    pub(crate) fn take_space(&mut self) -> SpaceId {
        let id = SpaceId(self.next_space);
        self.next_space += 1;
        id
    }

    /// Adds a table, or puts it in the place of the one that had its name.
    pub(crate) fn insert(&mut self, table: Table) {
        self.description_bytes += table.description_bytes;
        if let Some(before) = self.tables.insert(table.description.name.clone(), Arc::new(table)) {
            self.description_bytes -= before.description_bytes;
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(table) = self.tables.remove(name) {
            self.description_bytes -= table.description_bytes;
        }
    }

    pub(crate) fn insert_stream(&mut self, stream: Stream) {
        self.streams.insert(stream.id, Arc::new(stream));
    }

    pub(crate) fn remove_stream(&mut self, id: SpaceId) {
        self.streams.remove(&id);
    }
}

impl Table {
    /// A new table, with numbers of its own for itself and its indexes.
    pub(crate) fn create(description: TableDescription, catalogue: &mut Catalogue) -> Self {
        let schema = description.schema();
        Self {
            id: catalogue.take_space(),
            name: description.name.as_str().into(),
            index_spaces: schema
                .indexes
                .iter()
                .map(|_| IndexSpace::new(catalogue.take_space()))
                .collect(),
            schema,
            description_bytes: description.to_item().size(),
            description,
            stream_id: None,
            must_fill_expiry: false,
            counts: Arc::default(),
        }
    }

    /// The table with another description. Indexes that stay keep their place.
    pub(crate) fn described(
        &self,
        description: TableDescription,
        catalogue: &mut Catalogue,
    ) -> Self {
        let schema = description.schema();
        let index_spaces = schema
            .indexes
            .iter()
            .map(|index| match self.index(&index.name) {
                Some((space, _)) => space.clone(),
                None => IndexSpace::new(catalogue.take_space()),
            })
            .collect();
        let description_bytes = description.to_item().size();
        Self { schema, description, description_bytes, index_spaces, ..self.clone() }
    }

    /// The table under a name that no request can have, for as long as its rows are cleared away.
    pub(crate) fn without_name(&self) -> Self {
        let name = format!("deleted table {}", self.id.0);
        let mut description = self.description.clone();
        description.name.clone_from(&name);
        Self { name: name.into(), description, ..self.clone() }
    }

    /// Whether an index has to be filled or cleared before the table is what it is described as.
    /// Indexes of a table that is itself new have nothing to be filled with.
    pub(crate) fn has_index_work(&self) -> bool {
        self.description.status != TableStatus::Creating
            && self.description.indexes.iter().any(|described| {
                matches!(described.status, TableStatus::Creating | TableStatus::Deleting)
            })
    }

    /// The indexes, each with the place of its rows.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = (&IndexSpace, &Index)> {
        self.index_spaces.iter().zip(&self.schema.indexes)
    }

    /// The index of this name, with the place of its rows.
    pub(crate) fn index(&self, name: &str) -> Option<(&IndexSpace, &Index)> {
        self.indexes().find(|(_, index)| index.name == name)
    }

    /// Where the records of its stream lie and what they carry, if it has one that is enabled.
    pub(crate) fn stream(&self) -> Option<(SpaceId, StreamViewType)> {
        Some((self.stream_id?, self.description.stream?))
    }

    /// The description with the counts of this moment. Of an index that comes or goes they would
    /// say nothing, so none are told.
    pub(crate) fn description_now(&self) -> TableDescription {
        let mut description = self.description.clone();
        description.item_count = self.counts.items();
        description.size_bytes = self.counts.bytes();
        for (space, described) in self.index_spaces.iter().zip(&mut description.indexes) {
            if described.status == TableStatus::Active {
                described.item_count = space.counts.items();
                described.size_bytes = space.counts.bytes();
            }
        }
        description
    }
}
